"""Non-negative fits per column by SciPy, on the anchors that conehull found.

    columns_scipy.py make BASE             BASE.npy: the paper's generator, 200 x 210, 20 anchors, sparse noise 0.3
    columns_scipy.py nnls|highs BASE DIR   min |x - W b|_2 or |x - W b|_1 over b >= 0 for every column, W = DIR/W.npy
    columns_scipy.py film BASE FRAMES      BASE.npy, frames x pixels, and BASE/, its pictures: two lights, noise, a moving square
    columns_scipy.py text BASE DIR         the same matrices as BASE.X.csv and BASE.W.csv, for R"""
import json
import os
import sys
import time

try:
    import numpy as np
    import scipy
    from scipy.optimize import linprog, nnls
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from field.made import planted  # noqa: E402

ROWS, COLUMNS, RANK, LEVEL = 200, 210, 20, 0.3


def make(base):
    np.save(f"{base}.npy", np.asfortranarray(planted(1, "sparse", LEVEL, ROWS, COLUMNS, RANK)[0]))
    return {"seconds": 0, "data": f"{ROWS} x {RANK}, {COLUMNS} columns"}


def film(base, frames, width=160, height=128):
    random, count = np.random.default_rng(2), int(frames)
    y, x = np.mgrid[:height, :width]
    os.mkdir(base)
    X = np.empty((count, height, width), np.uint8)
    for f in range(count):
        picture = (1 if f < count // 2 else 0.7) * (60 + 0.6 * x + 0.4 * y)
        left = f * (width - 20) // count
        picture[40:80, left:left + 20] = 220
        X[f] = np.clip(picture + random.normal(0, 2, picture.shape), 0, 255)
        with open(f"{base}/{f:04d}.pgm", "wb") as file:
            file.write(b"P5\n%d %d\n255\n" % (width, height) + X[f].tobytes())
    np.save(f"{base}.npy", X.reshape(count, -1))
    return {"seconds": 0}


def least_absolute(W, x):
    """Solves min 1's, -s <= x - W b <= s, b >= 0, a linear program, by HiGHS."""
    rows, rank = W.shape
    cost = np.concatenate([np.zeros(rank), np.ones(rows)])
    eye = np.eye(rows)
    bounds = np.concatenate([x, -x])
    answer = linprog(cost, np.block([[W, -eye], [-W, -eye]]), bounds, method="highs")
    return answer.x[:rank], answer.fun


def fit(how, base, folder):
    X, W = np.load(f"{base}.npy"), np.load(f"{folder}/W.npy")
    total = 0.0
    start = time.perf_counter()
    for x in X.T:
        total += nnls(W, x)[1]**2 if how == "nnls" else least_absolute(W, x)[1]
    seconds = time.perf_counter() - start
    return {"peer": f"SciPy {scipy.__version__} {'nnls' if how == 'nnls' else 'HiGHS'}", "seconds": seconds,
            "quality": total, "what": "loss", "note": f"{1e6 * seconds / X.shape[1]:.0f} us per column"}


def text(base, folder):
    np.savetxt(f"{base}.X.csv", np.load(f"{base}.npy"), delimiter=",", fmt="%.17g")
    np.savetxt(f"{base}.W.csv", np.load(f"{folder}/W.npy"), delimiter=",", fmt="%.17g")
    return {"seconds": 0}


def main(how, *words):
    run = {"make": make, "film": film, "text": text}.get(how)
    print(json.dumps(run(*words) if run else fit(how, *words)))


main(*sys.argv[1:])
