"""What scikit-learn wants to know of estimators and does with arrays, for any of its versions."""
import inspect

import numpy as np
from sklearn.utils import check_array

from ._matrix import DTYPES

#: How every array is looked at before it goes to the library. Values are checked there, in parallel.
_CHECKS = dict(accept_sparse=("csr", "csc"), dtype=DTYPES, order=None)
_NEW = "ensure_all_finite" in inspect.signature(check_array).parameters  # 1.6 and later
_CHECKS["ensure_all_finite" if _NEW else "force_all_finite"] = False


def _refuse_masks(X) -> None:
    """scikit-learn would use what is below the mask."""
    if np.ma.is_masked(X):
        raise ValueError("X is a masked array with masked values; fill them, or leave their samples out")


def checked(X):
    """X as an array or sparse matrix that ``View`` takes."""
    _refuse_masks(X)
    return check_array(X, **_CHECKS)


def validate(estimator, X, reset):
    """The same for an estimator, which keeps or compares the number and names of the features."""
    _refuse_masks(X)
    if _NEW:
        from sklearn.utils.validation import validate_data
        return validate_data(estimator, X, reset=reset, **_CHECKS)
    return estimator._validate_data(X, reset=reset, **_CHECKS)


def samples_of(W, components) -> np.ndarray:
    """What weights W stand for: ``W @ components``."""
    W = check_array(W, accept_sparse=True)
    if W.shape[1] != len(components):
        raise ValueError(f"W has {W.shape[1]} columns, but there are {len(components)} components")
    return W @ components


class Tags:
    """Non-negative data, sparse or not; anchors depend on the samples, not on a target."""

    def _more_tags(self):
        return {"requires_positive_X": True, "preserves_dtype": []}

    def __sklearn_tags__(self):  # 1.6 and later
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags
