#!/usr/bin/env python3
"""Pipes, sockets and devices in the place of files of a result, and of outputs: never a hang.

    special_files.py PROGRAM

A command refuses them at once (2 or 3), or waits and is ended by one signal with 130. In an output folder they are
replaced like any other file, never opened."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import processes  # noqa: E402

FILES = ["result.json", "anchors.txt", "W.npy", "H.npy", "certificate.npz"]
READERS = ["verify X.npy m", "project X.npy m -o out"]
# Options that name a file to be written.
WRITERS = ["anchors X.npy -r 2 --checkpoint special", "stream X.csv -r 2 --state special", "video frames -o out --save special"]


def inputs(program):
    X = np.random.default_rng(2).random((6, 30))
    np.save("X.npy", X)
    np.savetxt("X.csv", X, delimiter=",")
    os.mkdir("frames")
    for i in range(24):
        with open(f"frames/{i:02}.pgm", "wb") as file:
            file.write(b"P5\n16 12\n255\n" + bytes((7 * j + i) % 256 for j in range(192)))
    subprocess.run([program, "anchors", "X.npy", "-r", "3", "-o", "model"], check=True, stdout=subprocess.DEVNULL)


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)


def make_device(path):
    """Null, by a link: making a device needs rights."""
    os.symlink("/dev/null", path)


def ends(program, words, what):
    """Code and message of a run; one that sleeps gets one signal."""
    run = subprocess.Popen([program, *words.split(), "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    end, asleep, stopped = time.monotonic() + 60, 0, False
    while run.poll() is None:
        assert time.monotonic() < end, f"{words}, {what}: does not end"
        try:
            asleep = asleep + 1 if processes.waits(run.pid) else 0
        except (FileNotFoundError, ProcessLookupError):
            continue
        if asleep >= 25 and not stopped:  # a quarter of a second: no lock, no thread that is joined
            run.send_signal(signal.SIGTERM)
            stopped = True
        time.sleep(0.01)
    message = run.stderr.read()
    return run.returncode, message, stopped


def check(program, words, what, codes):
    code, message, stopped = ends(program, words, what)
    if stopped:
        assert code == 130, f"{words}, {what}: code {code} after a signal: {message}"
    else:
        assert code in codes, f"{words}, {what}: code {code}: {message}"
    assert not os.path.exists("out"), f"{words}, {what}: left behind"
    return code


def read_back(program, make, kind):
    """In the place of a file of the folder that is read."""
    for name in FILES:
        for words in READERS:
            if words.startswith("project") and name in ("H.npy", "certificate.npz"):
                continue  # it does not read them
            shutil.copytree("model", "m")
            os.remove(f"m/{name}")
            make(f"m/{name}")
            check(program, words, f"{kind} for {name}", (1, 2, 3))
            shutil.rmtree("m")


def written(program, make, kind):
    """In the place of a file that is written."""
    for words in WRITERS:
        make("special")
        before = os.lstat("special")
        if kind != "device":
            check(program, words, kind, (2, 3))
            after = os.lstat("special")
            assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode), f"{words}: {kind} replaced"
        os.remove("special")
    shutil.copytree("model", "m")
    for name in FILES:
        os.remove(f"m/{name}")
        make(f"m/{name}")
    code, message, _ = ends(program, "anchors X.npy -r 3 -o m", kind)
    assert code == 0, f"-o over {kind}: {code}: {message}"
    assert all(stat.S_ISREG(os.lstat(f"m/{name}").st_mode) for name in FILES)
    shutil.rmtree("m")


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory(prefix="conehull-special-") as folder:
        os.chdir(folder)
        inputs(program)
        for make, kind in ((make_pipe, "pipe"), (make_socket, "socket"), (make_device, "device")):
            read_back(program, make, kind)
            written(program, make, kind)
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
