#!/usr/bin/env python3
"""conehull anchors --refine beside scikit-learn's NMF: loss against processor time.

    compare_refine.py CONEHULL DATA [--rounds 2,5,10] [--turns N]

DATA holds text/bbc and spectra/samson. Digits (scikit-learn's, 64 x 1797, rank 40), BBC's counts (9635 x 2225, rank 20) and
Samson (156 x 9025, rank 3), squares and KL. scikit-learn has its defaults (nndsvda, 200 iterations, tol 1e-4), with coordinate
descent and multiplicative updates for squares and multiplicative updates for KL. Both run on one thread. The time of
scikit-learn is that of fit_transform, least of N turns; ours is that of the whole command, selection, reading and writing
included. The column "fit" has the time of selection, projection and refinement alone, which is the time to compare with
fit_transform; it is measured by the clock, so the machine must be idle. Losses are computed here, from the factors, in the
same way for both; KL with conehull's floor under both models. The last column is the loss over that of scikit-learn's best solver."""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF


def loss_of(kind, X, W, H, floor):
    X = scipy.sparse.csc_matrix(X)
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    fit = np.einsum("ij,ij->i", W[X.indices], H.T[column])
    if kind == "kl":
        whole = W.sum(0) @ H.sum(1) + floor * X.shape[0] * X.shape[1]
        return float((X.data * np.log(X.data / (fit + floor)) - X.data).sum() + whole)
    return float((X.data**2 - 2 * X.data * fit).sum() + ((W.T @ W) * (H @ H.T)).sum())


def peer(X, kind, solver, rank, floor, turns):
    seconds, samples = np.inf, scipy.sparse.csr_matrix(X.T) if scipy.sparse.issparse(X) else np.ascontiguousarray(X.T)
    how = dict(beta_loss="kullback-leibler") if kind == "kl" else {}
    for _ in range(turns):
        model = NMF(rank, random_state=0, solver=solver, **how)
        start = time.process_time()
        weights = model.fit_transform(samples)
        seconds = min(seconds, time.process_time() - start)
    return seconds, seconds, loss_of(kind, X, model.components_.T, weights.T, floor), model.n_iter_


def ours(command, file, X, kind, rank, rounds, floor, turns):
    seconds, fit = np.inf, np.inf
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(turns):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([command, "anchors", file, "-r", str(rank), "--loss", kind, "--refine", str(rounds), "--threads", "1",
                            "--quiet", *(["--floor", str(floor)] if kind == "kl" else []), "-o", folder], stdout=subprocess.DEVNULL,
                           check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            with open(os.path.join(folder, "result.json")) as text:
                parts = json.load(text)["seconds"]
            fit = min(fit, parts["select"] + parts["project"])
            seconds = min(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        W, H = (np.load(os.path.join(folder, name)) for name in ("W_refined.npy", "H_refined.npy"))
        with open(os.path.join(folder, "result.json")) as text:
            path = json.load(text)["refined"]["path"]
        assert all(b <= a * (1 + 1e-9) for a, b in zip(path, path[1:])), "the loss rose"
    return seconds, fit, loss_of(kind, X, W, H, floor), len(path) // 2


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("command")
    ask.add_argument("data")
    ask.add_argument("--rounds", default="1,2,4,8,16")
    ask.add_argument("--turns", type=int, default=3)
    ask.add_argument("--only", default="digits,bbc,samson")
    given = ask.parse_args()
    warnings.simplefilter("ignore")
    bbc = os.path.join(given.data, "text/bbc/bbc.mtx.gz")
    cases = {"digits": (lambda: load_digits().data.T, 40), "bbc": (lambda: scipy.io.mmread(bbc).tocsc().astype(float), 20),
             "samson": (lambda: np.maximum(scipy.io.loadmat(os.path.join(given.data, "spectra/samson/samson.mat"))["Y"],
                                           0).astype(float), 3)}
    print(f"{'data':8} {'loss':4} {'method':22} {'seconds':>8} {'fit':>8} {'value':>12} {'ratio':>7}")
    for name in given.only.split(","):
        X, rank = cases[name][0](), cases[name][1]
        with tempfile.TemporaryDirectory() as folder:
            file = bbc if name == "bbc" else os.path.join(folder, "X.npy")
            if name != "bbc":
                np.save(file, np.asfortranarray(X))
            for kind, solvers in (("l2", ("cd", "mu")), ("kl", ("mu",))):
                floor = 1e-6 * X.mean()
                rows = [(f"scikit-learn {solver}", *peer(X, kind, solver, rank, floor, given.turns)) for solver in solvers]
                best = min(row[3] for row in rows)
                rows += [(f"refine {n}", *ours(given.command, file, X, kind, rank, n, floor, given.turns))
                         for n in given.rounds.split(",")]
                for method, seconds, fit, value, rounds in rows:
                    solver = f"{method} ({rounds})"
                    print(f"{name:8} {kind:4} {solver:22} {seconds:8.2f} {fit:8.2f} {value:12.5g} {value / best:7.3f}", flush=True)


main()
