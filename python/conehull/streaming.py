"""Samples that arrive in chunks: ``Stream``, and ``MiniBatchSeparableNMF`` with ``partial_fit``.

Each sample is processed once, and memory is bounded. docs/streaming.md states which properties of a run on all
samples are guaranteed and which are not.
"""
import ctypes
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Dict, Tuple

import numpy as np

from . import _errors
from ._library import library
from ._matrix import View
from ._names import Labels, explain_missing, named_places, sample_names
from ._run import _Context, _when_gone, copied
from ._settings import seed_of, tables
from ._signature import chosen, fill_docstring, with_parameters, with_settings
from ._shown import Shown, listed, shape_of
from ._sklearn import checked, refuse_mixed_units, validate
from ._structs import (CH_ERR_FORMAT, CH_OK, CH_STOP_COMPLETE, CH_STOP_INACCURATE, ch_checkpoint, ch_matrix,
                       ch_anchors_result, ch_stream_info)
from .estimators import _AnchorEstimator
from .functions import fill_settings, open_run, rank_of, rank_reason

__all__ = ["MiniBatchSeparableNMF", "Stream", "StreamResult"]

ANCHORS, TABLE = tables["anchors"], tables["stream"]
#: Settings that need all samples at once, or that concern results other than the anchors.
_LEAVE_OUT = ("n_components", "alpha", "linear", "gap", "select_only", "path", "library_only")
BOTH = SimpleNamespace(settings={**TABLE.settings, **ANCHORS.settings})


@dataclass(frozen=True, repr=False)
class StreamResult(Shown):
    """The anchors of all samples seen so far.

    Attributes
    ----------
    anchors : ndarray of int64, shape (rank,)
        Numbers of the anchors, counted from the first sample of the stream.
    components : ndarray, shape (rank, n_features)
        The anchors.
    bound : float
        Every sample x that was pushed has weights h >= 0 with ``abs(x - h @ components).sum() <= bound * x.sum()``.
    status : str
        "done", "complete" (fewer anchors explain everything) or "inaccurate" (the store was too small).
    floor : float
        The number that divergences add to the model; pass it to ``project``.
    info : dict
        The same as ``Stream.info``.
    """

    anchors: np.ndarray
    components: np.ndarray
    bound: float
    status: str
    floor: float
    info: Dict[str, Any] = field(repr=False)

    def _facts(self) -> list:
        return [("anchors", f"{listed(self.anchors)}; {len(self.anchors)} of {self.info['seen']} samples seen"),
                ("components", shape_of(self.components)),
                ("bound", f"every sample is explained but for {self.bound:.3g} of its sum, or less"), ("status", self.status)]


class _Bytes:
    """A checkpoint in memory: stores the records that the library adds, and returns them."""

    def __init__(self, records=()):
        self.records, self._next, self._held = list(records), 0, None
        kinds = {name: kind for name, kind in ch_checkpoint._fields_}
        self.table = ch_checkpoint(name=b"the pickled stream", has=kinds["has"](self._has),
                                   take=kinds["take"](self._take), add=kinds["add"](self._add))

    def _find(self, kind):
        at = self._next
        while at < len(self.records) and self.records[at][0] != kind:
            at += 1
        return at

    def _has(self, _, kind):
        return self._find(kind) < len(self.records)

    def _take(self, _, place, count, kind):
        at = self._find(kind)
        if at == len(self.records):
            return CH_ERR_FORMAT
        self._held, self._next = ctypes.create_string_buffer(self.records[at][1], len(self.records[at][1])), at + 1
        place[0], count[0] = ctypes.addressof(self._held), len(self.records[at][1])
        return CH_OK

    def _add(self, _, pieces, count, kind):
        self.records.append((kind, b"".join(ctypes.string_at(pieces[i].bytes, pieces[i].count) for i in range(count))))
        return CH_OK


def _destroy(_: _Context, handle) -> None:
    library.ch_stream_destroy(handle)


class Stream:
    """Finds anchors of samples that arrive in chunks, in bounded memory.

    With ``store=0``, the default, all samples are kept while they fit into 1 GiB, and the anchors are those of
    :func:`anchors` on all of them. After that, or with ``store=N``, a sample is kept if combinations of the kept samples
    do not explain it, and dropped otherwise. The result does not depend on the size of the chunks: the same samples in
    the same order give the same bits.

    Parameters
    ----------
    n_components : int or "auto"
        Number of anchors; "auto" adds anchors as long as they help to explain the kept samples.
    n_jobs : int or None
        Number of threads; None uses all cores. The result does not depend on it.
    {settings}

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> rng = np.random.RandomState(0)
    >>> topics = rng.rand(3, 8)
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 20) @ topics, topics])
    >>> stream = conehull.Stream(3)
    >>> for start in range(0, len(X), 5):
    ...     stream.push(X[start:start + 5])
    >>> found = stream.anchors()
    >>> sorted(found.anchors.tolist())
    [20, 21, 22]
    >>> found.bound < 1e-8
    True
    """

    @with_settings(BOTH, leave_out=_LEAVE_OUT)
    def __init__(self, n_components="auto", *, n_jobs=None, **settings):
        """
        {settings}
        """
        if "random_state" in settings:
            settings["random_state"] = seed_of(settings["random_state"])
        self.n_components, self.n_jobs, self._values = n_components, n_jobs, settings
        self._open()

    def _open(self):
        own = {name: value for name, value in self._values.items() if name in TABLE.settings}
        values = {name: value for name, value in self._values.items() if name not in own}
        self._run = open_run(self.n_jobs, 0, values.get("loss"))
        if self.n_components is None:
            raise ValueError("n_components must be a whole number from 1 on, or 'auto'; got None")
        self._anchors = fill_settings(values, self._run, rank_of(self.n_components, ()))
        self._settings = TABLE.fill(own)
        self._stream = self._answer = None

    def _start(self, make, *arguments):
        handle = ctypes.c_void_p()
        self._run.call(make, ctypes.byref(handle), *arguments)
        _when_gone(self, _destroy, self._run._holder, handle)
        self._stream = handle

    def push(self, X: Any) -> None:
        """Processes the next samples, shape (n_samples, n_features). float64, float32, uint8, uint16 and CSR are used in place."""
        self._push(checked(X))

    def _push(self, X) -> None:
        view = View(X)
        with self._run:
            if self._stream is None:
                self._start(library.ch_stream_create, X.shape[1], self._anchors, self._settings)
            elif X.shape[1] != self.info["n_features"]:
                raise ValueError(f"X has {X.shape[1]} features, but the stream has {self.info['n_features']}; "
                                 "both must have the same features")
            self._answer = None
            self._run.call_bare(library.ch_stream_push, self._stream, view.matrix)

    @property
    def info(self) -> Dict[str, Any]:
        """Counts of the stream so far: ``seen`` samples, ``zeros`` among them, ``kept`` samples, ``most`` ever kept, number
        of times the store was ``reduced``, samples that were ``thinned``, the ``tolerance`` in use and the ``bound``."""
        struct = ch_stream_info()
        if self._stream is not None:
            library.ch_stream_get_info(self._stream, struct)
        made = {name: getattr(struct, name) for name, _ in struct._fields_ if name != "size"}
        return {"n_features": made.pop("rows"), **made}

    def anchors(self) -> StreamResult:
        """Returns the anchors of all samples pushed so far. The stream does not change and can be continued."""
        if self._stream is None:
            raise ValueError("the stream has not received any sample yet")
        bound = ctypes.c_double()
        with self._run as run:
            result = run.own(ch_anchors_result, library.ch_anchors_result_free)
            status = run.call_bare(library.ch_stream_anchors, self._stream, result.struct, ctypes.byref(bound))
        r = result.struct
        reason = rank_reason(r, self._values.get("method")) if self.n_components == "auto" else ""
        if reason:
            _errors.name_rank(r.rank, reason)
        if status == CH_STOP_INACCURATE:
            thinned = self.info["thinned"]
            _errors.warn(status, f"the store was too small, so {thinned} samples that should have been kept were dropped; raise "
                                 "store or tolerance" if thinned else "")
        elif status not in (CH_OK, CH_STOP_COMPLETE):
            _errors.warn(status)
        return StreamResult(result.take("anchors", r.rank), result.take("W", (r.rank, r.rows)), bound.value,
                            _errors.word(status), r.floor, self.info)

    def _answer_now(self) -> StreamResult:
        """Returns the result of ``anchors``, computed once for the samples pushed so far."""
        if self._answer is None:
            self._answer = self.anchors()
        return self._answer

    def kept(self) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the numbers and values of the samples in the store."""
        if self._stream is None:
            return np.empty(0, dtype=np.int64), np.empty((0, 0))
        matrix, numbers = self._kept()
        if matrix.cols == 0:
            return np.empty(0, dtype=np.int64), np.empty((0, matrix.rows))
        values = ctypes.cast(matrix.values, ctypes.POINTER(ctypes.c_double))
        return copied(numbers, matrix.cols), copied(values, (matrix.cols, matrix.rows))

    def _kept(self):
        matrix, numbers = ch_matrix(), ctypes.POINTER(ctypes.c_int64)()
        library.ch_stream_kept(self._stream, matrix, ctypes.byref(numbers))
        return matrix, numbers

    def _kept_numbers(self) -> np.ndarray:
        matrix, numbers = self._kept()
        return copied(numbers, matrix.cols) if matrix.cols else np.empty(0, dtype=np.int64)

    def __repr__(self):
        info = self.info
        return (f"Stream(n_components={self.n_components!r}): {info['seen']} samples of {info['n_features']} features seen, "
                f"{info['kept']} kept")

    def __getstate__(self):
        state = {"n_components": self.n_components, "n_jobs": self.n_jobs, "_values": self._values, "records": None}
        if self._stream is not None:
            kept = _Bytes()
            with self._run as run:
                run.call_bare(library.ch_stream_save, self._stream, kept.table)
            state["records"] = kept.records
        return state

    def __setstate__(self, state):
        records = state.pop("records")
        vars(self).update(state)
        self._open()
        if records is not None:
            with self._run:
                self._start(library.ch_stream_restore, self._anchors, _Bytes(records).table)


Stream.__doc__ = fill_docstring(Stream.__doc__, chosen(BOTH, _LEAVE_OUT))


@with_parameters(BOTH, first={"n_components": "auto"}, last={"n_jobs": None, "verbose": 0}, leave_out=_LEAVE_OUT)
class MiniBatchSeparableNMF(_AnchorEstimator):
    """Near-separable non-negative matrix factorisation of samples that arrive in chunks: :class:`SeparableNMF`
    with ``partial_fit``, in bounded memory.

    On exactly separable data the set of anchors is that of :class:`SeparableNMF`, for any chunks in any order; with
    noise it depends on the order of the samples. The parameters of the selection are read at the first ``partial_fit``.

    Parameters
    ----------
    n_components : int or "auto", default "auto"
        Number of anchors. "auto" stops when more anchors no longer help much; this is a rule of thumb, and a
        :class:`conehull.RankWarning` gives the number and the reason.
    {settings}
    n_jobs : int or None, default None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool, default 0
        Show a progress bar in ``transform``, or lines on stderr if tqdm is not installed.

    Attributes
    ----------
    anchors_ : ndarray of int64, shape (n_anchors,)
        Numbers of the anchors, counted from the first sample of the first ``partial_fit``.
    components_ : ndarray, shape (n_anchors, n_features)
        The anchors.
    bound_ : float
        Every sample x that was passed has weights h >= 0 with ``abs(x - h @ components_).sum() <= bound_ * x.sum()``.
    n_samples_seen_ : int
    status_ : str
        "done", "complete" (fewer anchors explain everything) or "inaccurate" (the store was too small).
    floor_ : float
        The number that divergences add to W H.
    stream_ : conehull.Stream
    n_features_in_ : int
    feature_names_in_ : ndarray
        Names of the features, if X is a pandas frame.
    anchors_names_ : ndarray
        The labels of the anchors. Absent unless all chunks are frames.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import MiniBatchSeparableNMF
    >>> rng = np.random.RandomState(0)
    >>> topics = rng.rand(3, 8)
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 20) @ topics, topics])
    >>> model = MiniBatchSeparableNMF(3)
    >>> for start in range(0, len(X), 5):
    ...     model = model.partial_fit(X[start:start + 5])
    >>> sorted(model.anchors_.tolist())
    [20, 21, 22]
    >>> bool(np.allclose(model.inverse_transform(model.transform(X)), X))
    True
    """

    bound_: float
    n_samples_seen_: int
    stream_: Stream
    _ANSWER = ("anchors_", "components_", "bound_", "status_", "floor_")

    def _push(self, X, reset):
        refuse_mixed_units(self)
        whole, labels = X, sample_names(X)
        X = validate(self, X, reset=reset)
        stream = Stream(self.n_components, n_jobs=self.n_jobs, **self._values()) if reset else self.stream_
        with explain_missing(False), named_places(whole, stream.info["seen"]):
            stream._push(X)
        self._labels = self._labels_of(stream, {} if reset else self._labels, labels)
        self._labels_in = Labels.of(whole)
        self._single = X.dtype == np.float32 and (reset or self._single)  # true if all chunks are float32
        self.stream_, self.n_samples_seen_ = stream, stream.info["seen"]
        if self.n_samples_seen_ == stream.info["zeros"]:
            stream.anchors()  # raises: there is no anchor yet
        return self

    @staticmethod
    def _labels_of(stream, known, new):
        """Returns the labels, by number, of the samples in the store and of some that were dropped; None once a chunk has no
        labels."""
        if known is None or new is None:
            return None
        seen = stream.info["seen"]
        known.update(zip(range(seen - len(new), seen), new))
        if len(known) > 2 * stream.info["kept"] + 1024:
            known = {number: known[number] for number in stream._kept_numbers().tolist()}
        return known

    def __getattr__(self, name):
        """Computes the anchors when they are first needed, so that ``partial_fit`` itself only stores the samples."""
        if name == "anchors_names_" and vars(self).get("_labels"):
            return np.asarray([self._labels[number] for number in self.anchors_.tolist()], dtype=object)
        if name not in self._ANSWER or "stream_" not in vars(self):
            return super().__getattr__(name)
        value = getattr(self.stream_._answer_now(), name[:-1])
        return value.astype(np.float32) if name == "components_" and self._single else value

    def fit(self, X: Any, y: Any = None) -> "typing_extensions.Self":
        """Starts again with X as the first chunk; earlier samples are dropped."""
        return self._push(X, reset=True)

    def partial_fit(self, X: Any, y: Any = None) -> "typing_extensions.Self":
        """Processes the next samples, shape (n_samples, n_features)."""
        return self._push(X, reset=not hasattr(self, "stream_"))

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """``fit(X).transform(X)``."""
        return self.fit(X).transform(X)

    def verify(self, X: Any) -> None:
        """Raises ValueError: a stream stores no duals of dropped samples. Its proof is ``bound_``."""
        raise ValueError("a stream cannot be verified, because it stores no duals; its proof is bound_")
