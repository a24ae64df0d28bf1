#!/usr/bin/env python3
"""Exemplars of Reuters and BBC: accuracies pinned within their noise, and what the docs say of them.

    exemplars_text.py CONEHULL DATA          ($CONEHULL_DATA, where set, goes before DATA)

- central documents (the default), facility location and robust-xray: accuracy at r = 10, 50, 150, mean of 3 splits, within 3
  standard errors of lab/expected/exemplars_*.csv (five splits; also the figures of docs/exemplars.md);
- robust-xray not worse than the longest documents first (--weight raw) at r = 50;
- central documents at least 3 points ahead of random choice at r = 10 and 50, and facility location proven to be near the best choice;
- more of the squares explained by 150 exemplars than by 10.

Exit 77 (skipped) without the data, or in a build without a classifier."""
import csv
import json
import math
import os
import subprocess
import sys

SKIPPED = 77
SPLITS, SIZES = 3, (10, 50, 150)
# Of the best value there is, by facility location with the default weight and similarity; no randomness in it.
PROVEN = {"bbc": 0.892, "reuters10": 0.943}
EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "lab", "expected")


def read_expected(name, method):
    """r: mean in %, and the standard error of SPLITS splits, from what is pinned of the method."""
    with open(os.path.join(EXPECTED, f"exemplars_{name}.csv"), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == method and int(row["r"]) in SIZES]
    assert len(rows) == len(SIZES), f"{name}: pinned at {len(rows)} sizes of {SIZES}"
    return {int(row["r"]): (100 * float(row["mean"]), 100 * float(row["sd"]) / math.sqrt(SPLITS)) for row in rows}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if "no classifier" in done.stderr:
        skip("this build of conehull has no classifier")
    assert done.returncode == 0, f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def check(command, name, place):
    words = (command, "exemplars", f"{place}.mtx.gz", "--labels", f"{place}.labels", "--terms", f"{place}.terms",
             "-r", ",".join(map(str, SIZES)), "--splits", str(SPLITS), "--json", "--quiet")
    default, others = run(*words), run(*words, "--method", "facility,robust-xray,random")
    facility, xray, chance = others["results"]
    raw = run(*words, "--method", "robust-xray", "--weight", "raw")
    assert default["method"] == "central"
    for found in (default, facility, xray):
        for r, (mean, error) in read_expected(name, found["method"]).items():
            got, near = 100 * found["accuracy"][str(r)]["mean"], max(3 * error, 1)
            assert abs(got - mean) <= near, f"{name}, r = {r}: {got:.1f} %, expected {mean:.1f} +- {near:.1f}"
            print(f"{name} {found['method']} r = {r}: {got:.1f} % ({mean:.1f} +- {near:.1f})")
        assert len(set(found["exemplars"])) == max(SIZES) and all(len(words) for words in found["terms"])
    assert xray["accuracy"]["50"]["mean"] > raw["accuracy"]["50"]["mean"], "raw counts are as good"
    for r in ("10", "50"):
        assert default["accuracy"][r]["mean"] > chance["accuracy"][r]["mean"] + 0.03, f"{name}, r = {r}: as by chance"
    share = facility["facility"]["value"] / facility["facility"]["optimum_at_most"]
    assert share > PROVEN[name] - 0.005, f"{name}: proven to have {share:.3f} of the best value"
    few = run(command, "exemplars", f"{place}.mtx.gz", "-r", "10", "--json", "--quiet")
    assert few["explained"] < default["explained"] < 1


def main(command, data):
    data = os.path.join(os.environ.get("CONEHULL_DATA", data), "text")
    for name in ("reuters10", "bbc"):
        place = os.path.join(data, name, name)
        if not os.path.exists(f"{place}.mtx.gz"):
            skip(f"{place}.mtx.gz is not here")
        check(command, name, place)


if __name__ == "__main__":
    main(*sys.argv[1:])
