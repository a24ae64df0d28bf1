"""One measured process: output, processor time, peak memory."""
import os
import subprocess
import sys
import time
from dataclasses import dataclass

LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")


@dataclass
class Done:
    code: int  # as in subprocess: negative after a signal
    out: str
    err: str
    seconds: float  # elapsed time
    processor: float  # user and system seconds, including children of the process
    peak: int  # bytes, largest resident size


def run_child(words, line="", environment=None, limit=0):
    """Runs a command to its end. limit: seconds of processor time after which the system ends it (0: none)."""
    start = time.monotonic()
    read, write = os.pipe()
    with subprocess.Popen([sys.executable, "-I", "-S", LAUNCH, str(limit), str(write), *map(str, words)], env=environment, text=True,
                          errors="replace", pass_fds=[write], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        os.close(write)
        out, err = run.communicate(line)
    with open(read, encoding="ascii") as file:
        report = file.read().split()
    if not report:
        raise FileNotFoundError(f"{words[0]} did not start: {err.strip()}")
    return Done(os.waitstatus_to_exitcode(int(report[0])), out, err, time.monotonic() - start, float(report[1]), int(report[2]))
