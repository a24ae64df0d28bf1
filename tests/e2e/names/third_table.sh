# Tables of other programs: decimal commas, a stated separator, UTF-16, IDs and dates among the data, a feature without values.
"$PYTHON" - <<'PY'
import random
random.seed(11)
foods = [("Apple", 52, .3, .2, 14, 2.4), ("Bread", 265, 9, 3.2, 49, 2.7), ("Butter", 717, .9, 81, .1, 0), ("Lentils", 116, 9, .4, 20, 8)]
head = "food,calories,protein,fat,carbs,fiber".split(",")
rows = []
for k in range(30):
    w = [random.expovariate(1) ** 2 for _ in foods]
    mixed = [sum(a * f[i] for a, f in zip(w, foods)) / sum(w) for i in range(1, 6)]
    name, values = (foods[k][0], foods[k][1:]) if k < 4 else ("mix %d" % k, mixed)
    rows.append([name] + ["%.2f" % x for x in values])
def table(file, head, rows, mark=",", encoding="utf-8", first=""):
    with open(file, "w", encoding=encoding, newline="") as to:
        to.write(first + "".join(mark.join(row) + "\r\n" for row in [head] + rows))
table("point.csv", head, rows)
commas = [[c.replace(".", ",") for c in row] for row in rows]
table("comma.csv", head, commas, ";", "utf-8-sig")
table("excel.csv", head, commas, ";", first="sep=;\r\n")
table("unicode.csv", head, commas, "\t", "utf-16")
table("unquoted.csv", head, commas)
ids = random.sample(range(100, 900), 30)
days = ["202403%02d" % (k + 1) for k in range(30)]
table("ids.csv", head[:3] + ["shop_id", "day"] + head[3:], [r[:3] + [str(n), d] + r[3:] for r, n, d in zip(rows, ids, days)])
table("twins.csv", head[:3] + ["fat"] + head[3:], [r[:3] + ["1"] + r[3:] for r in rows])
table("empty.csv", head + ["iron"], [row + ["NA"] for row in rows])
table("trailing.csv", head + [""], rows)
holes = [list(row) for row in rows]
for k in (0, 7, 11, 19): holes[k][5 - k % 4] = ""
table("holes.csv", head, holes)
table("shuffled.csv", head[:1] + head[:0:-1], [r[:1] + r[:0:-1] for r in rows])
table("renamed.csv", head, rows[:9] + [["other"] + rows[9][1:]] + rows[10:])
table("new.csv", head, [["Steel %d" % k, "1", "50", "0.1", "0.1", "70"] for k in range(12)] + [rows[5]])
table("nocarbs.csv", [h for h in head if h != "carbs"], [r[:4] + r[5:] for r in rows])
PY
show() {
    "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
for key in sys.argv[1:]: print(key, json.dumps(r.get(key)))' "$@"
}
echo "== decimal commas give the anchors of decimal points"
conehull anchors point.csv -r 4 --transpose --json --quiet | show anchor_names
for file in comma excel unicode; do
    conehull anchors $file.csv -r 4 --transpose --decimal comma -o $file --json --quiet | show anchor_names decimal
done
conehull anchors point.csv -r 4 --transpose -o point --quiet >/dev/null
cmp point/W.npy comma/W.npy && cmp point/W.npy unicode/W.npy && echo "same W"
conehull verify comma.csv comma --json | show ok
conehull project comma.csv comma -o again --quiet >/dev/null && cmp comma/H.npy again/H.npy && echo "same H"
conehull project point.csv comma -o again --quiet
echo "code $?"
conehull project point.csv comma -o again --decimal point --quiet >/dev/null && echo "read with points"
conehull anchors comma.csv -r 4 --transpose
echo "code $?"
conehull anchors unquoted.csv -r 4 --transpose
echo "code $?"
conehull anchors unquoted.csv -r 4 --transpose --decimal comma
echo "code $?"
conehull anchors comma.csv -r 4 --decimal both
echo "code $?"
conehull unmix comma.csv -r 3 --transpose --decimal comma --drop fiber --json --quiet | show shape
echo "== lines that end with a separator in the header alone"
conehull anchors trailing.csv -r 4 --transpose
echo "code $?"
echo "== columns that are no measurements"
conehull anchors ids.csv -r 4 --transpose --json | show shape
conehull anchors ids.csv -r 4 --transpose --drop shop_id,day --scale max --json | show anchor_names
conehull anchors twins.csv -r 4 --transpose --scale max --json | show shape
conehull anchors twins.csv -r 4 --transpose --drop fat
echo "code $?"
conehull anchors empty.csv -r 4 --transpose --missing nan --quiet
echo "code $?"
conehull anchors empty.csv -r 4 --transpose --missing nan --drop iron --scale max --quiet --json | show anchor_names
echo "== who could not be an anchor"
conehull anchors holes.csv -r 3 --transpose --missing nan --scale max --quiet | sed -n '/could not/p;/^nearest/p;/^they/p'
conehull anchors holes.csv -r 3 --transpose --missing nan --max-missing 0 --scale max --quiet -o holes | sed -n '/could not/p;/^nearest/p;/^they/p;/^explained/p'
show barred <holes/result.json
conehull verify holes.csv holes --json --quiet | show ok
echo "== verify names what has changed"
conehull anchors point.csv -r 4 --transpose --scale max -o scaled --quiet >/dev/null
conehull verify shuffled.csv scaled --quiet
conehull verify renamed.csv scaled --quiet
conehull verify nocarbs.csv scaled --quiet
sed 's/717.00/900.00/' point.csv >changed.csv
conehull verify changed.csv scaled --quiet
echo "== options of the run"
conehull anchors point.csv -r 3 --transpose --drop carbs -o dropped --quiet >/dev/null
conehull project nocarbs.csv dropped -o again --quiet
echo "code $?"
conehull project nocarbs.csv dropped -o again --drop none --quiet >/dev/null
echo "code $?"
echo "== new rows that fit badly are named, and flagged"
conehull project new.csv scaled -o badly --json 2>&1 >/dev/null | tail -n 1
sed -n '1,2p;$p' badly/residuals.csv
echo "== data points are rows in messages"
conehull anchors point.csv -r 500 --transpose --quiet
echo "code $?"
