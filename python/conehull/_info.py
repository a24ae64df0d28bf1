"""What this installation is."""
from typing import Dict, List

from . import _library
from ._run import Run


__all__ = ["info", "set_kernel"]


def info() -> Dict[str, object]:
    """Version, where the library is, processor kernels, BLAS and its kernel, threads.

    ``kernel`` is the instruction set in use, ``kernels`` those that this processor can run (`set_kernel`);
    ``blas_wanted`` is the kernel that OpenBLAS should use here and does not, or None.

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
    """The instruction set that all later calls in this process compute with: one of ``info()["kernels"]``, or
    "auto" for the best of them. Results of two of them differ by rounding.

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
