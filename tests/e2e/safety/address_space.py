#!/usr/bin/env python3
"""Under a limit of address space (ulimit -v) every command ends by itself, and leaves all of its files or none.

    address_space.py PROGRAM [SECONDS PER RUN] [--all]

Limits from 50 MB to 2 GB, and finer steps above the least that the program can be loaded in: there libraries take their
first memory. Code 0 (done), 4 (no memory), or 127, the loader's, below the size of the libraries. Every command under
half of the limits, every limit with half of the commands; with --all under all of them (make test-long)."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np

LOADER = 127
COMMANDS = [
    "anchors X.npy -r 3 -o out",
    "anchors X.npy -r 3 -o out --projection admm",
    "anchors X.npy -r 3 -o out --method smrs",
    "anchors X.npy -r 3 -o out --loss kl --threads 5",
    "anchors X.h5 -r 3 -o out",
    "anchors X.npz -r 3 -o out",
    "project X.npy model -o out",
    "verify X.npy model",
    "stream X.csv -r 3 -o out",
    "text lines.txt -o out",
    "topics counts.npy -r 2 -o out --terms terms --max-df 1 --min-df 1",
    "exemplars counts.npy -r 2 -o out",
    "video frames -o out",
    "live frames -o out --warm-up 20 -r 3",
]


def inputs(program):
    X = np.random.default_rng(3).random((20, 60))
    np.save("X.npy", X)
    np.savez("X.npz", X=X)
    np.save("counts.npy", np.floor(5 * X))
    np.savetxt("X.csv", X, delimiter=",")
    try:
        import h5py  # pylint: disable=import-outside-toplevel
        with h5py.File("X.h5", "w") as file:
            file["X"] = X
    except ImportError:
        COMMANDS.remove("anchors X.h5 -r 3 -o out")
    with open("lines.txt", "w", encoding="utf-8") as file:
        file.write("one two three\nthree four\none four five\n" * 5)
    with open("terms", "w", encoding="utf-8") as file:
        file.write("".join(f"word{i}\n" for i in range(20)))
    os.mkdir("frames")
    for i in range(24):
        with open(f"frames/{i:02}.pgm", "wb") as file:
            file.write(b"P5\n32 24\n255\n" + bytes((7 * j + i) % 256 for j in range(768)))
    subprocess.run([program, "anchors", "X.npy", "-r", "3", "-o", "model"], check=True, stdout=subprocess.DEVNULL)


def run(program, words, megabytes, seconds):
    """Code and message of a run; raises when it does not end."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run([program, *words.split(), "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=seconds, preexec_fn=limit, check=False)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{words}: still runs after {seconds} s with {megabytes} MB") from None
    return done.returncode, done.stderr


def listing(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else None


def least_to_load(program, seconds):
    """Megabytes below which the loader gives up."""
    low, high = 8, 2048
    while high - low > 1:
        middle = (low + high) // 2
        if run(program, "verify X.npy model", middle, seconds)[0] == LOADER:
            low = middle
        else:
            high = middle
    return high


def check(program, words, megabytes, seconds, whole):
    code, message = run(program, words, megabytes, seconds)
    what = f"{words}: {megabytes} MB: code {code}: {message.strip()}"
    assert code in (0, 4, LOADER), what
    assert code == LOADER or (code == 4) == bool(message), what
    found = listing("out")
    assert found == (whole if code == 0 else None), f"{what}: left behind {found}"
    shutil.rmtree("out", ignore_errors=True)
    return code


def threads_at_rest(program):
    """A run on one thread that waits for a pipe has no other: OpenBLAS has started none."""
    os.mkfifo("p.csv")
    waiting = subprocess.Popen([program, "anchors", "p.csv", "-r", "2", "--threads", "1"], stdout=subprocess.DEVNULL)
    with open("p.csv", "w", encoding="utf-8") as pipe:  # returns when the program reads
        count = len(os.listdir(f"/proc/{waiting.pid}/task"))
        pipe.write("1,0\n0,1\n")
    try:
        assert waiting.wait(60) == 0 and count == 1, f"{count} threads"
    finally:
        waiting.kill()


def main(program, seconds="60", how=None):
    program, seconds = os.path.abspath(program), float(seconds)
    with tempfile.TemporaryDirectory(prefix="conehull-limits-") as folder:
        os.chdir(folder)
        inputs(program)
        threads_at_rest(program)
        least = least_to_load(program, seconds)
        limits = [50, least - 1, *(least + step for step in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)), 2048]
        counts = {}
        for number, words in enumerate(COMMANDS):
            assert run(program, words, 1 << 20, seconds) == (0, ""), words
            whole = listing("out")
            shutil.rmtree("out", ignore_errors=True)
            for megabytes in limits if how == "--all" else limits[number % 2::2]:
                code = check(program, words, megabytes, seconds, whole)
                counts[code] = counts.get(code, 0) + 1
        print(f"loads in {least} MB; runs by exit code: {dict(sorted(counts.items()))}")
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
