"""XRAY in l2 as published (Kumar, Sindhwani, Kambadur 2013), exterior rule `max`, in NumPy with SciPy's nnls inside.

    xray_numpy.py X.npy RANK               prints seconds and the anchors"""
import json
import sys
import time

try:
    import numpy as np
    from scipy.optimize import nnls
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def xray(X, rank):
    p = 1 + 1e-5 * np.random.default_rng(0).random(X.shape[0])
    weight = p @ X
    anchors, R = [], X
    for _ in range(rank):
        farthest = int(np.argmax((R**2).sum(0)))
        score = R[:, farthest] @ X / weight
        score[anchors] = -np.inf
        anchors.append(int(np.argmax(score)))
        A = X[:, anchors]
        R = X - A @ np.column_stack([nnls(A, x)[0] for x in X.T])
    return anchors


def main(path, rank):
    X = np.load(path)
    start = time.perf_counter()
    anchors = xray(X, int(rank))
    print(json.dumps({"seconds": time.perf_counter() - start, "quality": ",".join(map(str, sorted(anchors)))}))


main(*sys.argv[1:])
