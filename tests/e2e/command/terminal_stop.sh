# The first Ctrl-C at a terminal is answered even where nothing can hear it: a pipe that nobody writes to.
"$PYTHON" -c "import pty; pty.openpty()" 2>/dev/null || exit 77 # no terminals in this system
[ -z "${TSAN_OPTIONS:-}" ] || exit 77 # it holds a signal back until open() and read() have returned
mkfifo pipe.npy
stop='
import os, pty, select, signal, subprocess, sys, time
main, side = pty.openpty()
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=side)
os.close(side)
def listens():
    with open(f"/proc/{run.pid}/status") as status:
        caught = next(line for line in status if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1
def heard(seconds):  # a line with an empty one before it, which may come in pieces
    said, until = b"", time.monotonic() + seconds
    while said.count(b"\n") < 2 and select.select([main], [], [], max(0, until - time.monotonic()))[0]:
        said += os.read(main, 4096)
    return said
while not listens():
    time.sleep(0.05)
time.sleep(2)  # --quiet is known only after that
run.send_signal(signal.SIGINT)
print(heard(1 if "--quiet" in sys.argv else 20), run.poll())
run.send_signal(signal.SIGINT)
print(heard(20), run.wait(timeout=60))
'
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2 --quiet
