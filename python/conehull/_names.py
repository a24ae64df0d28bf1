"""Names of samples and features, from pandas frames and AnnData objects."""
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import Caution, object_to

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


def names_of_columns(labels, numbers) -> np.ndarray:
    """Returns labels of samples as names of columns: strings, of which no two are equal. Samples with the same label get their number
    added."""
    texts = [", ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in labels]
    made = [f"{text} [{number}]" if texts.count(text) > 1 else text for text, number in zip(texts, numbers)]
    return np.asarray(made, dtype=object)


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


@contextmanager
def reworded(change):
    """Changes the text of a ValueError."""
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError or change(str(error)) == str(error):
            raise
        raise ValueError(change(str(error))) from None


_MANY = 10  # percent of negative values; more is no noise around 0
_SHARE = re.compile(r"([0-9.e+]+) % of the entries are negative; ")


def explain_scaling():
    """Adds to the message about many negative values which scaling makes none: clipping is for noise around 0."""
    def change(text):
        found = _SHARE.search(text)
        if found is None or float(found[1]) < _MANY:
            return text
        return (f"{text[:found.end()]}subtracting a mean, as StandardScaler does, makes about half of the values negative; "
                f"MaxAbsScaler, or scale=\"max\" without a step before, keeps them positive. For noise around 0, {text[found.end():]}")
    return reworded(change)


def explain_negative():
    """Adds to the message about a negative value in samples that are new to a model how scaling causes it."""
    return reworded(lambda text: text if "is negative" not in text else
                    f"{text}. If the values were scaled: a scaler that was fitted to other samples makes values below their "
                    "minimum negative; MinMaxScaler(clip=True) or negative=\"clip\" sets them to 0")


def explain_missing(accepts):
    """Says where missing values are accepted, if the estimator does not accept them itself."""
    return reworded(lambda text: text if accepts else re.sub(r'(?<!\()missing="nan"', 'SeparableNMF(missing="nan")', text))


def index_of(X):
    """Returns the pandas Index of the samples; None if they have no labels."""
    return X.obs_names if is_anndata(X) else X.index if is_frame(X) else None


@dataclass(frozen=True)
class Labels:
    """The labels of a fitted frame with the names of its axes, as pandas has them; None without them."""

    index: Any = None  # of the anchors
    columns: Any = None
    names: Any = None  # of the index

    @classmethod
    def of(cls, X, anchors=None) -> "Labels":
        """Of a frame or an AnnData object, with the labels of its anchors; of anything else, nothing."""
        index = index_of(X)
        if index is None:
            return cls()
        return cls(None if anchors is None else index[anchors], X.var_names if is_anndata(X) else X.columns, index.names)

    def put_on(self, frame, rows=True):
        """Gives a frame of anchors, or with ``rows=False`` of any samples, these labels."""
        if rows and self.index is not None:
            frame.index = self.index
        elif rows and self.names is not None and len(self.names) == frame.index.nlevels:
            frame.index.names = self.names
        if self.columns is not None:
            frame.columns = self.columns
        return frame


def numbers_of(keep, X):
    """Returns the samples of ``keep`` by position. Whole numbers are positions; everything else, and every element of a pandas
    Index, is a label of X."""
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of whole numbers or labels; got {keep!r}")
    if keep is None or len(keep) == 0:
        return keep
    labels, only_labels = index_of(X), hasattr(keep, "get_loc")
    by_label = [only_labels or not isinstance(name, (int, np.integer)) for name in keep]
    if not any(by_label):
        _explain_positions(keep, labels)
        return keep
    if labels is None:
        raise ValueError(f"keep must be a list of whole numbers where X has no labels; got {keep!r}")
    return [_position(name, labels) if own else name for name, own in zip(keep, by_label)]


def _position(label, labels) -> int:
    """Returns the position of the only sample with this label."""
    try:
        found = labels.get_loc(label)
    except (KeyError, TypeError):
        raise ValueError(f"keep has {label!r}, which is not the label of a sample") from None
    if isinstance(found, (int, np.integer)):
        return int(found)
    raise ValueError(f"keep has {label!r}, which is the label of several samples; give their positions")


def _explain_positions(keep, labels) -> None:
    """Warns about a number that is the position of one sample and the label of another."""
    if labels is None or getattr(labels.dtype, "kind", "O") not in "iu":
        return
    for number in keep:
        there = labels[number] if 0 <= number < len(labels) else None
        if number != there and number in labels:
            where = f"the sample there has the label {there}" if there is not None else "there is no such position"
            object_to(Caution(f"keep has {number}, a position from 0: {where}. If you mean the sample with the label {number}, pass a "
                              f"pandas Index: keep=pandas.Index([{number}])",
                              "a number in keep is a position, and also the label of another sample; for labels pass a pandas Index"))
            return


_COMMA = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
#: Kinds of NumPy types that hold no quantities, although they can be converted to numbers.
_NO_NUMBERS = {"M": "dates", "m": "time differences", "c": "complex numbers"}


def refuse_dates(X) -> None:
    """Refuses dates and time differences, which would become nanoseconds, complex numbers, files and empty frames."""
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"X must be an array or a frame; got the path {os.fspath(X)!r}. Read the file first, for example "
                         f"pandas.read_csv({os.fspath(X)!r}, index_col=0)")
    if is_frame(X):
        if X.shape[1] == 0:
            raise ValueError("X has no features: the frame has no columns")
        wrong = {name: (_NO_NUMBERS[kind], dtype) for name, dtype in zip(X.columns, X.dtypes)
                 if (kind := getattr(dtype, "kind", "O")) in _NO_NUMBERS}
        if wrong:
            name, (what, dtype) = next(iter(wrong.items()))
            others = [other for other in (*wrong, *_columns_of_text(X)) if other != name]
            raise ValueError(f"column {name!r} of the frame holds {what} ({dtype}), not numbers; "
                             + (f"other columns without numbers are {', '.join(map(repr, others))}; leave all of them out, "
                                f"X.drop(columns={[name, *others]!r})" if others else _without(X, name, what)))
    what = _NO_NUMBERS.get(getattr(getattr(X, "dtype", None), "kind", "O"))
    if what and what != "complex numbers":  # scikit-learn refuses those of arrays
        raise ValueError(f"X holds {what} ({X.dtype}), not numbers")


def _without(X, name, what) -> str:
    other = f"use its magnitude, X[{name!r}].abs()" if what == "complex numbers" else f"make it the index, X.set_index({name!r})"
    return f"leave it out, X.drop(columns={[name]!r}), or {other}"


def _columns_of_text(X) -> list:
    """Returns the names of the columns without a number."""
    return [name for place, (name, dtype) in enumerate(zip(X.columns, X.dtypes))
            if getattr(dtype, "kind", "O") == "O" and len(_no_numbers(X.iloc[:, place])) == len(X) > 0]


def _has_commas(column) -> bool:
    """Returns whether the values are numbers with a decimal comma."""
    return all(isinstance(value, str) and _COMMA.fullmatch(value.strip()) for _, value in column)


def refuse_text(X) -> None:
    """Refuses a frame with values that are no numbers, and names their columns, types and the first such value."""
    if not is_frame(X):
        return
    wrong = {}
    for place, (name, dtype) in enumerate(zip(X.columns, X.dtypes)):
        bad = [] if getattr(dtype, "kind", "O") in "uifb" else _no_numbers(X.iloc[:, place])
        if bad:
            wrong[name] = dtype, bad
    text = {name: (dtype, bad) for name, (dtype, bad) in wrong.items() if len(bad) == len(X)}
    if text and all(_has_commas(bad) for _, bad in text.values()):
        raise ValueError(f"the values are texts with a decimal comma, such as {next(iter(text.values()))[1][0][1]!r} in column "
                         f"{next(iter(text))!r}; read the file with pandas.read_csv(..., decimal=\",\"), or convert them: "
                         "X.apply(lambda column: column.str.replace(\",\", \".\").astype(float))") from None
    if text:
        listed = ", ".join(f"{name!r} ({dtype}, for example {bad[0][1]!r})" for name, (dtype, bad) in text.items())
        raise ValueError(f"these columns of the data frame contain no numbers: {listed}; remove them, X.drop(columns={list(text)!r}), "
                         "or encode them as numbers") from None
    for name, (dtype, bad) in wrong.items():
        row, value = bad[0]
        raise ValueError(f"column {name!r} of the frame ({dtype}) holds {value!r} in row {X.index[row]!r}, which is not a number "
                         f"({len(bad)} of {len(X)} values of this column, {len(wrong)} such columns). Correct it; or mark it as "
                         f"missing, X[{name!r}] = pandas.to_numeric(X[{name!r}], errors='coerce'), and fit with "
                         "missing=\"nan\"") from None


def _no_numbers(column) -> list:
    """Returns position and value of the entries that are no numbers."""
    try:
        column.to_numpy(dtype=float, na_value=np.nan)
        return []
    except (TypeError, ValueError):
        return [(place, value) for place, value in enumerate(column) if not _is_number(value)]


def _is_number(value) -> bool:
    if value is None:
        return True  # a missing value, as NaN
    try:
        float(value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
    return True


# ---- labels of arguments beside X ----------------------------------------------------------------
#
# Arguments are used by position, so a Series or frame whose labels are those of X in another order, or others, is refused, as
# scikit-learn refuses frames whose features have another order than in fit.

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
