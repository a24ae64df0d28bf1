#!/usr/bin/env python3
"""Exemplars of documents by conical hulls, made more representative in the ways that one would think of first, beside facility
location and random choice.

    exemplars_variants.py DATA [--set reuters10|bbc] [--splits N]      (the Python package of the build must be importable)

Accuracy in % of a linear SVM that knows only the exemplars of a random half (the protocol of docs/exemplars.md; splits are drawn here),
mean and standard deviation over the splits."""
import argparse
import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np
import scipy.io
import scipy.sparse as sparse
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import conehull

RANKS = (10, 50, 150)


def columns(X, r, *, rows=None, **how):
    """Returns rows of X, chosen among `rows` only, by conehull.exemplars()."""
    rows = np.arange(X.shape[0]) if rows is None else rows
    return rows[conehull.exemplars(X[rows], r, n_jobs=1, **how).indices]


def hull(X, r, **how):
    """Returns the anchors of the convex hull of tf-idf rows that sum to 1, in l1."""
    idf = np.log((1 + X.shape[0]) / (1 + np.bincount(X.indices, minlength=X.shape[1]))) + 1
    return np.asarray(conehull.anchors(normalize(X @ sparse.diags(idf), "l1"), r, loss="l1", select_only=True, n_jobs=1, **how).anchors)


def quantile(X, r, q):
    """Returns the anchors of rows that sum to 1 under the quantile loss: a word above the model costs 2 q, below it 2 (1 - q)."""
    return np.asarray(conehull.anchors(normalize(X, "l1"), r, loss=f"quantile:{q}", select_only=True, n_jobs=1).anchors)


def central(Z, chosen):
    """Replaces each exemplar by the document nearest to the mean of its 20 nearest neighbours."""
    made = []
    for j in chosen:
        near = np.argsort(-(Z @ Z[j].T).toarray().ravel(), kind="stable")[:20]
        likeness = (Z @ np.asarray(Z[near].mean(0)).ravel())
        likeness[made] = -1
        made.append(int(likeness.argmax()))
    return np.array(made)


def medoids(Z, chosen):
    """Makes one step of k-medoids: replaces each exemplar by the document of its group that is most similar to the others of the group."""
    likeness = (Z @ Z[chosen].T).toarray()
    nearest, made = likeness.argmax(1), []
    for k, j in enumerate(chosen):
        members = np.flatnonzero(nearest == k)
        made.append(members[(Z[members] @ np.asarray(Z[members].sum(0)).ravel()).argmax()] if len(members) else j)
    return np.array(made)


def variants(X, r, rng):
    Z = normalize(X.copy().log1p())
    length = np.asarray(X.sum(1)).ravel()
    xray = columns(X, r, method="robust-xray")
    yield "random", columns(X, r, method="random", random_state=rng)
    yield "robust-xray", xray
    for share in (0.5, 0.75):
        rows = np.flatnonzero(length >= np.quantile(length, share))
        yield f"robust-xray, documents longer than {100 * share:.0f} % of all", columns(X, r, rows=rows, method="robust-xray")
    yield "robust-xray, tfidf+l1", columns(X, r, method="robust-xray", weight="tfidf+l1")
    yield "convex hull, tfidf+l1", hull(X, r, hull="convex")
    for q in (0.25, 0.75):
        yield f"robust-xray, quantile loss {q}", quantile(X, r, q)
    yield "robust-xray, then the nearest central document", central(Z, xray)
    yield "robust-xray, then one k-medoids step", medoids(Z, xray)
    yield "k-means, nearest document", columns(X, r, method="kmeans", random_state=rng)
    yield "facility location, cosine of tf-idf", columns(X, r, method="facility", similarity="cosine", weight="tfidf+l2")
    yield "facility location, log", columns(X, r, method="facility", weight="log+l2")
    yield "facility location", columns(X, r, method="facility")
    yield "central documents (default)", columns(X, r)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data")
    parser.add_argument("--set", default="reuters10")
    parser.add_argument("--splits", type=int, default=5)
    given = parser.parse_args()
    place = os.path.join(given.data, given.set, given.set)
    X = scipy.io.mmread(f"{place}.mtx.gz").T.tocsr().astype(float)
    with open(f"{place}.labels", encoding="utf-8") as file:
        classes = np.array(file.read().split("\n")[:X.shape[0]])
    scores = {}
    for split in range(given.splits):
        rng = np.random.RandomState(split)
        order = rng.permutation(X.shape[0])
        train, test = np.split(order, [len(order) // 2])
        features, truth = normalize(X[train]), classes[train]
        for r in RANKS:
            for name, chosen in variants(X[train], r, rng):
                machine = LinearSVC(C=1, fit_intercept=False).fit(features[chosen], truth[chosen])
                scores.setdefault((name, r), []).append(100 * machine.score(normalize(X[test]), classes[test]))
    print(f"{given.set}, {given.splits} splits".ljust(52) + "".join(f"{f'r = {r}':>14}" for r in RANKS))
    for name in dict.fromkeys(name for name, _ in scores):
        print(name.ljust(52) + "".join(f"{np.mean(scores[name, r]):8.1f} {np.std(scores[name, r], ddof=1):5.1f}" for r in RANKS))


if __name__ == "__main__":
    main()
