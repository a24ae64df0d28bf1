# Texts as people have them: whom an exemplar represents, all shares of topics, fewer topics than asked for, other encodings,
# empty documents and folders.
"$PYTHON" -c '
import os, random
random.seed(5)
topics = {"garden": "rose soil seed water tomato bloom compost prune leaf root".split(),
          "sailing": "wind sail boat mast harbour tide rope anchor deck wave".split(),
          "baking": "flour oven dough yeast bread butter sugar bake crust knead".split()}
os.mkdir("letters")
for k in range(60):
    mine = topics[list(topics)[k % 3]]
    name = "letter %02d, \"odd\".txt" % k if k == 7 else "letter %02d.txt" % k
    open("letters/" + name, "w").write(" ".join(random.choice(mine) for _ in range(30)) + "\n")'
echo "== members"
conehull exemplars letters -r 3 -o chosen --quiet >/dev/null
ls chosen
"$PYTHON" - <<'PY'
import csv, json
rows, r = list(csv.DictReader(open("chosen/members.csv"))), json.load(open("chosen/result.json"))
print(list(rows[0]), len(rows), rows[7]["document"])
print(sorted({row["exemplar"] for row in rows}) == sorted(r["names"]))
print([sum(row["exemplar"] == name for row in rows) for name in r["names"]] == r["stands_for"])
print(all(abs(float(row["similarity"]) - 1) < 1e-9 for row in rows if row["document"] == row["exemplar"]))
print(all(0 <= float(row["similarity"]) <= 1 for row in rows))
print([len(m["columns"]) for m in r["members"]] == r["stands_for"], sorted(r["members"][0]))
print(all(m["names"][0] == name and m["similarity"] == sorted(m["similarity"], reverse=True) for m, name in zip(r["members"], r["names"])))
page = open("chosen/report.html").read()
print(page.count('<details class="members">'), "letter 07, &quot;odd&quot;.txt" in page)
PY
conehull exemplars letters -r 3 --method central,facility -o both --quiet >/dev/null
ls both | grep members
conehull exemplars letters -r 3 -o both --quiet >/dev/null
ls both | grep members
echo "== shares of all topics"
conehull topics letters -r 3 -o subjects --quiet >/dev/null
"$PYTHON" - <<'PY'
import csv, json
import numpy as np
rows, r = list(csv.reader(open("subjects/document_topics.csv"))), json.load(open("subjects/topics.json"))
W = np.load("subjects/document_topic.npy")
print(rows[0] == ["document"] + ["%d %s" % (z + 1, t["name"]) for z, t in enumerate(r["topics"])], rows[8][0])
print(np.allclose([[float(x) for x in row[1:]] for row in rows[1:]], W, atol=1e-5))
PY
echo "== new documents"
printf 'caf\351 flour oven yeast\n' >new.txt
conehull project new.txt subjects -o new
echo "code $?"
conehull project new.txt subjects -o new --encoding latin1 --quiet | sed -n 3p | cut -c1-15
sed -n 2p new/document_topics.csv | tr ',' '\n' | grep -c '^1$'
echo "== an empty document changes nothing"
: >letters/zzz.txt
conehull topics letters -r 3 -o more --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["empty_documents"])'
cmp subjects/topic_word.npy more/topic_word.npy
"$PYTHON" -c '
import numpy as np
a, b = np.load("subjects/document_topic.npy"), np.load("more/document_topic.npy")
print((b[:60] == a).all(), (b[60] == 0).all(), np.array_equal(np.load("subjects/idf.npy"), np.load("more/idf.npy")))'
echo "== more topics than different documents"
"$PYTHON" -c '
import random
random.seed(1)
words = ["word%c%c" % (97 + k // 26, 97 + k % 26) for k in range(80)]
open("few.txt", "w").write(2 * "".join(" ".join(random.sample(words, 30)) + "\n" for _ in range(12)))'
conehull topics few.txt -r 20 --min-df 1 --max-df 1 --json | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["rank"] < 20, r["rank"] == len(r["topics"]))'
echo "== a folder without texts"
mkdir nothing
for command in "topics nothing -r 2" "text nothing -o counts" "exemplars nothing -r 2"; do
    conehull $command
    echo "code $?"
done
