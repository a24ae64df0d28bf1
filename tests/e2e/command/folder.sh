# The output folder: its files, replaced in place; parents are not made; nothing is left by failures.
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
look='
import json, sys
import numpy as np
X, d = np.load("noisy.npy"), sys.argv[1]
anchors = [int(line) for line in open(d + "/anchors.txt")]
r = json.load(open(d + "/result.json"))
W, H, c = np.load(d + "/W.npy"), np.load(d + "/H.npy"), np.load(d + "/certificate.npz")
assert anchors == r["anchors"]
assert (W == X[:, anchors]).all() and W.dtype == float
assert H.shape == (5, 60) and (H >= 0).all()
loss = np.abs(X - W @ H).sum()
assert abs(loss - r["objective"]) <= 1e-9 * loss, (loss, r["objective"])
print(sorted(c.files), c["step_dual"].shape == (30, len(c["step_anchor"])))
'
conehull anchors noisy.npy -r 5 -o out --json >answer
echo "= $?"
ls -A out
"$PYTHON" -c "$look" out
"$PYTHON" -c 'import json; a, b = json.load(open("answer")), json.load(open("out/result.json")); print(a == b)'
cp -r out first
echo mine >out/notes.txt
conehull anchors noisy.npy -r 5 -o out/ >/dev/null
ls -A out
for file in anchors.txt W.npy H.npy; do cmp out/$file first/$file; done
conehull anchors noisy.npy -r 4 -o out --select-only >/dev/null
ls -A out
wc -l <out/anchors.txt
# Refused before any work: no parent, a file in the way.
conehull anchors noisy.npy -r 5 -o no/parent
echo "= $?" >&2
conehull anchors noisy.npy -r 5 -o noisy.npy
echo "= $?" >&2
# A folder where a file must go: no file is replaced.
mkdir -p blocked/H.npy
conehull anchors noisy.npy -r 5 -o blocked
echo "= $?" >&2
ls -A blocked
# A disk that fills up while H is written: the old files stay, a new folder does not; while a checkpoint is
# written: its name alone is told, not that of the matrix.
(
    ulimit -f 1
    conehull anchors noisy.npy -r 5 -o first
    echo "= $?" >&2
    conehull anchors noisy.npy -r 5 -o fresh
    echo "= $?" >&2
    conehull anchors noisy.npy -r 12 --threads 1 --loss kl --checkpoint c
    echo "= $?" >&2
)
ls -A first
cmp first/W.npy out/W.npy >/dev/null || echo "first is as it was"
[ -e fresh ] && echo "fresh is there"
exit 0
