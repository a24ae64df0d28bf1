#!/usr/bin/env python3
"""conehull anchors --refine beside scikit-learn's NMF: loss against time.

    compare_refine.py CONEHULL DATA [--rounds 1,2,4] [--turns N] [--only digits,bbc,samson] [--losses l2,kl]

DATA holds text/bbc and spectra/samson. Digits (scikit-learn's, 64 x 1797, rank 40), BBC's counts (9635 x 2225, rank 20) and
Samson (156 x 9025, rank 3), squares and KL. scikit-learn has its defaults (nndsvda, 200 iterations, tol 1e-4), with coordinate
descent (its default) and multiplicative updates for squares and multiplicative updates for KL. Both run on one thread.

"processor" and "clock" are seconds, the least of N turns each; scikit-learn's are those of fit_transform, ours those of the whole
command, with start, reading and writing. "fit" is the clock's time of selection, projection and refinement alone, which is the
time to compare with fit_transform. Losses are computed here, from the factors, in the same way for both; KL with conehull's floor
under both models. The last columns are loss and time over those of each solver of scikit-learn: 0.98 / 0.71 is 0.98 times its
loss in 0.71 times its clock's time, measured by "fit". The machine must be idle."""
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


class Clock:
    """The least processor and clock time of several turns; processor() is the time spent so far."""

    def __init__(self, processor):
        self.processor, self.least = processor, [np.inf, np.inf]

    def __enter__(self):
        self.start = self.processor(), time.perf_counter()

    def __exit__(self, *_):
        now = self.processor(), time.perf_counter()
        self.least = [min(least, end - start) for least, end, start in zip(self.least, now, self.start)]


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peer(X, kind, solver, rank, floor, turns):
    clock, samples = Clock(time.process_time), scipy.sparse.csr_matrix(X.T) if scipy.sparse.issparse(X) else np.ascontiguousarray(X.T)
    how = dict(beta_loss="kullback-leibler") if kind == "kl" else {}
    for _ in range(turns):
        model = NMF(rank, random_state=0, solver=solver, **how)
        with clock:
            weights = model.fit_transform(samples)
    return (*clock.least, clock.least[1], loss_of(kind, X, model.components_.T, weights.T, floor), model.n_iter_)


def ours(command, file, X, kind, rank, rounds, floor, turns):
    clock, fit = Clock(children), np.inf
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(turns):
            with clock:
                subprocess.run([command, "anchors", file, "-r", str(rank), "--loss", kind, "--refine", str(rounds), "--threads", "1",
                                "--quiet", *(["--floor", str(floor)] if kind == "kl" else []), "-o", folder],
                               stdout=subprocess.DEVNULL, check=False)
            with open(os.path.join(folder, "result.json")) as text:
                result = json.load(text)
            fit = min(fit, result["seconds"]["select"] + result["seconds"]["project"])
        W, H = (np.load(os.path.join(folder, name)) for name in ("W_refined.npy", "H_refined.npy"))
        path = result["refined"]["path"]
        assert all(b <= a * (1 + 1e-9) for a, b in zip(path, path[1:])), "the loss rose"
    return (*clock.least, fit, loss_of(kind, X, W, H, floor), len(path) // 2)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("command")
    ask.add_argument("data")
    ask.add_argument("--rounds", default="1,2,4,8,16")
    ask.add_argument("--turns", type=int, default=3)
    ask.add_argument("--only", default="digits,bbc,samson")
    ask.add_argument("--losses", default="l2,kl")
    given = ask.parse_args()
    warnings.simplefilter("ignore")
    bbc = os.path.join(given.data, "text/bbc/bbc.mtx.gz")
    cases = {"digits": (lambda: load_digits().data.T, 40), "bbc": (lambda: scipy.io.mmread(bbc).tocsc().astype(float), 20),
             "samson": (lambda: np.maximum(scipy.io.loadmat(os.path.join(given.data, "spectra/samson/samson.mat"))["Y"],
                                           0).astype(float), 3)}
    print(f"{'data':8} {'loss':4} {'method':22} {'processor':>9} {'clock':>8} {'fit':>8} {'value':>12}  loss / time over cd, mu")
    for name in given.only.split(","):
        X, rank = cases[name][0](), cases[name][1]
        with tempfile.TemporaryDirectory() as folder:
            file = bbc if name == "bbc" else os.path.join(folder, "X.npy")
            if name != "bbc":
                np.save(file, np.asfortranarray(X))
            for kind in given.losses.split(","):
                solvers = ("cd", "mu") if kind == "l2" else ("mu",)
                floor = 1e-6 * X.mean()
                peers = [(f"scikit-learn {solver}", *peer(X, kind, solver, rank, floor, given.turns)) for solver in solvers]
                rows = peers + [(f"refine {n}", *ours(given.command, file, X, kind, rank, n, floor, given.turns))
                                for n in given.rounds.split(",")]
                for method, processor, clock, fit, value, rounds in rows:
                    ratios = "  ".join(f"{value / other[4]:.3f} / {fit / other[3]:.2f}" for other in peers)
                    print(f"{name:8} {kind:4} {f'{method} ({rounds})':22} {processor:9.2f} {clock:8.2f} {fit:8.2f} {value:12.5g}  {ratios}",
                          flush=True)


main()
