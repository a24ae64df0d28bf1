# A table as people have it: rows are data points, cells are empty or NA, columns have units and numbers of rows.
"$PYTHON" -c '
import random
random.seed(3)
foods = [("Apple, raw", 52, .3, .2, 14, 1, .0046), ("Bread", 265, 9, 3.2, 49, 491, 0), ("Butter", 717, .9, 81, .1, 11, 0),
         ("Lentils", 116, 9, .4, 20, 2, .0015), ("Orange", 47, .9, .1, 12, 0, .053), ("Olive oil", 884, 0, 100, 0, 2, 0)]
head = ["food", "calories", "protein", "fat", "carbs", "sodium", "vitamin_c"]
rows = []
for k in range(30):
    a, b, t = random.choice(foods), random.choice(foods), random.random()
    if k < 6: a, b = foods[k], foods[k]
    rows.append([a[0] if k < 6 else "mix %d" % k] + ["%.4g" % (t * x + (1 - t) * y) for x, y in zip(a[1:], b[1:])])
def table(file, head, rows):
    with open(file, "w") as to:
        for row in [head] + rows:
            to.write(",".join("\"%s\"" % c if "," in c else c for c in row) + "\n")
table("foods.csv", head, rows)
table("numbered.csv", ["id"] + head[1:], [[str(100 + 2 * k)] + row[1:] for k, row in enumerate(rows)])
table("counted.csv", ["calories 1"] + head[2:], [[str(k + 1)] + row[2:] for k, row in enumerate(rows)])
cells = [list(row) for row in rows]
for k, cell in zip((7, 12, 18, 25), ("", "NA", "n/a", "-")): cells[k][2 + k % 4] = cell
table("cells.csv", head, cells)
cells[12][4] = "much"
table("word.csv", head, cells)
with open("max.csv", "w") as to:
    to.write("\n".join("%.17g" % (1 / max(float(row[k]) for row in rows)) for k in range(1, 7)) + "\n")'
plain() {
    sed '/^seconds/d;/projections/d;s/gap of [^;]*/gap of */'
}
show() {
    "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
for key in sys.argv[1:]: print(key, json.dumps(r.get(key)))' "$@"
}
echo "== cells without a number"
conehull anchors cells.csv -r 3 --transpose
echo "code $?"
conehull anchors cells.csv -r 3
echo "code $?"
conehull anchors cells.csv -r 3 --transpose --missing nan -o known 2>&1 | plain
show note missing <known/result.json
conehull anchors word.csv -r 3 --transpose --missing nan
echo "code $?"
conehull unmix cells.csv -r 3 --transpose --json --quiet | show missing
conehull unmix cells.csv -r 3 --transpose --missing none --quiet
echo "code $?"
echo "== with --transpose data points are rows, everywhere"
head -n 2 known/anchors.csv
head -n 1 known/weights.csv
conehull anchors foods.csv -r 1 --transpose --quiet | grep -c column
conehull anchors foods.csv -r 3 --transpose --names foods.csv
conehull anchors foods.csv -r 3 --transpose --column-weights max.csv
conehull anchors foods.csv -r 3 --transpose --row-weights foods.csv
echo "== verify and project read the input as the run did"
conehull verify cells.csv known | plain
conehull verify cells.csv known --json 2>/dev/null | show ok transpose
conehull verify cells.csv known --no-transpose --quiet
echo "code $?"
conehull project cells.csv known -o again --quiet | plain
cmp known/H.npy again/H.npy && echo "same H"
conehull project cells.csv known -o again --no-transpose --quiet
echo "code $?"
echo "== a folder that claims another orientation is refused"
cp -r known turned
sed -i 's/"transpose": true/"transpose": false/' turned/result.json
conehull verify cells.csv turned --quiet
echo "code $?"
conehull verify cells.csv turned --transpose --quiet | sed -n 1p | plain
echo "== numbers of the rows"
conehull anchors numbered.csv -r 3 --transpose --json | show names_from
conehull anchors counted.csv -r 3 --transpose --json | show names_from
conehull anchors numbered.csv -r 3 --transpose --index id --scale max -o named --json | show anchor_names index
conehull verify numbered.csv named | plain
conehull project numbered.csv named -o again 2>&1 | sed -n 1,2p
conehull anchors numbered.csv -r 3 --index 9
echo "code $?"
conehull anchors foods.csv -r 3 --index colour
echo "code $?"
conehull unmix numbered.csv -r 3 --transpose --index 1 --json --quiet | show shape
sed 's/^food,/id,food,/;t;s/^/7,/' foods.csv | awk 'NR > 1 { sub(/^7/, NR) } { print }' >mixed.csv
conehull anchors mixed.csv -r 3 --transpose
echo "code $?"
conehull anchors mixed.csv -r 3 --transpose --index food --scale max | sed -n '4,7p;/^after/p'
echo "== units"
conehull anchors foods.csv -r 3 --transpose --json -o units | show anchor_names unit_warning
conehull verify foods.csv units --quiet | sed -n 1p | plain
for loss in l1 l2 kl beta:0.5; do
    conehull anchors foods.csv -r 3 --transpose --scale max --loss $loss -o scaled --quiet --json | show anchor_names scale unit_warning
    conehull verify foods.csv scaled --quiet | sed -n 1p | sed 's/objective.*//'
    conehull project foods.csv scaled -o again --quiet >/dev/null
    cmp scaled/H.npy again/H.npy
done
echo "== --scale max under l1 is the row weights 1 / max, and W is in the units of the table"
conehull anchors foods.csv -r 3 --transpose --scale max -o scaled --quiet >/dev/null
conehull anchors foods.csv -r 3 --transpose --row-weights max.csv -o weighted --quiet >/dev/null
for file in anchors.txt W.npy H.npy row_weights.npy certificate.npz; do cmp scaled/$file weighted/$file; done
"$PYTHON" -c 'import numpy as np; print(np.load("scaled/W.npy").max() > 700)'
echo "== the page says what its percentages are"
conehull anchors foods.csv -r 3 --transpose --scale max --page -o page --quiet >/dev/null
grep -c "weights.csv hold the weights themselves" page/anchors.html
echo "== the scale is part of what is proven"
conehull verify foods.csv scaled --scale mean --quiet
echo "code $?"
conehull verify foods.csv scaled --scale none --quiet
echo "code $?"
sed -i 's/"scale": "max"/"scale": "mean"/' scaled/result.json
conehull verify foods.csv scaled --quiet
echo "code $?"
conehull anchors foods.csv -r 3 --transpose --scale most
conehull anchors foods.csv -r 3 --transpose --scale max --loss is
conehull anchors foods.csv -r 3 --transpose --scale max --refine 2 -o improved --quiet >/dev/null && conehull verify foods.csv improved --quiet | head -1 | cut -c1-3
echo "== long and odd names"
"$PYTHON" - <<'PY'
import csv, random
random.seed(2)
names = ['plain', 'with, comma', 'with "quotes"', "it's", 'semi;colon', ' padded ', '=1+2', 'Grüße', 'x' * 300]
with open("odd.csv", "w", newline="") as to:
    table = csv.writer(to)
    table.writerow(["what"] + ['feature, "%d"' % k for k in range(4)])
    for name in names:
        table.writerow([name] + ["%.3f" % random.random() for _ in range(4)])
PY
conehull anchors odd.csv -r 4 --transpose -o odd --quiet >/dev/null
conehull project odd.csv odd -o odder --quiet >/dev/null
"$PYTHON" - <<'PY'
import csv, json
def read(path): return list(csv.reader(open(path, newline="", encoding="utf-8")))
names, r = [row[0].strip() for row in read("odd.csv")[1:]], json.load(open("odd/result.json"))
anchors, weights = read("odd/anchors.csv"), read("odd/weights.csv")
print([row[2] for row in anchors[1:]] == r["anchor_names"] == [names[a] for a in r["anchors"]] == weights[0][2:])
print([row[1] for row in weights[1:]] == names, all(len(row) == len(weights[0]) for row in weights))
print(read("odder/weights.csv") == weights, open("odd/row_names.txt").read().split("\n")[0])
PY
