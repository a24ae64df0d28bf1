#!/usr/bin/env python3
"""Planted data of which entries are gone: are the anchors still found, and what does it cost?

    PYTHONPATH=build/python lab/missing_entries.py [--rows 150] [--columns 5000] [--rank 8] [--seeds 5] [--noise 0.02]

Every column is a mixture of `rank` columns that are in the data, once each, times noise; then each entry is gone with
the given probability. Prints, per loss and share: planted anchors found, || X - W H || / || X || against the complete
noisy data, the entries of W that were completed and how far they are from the truth, and processor time relative to
the complete case in the same run (the least of the seeds); then the same for weights of rows.
"""
import argparse
import time

import numpy as np

import conehull


def planted(rows, columns, rank, noise, seed):
    rng = np.random.RandomState(seed)
    corners = rng.gamma(1, 1, (rank, rows))
    mixtures = rng.dirichlet(np.full(rank, 0.5), columns - rank) @ corners
    X = np.abs(np.vstack([corners, mixtures]) * (1 + noise * rng.randn(columns, rows)))
    order = rng.permutation(columns)
    return X[order], set(np.argsort(order)[:rank].tolist()), rng


def timed(X, rank, **settings):
    before = time.process_time()
    found = conehull.anchors(X, rank, n_jobs=1, **settings)
    return found, time.process_time() - before


def measure(options, loss, share, most):
    """Returns means over the seeds, and the ratio of the smallest times."""
    rows, seconds, complete = [], [], []
    for seed in range(options.seeds):
        X, truth, rng = planted(options.rows, options.columns, options.rank, options.noise, seed)
        Y = X.copy()
        Y[rng.rand(*X.shape) < share] = np.nan
        for _ in range(2):
            complete.append(timed(X, options.rank, loss=loss)[1])
            found, took = timed(Y, options.rank, loss=loss, missing="nan", max_missing=most)
            seconds.append(took)
        error = np.linalg.norm(found.weights @ found.components - X) / np.linalg.norm(X)
        off = 0
        if found.completed is not None:
            right = X[found.anchors]
            off = np.linalg.norm((found.components - right)[found.completed]) / np.linalg.norm(right[found.completed])
        rows.append((len(truth & set(found.anchors.tolist())) / options.rank, error, off, found.certificate.gap))
    return np.mean(rows, axis=0), np.max(rows, axis=0)[3], min(seconds) / min(complete)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("rows", 150), ("columns", 5000), ("rank", 8), ("seeds", 5), ("noise", 0.02)):
        parser.add_argument("--" + name, type=type(value), default=value)
    options = parser.parse_args()
    print("| loss | missing | found | error | completed entries off by | worst gap | time |\n|---|---|---|---|---|---|---|")
    for loss in ("l1", "l2", "kl"):
        for share in (0, 0.1, 0.3, 0.5):
            (found, error, off, _), gap, ratio = measure(options, loss, share, 0.65)
            print(f"| {loss} | {share:.0%} | {found:.0%} | {error:.4f} | {off:.3f} | {gap:.1g} | {ratio:.2f} |", flush=True)
    X, _, rng = planted(options.rows, options.columns, options.rank, options.noise, 0)
    weights = 0.5 + rng.rand(options.rows)
    for loss in ("l1", "l2", "kl"):
        plain = min(timed(X, options.rank, loss=loss)[1] for _ in range(3))
        weighted = min(timed(X, options.rank, loss=loss, feature_weight=weights)[1] for _ in range(3))
        print(f"row weights, {loss}: {weighted / plain:.2f} times the time without")


if __name__ == "__main__":
    main()
