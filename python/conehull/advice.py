"""Advice on the settings: ``advise`` for the loss, ``elbow`` for the number of components.

``elbow`` reads a search with cross-validation. The error of held-out samples keeps falling with the number of components, because every
further component fits some more of the noise. So the best score of a search is nearly always that of the largest number offered. The useful
number is where the error stops falling fast: the elbow of its curve.
"""
from dataclasses import dataclass
from typing import Any, Dict, Tuple

import numpy as np

from ._errors import advise_rank
from ._library import library
from ._matrix import View
from ._names import check_trust
from ._settings import seed_of
from ._shown import Shown
from ._signature import with_settings
from ._sklearn import checked
from ._structs import ch_anchors_result, ch_loss_advice
from .functions import TABLE, fill_settings, open_run, rank_of

__all__ = ["Advice", "advise", "elbow"]

_EVIDENCE = ("columns", "entries", "zeros", "above", "growth", "tail", "dark", "cut", "deep", "whole")


@dataclass(frozen=True, repr=False)
class Advice(Shown):
    """Result of :func:`advise`.

    Attributes
    ----------
    settings : dict
        Keywords to try, such as ``{"loss": "quantile:0.2", "exterior": "share"}``; empty if the residuals do not say.
    because : tuple of str
        The reasons, as sentences.
    evidence : dict
        The numbers behind the reasons: ``columns`` (samples that were examined), ``entries``, ``zeros``, ``above``, ``growth``, ``tail``,
        ``dark``, ``cut``, ``deep`` and ``whole``.
    """

    settings: Dict[str, Any]
    because: Tuple[str, ...]
    evidence: Dict[str, float]

    def _facts(self) -> list:
        words = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return [("try", words or "the settings of this run")] + [("because", reason) for reason in self.because]


def _value(words: str):
    try:
        return float(words)
    except ValueError:
        return words


@with_settings(TABLE, leave_out=("n_components", "select_only"))
def advise(X: Any, n_components="auto", *, n_jobs=None, **settings) -> Advice:
    """Recommends a loss and an exterior rule for X, with the reasons.

    It selects anchors with the given settings and examines the residuals. Nothing is decided silently: fit again with the
    recommended ``settings``, if the reasons convince you. The thresholds were set on generated data, see
    :doc:`the page on losses </howto/choose-loss>`.

    Parameters
    ----------
    X : array, sparse matrix, frame or AnnData object, shape (n_samples, n_features)
        Non-negative.
    n_components : int, "auto" or None
        Number of anchors of the run.
    n_jobs : int or None
        Number of threads; None uses all cores.
    {settings}

    Examples
    --------
    >>> import numpy as np
    >>> import conehull
    >>> rng = np.random.RandomState(0)
    >>> H = rng.rand(8, 80)
    >>> X = np.vstack([H, rng.dirichlet(np.full(8, 0.5), 120) @ H])
    >>> spikes = np.maximum(rng.laplace(0, 0.5, X.shape), 0)
    >>> conehull.advise(X + spikes, 8).settings
    {'loss': 'quantile:0.3', 'exterior': 'share'}
    """
    check_trust(X)
    X = checked(X)
    if "random_state" in settings:
        settings["random_state"] = seed_of(settings["random_state"])
    with open_run(n_jobs, 0, settings.get("loss")) as run:
        view, made = View(X), ch_loss_advice()
        result = run.own(ch_anchors_result, library.ch_anchors_result_free)
        run.call(library.ch_anchors, result.struct, view.matrix, fill_settings(settings, run, rank_of(n_components, X.shape)))
        run.call(library.ch_advise_loss, made, view.matrix, result.struct)
    words = [word.split("=", 1) for word in made.settings.decode().split()]
    return Advice({name: _value(value) for name, value in words}, tuple(made.because.decode().splitlines()),
                  {name: bool(made.whole) if name == "whole" else getattr(made, name) for name in _EVIDENCE})


_LEAST = 3  # numbers of components that have an elbow
_LEVEL = 1e-9  # depth below the line that is rounding
_EXACT = 1e-12  # share of the largest error below which errors are rounding


def elbow(cv_results: Dict[str, Any]) -> int:
    """Returns the candidate of a search over ``n_components`` at the elbow of the held-out error. Pass it as ``refit`` to
    GridSearchCV, which would otherwise take the candidate with the best score, nearly always the largest number.

    The elbow is the number at which the logarithm of the error is farthest below the straight line from the first number to the
    last one. Both axes are scaled to 0..1 (Satopää et al., Finding a kneedle in a haystack, 2011). If the search varies other
    parameters too, each number is judged by the best of their values. Offer at least three numbers, on both sides of the number
    that you expect: an elbow is seen only if the search goes beyond it. If no number is below the line, the largest number is used, with a
    :class:`conehull.RankWarning`.

    Parameters
    ----------
    cv_results : dict
        ``cv_results_`` of the search, by the score of the estimators (minus an error) or by ``relative_score``.

    Returns
    -------
    int
        The number of the candidate, which becomes ``best_index_``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> import conehull
    >>> rng = np.random.RandomState(0)
    >>> pure = rng.gamma(1, 1, (4, 30))
    >>> X = np.vstack([pure, rng.dirichlet(np.ones(4), 96) @ pure]) * (1 + 0.1 * rng.rand(100, 30))
    >>> X = X[rng.permutation(100)]
    >>> search = GridSearchCV(conehull.SeparableNMF(), {"n_components": range(1, 11)}, refit=conehull.elbow).fit(X)
    >>> search.best_params_
    {'n_components': 4}
    >>> GridSearchCV(conehull.SeparableNMF(), {"n_components": range(1, 11)}).fit(X).best_params_
    {'n_components': 10}
    """
    numbers, errors = _numbers(cv_results), _errors_of(cv_results)
    candidates = {}
    for index, number in enumerate(numbers):
        if number not in candidates or errors[index] < errors[candidates[number]]:
            candidates[number] = index
    if len(candidates) < _LEAST:
        raise ValueError(f"an elbow needs at least {_LEAST} numbers of components; the search has {sorted(candidates)}")
    offered = np.array(sorted(candidates))
    return candidates[int(offered[_bend(offered, errors[[candidates[number] for number in offered.tolist()]])])]


def _numbers(cv_results) -> list:
    names = [name for name in cv_results if name.startswith("param_") and name.split("__")[-1].endswith("n_components")]
    if len(names) != 1:
        raise ValueError(f"elbow is for a search over n_components; this one varies {_listed(cv_results)}")
    values = list(cv_results[names[0]])
    for value in values:
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise ValueError(f"elbow compares numbers of components; the search offers n_components={value!r}")
    return [int(value) for value in values]


def _listed(cv_results) -> str:
    return ", ".join(name[len("param_"):] for name in cv_results if name.startswith("param_")) or "nothing"


def _errors_of(cv_results) -> np.ndarray:
    """Returns the errors behind the scores: minus the score, or one minus a share that is explained."""
    if "mean_test_score" not in cv_results:
        raise ValueError("elbow needs a search with one scoring, whose results have mean_test_score")
    scores = np.asarray(cv_results["mean_test_score"], dtype=float)
    if np.isnan(scores).any():
        raise ValueError("elbow cannot compare candidates without a score: some fits failed; error_score=\"raise\" shows why")
    if (scores <= 0).all():
        return -scores
    if (scores <= 1).all():
        return 1 - scores
    raise ValueError(f"elbow takes scores that are minus an error, or shares up to 1; the largest score is {scores.max():g}")


def _bend(numbers, errors) -> int:
    """Returns the index of the number at the elbow. Numbers increase."""
    if errors.max() == 0:
        return 0
    curve = np.log(np.maximum(errors, _EXACT * errors.max()))
    fall = curve[0] - curve.min()
    if fall <= 0:
        return 0
    below = 1 - (numbers - numbers[0]) / (numbers[-1] - numbers[0]) - (curve - curve.min()) / fall
    place = int(np.argmax(below))
    if below[place] > _LEVEL:
        return place
    advise_rank(f"the error has no elbow: it still falls at the largest number offered, n_components={numbers[-1]}, which was taken; "
                "offer larger numbers")
    return len(numbers) - 1
