"""Reads frames from arrays, generators and files.

A video file is decoded by the program ``ffmpeg``, or else by OpenCV; the package itself has no decoder. Frames are
uint8: height x width if the video is gray, otherwise height x width x 3 (R, G, B).
"""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np


def read_frames(path):
    """Yields the frames of a video file, or of a .npy array of frames, one after the other, as arrays of uint8.

    Parameters
    ----------
    path : str or path

    Yields
    ------
    ndarray, shape (height, width) or (height, width, 3)

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from conehull import video
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "clip.npy"
    ...     np.save(file, np.zeros((3, 4, 6), dtype=np.uint8))
    ...     [frame.shape for frame in video.read_frames(file)]
    [(4, 6), (4, 6), (4, 6)]
    """
    path = Path(os.fspath(path))
    if not path.exists():
        raise FileNotFoundError(f"{path}: the file does not exist")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a video file, or a generator that reads the pictures of the folder")
    if path.suffix == ".npy":
        yield from np.load(path, mmap_mode="r")
    elif shutil.which("ffmpeg"):
        yield from _from_ffmpeg(path)
    else:
        yield from _from_opencv(path)


def _from_ffmpeg(path):
    # One PAM picture per frame, which states its own size. ffmpeg selects the nearer of the two formats: gray for gray videos.
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", f"file:{path}", "-map", "0:v:0", "-vf", "format=pix_fmts=gray|rgb24",
               "-vsync", "passthrough", "-f", "image2pipe", "-c:v", "pam", "-"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        count = 0
        try:
            while (frame := _next_pam(process.stdout)) is not None:
                count += 1
                yield frame
        finally:
            process.stdout.close()
            if process.poll() is None and count:  # the caller needs no more frames
                process.terminate()
            process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    if process.returncode or not count:
        raise ValueError(f"{path}: ffmpeg cannot read this as a video" + (f": {said[-1]}" if said else ""))


def _next_pam(stream):
    """Returns the next picture of a stream; None at its end, or if it is truncated."""
    if stream.readline() != b"P7\n":
        return None
    head = {}
    while (line := stream.readline().split()) and line[0] != b"ENDHDR":
        head[line[0]] = line[-1]
    width, height, depth = (int(head[name]) for name in (b"WIDTH", b"HEIGHT", b"DEPTH"))
    values = stream.read(width * height * depth)
    if len(values) < width * height * depth:
        return None
    frame = np.frombuffer(values, dtype=np.uint8).reshape(height, width, depth)
    return frame[:, :, 0] if depth == 1 else frame


def _from_opencv(path):
    try:
        import cv2
    except ImportError:
        raise RuntimeError(f"{path}: the package has no video decoder; install the program ffmpeg or OpenCV (cv2), or pass the frames "
                           "as an array or a generator") from None
    capture, count = cv2.VideoCapture(str(path)), 0
    try:
        while True:
            got, frame = capture.read()
            if not got:
                break
            count += 1
            yield frame[:, :, ::-1] if frame.ndim == 3 else frame
    finally:
        capture.release()
    if not count:
        raise ValueError(f"{path}: OpenCV cannot read this as a video")


def _stacked(frames):
    """Collects frames of one size and type in one array."""
    made, count = None, 0
    for frame in frames:
        frame = np.asarray(frame)
        if made is None:
            made = np.empty((16, *frame.shape), dtype=frame.dtype)
        if frame.shape != made.shape[1:] or frame.dtype != made.dtype:
            raise ValueError(f"frame {count} is {frame.dtype} of shape {frame.shape}, but the frames before it are {made.dtype} of shape "
                             f"{made.shape[1:]}")
        if count == len(made):
            made = np.concatenate([made, np.empty_like(made)])
        made[count] = frame
        count += 1
    if made is None:
        raise ValueError("the input contains no frames")
    return made[:count]


def as_frames(source):
    """Frames as an array: an array as it is, the frames of a path, or those of an iterable, one after the other."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(os.fspath(source))
        return np.load(path, mmap_mode="r") if path.suffix == ".npy" and path.exists() else _stacked(read_frames(path))
    if hasattr(source, "__array__") or hasattr(source, "__array_interface__"):
        return np.asarray(source)
    if hasattr(source, "__next__") or hasattr(source, "__iter__"):
        return _stacked(source)
    raise ValueError(f"frames must be an array, the path of a video, or an iterable of frames; got {type(source).__name__}")
