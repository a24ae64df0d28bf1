"""The shared library: found, loaded with the right BLAS kernels, compared with what Python thinks of it.

The package carries its own ``libconehull.so`` with its own OpenBLAS inside, so nothing here touches the
BLAS of NumPy, and the command of the same build gives the same bits.

OpenBLAS chooses its kernels once, when it is loaded, and 0.3.21 takes some recent processors for much
older ones. The library knows which kernel it would want; when OpenBLAS took another one and the user has
not chosen (``OPENBLAS_CORETYPE``), the library is closed and loaded again with that choice. The
environment is as before afterwards.
"""
import _ctypes
import ctypes
import os
from contextlib import contextmanager
from pathlib import Path

from . import _structs
from ._version import __version__

CORE, THREADS = "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS"


def path() -> Path:
    """Where the library is: ``CONEHULL_LIBRARY`` if set, else inside the package."""
    given = os.environ.get("CONEHULL_LIBRARY")
    return Path(given) if given else Path(__file__).parent / "_lib" / "libconehull.so"


@contextmanager
def _environment(**variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _open(file: Path, **variables) -> ctypes.CDLL:
    # One BLAS thread: the library has its own, and OpenBLAS need not start any.
    with _environment(**{THREADS: "1", **variables}):
        library = ctypes.CDLL(str(file))
    _structs.declare(library)
    return library


def _check(library: ctypes.CDLL, file: Path) -> None:
    """Refuses a library of another version, or one whose settings end in another way."""
    version = library.ch_version().decode()
    if version != __version__:
        raise ImportError(f"{file} is conehull {version}, but this package is version {__version__}; both must have the same version")
    for name, tail in _structs.TAILS.items():
        table = getattr(library, name.replace("_settings", "_table"))().contents
        if any(row.offset >= table.size - ctypes.sizeof(tail) for row in table.rows[:table.count]):
            raise ImportError(f"{file}: {name} differs from the one that this package was built for; install a library of the same build")


def _load() -> ctypes.CDLL:
    file = path()
    if not file.exists():
        raise ImportError(f"{file} is missing; build it ('make python' in the source tree), or name another "
                          "one in CONEHULL_LIBRARY")
    library = _open(file)
    wanted = library.ch_blas_core_wanted()
    if wanted and CORE not in os.environ:
        _ctypes.dlclose(library._handle)
        library = _open(file, **{CORE: wanted.decode()})
    _check(library, file)
    return library


library = _load()
