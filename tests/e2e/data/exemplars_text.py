#!/usr/bin/env python3
"""Exemplars of Reuters and BBC: accuracies pinned within their noise, and what the docs say of them.

    exemplars_text.py CONEHULL DATA          ($CONEHULL_DATA, where set, goes before DATA)

- robust-xray with its usual settings: accuracy at r = 10, 50, 150, mean of 3 splits, within 3
  standard errors of lab/expected/exemplars_*.csv (five splits; also the figures of docs/exemplars.md);
- not worse than the longest documents first (--weight raw) at r = 50;
- more of the squares explained by 50 exemplars than by 10.

Exit 77 (skipped) without the data, or in a build without a classifier."""
import csv
import json
import math
import os
import subprocess
import sys

SKIPPED = 77
SPLITS, SIZES = 3, (10, 50, 150)
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "lab", "expected")


def read_expected(name):
    """r: mean in %, and the standard error of SPLITS splits, from what is pinned of robust-xray."""
    with open(os.path.join(EXPECTED, f"exemplars_{name}.csv"), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "robust-xray" and int(row["r"]) in SIZES]
    assert len(rows) == len(SIZES), f"{name}: pinned at {len(rows)} sizes of {SIZES}"
    return {int(row["r"]): (100 * float(row["mean"]), 100 * float(row["sd"]) / math.sqrt(SPLITS)) for row in rows}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if "no classifier" in done.stderr:
        skip("this build has no classifier")
    assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def check(command, place, expected):
    words = (command, "exemplars", f"{place}.mtx.gz", "--labels", f"{place}.labels", "--terms", f"{place}.terms",
             "-r", ",".join(map(str, expected)), "--splits", str(SPLITS), "--json", "--quiet")
    found = run(*words)
    raw = run(*words, "--weight", "raw")
    for r, (mean, error) in expected.items():
        got = 100 * found["accuracy"][str(r)]["mean"]
        assert abs(got - mean) <= 3 * error, f"{place}, r = {r}: {got:.1f} %, expected {mean:.1f} +- {3 * error:.1f}"
        print(f"{os.path.basename(place)} r = {r}: {got:.1f} % ({mean:.1f} +- {3 * error:.1f})")
    assert found["accuracy"]["50"]["mean"] > raw["accuracy"]["50"]["mean"], "raw counts are as good"
    assert len(set(found["exemplars"])) == max(expected) and all(len(words) for words in found["terms"])
    few = run(command, "exemplars", f"{place}.mtx.gz", "-r", "10", "--json", "--quiet")
    assert few["explained"] < found["explained"] < 1


def main(command, data):
    data = os.path.join(os.environ.get("CONEHULL_DATA", data), "text")
    for name in ("reuters10", "bbc"):
        place = os.path.join(data, name, name)
        if not os.path.exists(f"{place}.mtx.gz"):
            skip(f"{place}.mtx.gz is not here")
        check(command, place, read_expected(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
