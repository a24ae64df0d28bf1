# Ratios come with both sides, their noise and the machine; wrong words and missing data are told before anything runs.
conehull bench rpca_over_median
conehull bench --turns 4
conehull bench two_threads two_threads
conehull bench two_threads -o missing/out
conehull bench rpca_over_robust_xray --data missing --quiet
echo "= $?"
conehull bench select_over_read --quick -o out
ls out
head -1 out/bench.csv
conehull bench admm_over_exact --quick --json > bench.json
# A Python that cannot start: the ratio says so, and nothing is made up.
env PYTHONNOUSERSITE=1 PYTHONHOME=/nowhere conehull bench sklearn_over_conehull --quick --json > absent.json
"$PYTHON" - <<'PY'
import json, os, signal, subprocess, time

result = json.load(open("bench.json", encoding="utf-8"))
print(sorted(result), sorted(result["machine"]))
row = result["admm_over_exact"]
print(sorted(row), row["turns"])
for side in ("above", "below"):
    assert 0 < row[side]["min"] <= row[side]["median"] <= row[side]["max"], row
assert row["ratio"] == row["above"]["min"] / row["below"]["min"], row
assert row["noise"]["min"] <= row["noise"]["median"] <= row["noise"]["max"], row
# Both sides solved the same problem.
admm, exact = (row["details"][name]["objective"] for name in ("admm", "exact"))
assert abs(admm - exact) <= 1e-6 * exact, (admm, exact)

absent = json.load(open("absent.json", encoding="utf-8"))["sklearn_over_conehull"]
print({key: absent[key] for key in ("ratio", "status", "why")})

run = subprocess.Popen(["conehull", "bench", "--json", "-o", "stopped"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[11])


while run.poll() is None and ticks(run.pid) < 40:  # it has begun to measure
    time.sleep(0.05)
run.send_signal(signal.SIGINT)
print(run.communicate(timeout=60)[0], run.returncode, os.path.exists("stopped"))
PY
