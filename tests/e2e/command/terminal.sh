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
