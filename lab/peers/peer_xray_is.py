"""Xray-IS in NumPy, vectorised over the rows of a column, as the other side of `conehull bench divergence`
(python_peer.h): the same selection with lazy bounds, the same chain of projections, the same coordinate sweep and
projected Newton steps.

Words: matrix (.npy), rank, floor, our anchors with commas. Answers each line with: seconds by the clock, of processors,
objective, how many anchors are the same."""
import os
import sys
import time

try:
    import numpy as np
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


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
    """Computes the chain of projections onto the first known + 1, ..., all anchors."""
    f = dual = None
    for k in range(known + 1, A.shape[1] + 1):
        if k == 1:
            b = np.array([(x - floor).sum() / A[:, 0].sum()])
        else:
            b = np.append(b, 0.0)
        b, f, dual = descend(A[:, :k], x, floor, b, sweep=k == 1)
    return b, f, dual


def farthest(X, A, floor, state, bound, chosen):
    """Returns the column with the largest divergence, found by bounds that only decrease."""
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


def main(path, rank, floor, ours):
    X = np.load(path)
    os.unlink(path)
    ours = {int(k) for k in ours.split(",")}
    print("ready", np.__version__, flush=True)
    for _ in sys.stdin:
        start = time.perf_counter(), time.process_time()
        anchors, objective = xray_is(X, int(rank), float(floor))
        wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(wall, processor, repr(objective), len(ours & set(anchors)), flush=True)


main(*sys.argv[1:])
