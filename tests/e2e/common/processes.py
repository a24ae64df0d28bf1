"""What a process does, as /proc says it: tests wait for a state, never for a while."""

import os
import signal
import time

TICK = os.sysconf("SC_CLK_TCK")


def wait_for(happens, what, seconds=120):
    """Looks until happens() is true; fails after a time that no state should take."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def status(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.split(":", 1) for line in file)


def listens(pid, number=signal.SIGTERM):
    """It catches the signal: a slow machine takes a while to begin."""
    return int(status(pid)["SigCgt"], 16) >> (number - 1) & 1


def waits(pid):
    """It catches signals and sleeps in a call of the system: not before, and not while it computes."""
    with open(f"/proc/{pid}/syscall", encoding="utf-8") as file:
        inside = file.read().split()[0]
    return listens(pid) and status(pid)["State"].split()[0] == "S" and inside != "running"


def processor_time(pid):
    """Seconds of all its threads."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def works(pid, seconds=0.3):
    """It listens to signals, and has computed for so long: longer than it takes to begin."""
    return listens(pid) and processor_time(pid) >= seconds


def wait_until_idle(pid, what="it comes to rest"):
    """All threads sleep, and none has computed in a fifth of a second: it waits for somebody else."""
    def states():
        found = []
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as file:
                found.append(file.read().rpartition(")")[2].split()[0])
        return found

    def is_idle():
        before = processor_time(pid)
        for _ in range(10):
            if not listens(pid) or set(states()) != {"S"}:
                return False
            time.sleep(0.02)
        return processor_time(pid) == before
    wait_for(is_idle, what)


def holds_open(pid, name):
    """Whether it has the file open."""
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.path.samefile(f"{folder}/{fd}", name) for fd in os.listdir(folder))
    except OSError:
        return False


def end_at_once(run):
    """Two signals before it can do anything about the first: the second one ends it."""
    run.send_signal(signal.SIGSTOP)
    wait_for(lambda: status(run.pid)["State"].split()[0] == "T", "it is stopped")
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGTERM)
    run.send_signal(signal.SIGCONT)
