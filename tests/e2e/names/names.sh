# Names stand beside numbers: on the terminal, in JSON, in files; verify checks those that it can know.
"$PYTHON" -c '
import numpy as np
random = np.random.RandomState(7)
W = random.rand(6, 3); H = random.dirichlet([.3] * 3, 20).T; H[:, [4, 9, 15]] = np.eye(3)
X = np.round(W @ H, 4) + 0.0001
rows = ["malt", "hops", "acid, total", "sugar", "iron", "zinc"]
cols = ["beer %d" % j for j in range(20)]
np.save("X.npy", X)
open("columns.txt", "w").write("\n".join(cols) + "\n")
open("rows.txt", "w").write("\n".join(rows) + "\n")
def table(file, names, X):
    with open(file, "w") as f:
        f.write("what," + ",".join(cols) + "\n")
        for name, values in zip(names, X):
            f.write("\"%s\"," % name + ",".join("%.17g" % v for v in values) + "\n")
table("X.csv", rows, X)
table("turned.csv", rows[::-1], X[::-1])
Y = X.copy(); Y[2, 5] = -1
table("negative.csv", rows, Y)'
echo "== a table"
conehull anchors X.csv -r 3 -o out --quiet | sed '/^seconds/d;/^objective/d;/projections/d'
cat out/anchors.csv
head -2 out/weights.csv | cut -d, -f1-5
tail -n 1 out/column_names.txt
tail -n 1 out/row_names.txt
show() {
    "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
for key in sys.argv[1:]: print(key, json.dumps(r.get(key)))' "$@"
}
conehull anchors X.csv -r 3 --json --quiet | show anchors anchor_names names_from largest_rows largest_row_names
echo "== files of names, of a matrix that has none"
conehull anchors X.npy -r 3 --names columns.txt --json | show anchor_names names_from largest_rows
conehull anchors X.npy -r 3 --names columns.txt --row-names rows.txt -o named >/dev/null
conehull anchors X.npy -r 3 --names rows.txt
echo "code $?"
conehull anchors X.csv -r 3 --transpose --json --quiet | show anchor_names
echo "== without names there are no files of them"
conehull anchors X.npy -r 3 -o named --quiet >/dev/null
ls named
conehull anchors X.npy -r 3 --names columns.txt --row-names rows.txt -o named >/dev/null
echo "== verify"
verdict() {
    conehull verify "$@" --json --quiet | show ok why names
}
verdict X.csv out
verdict X.npy named
verdict X.npy named --names columns.txt --row-names rows.txt
echo "== the same numbers, from a file that has no names"
verdict X.npy out
verdict X.npy out --names columns.txt
verdict X.npy out --names columns.txt --row-names rows.txt
sed 's/beer/wine/' columns.txt >others.txt
verdict X.npy out --names others.txt
conehull verify X.npy out --quiet | sed -n '/names/p'
echo "== and the other way round"
conehull anchors X.npy -r 3 -o nameless --quiet >/dev/null
verdict X.csv nameless
echo "== names that contradict those of the file"
change() { # what to do with r, the object of result.json
    rm -rf changed
    cp -r "${2:-out}" changed
    "$PYTHON" -c "import json; r = json.load(open('changed/result.json')); $1; json.dump(r, open('changed/result.json', 'w'))"
}
change 'r["anchor_names"][1] = "beer 1"'
verdict X.csv changed
change 'r["largest_row_names"][0][0] = "gold"'
verdict X.csv changed
change 'r["largest_rows"][0][0] = 1'
verdict X.csv changed
change 'r["largest_rows"][0][0] = 1' named
verdict X.npy changed
change 'r["anchors"][0] = 3'
verdict X.csv changed
echo "== what is said of an H in parts"
for words in "--h-precision single" "--h-format sparse" "--h-precision single --h-format auto --loss l2"; do
    conehull anchors X.csv -r 3 -o parts --quiet $words >/dev/null
    verdict X.csv parts
    for key in nonzeros rounding gap; do
        change "r['h']['$key'] = (r['h']['$key'] or 1e-9) * 2" parts
        verdict X.csv changed | sed -n 2p
    done
    change 'r["h"]["format"] = "other"' parts
    verdict X.csv changed | sed -n 2p
    change 'r["h"]["more"] = 1' parts
    verdict X.csv changed | sed -n 2p
    change 'r["h"] = 3' parts
    conehull verify X.csv changed --quiet >/dev/null 2>&1 && echo "accepted: h = 3"
done
echo "== project"
conehull project X.csv out -o new --quiet | sed '/^objective/d'
head -1 new/weights.csv
show anchor_names names_from <new/result.json
conehull project turned.csv out -o new --quiet
echo "code $?"
conehull project turned.csv out -o new --quiet --row-names out/row_names.txt >/dev/null
echo "code $?"
echo "== others"
conehull stream X.csv -r 3 --quiet | sed -n 2p
conehull exemplars X.csv -r 2 --quiet --json | show names
conehull topics X.csv -r 2 --max-df 1 --quiet --json | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["topics"]), "topics")' 
conehull anchors negative.csv -r 2 --quiet
echo "code $?"
echo "== a table with more rows than columns"
printf 'food,fat,salt\nbread,1,2\ncheese,2,1\nolives,3,4\n' >tall.csv
conehull anchors tall.csv -r 1 >/dev/null
conehull anchors tall.csv -r 1 --transpose >/dev/null
echo "== places are those of the file"
conehull anchors negative.csv -r 2 --quiet --transpose
echo "code $?"
conehull anchors X.csv -r 2 --transpose --quiet | sed -n '/^max\|^after/p'
echo "== rows of H are anchors, they have no name of a row"
"$PYTHON" -c 'import numpy as np; H = np.load("out/H.npy"); H[1, 5] = -1; np.save("out/H.npy", H)'
conehull verify X.csv out --quiet
echo "== a folder of texts"
mkdir texts
echo "sun and sea" >texts/a.txt
conehull anchors texts/ -r 2
echo "code $?"
conehull anchors X.npy -r 2 --library texts
echo "code $?"
conehull anchors X.npy -r 2 --page
