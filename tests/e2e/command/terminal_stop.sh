# Ctrl-C at a terminal ends a run that waits for a pipe that nobody writes to: once, with a word unless --quiet.
"$PYTHON" -c "import pty; pty.openpty()" 2>/dev/null || exit 77 # no terminals in this system
[ -z "${TSAN_OPTIONS:-}" ] || exit 77 # it holds a signal back until open() and read() have returned
mkfifo pipe.npy
stop='
import os, pty, re, select, signal, subprocess, sys
sys.path.insert(0, os.environ["CASES"])
import processes
main, side = pty.openpty()
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=side)
os.close(side)
processes.wait_for(lambda: processes.waits(run.pid) and processes.holds_open(run.pid, "pipe.npy"), "it waits for the pipe")
run.send_signal(signal.SIGINT)
code, said = run.wait(timeout=60), b""
while select.select([main], [], [], 0)[0]:
    try:
        said += os.read(main, 4096)
    except OSError:  # nobody has the other side open
        break
print(re.sub(rb"\r\x1b\[K(read +\d+)?", b"", said), code)
'
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2
"$PYTHON" -c "$stop" conehull anchors pipe.npy -r 2 --quiet
