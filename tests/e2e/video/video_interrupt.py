#!/usr/bin/python3
"""Ctrl-C at any moment of `conehull video`: code 130, no new file, and what was there stays.

    video_interrupt.py CONEHULL FILM"""
import os
import signal
import subprocess
import sys
import tempfile
import time

import film

signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as it is behind `nohup make test &`

FRAMES = 24


def hears(run, number):
    """Whether the program has asked for this signal."""
    with open(f"/proc/{run.pid}/status", encoding="utf-8") as file:
        caught = next(line for line in file if line.startswith("SigCgt")).split()[1]
    return int(caught, 16) >> (number - 1) & 1


def interrupt(command, words, after, number=signal.SIGINT):
    """Waits for `after` seconds of the run, or its end; at least until it hears signals."""
    run = subprocess.Popen([command, "video", *words, "--quiet"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, universal_newlines=True)
    while run.poll() is None and not hears(run, number):
        time.sleep(0.01)
    try:
        run.wait(timeout=after)
    except subprocess.TimeoutExpired:
        run.send_signal(number)
    message = run.communicate(timeout=120)[1]
    return run.returncode, message


def listing(folder):
    """Names, sizes and times of everything there."""
    return sorted((name, os.stat(os.path.join(folder, name)).st_size, os.stat(os.path.join(folder, name)).st_mtime_ns)
                  for name in os.listdir(folder))


def main(command, source):
    film.needs(command)
    with tempfile.TemporaryDirectory() as folder:
        clip, truth = f"{source}/clip.mkv", f"{source}/truth"
        words = (clip, "--frames", str(FRAMES), "-r", "2", "--truth", truth, "--method", "robust-xray,median")
        whole = film.video(command, *words, "-o", f"{folder}/whole")["seconds"]["total"]
        before = listing(f"{folder}/whole")
        stopped = 0
        for share in (0.02, 0.15, 0.35, 0.6, 0.85):
            number = signal.SIGTERM if share == 0.35 else signal.SIGINT
            code, message = interrupt(command, (*words, "-o", f"{folder}/new"), share * whole, number)
            if code == 0:  # it was faster this time
                subprocess.run(["rm", "-r", f"{folder}/new"], check=True)
                continue
            stopped += 1
            assert code == 130, f"after {share} of the time: {code}\n{message}"
            assert not os.path.exists(f"{folder}/new"), os.listdir(f"{folder}/new")
            code, message = interrupt(command, (*words, "-o", f"{folder}/whole"), share * whole)
            if code == 0:
                before = listing(f"{folder}/whole")
            else:
                assert code == 130, f"{code}\n{message}"
                assert listing(f"{folder}/whole") == before, message
        assert stopped >= 2, f"only {stopped} runs were long enough to stop"
        print(f"{stopped} of 5 runs stopped on the way, nothing left behind")


if __name__ == "__main__":
    main(*sys.argv[1:])
