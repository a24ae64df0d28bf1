# The field bench on generated data: every selector has its figures, what is missing is named, what is done is not run again.
"$PYTHON" -c 'import numpy, scipy' 2>/dev/null || exit 77
"$PYTHON" "$CASES/make_news.py" || exit
# A peer that is not installed has a row for each measure: the number of rows depends on the machine.
bench() { "$PYTHON" "$CASES/../../../lab/field/run_field.py" "$(command -v conehull)" --quiet "$@" | sed 's/[0-9]* rows/all rows/'; }
bench --quick --only planted -o made
bench --data data --only video topics -o real
cp made/units.jsonl before
printf '{"key": "cut in the mid' >> made/units.jsonl
bench --quick --only planted -o made
cmp before made/units.jsonl && echo "nothing was run again"
"$PYTHON" - "$CASES/../../../lab" <<'END'
import csv, json, re, sys

sys.path.insert(0, sys.argv[1])
from field.tasks import selectors

with open("made/field.json", encoding="utf-8") as file:
    made = json.load(file)
with open("made/field.csv", encoding="utf-8", newline="") as file:
    table = list(csv.DictReader(file))
rows = {(row["method"], row["measure"]): row for row in made["rows"] if row["group"] == "planted"}
assert len(table) == len(made["rows"])
for name, _ in selectors():
    row = rows[name, "found"]
    assert row["status"] == "done" and row["runs"] == 2 and row["sd"] is not None and 0 <= row["mean"] <= 1, row
    assert row["processor_seconds"] > 0 and row["peak_mb"] > 1, row
# No noise worth the name: the paper's method and ours find what was planted; NumPy's SPA is the same method as ours.
assert rows["l1", "found"]["mean"] >= 0.75, rows["l1", "found"]
assert rows["SPA, NumPy", "found"]["mean"] == rows["spa plain", "found"]["mean"]
assert not any(method.startswith("scikit-learn") and measure == "found" for method, measure in rows)
print(len(selectors()), "selectors,", made["run"]["runs"], "of", made["run"]["of"], "runs")
with open("real/field.json", encoding="utf-8") as file:
    real = json.load(file)["rows"]
row, = (row for row in real if row["method"] == "conehull topics")
assert row["data"] == "BBC" and row["measure"] == "NPMI" and -1 <= row["mean"] <= 1 and row["runs"] == 3, row
page = open("made/index.html", encoding="utf-8").read()
assert "Content-Security-Policy" in page and not re.search(r'(src|href)="(https?:)?//', page)
print("charts:", page.count("<svg"))
END
