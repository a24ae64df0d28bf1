"""What differs between versions of scikit-learn, in one place."""
from ._matrix import CHECKS

try:  # 1.6 and later
    from sklearn.utils.validation import validate_data as _validate

    _CHECKS = {("ensure_all_finite" if k == "force_all_finite" else k): v for k, v in CHECKS.items()}

    def validate(estimator, X, reset):
        return _validate(estimator, X, reset=reset, **_CHECKS)
except ImportError:
    def validate(estimator, X, reset):
        return estimator._validate_data(X, reset=reset, **CHECKS)


class Tags:
    """Non-negative data, sparse or not; anchors depend on the samples, not on a target."""

    _positive_only = True

    def _more_tags(self):
        return {"requires_positive_X": self._positive_only, "preserves_dtype": []}

    def __sklearn_tags__(self):  # 1.6 and later
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._positive_only
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags
