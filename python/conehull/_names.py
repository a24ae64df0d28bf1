"""Names of samples and features, from pandas frames and AnnData objects."""
import re
from contextlib import contextmanager

import numpy as np

_PLACE = re.compile(r"\bsample (\d+), feature (\d+)\b")


def is_anndata(X) -> bool:
    """Returns whether X is an AnnData object, without importing that package."""
    return all(hasattr(X, name) for name in ("obsm", "varm", "uns", "obs_names", "var_names", "X"))


def is_frame(X) -> bool:
    return hasattr(X, "columns") and hasattr(X, "index") and hasattr(X, "iloc")


def sample_names(X):
    """Returns the labels of the samples; None if they have none."""
    if is_anndata(X):
        return np.asarray(X.obs_names)
    return np.asarray(X.index) if is_frame(X) else None


def feature_names(X):
    """Returns the labels of the features; None if they have none, or if not all of them are strings."""
    names = X.var_names if is_anndata(X) else X.columns if is_frame(X) else None
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(names, dtype=object)


def values_of(X):
    """Returns the matrix of an AnnData object, and every other X unchanged."""
    if not is_anndata(X):
        return X
    if X.X is None:
        raise ValueError("the AnnData object has no X; for a layer give adata.to_df(layer), or conehull.annotate(adata, layer=...)")
    return X.X


@contextmanager
def named_places(X, first=0):
    """Adds the names of the sample and the feature to error messages, if X has names. ``first`` is the number of the first
    sample of X."""
    try:
        yield
    except ValueError as error:
        samples, features = sample_names(X), feature_names(X)
        if type(error) is not ValueError or samples is None and features is None:
            raise
        text = _PLACE.sub(lambda m: (f"sample {m[1]}{_label(samples, int(m[1]) - first)}, "
                                     f"feature {m[2]}{_label(features, int(m[2]))}"), str(error))
        if text == str(error):
            raise
        raise ValueError(text) from None


def _label(names, number) -> str:
    return f" ({names[number]!r})" if names is not None and 0 <= number < len(names) else ""


def numbers_of(keep, X):
    """Returns the samples of ``keep`` by number; strings are labels of X."""
    if keep is None or not any(isinstance(name, str) for name in keep):
        return keep
    labels = sample_names(X)
    if labels is None:
        raise ValueError(f"keep must be a list of whole numbers where X has no labels; got {keep!r}")
    place = {label: number for number, label in enumerate(labels.tolist())}
    for name in keep:
        if isinstance(name, str) and name not in place:
            raise ValueError(f"keep has {name!r}, which is not the label of a sample")
    return [place[name] if isinstance(name, str) else name for name in keep]


def refuse_text(X) -> None:
    """Refuses a frame with columns that are not numbers, and names these columns."""
    if not is_frame(X):
        return
    wrong = [name for name, dtype in zip(X.columns, X.dtypes) if getattr(dtype, "kind", "O") not in "uifb" and not _converts(X[name])]
    if wrong:
        raise ValueError(f"these columns of the data frame contain no numbers: {', '.join(map(repr, wrong))}; remove them, "
                         f"X.drop(columns={wrong!r}), or encode them as numbers") from None


def _converts(column) -> bool:
    try:
        column.to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        return False
    return True
