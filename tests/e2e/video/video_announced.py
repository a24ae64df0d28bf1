#!/usr/bin/python3
"""What `conehull video` says it takes, it takes: the largest resident size of a run is at most the announced one, and at
least four fifths of it.

    video_announced.py CONEHULL FILM"""
import os
import re
import subprocess
import sys
import tempfile

import film

SLACK = 1.25
STREAMS = ("-r 2 --learn-frames 24", "--gray -r 2 --learn-frames 24", "-r 2 --learn-frames 24 --lossless --write side,soft")
RUNS = STREAMS + ("-r 2", "--gray -r 2 --busy 0-9", "--method rpca", "--gray --method robust-nmf", "--method median --radius 9")


def measure(*words):
    """Largest resident size and what was announced, in bytes."""
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = run.stderr.read().decode()
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0, f"exit code {run.returncode}\n{said}"
    return usage.ru_maxrss * 1024, 1e6 * float(re.search(r"needs up to ([0-9.e+]+) MB of memory in total", said).group(1))


def main(command, source):
    film.needs(command)
    with tempfile.TemporaryDirectory() as folder:
        clip, truth = f"{source}/clip.mkv", f"{source}/truth"
        for words in RUNS:
            peak, announced = measure(command, "video", clip, "--truth", truth, "--threads", "2", "-o", f"{folder}/out",
                                      *words.split())
            print(f"{words}: announced {announced / 1e6:.0f} MB, peak {peak / 1e6:.0f} MB, {announced / peak:.2f}")
            assert peak <= announced <= SLACK * peak, "not so"


if __name__ == "__main__":
    main(*sys.argv[1:])
