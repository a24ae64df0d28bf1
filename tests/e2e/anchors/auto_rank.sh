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
conehull anchors planted.npy -r 6 --json -o out | grep -c rank_clear
ls out/rank.svg 2>/dev/null
exit 0
