"""Estimators that speak scikit-learn: rows are samples, the anchors are rows, ``components_`` holds them.

    X  ~  transform(X) @ components_,   components_ = X[anchors_]

The library's data points are columns; the transpose is free (see ``_matrix.py``).
"""
from typing import Any, Dict, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._settings import tables
from ._signature import with_parameters
from ._sklearn import Tags, samples_of, validate
from .functions import AnchorsResult, Certificate, Verification, given, run_anchors, run_project, verify

__all__ = ["SeparableNMF", "SPA", "Hottopixx", "SMRS"]

TABLE = tables["anchors"]
_LAST = {"feature_weight": None, "keep": (), "keep_duals": False, "n_jobs": None, "verbose": 0}

#: Settings that mean nothing to a method; each has its own estimator without them.
_XRAY_ONLY = ("exterior", "first", "dual", "eager", "faint", "library_only", "missing", "max_missing")
_SPA_ONLY = ("plain",)
_VARIANTS_ONLY = ("neighbours", "tries")
_NOT_OF_PROGRAMS = ("hull",)
_SMRS_ONLY = ("alpha", "linear")

_ATTRIBUTES = """
    Attributes
    ----------
    anchors_ : ndarray of int64, shape (n_anchors,)
        The rows of X that were chosen, in order; ``n_samples + k`` is row k of ``library``.
    components_ : ndarray, shape (n_anchors, n_features)
        Those rows, ``X[anchors_]``; with ``refine``, what they became: samples no longer, and a better fit.
    reconstruction_err_ : float
        As in scikit-learn the norm ||X - WH||_F for l2; for other losses the loss itself, sum |X - WH| (l1) or the
        divergence; NaN with ``select_only``.
    certificate_ : conehull.Certificate
        How far the weights are proven optimal.
    path_ : dict
        ``max_residual`` after each anchor, and, with ``path``, the ``objective`` for every smaller rank.
    status_ : str
        "done", "complete" (everything explained with fewer anchors), "iterations" or "inaccurate".
    floor_ : float
        Added to W H by divergences.
    result_ : conehull.AnchorsResult
        With ``keep_duals`` alone: all there is to know, for :meth:`verify`.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Columns of a pandas frame, when X is one.
    anchors_names_ : ndarray
        Its index at the anchors."""


class _AnchorEstimator(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Everything but the parameters."""

    anchors_: np.ndarray
    components_: np.ndarray
    reconstruction_err_: float
    certificate_: Certificate
    path_: Dict[str, Optional[np.ndarray]]
    status_: str
    floor_: float
    selection_: np.ndarray
    result_: AnchorsResult
    n_features_in_: int
    feature_names_in_: np.ndarray
    anchors_names_: np.ndarray

    _method = None

    def _values(self):
        values = {name: getattr(self, name) for name in self._setting_names}
        if self._method:
            values["method"] = self._method
        return values

    def _fit(self, X, sample_weight=None, observed=None, entry_weight=None):
        labels = getattr(X, "index", None) if hasattr(X, "columns") else None
        known = getattr(self, "library", None)
        if labels is not None and known is not None:
            names = known.index if hasattr(known, "columns") else [f"library {k}" for k in range(len(known))]
            labels = list(labels) + list(names)
        X = validate(self, X, reset=True)
        for name in ("selection_", "anchors_names_", "result_"):  # an earlier fit may have had them
            vars(self).pop(name, None)
        values = {**self._values(), **given(sample_weight, self.feature_weight, observed, entry_weight)}
        result = run_anchors(X, self.n_components, values, self.keep, self.keep_duals, self.n_jobs,
                             self.verbose, known=known)
        self.anchors_ = result.anchors
        fitted = result if result.refined is None else result.refined
        self.components_ = fitted.components
        norm = TABLE["loss"].is_l2(self.loss)
        self.reconstruction_err_ = float(np.sqrt(fitted.objective)) if norm else fitted.objective
        self.certificate_ = result.certificate
        self.path_ = {"max_residual": result.max_residual, "objective": result.objective_path}
        self.status_ = result.status
        self.floor_ = result.floor
        if result.selection is not None:
            self.selection_ = result.selection
        if labels is not None:
            self.anchors_names_ = np.asarray(labels)[result.anchors]
        if self.keep_duals:
            self.result_ = result
        return result

    def fit(self, X: Any, y: Any = None) -> "typing_extensions.Self":
        """Finds the anchors.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n_samples, n_features)
            Non-negative. float64, float32, uint8 and uint16 are used in place.
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Finds the anchors and returns the weights, shape (n_samples, n_anchors).

        To the last bit what ``fit(X).transform(X)`` returns.
        """
        return self._weights_of(X, self._fit(X))

    def _weights_of(self, X, result):
        if result.weights is None or result.refined is not None:
            return self.transform(X)
        return result.weights

    def _project(self, X):
        check_is_fitted(self)
        X = validate(self, X, reset=False)
        values = {name: getattr(self, name) for name in ("loss", "beta", "quantile", "reverse", "projection", "hull", "negative", "missing", "tol")
                  if hasattr(self, name)}  # programs have no hull
        values.update(given(None, getattr(self, "feature_weight", None), None, None))
        values["floor"] = self.floor_
        return run_project(X, self.components_, values, self.n_jobs, self.verbose)

    def transform(self, X: Any) -> np.ndarray:
        """The non-negative weights of the anchors, shape (n_samples, n_anchors)."""
        return self._project(X).weights

    def inverse_transform(self, W: Any) -> np.ndarray:
        """The samples that weights W stand for: ``W @ components_``."""
        check_is_fitted(self)
        return samples_of(W, self.components_)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per sample: larger is better."""
        projection = self._project(X)
        return -projection.objective / len(projection.weights)

    def verify(self, X: Any) -> Verification:
        """An independent recheck of what ``fit(X)`` found, with ``keep_duals=True``."""
        check_is_fitted(self)
        if not hasattr(self, "result_"):
            raise ValueError("nothing to verify was kept; fit with keep_duals=True")
        return verify(X, self.result_, n_jobs=self.n_jobs)

    @property
    def _n_features_out(self):
        return len(self.components_)


_SHARED = """
    feature_weight : array, shape (n_features,), or None, default None
        How much a feature counts (l1, l2, kl, beta): bad bands, sensors that you trust less.
    keep : sequence of int or None, default ()
        Rows that are anchors in any case, in this order.
    keep_duals : bool, default False
        Keep what :meth:`verify` needs.
    n_jobs : int or None, default None
        Threads; None: all cores. The answer is the same for any number.
    verbose : bool, default 0
        A progress bar, or lines on stderr where tqdm is not installed."""


_LIBRARY = """
    library : array or sparse matrix, shape (n_known, n_features), or None, default None
        Known components, rows that need not be in X: the first anchors, before those of ``keep``; the rest is
        chosen from X. With ``library_only`` the anchors are the best of them, and none is a row of X."""


def _estimator(last=_LAST, **options):
    """Parameters from the table, and the texts that all of them share."""
    def decorate(cls):
        cls.__doc__ = cls.__doc__.replace("\n    {library}", _LIBRARY)
        cls.__doc__ = cls.__doc__.replace("\n    {shared}", _SHARED).replace("\n    {attributes}", _ATTRIBUTES)
        return with_parameters(TABLE, last=last, **options)(cls)
    return decorate


@_estimator(first={"n_components": "auto"}, last={**_LAST, "library": None})
class SeparableNMF(_AnchorEstimator):
    """Near-separable non-negative matrix factorisation: a few samples whose non-negative combinations
    explain all others.

    Rows are samples, as everywhere in scikit-learn, and the anchors are rows of X.

    Parameters
    ----------
    n_components : int, "auto" or None, default "auto"
        Anchors wanted; "auto" (methods xray and smrs) stops where more of them no longer help much; None:
        the smaller of n_samples and n_features.
    {settings}
    {shared}
    {library}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import SeparableNMF
    >>> rng = np.random.RandomState(0)
    >>> topics = rng.rand(3, 8)
    >>> X = np.vstack([rng.dirichlet(np.ones(3), 20) @ topics, topics])
    >>> model = SeparableNMF(3)
    >>> W = model.fit_transform(X)
    >>> sorted(model.anchors_.tolist())
    [20, 21, 22]
    >>> bool(np.allclose(model.inverse_transform(W), X))
    True
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None,
            entry_weight: Any = None) -> "typing_extensions.Self":
        """Finds the anchors.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n_samples, n_features)
            Non-negative. float64, float32, uint8 and uint16 are used in place. NaN is an entry that nobody measured,
            with ``missing="nan"``.
        y : ignored
        sample_weight : array, shape (n_samples,), or None
            How much a sample counts, where the farthest one is sought and in the loss; 0: it is never chosen.
        observed : array or sparse matrix of the shape of X, or None
            Not 0 where an entry is known; of a sparse one, what is not stored is not known.
        entry_weight : array or sparse matrix of the shape of X, or None
            How much an entry counts (l1, l2; for l2 also 1 / variance); 0: it is not known.

        Returns
        -------
        self
        """
        self._fit(X, sample_weight, observed, entry_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None,
                      entry_weight: Any = None) -> np.ndarray:
        """Finds the anchors and returns the weights, shape (n_samples, n_anchors).

        To the last bit what ``fit(X).transform(X)`` returns; ``observed`` and ``entry_weight`` are of these samples,
        and ``transform`` knows them as NaN alone.
        """
        return self._weights_of(X, self._fit(X, sample_weight, observed, entry_weight))


@_estimator(first={"n_components": None}, leave_out=("method", "gap") + _XRAY_ONLY + _SMRS_ONLY + _VARIANTS_ONLY)
class SPA(_AnchorEstimator):
    """The successive projection algorithm: each anchor is the sample farthest from the span of those
    before it. Fast, and at home with little noise.

    Parameters
    ----------
    n_components : int or None, default None
        Anchors wanted; None: the smaller of n_samples and n_features.
    {settings}
    {shared}

    {attributes}

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import SPA
    >>> X = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> sorted(SPA(2).fit(X).anchors_.tolist())
    [0, 2]
    """

    _method = "spa"


@_estimator(first={"n_components": None},
            leave_out=("method", "stop") + _XRAY_ONLY + _SPA_ONLY + _SMRS_ONLY + _VARIANTS_ONLY + _NOT_OF_PROGRAMS)
class Hottopixx(_AnchorEstimator):
    """Anchors by a linear program over all samples (Bittorf, Recht, Re and Tropp). It keeps n_samples x
    n_samples numbers.

    Parameters
    ----------
    n_components : int or None, default None
        Anchors wanted; None: the smaller of n_samples and n_features.
    {settings}
    {shared}

    {attributes}
    selection_ : ndarray, shape (n_anchors,)
        How much of itself each anchor needs; 1: nothing else explains it.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import Hottopixx
    >>> X = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> sorted(Hottopixx(2).fit(X).anchors_.tolist())
    [0, 2]
    """

    _method = "hottopixx"


@_estimator(first={"n_components": "auto"},
            leave_out=("method", "stop") + _XRAY_ONLY + _SPA_ONLY + _VARIANTS_ONLY + _NOT_OF_PROGRAMS)
class SMRS(_AnchorEstimator):
    """Sparse modelling representative selection (Elhamifar, Sapiro and Vidal): samples that represent all
    others by a row-sparse matrix of weights. It keeps n_samples x n_samples numbers.

    Parameters
    ----------
    n_components : int, "auto" or None, default "auto"
        Representatives wanted; "auto": those that the weights show.
    {settings}
    {shared}

    {attributes}
    selection_ : ndarray, shape (n_anchors,)
        How much each representative is used: the norm of its row of weights.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import SMRS
    >>> X = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> sorted(SMRS(2).fit(X).anchors_.tolist())
    [0, 2]
    """

    _method = "smrs"
