"""Separates background from moving objects in arrays of frames.

    >>> import numpy as np
    >>> from conehull import video
    >>> rng = np.random.RandomState(0)
    >>> frames = np.tile(rng.randint(50, 200, (24, 32)), (40, 1, 1)).astype(np.uint8)
    >>> for i in range(40):
    ...     frames[i, 8:16, (i * 3) % 24:(i * 3) % 24 + 8] = 255
    >>> parts = video.separate(frames, rank=1)
    >>> masks = parts.masks()
    >>> bool(masks.masks[5, 10:14, 17:21].all())
    True

A frame is height x width, or height x width x 3 in colour (R, G, B). As in the command, the background is learned from
the luma, 0.299 R + 0.587 G + 0.114 B rounded, and then applied to the three colours.
"""
import ctypes
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import _errors
from ._frames import as_frames, read_frames
from ._library import library
from ._matrix import DTYPES, View
from ._run import Run, copied, pointer_to, whole_numbers
from ._settings import tables
from ._shown import Shown, shape_of
from ._signature import with_settings
from ._structs import ch_activity, ch_event, ch_frame_shape, ch_mask_info, ch_mask_plane, ch_separation

__all__ = ["Event", "Masks", "Separation", "find_events", "read_frames", "separate"]

BLOCK = 64  # frames at a time: cheaper than one by one, and little memory
TABLE = tables["separate"]


@dataclass(frozen=True, repr=False)
class Masks(Shown):
    """Masks of moving objects: ``masks[i]`` is true where frame i differs from the background.

    ``scores`` holds the scores to which the threshold is applied (None if not requested). ``noise`` and ``threshold`` are
    in gray levels. ``reason`` explains the threshold. ``warnings`` lists problems of the clip or its background.
    """

    masks: np.ndarray = field(repr=False)
    scores: Optional[np.ndarray] = field(repr=False)
    noise: float
    threshold: float
    reason: str
    warnings: Tuple[str, ...] = ()

    def _facts(self) -> list:
        facts = [("masks", f"{shape_of(self.masks)}, {self.masks.mean():.2%} moves"),
                 ("threshold", f"{self.threshold:.4g} gray levels: {self.reason}"),
                 ("noise", f"{self.noise:.4g} gray levels")]
        return facts + [("warning", text) for text in self.warnings]

    def _picture(self):
        """How often each pixel moves."""
        share = self.masks.mean(axis=0)
        step = max(1, share.shape[1] // 800)
        return share[::step, ::step] / max(share.max(), 1e-300), "how often something moves, black is most often"


def mask_warnings(bits):
    """Returns the warnings of a bit mask as sentences."""
    return tuple(library.ch_mask_warning(1 << k).decode() for k in range(bits.bit_length()) if bits >> k & 1)


def _planes(frames):
    """Returns matrices of frames x pixels (luma, then R, G and B of a colour video) and the size of a frame."""
    frames = as_frames(frames)
    if frames.size == 0:
        raise ValueError(f"frames must contain at least one frame and one pixel; got the shape {frames.shape}")
    if frames.dtype.type not in DTYPES:
        raise ValueError(f"frames must be uint8, uint16, float32 or float64; got {frames.dtype}")
    if frames.ndim == 3:
        return [frames.reshape(len(frames), -1)], frames.shape[1:]
    if frames.ndim != 4 or frames.shape[3] != 3:
        raise ValueError(f"frames must be count x height x width, or count x height x width x 3; got {frames.shape}")
    luma = np.empty(frames.shape[:3], dtype=frames.dtype)
    for to, frame in zip(luma, frames):
        to[...] = _luma(frame)
    channels = [np.ascontiguousarray(frames[..., c]) for c in range(3)]
    return [plane.reshape(len(frames), -1) for plane in (luma, *channels)], frames.shape[1:3]


def _luma(frame):
    if frame.dtype.kind == "f":
        return frame @ np.array([0.299, 0.587, 0.114], dtype=frame.dtype)
    weighted = frame @ np.array([299, 587, 114], dtype=np.int64)
    return (weighted + 500) // 1000


class Separation(Shown):
    """Result of :func:`separate`. Frames of the background are computed on demand.

    Attributes
    ----------
    weights : ndarray, shape (n_frames, rank)
        Brightness of each background picture in each frame.
    pictures : ndarray, shape (rank, height, width) or (rank, height, width, 3)
        The background pictures; empty for the median over a window.
    anchors : ndarray, shape (rank, 2), or None
        Anchor pixels (y, x); only for the xray methods.
    max_residual, objective : ndarray or None
        Largest residual after each anchor; objective after each refit.
    rank, reason, status
        The rank, the reason for it, and how the run ended.
    """

    weights: Optional[np.ndarray]
    anchors: Optional[np.ndarray]
    max_residual: Optional[np.ndarray]
    objective: Optional[np.ndarray]
    rank: int
    reason: str
    status: str
    gap: float
    unproven: int

    def __init__(self, run: Run, parts: list, planes: list, size: tuple, settings):
        self._run, self._owned, self._planes, self._size, self._settings = run, parts, planes, size, settings
        self._parts = [part.struct for part in parts]
        self._views = [View(plane, samples_are_columns=False) for plane in planes]
        luma = self._parts[0]
        self.rank = luma.rank
        self.status = _errors.word(luma.status)
        self.reason = luma.reason.decode()
        self.weights = copied(luma.W, (luma.rank, luma.frames)).T if luma.W else None
        self.anchors = np.stack(np.divmod(copied(luma.anchors, luma.rank), size[1]), axis=1) if luma.anchors else None
        self.max_residual = copied(luma.max_residual, luma.rank)
        self.objective = copied(luma.objective, luma.refits + 1) if luma.objective else None
        self.gap, self.unproven = luma.gap, luma.unproven

    def __reduce__(self):
        raise TypeError("a Separation holds memory of the library and cannot be pickled or copied; keep its weights, "
                        "pictures or background() instead")

    def __len__(self) -> int:
        return self._parts[0].frames

    def __repr__(self):
        height, width = self._size
        return f"Separation({len(self)} frames of {height} x {width}, rank {self.rank}: {self.reason})"

    def _facts(self) -> list:
        height, width = self._size
        proof = "" if np.isnan(self.gap) else f", weights proven to a relative gap of {max(self.gap, 0):.1e}"
        return [("frames", f"{len(self)} of {height} x {width}"), ("rank", f"{self.rank}: {self.reason}"), ("status", self.status + proof)]

    def _picture(self):
        """Returns the background pictures side by side."""
        pictures = self.pictures
        if not len(pictures):
            return None
        gray = pictures if pictures.ndim == 3 else pictures.mean(axis=-1)
        step = max(1, gray.shape[2] * len(gray) // 1600)
        gray = gray[:, ::step, ::step]
        return 1 - np.hstack(list(gray / max(gray.max(), 1e-300))), f"{len(gray)} background picture(s)"

    @property
    def _shown(self):
        """Parts, matrices and views of the planes of a frame: luma alone, or the three colours."""
        kept = slice(1, None) if len(self._parts) > 1 else slice(None)
        return list(zip(self._parts[kept], self._planes[kept], self._views[kept]))

    @property
    def pictures(self) -> np.ndarray:
        stacked = [copied(p.H, (p.pixels, p.rank)).T.reshape(p.rank, *self._size) if p.H
                   else np.zeros((0, *self._size)) for p, _, _ in self._shown]
        return stacked[0] if len(stacked) == 1 else np.stack(stacked, axis=-1)

    def _range(self, start, stop):
        first, last, _ = slice(start, stop).indices(len(self))
        return first, max(last - first, 0)

    def _frames(self, make, start, stop):
        first, count = self._range(start, stop)
        made = []
        with self._run:
            for part, _, view in self._shown:
                out = np.empty((count, *self._size), dtype=np.float32)
                if count:
                    make(part, view, out, first, count)
                made.append(out)
        return made[0] if len(made) == 1 else np.stack(made, axis=-1)

    def background(self, start: Optional[int] = None, stop: Optional[int] = None) -> np.ndarray:
        """Returns frames ``start`` to ``stop`` of the background, float32."""
        def make(part, _, out, first, count):
            self._run.call(library.ch_separation_background, pointer_to(out), part, first, count)
        return self._frames(make, start, stop)

    def residual(self, start: Optional[int] = None, stop: Optional[int] = None) -> np.ndarray:
        """Returns frames ``start`` to ``stop`` minus their background, with sign, float32."""
        def make(part, view, out, first, count):
            self._run.call(library.ch_separation_residual, pointer_to(out), part, view.matrix, first, count)
        return self._frames(make, start, stop)

    @with_settings(tables["mask"])
    def masks(self, *, region: Any = None, scores: bool = False, **settings) -> Masks:
        """Computes masks of the moving objects.

        Parameters
        ----------
        region : array of bool, shape (height, width), or None
            Pixels that are used; None means all.
        scores : bool
            Whether to return the scores to which the threshold is applied.
        {settings}

        Returns
        -------
        Masks
        """
        shown = self._shown
        if shown[0][1].dtype != np.uint8:
            raise ValueError(f"masks need frames of uint8 (their unit is the gray level); got {shown[0][1].dtype}")
        masks = np.empty((len(self), *self._size), dtype=np.uint8)
        soft = np.empty(masks.shape, dtype=np.float32) if scores else None
        info = ch_mask_info()
        with self._masker(region, settings) as masker:
            for first, count, planes, _ in self._blocks():
                self._run.call_bare(library.ch_masker_learn, masker, planes, count)
            self._run.call_bare(library.ch_masker_settle, masker, info)
            for first, count, planes, _ in self._blocks():
                self._run.call_bare(library.ch_masker_apply, masker, pointer_to(masks[first:]),
                                    pointer_to(soft[first:]) if scores else None, planes, count)
        return Masks(masks > 0, soft, info.noise, info.threshold,
                     info.reason.decode(), mask_warnings(info.warnings))

    @contextmanager
    def _masker(self, region, settings):
        masker = ctypes.c_void_p()
        height, width = self._size
        with self._run as run:
            run.call(library.ch_masker_create, ctypes.byref(masker), ch_frame_shape(width, height, len(self._shown)),
                     tables["mask"].fill(settings))
            try:
                if region is not None:
                    watched = _map_of(region, self._size, "region")
                    run.call_bare(library.ch_masker_set_region, masker, pointer_to(watched))
                yield masker
            finally:
                library.ch_masker_destroy(masker)

    def _blocks(self):
        """Yields blocks of frames with their background, in the layout of the masker. The last item keeps the arrays
        alive."""
        for first in range(0, len(self), BLOCK):
            count = min(BLOCK, len(self) - first)
            planes = (ch_mask_plane * len(self._shown))()
            held = []
            for plane, (part, pixels, _) in zip(planes, self._shown):
                background = np.empty((count, pixels.shape[1]), dtype=np.float32)
                self._run.call(library.ch_separation_background, pointer_to(background), part, first, count)
                block = np.ascontiguousarray(pixels[first:first + count])
                plane.pixels, plane.stride, plane.background = pointer_to(block), block.shape[1], pointer_to(background)
                held += [background, block]
            yield first, count, planes, held

    def apply(self, frames: Any) -> "Separation":
        """Applies the background to other frames: only its brightness in each frame is fitted. Returns a Separation."""
        planes, size = _planes(frames)
        if size != self._size or len(planes) != len(self._planes):
            raise ValueError(f"frames must have the same size and number of colours as the separated ones, {self._size}; got {size}")
        if not self._parts[0].H:
            raise ValueError("apply() cannot be used with a median over a window, because every frame has its own background")
        parts = []
        with Run(self._run.n_jobs, words=_errors.VIDEO) as run:
            for plane, learned in zip(planes, self._parts):
                parts.append(run.own(ch_separation, library.ch_separation_free))
                view = View(plane, samples_are_columns=False)
                run.call(library.ch_separate_apply, parts[-1].struct, view.matrix, learned.H, learned.rank, self._settings)
        return Separation(run, parts, planes, size, self._settings)


def _map_of(values, size, name):
    values = np.ascontiguousarray(np.asarray(values) != 0, dtype=np.uint8)
    if values.shape != tuple(size):
        raise ValueError(f"{name} must be {size[0]} x {size[1]}, as the frames; got {values.shape}")
    return values


@with_settings(TABLE)
def separate(frames: Any, *, ignore: Any = None, busy: Sequence[int] = (), n_jobs=None, verbose=0,
             **settings) -> Separation:
    """Separates background from moving objects.

    Parameters
    ----------
    frames : array, shape (n_frames, height, width) or (n_frames, height, width, 3); path; or iterable of frames
        uint8, uint16, float32 or float64, non-negative. Gray frames in C order are used in place. A path names a
        video, which the program ffmpeg (or OpenCV) decodes, or a .npy array. Frames of a generator are collected first.
    ignore : array of bool, shape (height, width), or None
        Pixels from which nothing is learned, such as a clock, water or leaves.
    busy : sequence of int
        Numbers of frames that are known to show many objects; nothing is learned from them.
    n_jobs : int or None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool
        Show a progress bar, or lines on stderr if tqdm is not installed.
    {settings}

    Returns
    -------
    Separation
    """
    planes, size = _planes(frames)
    if settings.get("rank") == "auto":
        settings["rank"] = 0
    filled = TABLE.fill(settings)
    tail = TABLE.tail(filled)
    filled.held = []  # keeps alive the arrays that the tail points to
    if ignore is not None:
        filled.held.append(_map_of(ignore, size, "ignore"))
        tail.ignore = pointer_to(filled.held[-1])
    if len(busy):
        filled.held.append(whole_numbers("busy", busy))
        tail.busy, tail.busy_count = pointer_to(filled.held[-1]), len(busy)
    parts = []
    with Run(n_jobs, verbose, _errors.VIDEO) as run:
        for plane in planes:
            view = View(plane, samples_are_columns=False)
            parts.append(run.own(ch_separation, library.ch_separation_free))
            if len(parts) == 1:
                status = run.call(library.ch_separate, parts[0].struct, view.matrix, filled)
            else:
                status = run.call(library.ch_separate_plane, parts[-1].struct, view.matrix, parts[0].struct, filled)
            _errors.warn(status)
    return Separation(run, parts, planes, size, filled)


@dataclass(frozen=True)
class Event:
    """A stretch of time with movement. Times are in seconds.

    ``start`` and ``end`` include the margins; ``begin`` and ``stop`` are those of the movement itself, and ``moving`` is the
    time with movement between them. ``first`` and ``last`` are the first and last frame with movement, and ``frames`` is the
    number of such frames. ``peak`` is the frame with the most movement, ``peak_time`` its time and ``share`` the share of its
    pixels that move. ``objects`` is the largest number of objects in a frame."""

    start: float
    end: float
    begin: float
    stop: float
    moving: float
    first: int
    last: int
    frames: int
    peak: int
    peak_time: float
    share: float
    objects: int


def _event(found):
    return Event(found.start, found.end, getattr(found, "from"), found.to, found.moving, found.first, found.last, found.frames, found.peak,
                 found.peak_time, found.share, found.objects)


@with_settings(tables["event"])
def find_events(masks: Any, *, rate: float = 25.0, times: Any = None, **settings) -> List[Event]:
    """Finds stretches of time in which something moves, as ``conehull video --events`` does.

    Parameters
    ----------
    masks : array of bool, shape (n_frames, height, width)
        ``Separation.masks().masks``, or other masks.
    rate : float
        Frames per second.
    times : sequence of float, or None
        Times of the frames in seconds, increasing, instead of a rate. The last frame lasts as long as the frame before it.
    {settings}

    Returns
    -------
    list of Event
    """
    masks = np.ascontiguousarray(np.asarray(masks) != 0, dtype=np.uint8)
    if masks.ndim != 3 or masks.size == 0:
        raise ValueError(f"masks must be count x height x width, with at least one pixel; got the shape {masks.shape}")
    if not rate > 0:
        raise ValueError(f"rate must be above 0; got {rate}")
    at = np.arange(len(masks)) / rate if times is None else np.asarray(times, dtype=float)
    if at.shape != (len(masks),):
        raise ValueError(f"times must have one entry for each of the {len(masks)} masks; got the shape {at.shape}")
    space = at[-1] - at[-2] if len(at) > 1 else 1 / rate
    events, event, found, activity = [], ch_event(), ctypes.c_int(), ch_activity()
    finder, shape = ctypes.c_void_p(), ch_frame_shape(masks.shape[2], masks.shape[1], 1)
    with Run(1, words=_errors.VIDEO) as run:
        run.call(library.ch_event_finder_create, ctypes.byref(finder), tables["event"].fill(settings))
        try:
            for i, mask in enumerate(masks):
                run.call(library.ch_mask_activity, activity, None, 0, pointer_to(mask), None, shape)
                run.call_bare(library.ch_event_finder_add, finder, event, ctypes.byref(found), activity, i, at[i])
                events += [_event(event)] if found.value else []
            run.call_bare(library.ch_event_finder_finish, finder, event, ctypes.byref(found), at[-1] + space)
            events += [_event(event)] if found.value else []
        finally:
            library.ch_event_finder_destroy(finder)
    return events
