# Divergences: planted anchors by every loss in both directions, rechecked; and what is refused, why.
"$PYTHON" "$CASES/make_inputs.py" small || exit
"$PYTHON" -c 'import numpy as np; np.save("shares.npy", np.load("small.npy") / 8)'
show='
import json, sys
r = json.load(sys.stdin)
c = r["certificate"]
print(r["loss"], r["status"], sorted(r["anchors"]), r["unproven"], 0 < r["floor"] < 1e-5, c["proof"], c["gap"] == c[c["proof"]] <= 1e-9)
'
for words in "--loss kl" "--loss is" "--loss beta:0.5" "--loss beta:1.5" "--loss beta:-1" "--loss beta:3" "--loss logistic" \
    "--loss beta:1" "--loss beta --beta 0"; do
    for reverse in "" --reverse; do
        echo "$words $reverse"
        conehull anchors shares.npy -r 3 -o out --quiet --json $words $reverse | "$PYTHON" -c "$show"
        conehull verify shares.npy out --json | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["ok"], r["proof"], r["gap"] <= 1e-9)'
    done
done
for floor in 1e-3 1e-9; do
    conehull anchors shares.npy -r 3 --quiet --json --loss kl --floor $floor |
        "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["floor"], sorted(r["anchors"]))'
done
refuse() {
    conehull anchors "$@"
    echo "code $?" >&2
}
refuse small.npy -r 2 --loss beta:
refuse small.npy -r 2 --loss beta:0,5
refuse small.npy -r 2 --loss beta:half
refuse small.npy -r 2 --loss beta:nan
refuse small.npy -r 2 --loss beta:11
refuse small.npy -r 2 --loss kl:1
refuse small.npy -r 2 --loss custom
refuse small.npy -r 2 --loss logistic
refuse small.npy -r 2 --loss kl --floor 0
refuse small.npy -r 2 --loss is --floor 1e-300
refuse small.npy -r 2 --loss kl --exterior greedy
refuse small.npy -r 2 --loss kl --dual paper
refuse small.npy -r 2 --loss is --projection admm
