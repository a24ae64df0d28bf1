"""Turns statuses of the library into the exceptions and warnings that scikit-learn uses."""
import re
import sys
import warnings
from typing import NamedTuple

from sklearn.exceptions import ConvergenceWarning

from ._library import library
from ._structs import CONSTANTS

__all__ = ["DataWarning", "RankWarning"]

_EXCEPTION = {
    "CH_ERR_ARGUMENT": ValueError,
    "CH_ERR_SETTING": ValueError,
    "CH_ERR_DATA": ValueError,
    "CH_ERR_MEMORY": MemoryError,
    "CH_ERR_IO": OSError,
    "CH_ERR_FORMAT": ValueError,
    "CH_ERR_UNSUPPORTED": ValueError,
    "CH_ERR_INTERNAL": RuntimeError,
}
_WORD = {
    "CH_OK": "done",
    "CH_STOP_COMPLETE": "complete",
    "CH_STOP_ITER": "iterations",
    "CH_STOP_TIME": "time",
    "CH_STOP_CANCELLED": "cancelled",
    "CH_STOP_INACCURATE": "inaccurate",
}
_PLACE = re.compile(r"\brow (\d+), column (\d+)\b( \(counted from 0\))?")  # Python always counts from 0
_RANK = re.compile(r"\b(?:(?:a|the) )?((?:larger )?)ranks?\b(?! per)")
_WORDS = re.compile(r"\b(row|column)(s?)\b(?!-sparse| of X'X)")  # rows of other matrices keep their name
_OPTION = re.compile(r"--([a-z][a-z-]*) (clip|nan|spa|latin1|auto)\b( \(setting [a-z-]+(?: = [a-z0-9]+)?\))?")  # followed by its value
_QUOTED = re.compile(r"(?<!got )(?:\bthe settings? )?'([a-z][a-z_-]*)'")  # perhaps the name of a setting
_VALUE = re.compile(r"\b(?:the settings? )?(exterior|dual|faint|hull|negative|projection) = ([a-z0-9.-]*[a-z0-9])")
_SHAPE = re.compile(r"\b(\d+) x (\d+)\b")  # rows x columns
#: What the library calls weights and masks, and what their keywords are. The first that matches counts.
_TRUST = {
    "row_weights": "feature_weight",
    "row weights": "feature_weight",
    "column_weights": "sample_weight",
    "column weights": "sample_weight",
    "weights of entries": "entry_weight",
    "weights of single entries": "entry_weight",
    "give weights only": "give entry_weight only",
    "observed and weights": "observed and entry_weight",
    "sample_weight and weights": "sample_weight and entry_weight",
}
#: Keywords of Python, by the name that the library uses in messages; _settings.py adds those with hyphens.
keyword_of: dict = {}
#: Names that the library quotes in messages; _settings.py adds those of the tables.
setting_names: set = {"keep", "path", "keep_duals", "checkpoint", "observed", "weights", "take_weights", "select_only"}


def keywords(text: str) -> str:
    """Replaces options of the command, such as "--negative clip (setting negative = clip)", by Python keywords: negative="clip"."""
    text = _QUOTED.sub(lambda m: m[1] if m[1] in setting_names else m[0], text)
    text = _OPTION.sub(lambda m: f'{m[1].replace("-", "_")}="{m[2]}"', text)
    text = _VALUE.sub(lambda m: f"{m[1]}={m[2]}" if m[2][0].isdigit() else f'{m[1]}="{m[2]}"', text)
    for name, keyword in {"faint 0.05": "faint=0.05", "hull convex0": 'hull="convex0"', "ch_anchors()": "anchors()", **_TRUST}.items():
        text = text.replace(name, keyword)
    for name, keyword in keyword_of.items():
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", keyword, text)
    text = re.sub(r"^weights: ", "entry_weight: ", text)
    return re.sub(r"(?<! and )\b(\w+_weight) are\b", r"\1 is", text)


def word(status: int) -> str:
    """Returns the name of a status that left an answer, as in the command's JSON: "done", "complete", ..."""
    return _WORD[library.ch_status_name(status).decode()]


class Words(NamedTuple):
    """The user's names for a row, a column and the rank of the library's matrix."""

    row: str
    column: str
    rank: str
    place: str  # replacement for "row R, column C", as a template of ``re``

    def translate(self, message: str) -> str:
        """Returns a message of the library in the user's terms."""
        message = _PLACE.sub(self.place, keywords(message))
        if self is ACROSS:
            message = message.replace("data point", "sample").replace(" (in a text table also empty cells and NA)", "")
            message = _SHAPE.sub(r"\2 x \1", re.sub(r"^(library: .*)\bcolumn\b", r"\1component", message))
        message = _WORDS.sub(lambda m: (self.row if m[1] == "row" else self.column) + m[2], message)
        return message if self.rank == "rank" else _RANK.sub(rf"\1{self.rank}", message)

    def explain(self, message: str) -> str:
        """Returns a message about the factors of a result, W and H in the library, in the user's terms."""
        for name, own in ((r"\bcolumn( \S+)? of W\b", r"component\1"), (r"\bH is\b", "weights are"),
                          (r"\bH has\b", "weights have"), (r"\bits loss\b", "their loss"),
                          (r"\bH\b", "weights"), (r"\bW\b", "components")):
            message = re.sub(name, own, message)
        message = self.translate(message)
        return message.replace("feature", "component") if message.startswith(("weights are", "weights have")) else message


#: Samples are the library's columns.
ACROSS = Words("feature", "sample", "n_components", r"sample \2, feature \1")
ALONG = Words("sample", "feature", "n_components", r"sample \1, feature \2")
VIDEO = Words("frame", "pixel", "rank", r"frame \1, pixel \2")


def exception(status: int, message: str) -> Exception:
    name = library.ch_status_name(status).decode()
    return _EXCEPTION[name](message or library.ch_status_sentence(status).decode())


class Caution(str):
    """A warning. ``reason`` is the same sentence without numbers and names, which a search gives for all of its fits together."""

    reason: str

    def __new__(cls, text: str, reason: str) -> "Caution":
        made = super().__new__(cls, text)
        made.reason = reason
        return made


def warn(status: int, detail: str = "") -> None:
    """Warns about a usable answer of a run that stopped early."""
    if status == CONSTANTS["CH_OK"]:
        return
    sentence = library.ch_status_sentence(status).decode()
    _raise(Caution(detail or sentence, sentence), ConvergenceWarning)


class DataWarning(UserWarning):
    """The answer is optimal for the data as they were used, but it may not be useful. The message gives the numbers.

    - Most samples have no weights, most of the data are unexplained, or the anchors are nearly empty samples.
    - The fit hardly depends on some features, whose values are small compared with the others (see ``scale``).
    - ``negative="clip"`` set values to 0.
    - Samples or features have no known value, values of the anchors are estimates of missing entries, or most entries are missing.
    - A number in ``keep`` is the position of one sample and the label of another.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import conehull
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     found = conehull.anchors(np.eye(30), 2)
    >>> caught[0].category.__name__
    'DataWarning'
    """


class RankWarning(UserWarning):
    """``n_components="auto"`` chose a number by a rule of thumb; the message gives the number and the reason. To avoid the
    warning, pass a number as ``n_components``, or call ``warnings.simplefilter("ignore", conehull.RankWarning)``.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import conehull
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     found = conehull.anchors(np.random.RandomState(0).rand(40, 10))
    >>> caught[0].category.__name__
    'RankWarning'
    """


def name_rank(rank: int, reason: str) -> None:
    """Warns about the number that "auto" chose, and gives the reason."""
    _raise(Caution(f"n_components='auto' chose {rank} by a rule of thumb: {reason}. Pass n_components={rank} to accept "
                   "this number, or another one; max_residual shows what each anchor adds",
                   "n_components='auto' chose numbers by a rule of thumb; rank_reason_ of a fitted model gives the reason"), RankWarning)


def object_to(caution: Caution) -> None:
    """Warns about a result that is probably not useful."""
    _raise(caution, DataWarning)


def is_candidate() -> bool:
    """Returns whether this fit is one candidate of a search over the number of components. Some of them explain little, as a search
    must expect, and its scores show it."""
    frame = search_frame()
    return frame is not None and any(name.endswith("n_components") for name in frame.f_locals.get("parameters") or {})


def advise_rank(text: str) -> None:
    """Warns about the number of components at the line of the user's code."""
    warnings.warn(text, RankWarning, stacklevel=_callers_level())


def _raise(caution: Caution, category) -> None:
    """Warns at the line of the user's code. The fits of a search give each reason once, without the numbers of one fit: texts with numbers
    differ between fits, and Python forgets what it reported whenever scikit-learn changes the filters for a while."""
    if search_frame() is None:
        warnings.warn(str(caution), category, stacklevel=_callers_level())
        return
    reported, reason = _reported(), (category, caution.reason)
    if reason not in reported:
        warnings.warn(f"{caution.reason} (in at least one fit of this search)", category, stacklevel=_callers_level())
        reported.add(reason)  # not reached if a filter turned the warning into an error


_BY_WORKERS: set = set()  # what was reported in a worker process or thread, which does not know its search


def _reported() -> set:
    """Returns the reasons that the current search has reported. The set belongs to the frame of the search and ends with it."""
    frame, search = sys._getframe(1), None
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            search = frame
        frame = frame.f_back
    if search is None or search.f_code.co_name in _ONE_FIT:
        return _BY_WORKERS
    return search.f_locals.setdefault("__conehull_reported__", set())


_ONE_FIT = ("_fit_and_score", "_fit_and_predict")


def search_frame():
    """Returns the frame in which scikit-learn fits one candidate of a search or of a cross-validation; None outside of them."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name not in _ONE_FIT:
        frame = frame.f_back
    inside = frame is not None and frame.f_globals.get("__name__", "").startswith("sklearn.model_selection")
    return frame if inside else None


#: Modules between a user's code and this package.
_BETWEEN = ("conehull", "sklearn", "joblib", "contextlib")


def _callers_level() -> int:
    """Returns the stack level of the user's code, outside of this package and of scikit-learn."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and _is_between(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _is_between(module: str) -> bool:
    return module.split(".")[0] in _BETWEEN and not module.startswith("conehull.tests")
