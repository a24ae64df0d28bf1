"""The library is loaded with the right kernels, and refused when it is another one."""
import os
import subprocess
import sys

import numpy as np
import pytest

import conehull
from conehull import _library


def python(code, **environment):
    """Runs code in a new process, in which OpenBLAS chooses its kernel unless ``environment`` says otherwise."""
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**inherited, **environment})
    return run.stdout.strip(), run.stderr


def test_info():
    told = conehull.info()
    assert told["kernel"] in ("avx512", "avx2", "portable")
    assert told["kernels"][0] == told["kernel"] and told["kernels"][-1] == "portable"
    assert told["threads"] >= 1 and told["library"].endswith(".so")


def test_kernels_can_be_set():
    rng = np.random.RandomState(3)
    W = rng.rand(40, 5)
    X = np.hstack([W, W @ rng.dirichlet(np.ones(5), 60).T]).T
    best = conehull.anchors(X, 5)
    try:
        for name in conehull.info()["kernels"]:
            conehull.set_kernel(name)
            assert conehull.info()["kernel"] == name
            found = conehull.anchors(X, 5)
            assert list(found.anchors) == list(best.anchors)
        with pytest.raises(ValueError, match="abacus"):
            conehull.set_kernel("abacus")
        assert conehull.info()["kernel"] == "portable"
    finally:
        conehull.set_kernel()


@pytest.mark.skipif("OpenBLAS" not in conehull.info()["blas"], reason="another BLAS")
def test_the_kernel_is_chosen_again():
    """As on a processor that OpenBLAS does not know: the first load takes an old kernel, the second the right
    one; NumPy's OpenBLAS and the environment stay as they are."""
    code = """
import os, ctypes
import numpy
from unittest import mock
opened = []
def odd(file):
    opened.append(file)
    core = {"OPENBLAS_CORETYPE": "Prescott"} if len(opened) == 1 else {}
    with mock.patch.dict(os.environ, core):
        return real(file)
real, before = ctypes.CDLL, dict(os.environ)
with mock.patch.object(ctypes, "CDLL", odd):
    from conehull import _library
assert dict(os.environ) == before
print(len(opened), _library.library.ch_blas_core_wanted(), _library.library.ch_blas_name().decode())
"""
    if conehull.info()["kernel"] == "portable":
        pytest.skip("any kernel is right here")
    out, err = python(code)
    assert out.startswith("2 None") and "Prescott" not in out, err


def test_the_users_choice_of_kernel_stays():
    out, err = python("import conehull; print(conehull.info()['blas'])", OPENBLAS_CORETYPE="Nehalem")
    assert "Nehalem" in out or "OpenBLAS" not in out, err


def test_a_missing_library_is_named():
    _, err = python("import conehull.losses; conehull.info()", CONEHULL_LIBRARY="/nowhere/lib.so")
    assert "ImportError" in err and "/nowhere/lib.so is missing" in err


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(_library, "__version__", "9.9.9")
    with pytest.raises(ImportError, match="this package is version 9.9.9"):
        _library._check(_library.library, _library.path())


def test_other_settings_are_refused(monkeypatch):
    import ctypes

    class Longer(_library._structs.TAILS["ch_anchors_settings"]):
        _fields_ = [("more", ctypes.c_int64)]

    monkeypatch.setitem(_library._structs.TAILS, "ch_anchors_settings", Longer)
    with pytest.raises(ImportError, match="differs from the one that this package was built for"):
        _library._check(_library.library, _library.path())
