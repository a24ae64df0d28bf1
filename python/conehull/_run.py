"""One call of the library: its context, its threads, its progress, and exceptions that pass through C.

ctypes releases the interpreter lock while the library works. The library calls the progress callback on the
thread that called the library. Python code runs there, so Ctrl-C is noticed there: the exception is stored,
the callback asks the library to stop, and the exception is raised after the library has returned.
"""
import ctypes
import time
import multiprocessing
import os
import sys
import threading
import weakref
from types import SimpleNamespace

import numpy as np

from . import _errors
from ._library import library
from ._structs import ch_progress_fn


MOST_THREADS = 4096  # that a context takes; ctypes would cut larger numbers off


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
    if n_jobs > MOST_THREADS:
        raise ValueError(f"n_jobs must not exceed {MOST_THREADS}; got {n_jobs!r}")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


class Run:
    """A context of the library for one call::

        with Run(n_jobs, verbose) as run:
            result = run.own(ch_anchors_result, library.ch_anchors_result_free)
            status = run.call(library.ch_anchors, result.struct, matrix, settings)

    ``call`` raises what went wrong and returns zero or a positive status. A run may be entered again; other
    threads wait until it is left, since a context serves one thread at a time.
    """

    kernel = b"auto"  # of all runs from now on; set_kernel()

    def __init__(self, n_jobs=None, verbose=0, words=_errors.ACROSS):
        self._words = words
        self.ear = _Ear(_bar(verbose))
        self.n_jobs, self._threads = n_jobs, threads_of(n_jobs)
        self._turn = threading.RLock()
        self._progress = ch_progress_fn(self.ear.hear)  # the ear does not know the run: no cycle, no wait for gc
        self._holder = _Context()
        self._context = self._holder.handle

    def __enter__(self):
        self._turn.acquire()
        try:
            self._judge(library.ch_context_set_kernel(self._context, Run.kernel))
            self._judge(library.ch_context_set_threads(self._context, self._threads))
        except BaseException:
            self._turn.release()
            raise
        library.ch_context_set_progress(self._context, self._progress, None)
        return self

    def __exit__(self, *_):
        self.ear.bar.close()
        library.ch_context_set_progress(self._context, ch_progress_fn(), None)
        library.ch_context_set_threads(self._context, 1)  # lets go of the threads
        self._turn.release()

    @property
    def threads(self) -> int:
        return library.ch_context_threads(self._context)

    @property
    def kernel_in_use(self) -> str:
        return library.ch_context_kernel(self._context).decode()

    def own(self, kind, free) -> "Owned":
        """An empty struct of the library, to be filled by a call."""
        return Owned(self._holder, kind(), free)

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
            raise _errors.exception(status, self._words.translate(message))
        return status


class _Context:
    """A context of the library; it goes with the last of its runs and arrays.

    Its memory is from malloc, so arrays may go on any thread, whatever other ones do with the context.
    """

    def __init__(self):
        self.handle = ctypes.c_void_p()
        if library.ch_context_create(ctypes.byref(self.handle), None) < 0:
            raise MemoryError("there is not enough memory to start a run")
        _when_gone(self, library.ch_context_destroy, self.handle)


def _when_gone(thing, function, *arguments) -> None:
    """Calls a function when a thing is gone; its arguments live until then. The garbage collector calls ``__del__``
    of all members of a cycle in any order: a context could go before what was allocated in it. When the
    interpreter ends nothing is called, and arrays stay what they are to the last."""
    weakref.finalize(thing, function, *arguments).atexit = False


def _free(free, context: _Context, struct) -> None:
    free(context.handle, struct)


class Owned:
    """A struct of the library that is freed with the last reference to it, and the arrays in it.

    Every array is a block of its own, and the library's functions free what a struct holds and nothing more. So
    an array is handed over by moving its pointer into a struct that holds nothing else, which becomes the base
    of a NumPy array: nothing is copied, and each array lives as long as it is used, whatever becomes of the others.
    """

    def __init__(self, context: _Context, struct, free):
        self.struct, self._context, self._free = struct, context, free
        _when_gone(self, _free, free, context, struct)

    def take(self, member: str, shape):
        """The array that a member points at, in C order and writable, handed over; None for NULL."""
        pointer = getattr(self.struct, member)
        if not pointer:
            return None
        kind, address = type(pointer), ctypes.addressof(pointer.contents)
        alone = Owned(self._context, type(self.struct)(), self._free)
        setattr(self.struct, member, None)  # first: a signal in between must not leave two owners
        setattr(alone.struct, member, ctypes.cast(address, kind))
        return alone.show(address, kind._type_, shape)

    def show(self, address: int, kind, shape) -> np.ndarray:
        """Memory that belongs to the struct, as an array that keeps the struct alive."""
        self.__array_interface__ = _place(address, kind, shape)
        return np.asarray(self)


def _place(address: int, kind, shape) -> dict:
    """Memory as a NumPy array, in C order and writable."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    return {"version": 3, "data": (address, False), "shape": shape, "typestr": np.dtype(kind).str}


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
        here = threading.current_thread() is threading.main_thread()
        if here and "ctypes callback" in (unraisable.err_msg or ""):
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


class _Lines:
    """Without tqdm: a line on stderr when a phase begins, and one every few seconds."""

    EVERY = 5.0

    def __init__(self):
        self.phase, self.last = None, 0.0

    def show(self, event):
        now = time.monotonic()
        if event.phase == self.phase and now - self.last < self.EVERY:
            return
        self.phase, self.last = event.phase, now
        total = f" of {event.total}" if event.total > 0 else ""
        print(f"conehull: {event.phase.decode()} {event.done}{total}", file=sys.stderr, flush=True)

    def close(self):
        pass


def _bar(verbose):
    if not verbose:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)


def copied(pointer, shape) -> np.ndarray:
    """A copy of what the library points at, in C order; None for NULL."""
    if not pointer:
        return None
    place = _place(ctypes.addressof(pointer.contents), pointer._type_, shape)
    return np.array(SimpleNamespace(__array_interface__=place))


def whole_numbers(name, values) -> np.ndarray:
    """A list of whole numbers as the library wants it."""
    made = np.asarray(values)
    if made.ndim != 1 or made.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of whole numbers; got {values!r}")
    return np.ascontiguousarray(made, dtype=np.int64)


def pointer_to(values):
    """Where the numbers of a NumPy array are, as ctypes wants it for this type."""
    return values.ctypes.data_as(ctypes.POINTER(np.ctypeslib.as_ctypes_type(values.dtype)))

