#!/usr/bin/env python3
"""A job of two ranks that loses one (kill -9), among the anchors and among the blocks of H, or is interrupted (SIGINT to
mpirun): it ends within seconds and with words, nothing half-written is left, and --resume gives the bits of a run that
was left alone, on any number of ranks and on one process without MPI. KILLS: jobs of 1 to 4 ranks more, one after the
other on the same checkpoint, that lose a rank at any moment.

    kill_resume.py PROGRAM MPIRUN [KILLS]"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy

signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as it is behind `nohup make test &`

from ranks_fail import children, is_rank
from ranks_same import compare, launch

ROWS, COLUMNS, PARTS = 30, 20000, 12
WORDS = ("anchors", "x.npy", "-r", "10", "--threads", "1")
KEEP = ("--checkpoint", "c")
# Bytes of a checkpoint: some anchors are kept, 440 bytes each; all are, and some blocks of H of every rank.
AMONG_ANCHORS, AMONG_BLOCKS = 3000, 150000
RESUMED = (0, 1, 3, 4)  # 0: without mpirun


def make():
    draw = numpy.random.default_rng(1)
    X = draw.gamma(0.5, 1, (ROWS, PARTS)) @ draw.dirichlet(numpy.full(PARTS, 0.3), COLUMNS).T
    numpy.save("x.npy", numpy.asfortranarray(X + 0.05 * numpy.abs(draw.laplace(size=X.shape))))


def start(program, mpirun, ranks, *more, **launcher):
    words, environment = launch(mpirun, ranks) if ranks else ([], os.environ)
    return subprocess.Popen([*words, program, *WORDS, "-o", "parts", *KEEP, *more], env=dict(environment, **launcher),
                            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def size_kept():
    return os.path.getsize("c") if os.path.exists("c") else 0


def wait_for(job, size):
    """Until so many bytes are kept."""
    patience = time.monotonic() + 100
    while size_kept() < size:
        assert job.poll() is None and time.monotonic() < patience, f"no moment to disturb it: {job.communicate()}"
        time.sleep(0.002)


def words_of(job):
    """What a job that lost a rank or was told to end has said, when it has ended. The mpirun of Open MPI 4.1 can be caught
    for ever in the end of its own (PMIx_server_finalize) with no rank left: then it is ended, and that is told."""
    for _ in range(40):
        try:
            return job.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            if not any(is_rank(process) for process in children(job.pid)):
                print("mpirun did not end after its ranks; it was killed", flush=True)
                job.kill()
    raise AssertionError("ranks went on for minutes")


def ends(job, what):
    """How it ended: soon, with words, and with the checkpoint as all that is there."""
    disturbed = time.monotonic()
    out, err = words_of(job)
    assert time.monotonic() - disturbed < 20, f"{what}: it took {time.monotonic() - disturbed:.1f} s to end"
    assert job.returncode != 0 and (out + err).strip(), f"{what}: code {job.returncode}, {out}{err}"
    assert sorted(os.listdir(".")) == ["c", "whole", "x.npy"], f"{what}: left behind: {os.listdir('.')}"
    return err


def lose_rank(program, mpirun, ranks, size, *more):
    # Those left are waiting for the lost one and cannot end by themselves: Open MPI need not give them time to.
    job = start(program, mpirun, ranks, *more, OMPI_MCA_odls_base_sigkill_timeout="0")
    wait_for(job, size)
    os.kill([process for process in children(job.pid) if is_rank(process)][-1], signal.SIGKILL)
    ends(job, f"a rank lost at {size} bytes")


def interrupt(program, mpirun):
    """Open MPI gives the ranks SIGTERM, a second later, and ends with a code of its own: a run of many seconds is needed,
    which the ADMM makes of this one. On a machine with much else to do they need more than the second that it leaves them."""
    job = start(program, mpirun, 2, "--projection", "admm", "--path", OMPI_MCA_odls_base_sigkill_timeout="4")
    wait_for(job, 1800)
    job.send_signal(signal.SIGINT)
    err = ends(job, "interrupted")
    assert "with --resume continues from there" in err, err
    os.remove("c")


def resume(program, mpirun, ranks):
    """From a copy of the checkpoint, to the end."""
    shutil.copy("kept", "c")
    job = start(program, mpirun, ranks, "--resume")
    out, err = job.communicate(timeout=400)
    assert job.returncode == 0 and "resumed from the checkpoint c" in err, f"{ranks} ranks: code {job.returncode}: {out}{err}"
    trouble = compare("after kills", "whole", "parts")
    assert not trouble, f"{ranks} ranks: {trouble}"
    assert sorted(os.listdir(".")) == ["kept", "parts", "whole", "x.npy"], f"left behind: {os.listdir('.')}"
    shutil.rmtree("parts")


def random_kills(program, mpirun, count):
    """At moments of a job's life, most of them while it works; a job that is done first is begun anew."""
    seed = int(os.environ.get("CONEHULL_SEED", 3))
    draw, lost, done = random.Random(seed), 0, 0
    while lost < count:
        ranks = draw.randint(1, 4)
        job = start(program, mpirun, ranks, "--resume", OMPI_MCA_odls_base_sigkill_timeout="0")
        while job.poll() is None and len([p for p in children(job.pid) if is_rank(p)]) < ranks:
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 1.5))
        here = [process for process in children(job.pid) if is_rank(process)]
        try:
            if here:
                os.kill(draw.choice(here), signal.SIGKILL)
        except ProcessLookupError:  # it ended by itself meanwhile
            here = []
        words_of(job)
        assert job.returncode == 0 or here, f"seed {seed}: code {job.returncode}, and nobody was killed"
        lost += job.returncode != 0
        done += job.returncode == 0
        left = set(os.listdir(".")) - {"c", "parts", "whole", "x.npy"}
        assert not left, f"seed {seed}: left behind: {left}"
        assert job.returncode or not compare("after kills", "whole", "parts"), f"seed {seed}: other bits"
    job = start(program, mpirun, 2, "--resume")
    job.communicate(timeout=400)
    assert job.returncode == 0 and not compare("after kills", "whole", "parts"), f"seed {seed}: other bits at the end"
    assert sorted(os.listdir(".")) == ["parts", "whole", "x.npy"], f"left behind: {os.listdir('.')}"
    print(f"{lost} ranks lost, {done + 1} jobs done, all with the same bits")
    shutil.rmtree("parts")


def main(program, mpirun, kills="0"):
    program, mpirun = os.path.abspath(program), os.path.abspath(mpirun)
    with tempfile.TemporaryDirectory(prefix="conehull-ranks-") as folder:
        os.chdir(folder)
        make()
        subprocess.run([program, *WORDS, "-o", "whole", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        if int(kills):
            random_kills(program, mpirun, int(kills))
        interrupt(program, mpirun)
        lose_rank(program, mpirun, 2, AMONG_ANCHORS)
        lose_rank(program, mpirun, 3, AMONG_BLOCKS, "--resume")
        os.rename("c", "kept")
        for ranks in RESUMED:
            resume(program, mpirun, ranks)
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
