"""Signatures and parameter lists of functions and estimators, made from the settings tables."""
import functools
import inspect
import textwrap
from dataclasses import replace

from ._settings import tables

_OWN = {
    "random_state": "int, RandomState, Generator or None",
    "loss": "str or Bregman",
}
_HELP = {
    "random_state": "{help}; a whole number is the seed itself, None draws one from NumPy's",
    "loss": "{help}; any other divergence is a conehull.losses.Bregman",
}


#: Types of parameters that are in no table.
_HINTS = {
    "n_components": "typing.Union[int, str, None]",
    "feature_weight": "typing.Any",
    "keep": "typing.Optional[typing.Sequence[typing.Union[int, str]]]",
    "library": "typing.Any",
    "scale": "typing.Optional[typing.Literal['max', 'mean']]",
    "keep_duals": "bool",
    "n_jobs": "typing.Optional[int]",
    "verbose": "int",
}


def _for_python(text: str) -> str:
    """Returns a help text of the command with its options as Python keywords."""
    for option in ("--reverse", "--linear"):
        text = text.replace(option, option[2:] + "=True")
    return text.replace("-r auto", 'n_components="auto"').replace("--", "")


#: Values of settings with choices. A help text that begins with such a value keeps its lower-case letter: l1, not L1.
_VALUES = {choice for table in tables.values() for s in table.settings.values() for choice in s.choices or ()}


def _sentence(text: str) -> str:
    first = text.split()[0].rstrip(":,;")
    return (text if first in _VALUES else text[0].upper() + text[1:]) + "."


def entry(setting) -> str:
    """One entry of a numpydoc parameter list."""
    kind = _OWN.get(setting.name, setting.hint)
    if setting.choices and setting.name not in _OWN:
        kind = "{" + ", ".join(f'"{choice}"' for choice in setting.choices) + "}"
    text = _HELP.get(setting.name, "{help}").format(help=_for_python(setting.help))
    body = textwrap.fill(_sentence(text), 96, initial_indent="    ", subsequent_indent="    ")
    return f"{setting.name} : {kind}, default {setting.default!r}\n{body}"


def chosen(table, leave_out=(), only=None):
    """Settings of a table that become keywords."""
    return [s for name, s in table.settings.items() if name not in leave_out and (only is None or name in only)]


def fill_docstring(text, settings) -> str:
    """Puts the parameter list in the place of ``{settings}``, at its indentation."""
    line = next(line for line in text.splitlines() if line.strip() == "{settings}")
    indent = line[:line.index("{")]
    entries = textwrap.indent("\n".join(map(entry, settings)), indent)
    return text.replace(line, entries)


def with_settings(table, leave_out=(), only=None, defaults=None):
    """Gives a function with ``**settings`` the keywords of a table; ``defaults`` are Python's own."""
    settings = [replace(s, **{"initial": s.to_number(defaults[s.name])}) if s.name in (defaults or {}) else s
                for s in chosen(table, leave_out, only)]
    names = {setting.name for setting in settings}

    def decorate(function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            unknown = set(keywords) - names - own
            if unknown:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {min(unknown)!r}")
            return function(*arguments, **{**(defaults or {}), **keywords})

        signature = inspect.signature(function)
        parameters = [p.replace(annotation=_HINTS.get(p.name, p.annotation))
                      for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
        own = {p.name for p in parameters}
        parameters += [inspect.Parameter(s.name, inspect.Parameter.KEYWORD_ONLY, default=s.default,
                                         annotation=s.annotation) for s in settings]
        call.__signature__ = signature.replace(parameters=parameters)
        call.__doc__ = fill_docstring(function.__doc__, settings)
        return call

    return decorate


def with_parameters(table, first, last, leave_out=()):
    """Gives an estimator class its ``__init__``: the parameters of ``first`` (a dict of defaults; the first
    one may be given by position), the settings of a table, the parameters of ``last``.

    scikit-learn reads an estimator's parameters from the signature, so it must be a real one: the function
    is written out and compiled, as dataclasses do.
    """
    settings = chosen(table, tuple(leave_out) + tuple(first) + tuple(last))

    def decorate(cls):
        values = {**first, **{s.name: s.default for s in settings}, **last}
        names = list(values)
        head = f"def __init__(self, {names[0]}=_{names[0]}, *, " + ", ".join(f"{n}=_{n}" for n in names[1:]) + "):\n"
        body = "\n".join(f"    self.{name} = {name}" for name in names)
        scope = {f"_{name}": value for name, value in values.items()}
        exec(head + body, scope)
        cls.__init__ = scope["__init__"]
        cls.__init__.__annotations__ = {**{s.name: s.annotation for s in settings}, **_HINTS, "return": None}
        cls.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__.__module__ = cls.__module__
        cls.__doc__ = fill_docstring(cls.__doc__, settings)
        cls._setting_names = tuple(s.name for s in settings)
        return cls

    return decorate
