"""The other side of `conehull bench sklearn_over_conehull`, started by it without a shell.

Words: matrix (.npz: values, rows, starts, shape), rank, floor, anchors with commas. Prints "ready VERSION BLAS", then
answers each line "fit" or "weights" with: seconds by the clock, of processors, objective, rounds. The objective is
Kullback-Leibler as conehull defines it, with its floor, and is not timed. Everything else is scikit-learn's default."""
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
        start = time.perf_counter(), time.process_time()
        if line.strip() == "fit":
            weights, parts, rounds = non_negative_factorization(samples, **how)
        else:
            weights, parts, rounds = non_negative_factorization(samples, H=basis, update_H=False, **how)
        wall, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(wall, processor, repr(objective(X, parts.T, weights.T, floor)), rounds, flush=True)


warnings.simplefilter("ignore")
main(*sys.argv[1:])
