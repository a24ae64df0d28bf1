# The residuals of --page are shares of the entries that count: no masked ones, none of weight 0.
"$PYTHON" -c '
import numpy as np
from scipy.io import mmwrite
from scipy.sparse import coo_matrix
random = np.random.RandomState(3)
X = random.rand(6, 3) @ random.dirichlet([.5] * 3, 30).T
X[X < .15] = 0
wild = random.rand(6, 30) < .2
np.save("mask.npy", (~wild).astype(float))
np.save("weights.npy", np.where(wild, 0, 2.0))
X[wild] = 50
X[1] *= 40
np.save("rows.npy", np.array([1, 0, 1, 1, 1, 1.0]))
np.save("X.npy", X)
mmwrite("X.mtx", coo_matrix(X))'
check='
import json, re, sys
import numpy as np
X = np.load("X.npy")
W, H = np.load("found/W.npy"), np.load("found/H.npy")
known = np.ones(X.shape, bool)
for name in sys.argv[2:]:
    known &= np.load(name) != 0 if name != "rows.npy" else (np.load(name) != 0)[:, None]
share = np.where(known, abs(X - W @ H), 0).sum(0) / np.where(known, X, 0).sum(0)
page = open("found/anchors.html").read()
shown = json.loads(re.search(r"id=\"weights-data\">(.*?)</script>", page).group(1))["residual"]
print(sys.argv[1], "as computed here" if np.allclose(shown, share, rtol=1e-3, atol=1e-9) else (shown, share))'
page() { # input, options, files of weights
    conehull anchors "$1" -r 3 -o found --page --quiet $2 >/dev/null
    "$PYTHON" -c "$check" "$1 $2" $3
}
page X.npy "" ""
page X.npy "--mask mask.npy" mask.npy
page X.npy "--weights weights.npy" weights.npy
page X.npy "--row-weights rows.npy" rows.npy
page X.mtx "--mask mask.npy" mask.npy
page X.mtx "--row-weights rows.npy --loss l2" rows.npy
