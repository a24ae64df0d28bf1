"""Settings as Python keywords, read from the library's own tables: names, defaults, bounds, help.

No setting is written down in Python: a row that is added to a table in C is a keyword here.
"""
import ctypes
import keyword
import numbers
from dataclasses import dataclass

import numpy as np

from . import _errors
from ._library import library
from ._structs import CH_SETTING_CHOICE, CH_SETTING_FLAG, CH_SETTING_INT, CH_SETTING_REAL, TABLES, TAILS

_C_TYPE = {CH_SETTING_INT: ctypes.c_int64, CH_SETTING_REAL: ctypes.c_double, CH_SETTING_FLAG: ctypes.c_int,
           CH_SETTING_CHOICE: ctypes.c_int}
_WANTED = {CH_SETTING_INT: numbers.Integral, CH_SETTING_REAL: numbers.Real,
           CH_SETTING_FLAG: (numbers.Integral, np.bool_)}
_HINT = {CH_SETTING_INT: "int", CH_SETTING_REAL: "float", CH_SETTING_FLAG: "bool", CH_SETTING_CHOICE: "str"}


#: What scikit-learn calls some of them.
_RENAMED = {"rank": "n_components", "seed": "random_state"}
#: Tables that keep their own word: the background of a video has a rank.
_KEPT = {("separate", "rank"), ("live", "rank")}


#: What scikit-learn's ``beta_loss`` calls losses that the library has.
_LOSSES_OF_SKLEARN = {"frobenius": "l2", "kullback-leibler": "kl", "itakura-saito": "is"}


#: Losses with a number that type checkers know. A type of strings has no patterns; other numbers are the keywords quantile and beta.
_NUMBERED = (*(f"quantile:{k / 20:g}" for k in range(1, 20)), *(f"beta:{k / 4:g}" for k in range(-4, 9)))


def python_name(table: str, name: str) -> str:
    """``select-only`` is ``select_only``, ``lambda`` is ``lambda_``, ``seed`` is ``random_state``."""
    if (table, name) not in _KEPT:
        name = _RENAMED.get(name, name).replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


@dataclass(frozen=True)
class Setting:
    """One row of a table: a keyword, its default and bounds, and what it means."""

    name: str
    kind: int
    offset: int
    initial: float
    low: float
    high: float
    choices: tuple
    help: str

    @property
    def default(self):
        return self.from_number(self.initial)

    @property
    def hint(self) -> str:
        return _HINT[self.kind]

    @property
    def annotation(self) -> str:
        """The type annotation of the setting."""
        if self.name == "loss":
            return f"typing.Union[typing.Literal[{', '.join(map(repr, self.accepted + _NUMBERED))}], conehull.losses.Bregman]"
        if self.name == "random_state":
            return "typing.Union[int, numpy.random.RandomState, numpy.random.Generator, None]"
        if self.name == "rank":
            return "typing.Union[int, str]"
        if self.kind == CH_SETTING_CHOICE:
            return f"typing.Literal[{', '.join(map(repr, self.choices))}]"
        return self.hint

    @property
    def accepted(self) -> tuple:
        """The accepted values of a choice, including scikit-learn's names of losses, without the custom loss."""
        if self.name != "loss":
            return self.choices
        return tuple(choice for choice in self.choices if choice != "custom") + tuple(_LOSSES_OF_SKLEARN)

    def is_l2(self, value) -> bool:
        """Returns whether the value of the setting ``loss`` means the squared norm."""
        return isinstance(value, str) and _LOSSES_OF_SKLEARN.get(value, value) == "l2"

    def from_number(self, number):
        if self.kind == CH_SETTING_CHOICE:
            return self.choices[int(number)]
        return {CH_SETTING_INT: int, CH_SETTING_REAL: float, CH_SETTING_FLAG: bool}[self.kind](number)

    def to_number(self, value):
        """The number that the struct holds for a Python value; ValueError names the keyword."""
        if self.kind == CH_SETTING_CHOICE:
            own = _LOSSES_OF_SKLEARN.get(value, value) if self.name == "loss" and isinstance(value, str) else value
            if isinstance(own, str) and own in self.choices:
                return self.choices.index(own)
            raise ValueError(f"{self.name} must be one of {', '.join(map(repr, self.accepted))}; got {value!r}")
        if not isinstance(value, _WANTED[self.kind]) or self.kind == CH_SETTING_FLAG and value not in (0, 1):
            raise ValueError(f"{self.name} must be a{'n' if self.hint[0] in 'i' else ''} {self.hint}; got {value!r}")
        if not self.low <= value <= self.high:  # NaN too; before ctypes, which would cut large numbers off
            raise ValueError(f"{self.name} must lie between {self.low:g} and {self.high:g}; got {value!r}")
        return float(value) if self.kind == CH_SETTING_REAL else int(value)


def seed_of(random_state) -> int:
    """Returns a whole number unchanged; otherwise a random number from the given NumPy generator, or from NumPy's global one for None."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    if random_state is None or random_state is np.random:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(f"random_state must be a whole number, a RandomState, a Generator or None; got {random_state!r}")


class Table:
    """A settings struct as the library describes it."""

    def __init__(self, symbol: str):
        self.c_table = getattr(library, symbol)().contents
        self.name, self.size = self.c_table.name.decode(), self.c_table.size
        self.settings = {}
        for row in self.c_table.rows[:self.c_table.count]:
            choices = []
            while row.choices and row.choices[len(choices)] is not None:
                choices.append(row.choices[len(choices)].decode())
            name = python_name(self.name, row.name.decode())
            _errors.setting_names.add(row.name.decode())
            if "-" in row.name.decode():
                _errors.keyword_of[row.name.decode()] = name
            self.settings[name] = Setting(name, row.kind, row.offset, row.initial, row.low, row.high,
                                          tuple(choices), self._help(row.help.decode()))

    def _help(self, text: str) -> str:
        """Returns the help of the command with samples in place of columns, which are the data points of the command."""
        if self.name not in ("anchors", "stream", "exemplars"):
            return text
        return _errors.ACROSS.translate(text)

    def __getitem__(self, name: str) -> Setting:
        return self.settings[name]

    def defaults(self, leave_out=()) -> dict:
        return {name: setting.default for name, setting in self.settings.items() if name not in leave_out}

    def fill(self, values: dict):
        """The struct with the defaults and these values, as a block of memory."""
        struct = ctypes.create_string_buffer(self.size)
        library.ch_settings_defaults(ctypes.byref(self.c_table), struct, self.size)
        for name, value in values.items():
            if name not in self.settings:
                raise TypeError(f"there is no setting {name!r}; the settings are {', '.join(self.settings)}")
            setting = self.settings[name]
            if name == "random_state":
                value = seed_of(value)
            kind = _C_TYPE[setting.kind]
            kind.from_buffer(struct, setting.offset).value = setting.to_number(value)
        return struct

    def tail(self, struct):
        """The end of such a struct: what the table does not describe."""
        kind = TAILS[f"ch_{self.name}_settings"]
        return kind.from_buffer(struct, self.size - ctypes.sizeof(kind))


tables = {symbol[len("ch_"):-len("_table")]: Table(symbol) for symbol in TABLES}
