"""Separates background from moving objects frame by frame: ``LiveSeparator.process(frame)``.

It calls ``ch_live`` of the C library (docs/live.md). After a warm-up each frame is processed at once, in constant
memory. The background follows slow changes, includes objects that have stopped, and is learned again when a light is
switched.
"""
import ctypes
import operator
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Optional

import numpy as np

from . import _errors
from ._library import library
from ._run import Run, _Context, _place, _when_gone, copied, pointer_to
from ._settings import tables
from ._signature import fill_docstring, with_settings
from ._structs import (CH_LIVE_DAMAGED, CH_LIVE_MASK_ALONE, CH_LIVE_PACKED, CH_LIVE_SCORES, CH_LIVE_WARM_UP, ch_frame_shape,
                       ch_live_info, ch_live_result)
from .video import _map_of, mask_warnings

__all__ = ["LiveFrame", "LiveSeparator"]

TABLE, MASK = tables["live"], tables["mask"]


@dataclass(frozen=True)
class LiveFrame:
    """Result for one frame. Arrays are None during the warm-up.

    Attributes
    ----------
    frame : int
        Number of the frame, from 0.
    state : str
        "warm-up", "steady", "adapting" (the light has changed) or "frozen".
    mask : ndarray of uint8, shape (height, width)
        255 where something moves, else 0.
    background : ndarray of float32, shape (height, width) or (height, width, 3); None if not requested
    score : ndarray of float32, shape (height, width); None if not requested
        The score to which the threshold of the mask is applied.
    weights : ndarray, shape (rank,)
        Weights of the background pictures in this frame.
    gap : float
        Proven relative gap of the weights.
    off : float
        Share of the sampled pixels that differ from the background.
    learned_anew : bool
        True if a new background is in use from this frame on.
    """

    frame: int
    state: str
    mask: Optional[np.ndarray] = field(repr=False)
    background: Optional[np.ndarray] = field(repr=False)
    score: Optional[np.ndarray] = field(repr=False)
    weights: Optional[np.ndarray] = field(repr=False)
    gap: float
    off: float
    learned_anew: bool


class _Borrowed:
    """Memory of the separator; an array made from it keeps the separator alive."""

    def __init__(self, owner, pointer, shape):
        self._owner = owner
        self.__array_interface__ = _place(ctypes.addressof(pointer.contents), pointer._type_, shape)


def _destroy(_: _Context, handle) -> None:
    library.ch_live_destroy(handle)


def _rectangle(roi):
    try:
        x, y, width, height = map(operator.index, roi)
    except (TypeError, ValueError):
        raise ValueError(f"roi must be four whole numbers, x, y, width and height; got {roi!r}") from None
    if x < 0 or y < 0 or width < 1 or height < 1:
        raise ValueError(f"roi must be x, y, width and height, with x and y at least 0 and a size of at least 1; got {roi!r}")
    return x, y, width, height


def _part_of(frame, roi):
    x, y, width, height = roi
    if frame.ndim < 2 or x + width > frame.shape[1] or y + height > frame.shape[0]:
        raise ValueError(f"roi {x},{y},{width},{height} is not inside a frame of shape {frame.shape}")
    return frame[y:y + height, x:x + width]


def _pixels_of(frame, roi):
    """Returns a frame in the layout of the library, without a copy if possible."""
    frame = np.asarray(frame)
    if frame.dtype != np.uint8:
        raise ValueError(f"a frame must be of uint8; got {frame.dtype}")
    if roi is not None:
        frame = _part_of(frame, roi)
    if frame.size and (frame.ndim == 2 or frame.ndim == 3 and frame.shape[2] == 3):
        return np.ascontiguousarray(frame)
    raise ValueError(f"a frame must be height x width, or height x width x 3; got {frame.shape}")


class LiveSeparator:
    """Separates background from moving objects in a stream of frames, frame by frame.

    The first frame determines the size. No call waits for learning: when the warm-up ends, a median serves as
    background (state "adapting") until the learned background is ready. With ``late=False`` calls wait for learning. The
    results then depend only on the settings and the frames, and equal those of the C library to the bit.

    Parameters
    ----------
    mask : dict or None
        Settings of the masks, as in :meth:`conehull.video.Separation.masks`.
    watch : array of bool, shape (height, width), or None
        Pixels that are used. Nothing is learned from the other pixels, and they are never marked.
    roi : (x, y, width, height) or None
        The part of the frames that is used, in pixels. Results and ``watch`` have its size.
    n_jobs : int or None
        Number of threads; None uses all cores.
    {settings}

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import LiveSeparator
    >>> rng = np.random.RandomState(0)
    >>> room = rng.randint(50, 200, (48, 64))
    >>> live = LiveSeparator(warm_up=40, rank=1, late=False)
    >>> for i in range(60):
    ...     frame = np.clip(room + rng.randint(-2, 3, room.shape), 0, 255).astype(np.uint8)
    ...     x = (i * 3) % 48
    ...     frame[16:32, x:x + 16] = 255
    ...     now = live.process(frame)
    >>> now.state
    'steady'
    >>> bool(now.mask[20:28, x + 4:x + 12].all()), bool(now.mask[:8].any())
    (True, False)
    """

    @with_settings(TABLE, defaults={"late": True})
    def __init__(self, *, mask: Optional[Dict[str, Any]] = None, watch: Any = None, roi: Any = None, n_jobs=None, **settings):
        """
        {settings}
        """
        if settings.get("rank") == "auto":
            settings["rank"] = 0
        self._settings = TABLE.fill(settings)
        self._mask = MASK.fill(mask or {})
        TABLE.tail(self._settings).mask = ctypes.addressof(self._mask)
        self._run, self._watch = Run(n_jobs, words=_errors.VIDEO), watch
        self._roi = None if roi is None else _rectangle(roi)
        self._live, self._size, self._count = None, None, 0

    def __repr__(self):
        info = self.info
        size = f"frames of {self._size[0]} x {self._size[1]}" if self._size else "no frame yet"
        return f"LiveSeparator({size}): {info['frames']} frames, {info['state']}, rank {info['rank']}"

    def __reduce__(self):
        raise TypeError("a LiveSeparator holds memory and a thread of the library and cannot be pickled or copied")

    def _open(self, planes, size):
        if self._watch is not None:
            self._watch = _map_of(self._watch, size, "watch")
            TABLE.tail(self._settings).watch = pointer_to(self._watch)
        handle = ctypes.c_void_p()
        self._run.call(library.ch_live_create, ctypes.byref(handle), ch_frame_shape(size[1], size[0], planes),
                       self._settings)
        _when_gone(self, _destroy, self._run._holder, handle)
        self._live, self._size, self._count = handle, size, planes

    def _array(self, pointer, copy):
        if not pointer:
            return None
        return copied(pointer, self._size) if copy else np.asarray(_Borrowed(self, pointer, self._size))

    def _frame(self, r: ch_live_result, background: bool, copy: bool) -> LiveFrame:
        parts = [self._array(r.background[p], copy and self._count == 1) for p in range(self._count)] \
            if background and r.mask else [None]
        return LiveFrame(
            r.frame, library.ch_live_state_name(r.state).decode(), self._array(r.mask, copy),
            parts[0] if len(parts) == 1 else np.stack(parts, axis=-1), self._array(r.score, copy),
            np.array(r.weights[:r.rank]) if r.mask else None, r.gap, r.off, bool(r.learned_anew))

    def process(self, frame: Any, *, background: bool = True, scores: bool = False, damaged: bool = False,
                copy: bool = True) -> LiveFrame:
        """Processes the next frame.

        Parameters
        ----------
        frame : array of uint8, shape (height, width) or (height, width, 3)
            Gray, or R, G and B; the order B, G, R of OpenCV works as well. Frames in C order are used in place.
        background, scores : bool
            Whether to return the background and the scores.
        damaged : bool
            True for a damaged or substituted frame: after the warm-up nothing is learned from it.
        copy : bool
            If False, arrays are the library's own memory, which is valid until the next call.

        Returns
        -------
        LiveFrame
        """
        pixels = _pixels_of(frame, self._roi)
        size, planes = pixels.shape[:2], 3 if pixels.ndim == 3 else 1
        result = ch_live_result()
        with self._run as run:
            if self._live is None:
                self._open(planes, size)
            if size != self._size or planes != self._count:
                raise ValueError(f"all frames must be {self._size[0]} x {self._size[1]} with {self._count} plane(s), as the first; got "
                                 f"{size[0]} x {size[1]} with {planes}")
            pointers = (ctypes.POINTER(ctypes.c_uint8) * 1)(pointer_to(pixels))
            flags = (CH_LIVE_SCORES * bool(scores) | CH_LIVE_DAMAGED * bool(damaged) | CH_LIVE_PACKED * (planes == 3) |
                     CH_LIVE_MASK_ALONE * (not background))
            run.call_bare(library.ch_live_process, self._live, result, pointers, flags)
            return self._frame(result, background, copy)

    def apply(self, frame: Any) -> np.ndarray:
        """Processes the next frame and returns only its mask, like OpenCV's background subtractors: uint8, shape
        (height, width), 255 where something moves; zeros during the warm-up."""
        mask = self.process(frame, background=False).mask
        return np.zeros(self._size, dtype=np.uint8) if mask is None else mask

    def replay(self, *, background: bool = True, scores: bool = False) -> Iterator[LiveFrame]:
        """Yields the frames of the warm-up again, with the background that was learned from them. Call it after the frame
        that ended the warm-up (the first one with ``learned_anew``) and before the next frame."""
        if self._live is None:
            raise ValueError("no frame has been processed yet")
        for i in range(self.info["frames"]):
            result = ch_live_result()
            with self._run as run:
                flags = CH_LIVE_SCORES * bool(scores) | CH_LIVE_MASK_ALONE * (not background)
                run.call_bare(library.ch_live_replay, self._live, result, None, i, flags)
                made = self._frame(result, background, True)
            yield made

    def freeze(self, frozen: bool = True) -> None:
        """Stops learning, or resumes it. While learning is stopped, no bit of the background pictures changes."""
        if self._live is None:
            raise ValueError("the background cannot be frozen before the first frame")
        with self._run as run:
            run.call_bare(library.ch_live_freeze, self._live, int(bool(frozen)))

    @property
    def info(self) -> Dict[str, Any]:
        """State of the separator as a dict: number of frames, state, rank and its reason, noise and threshold, frames learned
        from (``lessons``), absorbed pixels, switches of light and adaptations, ``worst_gap``, ``unproven``, ``skipped`` (always 0),
        implausible frames, and ``warnings`` (sentences; usually none)."""
        struct = ch_live_info(state=CH_LIVE_WARM_UP, switch_frame=-1, adapted_frame=-1)
        if self._live is not None:
            library.ch_live_get_info(self._live, struct)
        made = {name: getattr(struct, name) for name, _ in struct._fields_ if name not in ("size", "anchors")}
        made["state"] = library.ch_live_state_name(struct.state).decode()
        made["threshold_reason"] = made.pop("mask_reason")
        for name in ("rank_reason", "ghosts_reason", "threshold_reason"):
            made[name] = made[name].decode()
        made["warnings"] = mask_warnings(struct.warnings)
        width = self._size[1] if self._size else 1
        made["anchors"] = [divmod(a, width) for a in struct.anchors[:struct.rank] if a >= 0]
        return made

    @property
    def pictures(self) -> Optional[np.ndarray]:
        """The background pictures, shape (rank, height, width) or (rank, height, width, 3); None during the warm-up."""
        rank, planes = ctypes.c_int64(), []
        for p in range(self._count):
            pointer = library.ch_live_model(self._live, p, ctypes.byref(rank))
            if not pointer:
                return None
            planes.append(copied(pointer, (rank.value, *self._size)))
        return None if not planes else planes[0] if len(planes) == 1 else np.stack(planes, axis=-1)


LiveSeparator.__doc__ = fill_docstring(LiveSeparator.__doc__, list(TABLE.settings.values()))
