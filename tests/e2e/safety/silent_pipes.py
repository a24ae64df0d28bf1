#!/usr/bin/env python3
"""One SIGINT, SIGTERM or SIGHUP ends a run that waits for a pipe, in every reader: code 130, nothing left.

    silent_pipes.py PROGRAM

A pipe that nobody opens for writing, and one whose writer stops in the middle. Formats that are read here and there
are refused at once."""

import os
import signal
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import processes  # noqa: E402

GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
NPY = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }"
# The name of the pipe, what comes through it before it falls silent, the command.
READERS = [
    ("p.npy", NPY, "anchors p.npy -r 2 -o out"),
    ("p.csv", b"1,2\n3,", "anchors p.csv -r 2 -o out"),
    ("p.csv.gz", GZIP, "anchors p.csv.gz -r 2 -o out"),
    ("p.tsv", b"1\t2\n", "stream p.tsv -r 2 -o out --state s"),
    ("p.mtx", b"%%MatrixMarket matrix array real general\n3 3\n1\n", "anchors p.mtx -r 2 -o out"),
    ("p.txt", b"one two\nthree", "text p.txt -o out"),
    ("stop", b"one\ntw", "text lines.txt -o out --stop-words stop"),
    ("labels", b"a\nb", "exemplars X.npy -r 1 --labels labels -o out"),
    ("terms", b"a\nb", "topics X.npy -r 2 --terms terms -o out"),
    ("p.mkv", b"\x1aE\xdf\xa3", "video p.mkv -o out"),
    ("q.mkv", b"\x1aE\xdf\xa3", "live q.mkv -o out"),
    ("region.png", b"\x89PNG\r\n", "video frames -o out --ignore region.png"),
    ("model/W.npy", NPY, "project X.npy model -o out"),
]
REFUSED = [("p.npz", "anchors p.npz -r 2"), ("p.mat", "anchors p.mat -r 2"), ("p.h5", "anchors p.h5 -r 2"),
           ("p.model", "video frames -o out --model p.model")]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def inputs(program):
    np.save("X.npy", np.eye(4))
    with open("lines.txt", "w", encoding="utf-8") as file:
        file.write("one two\nthree four\n")
    os.mkdir("frames")
    for i in range(24):
        with open(f"frames/{i}.pgm", "wb") as file:
            file.write(b"P5\n16 12\n255\n" + bytes((7 * j + i) % 256 for j in range(192)))
    subprocess.run([program, "anchors", "X.npy", "-r", "2", "-o", "model"], check=True, stdout=subprocess.DEVNULL)
    os.remove("model/W.npy")


def start(program, words):
    return subprocess.Popen([program, *words.split(), "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def stop(program, name, begin, words, number):
    run = start(program, words)
    writer = None
    if begin is not None:
        writer = os.open(name, os.O_RDWR)  # does not wait for the reader
        os.write(writer, begin)
    processes.wait_for(lambda: run.poll() is not None or (
        processes.waits(run.pid) and (begin is None or processes.holds_open(run.pid, name))), words)
    assert run.poll() is None, f"{words}: ended by itself with {run.returncode}: {run.stderr.read()}"
    run.send_signal(number)
    try:
        message = run.communicate(timeout=120)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        raise AssertionError(f"{words}: {number.name} does not end it, {'writer open' if begin else 'no writer'}") from None
    if writer is not None:
        os.close(writer)
    assert run.returncode == 130, f"{words}: code {run.returncode}: {message}"
    assert not os.path.exists("out") and not os.path.exists("s"), f"{words}: left behind"


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory(prefix="conehull-pipes-") as folder:
        os.chdir(folder)
        inputs(program)
        turn = 0
        for name, begin, words in READERS:
            os.mkfifo(name)
            for sent in (None, begin):
                stop(program, name, sent, words, SIGNALS[turn % 3])
                turn += 1
            os.remove(name)
        for name, words in REFUSED:
            os.mkfifo(name)
            run = start(program, words)
            message = run.communicate(timeout=120)[1]
            assert run.returncode == 2 and f"{name}: this is a pipe or a device" in message, f"{words}: {run.returncode} {message}"
        print(f"{turn} runs ended by one signal")
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
