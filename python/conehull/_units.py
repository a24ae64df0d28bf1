"""Features in different units. The loss is a sum over features, so one that has large numbers decides the fit.

``scale`` divides each feature by its maximum or its mean. This equals a weight of the feature in the loss,

    loss(c x, c y) = c^q loss(x, y),

so components and all results stay in the units of X. The rules are those of ``conehull anchors --scale`` and its warning, and the
tests compare them with the command.
"""
import numpy as np
import scipy.sparse as sparse

from ._errors import Caution

_BLOCK = 1 << 18  # entries of a block of rows
_EXAMINED = 1 << 18  # entries that are examined for the warning
_ROWS = 64  # minimum number of samples that are examined
_NEARLY_ALL, _LOST, _MOST, _APART, _HALF = 0.9, 0.01, 0.75, 10, 0.5
_FEW = 20  # features of a table in which few large ones count as apart
_NAMED = 3  # features that a warning names
_DEGREE = {"l1": 1, "quantile": 1, "kl": 1, "kullback-leibler": 1, "l2": 2, "frobenius": 2}
SCALES = ("max", "mean")


def _degree(values) -> float:
    """Returns q such that loss(c x, c y) = c^q loss(x, y); 0 if there is no such q or it is not positive."""
    loss = values.get("loss", "l1")
    if not isinstance(loss, str):
        return 0
    name, _, number = loss.partition(":")
    if name == "beta":
        return max(float(number or values.get("beta", 0)), 0)
    return _DEGREE.get(name, 0)


def check_scale(scale) -> None:
    if scale is not None and not (isinstance(scale, str) and scale in SCALES):
        raise ValueError(f'scale must be "max", "mean" or None; got {scale!r}')


def scaled(X, scale, values) -> dict:
    """Returns the keywords of a fit, with the weights of the features that ``scale`` asks for."""
    check_scale(scale)
    if scale is None:
        return values
    degree = _degree(values)
    if degree == 0:
        raise ValueError(f"scale={scale!r} cannot be used with this loss, in which the units of features do not matter or cannot be "
                         "changed; use scale=None")
    unit = _units(X, scale, values)
    weight = np.where(unit > 0, 1 / np.where(unit > 0, unit, 1), 1.0)
    weight = weight if degree == 1 else weight * weight if degree == 2 else weight**degree
    own = values.get("feature_weight")
    if own is not None:
        own = np.asarray(own, dtype=float)
        if own.shape != weight.shape:
            return values  # the run reports it
        weight = own * weight
    return {**values, "feature_weight": weight}


def _blocks(X, values, step=1):
    """Yields blocks of samples as (values with 0 for everything that is unknown or negative, known entries)."""
    masks = [values[name] for name in ("observed", "entry_weight") if values.get(name) is not None]
    rows = max(1, _BLOCK // max(1, X.shape[1])) * step
    for low in range(0, X.shape[0], rows):
        x = _dense(X[low:low + rows:step])
        known = ~np.isnan(x)
        for mask in masks:
            known &= _dense(mask[low:low + rows:step] if sparse.issparse(mask) else np.asarray(mask)[low:low + rows:step]) != 0
        yield np.where(known & (x > 0), x, 0), known


def _dense(block) -> np.ndarray:
    return np.asarray(block.toarray() if sparse.issparse(block) else block, dtype=float)


def _units(X, scale, values) -> np.ndarray:
    """Returns the maximum of each feature, or the mean of its known entries."""
    X = sparse.csr_matrix(X) if sparse.issparse(X) else X
    values = {name: sparse.csr_matrix(value) if sparse.issparse(value) else value for name, value in values.items()}
    most, total, count = np.zeros(X.shape[1]), np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for x, known in _blocks(X, values):
        most = np.maximum(most, x.max(axis=0))
        total += x.sum(axis=0)
        count += known.sum(axis=0)
    return most if scale == "max" else total / np.maximum(count, 1)


def unit_caution(X, values, names=None) -> list:
    """Returns a sentence if the fit hardly depends on some features, otherwise nothing.

    Let n be a tenth of the features that are not zero, but at least 1. The fit hardly depends on some features if the n largest features
    hold 90 % of the sum of all values; if they are a table of less than 20 features in which a few are apart (_count_apart); or if at
    least n features are not zero in half of the samples, but each holds less than 1 % of an equal share of the sum. The sentence begins
    with the large features, because one of them may be no measurement, such as the number of a sample. Whole numbers of a few bits and
    sparse data have one unit. Large data are judged by some of their samples.
    """
    if sparse.issparse(X) or X.dtype.kind != "f" or values.get("feature_weight") is not None or _degree(values) == 0 or not X.size:
        return []
    step = max(1, -(-X.shape[0] // max(_ROWS, _EXAMINED // X.shape[1])))
    total, positive, samples = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0
    for x, _ in _blocks(X, values, step):
        total += x.sum(axis=0)
        positive += (x > 0).sum(axis=0)
        samples += len(x)
    order = np.lexsort((np.arange(len(total)), -total))
    order = order[total[order] > 0]
    used, whole = len(order), float(total[order].sum())
    if used < 3 or not whole < 2.0**500:
        return []
    tenth = max(used // 10, 1)
    lost = order[(2 * positive[order] >= samples) & (total[order] * used < _LOST * whole)]
    apart = _count_apart(total[order], whole)
    large = order[:max(tenth, apart)]
    if len(lost) >= tenth:
        large = order[:int(np.argmax(np.cumsum(total[order]) >= _HALF * whole)) + 1]
        others = (f"{len(lost)} other{'' if len(lost) == 1 else 's'} ({_listed(lost, names)}), which {_hold(lost)} "
                  f"{100 * total[lost].sum() / whole:.2g} %")
    elif apart or total[large].sum() >= _NEARLY_ALL * whole:
        others = "the others"
    else:
        return []
    advice = 'if features have different units, scale="max" or scale="mean" makes all of them count'
    return [Caution(f"{len(large)} of {used} features ({_listed(large, names)}) {_hold(large)} "
                    f"{100 * total[large].sum() / whole:.3g} % of the sum of all values, so the fit hardly depends on {others}; {advice}",
                    f"the fit hardly depends on some features, whose values are small compared with the others; {advice}")]


def _count_apart(total, whole) -> int:
    """Returns the number of large features in a small table, from sorted sums, if they are at most half of the features, hold _MOST of
    the sum of all, and each is _APART times the median of the others; otherwise 0."""
    used = len(total)
    for k in range(1, used // 2 + 1 if used < _FEW else 0):
        if total[:k].sum() >= _MOST * whole and total[k - 1] >= _APART * total[k + (used - k) // 2]:
            return k
    return 0


def _listed(features, names) -> str:
    listed = ", ".join(repr(names[k]) if names is not None else str(k) for k in features[:_NAMED])
    return listed + (", ..." if len(features) > _NAMED else "")


def _hold(features) -> str:
    return "holds" if len(features) == 1 else "hold"
