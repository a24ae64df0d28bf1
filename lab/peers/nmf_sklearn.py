"""scikit-learn's NMF on counts: nmf_sklearn.py MATRIX.mtx[.gz] kl|l2 RANK FLOOR prints seconds, loss and rounds.

kl: multiplicative updates, the loss as conehull defines it with its floor; l2: coordinate descent, the loss is the sum
of squares. A column of the file is a document."""
import json
import sys
import time
import warnings

try:
    import numpy as np
    import scipy.io
    import sklearn
    from sklearn.decomposition import NMF
except ImportError as missing:
    print("missing", missing)
    sys.exit(0)


def loss_of(kind, X, W, H, floor):
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    fit = np.einsum("ij,ij->i", W[X.indices], H.T[column])
    if kind == "kl":
        whole = W.sum(0) @ H.sum(1) + floor * X.shape[0] * X.shape[1]
        return float((X.data * np.log(X.data / (fit + floor)) - X.data).sum() + whole)
    return float((X.data**2 - 2 * X.data * fit).sum() + ((W.T @ W) * (H @ H.T)).sum())


def main(path, kind, rank, floor):
    warnings.simplefilter("ignore")
    X = scipy.io.mmread(path).tocsc().astype(float)
    samples = X.T.tocsr()
    how = dict(solver="mu", beta_loss="kullback-leibler") if kind == "kl" else {}
    model = NMF(int(rank), random_state=0, **how)
    start = time.perf_counter()
    weights = model.fit_transform(samples)
    seconds = time.perf_counter() - start
    print(json.dumps({"peer": f"scikit-learn {sklearn.__version__} NMF", "seconds": seconds, "what": "loss",
                      "quality": loss_of(kind, X, model.components_.T, weights.T, float(floor)),
                      "note": f"{model.n_iter_} rounds"}))


main(*sys.argv[1:])
