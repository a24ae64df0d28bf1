"""Computes the share of the data that is not explained, in the same unit for all losses:

    |X - W H|_1 / |X|_1        over the known entries

0 means that everything is explained; 1 is the value of weights of 0.
"""
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import scipy.sparse as sparse

from .functions import PROJECTION, TRUST, run_project

_BLOCK = 1 << 22  # entries of W H in a block of a sparse matrix: 32 MB
_CACHED = 1 << 15  # entries of W H in a block of a dense matrix: the block stays in the processor's cache
_ROWS = 16  # minimum rows of a block, so that a wide matrix still has a product of matrices


def _dense_block(x, y, known):
    """Returns |x - y|_1 and |x|_1 over the known entries; overwrites y."""
    np.subtract(x, y, out=y)
    np.abs(y, out=y)
    size = np.abs(x)
    if known is not None:
        y[~known] = size[~known] = 0
    error, total = y.sum(), size.sum()
    if np.isnan(total):
        error, total = np.nansum(y), np.nansum(size)
    return error, total


def _dense(X, W, components, known, clip):
    error = total = 0.0
    step = max(_ROWS, _CACHED // max(1, X.shape[1]))
    for low in range(0, X.shape[0], step):
        x = np.asarray(X[low:low + step], dtype=float)
        x = np.maximum(x, 0) if clip else x
        here = None if known is None else known[low:low + step]
        if here is not None:
            here = (here.toarray() if sparse.issparse(here) else np.asarray(here)) != 0
        block = _dense_block(x, W[low:low + step] @ components, here)
        error, total = error + block[0], total + block[1]
    return error, total


def _sparse(X, W, components, clip):
    """Returns error and size of sparse X. Where x is 0, |x - y| is y, so the sum of all y is corrected at the stored entries."""
    X = sparse.csr_matrix(X, dtype=float)
    if clip:
        X = X.maximum(0)
    error, total = float(W.sum(axis=0) @ components.sum(axis=1)), float(np.abs(X.data).sum())
    columns = np.ascontiguousarray(components.T)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    step = max(1, _BLOCK // max(1, W.shape[1]))
    for low in range(0, X.nnz, step):
        here = slice(low, low + step)
        y = np.einsum("ij,ij->i", W[row[here]], columns[X.indices[here]])
        error += float((np.abs(X.data[here] - y) - y).sum())
    return max(error, 0.0), total


def relative_error(X, W, components, known=None, clip=False) -> float:
    """Returns |X - W H|_1 / |X|_1 for a checked array or sparse matrix X. NaN in X, and 0 in ``known``, mark missing entries;
    with ``clip`` negative values count as 0."""
    error, total = _error_and_size(X, W, components, known, clip)
    return error / total if total > 0 else 0.0


def _error_and_size(X, W, components, known, clip) -> tuple:
    """Returns |X - W H|_1 and |X|_1."""
    W, components = np.asarray(W, dtype=float), np.asarray(components, dtype=float)
    missing = sparse.issparse(X) and (known is not None or np.isnan(X.data).any())
    if sparse.issparse(X) and not missing:
        return _sparse(X, W, components, clip)
    return _dense(X.toarray() if missing else X, W, components, known, clip)


@dataclass(frozen=True)
class Unmeasured:
    """What the relative error of a fit is computed from when it is first used. ``values`` are the keywords of the fit."""

    X: Any
    components: np.ndarray
    objective: float
    values: dict
    n_jobs: Optional[int]

    def relative_error(self) -> float:
        """Repeats the projection of the fit. ValueError if its loss is another, because X was changed since then."""
        values = {name: value for name, value in self.values.items() if name in PROJECTION + TRUST}
        known, clip = values.get("entry_weight", values.get("observed")), values.get("negative") == "clip"
        try:
            projection = run_project(self.X, self.components, values, self.n_jobs, quiet=True)
            error, total = _error_and_size(self.X, projection.weights, self.components, known, clip)
        except ValueError:
            projection = None
        if projection is None or not self._same(projection.objective, total):
            raise ValueError("X was changed after fit, so relative_error_ can no longer be computed; read it before X is changed, "
                             "or pass the samples: relative_error(X)")
        return error / total if total > 0 else 0.0

    def _same(self, objective, total) -> bool:
        """Whether the loss is that of the fit, to within the tolerance of the fit. A refinement starts its last projection from the
        one before, so its loss may differ from that of a new projection by the gaps of both."""
        least = total**2 / max(1, self.X.shape[0] * self.X.shape[1]) if self.values.get("loss") in ("l2", "frobenius") else total
        gaps = 2 * float(self.values.get("tol", 1e-9)) if self.values.get("refine") else 0
        return bool(np.isclose(objective, self.objective, rtol=1e-6, atol=max(1e-12, gaps) * least))
