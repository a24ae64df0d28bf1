"""How much of the data is left unexplained, in one unit for all losses:

    |X - W H|_1 / |X|_1        over the entries that are known

0: everything is explained; 1: no more than nothing would explain.
"""
import numpy as np
import scipy.sparse as sparse

_BLOCK = 1 << 22  # entries of W H at a time: 32 MB


def _dense(X, W, components, known, clip):
    apart = total = 0.0
    step = max(1, _BLOCK // max(1, X.shape[1]))
    for low in range(0, X.shape[0], step):
        x = np.asarray(X[low:low + step], dtype=float)
        x = np.maximum(x, 0) if clip else x
        off, size = np.abs(x - W[low:low + step] @ components), np.abs(x)
        if known is not None:
            here = known[low:low + step]
            here = (here.toarray() if sparse.issparse(here) else np.asarray(here)) != 0
            off, size = np.where(here, off, 0), np.where(here, size, 0)
        apart += np.nansum(off)
        total += np.nansum(size)
    return apart, total


def _sparse(X, W, components, clip):
    """Where x is 0, |x - y| is y: the sum of all y, corrected where x is stored."""
    X = sparse.csr_matrix(X, dtype=float)
    if clip:
        X = X.maximum(0)
    apart, total = float(W.sum(axis=0) @ components.sum(axis=1)), float(np.abs(X.data).sum())
    columns = np.ascontiguousarray(components.T)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    step = max(1, _BLOCK // max(1, W.shape[1]))
    for low in range(0, X.nnz, step):
        here = slice(low, low + step)
        y = np.einsum("ij,ij->i", W[row[here]], columns[X.indices[here]])
        apart += float((np.abs(X.data[here] - y) - y).sum())
    return max(apart, 0.0), total


def relative_error(X, W, components, known=None, clip=False) -> float:
    """X has been checked: an array or sparse matrix of numbers. NaN in it, and 0 in ``known``, is an entry that nobody
    measured; with ``clip`` negative values count as 0."""
    W, components = np.asarray(W, dtype=float), np.asarray(components, dtype=float)
    missing = sparse.issparse(X) and (known is not None or np.isnan(X.data).any())
    if sparse.issparse(X) and not missing:
        apart, total = _sparse(X, W, components, clip)
    else:
        apart, total = _dense(X.toarray() if missing else X, W, components, known, clip)
    return apart / total if total > 0 else 0.0
