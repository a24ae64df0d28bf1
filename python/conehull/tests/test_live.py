"""Frames one by one: what the library itself says to the bit, on any threads; sizes, freezing, replay, memory."""
import copy
import ctypes
import pickle

import numpy as np
import pytest

import conehull
from conehull._library import library
from conehull._structs import ch_frame_shape, ch_live_result
from conehull.live import TABLE

HEIGHT, WIDTH, WARM = 36, 48, 30


def film(count=60, colours=False, seed=0):
    """A room with some noise, and a bright block that walks through it."""
    rng = np.random.RandomState(seed)
    shape = (HEIGHT, WIDTH, 3) if colours else (HEIGHT, WIDTH)
    room = rng.randint(50, 180, shape)
    frames = np.clip(room + rng.randint(-2, 3, (count, *shape)), 0, 255).astype(np.uint8)
    for i, frame in enumerate(frames):
        frame[10:22, 3 * i % 36:3 * i % 36 + 12] = 250
    return frames


def raw(frames, rank, threads):
    """The same by bare calls of the library."""
    context, live = ctypes.c_void_p(), ctypes.c_void_p()
    library.ch_context_create(ctypes.byref(context), None)
    library.ch_context_set_threads(context, threads)
    settings = TABLE.fill({"warm_up": WARM, "rank": rank})
    planes = 3 if frames.ndim == 4 else 1
    assert library.ch_live_create(context, ctypes.byref(live), ch_frame_shape(WIDTH, HEIGHT, planes), settings) == 0
    made = []
    for frame in frames:
        parts = [np.ascontiguousarray(p) for p in (np.moveaxis(frame, -1, 0) if planes == 3 else [frame])]
        result = ch_live_result()
        pointers = (ctypes.POINTER(ctypes.c_uint8) * planes)(
            *[p.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8)) for p in parts])
        assert library.ch_live_process(live, result, pointers, 1) == 0
        made.append(None if not result.mask else (
            np.ctypeslib.as_array(result.mask, (HEIGHT, WIDTH)).copy(),
            np.stack([np.ctypeslib.as_array(result.background[p], (HEIGHT, WIDTH)) for p in range(planes)], -1),
            np.ctypeslib.as_array(result.score, (HEIGHT, WIDTH)).copy(), result.weights[:result.rank]))
    library.ch_live_destroy(live)
    library.ch_context_destroy(context)
    return made


@pytest.mark.parametrize("colours", [False, True])
def test_same_bits_as_the_library(colours):
    frames = film(colours=colours)
    bare = raw(frames, 1, 1)
    for n_jobs, in_place in ((1, True), (3, False)):
        live = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False, n_jobs=n_jobs)
        for frame, expected in zip(frames, bare):
            now = live.process(frame, scores=True, copy=not in_place)
            if expected is None:
                assert now.mask is None and now.background is None and now.state == "warm-up"
                continue
            mask, background, score, weights = expected
            np.testing.assert_array_equal(now.mask, mask)
            np.testing.assert_array_equal(now.background, background if colours else background[..., 0])
            np.testing.assert_array_equal(now.score, score)
            np.testing.assert_array_equal(now.weights, weights)
    assert sum(e is None for e in bare) in (WARM - 1, WARM)


def test_what_moves_is_found_and_can_be_seen_again():
    frames = film()
    live = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False)
    assert live.info["frames"] == 0 and live.pictures is None
    for i, frame in enumerate(frames[:WARM]):
        now = live.process(frame)
    assert now.learned_anew and now.frame == WARM - 1
    again = list(live.replay())
    assert [f.frame for f in again] == list(range(WARM))
    truth = np.zeros((HEIGHT, WIDTH), bool)
    truth[13:19, 19:24] = True
    assert again[5].mask[truth].all() and not again[5].mask[:, 36:].any()
    now = live.process(frames[WARM + 10])
    assert now.background.dtype == np.float32 and now.gap < 1e-6 and len(now.weights) == 1
    kept = now.mask.copy()
    live.process(frames[WARM + 11])
    np.testing.assert_array_equal(now.mask, kept)  # a copy of its own
    assert live.process(frames[WARM + 12], background=False).background is None
    info = live.info
    assert info["frames"] == WARM + 3 and info["rank"] == 1 and info["threshold"] > info["noise"] > 0
    assert live.pictures.shape == (1, HEIGHT, WIDTH)


def test_frozen_means_frozen():
    frames = film(90)
    live = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False, every=1, follow=1)
    for frame in frames[:WARM + 5]:
        live.process(frame)
    live.freeze()
    before = live.pictures
    for frame in frames[WARM + 5:]:
        assert live.process(np.minimum(frame, 240) + np.uint8(10)).state == "frozen"
    np.testing.assert_array_equal(live.pictures, before)
    live.freeze(False)
    assert live.process(frames[0]).state != "frozen"


def test_watch_and_masks():
    frames = film()
    left = np.zeros((HEIGHT, WIDTH), bool)
    left[:, :24] = True
    live = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False, watch=left, mask={"median": 0, "score": "decision"})
    for frame in frames:
        now = live.process(frame)
        assert now.mask is None or not now.mask[:, 24:].any()


def test_what_goes_wrong_is_told():
    live = conehull.LiveSeparator(warm_up=WARM)
    with pytest.raises(ValueError, match="uint8"):
        live.process(np.zeros((8, 8)))
    with pytest.raises(ValueError, match="height x width"):
        live.process(np.zeros((2, 2, 2, 2), np.uint8))
    with pytest.raises(ValueError, match="before the first frame"):
        live.freeze()
    live.process(film(1)[0])
    with pytest.raises(ValueError, match="all frames must be 36 x 48 with 1"):
        live.process(np.zeros((8, 8), np.uint8))
    with pytest.raises(ValueError, match="warm_up"):
        conehull.LiveSeparator(warm_up=1)
    with pytest.raises(ValueError, match="median"):
        conehull.LiveSeparator(mask={"median": -1})
    with pytest.raises(ValueError, match="watch must be 36 x 48"):
        conehull.LiveSeparator(watch=np.ones((2, 2))).process(film(1)[0])
    for way in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="cannot be pickled"):
            way(live)


def test_roi_is_the_part_cut_out():
    frames = film(40)
    part = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False, roi=(4, 6, 30, 20))
    cut = conehull.LiveSeparator(warm_up=WARM, rank=1, late=False)
    for frame in frames:
        one, other = part.process(frame), cut.process(frame[6:26, 4:34])
    assert one.mask.shape == (20, 30) and one.mask.any()
    assert np.array_equal(one.mask, other.mask) and np.array_equal(one.background, other.background)
    for wrong in ((0, 0, 0, 5), (1, 2, 3), (0.5, 0, 3, 3), "part"):
        with pytest.raises(ValueError, match="roi must be"):
            conehull.LiveSeparator(roi=wrong)
    with pytest.raises(ValueError, match="not inside a frame"):
        conehull.LiveSeparator(roi=(40, 0, 9, 9)).process(frames[0])


def test_apply_gives_a_mask_for_every_frame_and_nobody_waits():
    frames = film(WARM + 5)
    live = conehull.LiveSeparator(warm_up=WARM, rank=1)
    masks = [live.apply(frame) for frame in frames]
    assert all(mask.shape == frames[0].shape and mask.dtype == np.uint8 for mask in masks)
    assert not any(mask.any() for mask in masks[:WARM - 1]) and masks[-1].any()
    assert live.info["state"] in ("adapting", "steady") and live.info["warnings"] == ()
    for i in range(20000):
        if live.info["state"] == "steady":
            break
        live.apply(frames[WARM + i % 5])
    assert live.info["state"] == "steady" and "median" not in live.info["rank_reason"]
