"""Description of this installation."""
from typing import Dict, List

from . import _library
from ._run import Run


__all__ = ["info", "set_kernel"]


def info() -> Dict[str, object]:
    """Returns the version, the path of the library, the instruction sets, the BLAS and its kernel, and the number of threads.

    ``kernel`` is the instruction set in use, and ``kernels`` lists those that this processor can run (see `set_kernel`).
    ``blas_wanted`` is the kernel that OpenBLAS should use on this processor but does not, or None.

    Examples
    --------
    >>> import conehull
    >>> conehull.info()["version"] == conehull.__version__
    True
    """
    library = _library.library
    with Run() as run:
        threads, kernel = run.threads, run.kernel_in_use
    wanted = library.ch_blas_core_wanted()
    return {
        "version": library.ch_version().decode(),
        "library": str(_library.path()),
        "kernel": kernel,
        "kernels": _usable_kernels(),
        "blas": library.ch_blas_name().decode(),
        "blas_wanted": wanted.decode() if wanted else None,
        "threads": threads,
    }


def _usable_kernels() -> List[str]:
    names, index = [], 0
    while (name := _library.library.ch_kernel_name(index)) is not None:
        if _library.library.ch_kernel_usable(index):
            names.append(name.decode())
        index += 1
    return names


def set_kernel(name: str = "auto") -> None:
    """Selects the instruction set of all later calls in this process: one of ``info()["kernels"]``, or "auto" for the
    best of them. Results of different instruction sets differ by rounding.

    Examples
    --------
    >>> import conehull
    >>> conehull.set_kernel("portable")
    >>> conehull.info()["kernel"]
    'portable'
    >>> conehull.set_kernel()
    """
    before, Run.kernel = Run.kernel, name.encode()
    try:
        with Run():
            pass
    except BaseException:
        Run.kernel = before
        raise
