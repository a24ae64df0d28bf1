# Sequences for `reproduce video`: what is missing or cannot be used, and the grid of one that can.
conehull info --json | grep -q '"video": null' && exit 77
"$PYTHON" "$CASES/make_inputs.py" film || exit
mkdir -p data/video/lobby poor/video/lobby/gt
mv gray data/video/lobby/frames.mkv && mv truth data/video/lobby/gt
cp -r data/video/lobby/frames.mkv poor/video/lobby && cp data/video/lobby/gt/005.pgm poor/video/lobby/gt
conehull reproduce video -o out --data data
echo "= $?"
conehull reproduce video-lobby -o out --quiet --data poor
echo "= $?"
ls out
conehull reproduce video-lobby -o out --quick --quiet --data data >said
echo "= $?"
ls out
wc -l <out/video-lobby.csv
grep -A1 '10 times faster' said | cut -c9-60
"$PYTHON" - <<'PYTHON'
import json
figure = json.load(open("out/video-lobby.json", encoding="utf-8"))
results = figure["results"]
authors = {(row["method"], row["parameter"]) for row in results["grid"] if row["authors"]}
print(sorted(authors))
for row in results["methods"]:
    grid = [other["auc"] for other in results["grid"] if other["method"] == row["name"]]
    assert row["auc"] == max(grid), row["name"]
    assert len(row["without"]) == figure["settings"]["masks"] == 6
    assert all(a <= b for a, b in zip(row["rate"], row["rate"][1:])), row["name"]
print([row["name"] for row in results["methods"]])
PYTHON
