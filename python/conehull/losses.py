"""Losses that are made in Python: any Bregman divergence.

    D(x, y) = phi(x) - phi(y) - phi'(y) (x - y)
"""
import ctypes
import math
from typing import Any, Callable

from ._structs import bregman_fn, ch_bregman

__all__ = ["Bregman"]


class Bregman:
    """A Bregman divergence from a strictly convex ``phi`` on the positive numbers.

    Give it as ``loss`` to :class:`conehull.SeparableNMF` or :func:`conehull.anchors`.

    Parameters
    ----------
    phi, slope, curvature : callable
        ``phi`` and its first and second derivative, each from float to float. Python functions are called
        under the interpreter lock, so the run uses one thread. C functions (a ``ctypes`` function pointer
        or a numba ``cfunc`` with signature ``double(double, void*)``) run on all threads. Derivatives of Python
        functions are compared with differences when the loss is made.
    convex : bool
        Is D(x, y) convex in y? Then every column gets a duality gap. Say False when in doubt.

    Examples
    --------
    The generalised Kullback-Leibler divergence, as a custom loss:

    >>> import math
    >>> import numpy as np
    >>> from conehull import SeparableNMF
    >>> from conehull.losses import Bregman
    >>> X = np.random.RandomState(0).rand(12, 4)
    >>> kl = Bregman(lambda x: x * math.log(x) - x, math.log, lambda x: 1 / x, convex=True)
    >>> own = SeparableNMF(3, loss=kl).fit(X)
    >>> built_in = SeparableNMF(3, loss="kl").fit(X)
    >>> bool((own.anchors_ == built_in.anchors_).all())
    True
    """

    def __init__(self, phi: Callable[..., float], slope: Callable[..., float], curvature: Callable[..., float],
                 convex: bool = False) -> None:
        self.phi, self.slope, self.curvature, self.convex = phi, slope, curvature, bool(convex)
        if self.is_python:
            _check_derivative(phi, slope, "slope", "phi")
            _check_derivative(slope, curvature, "curvature", "slope")

    def __repr__(self):
        return f"Bregman({self.phi!r}, {self.slope!r}, {self.curvature!r}, convex={self.convex})"

    @property
    def is_python(self) -> bool:
        return any(_address(f) is None for f in (self.phi, self.slope, self.curvature))

    def c_struct(self, ear: Any) -> ch_bregman:
        """The struct of callbacks; what they raise is kept by the ear and raised when the library is back."""
        return ch_bregman(*(_callback(f, ear) for f in (self.phi, self.slope, self.curvature)), None, self.convex)


#: Where derivatives are compared with differences, and how near these must be: a step of 1e-5 leaves about 1e-9.
_PLACES, _STEP, _NEAR = (0.1, 0.5, 1.0, 2.0, 10.0), 1e-5, 1e-4


def _check_derivative(function, derivative, name, of) -> None:
    """Refuses a derivative that is not one. C functions are not asked, nor is one that a place is outside of."""
    if _address(function) is not None or _address(derivative) is not None:
        return
    for x in _PLACES:
        step = _STEP * x
        try:
            difference = (float(function(x + step)) - float(function(x - step))) / (2 * step)
            given = float(derivative(x))
            size = max(abs(difference), abs(float(function(x))) / x, 1e-12)
        except Exception:  # the run says what is wrong with it
            return
        if math.isfinite(difference) and not abs(given - difference) <= _NEAR * size:
            raise ValueError(f"{name} is not the derivative of {of}: at {x:g} it gives {given:.6g}, and differences of "
                             f"{of} give {difference:.6g}")


def _address(function):
    """Where a C function is; None for a Python callable."""
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    return getattr(function, "address", None)  # numba.cfunc


def _callback(function, ear):
    address = _address(function)
    if address is not None:
        return bregman_fn(address)

    def call(x, _):
        try:
            return ctypes.c_double(function(x)).value if ear.error is None else 0.0  # a wrong type raises here
        except BaseException as error:
            ear.error = error
            return 0.0

    return bregman_fn(call)
