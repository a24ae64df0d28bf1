#!/usr/bin/env python3
"""What goes wrong with several ranks is said once, with the right code, and soon.

    ranks_fail.py PROGRAM MPIRUN FOLDER_OF_INPUTS"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from ranks_same import launch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import processes  # noqa: E402

failed = 0


def expect(holds, what):
    global failed
    if not holds:
        print("does not hold:", what)
        failed = 1


def run(mpirun, ranks, words, inputs, **more):
    start, environment = launch(mpirun, ranks)
    return subprocess.run([*start, *words], cwd=inputs, env=dict(environment, **more), timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def said(done):
    return [line for line in done.stderr.splitlines() if line.startswith("conehull:")]


def bad_input(program, mpirun, inputs):
    alone = subprocess.run([program, "anchors", "bad.npy", "-r", "3"], cwd=inputs, capture_output=True, text=True)
    many = run(mpirun, 3, [program, "anchors", "bad.npy", "-r", "3"], inputs)
    expect(said(many) == said(alone) and "row 11, column 400" in said(alone)[0], f"bad data: {many.stderr}")
    expect(many.returncode == alone.returncode == 2, f"its code: {many.returncode}")
    many = run(mpirun, 2, [program, "anchors", "none.npy", "-r", "3"], inputs)
    expect(len(said(many)) == 1 and many.returncode == 3, f"a missing file: {many.returncode} {many.stderr}")
    many = run(mpirun, 2, [program, "anchors", "rows.npy", "-r", "3", "--loss", "l7"], inputs)
    expect(len(said(many)) == 1 and many.returncode == 2, f"wrong words: {many.returncode} {many.stderr}")
    for option, file in [("--row-weights", "weights.npy"), ("--column-weights", "weights.npy"), ("--mask", "rows.npy"),
                         ("--library", "rows.npy")]:
        many = run(mpirun, 2, [program, "anchors", "rows.npy", "-r", "3", option, file], inputs)
        expect(len(said(many)) == 1 and ("one process" in said(many)[0]) and many.returncode == 2, f"{option}: {many.stderr}")
    many = run(mpirun, 2, [program, "verify", "rows.npy", "x"], inputs)
    expect(len(said(many)) == 1 and "does not support several processes" in said(many)[0], f"another command: {many.stderr}")


def without_mpi(program, mpirun, inputs):
    """A conehull that has no conehull-mpi beside it refuses to run twice."""
    with tempfile.TemporaryDirectory(prefix="conehull-ranks-") as folder:
        lonely = shutil.copy(program, folder)
        many = run(mpirun, 2, [lonely, "anchors", "rows.npy", "-r", "3"], inputs)
        expect(len(said(many)) == 1 and "without MPI" in said(many)[0], f"no MPI: {many.stderr}")
        expect(many.returncode == 2 and not many.stdout, f"its code: {many.returncode}")
        many = run(mpirun, 2, [lonely, "anchors", "rows.npy", "-r", "3"], inputs, CONEHULL_MPI="0")
        expect(many.returncode == 0 and many.stdout.count("6 anchors by") + many.stdout.count("3 anchors by") == 2,
               f"CONEHULL_MPI=0: two runs: {many.stdout}{many.stderr}")


def differ(mpirun, program, first, second, folders):
    """One process does `first` in folders[0], another `second` in folders[1]."""
    start, environment = launch(mpirun, 1)
    words = [*start, "--wdir", folders[0], program, *first.split(), ":", *start[1:], "--wdir", folders[1], program, *second.split()]
    began = time.monotonic()
    done = subprocess.run(words, env=environment, timeout=100, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done, time.monotonic() - began


def different_work(program, mpirun, inputs):
    """Processes that would do different work, or on different data, end at once, and it is said who differs."""
    with tempfile.TemporaryDirectory(prefix="conehull-ranks-") as other:
        here, there = os.path.abspath(inputs), other
        done, _ = differ(mpirun, program, "anchors rows.npy -r 3", "anchors rows.npy -r 4", (here, here))
        expect(done.returncode == 2 and len(said(done)) == 1 and "process 1 was started as 'anchors rows.npy -r 4'" in done.stderr,
               f"another command: {done.returncode} {done.stderr}")
        with open(f"{here}/rows.npy", "rb") as file:
            data = bytearray(file.read())
        data[len(data) // 2] ^= 1
        for content, what in ((bytes(data), "a file with other contents"), (bytes(data[:-8]), "a file of 160120 bytes")):
            with open(f"{there}/rows.npy", "wb") as file:
                file.write(content)
            done, _ = differ(mpirun, program, "anchors rows.npy -r 3", "anchors rows.npy -r 3", (here, there))
            expect(done.returncode == 2 and len(said(done)) == 1 and "process 1" in done.stderr and what in done.stderr,
                   f"other data: {done.returncode} {done.stderr}")
        # a folder that only one of them lacks: it fails before the first exchange, and ends the job
        shutil.copy(f"{here}/rows.npy", f"{there}/rows.npy")
        os.mkdir(f"{there}/parent")
        words = "anchors rows.npy -r 3 -o parent/out"
        done, took = differ(mpirun, program, words, words, (there, here))
        expect(done.returncode == 3 and "process 1 ended the run: parent/out: the folder parent does not exist" in done.stderr,
               f"a process alone: {done.returncode} {done.stderr}")
        expect(took < 60, f"it takes {took:.0f} s")


def children(process):
    """All below a process. What ends while it is looked at, a thread or a helper of the launcher, has none."""
    found = []
    try:
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children") as file:
                for child in file.read().split():
                    found += [int(child), *children(int(child))]
    except OSError:
        pass
    return found


def is_rank(process):
    try:
        with open(f"/proc/{process}/exe", "rb"), open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read().split(b"\0")[1:2] == [b"anchors"]
    except OSError:
        return False


def has_begun(process):
    """It computes: more than a process takes to start."""
    try:
        return processes.processor_time(process) > 0.5
    except OSError:
        return False


def lost_rank(program, mpirun, inputs):
    """kill -9 of one rank ends the job."""
    start, environment = launch(mpirun, 3)
    words = [program, "anchors", "rows.npy", "-r", "30", "--eager", "--path", "--projection", "admm", "--tol", "1e-13"]
    job = subprocess.Popen([*start, *words], cwd=inputs, env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ranks, patience = [], time.time() + 60
    while len(ranks) < 3 and time.time() < patience and job.poll() is None:
        time.sleep(0.05)
        ranks = [process for process in children(job.pid) if is_rank(process)] if job.poll() is None else []
    while time.time() < patience and job.poll() is None and not all(has_begun(process) for process in ranks):
        time.sleep(0.05)
    expect(len(ranks) >= 3 and job.poll() is None, "the job runs long enough to lose a rank")
    killed = time.time()
    if ranks:
        os.kill(ranks[1], signal.SIGKILL)
    out, err = job.communicate(timeout=100)
    expect(job.returncode != 0 and (out + err).strip(), f"it ends with words and a code: {job.returncode} {out}{err}")
    expect(time.time() - killed < 20, f"within seconds: {time.time() - killed:.1f}")
    expect(not [process for process in ranks if os.path.exists(f"/proc/{process}") and is_rank(process)],
           "no rank is left behind")


def main(program, mpirun, inputs):
    bad_input(program, mpirun, inputs)
    without_mpi(program, mpirun, inputs)
    different_work(program, mpirun, inputs)
    lost_rank(program, mpirun, inputs)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
