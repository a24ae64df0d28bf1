# project: training columns get the very H they had, new files are written like others.
"$PYTHON" "$CASES/make_inputs.py" noisy || exit
for words in "" "--loss l2" "--loss kl" "--loss is" "--method spa"; do
    conehull anchors noisy.npy -r 5 -o model $words >/dev/null
    conehull project part.npy model -o weights --json --threads 2 >answer
    echo "anchors $words: code $?"
    ls -A weights
    "$PYTHON" -c '
import json, numpy as np
H, part, r = np.load("model/H.npy"), np.load("weights/H.npy"), json.load(open("answer"))
print((H[:, 10:25] == part).all(), r["shape"], r["rank"], r["status"], r["loss"], r["certificate"]["gap"] <= 1e-9)'
done
conehull project part.npy model -o weights
conehull project part.npy model -o weights --transpose
echo "code $?" >&2
conehull project part.npy nothing -o weights
echo "code $?" >&2
# Folders in the wrong place: the model's own, one of project itself, and the words swapped.
cp -r model before
for out in model ./model/; do
    conehull project part.npy model -o $out
    echo "code $?" >&2
done
diff -r model before && echo "model is as it was"
conehull verify noisy.npy weights
echo "code $?" >&2
conehull project part.npy weights -o more
echo "code $?" >&2
conehull project model part.npy -o more
echo "code $?" >&2
[ -e more ] && echo "more is there"
exit 0
