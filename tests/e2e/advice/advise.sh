# Advice on loss and rule, for noise of every kind, with its reasons; and where there is none.
cat >make.py <<'P'
import numpy as np, sys
kind = sys.argv[1]
rng = np.random.RandomState(7)
W, H = rng.rand(80, 8), np.hstack([np.eye(8), rng.dirichlet(np.full(8, 0.5), 120).T])
X = W @ H
if kind == "added": X = X + np.maximum(rng.laplace(0, 0.5, X.shape), 0)
if kind == "taken": X = 3 + X - np.maximum(rng.laplace(0, 0.5, X.shape), 0).clip(max=3)
if kind == "both": X = 3 + X + rng.laplace(0, 0.3, X.shape) * (rng.rand(*X.shape) < 0.3)
if kind == "normal": X = 3 + X + 0.1 * rng.randn(*X.shape)
if kind == "counts": X = rng.poisson(30 * X).astype(float)
if kind == "factor": X = rng.exponential(X)
if kind == "dark": X = np.where(np.arange(128) % 4 == 3, 0.02, 1) * X + np.maximum(rng.laplace(0, 0.02, X.shape), 0)
np.save("X.npy", np.asfortranarray(X))
P
for kind in exact added taken both normal counts factor; do
    "$PYTHON" make.py $kind || exit
    conehull anchors X.npy -r 8 --advise --json --quiet |
        "$PYTHON" -c 'import json, sys; a = json.load(sys.stdin)["advice"]; print(sys.argv[1], a["options"], len(a["because"]) > 0)' $kind
done
"$PYTHON" make.py dark
conehull anchors X.npy -r 8 --advise --json --quiet |
    "$PYTHON" -c 'import json, sys; print("dark", "--faint 0.1" in json.load(sys.stdin)["advice"]["options"])'
"$PYTHON" make.py added
conehull anchors X.npy -r 8 --advise | sed -n '/^advice/,$p'
conehull anchors X.npy -r 8 --advise --select-only 2>&1
echo "= $?"
