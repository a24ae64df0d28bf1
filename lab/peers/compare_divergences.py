#!/usr/bin/env python3
"""The other side of bench_divergence: the same work by scikit-learn and by plain NumPy, one thread.

kl  non_negative_factorization(solver="mu", beta_loss="kullback-leibler", update_H=False) on the same
    data and the same fixed anchors, until its coefficients are as good, to 1e-6, in our objective
    (with our floor). Looking at the objective is not counted.
is  Xray-IS in NumPy, vectorised over the rows of a column: the same selection with lazy bounds, the
    same chain of projections, the same coordinate sweep and projected Newton steps.
"""
import argparse
import os
import sys
import time


def one_thread():
    """Before NumPy is there: OpenBLAS takes its kernel from the processor's name and may miss it."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    try:
        flags = open("/proc/cpuinfo").read()
    except OSError:
        return
    if "avx512f" in flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    elif "avx2" in flags:
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


one_thread()
try:
    import numpy as np
except ImportError:
    sys.exit("  no comparison: NumPy is not here")


# ---- KL by multiplicative updates ----------------------------------------------------------------


def kl_objective(X, W, H, floor):
    """sum x log(x/y) - x + y, y = W H + floor, for X in CSC."""
    cols = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    y = np.einsum("ij,ij->i", W[X.indices], H.T[cols]) + floor
    zeros = W.sum(0) @ H.sum(1) + floor * X.shape[0] * X.shape[1]
    return float((X.data * np.log(X.data / y) - X.data).sum() + zeros)


def compare_kl(options):
    try:
        import scipy.io
        from sklearn.decomposition import non_negative_factorization
    except ImportError as missing:
        sys.exit(f"  no comparison: {missing}")
    import warnings

    warnings.simplefilter("ignore")
    X = scipy.io.mmread(options.file).tocsc().astype(float)
    W = np.asarray(X[:, options.anchors].todense())
    share = np.asarray(X.sum(0)).ravel()[:, None] / (W.shape[1] * W.sum(0)[None, :])
    coefficients, rows, basis = np.array(share), X.T.tocsr(), np.ascontiguousarray(W.T)
    spent, done, step = 0.0, 0, 20
    while True:
        start = time.process_time()
        coefficients, _, _ = non_negative_factorization(
            rows, W=coefficients, H=basis, n_components=len(options.anchors), init="custom",
            update_H=False, solver="mu", beta_loss="kullback-leibler", tol=0, max_iter=step)
        spent += time.process_time() - start
        done += step
        objective = kl_objective(X, W, coefficients.T, options.floor)
        above = objective / options.objective - 1
        if above <= 1e-6 or spent > options.limit:
            break
        step = max(20, done // 2)
    sign = "" if above <= 1e-6 else "more than "
    print(f"  scikit-learn multiplicative updates: {spent:.1f} s, {done} rounds, {above:.1e} above our "
          f"objective")
    print(f"  ratio: {sign}{spent / options.seconds:.0f} (goal 20)")


# ---- IS in NumPy ----------------------------------------------------------------------------------


def value(x, y):
    ratio = x / y
    return float((ratio - np.log(ratio) - 1).sum())


def coordinate_sweep(A, x, floor, b, y, f):
    for q in range(A.shape[1]):
        a = A[:, q]
        inverse = 1 / y
        slope = a @ (inverse * (1 - x * inverse))
        bend = (a * a) @ (inverse * inverse)
        if not (slope < 0 or b[q] > 0):
            continue
        change = max(-b[q], -slope / bend)
        for _ in range(8):
            y_try = np.maximum(floor, y + change * a)
            f_try = value(x, y_try)
            if f_try < f:
                b[q] += change
                y, f = y_try, f_try
                break
            change /= 2
    return y, f


def newton_direction(A, gradient, b, moving, newton, scoring, reached):
    F = A[:, moving]
    g = gradient[moving]
    bounds = np.where(g > 0, g / np.where(b[moving] > 0, b[moving], 1), 0)
    tries = [(newton, 0)] if reached <= 1e-2 else []
    for weight, extra in tries + [(newton, bounds), (scoring, bounds)]:
        hessian = (F * weight[:, None]).T @ F
        hessian[np.diag_indices_from(hessian)] += extra
        try:
            factor = np.linalg.cholesky(hessian)
        except np.linalg.LinAlgError:
            continue
        return np.linalg.solve(factor.T, np.linalg.solve(factor, -g))
    return -g / ((F * F) * scoring[:, None]).sum(0)


def descend(A, x, floor, b, tol=1e-9, sweep=False):
    sums, size, total = A.sum(0), len(x), (x - floor).sum()
    y = A @ b + floor
    f = value(x, y)
    if sweep:
        y, f = coordinate_sweep(A, x, floor, b, y, f)
    elif b[-1] == 0:
        last, y_f = b[-1:].copy(), None
        y_f = coordinate_sweep(A[:, -1:], x, floor, last, y, f)
        b[-1], (y, f) = last[0], y_f
    best, stalls = np.inf, 0
    for _ in range(300):
        inverse = 1 / y
        ratio = x * inverse
        scoring = inverse * inverse
        gradient = A.T @ (inverse * (1 - ratio))
        excess = np.where(b > 0, np.abs(gradient), -gradient) * total / sums / size
        reached = max(0.0, excess.max())
        stalls = 0 if reached < 0.5 * best else stalls + 1
        best = min(best, reached)
        if reached <= 1e-4 * tol or (reached <= 1e-2 * tol and stalls) or (reached <= tol and stalls > 3):
            break
        moving = np.flatnonzero((gradient < 0) | (b * sums > 1e-10 * total))
        direction = np.where((gradient >= 0) & (b * sums <= 1e-10 * total), -b, 0.0)
        direction[moving] = newton_direction(A, gradient, b, moving, scoring * (2 * ratio - 1), scoring,
                                             reached)
        t = 1.0
        for _ in range(40):
            b_try = np.maximum(0, b + t * direction)
            y_try = A @ b_try + floor
            f_try, promised = value(x, y_try), gradient @ (b_try - b)
            level = abs(promised) <= 1e-14 * (f + size) and abs(f_try - f) <= 1e-14 * (f + size)
            if level or (promised < 0 and f_try <= f + 1e-4 * promised):
                break
            t /= 2
        else:
            break
        b, y, f = b_try, y_try, f_try
    return b, f, (x - y) / (y * y)


def follow_chain(A, x, floor, b, known):
    """The chain of projections on the first known + 1, ..., all anchors."""
    f = dual = None
    for k in range(known + 1, A.shape[1] + 1):
        if k == 1:
            b = np.array([(x - floor).sum() / A[:, 0].sum()])
        else:
            b = np.append(b, 0.0)
        b, f, dual = descend(A[:, :k], x, floor, b, sweep=k == 1)
    return b, f, dual


def farthest(X, A, floor, state, bound, chosen):
    """The column with the largest divergence, by bounds that only fall."""
    fresh = np.zeros(X.shape[1], bool)
    fresh[chosen] = True
    bound[chosen] = -1
    while True:
        j = int(np.argmax(bound))
        if fresh[j]:
            return j
        known, b = state[j]
        b, bound[j], _ = follow_chain(A, X[:, j] + floor, floor, b, known)
        state[j] = (A.shape[1], b)
        fresh[j] = True


def xray_is(X, rank, floor, seed=0):
    p = 1 + 1e-5 * np.random.default_rng(seed).random(X.shape[0])
    weight = p @ X
    first = int(np.argmax(X.sum(0)))
    anchors = [int(np.argmax(X[:, first] @ X / weight))]

    def grow(anchors):
        state = [(0, np.zeros(0))] * X.shape[1]
        bound = np.full(X.shape[1], np.inf)
        while len(anchors) < rank:
            A = X[:, anchors]
            j = farthest(X, A, floor, state, bound, anchors)
            _, _, dual = follow_chain(A, X[:, j] + floor, floor, None, 0)
            score = dual @ X / weight
            score[anchors] = -np.inf
            anchors.append(int(np.argmax(score)))
        return anchors

    anchors = grow(anchors)
    anchors = grow(anchors[1:])
    anchors = anchors[-1:] + anchors[:-1]
    A, objective = X[:, anchors], 0.0
    for j in range(X.shape[1]):
        objective += follow_chain(A, X[:, j] + floor, floor, None, 0)[1]
    return anchors, objective


def compare_is(options):
    X = np.load(options.file)
    start = time.process_time()
    anchors, objective = xray_is(X, len(options.anchors), options.floor)
    spent = time.process_time() - start
    same = len(set(anchors) & set(options.anchors))
    print(f"  NumPy: {spent:.1f} s, {same} of {len(anchors)} anchors the same, objective {objective:.6g} "
          f"(ours {options.objective:.6g})")
    print(f"  ratio: {spent / options.seconds:.0f} (goal 50)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["kl", "is"])
    parser.add_argument("--file", required=True)
    parser.add_argument("--seconds", type=float, required=True, help="our time")
    parser.add_argument("--objective", type=float, required=True, help="our objective")
    parser.add_argument("--floor", type=float, required=True)
    parser.add_argument("--anchors", type=lambda text: [int(k) for k in text.split(",")], required=True)
    parser.add_argument("--limit", type=float, default=120, help="seconds after which kl gives up")
    options = parser.parse_args()
    (compare_kl if options.what == "kl" else compare_is)(options)


if __name__ == "__main__":
    main()
