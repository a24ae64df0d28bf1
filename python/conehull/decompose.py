"""Robust decompositions: a low-rank matrix plus errors.

    robust_pca       min |L|_* + lambda |S|_1,  L + S = X       (convex)
    robust_nmf       min |X - W H|_1,  W >= 0, H >= 0           (local search)
    robust_lowrank   min |X - W H|_1                            (local search)
    median_filter    the lower median of each feature over all samples, or over a window of them

Rows are samples (frames of a video), columns are features (its pixels); X ~ weights @ components.
"""
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _errors
from ._library import library
from ._matrix import View, to_array
from ._run import Run
from ._settings import tables
from ._signature import with_parameters, with_settings
from ._shown import Shown, listed, shape_of, weights_picture
from ._sklearn import ClassNamePrefixFeaturesOutMixin, Tags, checked, like, samples_of, validate
from ._structs import CH_ROW_MAJOR, ch_decomposition, ch_matrix
from .functions import run_project

__all__ = ["Decomposition", "RobustNMF", "median_filter", "robust_lowrank", "robust_nmf", "robust_pca"]


@dataclass(frozen=True, repr=False)
class Decomposition(Shown):
    """Result of a decomposition: X ~ weights @ components, plus errors.

    Attributes
    ----------
    weights : ndarray, shape (n_samples, rank)
    components : ndarray, shape (rank, n_features)
    sparse : ndarray, shape (n_samples, n_features), or None
        Only for robust PCA: S, unless ``keep_sparse=False``.
    singular_values : ndarray, shape (rank,), or None
        Only for robust PCA: the singular values of ``low_rank``.
    objective : float
        |L|_* + lambda |S|_1, or |X - W H|_1.
    residual : float
        |X - L - S|_F / |X|_F, or the primal residual of the local search.
    n_iter : int
    status : str
    """

    weights: np.ndarray = field(repr=False)
    components: np.ndarray = field(repr=False)
    sparse: Optional[np.ndarray] = field(repr=False)
    singular_values: Optional[np.ndarray]
    objective: float
    residual: float
    n_iter: int
    status: str

    def _facts(self) -> list:
        facts = [("factors", f"weights {shape_of(self.weights)}, components {shape_of(self.components)}")]
        if self.singular_values is not None:
            facts.append(("singular values", listed(self.singular_values)))
        if self.sparse is not None:
            share = np.count_nonzero(self.sparse) / max(1, self.sparse.size)
            facts.append(("sparse part", f"{shape_of(self.sparse)}, {share:.1%} not zero"))
        return facts + [("objective", f"{self.objective:.6g}"), ("residual", f"{self.residual:.3g}"), ("rounds", str(self.n_iter)),
                        ("status", self.status)]

    def _picture(self):
        return weights_picture(np.abs(self.weights))

    @property
    def low_rank(self) -> np.ndarray:
        """``weights @ components``."""
        return self.weights @ self.components


def _decompose(function, table, X, values, n_jobs, verbose) -> Decomposition:
    view = View(X, samples_are_columns=False)
    settings = tables[table].fill(values)
    with Run(n_jobs, verbose, _errors.ALONG) as run:
        parts = run.own(ch_decomposition, library.ch_decomposition_free)
        status = run.call(function, parts.struct, view.matrix, settings)
    _errors.warn(status)
    d = parts.struct
    by_rows = d.S_layout == CH_ROW_MAJOR
    sparse = parts.take("S", (d.rows, d.cols) if by_rows else (d.cols, d.rows))
    return Decomposition(
        weights=parts.take("W", (d.rank, d.rows)).T if d.rank else np.zeros((d.rows, 0)),
        components=parts.take("H", (d.cols, d.rank)).T if d.rank else np.zeros((0, d.cols)),
        sparse=sparse if by_rows or sparse is None else sparse.T,
        singular_values=parts.take("singular", d.rank), objective=d.objective, residual=d.residual,
        n_iter=d.iterations, status=_errors.word(status))


@with_settings(tables["rpca"], defaults={"keep_sparse": True})
def robust_pca(X: Any, *, n_jobs=None, verbose=0, **settings) -> Decomposition:
    """Robust PCA: splits X into a matrix of low rank and a sparse matrix.

        min |L|_* + lambda |S|_1,   L + S = X

    Parameters
    ----------
    X : array or sparse matrix, shape (n_samples, n_features)
        May hold negative values.
    n_jobs : int or None
        Number of threads; None uses all cores.
    verbose : bool
        Show a progress bar, or lines on stderr if tqdm is not installed.
    {settings}

    Returns
    -------
    Decomposition

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import robust_pca
    >>> rng = np.random.RandomState(0)
    >>> clean = np.outer(rng.rand(40), rng.rand(30))
    >>> X = clean.copy()
    >>> X[rng.rand(40, 30) < 0.05] += 3
    >>> parts = robust_pca(X)
    >>> bool(np.allclose(parts.low_rank, clean, atol=1e-4))
    True
    """
    return _decompose(library.ch_robust_pca, "rpca", checked(X), settings, n_jobs, verbose)


@with_settings(tables["factor"], leave_out=("n_components",))
def robust_nmf(X: Any, n_components: int = 1, *, n_jobs=None, verbose=0, **settings) -> Decomposition:
    """Finds non-negative factors in l1 by local search from random starts: min |X - W H|_1, W >= 0, H >= 0.

    Parameters
    ----------
    X : array or sparse matrix, shape (n_samples, n_features)
        Non-negative.
    n_components : int
    n_jobs, verbose
        As in :func:`robust_pca`.
    {settings}

    Returns
    -------
    Decomposition

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import robust_nmf
    >>> parts = robust_nmf(np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]), 1)
    >>> np.round(parts.low_rank, 3)
    array([[1., 0., 2.],
           [2., 0., 4.],
           [3., 0., 6.]])
    """
    return _decompose(library.ch_robust_nmf, "factor", checked(X), {"n_components": n_components, **settings}, n_jobs,
                      verbose)


@with_settings(tables["factor"], leave_out=("n_components",))
def robust_lowrank(X: Any, n_components: int = 1, *, n_jobs=None, verbose=0, **settings) -> Decomposition:
    """Finds factors of any sign in l1 by local search from random starts: min |X - W H|_1.

    Parameters
    ----------
    X : array or sparse matrix, shape (n_samples, n_features)
        May hold negative values.
    n_components : int
    n_jobs, verbose
        As in :func:`robust_pca`.
    {settings}

    Returns
    -------
    Decomposition

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import robust_lowrank
    >>> parts = robust_lowrank(np.outer([1.0, -2.0, 3.0], [1.0, 0.0, 2.0]), 1)
    >>> bool(parts.objective < 1e-3)
    True
    """
    return _decompose(library.ch_robust_lowrank, "factor", checked(X), {"n_components": n_components, **settings},
                      n_jobs, verbose)


@with_settings(tables["median"])
def median_filter(X: Any, *, n_jobs=None, verbose=0, **settings) -> np.ndarray:
    """Returns the lower median of each feature over all samples, or over a window of samples around each sample.

    Parameters
    ----------
    X : array or sparse matrix, shape (n_samples, n_features)
    n_jobs, verbose
        As in :func:`robust_pca`.
    {settings}

    Returns
    -------
    ndarray of X's type, shape (n_features,), or (n_samples, n_features) with a radius

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import median_filter
    >>> median_filter(np.array([[1, 9], [2, 8], [3, 7], [250, 6]], dtype=np.uint8))
    array([2, 7], dtype=uint8)
    """
    X = checked(X)
    view = View(X, samples_are_columns=False)
    filled = tables["median"].fill(settings)
    with Run(n_jobs, verbose, _errors.ALONG) as run:
        Y = run.own(ch_matrix, library.ch_matrix_free)
        run.call(library.ch_median_filter, Y.struct, view.matrix, filled)
    values = to_array(Y)
    return values if settings.get("radius", tables["median"]["radius"].default) else values[0]


@with_parameters(tables["factor"], first={"n_components": 1}, last={"n_jobs": None, "verbose": 0})
class RobustNMF(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Finds non-negative factors in l1 by local search from random starts: min |X - W H|_1, W >= 0, H >= 0.

    The components are not samples. :class:`conehull.SeparableNMF` selects samples and needs no random starts.

    Parameters
    ----------
    n_components : int, default 1
    {settings}
    n_jobs : int or None, default None
        Number of threads; None uses all cores.
    verbose : bool, default 0
        Show a progress bar, or lines on stderr if tqdm is not installed.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        The factor H; ``transform`` projects samples on it, exactly and in l1.
    reconstruction_err_ : float
        |X - W H|_1 of the local search.
    n_iter_ : int
    status_ : str
    n_features_in_ : int
    feature_names_in_ : ndarray
        Names of the features, if X is a pandas frame.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import RobustNMF
    >>> X = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0])
    >>> model = RobustNMF(1)
    >>> bool(np.allclose(model.inverse_transform(model.fit_transform(X)), X, atol=1e-3))
    True
    """

    components_: np.ndarray
    reconstruction_err_: float
    n_iter_: int
    status_: str
    n_features_in_: int
    feature_names_in_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> "RobustNMF":
        """Finds the factors; X is non-negative, y is ignored."""
        X = validate(self, X, reset=True)
        values = {"n_components": self.n_components, **{name: getattr(self, name) for name in self._setting_names}}
        parts = _decompose(library.ch_robust_nmf, "factor", X, values, self.n_jobs, self.verbose)
        self.components_ = like(X, np.ascontiguousarray(parts.components))
        self.reconstruction_err_ = parts.objective
        self.n_iter_ = parts.n_iter
        self.status_ = parts.status
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Returns the non-negative weights of the components, by an exact l1 projection."""
        check_is_fitted(self)
        X = validate(self, X, reset=False)
        return like(X, run_project(X, self.components_, {}, self.n_jobs, self.verbose).weights)

    def inverse_transform(self, W: Any) -> np.ndarray:
        """Returns the samples that the weights W describe, ``W @ components_``; a frame if W is a frame."""
        check_is_fitted(self)
        return samples_of(W, self.components_, getattr(self, "feature_names_in_", None), self.get_feature_names_out())

    @property
    def _n_features_out(self):
        return len(self.components_)
