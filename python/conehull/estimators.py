"""Estimators that speak scikit-learn: rows are samples, the anchors are rows, ``components_`` holds them.

    X  ~  transform(X) @ components_,   components_ = X[anchors_]

The library's data points are columns; the transpose is free (see ``_matrix.py``).
"""
from dataclasses import replace
from typing import Any, Dict, Optional

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._settings import tables
from ._signature import with_parameters
from ._names import named_places, numbers_of
from ._quality import relative_error
from ._sklearn import ClassNamePrefixFeaturesOutMixin, Tags, checked, like, refuse_mixed_units, samples_of, validate
from .functions import AnchorsResult, Certificate, Verification, given, names_of, run_anchors, run_project, verify

__all__ = ["SeparableNMF", "SPA", "Hottopixx", "SMRS", "relative_score"]

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
    relative_error_ : float
        |X - WH|_1 / |X|_1 whatever the loss, so that losses can be compared; 0: all is explained; NaN with ``select_only``.
        :meth:`relative_error` is the same of held-out samples.
    n_components_ : int
        How many anchors there are.
    rank_reason_ : str
        Why so many, with ``n_components="auto"``; also a :class:`conehull.RankWarning`.
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
        Columns of a pandas frame, or genes of an AnnData object, when X is one.
    anchors_names_ : ndarray
        Its index, or its cells, at the anchors."""


class _AnchorEstimator(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Everything but the parameters."""

    anchors_: np.ndarray
    components_: np.ndarray
    reconstruction_err_: float
    relative_error_: float
    n_components_: int
    rank_reason_: str
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
        """The result, with weights in the type of X."""
        refuse_mixed_units(self)
        whole, known = X, getattr(self, "library", None)
        X = validate(self, X, reset=True)
        for name in ("selection_", "anchors_names_", "result_"):  # an earlier fit may have had them
            vars(self).pop(name, None)
        values = {**self._values(), **given(sample_weight, self.feature_weight, observed, entry_weight)}
        with named_places(whole):
            result = run_anchors(X, self.n_components, values, numbers_of(self.keep, whole), self.keep_duals, self.n_jobs,
                                 self.verbose, known=known)
        self.anchors_ = result.anchors
        fitted = result if result.refined is None else result.refined
        exact = result.refined is None and result.completed is None  # rows of X, which its own type holds
        self.components_ = like(X, fitted.components) if exact else fitted.components
        self.n_components_ = len(result.anchors)
        norm = TABLE["loss"].is_l2(self.loss)
        self.reconstruction_err_ = float(np.sqrt(fitted.objective)) if norm else fitted.objective
        self.certificate_ = result.certificate
        self.path_ = {"max_residual": result.max_residual, "objective": result.objective_path}
        self.status_ = result.status
        self.floor_ = result.floor
        if result.selection is not None:
            self.selection_ = result.selection
        self.rank_reason_ = result.rank_reason
        names = names_of(whole, known, result.anchors)
        if names is not None:
            self.anchors_names_ = names
        if self.keep_duals:
            self.result_ = result
        self.relative_error_ = self._training_error(X, result, fitted, given(sample_weight, self.feature_weight, observed, entry_weight))
        return result if result.weights is None else replace(result, weights=like(X, result.weights))

    def _training_error(self, X, result, fitted, trust) -> float:
        """|X - WH|_1 / |X|_1, which a run in l1 knows already."""
        if result.weights is None:
            return float("nan")
        plain = self.loss == "l1" and not trust and result.refined is None and not np.isnan(result.unexplained)
        if plain:
            return result.unexplained
        known = trust.get("observed")
        if trust.get("entry_weight") is not None:
            known = trust["entry_weight"]
        return relative_error(X, fitted.weights, fitted.components, known, getattr(self, "negative", "") == "clip")

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
        """X as it was checked, and its projection."""
        check_is_fitted(self)
        whole = X
        X = validate(self, X, reset=False)
        values = {name: getattr(self, name) for name in ("loss", "beta", "quantile", "reverse", "projection", "hull", "negative", "missing", "tol")
                  if hasattr(self, name)}  # programs have no hull
        values.update(given(None, getattr(self, "feature_weight", None), None, None))
        values["floor"] = self.floor_
        with named_places(whole):
            return X, run_project(X, self.components_, values, self.n_jobs, self.verbose)

    def transform(self, X: Any) -> np.ndarray:
        """The non-negative weights of the anchors, shape (n_samples, n_anchors); float32 if X is."""
        X, projection = self._project(X)
        return like(X, projection.weights)

    def inverse_transform(self, W: Any) -> np.ndarray:
        """The samples that weights W stand for: ``W @ components_``; a frame if W is one."""
        check_is_fitted(self)
        return samples_of(W, self.components_, getattr(self, "feature_names_in_", None))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per sample: larger is better. Losses have different units, so this compares models of one loss;
        :meth:`relative_error` compares any."""
        _, projection = self._project(X)
        return -projection.objective / len(projection.weights)

    def relative_error(self, X: Any) -> float:
        """|X - WH|_1 / |X|_1 of any samples, W being their weights: how much is left unexplained, in a unit that is the same
        for all losses. NaN in X is left out. Of the samples of ``fit`` this is ``relative_error_``."""
        X, projection = self._project(X)
        return relative_error(X, projection.weights, self.components_, None, getattr(self, "negative", "") == "clip")

    def get_anchors(self) -> Any:
        """The anchors as a pandas frame: a row each, named as in the frame that was fitted (else by their numbers), a column
        for each feature."""
        check_is_fitted(self)
        import pandas
        return pandas.DataFrame(self.components_, index=getattr(self, "anchors_names_", self.anchors_),
                                columns=getattr(self, "feature_names_in_", None))

    def verify(self, X: Any) -> Verification:
        """An independent recheck of what ``fit(X)`` found, with ``keep_duals=True``."""
        check_is_fitted(self)
        if not hasattr(self, "result_"):
            raise ValueError("nothing to verify was kept; fit with keep_duals=True")
        return verify(X, self.result_, n_jobs=self.n_jobs)

    @property
    def _n_features_out(self):
        return len(self.components_)


def relative_score(estimator: Any, X: Any, y: Any = None) -> float:
    """The share of samples that an estimator explains, 1 - |X - WH|_1 / |X|_1: a scorer for searches over losses, methods
    and estimators, scikit-learn's NMF and pipelines among them.

    Parameters
    ----------
    estimator : fitted, with ``transform`` and ``inverse_transform``
    X : array, sparse matrix or frame, shape (n_samples, n_features)
    y : ignored

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> import conehull
    >>> X = np.random.RandomState(0).rand(60, 8)
    >>> search = GridSearchCV(conehull.SeparableNMF(3), {"loss": ["l1", "l2", "kl"]}, scoring=conehull.relative_score)
    >>> 0 < search.fit(X).best_score_ < 1
    True
    """
    if hasattr(estimator, "relative_error"):
        return 1 - estimator.relative_error(X)
    made = np.asarray(estimator.inverse_transform(estimator.transform(X)), dtype=float)
    X = checked(X)
    X = X.toarray() if sparse.issparse(X) else X
    return 1 - float(np.nansum(np.abs(X - made)) / np.nansum(np.abs(X)))


_SHARED = """
    feature_weight : array, shape (n_features,), or None, default None
        How much a feature counts (l1, l2, kl, beta): bad bands, sensors that you trust less.
    keep : sequence of int or str, or None, default ()
        Samples that are anchors in any case, in this order: their numbers, or labels of a frame.
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
        Anchors wanted. "auto" (methods xray and smrs) stops where more of them no longer help much, a rule of thumb, and
        warns with the number and the reason (:class:`conehull.RankWarning`); None: the smaller of n_samples and n_features.
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
