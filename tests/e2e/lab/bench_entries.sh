# One subject in depth: every name of the help is known, and entries have records, files and charts of one form.
for name in all $(conehull bench --help | sed -nE '/NAME selects one ratio:$/,/^Examples/s/^  ([a-z_]+)  +[a-zA-Z].*/\1/p'); do
    conehull bench $name -o missing/out 2>&1
done | sort -u
conehull bench nnlad --quick --quiet --json -o out > nnlad.json
conehull bench scaling --quick --quiet -o out > said
head -2 said
ls out
conehull bench exemplars --quick --quiet | sed -n '2p;4p'
"$PYTHON" - <<'PY'
import csv, json

result = json.load(open("nnlad.json", encoding="utf-8"))["nnlad"]
print(sorted(result))
for record in result["records"]:
    assert record["ratio"] == record["above"]["min"] / record["below"]["min"], record
    assert record["threads"] == 1 and record["turns"] == 5, record
print(sorted(result["records"][0]), [record["name"] for record in result["records"]][-1])
sweeps = json.load(open("out/bench.json", encoding="utf-8"))["scaling"]["sweeps"]
print(*(sweep["sweep"] for sweep in sweeps))
for sweep in sweeps:
    assert len(sweep["size"]) == len(sweep["select_seconds"]) == len(sweep["memory_bytes"]) == 3, sweep
rows = list(csv.reader(open("out/bench.csv", encoding="utf-8")))
assert len({len(row) for row in rows}) == 1, "names with commas are quoted"
print(len(rows))
PY
