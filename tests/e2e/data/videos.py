#!/usr/bin/env python3
"""Certificates and one answer whatever the path, on windows of three surveillance videos.

    videos.py CONEHULL DATA          ($CONEHULL_DATA, where set, goes before DATA)

A row is a frame, a column a pixel; 8-bit integers, so full of ties.

- l1, 3 anchors, each video: every column proven to a gap of 1e-9, and `conehull verify` agrees;
- Airport Hall, 10 anchors: lazy = eager = 1, 2, 4 threads = mapped u8 = f64 by columns.

Exit 77 (skipped) without NumPy, ffmpeg or a video."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
GAP = 1e-9
# name, width, height, first frame, end, every: the stretches with the most hand-made masks
VIDEOS = (("airport_hall", 176, 144, 2189, 2789, 3),
          ("lobby", 160, 128, 1315, 1515, 1),
          ("restaurant", 160, 120, 243, 843, 3))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


try:
    import numpy as np
except ImportError as missing:
    skip(missing)


RATE = 10  # frames per second of all of them


def frames(path, width, height, first, end, every):
    """Frames x pixels, u8. Those before the first are sought over: to decode them takes longer than the rest of the test."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-ss", str((first - 0.5) / RATE), "-i", path, "-frames:v", str(end - first),
         "-f", "rawvideo", "-pix_fmt", "gray", "-"], check=True, stdout=subprocess.PIPE).stdout
    X = np.frombuffer(raw, np.uint8).reshape(-1, width * height)
    assert len(X) == end - first, f"{path}: {len(X)} frames instead of {end - first}"
    return np.ascontiguousarray(X[::every])


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, universal_newlines=True)
    assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}"
    return json.loads(done.stdout)


def check_proven(command, path, folder):
    """Returns the number of columns."""
    result = run(command, "anchors", path, "-r", "3", "--json", "--quiet", "-o", folder)
    rows, columns = result["shape"]
    X, W, H = (np.load(name) for name in (path, f"{folder}/W.npy", f"{folder}/H.npy"))
    assert (rows, columns) == X.shape and result["type"] == "u8"
    assert result["status"] == "done" and len(set(result["anchors"])) == 3, result["status"]
    assert result["unproven"] == 0, f"{result['unproven']} columns unproven"
    assert 0 <= result["certificate"]["gap"] <= GAP, result["certificate"]
    assert (W == X[:, result["anchors"]]).all() and (H >= 0).all()
    objective = np.abs(X - W @ H).sum()
    assert abs(objective - result["objective"]) <= GAP * objective, (objective, result["objective"])
    check = run(command, "verify", path, folder, "--json", "--quiet")
    assert check["ok"] is True and check["gap"] <= GAP, check
    print(f"{os.path.basename(path)}: {columns} columns proven, gap {result['certificate']['gap']:.1e},"
          f" verified {check['gap']:.1e}, {result['pivots'] / columns:.1f} pivots a column")
    return columns


def check_same(command, path):
    """The same anchors and the same largest residuals, whatever the path."""
    by_columns = path.replace(".npy", "_f64.npy")
    np.save(by_columns, np.asfortranarray(np.load(path), dtype=np.float64))
    ways = {"lazy": (path,), "eager": (path, "--eager"), "f64 by columns": (by_columns,),
            "f64 by columns, eager": (by_columns, "--eager")}
    ways.update({f"{count} threads": (path, "--threads", str(count)) for count in (1, 2, 4)})
    first = None
    for way, words in ways.items():
        result = run(command, "anchors", *words, "-r", "10", "--select-only", "--json", "--quiet")
        # With --select-only nobody projects on the last anchor: its residual is null.
        answer = (result["anchors"], result["max_residual"][:9])
        first = first or answer
        assert len(set(answer[0])) == 10 and result["unproven"] == 0, way
        assert result["type"] == ("f64" if words[0] == by_columns else "u8"), way
        assert answer[0] == first[0], f"{way}: {answer[0]} instead of {first[0]}"
        assert np.allclose(answer[1], first[1], rtol=GAP, atol=0), f"{way}: {answer[1]}"
        print(f"{way}: {result['projections']} projections, {result['seconds']['select']:.2f} s")


def main(command, data):
    data = os.environ.get("CONEHULL_DATA") or data
    files = {video[0]: os.path.join(data, "video", video[0], "frames.mkv") for video in VIDEOS}
    if not shutil.which("ffmpeg"):
        skip("no ffmpeg")
    for path in files.values():
        if not os.path.exists(path):
            skip(f"no {path}")
    with tempfile.TemporaryDirectory() as folder:
        columns = 0
        for name, *window in VIDEOS:
            path = os.path.join(folder, f"{name}.npy")
            np.save(path, frames(files[name], *window))
            columns += check_proven(command, path, os.path.join(folder, name))
        assert columns == sum(width * height for _, width, height, *_ in VIDEOS)
        check_same(command, os.path.join(folder, "airport_hall.npy"))


if __name__ == "__main__":
    main(*sys.argv[1:])
