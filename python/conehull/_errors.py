"""Statuses of the library as exceptions and warnings that a scikit-learn user knows."""
import re
import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from ._library import library
from ._structs import CONSTANTS

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
_PLACE = re.compile(r"\brow (\d+), column (\d+)\b")
_WORDS = re.compile(r"\b(row|column)(s?)\b")
_RANK = re.compile(r"\brank\b(?= (is|must))")


def word(status: int) -> str:
    """What the command's JSON calls a status that left an answer: "done", "complete", ..."""
    return _WORD[library.ch_status_name(status).decode()]


def for_samples(message: str, samples_are_columns: bool) -> str:
    """What the library says of rows and columns of its matrix, told of samples and features."""
    rows, columns = ("feature", "sample") if samples_are_columns else ("sample", "feature")
    message = _PLACE.sub(r"sample \2, feature \1" if samples_are_columns else r"sample \1, feature \2", message)
    message = _WORDS.sub(lambda m: (rows if m[1] == "row" else columns) + m[2], message)
    return _RANK.sub("n_components", message)


def exception(status: int, message: str) -> Exception:
    name = library.ch_status_name(status).decode()
    return _EXCEPTION[name](message or library.ch_status_sentence(status).decode())


def warn(status: int, detail: str = "") -> None:
    """Tells of an answer that is usable but not all that was asked for."""
    if status == CONSTANTS["CH_OK"]:
        return
    warnings.warn(detail or library.ch_status_sentence(status).decode(), ConvergenceWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """How far up the line is that called into the package: not of it, and not scikit-learn's wrapper of a method."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("conehull.", "sklearn.utils._set_output")):
        frame, level = frame.f_back, level + 1
    return level
