# Columns with missing entries become anchors by what was measured, not by estimates.
"$PYTHON" - <<'PY'
import json, subprocess
import numpy as np

def make(seed, columns, rows, rank, holes, planted):
    """Mixtures of planted columns with 1 % noise; holes in mixtures, or (planted) in the planted columns too."""
    rng = np.random.default_rng(seed)
    corners = rng.gamma(1, 1, (rank, rows))
    mixed = rng.dirichlet(np.full(rank, .5), columns - rank) @ corners
    X = np.abs(np.vstack([corners, mixed]) * (1 + .01 * rng.standard_normal((columns, rows))))
    for _ in range(holes):
        X[rng.integers(0 if planted else rank, columns), rng.integers(rows)] = np.nan
    order = rng.permutation(columns)
    return X[order], set(np.argsort(order)[:rank].tolist())

def run(X, *options):
    np.save("X.npy", X)
    words = ["conehull", "anchors", "X.npy", "--transpose", "--missing", "nan", "--json", "--quiet", "-o", "out", *options]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

def count(rows, rank, holes, planted, *options):
    false = found = complete = 0
    for seed in range(10):
        X, truth = make(seed, 40, rows, rank, holes, planted)
        result = run(X, *options)
        anchors = set(result["anchors"])
        found += len(truth & anchors)
        false += sum(bool(np.isnan(X[a]).any()) for a in anchors - truth)
    return found, false

automatic, plain = count(6, 4, 4, False, "-r", "auto"), count(6, 4, 4, False, "-r", "auto", "--max-missing", "0.5")
print("incomplete mixtures as anchors: at most 2 of 10 runs", automatic[1] <= 2, "without the rule more than 8", plain[1] > 8)
print("planted ones found", automatic[0] >= plain[0])
rule, plain, strict = (count(12, 4, 24, True, "-r", "4", *o) for o in ((), ("--max-missing", "0.5"), ("--max-missing", "0")))
print("incomplete planted ones are found", rule[0] >= plain[0] - 1, "but not among complete ones alone", strict[0] < rule[0] - 5)
X, truth = make(1, 40, 6, 4, 4, False)
print("barred", run(X, "-r", "4")["missing"]["incomplete"] > 0)
verify = ["conehull", "verify", "X.npy", "out", "--json", "--quiet"]
print("verified", json.loads(subprocess.run(verify, capture_output=True, text=True).stdout)["ok"])
text = open("out/result.json").read()
open("out/result.json", "w").write(text.replace('"max-missing": -1.0', '"max-missing": 0.5'))
print("another rule", json.loads(subprocess.run(verify, capture_output=True, text=True).stdout)["ok"])
PY
