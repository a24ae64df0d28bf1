"""launch.py LIMIT FD COMMAND...: runs a command, and writes its wait status, processor seconds and peak bytes to a pipe.

A process starts with the peak memory of the one that it was forked from. This one is small (9 MB), so that a large parent, with NumPy in
it, does not show in the figures. LIMIT: seconds of processor time, 0 for none."""
import os
import resource
import sys

limit, report = int(sys.argv[1]), int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
os.set_inheritable(report, False)
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[3], sys.argv[3:], os.environ), 0)
os.write(report, f"{status} {usage.ru_utime + usage.ru_stime} {1024 * usage.ru_maxrss}".encode())
