"""Every example in a docstring runs."""
import doctest
import importlib
import pkgutil

import pytest

import conehull

RESULTS = ("Advice", "AnchorsResult", "Certificate", "Decomposition", "Exemplars", "LiveFrame", "Projection", "StreamResult", "Unmixing",
           "Verification")
MODULES = [name for _, name, _ in pkgutil.iter_modules(conehull.__path__) if name not in ("__main__", "tests")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"conehull.{name}")
    assert doctest.testmod(module, raise_on_error=False).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in conehull.__all__:
        thing = getattr(conehull, name)
        if callable(thing) and name not in RESULTS:
            assert any(test.examples for test in finder.find(thing, name)), name
