"""Videos: backgrounds and masks of films whose answer is known."""
import shutil
import subprocess
import sys

import numpy as np
import pytest

from conehull import video
from conehull._settings import tables

#: No smoothing of any kind: masks pixel by pixel.
RAW = {name: 0 for name in ("smooth", "median", "close") if name in tables["mask"].settings}


def film(count=60, height=24, width=32, seed=0, colour=False):
    """Frames, their background and where a bright block moves."""
    rng = np.random.RandomState(seed)
    shape = (height, width, 3) if colour else (height, width)
    background = rng.randint(40, 160, shape).astype(np.uint8)
    frames = np.repeat(background[None], count, axis=0)
    frames = np.clip(frames + rng.randint(-2, 3, frames.shape), 0, 255).astype(np.uint8)
    truth = np.zeros((count, height, width), dtype=bool)
    for i in range(count):
        x = (i * 3) % (width - 6)
        truth[i, 10:16, x:x + 6] = True
    frames[truth] = 230
    return frames, background, truth


@pytest.mark.parametrize("method", ["robust-xray", "xray-l2", "rpca", "robust-nmf", "robust-lowrank", "median"])
def test_methods(method):
    frames, background, truth = film()
    settings = {} if method in ("rpca", "median") else {"rank": 1}
    parts = video.separate(frames, method=method, **settings)
    made = parts.background()
    assert made.shape == frames.shape and made.dtype == np.float32
    assert np.median(np.abs(made - background)) < 3
    np.testing.assert_allclose(parts.residual(5, 9), frames[5:9] - parts.background(5, 9), atol=1e-3)
    masks = parts.masks(**RAW)
    assert (masks.masks == truth).mean() > 0.999
    assert "noise" in masks.reason
    assert (parts.masks().masks == truth).mean() > 0.95  # rounder


def test_attributes():
    frames, _, _ = film()
    parts = video.separate(frames, rank=2, refit=2)
    assert parts.weights.shape == (60, parts.rank) and parts.pictures.shape == (parts.rank, 24, 32)
    np.testing.assert_allclose(np.einsum("tk,kyx->tyx", parts.weights, parts.pictures), parts.background(), atol=1e-3)
    assert (parts.anchors < (24, 32)).all()
    assert len(parts.objective) == 3 and parts.objective[-1] <= parts.objective[0]
    total = np.abs(parts.residual()).sum(dtype=float)
    assert total == pytest.approx(parts.objective[-1], rel=1e-4)
    assert "60 frames of 24 x 32" in repr(parts)


def test_colours():
    frames, background, truth = film(colour=True)
    parts = video.separate(frames, rank=1)
    assert parts.background().shape == frames.shape and parts.pictures.shape == (1, 24, 32, 3)
    assert np.median(np.abs(parts.background() - background)) < 3
    masks = parts.masks(scores=True, **RAW)
    assert (masks.masks == truth).mean() > 0.999
    assert masks.scores.shape == truth.shape and masks.scores[truth].mean() > masks.scores[~truth].mean() + 20


def test_layouts_give_the_same_bits():
    frames, _, _ = film()
    first = video.separate(frames, rank=1)
    for other in (np.asfortranarray(frames), frames[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(video.separate(other, rank=1).background(), first.background())
    np.testing.assert_array_equal(video.separate(frames, rank=1, n_jobs=1).background(), first.background())
    for dtype in (np.uint16, np.float32, np.float64):
        np.testing.assert_allclose(video.separate(frames.astype(dtype), rank=1).background(), first.background(),
                                   atol=1e-3)


def test_regions_busy_frames_and_other_frames():
    frames, background, _ = film()
    frames[20:40, 2:6, 2:6] = 255
    ignored = np.zeros((24, 32), dtype=bool)
    ignored[2:6, 2:6] = True
    parts = video.separate(frames, rank=1, ignore=ignored, busy=range(20, 40))
    assert not parts.masks(region=~ignored).masks[:, 2:6, 2:6].any()
    new, _, _ = film(seed=0, count=7)
    applied = parts.apply(new)
    assert applied.background().shape == new.shape
    assert np.median(np.abs(applied.background() - background)) < 3


def test_rank_is_chosen():
    frames, _, _ = film()
    parts = video.separate(frames)
    assert parts.rank >= 1 and parts.reason
    assert video.separate(frames, rank="auto").rank == parts.rank


@pytest.mark.parametrize("frames, match", [
    (np.zeros((4, 5), dtype=np.uint8), "count x height x width"),
    (np.zeros((4, 5, 6, 2), dtype=np.uint8), "count x height x width"),
    (np.zeros((4, 5, 6), dtype=np.int64), "must be uint8"),
    (np.zeros((0, 5, 6), dtype=np.uint8), "at least one frame and one pixel"),
    ([], "no frames"),
    (np.full((4, 5, 6), np.nan), "frame 0, pixel 0 is NaN"),
])
def test_wrong_frames(frames, match):
    with pytest.raises(ValueError, match=match):
        video.separate(frames)


def test_wrong_maps():
    frames, _, _ = film(count=10)
    with pytest.raises(ValueError, match="busy must be a list of whole numbers"):
        video.separate(frames, busy=[0.5])
    with pytest.raises(ValueError, match="ignore must be 24 x 32"):
        video.separate(frames, ignore=np.zeros((3, 3)))
    parts = video.separate(frames.astype(float), rank=1)
    with pytest.raises(ValueError, match="uint8"):
        parts.masks()


def test_a_separation_is_not_pickled():
    import pickle
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(video.separate(film(count=10)[0], method="median"))


def test_events_are_where_masks_move():
    masks = np.zeros((100, 6, 8), dtype=bool)
    masks[20:30, 1:3, 2:4] = True
    masks[45:47, 1:3, 2:4] = True  # too short by itself, and 1.5 s later
    masks[80:, :, :4] = True
    events = video.find_events(masks, rate=10, length=0.5, gap=1, margin=0.5)
    assert [(e.first, e.last, e.frames) for e in events] == [(20, 29, 10), (80, 99, 20)]
    assert events[0].start == pytest.approx(1.5) and events[0].end == pytest.approx(3.5)
    assert events[0].begin == 2 and events[0].stop == pytest.approx(3) and events[0].share == pytest.approx(4 / 48)
    assert events[1].end == pytest.approx(10) and events[1].objects == 1 and events[1].peak == 80
    joined = video.find_events(masks, rate=10, gap=2)
    assert [(e.first, e.last) for e in joined] == [(20, 46), (80, 99)]
    again = video.find_events(masks, times=np.arange(100) / 10, length=0.5, gap=1, margin=0.5)
    assert [(e.first, e.last) for e in again] == [(20, 29), (80, 99)]
    with pytest.raises(ValueError):
        video.find_events(masks, times=[1, 2])
    with pytest.raises(ValueError):
        video.find_events(masks, times=np.zeros(100))
    with pytest.raises(ValueError):
        video.find_events(masks, gap=-1)


def test_frames_from_a_generator():
    frames, _, _ = film(count=20)
    expected = video.separate(frames, rank=1)
    for source in ((frame for frame in frames), list(frames), iter(frames)):
        np.testing.assert_array_equal(video.separate(source, rank=1).weights, expected.weights)
    with pytest.raises(ValueError, match=r"frame 1 is uint8 of shape \(2, 2\), but the frames before it are uint8 of shape \(24, 32\)"):
        video.separate(frame for frame in (frames[0], frames[1][:2, :2]))
    with pytest.raises(ValueError, match="no frames"):
        video.separate(iter([]))
    with pytest.raises(ValueError, match="got int"):
        video.separate(3)


def test_frames_from_a_file(tmp_path):
    frames, _, _ = film(count=20)
    np.save(tmp_path / "clip.npy", frames)
    expected = video.separate(frames, rank=1)
    np.testing.assert_array_equal(video.separate(tmp_path / "clip.npy", rank=1).weights, expected.weights)
    with pytest.raises(FileNotFoundError, match="the file does not exist"):
        video.separate(str(tmp_path / "none.mp4"))
    with pytest.raises(ValueError, match="is a folder"):
        video.separate(tmp_path)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="the program ffmpeg decodes video files")
def test_frames_from_a_video(tmp_path):
    """FFV1 loses nothing: the frames are those that went in, gray as gray, colours as R, G, B."""
    frames, _, _ = film(count=20)
    colours = np.stack([frames, 255 - frames, frames // 2], axis=-1)
    for name, pixels, kind in (("gray.mkv", frames, "gray"), ("colour.mkv", colours, "bgr0")):
        source = pixels if kind == "gray" else np.concatenate([pixels[..., ::-1], np.zeros_like(pixels[..., :1])], axis=-1)
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", kind, "-s", "32x24", "-i", "-", "-c:v", "ffv1",
                        str(tmp_path / name)], input=source.tobytes(), check=True)
        np.testing.assert_array_equal(np.stack(list(video.read_frames(tmp_path / name))), pixels)
        parts, expected = video.separate(str(tmp_path / name), rank=1), video.separate(pixels, rank=1)
        np.testing.assert_array_equal(parts.pictures, expected.pictures)
    first = next(video.read_frames(tmp_path / "gray.mkv"))  # the rest is never decoded
    np.testing.assert_array_equal(first, frames[0])
    (tmp_path / "text.mp4").write_text("no video")
    with pytest.raises(ValueError, match="text.mp4: ffmpeg cannot read this as a video"):
        video.separate(tmp_path / "text.mp4")


def test_no_decoder_is_named(tmp_path, monkeypatch):
    (tmp_path / "clip.mp4").write_bytes(b"x")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(RuntimeError, match="install the program ffmpeg or OpenCV"):
        video.separate(tmp_path / "clip.mp4")
