# --checkpoint and --resume: what is said, what is left, what is refused.
"$PYTHON" "$CASES/make_inputs.py" small || exit
"$PYTHON" -c 'import numpy as np; np.save("long.npy", np.random.default_rng(3).random((40, 7000)))'
say() {
    conehull "$@" > printed
    echo "code $?" >&2
}
say anchors small.npy -r 2 --resume
say anchors small.npy -r 2 --checkpoint ''
say anchors small.npy -r 2 --checkpoint no/where
say anchors small.npy -r 2 --checkpoint small.npy
echo "-- a run in one piece leaves nothing but its results"
say anchors small.npy -r 2 --checkpoint c -o one
say anchors small.npy -r 2 --checkpoint c -o two --resume
say anchors small.npy -r 2 --keep 99 --checkpoint c
cmp one/H.npy two/H.npy
ls
echo "-- Ctrl-C, then on"
stop='
import os, signal, subprocess, sys, time
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
while run.poll() is None and not (os.path.exists("c") and os.path.getsize("c") > 2500): time.sleep(0.001)
run.send_signal(signal.SIGINT)
print("code", run.wait(timeout=60))
'
"$PYTHON" -c "$stop" conehull anchors long.npy -r 12 --threads 1 --loss kl --checkpoint c
say anchors long.npy -r 12 --threads 1 --loss kl --checkpoint c
say anchors long.npy -r 12 --threads 1 --loss is --checkpoint c --resume
say anchors long.npy -r 13 --threads 1 --loss kl --checkpoint c --resume
say anchors small.npy -r 2 --threads 1 --loss kl --checkpoint c --resume
say anchors long.npy -r 12 --threads 2 --loss kl --checkpoint c --resume --quiet --json
mv printed resumed
# Counts of work differ: a column that was projected for a bound before Ctrl-C may be projected again.
# JSON: the table for people is printed before the projection where that takes long, and then has no last residual yet.
conehull anchors long.npy -r 12 --threads 2 --loss kl --quiet --json > printed
"$PYTHON" -c '
import json
one, two = ({key: value for key, value in json.load(open(name)).items() if key not in ("seconds", "projections", "pivots", "passes")} for name in ("printed", "resumed"))
for key in sorted(one.keys() | two.keys()):
    if one.get(key) != two.get(key): print(key, one.get(key), two.get(key))'
ls
