"""Custom losses: any Bregman divergence, defined in Python.

    D(x, y) = phi(x) - phi(y) - phi'(y) (x - y)
"""
import ctypes
import math
from typing import Any, Callable, Optional, Union

import numpy as np

from ._structs import bregman_array_fn, bregman_fn, ch_bregman, ch_bregman_arrays

__all__ = ["Bregman"]

#: A number, or an array of numbers.
_Values = Union[float, np.ndarray]


class Bregman:
    """A Bregman divergence from a strictly convex ``phi`` on the positive numbers.

    Pass it as ``loss`` to :class:`conehull.SeparableNMF` or :func:`conehull.anchors`.

    Parameters
    ----------
    phi, slope, curvature : callable
        ``phi`` and its first and second derivative. Functions of NumPy arrays (``np.log``, ``lambda x: x**3``) are called
        once for up to 256 values; functions from float to float (``math.log``) once per value, which takes many times as
        long. Python functions are called under the interpreter lock, so the run uses one thread. C functions (a ``ctypes``
        function pointer or a numba ``cfunc`` with signature ``double(double, void*)``) run on all threads. Derivatives of
        Python functions are compared with finite differences when the loss is created.
    convex : bool
        Whether D(x, y) is convex in y. If it is, every sample gets a duality gap. Use False if in doubt.
    vectorized : bool or None
        Whether the functions accept arrays. None tests it; True raises an error if one does not.

    Attributes
    ----------
    vectorized : bool
        Whether the functions are called with arrays.

    Examples
    --------
    The generalised Kullback-Leibler divergence, as a custom loss:

    >>> import numpy as np
    >>> from conehull import SeparableNMF
    >>> from conehull.losses import Bregman
    >>> X = np.random.RandomState(0).rand(12, 4)
    >>> kl = Bregman(lambda x: x * np.log(x) - x, np.log, lambda x: 1 / x, convex=True)
    >>> kl.vectorized
    True
    >>> own = SeparableNMF(3, loss=kl).fit(X)
    >>> built_in = SeparableNMF(3, loss="kl").fit(X)
    >>> bool((own.anchors_ == built_in.anchors_).all())
    True
    """

    def __init__(self, phi: Callable[..., Any], slope: Callable[..., Any], curvature: Callable[..., Any],
                 convex: bool = False, vectorized: Optional[bool] = None) -> None:
        self.phi, self.slope, self.curvature, self.convex = phi, slope, curvature, bool(convex)
        self.vectorized = self._takes_arrays(vectorized)
        if self.is_python:
            _check_derivative(phi, slope, "slope", "phi")
            _check_derivative(slope, curvature, "curvature", "slope")

    def __repr__(self):
        names = ", ".join(getattr(f, "__name__", None) or repr(f) for f in self._functions)
        how = "C functions" if not self.is_python else "called with arrays" if self.vectorized else "called for each value"
        return f"Bregman({names}, convex={self.convex})  # {how}"

    @property
    def _functions(self):
        return self.phi, self.slope, self.curvature

    @property
    def is_python(self) -> bool:
        return any(_address(f) is None for f in self._functions)

    def _takes_arrays(self, wanted) -> bool:
        if wanted is False or not self.is_python:
            return False
        for name, function in zip(("phi", "slope", "curvature"), self._functions):
            why = "it is a C function of one number" if _address(function) is not None else _why_not_arrays(function)
            if why and wanted:
                raise ValueError(f"vectorized=True, but {name} does not take arrays: {why}")
            if why:
                return False
        return True

    def c_struct(self, ear: Any) -> ch_bregman:
        """Returns the struct of callbacks. ``ear`` stores their exceptions, which are raised after the library returns."""
        return ch_bregman(*(_callback(f, ear) for f in self._functions), None, self.convex)

    def c_arrays(self, ear: Any) -> Optional[ch_bregman_arrays]:
        """Returns the callbacks for arrays; None if the functions do not accept arrays."""
        if not self.vectorized:
            return None
        functions = [_array_callback(f, ear) for f in self._functions]
        made = ch_bregman_arrays(*functions, None)
        made.functions = functions
        return made


#: Points at which derivatives are compared with differences, the step, and the tolerance; a step of 1e-5 has an error of about 1e-9.
_PLACES, _STEP, _NEAR = (0.1, 0.5, 1.0, 2.0, 10.0), 1e-5, 1e-4


def _check_derivative(function, derivative, name, of) -> None:
    """Refuses a wrong derivative. C functions are not checked, nor points outside the domain of a function."""
    if _address(function) is not None or _address(derivative) is not None:
        return
    for x in _PLACES:
        step = _STEP * x
        try:
            difference = (float(function(x + step)) - float(function(x - step))) / (2 * step)
            given = float(derivative(x))
            size = max(abs(difference), abs(float(function(x))) / x, 1e-12)
        except Exception:  # the run itself will report the error
            return
        if math.isfinite(difference) and not abs(given - difference) <= _NEAR * size:
            raise ValueError(f"{name} is not the derivative of {of}: at {x:g} it gives {given:.6g}, and differences of "
                             f"{of} give {difference:.6g}")


def _address(function):
    """Returns the address of a C function; None for a Python callable."""
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


def _why_not_arrays(function) -> str:
    """Returns an empty string if a function of an array equals the function of each value; otherwise the difference."""
    places = np.array(_PLACES)
    try:
        single = [float(function(x)) for x in _PLACES]
        made = np.asarray(function(places), dtype=float)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if made.shape not in ((), places.shape):
        return f"of an array of {len(places)} values it makes one of shape {made.shape}"
    same = np.allclose(np.broadcast_to(made, places.shape), single, rtol=1e-9, atol=0, equal_nan=True)
    return "" if same else f"of {places.tolist()} it makes {made.tolist()}, one by one {single}"


#: The prototype of the library with addresses as plain integers; pointer objects would take as much time as the function.
_PLAIN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


def _at(address, count) -> np.ndarray:
    return np.frombuffer((ctypes.c_double * count).from_address(address))  # ctypes remembers array types


def _array_callback(function, ear):
    """Returns a callback for a function of arrays. A scalar result is used for all values."""
    def call(out, x, count, _):
        try:
            made = _at(out, count)
            if ear.error is None:
                given = _at(x, count)
                values = np.asarray(function(given))
                if values.shape not in ((), given.shape):
                    raise ValueError(f"a function of a Bregman loss made {values.shape} of an array of shape {given.shape}")
                made[...] = values
            else:
                made[...] = 0
        except BaseException as error:
            ear.error = error

    plain = _PLAIN(call)
    made = ctypes.cast(plain, bregman_array_fn)
    made.plain = plain  # keeps the callback alive
    return made
