# A table with an ID, a name, a remark, a missing cell and units; new rows that do not fit; folders of other commands.
"$PYTHON" - <<'PY'
import random
random.seed(5)
foods = [("Apple", 52, .3, .2, 14, 2.4), ("Bread", 265, 9, 3.2, 49, 2.7), ("Butter", 717, .9, 81, .1, 0), ("Lentils", 116, 9, .4, 20, 8)]
head = "id,food,calories,protein,fat,carbs,fiber,shop".split(",")
rows = []
for k in range(24):
    w = [random.expovariate(1) ** 2 for _ in foods]
    mixed = [sum(a * f[i] for a, f in zip(w, foods)) / sum(w) for i in range(1, 6)]
    name, values = (foods[k][0], foods[k][1:]) if k < 4 else ("mix %d" % k, mixed)
    rows.append([str(100 + 7 * k % 13), name] + ["%.4g" % x for x in values] + ["shop %d" % (k % 3)])
def table(file, head, rows):
    open(file, "w").write("\n".join(",".join(row) for row in [head] + rows) + "\n")
table("whole.csv", head, rows)
rows[9][4] = "NA"
table("foods.csv", head, rows)
new = [["900", "Steel", "1", "50", "0.1", "0.1", "70", "x"], rows[11][:1] + ["Known"] + rows[11][2:]]
table("new.csv", head, new)
table("less.csv", [h for h in head if h != "fat"], [[c for h, c in zip(head, row) if h != "fat"] for row in new])
table("more.csv", head + ["salt"], [row + ["1"] for row in new])
table("grams.csv", head[:2] + head[3:7], [row[:2] + row[3:7] for row in rows])
PY
show() {
    "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
for key in sys.argv[1:]: print(key, json.dumps(r.get(key)))' "$@"
}
echo "== columns to leave out, by name and by number"
conehull anchors foods.csv -r 4 --transpose --missing nan
echo "code $?"
conehull anchors foods.csv -r auto --transpose --missing nan --drop id,shop -o out --json | show anchor_names shape drop unit_warning
conehull anchors foods.csv -r 4 --transpose --missing nan --drop 1,8 --index 2 -o numbered --json --quiet | show anchor_names drop index
cmp out/W.npy numbered/W.npy && cmp out/row_names.txt numbered/row_names.txt && cat out/row_names.txt | tr '\n' ' '
echo
conehull anchors foods.csv -r 4 --drop colour
conehull anchors foods.csv -r 4 --drop 10
conehull anchors foods.csv -r 4 --drop id,food,calories,protein,fat,carbs,fiber,shop
conehull anchors foods.csv -r 4 --drop food --index food
conehull anchors out/W.npy -r 2 --drop 1
echo "== verify and project read as the run did, unless none is given"
conehull verify foods.csv out --json | show ok
conehull verify foods.csv numbered --index none --json | show ok
conehull verify foods.csv numbered --drop none
echo "code $?"
echo "== units: calories beside grams, and grams alone"
conehull anchors grams.csv -r 3 --transpose --missing nan --drop id --json --quiet | show unit_warning
echo "== new rows that fit badly"
conehull project new.csv out -o badly --json | show badly warnings
cat badly/residuals.csv
conehull project whole.csv out -o well --json --quiet | show badly warnings
echo "== missing and additional columns are named"
conehull project less.csv out -o x --quiet
echo "code $?"
conehull project more.csv out -o x --quiet
echo "code $?"
echo "== exemplars of a table of numbers, and its missing cell"
conehull exemplars foods.csv -r 3 --transpose --drop id,shop --quiet
echo "code $?"
conehull exemplars whole.csv -r 3 --transpose --drop id,shop -o exemplars --json --quiet | show exemplars
echo "== folders of other commands"
conehull project new.csv exemplars -o x
conehull verify foods.csv exemplars
mkdir topics && echo '{}' >topics/topics.json
conehull verify foods.csv topics
echo "code $?"
echo "== warnings of JSON call rows rows"
"$PYTHON" -c '
import numpy as np
X = np.eye(8)
np.savetxt("eye.csv", X, delimiter=",", header=",".join("abcdefgh"), comments="", fmt="%d")
rng = np.random.default_rng(4)
Y, mask = rng.integers(0, 4, (6, 20)).astype(float), rng.random((6, 20)) > .3
np.save("dense.npy", Y)
np.save("mask.npy", mask.astype(float))
entries = ["%d %d %d" % (i + 1, j + 1, Y[i, j]) for i, j in zip(*np.nonzero(Y))]
open("sparse.mtx", "w").write("%%%%MatrixMarket matrix coordinate real general\n6 20 %d\n%s\n" % (len(entries), "\n".join(entries)))'
conehull anchors eye.csv -r 2 --transpose --json --quiet -o eye | show warnings
conehull verify eye.csv eye --json --quiet | show ok
sed -i 's/6 rows are/6 columns are/;s/these rows/these columns/;s/a few rows/a few columns/' eye/result.json
conehull verify eye.csv eye --json --quiet | show ok
sed -i 's/6 columns are/5 columns are/' eye/result.json
conehull verify eye.csv eye --json --quiet | show ok
echo "== --scale mean counts masked zeros of sparse data as unknown"
conehull anchors dense.npy -r 2 --mask mask.npy --scale mean --quiet -o dense >/dev/null
conehull anchors sparse.mtx -r 2 --mask mask.npy --scale mean --quiet -o sparse >/dev/null
cmp dense/row_weights.npy sparse/row_weights.npy && echo same
