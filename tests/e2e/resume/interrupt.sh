# Ctrl-C and SIGTERM stop a long run with code 130 and leave no file.
"$PYTHON" "$CASES/make_inputs.py" long || exit
stop='
import os, signal, subprocess, sys, time
words, number = sys.argv[2:], getattr(signal, sys.argv[1])
run = subprocess.Popen(words, stdout=subprocess.PIPE)
def listens():  # a slow machine takes a while to begin: the signals it catches are in its status
    with open(f"/proc/{run.pid}/status") as status:
        caught = next(line for line in status if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (number - 1) & 1
for _ in range(600):
    if listens(): break
    time.sleep(0.1)
time.sleep(1.0)
assert run.poll() is None, "too short to interrupt"
run.send_signal(number)
out = run.communicate(timeout=60)[0]
print(sys.argv[1], run.returncode, out)
'
for number in SIGINT SIGTERM; do
    "$PYTHON" -c "$stop" $number conehull anchors long.npy -r 1500 -o out
    "$PYTHON" -c "$stop" $number conehull anchors long.npy -r 1500 -o out --json --method spa --loss l2
done
ls -A
