# Topics that function words lead, several lists of stop words, numbers of topics, new documents with few known words, folders
# of another command.
"$PYTHON" - <<'PY'
import os, random
random.seed(7)
words = [["%s%s" % (a, b) for b in "ba ce di fo gu ka le mi no pu ra se".split()] for a in "alt ern ing".split()]
os.mkdir("texts")
for k in range(45):
    mine = words[k % 3] + (["der", "die", "das"] * 3 if k % 3 == 0 else [])
    open("texts/%d.txt" % k, "w").write(" ".join(random.choice(mine) for _ in range(20)))
os.mkdir("new")
open("new/known.txt", "w").write(" ".join(words[0]))
open("new/other.txt", "w").write("altba " + " ".join("fremd%c" % (97 + k) for k in range(9)))
open("new/empty.txt", "w").close()
open("lines.txt", "w").write("altba altce\nernba erndi\n")
open("german.txt", "w").write("der\ndie\n")
open("more.txt", "w").write("das\n")
open("tiny.txt", "w").write("ab cd\nab cd ef gh\nab ef gh ij\n")
open("utf8.txt", "w").write("caf\u00e9 na\u00efve\n")
open("latin.txt", "wb").write(b"caf\xe9 na\xefve\n")
PY
echo "== function words"
conehull topics texts -r 3 --stop-words english | grep -c der
conehull topics texts -r 3 --stop-words english,german.txt,more.txt | grep -c der
conehull topics texts -r 3 --stop-words english,nowhere.txt
echo "== numbers of topics"
conehull topics texts
conehull topics texts -r 46
echo "code $?"
conehull topics tiny.txt -r auto --min-df 1 --max-df 1 | sed -n '/^topics/,/^$/p'
conehull topics texts -r 2:6 --stop-words german.txt --json --quiet | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
best = max(one["npmi"] for one in r["sweep"])
print(all(rank < r["rank"] for rank in r["sweep_equals"]), r["coherence"]["npmi"] == best)'
echo "== new documents"
conehull topics texts -r 3 --stop-words german.txt,more.txt -o out --quiet >/dev/null
conehull project new out -o projected >/dev/null
"$PYTHON" - <<'PY'
import csv
for table in "documents", "document_topics":
    print({row["document"]: row["few_known"] for row in csv.DictReader(open("projected/%s.csv" % table))})
PY
conehull project lines.txt out -o projected >/dev/null
mkdir nothing
conehull project nothing out -o projected
echo "code $?"
echo "== a folder of another command"
conehull exemplars texts -r 3 -o out
echo "code $?"
conehull exemplars texts -r 3 -o chosen --quiet >/dev/null
conehull topics texts -r 3 -o chosen
echo "code $?"
conehull topics texts -r 3 -o out --quiet >/dev/null
echo "code $?"
echo "== encodings"
conehull text utf8.txt -o counts --encoding latin1 >/dev/null
conehull text latin.txt -o counts --encoding latin1 >/dev/null
