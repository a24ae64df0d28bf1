"""What this installation is."""
from typing import Dict

from . import _library
from ._run import Run


__all__ = ["info"]


def info() -> Dict[str, object]:
    """Version, where the library is, processor kernels, BLAS and its kernel, threads.

    ``blas_wanted`` is the kernel that OpenBLAS should use here and does not, or None.

    Examples
    --------
    >>> import conehull
    >>> conehull.info()["version"] == conehull.__version__
    True
    """
    library = _library.library
    with Run() as run:
        threads = run.threads
    wanted = library.ch_blas_core_wanted()
    return {
        "version": library.ch_version().decode(),
        "library": str(_library.path()),
        "kernel": library.ch_kernel_name().decode(),
        "blas": library.ch_blas_name().decode(),
        "blas_wanted": wanted.decode() if wanted else None,
        "threads": threads,
    }
