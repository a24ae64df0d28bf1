# Exemplars of texts with a document that is far longer than the others, and labels that are no classes.
"$PYTHON" - <<'PY'
import os, random
random.seed(11)
words = [["%s%s" % (a, b) for b in "ba ce di fo gu ka le mi no pu ra se ti vo zu".split()] for a in "al er in on ur".split()]
for kind in range(5):
    os.makedirs("texts/class%d" % kind)
    for k in range(12):
        open("texts/class%d/%d.txt" % (kind, k), "w").write(" ".join(random.sample(words[kind], 6)))
for k in range(40):
    open("texts/class%d/mixed%02d.txt" % (k % 5, k), "w").write(" ".join(random.choice(group) for group in words))
everything = [w for group in words for w in group]
open("texts/class0/manual.txt", "w").write(" ".join(everything * 3))
open("single.txt", "w").write("\n".join(["rare"] + ["often", "other"] * 50) + "\n")
open("differ.txt", "w").write("\n".join(map(str, range(101))) + "\n")
open("short.txt", "w").write("a\nb\n")
PY
show() {
    "$PYTHON" -c '
import json, sys
for name in sys.argv[1:]:
    r = json.load(open(name + "/result.json"))
    manual = [k for k, n in enumerate(r["names"]) if n == "class0/manual.txt"]
    print(name, "manual" if manual else "no manual", len(r["mean_similarity"]) == len(r["exemplars"]) == 5)
    for k, m in enumerate(r["members"]):
        own = [s for s, c in zip(m["similarity"], m["columns"]) if c != r["exemplars"][k]]
        mean = r["mean_similarity"][k]
        assert mean is None if not own else abs(mean - sum(own) / len(own)) < 1e-9
    page = open(name + "/report.html").read()
    print("<th>similarity" in page or ">similarity<" in page)' "$@"
}
for method in central facility; do # without the limit: a warning
    conehull exemplars texts -r 5 --method "$method" -o "$method" | grep -c similarity
    conehull exemplars texts -r 5 --method "$method" --longest 0 -o "$method-all" >/dev/null
done
show central central-all facility facility-all
echo "== labels"
conehull exemplars texts -r 5 --labels column:kind
echo "code $?"
conehull exemplars texts -r 5 --labels differ.txt
echo "code $?"
conehull exemplars texts -r 5 --labels short.txt
echo "code $?"
conehull exemplars texts -r 5 --labels single.txt | tail -6
