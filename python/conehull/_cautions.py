"""Sentences about data that a run had to change or do without: clipped values, missing entries, samples without a known value."""
import numpy as np
import scipy.sparse as sparse

from ._errors import Caution

_MOST = 0.5  # share of missing entries above which a warning is due: more is estimated than measured
_BLOCK = 1024  # samples that are examined at a time
_LISTED = 5  # samples and features that a sentence lists


def cautions(X, values, counts, weights, names=None) -> list:
    """Returns the sentences about a run on X.

    ``values`` are its keywords, ``counts`` the struct of the library with its counts, ``weights`` its weights or None, and
    ``names`` those of the features or None.
    """
    said, size = [], X.shape[0] * X.shape[1]
    if counts.clipped > 0:
        said.append(Caution(f'negative="clip" set {counts.clipped} of {size} values ({_percent(counts.clipped / size)}) to 0; their sum '
                            f"is {-counts.clipped_mass:.3g}. Use it for noise around 0 only",
                            'negative="clip" set values to 0. Use it for noise around 0 only'))
    if counts.unknown == 0:
        return said
    blank = _without_values(X, values, weights)
    if len(blank):
        listed = ", ".join(map(str, blank[:_LISTED])) + (", ..." if len(blank) > _LISTED else "")
        said.append(Caution(f"{len(blank)} of {X.shape[0]} samples have no known value ({listed}); their weights are 0 and mean nothing. "
                            "Leave these samples out",
                            "samples have no known value; their weights are 0 and mean nothing. Leave these samples out"))
    empty = _unknown_features(X, values) if hasattr(counts, "completed") else ()
    if len(empty):
        listed = ", ".join(str(k) if names is None else repr(names[k]) for k in empty[:_LISTED]) + (", ..." if len(empty) > _LISTED else "")
        said.append(Caution(f"{len(empty)} of {X.shape[1]} features have no known value ({listed}); in the anchors, and in the samples of "
                            "inverse_transform, their values are 0 and mean nothing. Leave these features out",
                            "features have no known value; in the anchors their values are 0 and mean nothing. Leave these features out"))
    if getattr(counts, "completed", 0) > 0:
        said.append(Caution(f"{counts.completed} of {counts.rank * X.shape[1]} values of the anchors were missing and are estimates. "
                            "max_missing=0 selects complete samples only",
                            "values of the anchors were missing and are estimates. max_missing=0 selects complete samples only"))
    if counts.unknown > _MOST * size:
        advice = ("anchors are selected from estimates of most of the data, so check them, or leave out features and samples with many "
                  "missing entries")
        said.append(Caution(f"{_percent(counts.unknown / size)} of the entries are missing ({counts.unknown} of {size}); {advice}",
                            f"most entries are missing; {advice}"))
    return said


def _percent(share) -> str:
    return f"{100 * share:.3g} %"


def _unknown_features(X, values) -> np.ndarray:
    """Returns the numbers of the features without a known entry."""
    known = np.zeros(X.shape[1], dtype=bool)
    for low in range(0, X.shape[0], _BLOCK):
        some = np.arange(low, min(low + _BLOCK, X.shape[0]))
        known |= _known(X, values, some).any(axis=0)
        if known.all():
            break
    return np.flatnonzero(~known)


def _known(X, values, some) -> np.ndarray:
    """Returns which entries of some samples are known."""
    known = np.ones((len(some), X.shape[1]), dtype=bool)
    for name in ("observed", "entry_weight"):
        if values.get(name) is not None:
            known &= _rows(values[name], some) != 0
    if values.get("missing") == "nan":
        known &= ~np.isnan(_rows(X, some))
    return known


def _without_values(X, values, weights) -> np.ndarray:
    """Returns the numbers of the samples without a known entry. Their weights are 0, so only samples without weights are read."""
    some = np.arange(X.shape[0]) if weights is None else np.flatnonzero(~weights.any(axis=1))
    return some[~_known(X, values, some).any(axis=1)]


def _rows(matrix, numbers) -> np.ndarray:
    if sparse.issparse(matrix):
        return sparse.csr_matrix(matrix)[numbers].toarray()
    return np.asarray(matrix)[numbers]
