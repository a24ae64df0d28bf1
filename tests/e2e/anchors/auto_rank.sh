# -r auto: the planted rank is found and clear; data without one are said to have none.
"$PYTHON" -c '
import numpy as np
random = np.random.default_rng(2)
pure = random.uniform(0, 1, (80, 6))
weights = random.dirichlet(np.ones(6), 120).T
weights[:, :6] = np.eye(6)
np.save("planted.npy", pure @ weights + 0.02 * random.uniform(0, 1, (80, 120)))
np.save("none.npy", random.uniform(0, 1, (30, 150)) ** 3)'
for file in planted none; do
    conehull anchors $file.npy -r auto | grep -c "no clear rank"
    conehull anchors $file.npy -r auto -o out --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["rank_clear"], r["rank"] == 6)'
    grep -o 'chosen, not clear\|>chosen<' out/rank.svg | head -1
    conehull verify $file.npy out | tail -1
    sed -i 's/"rank_clear": true/"rank_clear": false/;t;s/"rank_clear": false/"rank_clear": true/' out/result.json
    conehull verify $file.npy out
done
echo "== a sharp bend before the last anchor is named, and no bend is said to be none"
"$PYTHON" -c '
import numpy as np
random = np.random.default_rng(4)
pure = random.uniform(0, 1, (40, 3))
weights = random.dirichlet(np.ones(3), 60).T
weights[:, :3] = np.eye(3)
X = pure @ weights
small = random.uniform(0, 0.04, (40, 3)) # a second level, 25 times smaller
X[:, 10] += small[:, 0]; X[:, 20] += small[:, 1]; X[:, 30:40] += .5 * small[:, 2:]
np.save("bend.npy", X + 0.002 * random.uniform(0, 1, X.shape))'
conehull anchors bend.npy -r auto | grep "no clear rank"
conehull anchors none.npy -r auto | grep "no clear rank"
conehull anchors planted.npy -r 6 --json -o out | grep -c rank_clear
ls out/rank.svg 2>/dev/null
echo "== a residual that rises along the path is explained, by the rule that the run used"
for rule in max share balanced rand; do
    conehull anchors none.npy -r 12 --exterior $rule | grep rises
done
exit 0
