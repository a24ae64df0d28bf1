"""scikit-learn's NMF as the other side of a ratio of `conehull bench` (python_peer.h).

Words: matrix (.npz: values, rows, starts, shape), rank, floor, anchors with commas. Answers each line with: seconds by
the clock, of processors, objective, rounds. The objective is Kullback-Leibler as conehull defines it, with its floor,
and is not timed. Everything else is scikit-learn's default.

    fit              parts and weights
    weights          the anchors are given
    reach OBJECTIVE  the same, in ever longer runs until it is as good to 1e-6, or LIMIT seconds have passed"""
import os
import sys
import time
import warnings

try:
    import numpy as np
    import scipy.sparse as sparse
    import sklearn
    from sklearn.decomposition import non_negative_factorization
    from threadpoolctl import threadpool_info
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def objective(X, W, H, floor):
    """sum x log(x / y) - x + y, y = W H + floor."""
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    fit = np.einsum("ij,ij->i", W[X.indices], H.T[column]) + floor
    whole = W.sum(0) @ H.sum(1) + floor * X.shape[0] * X.shape[1]
    return float((X.data * np.log(X.data / fit) - X.data).sum() + whole)


LIMIT = 120


def reach(samples, basis, how, wanted, look):
    """Returns the times of the updates alone; computing the objective is not counted."""
    sums = np.asarray(samples.sum(1)).ravel()[:, None]
    weights = sums / (basis.shape[0] * basis.sum(1)[None, :])
    wall = processor = 0.0
    done, step = 0, 20
    while True:
        start = time.perf_counter(), time.process_time()
        weights, _, _ = non_negative_factorization(samples, W=weights, H=basis, init="custom", update_H=False, tol=0,
                                                   max_iter=step, **how)
        wall, processor = wall + time.perf_counter() - start[0], processor + time.process_time() - start[1]
        done += step
        if look(weights) <= wanted * (1 + 1e-6) or wall > LIMIT:
            return wall, processor, weights, done
        step = max(20, done // 2)


def main(path, rank, floor, anchors):
    with np.load(path) as file:
        X = sparse.csc_matrix((file["values"], file["rows"], file["starts"]), shape=file["shape"])
    os.unlink(path)
    rank, floor = int(rank), float(floor)
    basis = np.ascontiguousarray(X[:, [int(j) for j in anchors.split(",")]].toarray().T)
    samples = X.T.tocsr()
    how = dict(n_components=rank, solver="mu", beta_loss="kullback-leibler", random_state=0)
    libraries = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    blas = " and ".join(f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}" for pool in libraries)
    print("ready", sklearn.__version__, blas, flush=True)
    for line in sys.stdin:
        if line.startswith("reach"):
            wall, processor, weights, rounds = reach(samples, basis, how, float(line.split()[1]),
                                                     lambda W: objective(X, basis.T, W.T, floor))
            print(wall, processor, repr(objective(X, basis.T, weights.T, floor)), rounds, flush=True)
            continue
        start = time.perf_counter(), time.process_time()
        if line.strip() == "fit":
            weights, parts, rounds = non_negative_factorization(samples, **how)
        else:
            weights, parts, rounds = non_negative_factorization(samples, H=basis, update_H=False, **how)
        wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(wall, processor, repr(objective(X, parts.T, weights.T, floor)), rounds, flush=True)


warnings.simplefilter("ignore")
main(*sys.argv[1:])
