"""Labels of arguments beside X. Arguments are used by position, so a Series or frame whose labels are those of X in another order, or
others, is refused, as scikit-learn refuses frames whose features have another order than in ``fit``."""
import numpy as np

from ._names import index_of, is_anndata, is_frame

_LISTED = 3  # labels that a message lists


def _columns_of(X):
    """Returns the pandas Index of the features; None if they have no labels."""
    return X.var_names if is_anndata(X) else X.columns if is_frame(X) else None


def _is_count(labels) -> bool:
    """Returns whether labels are 0, 1, 2, ..., which pandas gives where the user gives none."""
    return type(labels).__name__ == "RangeIndex" and labels.start == 0 and labels.step == 1


def _differ(labels, wanted) -> bool:
    if labels is None or wanted is None or len(labels) != len(wanted) or list(labels) == list(wanted):
        return False
    return not (_is_count(labels) or _is_count(wanted)) or set(labels) == set(wanted)


def _listed(labels) -> str:
    return ", ".join(map(repr, list(labels)[:_LISTED])) + (", ..." if len(labels) > _LISTED else "")


def refuse_others(name, labels, wanted, of, fix) -> None:
    """Refuses labels of an argument that are not those ``wanted``, in the same order."""
    if _differ(labels, wanted):
        what = "in another order" if set(labels) == set(wanted) else "which differ"
        raise ValueError(f"{name} has the labels {_listed(labels)}, but {of} {_listed(wanted)}, {what}; values are matched by position. "
                         f"Give {name} in this order, {fix}, or without labels, {name}.to_numpy()")


def _refuse_no_numbers(name, values, labels) -> None:
    """Refuses words, and weights by name, for which a Series is the right type."""
    if isinstance(values, dict):
        raise ValueError(f"{name} must be a list of numbers, one for each {labels}; got a dict. For weights by name pass a Series, for "
                         f"example pandas.Series({name}).reindex({labels}s).fillna(1)")
    try:
        np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a list of numbers, one for each {labels}; got {values!r}") from None


def check_trust(X, sample_weight=None, feature_weight=None, observed=None, entry_weight=None) -> None:
    """Refuses weights and masks of X that hold no numbers, or have labels that are not those of X."""
    samples, features = index_of(X), _columns_of(X)
    for name, values, wanted, of, axis in (("sample_weight", sample_weight, samples, "sample", "X.index"),
                                           ("feature_weight", feature_weight, features, "feature", "X.columns")):
        if values is not None:
            _refuse_no_numbers(name, values, of)
            refuse_others(name, getattr(values, "index", None) if hasattr(values, "iloc") else None, wanted,
                          f"the {of}s of X have", f"{name}.loc[{axis}]")
    for name, values in (("observed", observed), ("entry_weight", entry_weight)):
        if is_frame(values):
            refuse_others(name, values.index, samples, "the samples of X have", f"{name}.loc[X.index]")
            refuse_others(name, values.columns, features, "the features of X have", f"{name}[X.columns]")


def check_features(name, values, X) -> None:
    """Refuses a frame whose features are not those of X."""
    refuse_others(name, _columns_of(values), _columns_of(X), "the features of X have", f"{name}[X.columns]")


def check_same_features(X, names) -> None:
    """Refuses an X whose features are not those of a fit, which had these names or None."""
    refuse_others("X", _columns_of(X), names, "the features of the fit have", "X[model.feature_names_in_]")
