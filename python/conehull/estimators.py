"""Estimators in the style of scikit-learn: rows are samples, anchors are rows, and ``components_`` holds them.

    X  ~  transform(X) @ components_,   components_ = X[anchors_]

In the C library data points are columns. The transpose needs no copy (see ``_matrix.py``).
"""
from dataclasses import replace
from typing import Any, Dict, Optional

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._settings import tables
from ._signature import with_parameters
from ._names import (Labels, check_features, check_same_features, check_trust, explain_missing, explain_negative, explain_scaling, is_frame,
                     named_places, names_of_columns, numbers_of)
from ._quality import Unmeasured, relative_error
from ._sklearn import ClassNamePrefixFeaturesOutMixin, Tags, checked, labelled, like, refuse_mixed_units, samples_of, validate
from .advice import Advice, advise
from .functions import (PROJECTION, TRUST, AnchorsResult, Certificate, Request, Verification, given, names_of, run_anchors, run_project,
                        verify)

__all__ = ["SeparableNMF", "SPA", "Hottopixx", "SMRS", "relative_score"]

TABLE = tables["anchors"]
_LAST = {"feature_weight": None, "scale": None, "keep": (), "keep_duals": False, "n_jobs": None, "verbose": 0}

#: Settings that apply to one method only; the estimators of other methods leave them out.
_XRAY_ONLY = ("exterior", "first", "dual", "eager", "faint", "library_only", "missing", "max_missing")
_SPA_ONLY = ("plain",)
_VARIANTS_ONLY = ("neighbours", "tries")
_NOT_OF_PROGRAMS = ("hull",)
_SMRS_ONLY = ("alpha", "linear")

_ATTRIBUTES = """
    Attributes
    ----------
    anchors_ : ndarray of int64, shape (n_anchors,)
        Row numbers of the anchors in X, in the order of selection; ``n_samples + k`` is row k of ``library``.
    components_ : ndarray, shape (n_anchors, n_features)
        The anchors, ``X[anchors_]``. With ``refine``, the refined components, which fit better and are no longer samples.
    reconstruction_err_ : float
        For l2 the norm ||X - WH||_F, as in scikit-learn; for other losses the loss, sum |X - WH| (l1) or the divergence;
        NaN with ``select_only``.
    relative_error_ : float
        |X - WH|_1 / |X|_1 for every loss, so that losses can be compared. 0 means that everything is explained; NaN with
        ``select_only``. For losses other than l1 it is computed at its first use, and refused if X was changed before.
        :meth:`relative_error` computes it for other samples.
    n_components_ : int
        Number of anchors.
    rank_reason_ : str
        With ``n_components="auto"``, the reason for this number; also raised as a :class:`conehull.RankWarning`.
    certificate_ : conehull.Certificate
        Proof that the weights are optimal.
    path_ : dict
        ``max_residual`` after each anchor and, with ``path``, the ``objective`` for every smaller number of anchors.
    status_ : str
        "done", "complete" (everything explained with fewer anchors), "iterations" or "inaccurate".
    floor_ : float
        The number that divergences add to W H; 0 for l1 and l2.
    completed_ : ndarray of bool, shape (n_anchors, n_features)
        Only with missing entries: True where an entry of the anchors was missing in X and ``components_`` holds an estimate.
    result_ : conehull.AnchorsResult
        Only with ``keep_duals``: the complete result, which :meth:`verify` checks.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Names of the features, if X is a pandas frame or an AnnData object (its genes).
    anchors_names_ : ndarray
        Labels of the anchors in the index of the frame, or names of the anchor cells. Absent if X has no labels."""


def _fitted_names(cls) -> set:
    """Returns the attributes that ``fit`` sets."""
    return {name for parent in cls.__mro__ for name in vars(parent).get("__annotations__", {}) if name.endswith("_")}


class _AnchorEstimator(Tags, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class: everything except the parameters."""

    anchors_: np.ndarray
    components_: np.ndarray
    reconstruction_err_: float
    n_components_: int
    rank_reason_: str
    certificate_: Certificate
    path_: Dict[str, Optional[np.ndarray]]
    status_: str
    floor_: float
    selection_: np.ndarray
    completed_: np.ndarray
    result_: AnchorsResult
    n_features_in_: int
    feature_names_in_: np.ndarray
    anchors_names_: np.ndarray

    _method = None
    _accepts_missing = False  # entries
    _feature_weight = None  # of the fit: feature_weight and scale

    def _values(self):
        values = {name: getattr(self, name) for name in self._setting_names}
        if self._method:
            values["method"] = self._method
        return values

    def _fit(self, X, sample_weight=None, observed=None, entry_weight=None):
        """Fits the model. Returns the result, with weights in the type of X."""
        refuse_mixed_units(self)
        whole, known = X, getattr(self, "library", None)
        check_trust(X, sample_weight, self.feature_weight, observed, entry_weight)
        check_features("library", known, X)
        X = validate(self, X, reset=True)
        for name in ("selection_", "anchors_names_", "result_", "completed_", "_unmeasured"):  # an earlier fit may have had them
            vars(self).pop(name, None)
        trust = given(sample_weight, self.feature_weight, observed, entry_weight)
        values = {**self._values(), **trust}
        with explain_scaling(), explain_missing(self._accepts_missing), named_places(whole):
            result = run_anchors(X, self.n_components, values, numbers_of(self.keep, whole), self.keep_duals, self.n_jobs,
                                 self.verbose, known=known, scale=self.scale, source=whole)
        values = {name: value for name, value in result.settings.items() if name in values or name in TRUST}
        self._feature_weight = values.get("feature_weight")
        self._request = Request.of(result)
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
        if result.completed is not None:
            self.completed_ = result.completed
        self.rank_reason_ = result.rank_reason
        names = names_of(whole, known, result.anchors)
        if names is not None:
            self.anchors_names_ = names
        self._labels_in = Labels.of(whole, result.anchors if known is None else None)
        if self.keep_duals:
            self.result_ = result
        self._measure(X, result, fitted, values)
        return result if result.weights is None else replace(result, weights=like(X, result.weights))

    def _measure(self, X, result, fitted, values):
        """Sets the relative error if the run reports it, and otherwise what its first use needs."""
        trust = any(name in values for name in TRUST)
        if result.weights is None:
            self._relative_error = float("nan")
        elif result.refined is not None and np.isnan(fitted.certificate.gap):
            # The loss is not convex, so another projection may end in another minimum than that of the refinement.
            known, clip = values.get("entry_weight", values.get("observed")), values.get("negative") == "clip"
            self._relative_error = relative_error(X, fitted.weights, fitted.components, known, clip)
        elif self.loss == "l1" and not trust and result.refined is None and not np.isnan(result.unexplained):
            self._relative_error = result.unexplained
        else:
            self._unmeasured = Unmeasured(X, fitted.components.copy(), fitted.objective, {**values, "floor": result.floor}, self.n_jobs)

    @property
    def relative_error_(self) -> float:
        """|X - WH|_1 / |X|_1 of the samples of ``fit``. For losses other than l1 the first use computes it from X, to which
        the model refers until then, so a fit does not pay for it. ValueError if X was changed before the first use."""
        check_is_fitted(self)
        if "_unmeasured" in vars(self):
            self._relative_error = self._unmeasured.relative_error()
            del self._unmeasured
        return self._relative_error

    def __getstate__(self):
        """Pickles and copies hold no X."""
        if "_unmeasured" in vars(self):
            try:
                self.relative_error_  # noqa: B018
            except ValueError:
                self._relative_error = float("nan")  # X has been changed
                del self._unmeasured
        return super().__getstate__()

    def __getattr__(self, name):
        """Explains why names are missing."""
        if name == "relative_error_":
            check_is_fitted(self)  # raises; the property did, and Python asks here next
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name == "anchors_names_" and "n_features_in_" in vars(self):
            text += (": the samples of fit had no labels, since X was not a frame. In a pipeline a scaler returns an array; "
                     "pipeline.set_output(transform=\"pandas\") makes it return frames. Or look the labels up: "
                     "frame.index[model.anchors_]")
        if name.endswith("_") and not name.startswith("_") and name in _fitted_names(type(self)) and "n_features_in_" not in vars(self):
            text += "; the model is not fitted yet, call fit first"
        raise AttributeError(text)

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

        The result equals ``fit(X).transform(X)`` to the last bit.
        """
        return self._weights_of(X, self._fit(X))

    def _weights_of(self, X, result):
        if result.weights is None or result.refined is not None:
            return self.transform(X)
        return labelled(self, X, result.weights)

    def _project(self, X):
        """Returns the checked X and its projection."""
        check_is_fitted(self)
        whole = X
        X = validate(self, X, reset=False)
        values = {name: getattr(self, name) for name in PROJECTION if name in vars(self)}  # Hottopixx and SMRS have no hull
        values.update(given(None, self._feature_weight, None, None))
        values["floor"] = self.floor_
        with explain_negative(), explain_missing(self._accepts_missing), named_places(whole):
            return X, run_project(X, self.components_, values, self.n_jobs, self.verbose)

    def transform(self, X: Any) -> np.ndarray:
        """Returns the non-negative weights of the anchors, shape (n_samples, n_anchors); float32 if X is float32."""
        whole = X
        X, projection = self._project(X)
        return labelled(self, whole, like(X, projection.weights))

    def inverse_transform(self, W: Any) -> np.ndarray:
        """Returns the samples that the weights W describe, ``W @ components_``; a frame if W is a frame."""
        check_is_fitted(self)
        made = samples_of(W, self.components_, getattr(self, "feature_names_in_", None), self.get_feature_names_out())
        return self._labels_in.put_on(made, rows=False) if is_frame(made) else made

    def score(self, X: Any, y: Any = None) -> float:
        """Returns minus the loss per sample; larger is better. Losses have different units, so use it only to compare
        models of one loss; :meth:`relative_error` compares models of any loss."""
        _, projection = self._project(X)
        return -projection.objective / len(projection.weights)

    def relative_error(self, X: Any) -> float:
        """Returns |X - WH|_1 / |X|_1, where W holds the weights of these samples: the share that is not explained, in a unit
        that is the same for all losses. NaN in X is ignored. For the samples of ``fit`` it equals ``relative_error_``."""
        X, projection = self._project(X)
        return relative_error(X, projection.weights, self.components_, None, getattr(self, "negative", "") == "clip")

    def get_anchors(self) -> Any:
        """Returns the anchors as a pandas frame with a row per anchor and a column per feature. Rows and columns have the
        labels of the fitted frame, and the names of its axes. If X had no labels, rows have their numbers in X."""
        check_is_fitted(self)
        import pandas
        made = pandas.DataFrame(self.components_, index=getattr(self, "anchors_names_", self.anchors_),
                                columns=getattr(self, "feature_names_in_", None))
        return self._labels_in.put_on(made)

    def verify(self, X: Any) -> Verification:
        """Checks the result of ``fit(X)`` from X and the settings alone. Without ``keep_duals`` the fit is repeated to obtain
        the duals, and it must give the same components and the same loss."""
        check_is_fitted(self)
        check_same_features(X, getattr(self, "feature_names_in_", None))
        if hasattr(self, "result_"):
            return verify(X, self.result_, n_jobs=self.n_jobs)
        lost = [name for name in TRUST if name in self._request.left_out]
        if lost:
            raise ValueError(f"the fitted model cannot be verified, because it stored neither its duals nor {lost[0]}; fit it with "
                             "keep_duals=True")
        again = self._request.repeat(checked(X), self.n_jobs)
        fitted = again if again.refined is None else again.refined
        loss = np.sqrt(fitted.objective) if TABLE["loss"].is_l2(again.settings["loss"]) else fitted.objective
        same = (np.array_equal(again.anchors, self.anchors_) and loss == self.reconstruction_err_
                and np.array_equal(self.components_, fitted.components.astype(self.components_.dtype)))
        found = verify(X, again, n_jobs=self.n_jobs)
        return found if same or not found else replace(found, ok=False, why="a second fit to these samples gives other components "
                                                       "or another loss; X or the model was changed")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Returns the names of the weights, which are the columns of ``transform`` as a frame: the labels of the anchors, if
        the samples of ``fit`` had labels, and otherwise the name of the class and a number."""
        made = super().get_feature_names_out(input_features)
        labels = getattr(self, "anchors_names_", None)
        return made if labels is None else names_of_columns(labels, self.anchors_)

    @property
    def _n_features_out(self):
        return len(self.components_)


def relative_score(estimator: Any, X: Any, y: Any = None) -> float:
    """Returns the share of the data that an estimator explains, 1 - |X - WH|_1 / |X|_1. It is a scorer for searches over
    losses, methods and estimators, including scikit-learn's NMF and pipelines.

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
        Weight of each feature (l1, l2, kl, beta), for example less than 1 for noisy sensors and 0 for bad bands.
    scale : {"max", "mean"} or None, default None
        For features in different units: divides each feature by its maximum or its mean in the loss, so that all of them count.
        Components, weights and ``relative_error`` stay in the units of X. Losses l1, l2, quantile, kl, and beta above 0.
    keep : sequence of int or labels, pandas Index or None, default ()
        Samples that become the first anchors, in this order. Whole numbers are positions, counted from 0, whatever the index
        of a frame is. Other values are labels of the frame. All values of a pandas Index are labels, also whole numbers.
    keep_duals : bool, default False
        Store the duals that :meth:`verify` checks, so that it need not repeat the fit.
    n_jobs : int or None, default None
        Number of threads; None uses all cores. The result does not depend on it.
    verbose : bool, default 0
        Show a progress bar, or lines on stderr if tqdm is not installed."""


_LIBRARY = """
    library : array or sparse matrix, shape (n_known, n_features), or None, default None
        Known components, which need not be rows of X. They are the first anchors, before those of ``keep``; the others
        are selected from X. With ``library_only`` all anchors are selected from the library."""


def _estimator(last=_LAST, **options):
    """Adds the parameters of the table and the shared parts of the docstring to an estimator."""
    def decorate(cls):
        cls.__doc__ = cls.__doc__.replace("\n    {library}", _LIBRARY)
        cls.__doc__ = cls.__doc__.replace("\n    {shared}", _SHARED).replace("\n    {attributes}", _ATTRIBUTES)
        return with_parameters(TABLE, last=last, **options)(cls)
    return decorate


@_estimator(first={"n_components": "auto"}, last={**_LAST, "library": None})
class SeparableNMF(_AnchorEstimator):
    """Near-separable non-negative matrix factorisation: finds a few samples whose non-negative combinations
    explain all others.

    Rows are samples, as in scikit-learn, and the anchors are rows of X.

    Parameters
    ----------
    n_components : int, "auto" or None, default "auto"
        Number of anchors. "auto" (methods xray and smrs) stops when more anchors no longer help much; this is a rule of
        thumb, and a :class:`conehull.RankWarning` gives the number and the reason. None means the smaller of n_samples and
        n_features.
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

    _accepts_missing = True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None,
            entry_weight: Any = None) -> "typing_extensions.Self":
        """Finds the anchors.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (n_samples, n_features)
            Non-negative. float64, float32, uint8 and uint16 are used in place. With ``missing="nan"`` NaN is a missing
            entry.
        y : ignored
        sample_weight : array, shape (n_samples,), or None
            Weight of each sample, in the search for the farthest sample and in the loss. A sample of weight 0 is never
            selected.
        observed : array or sparse matrix of the shape of X, or None
            Non-zero where an entry of X is known; entries that a sparse matrix does not store are unknown.
        entry_weight : array or sparse matrix of the shape of X, or None
            Weight of each entry (l1, l2), for l2 for example 1 / variance. An entry of weight 0 is unknown.

        Returns
        -------
        self
        """
        self._fit(X, sample_weight, observed, entry_weight)
        return self

    def advise(self, X: Any) -> Advice:
        """Recommends a loss and an exterior rule for X, from the residuals of a run with the parameters of this estimator.
        The estimator is not changed. See :func:`conehull.advise`."""
        values = {name: value for name, value in self._values().items() if name != "select_only"}
        return advise(X, self.n_components, n_jobs=self.n_jobs, **values)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, observed: Any = None,
                      entry_weight: Any = None) -> np.ndarray:
        """Finds the anchors and returns the weights, shape (n_samples, n_anchors).

        The result equals ``fit(X).transform(X)`` to the last bit. ``observed`` and ``entry_weight`` apply to these samples;
        ``transform`` accepts missing entries only as NaN.
        """
        return self._weights_of(X, self._fit(X, sample_weight, observed, entry_weight))


@_estimator(first={"n_components": None}, leave_out=("method", "gap") + _XRAY_ONLY + _SMRS_ONLY + _VARIANTS_ONLY)
class SPA(_AnchorEstimator):
    """The successive projection algorithm: each anchor is the sample farthest from the span of the anchors
    before it. It is fast, and suited to data with little noise.

    Parameters
    ----------
    n_components : int or None, default None
        Number of anchors; None means the smaller of n_samples and n_features.
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
    """Selects anchors by a linear program over all samples (Bittorf, Recht, Re and Tropp). It stores n_samples x
    n_samples numbers.

    Parameters
    ----------
    n_components : int or None, default None
        Number of anchors; None means the smaller of n_samples and n_features.
    {settings}
    {shared}

    {attributes}
    selection_ : ndarray, shape (n_anchors,)
        Weight of each anchor in its own representation; 1 means that no other sample helps to explain it.

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
    """Sparse modelling representative selection (Elhamifar, Sapiro and Vidal): finds samples that represent all
    others by a row-sparse matrix of weights. It stores n_samples x n_samples numbers.

    Parameters
    ----------
    n_components : int, "auto" or None, default "auto"
        Number of representatives; "auto" uses the samples that hold 99 % of the weights, without near duplicates.
    {settings}
    {shared}

    {attributes}
    selection_ : ndarray, shape (n_anchors,)
        Norm of each representative's row of weights, a measure of how much it is used.

    Examples
    --------
    >>> import numpy as np
    >>> from conehull import SMRS
    >>> X = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> sorted(SMRS(2).fit(X).anchors_.tolist())
    [0, 2]
    """

    _method = "smrs"
