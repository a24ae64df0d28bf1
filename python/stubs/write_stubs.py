"""Types for editors and type checkers: parameters that are made from the settings tables, written out as ``.pyi``.

    python write_stubs.py FOLDER        (part of the build; the package must be importable)
"""
import importlib
import inspect
import re
import sys
from pathlib import Path

import conehull

MODULES = ("advice", "cells", "estimators", "functions", "decompose", "live", "losses", "streaming", "spectra", "text", "video",
           "_errors", "_info")
HEAD = '''"""Made from the settings tables by write_stubs.py."""
import typing
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy
import sklearn.base
import typing_extensions

import conehull.advice
import conehull.functions
import conehull.losses
'''


def _method(name, function) -> str:
    if isinstance(function, property):
        return f"    @property\n    def {name}{inspect.signature(function.fget)}: ..."
    return f"    def {name}{inspect.signature(function)}: ..."


def _members(cls) -> list:
    """Attributes and methods of a class and of those it is made from here; nearer ones win."""
    attributes, methods = {}, {}
    for parent in reversed(cls.__mro__):
        if not parent.__module__.startswith("conehull."):
            continue
        attributes.update(vars(parent).get("__annotations__", {}))
        for name, value in vars(parent).items():
            public = name in ("__init__", "__len__", "__bool__") or not name.startswith("_")
            if public and (inspect.isfunction(value) or isinstance(value, property)):
                methods[name] = value
    lines = [f"    {name}: {inspect.formatannotation(kind)}" for name, kind in attributes.items()]
    return lines + [_method(name, value) for name, value in methods.items()]


def _entry(name, thing) -> str:
    if inspect.isclass(thing):
        parents = [p for p in ("TransformerMixin", "BaseEstimator") if hasattr(thing, "get_params")]
        parents = [f"sklearn.base.{p}" for p in parents] + ["UserWarning"] * issubclass(thing, UserWarning)
        head = f"class {name}({', '.join(parents)}):" if parents else f"class {name}:"
        return "\n".join([head, *(_members(thing) or ["    ..."])])
    return f"def {name}{inspect.signature(thing)}: ..."


def _as_types(text) -> str:
    """Returns signatures as types: names instead of references to them, and nothing that only the package itself uses."""
    text = re.sub(r"ForwardRef\('(\w+)'\)", r"\1", text)
    text = re.sub(r"\bconehull\._(run|structs)\.\w+", "Any", text)
    return re.sub(r"= nan\b", "= ...", text)


def stub(module) -> str:
    return HEAD + "\n\n" + _as_types("\n\n".join(_entry(name, getattr(module, name)) for name in module.__all__)) + "\n"


def package_stub() -> str:
    lines = [f"from .{home} import {name} as {name}" for home, names in conehull._HOME.items() for name in names]
    return "\n".join(lines + [f"from . import {name} as {name}" for name in conehull._MODULES]) + "\n"


def main(folder) -> None:
    for name in MODULES:
        (Path(folder) / f"{name}.pyi").write_text(stub(importlib.import_module(f"conehull.{name}")))
    (Path(folder) / "__init__.pyi").write_text(package_stub())


if __name__ == "__main__":
    main(*sys.argv[1:])
