# --library: known components are kept first, or are the only candidates; files, JSON, verify and project know them.
"$PYTHON" -c '
import numpy as np
random = np.random.default_rng(3)
pure = random.uniform(0, 1, (30, 8)) ** 2
mixed = pure[:, [1, 4, 6]] @ random.dirichlet(np.ones(3), 100).T
mixed[:, 7] = pure[:, 6]
np.save("known.npy", pure)
np.save("two.npy", pure[:, [1, 4]])
np.save("X.npy", mixed)
np.save("XT.npy", mixed.T)
np.save("twoT.npy", pure[:, [1, 4]].T)
open("names.txt", "w").write("".join("part %d\n" % k for k in range(8)))
open("two.txt", "w").write("first\nsecond\n")'
show='
import json, sys, numpy as np
r = json.load(open(sys.argv[1] + "/result.json"))
W, X, L = np.load(sys.argv[1] + "/W.npy"), np.load("X.npy"), np.load(sys.argv[2])
from_ = {"data": X, "library": L}
print(r["anchors"], r["components"], r.get("component_names"), r["library"]["columns"], r["status"])
print(all((W[:, k] == from_[c["source"]][:, c["index"]]).all() for k, c in enumerate(r["components"])))'
conehull anchors X.npy -r 3 --library two.npy --library-names two.txt -o kept | sed '/seconds/d;/objective/d;s/ *[0-9.]*e-1[0-9]/ tiny/'
"$PYTHON" -c "$show" kept two.npy
cat kept/anchors.txt
conehull verify X.npy kept --library two.npy | tail -1
conehull anchors X.npy -r 8 --library known.npy --library-only --library-names names.txt --loss l2 -o best | sed '/seconds/d;/objective/d;s/ *[0-9.]*e-1[0-9]/ tiny/'
"$PYTHON" -c "$show" best known.npy
conehull verify X.npy best --library known.npy --json | cut -c1-11
echo
conehull project X.npy best -o weights >/dev/null && cmp weights/H.npy best/H.npy && echo "the same H"
conehull anchors XT.npy --transpose -r 3 --library twoT.npy --json --quiet | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["anchors"])'
# Tables hold the names of the library and of the columns.
seq -f 'pixel %g' 0 99 >pixels.txt
conehull anchors X.npy -r 3 --library two.npy --library-names two.txt --names pixels.txt -o named --quiet >/dev/null
cut -d, -f1-3 named/anchors.csv
head -1 named/weights.csv
conehull project X.npy named --names pixels.txt -o named_weights --quiet >/dev/null
head -1 named_weights/weights.csv
# What is refused.
conehull verify X.npy kept
echo "code $?" >&2
conehull verify X.npy kept --library known.npy >&2
echo "code $?" >&2
cp two.npy other.npy
"$PYTHON" -c 'import numpy as np; L = np.load("two.npy"); L[3, 1] += 1e-9; np.save("other.npy", L)'
conehull verify X.npy kept --library other.npy >&2
echo "code $?" >&2
conehull anchors X.npy -r 1 --library two.npy
echo "code $?" >&2
conehull anchors X.npy -r 3 --library-only
echo "code $?" >&2
conehull anchors X.npy -r 3 --library XT.npy
echo "code $?" >&2
conehull anchors X.npy -r 3 --library two.npy --library-names names.txt
echo "code $?" >&2
conehull anchors X.npy -r 3 --library two.npy --method spa
echo "code $?" >&2
conehull anchors X.npy -r 3 --library nothing.npy
echo "code $?" >&2
exit 0
