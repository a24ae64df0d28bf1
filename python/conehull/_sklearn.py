"""What scikit-learn wants to know of estimators and does with arrays, for any of its versions."""
import inspect
import warnings

import numpy as np
from sklearn.utils import check_array

try:
    from sklearn.base import ClassNamePrefixFeaturesOutMixin
except ImportError:  # before 1.2
    class ClassNamePrefixFeaturesOutMixin:
        """Names of what ``transform`` returns: that of the class and a number."""

        def get_feature_names_out(self, input_features=None):
            name = type(self).__name__.lower()
            return np.asarray([f"{name}{k}" for k in range(self._n_features_out)], dtype=object)

from ._errors import search_frame
from ._matrix import DTYPES
from ._names import feature_names, is_anndata, is_frame, refuse_dates, refuse_others, refuse_text, values_of

#: How every array is looked at before it goes to the library. Values are checked there, in parallel.
_CHECKS = dict(accept_sparse=("csr", "csc"), dtype=DTYPES, order=None)
_NEW = "ensure_all_finite" in inspect.signature(check_array).parameters  # 1.6 and later
_CHECKS["ensure_all_finite" if _NEW else "force_all_finite"] = False


def _refuse_masks(X) -> None:
    """scikit-learn would use what is below the mask."""
    if np.ma.is_masked(X):
        raise ValueError("X is a masked array with masked values; fill them, or remove the samples that have them")


def checked(X):
    """X as an array or sparse matrix that ``View`` takes."""
    _refuse_masks(X)
    refuse_dates(X)
    try:
        return check_array(values_of(X), **_CHECKS)
    except (TypeError, ValueError):
        refuse_text(X)
        raise


def validate(estimator, X, reset):
    """The same for an estimator, which keeps or compares the number and names of the features."""
    _refuse_masks(X)
    if is_anndata(X):
        return _validate_anndata(estimator, X, reset)
    refuse_dates(X)
    try:
        if _NEW:
            from sklearn.utils.validation import validate_data
            return validate_data(estimator, X, reset=reset, **_CHECKS)
        return estimator._validate_data(X, reset=reset, **_CHECKS)
    except (TypeError, ValueError):
        refuse_text(X)
        raise


def _validate_anndata(estimator, X, reset):
    """scikit-learn knows names of frames alone; those of genes are kept and compared here."""
    names, known = feature_names(X), getattr(estimator, "feature_names_in_", None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        made = validate(estimator, values_of(X), reset)
    if reset and names is not None:
        estimator.feature_names_in_ = names
    if not reset and known is not None and names is not None and list(known) != list(names):
        raise ValueError("the genes of this AnnData object are not the feature names seen in fit, or they have another order")
    return made


#: Parameters that decide in which unit a loss is.
_UNITS = ("loss", "beta", "quantile", "reverse")


def refuse_mixed_units(estimator) -> None:
    """A search over losses compares what ``score`` returns, minus the loss, whose unit is another for each loss. It is
    refused where the search fits its first candidate; a scoring of the user's own is none of our business."""
    frame = search_frame()
    if frame is None:
        return
    searched, whole, scorer = (frame.f_locals.get(name) for name in ("parameters", "estimator", "scorer"))
    own = "passthrough" in (getattr(scorer, "__name__", "") or type(scorer).__name__).lower()
    steps = getattr(whole, "steps", None)
    prefix = "" if whole is estimator else f"{steps[-1][0]}__" if steps and steps[-1][1] is estimator else None
    mixed = [name for name in _UNITS if prefix is not None and prefix + name in (searched or {})]
    if own and mixed:
        raise ValueError(
            f"a search over {mixed[0]} cannot compare by score(), which is minus the loss per sample: losses have different "
            "units. Give the search scoring=conehull.relative_score, which measures all of them by the same share of the "
            "held-out samples that is explained")


def labelled(estimator, X, weights):
    """Returns weights of an AnnData object as a frame with the names of its cells, if the estimator is to return frames. scikit-learn
    makes all other frames itself, but knows only the index of frames."""
    if not is_anndata(X):
        return weights
    try:
        from sklearn.utils._set_output import _get_output_config
        wanted = _get_output_config("transform", estimator)["dense"]
    except (ImportError, KeyError):  # before 1.2
        return weights
    if wanted != "pandas":
        return weights
    import pandas
    return pandas.DataFrame(weights, index=X.obs_names)


def like(X, values) -> np.ndarray:
    """What is computed in double, in the type of X where that is float32."""
    return values.astype(np.float32) if X.dtype == np.float32 else values


def samples_of(W, components, names, own):
    """What weights W stand for: ``W @ components``; a frame, with the names of the features, if W is one. ``own`` has the names
    of the weights."""
    labels = W.index if is_frame(W) else None
    if labels is not None:
        refuse_others("W", W.columns, own, "the weights of this model have", "W[model.get_feature_names_out()]")
    W = check_array(W, accept_sparse=True)
    if W.shape[1] != len(components):
        raise ValueError(f"W has {W.shape[1]} columns, but there are {len(components)} components")
    if labels is None:
        return W @ components
    import pandas
    return pandas.DataFrame(W @ components, index=labels, columns=names)


class Tags:
    """Non-negative data, sparse or not; anchors depend on the samples, not on a target."""

    def _more_tags(self):
        return {"requires_positive_X": True, "preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self):  # 1.6 and later
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
