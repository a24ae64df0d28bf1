#!/usr/bin/env python3
"""Peak resident size of a selection from a file of 1.1 GB: at most the file, a quarter, and what H takes.

    peak_memory.py CONEHULL FOLDER       FOLDER: where the file goes for the while

f32 by rows (NumPy's own order) and by columns, where H is not even needed; and u8 by columns of 100 rows only,
beside which what is known of a column weighs most. Exit 77 (skipped) without NumPy or the room on disk."""
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

ANCHORS, SEED = 20, 2013
LIMIT = 1.25
# rows, columns, columns written at a time, type, largest value, by columns, ranks, is H counted
FILES = [(2000, 137500, 2500, "f4", 1, False, [5], False),
         (2000, 137500, 2500, "f4", 1, True, [5], False),
         (100, 11000000, 100000, "u1", 200, True, [4, 20], True)]


def write(path, file):
    """W (I, H') + small noise, block by block."""
    rows, columns, block, kind, most, by_columns = FILES[file][:6]
    random = np.random.default_rng(SEED)
    W = most * random.random((rows, ANCHORS), dtype=np.float32)
    X = np.lib.format.open_memmap(path, "w+", kind, (rows, columns), fortran_order=by_columns)
    for start in range(0, columns, block):
        H = random.standard_gamma(0.5, (ANCHORS, block), dtype=np.float32)
        H /= H.sum(axis=0)
        if start == 0:
            H[:, :ANCHORS] = np.eye(ANCHORS)
        X[:, start:start + block] = W @ H + 0.01 * most * random.random((rows, block), dtype=np.float32)
    X.flush()


def peak_of(*words):
    """Standard output and the peak resident size, in bytes, of a command."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"exit code {child.returncode}: {text}"
    return text, usage.ru_maxrss * 1024


def check(command, path, file, rank):
    """Runs the selection; its anchors."""
    rows, columns, _, kind, _, by_columns, _, with_h = FILES[file]
    size = os.path.getsize(path)
    text, peak = peak_of(command, "anchors", path, "-r", str(rank), "--select-only", "--json", "--quiet")
    result = json.loads(text)
    allowed = LIMIT * size + (8 * rank * columns if with_h else 0)
    print(f"{rows} rows of {kind} by {'columns' if by_columns else 'rows'}, {rank} anchors: peak {peak / 1e6:.0f} MB,"
          f" input {size / 1e6:.0f} MB, allowed {allowed / 1e6:.0f} MB; {result['seconds']['select']:.1f} s", flush=True)
    assert size >= 1.1e9 and result["type"] == {"f4": "f32", "u1": "u8"}[kind]
    assert len(result["anchors"]) == rank, result["anchors"]
    assert peak <= allowed, "more than that"
    return result["anchors"]


def main(command, folder):
    if shutil.disk_usage(folder).free < 2.5e9:
        print(f"skipped: no room in {folder}")
        sys.exit(77)
    found = {}
    for file, (rows, *_, ranks, _) in enumerate(FILES):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            path = os.path.join(place, "X.npy")
            # In a process of its own: a child's peak begins with what its parent holds.
            subprocess.run([sys.executable, __file__, "--write", path, str(file)], check=True)
            for rank in ranks:
                anchors = check(command, path, file, rank)
                assert found.setdefault((rows, rank), anchors) == anchors, (found, anchors)


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
