"""One call of the library: its context, its threads, its progress, and exceptions on their way through C.

ctypes releases the interpreter lock while the library works. The library calls back for progress, on the
thread that called it; there Python runs again, so that is where Ctrl-C is heard: the exception is kept,
the library is told to stop, and once it has cleaned up the exception is raised.
"""
import ctypes
import os
import multiprocessing
import sys
import threading

import numpy as np

from . import _errors
from ._library import library
from ._structs import ch_progress_fn


def threads_of(n_jobs) -> int:
    """Threads for ``n_jobs`` as joblib counts: -1 is all cores, -2 all but one, None decides itself.

    None is one thread in a multiprocessing worker, ``OMP_NUM_THREADS`` if set (joblib sets it in its
    workers), else all cores that this process may use. The answer is the same for any number.
    """
    if n_jobs is None:
        if multiprocessing.current_process().daemon:
            return 1
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return int(limit) if limit.isdigit() and int(limit) > 0 else 0
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0:
        raise ValueError(f"n_jobs must be a whole number other than 0, or None; got {n_jobs!r}")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


class Run:
    """A context of the library for one call::

        with Run(n_jobs, verbose) as run:
            result = run.own(ch_result, library.ch_result_free)
            status = run.call(library.ch_anchors, result, matrix, settings)

    ``call`` raises what went wrong and returns zero or a positive status. The context and the structs that
    it owns live until the run and the last array that ``owned`` made of them are gone.
    """

    def __init__(self, n_jobs=None, verbose=0, samples_are_columns=True):
        self.samples_are_columns = samples_are_columns
        self.ear = _Ear(_bar(verbose))
        self._structs = []
        self._context = ctypes.c_void_p()
        self._progress = ch_progress_fn(self.ear.hear)  # the ear does not know the run: no cycle, no wait for gc
        self.n_jobs, self._threads = n_jobs, threads_of(n_jobs)
        if library.ch_context_create(ctypes.byref(self._context), None) < 0:
            raise MemoryError("no memory for a context")
        library.ch_context_set_progress(self._context, self._progress, None)

    def __enter__(self):
        self._judge(library.ch_context_set_threads(self._context, self._threads))
        return self

    def __exit__(self, *_):
        self.ear.bar.close()
        library.ch_context_set_threads(self._context, 1)  # lets go of the threads

    def __del__(self):
        if not self._context:
            return
        for free, struct in self._structs:
            free(self._context, struct)
        library.ch_context_destroy(self._context)

    @property
    def threads(self) -> int:
        return library.ch_context_threads(self._context)

    def own(self, kind, free):
        """An empty struct of the library, to be filled by a call and freed with the run."""
        struct = kind()
        self._structs.append((free, struct))
        return struct

    def call(self, function, *arguments) -> int:
        return self.call_bare(function, self._context, *arguments)

    def call_bare(self, function, *arguments) -> int:
        """The same for a function that knows its context."""
        with _Listener(self.ear):
            status = function(*arguments)
        if self.ear.error is not None:
            error, self.ear.error = self.ear.error, None
            try:
                raise error
            finally:
                del error  # its traceback holds this frame
        return self._judge(status)

    def _judge(self, status: int) -> int:
        if status < 0:
            message = library.ch_context_message(self._context).decode()
            raise _errors.exception(status, _errors.for_samples(message, self.samples_are_columns))
        return status


class _Ear:
    """Hears progress, and keeps the first exception that comes by."""

    def __init__(self, bar):
        self.bar, self.error = bar, None

    def hear(self, event, _):
        try:
            if self.error is None:
                self.bar.show(event.contents)
        except BaseException as error:
            self.error = error
        return self.error is not None


class _Listener:
    """Keeps what ctypes would only report. A signal may strike at the very entry of a callback, before
    any ``try`` of ours; ctypes then hands the exception to ``sys.unraisablehook`` and goes on. Signals
    belong to the main thread, so only there is the hook changed, and no two threads change it."""

    def __init__(self, ear: _Ear):
        self.ear = ear
        self.listens = threading.current_thread() is threading.main_thread()

    def __enter__(self):
        if self.listens:
            self.before = sys.unraisablehook
            sys.unraisablehook = self.hear

    def __exit__(self, *_):
        if self.listens:
            sys.unraisablehook = self.before

    def hear(self, unraisable):
        if "ctypes callback" in (unraisable.err_msg or ""):
            self.ear.error = self.ear.error or unraisable.exc_value or unraisable.exc_type()
        else:
            self.before(unraisable)


class _NoBar:
    def show(self, event):
        pass

    def close(self):
        pass


class _Bar:
    """tqdm, one bar per phase."""

    def __init__(self, tqdm):
        self.tqdm, self.bar, self.phase = tqdm, None, None

    def show(self, event):
        if event.phase != self.phase:
            self.close()
            self.phase = event.phase
            self.bar = self.tqdm(total=event.total or None, desc=event.phase.decode(), leave=False)
        self.bar.update(event.done - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()


def _bar(verbose):
    if not verbose:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _NoBar()
    return _Bar(tqdm)


def array(pointer, shape) -> np.ndarray:
    """A copy of what the library points at, in C order; None for NULL."""
    if not pointer:
        return None
    return owned(pointer, shape, None).copy()


def pointer_to(values):
    """Where the numbers of a NumPy array are, as ctypes wants it for this type."""
    return values.ctypes.data_as(ctypes.POINTER(np.ctypeslib.as_ctypes_type(values.dtype)))


def owned(pointer, shape, run) -> np.ndarray:
    """What the library points at, in C order and in place; it keeps the run alive. None for NULL."""
    if not pointer:
        return None
    count = int(np.prod(shape))
    memory = (pointer._type_ * count).from_address(ctypes.addressof(pointer.contents))
    memory.run = run
    return np.frombuffer(memory, dtype=pointer._type_).reshape(shape) if count else np.empty(shape)
