# Topics: the planted subjects come back, the same from raw text and from counts; files; faults.
"$PYTHON" "$CASES/make_corpus.py" || exit
conehull topics texts -r 3 --top 5 --stop-words english | grep -v seconds
conehull text texts -o counts --stop-words english --quiet >/dev/null
conehull topics counts/counts.mtx --terms counts/terms.txt --names counts/names.txt -r 3 --top 5 -o out --json >answer
echo "= $?"
ls -A out
cat out/topics.txt
"$PYTHON" - <<'PY'
import csv
import json
import numpy as np
r, a = json.load(open("out/topics.json")), json.load(open("answer"))
terms = open("out/terms.txt").read().split("\n")[:-1]
H, W = np.load("out/topic_word.npy"), np.load("out/document_topic.npy")
print(a == r, H.shape, W.shape, len(terms) == H.shape[1])
print(np.allclose(H.sum(1), 1), np.allclose(W.sum(1), 1), (H >= 0).all(), (W >= 0).all())
print(sorted(r["seconds"]), r["status"], sorted(r["topics"][0]))
lines = list(csv.DictReader(open("out/documents.csv")))
print(len(lines) == len(W), all(int(d["topic"]) == W[j].argmax() + 1 and d["topic_name"] == r["topics"][W[j].argmax()]["name"]
      and abs(float(d["share"]) - W[j].max()) < 1e-5 for j, d in enumerate(lines)), lines[0]["document"])
for z, topic in enumerate(r["topics"]):
    rows = np.argsort(-H[z], kind="stable")[:5]
    print([w["term"] for w in topic["words"]] == [terms[i] for i in rows],
          all(w["weight"] == H[z, w["row"]] for w in topic["words"]),
          all(d["share"] == W[d["document"], z] for d in topic["documents"]), topic["documents"][0]["name"][-4:])
PY
conehull topics counts/counts.mtx --terms counts/terms.txt -r 3 --threads 1 --json >one
conehull topics counts/counts.mtx --terms counts/terms.txt -r 3 --threads 3 --json >three
"$PYTHON" -c 'import json; print(json.load(open("one"))["topics"] == json.load(open("three"))["topics"])'
conehull topics lines.txt -r 3 --top 4 --stop-words english --coherence umass --start words --method spa | grep -v seconds
# Empty documents are kept, and told.
conehull topics holes.txt -r 3 --stop-words english --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["shape"], r["empty_documents"])'
# Faults.
head -5 counts/terms.txt >short.txt
printf 'caf\351\n' >latin_terms.txt
tell() {
    conehull topics "$@" -o no
    echo "= $?" >&2
}
tell counts/counts.mtx --terms short.txt -r 3
tell counts/counts.mtx --terms latin_terms.txt -r 3
tell counts/counts.mtx --terms counts/terms.txt --names short.txt -r 3
tell counts/counts.mtx --terms missing.txt -r 3
tell counts/counts.mtx -r 3
tell counts/counts.mtx --terms counts/terms.txt
tell counts/counts.mtx --terms counts/terms.txt -r 0
tell counts/counts.mtx --terms counts/terms.txt -r 40
tell counts/counts.mtx --terms counts/terms.txt -r 3 --min-df 1000
tell texts -r 3 --max-df 0.35
tell texts -r 3 --max-df 0.25 --stop-words english
tell texts -r 30 --anchor-df 0.45 --max-df 1 --start words
tell texts -r 30 --anchor-df 0.45
tell lines.txt -r 28 --candidates 25 --max-df 1 --start words
tell counts/counts.mtx --terms counts/terms.txt -r 3 --coherence best
tell counts/counts.mtx --terms counts/terms.txt -r 3 --stop-words english
tell texts --terms counts/terms.txt -r 3
tell latin.txt -r 3
tell missing.mtx -r 3
mkdir empty
tell empty -r 3
[ -e no ] && echo "no is there"
# Several numbers of topics; documents in another order; excerpts of typical documents.
conehull topics lines.txt -r 2:4 --stop-words english --json >sweep
"$PYTHON" -c '
import json
r = json.load(open("sweep"))
print([one["rank"] for one in r["sweep"]], r["rank"] == max(r["sweep"], key=lambda one: one["npmi"])["rank"])'
conehull topics lines.txt -r 3 --stop-words english --json >forward
sort -R --random-source=lines.txt lines.txt >shuffled.txt
conehull topics shuffled.txt -r 3 --stop-words english --json >backward
"$PYTHON" -c '
import json
a, b = (json.load(open(name))["topics"] for name in ("forward", "backward"))
lines = open("lines.txt").read().split("\n")
def words(topics):
    return [(t["name"], t["share"], t["words"], t["coherence"]) for t in topics]
print(words(a) == words(b), all(t["name"] in [w["term"] for w in t["words"]] for t in a))
print(all(lines[d["document"]].startswith(d["excerpt"][:30]) for t in a for d in t["documents"]))'
# As many topics as there are words, when the number is left to the data.
conehull topics lines.txt -r auto --stop-words english --json | "$PYTHON" -c '
import json, sys
print([one["rank"] for one in json.load(sys.stdin)["sweep"]])'
# New documents: raw text counted as before, its unknown words dropped; counts; faults.
conehull topics texts -r 3 --stop-words english --stem english -o model --quiet >/dev/null
conehull project texts model -o again | tail -n +2
cut -d, -f2- again/documents.csv | head -3
"$PYTHON" -c '
import numpy as np
print(np.allclose(np.load("model/document_topic.npy"), np.load("again/document_topic.npy"), atol=1e-6))'
printf 'Ships and gulls of the harbour!\nzzz\n"oven", KITCHEN oven\n' >new.txt
conehull project new.txt model -o new --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["shape"], r["unknown_words"], r["without_topic"], sum(t["documents"] for t in r["topics"]))'
cat new/documents.csv
printf 'id,said\nfirst,"ships, crane"\n' >new.csv
conehull project new.csv model --text-column said --name-column id -o table --quiet >/dev/null
tail -n +2 table/documents.csv | cut -d, -f1,3
conehull topics counts/counts.mtx --terms counts/terms.txt -r 3 -o numbers --quiet >/dev/null
conehull project counts/counts.mtx numbers -o again --quiet | head -1
tell_project() {
    conehull project "$@"
    echo "= $?" >&2
}
tell_project new.txt numbers -o no
tell_project counts/counts.mtx model -o no --transpose
tell_project missing.txt model -o no
tell_project new.csv numbers/topic_word.npy -o no
head -2 numbers/terms.txt >cut.txt && cp -r numbers broken && cp cut.txt broken/terms.txt
tell_project counts/counts.mtx broken -o no
rm broken/idf.npy && cp numbers/terms.txt broken
tell_project counts/counts.mtx broken -o no
echo '{' >broken/topics.json
tell_project counts/counts.mtx broken -o no
[ -e no ] && echo "no is there"
