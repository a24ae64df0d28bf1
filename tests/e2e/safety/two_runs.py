#!/usr/bin/env python3
"""Two runs and one output folder: all files are of one run. What users keep beside them stays.

    two_runs.py PROGRAM"""

import fcntl
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

NAMES = ["H.npy", "W.npy", "anchors.txt", "certificate.npz", "result.json"]


def start(program, rank, *more):
    return subprocess.Popen([program, "anchors", "X.npy", "-r", str(rank), "-o", "d", *more],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for(happens, what):
    end = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < end, what
        time.sleep(0.002)


def stop_with_files(program, lock):
    """A run that is stopped while it has its hidden folder and not yet moved its files, and the folder locked."""
    for _ in range(50):
        run = start(program, 2)
        wait_for(lambda: glob.glob("d/.conehull-*/*") or run.poll() is not None, "the files are made")
        run.send_signal(signal.SIGSTOP)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.exists("d/result.json"):
                return run
        except BlockingIOError:
            pass
        run.send_signal(signal.SIGCONT)
        run.wait(60)
        fcntl.flock(lock, fcntl.LOCK_UN)
        for name in NAMES:
            os.remove(f"d/{name}")
    raise AssertionError("no run could be stopped between making its files and moving them")


def waits_its_turn(program):
    """Somebody else moves files into the folder: the run waits with its own until that is over."""
    os.mkdir("d")
    lock = os.open("d", os.O_RDONLY | os.O_DIRECTORY)
    run = stop_with_files(program, lock)
    run.send_signal(signal.SIGCONT)
    wait_for(lambda: glob.glob("d/.conehull-*/result.json") or run.poll() is not None, "the files are made")
    try:
        run.wait(0.5)  # long against five renames
    except subprocess.TimeoutExpired:
        pass
    assert run.poll() is None and not os.path.exists("d/result.json"), os.listdir("d")
    os.close(lock)
    assert run.wait(60) == 0, run.stderr.read()
    assert sorted(os.listdir("d")) == NAMES, os.listdir("d")


def never_mixes(program):
    for _ in range(12):
        runs = [start(program, rank) for rank in (2, 3)]
        for run in runs:
            assert run.wait(60) == 0, run.stderr.read()
        with open("d/result.json", encoding="utf-8") as file:
            rank = len(json.load(file)["anchors"])
        with open("d/anchors.txt", encoding="utf-8") as file:
            lines = len(file.read().split())
        found = np.load("d/W.npy").shape[1], np.load("d/H.npy").shape[0], lines
        assert found == (rank, rank, rank), (rank, found)
        assert sorted(os.listdir("d")) == NAMES, os.listdir("d")


def sweeps_its_own(program):
    """What killed runs left goes; folders of users stay, whatever they are called."""
    for name in ".conehull-backup", ".conehull-run-backup":
        os.mkdir(f"d/{name}")
        with open(f"d/{name}/mine", "w", encoding="utf-8") as file:
            file.write("mine\n")
    run = start(program, 2)
    wait_for(lambda: glob.glob("d/.conehull-run-*/.made-by-conehull") or run.poll() is not None, "a hidden folder")
    run.kill()
    run.wait()
    assert start(program, 2).wait(60) == 0
    kept = [".conehull-backup", ".conehull-run-backup"]
    assert sorted(os.listdir("d")) == sorted(NAMES + kept), os.listdir("d")
    for name in kept:
        assert os.listdir(f"d/{name}") == ["mine"]


def states_have_own_names(program):
    """The state of a stream is made under a name that nobody has."""
    with open("week.new", "w", encoding="utf-8") as file:
        file.write("mine\n")
    np.save("E.npy", np.eye(4))
    subprocess.run([program, "stream", "E.npy", "-r", "2", "--state", "week"], check=True, stdout=subprocess.DEVNULL)
    with open("week.new", encoding="utf-8") as file:
        assert file.read() == "mine\n"
    assert sorted(glob.glob("week*")) == ["week", "week.new"]


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory(prefix="conehull-two-") as folder:
        os.chdir(folder)
        np.save("X.npy", np.random.default_rng(1).random((20, 300)))
        waits_its_turn(program)
        never_mixes(program)
        sweeps_its_own(program)
        states_have_own_names(program)
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
