# Exemplars of a small corpus with two kinds of documents: the answer, the files, and every error.
"$PYTHON" - <<'PY'
import random
random.seed(3)
fruit = "apple pear plum cherry grape melon peach fig".split()
tools = "hammer saw drill chisel plane file clamp rasp".split()
with open("letters.txt", "w") as docs, open("labels.txt", "w") as labels, open("names.txt", "w") as names:
    for j in range(40):
        words = (fruit if j < 20 else tools)
        docs.write(" ".join(random.choice(words) for _ in range(12)) + "\n")
        labels.write("fruit\n" if j < 20 else "tools\n")
        names.write(f"letter {j}\n")
with open("one.txt.labels", "w") as one, open("short.labels", "w") as short, open("gap.labels", "w") as gap:
    one.write("fruit\n" * 40)
    short.write("fruit\ntools\n")
    gap.write("fruit\n" * 20 + "\n" + "tools\n" * 19)
with open("holes.txt", "w") as docs:
    docs.write("apple pear\n\nplum apple\nhammer saw\n")
open("latin.labels", "wb").write(b"fruit\n" * 20 + b"caf\xe9\n" * 20)
open("latin.txt", "wb").write(b"apple pear\ncaf\xe9 plum\n")
PY
seconds='s/, [0-9.]+ s$/, S s/; s/"(select|project|splits_select|splits_train|read|write)": [0-9.e-]+/"\1": S/g'
conehull exemplars letters.txt -r 4,6 --labels labels.txt --names names.txt --splits 4 -o out | sed -E "$seconds"
ls out
head -1 out/exemplars.txt
head -1 out/accuracy.csv
cut -f1 out/exemplars.txt | tail -6 | sort -n | uniq | wc -l
conehull exemplars letters.txt -r 4,6 --labels labels.txt --names names.txt --splits 4 --threads 2 --json |
    "$PYTHON" -c '
import json, sys
new, old = json.load(sys.stdin), json.load(open("out/result.json"))
for key in ("exemplars", "accuracy", "full", "stands_for", "terms", "names", "labels"):
    print(key, "same" if new[key] == old[key] else "differs")
print(sorted(new["accuracy"]["6"]), new["weight"], new["features"], new["kind"], new["ranks"])'
# Without labels; several methods; files of a former run with labels go.
conehull exemplars letters.txt -r 3 --method spa,random --quiet --json -o out |
    "$PYTHON" -c '
import json, sys
found = json.load(sys.stdin)
print([one["method"] for one in found["results"]], [len(one["exemplars"]) for one in found["results"]])'
ls out
conehull exemplars letters.txt -r 3 --quiet -o out >again && ls out
conehull exemplars letters.txt -r 2:6:2,3 --json --quiet | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["ranks"])'
# A matrix, and a document without words.
"$PYTHON" - <<'PY'
import numpy
numpy.save("X.npy", numpy.array([[4, 0, 2, 0], [0, 3, 1, 0], [0, 0, 0, 5.0]]))
open("rows.txt", "w").write("a\nb\nc\n")
PY
conehull exemplars X.npy -r 3 --terms rows.txt --method xray-l2 | sed -E "$seconds"
conehull exemplars holes.txt -r 2 --json | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["exemplars"]))'
fails() {
    conehull exemplars "$@" --quiet >printed
    echo "code $?"
    cat printed
}
fails letters.txt
fails letters.txt -r 0
fails letters.txt -r 5,x
fails letters.txt -r 10:5
fails letters.txt -r 41
fails letters.txt -r 21 --labels labels.txt
fails letters.txt -r 3 --method robust
fails letters.txt -r 3 --method spa,spa
fails letters.txt -r 3 --weight l1+l2
fails letters.txt -r 3 --features tf --labels labels.txt
fails letters.txt -r 3 --splits 2
fails letters.txt -r 3 --features l2
fails letters.txt -r 3 --alpha 2
fails letters.txt -r 3 --step 2
fails letters.txt -r 3 --transpose
fails letters.txt -r 3 --labels short.labels
fails letters.txt -r 3 --labels one.txt.labels
fails letters.txt -r 3 --labels gap.labels
fails letters.txt -r 3 --labels latin.labels
fails letters.txt -r 3 --labels nowhere
fails letters.txt -r 3 --names short.labels
fails letters.txt -r 3 --terms short.labels
fails latin.txt -r 1
fails nowhere.mtx -r 3
fails letters.txt -r 3 -o labels.txt
