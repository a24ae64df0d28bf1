# Progress appears on a terminal only, and not with --quiet.
"$PYTHON" -c "import pty; pty.openpty()" 2>/dev/null || exit 77 # no terminals in this system
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
watch='
import os, pty, subprocess, sys
main, side = pty.openpty()
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=side, env=dict(os.environ, TERM="xterm"))
os.close(side)
seen = b""
while True:
    try:
        piece = os.read(main, 4096)
    except OSError:
        break
    if not piece:
        break
    seen += piece
print(run.wait(), "progress" if b"%" in seen else "nothing", "cleared" if seen.endswith(b"\r\x1b[K") else "")
'
"$PYTHON" -c "$watch" conehull anchors noisy.npy -r 5
"$PYTHON" -c "$watch" conehull anchors noisy.npy -r 5 --quiet
TERM=xterm conehull anchors noisy.npy -r 5 2>&1 >/dev/null
echo "= $?"
# The first Ctrl-C is answered even where nothing can hear it: a pipe that nobody writes to.
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
def heard(seconds):
    ready, _, _ = select.select([main], [], [], seconds)
    return os.read(main, 4096) if ready else b""
while not listens():
    time.sleep(0.05)
time.sleep(0.5)  # --quiet is known only after that
run.send_signal(signal.SIGINT)
print(heard(1 if "--quiet" in sys.argv else 20), run.poll())
run.send_signal(signal.SIGINT)
print(heard(20), run.wait())
'
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2 --quiet
