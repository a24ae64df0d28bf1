# Progress appears on a terminal only, and not with --quiet.
"$PYTHON" -c "import pty; pty.openpty()" 2>/dev/null || exit 77 # no terminals in this system
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
"$PYTHON" -c 'import numpy as np; np.save("slow.npy", np.random.RandomState(0).rand(200, 2000))'
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
"$PYTHON" -c "$watch" conehull anchors slow.npy -r 3 --projection admm
"$PYTHON" -c "$watch" conehull anchors noisy.npy -r 5 --quiet
TERM=xterm conehull anchors noisy.npy -r 5 2>&1 >/dev/null
echo "= $?"
# Results and the bar on one terminal: no result stands behind a bar, and the time left falls while nothing is done.
"$PYTHON" -c '
import os, pty, re, subprocess, sys
main, side = pty.openpty()
run = subprocess.Popen(sys.argv[1:], stdout=side, stderr=side, env=dict(os.environ, TERM="xterm"))
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
pieces = seen.decode().split("\r\x1b[K")
bars = [p for p in pieces if "%  " in p]
told = [re.search(r"(\d+) of \d+  (\d+):(\d\d) left", p) for p in bars]
told = [(int(t[1]), 60 * int(t[2]) + int(t[3])) for t in told if t]
rises = sum(a[0] == b[0] and b[1] > a[1] for a, b in zip(told, told[1:]))
print(run.wait(), "bars" if bars else "no bar", sum("\n" in p for p in bars), "stuck,", rises, "rises,",
      sum(re.search(r"(\d+) of \1\b", p) is not None for p in bars), "full bars,", "non-zeros" in seen.decode())
' conehull anchors slow.npy -r 3 --projection admm
