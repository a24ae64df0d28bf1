#!/usr/bin/env python3
"""What the paper leaves open about exemplars (Section 5.2), tried one by one.

    exemplars_grid.py CONEHULL DATA [--set reuters10|bbc|digits] [--splits N] [-o FILE.csv]

DATA holds SET/SET.mtx.gz and SET/SET.labels; digits come with scikit-learn and need no DATA (-).
Every row is one run of `conehull exemplars --labels`: robust-xray with one reading changed, other
methods and random choice beside it. Accuracy in %, mean and standard deviation over the splits."""
import argparse
import csv
import json
import os
import subprocess
import tempfile

RANKS = (10, 50, 150)
ROWS = [("random choice", "--method random")]
ROWS += [(f"weight {weight}", f"--weight {weight}")
         for weight in ("raw", "log", "tfidf", "l1", "l2", "log+l1", "tfidf+l1", "log+l2", "tfidf+l2")]
for weight in ("raw", "l1"):
    start = f"--weight {weight}"
    ROWS += [(f"{weight}, first anchor kept (D* = X)", f"{start} --first paper"),
             (f"{weight}, exterior column drawn", f"{start} --exterior rand"),
             (f"{weight}, u = -1", f"{start} --dual paper"),
             (f"{weight}, features raw", f"{start} --features raw"),
             (f"{weight}, features tfidf+l2", f"{start} --features tfidf+l2"),
             (f"{weight}, C = 0.1", f"{start} --cost 0.1"),
             (f"{weight}, C = 10", f"{start} --cost 10"),
             (f"{weight}, hinge loss", f"{start} --svm hinge"),
             (f"{weight}, Crammer and Singer", f"{start} --svm crammer")]
ROWS += [("raw, first anchor kept, ADMM to 1e-2", "--weight raw --projection admm --tol 1e-2 --first paper")]
ROWS += [(f"{method}, {weight}", f"--method {method} --weight {weight}")
         for method in ("spa", "xray-l2", "xray-kl") for weight in ("raw", "l1", "tfidf+l1", "tfidf+l2")]


def digits(folder):
    """Writes the 1797 pictures of digits of scikit-learn, 8 x 8."""
    import numpy
    from sklearn.datasets import load_digits
    data = load_digits()
    numpy.save(f"{folder}/digits.npy", data.data.T.astype(numpy.uint8).copy(order="F"))
    with open(f"{folder}/digits.labels", "w", encoding="utf-8") as file:
        file.writelines(f"{label}\n" for label in data.target)
    return f"{folder}/digits.npy", f"{folder}/digits.labels"


def measure(command, matrix, labels, words, splits):
    ranks = ",".join(map(str, RANKS))
    done = subprocess.run([command, "exemplars", matrix, "--labels", labels, "-r", ranks, "--splits", str(splits),
                           "--json", "--quiet", *words.split()], stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        return None  # the command has printed the reason
    result = json.loads(done.stdout)
    return [(100 * result["accuracy"][str(r)]["mean"], 100 * (result["accuracy"][str(r)]["sd"] or 0)) for r in RANKS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command")
    parser.add_argument("data")
    parser.add_argument("--set", default="reuters10")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("-o", "--output")
    given = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        if given.set == "digits":
            matrix, labels = digits(folder)
        else:
            place = os.path.join(given.data, given.set, given.set)
            matrix, labels = f"{place}.mtx.gz", f"{place}.labels"
        print(f"{given.set}, {given.splits} splits".ljust(44) + "".join(f"{f'r = {r}':>14}" for r in RANKS))
        for name, words in ROWS:
            figures = measure(given.command, matrix, labels, words, given.splits)
            if not figures:
                continue
            print(name.ljust(44) + "".join(f"{mean:8.1f} {sd:5.1f}" for mean, sd in figures), flush=True)
            lines.append([name, words] + [f"{value:.3f}" for figure in figures for value in figure])
    if given.output:
        with open(given.output, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["reading", "options"] + [f"{kind}{r}" for r in RANKS for kind in ("mean", "sd")])
            writer.writerows(lines)


if __name__ == "__main__":
    main()
