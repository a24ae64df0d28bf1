#!/usr/bin/env python3
"""Peak resident size of a selection from a 1.1 GB file of f32: at most the file and a quarter.

    peak_memory.py CONEHULL FOLDER       FOLDER: where the file goes for the while

By rows (NumPy's own order) and by columns. Exit 77 (skipped) without NumPy or the room on disk."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROWS, COLUMNS, ANCHORS, BLOCK, SEED = 2000, 137500, 20, 2500, 2013
LIMIT = 1.25


def write(path, by_columns):
    """W (I, H') + small noise, block by block."""
    random = np.random.default_rng(SEED)
    W = random.random((ROWS, ANCHORS), dtype=np.float32)
    X = np.lib.format.open_memmap(path, "w+", np.float32, (ROWS, COLUMNS), fortran_order=by_columns)
    for start in range(0, COLUMNS, BLOCK):
        H = random.dirichlet(np.full(ANCHORS, 0.5), BLOCK).astype(np.float32).T
        if start == 0:
            H[:, :ANCHORS] = np.eye(ANCHORS)
        X[:, start:start + BLOCK] = W @ H + 0.01 * random.random((ROWS, BLOCK), dtype=np.float32)
    X.flush()


def peak_of(*words):
    """Standard output and the peak resident size, in bytes, of a command."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"exit code {child.returncode}: {text}"
    return text, usage.ru_maxrss * 1024


def main(command, folder):
    if shutil.disk_usage(folder).free < 2 * 4 * ROWS * COLUMNS:
        print(f"skipped: no room in {folder}")
        sys.exit(77)
    anchors = None
    for by_columns in (False, True):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            path = os.path.join(place, "X.npy")
            # In a process of its own: a child's peak begins with what its parent holds.
            subprocess.run([sys.executable, __file__, "--write", path, str(int(by_columns))], check=True)
            size = os.path.getsize(path)
            text, peak = peak_of(command, "anchors", path, "-r", "5", "--select-only", "--json", "--quiet")
        result = json.loads(text)
        anchors = anchors or result["anchors"]
        print(f"by {'columns' if by_columns else 'rows'}: peak {peak / 1e6:.0f} MB, input {size / 1e6:.0f} MB,"
              f" {peak / size:.3f}; {result['seconds']['select']:.1f} s")
        assert size >= 1.1e9 and result["type"] == "f32"
        assert result["anchors"] == anchors and len(anchors) == 5, result["anchors"]
        assert peak <= LIMIT * size, f"more than {LIMIT} times the input"


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2], sys.argv[3] == "1")
    else:
        main(*sys.argv[1:])
