"""Bregman divergences made in Python."""
import ctypes
import math
import pickle

import numpy as np
import pytest

import conehull
from conehull.losses import Bregman

X = np.random.RandomState(0).rand(40, 8) + 0.05


def _square(x):
    return x * x


def _double(x):
    return 2 * x


def _two(x):
    return 2.0


def test_squares_are_l2():
    own = conehull.anchors(X, 4, loss=Bregman(_square, _double, _two, convex=True), keep_duals=True)
    l2 = conehull.anchors(X, 4, loss="l2")
    np.testing.assert_array_equal(own.anchors, l2.anchors)
    np.testing.assert_allclose(own.weights, l2.weights, atol=1e-5)
    assert own.objective == pytest.approx(l2.objective, rel=1e-4)
    assert conehull.verify(X, own)


def test_reversed_and_not_convex():
    loss = Bregman(lambda x: -math.log(x), lambda x: -1 / x, lambda x: 1 / (x * x))
    for reverse in (False, True):
        own = conehull.SeparableNMF(3, loss=loss, reverse=reverse).fit(X)
        known = conehull.SeparableNMF(3, loss="is", reverse=reverse).fit(X)
        np.testing.assert_array_equal(own.anchors_, known.anchors_)
        np.testing.assert_allclose(own.transform(X), known.transform(X), atol=1e-4)


def test_c_functions_run_on_all_threads():
    real = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_void_p)
    libm = ctypes.CDLL("libm.so.6")
    log = ctypes.cast(libm.log, ctypes.c_void_p).value
    phi = real(lambda x, _: x * math.log(x) - x)
    curvature = real(lambda x, _: 1 / x)
    loss = Bregman(phi, real(log), curvature, convex=True)
    assert not loss.is_python
    own = conehull.anchors(X, 3, loss=loss, n_jobs=2)
    np.testing.assert_array_equal(own.anchors, conehull.anchors(X, 3, loss="kl").anchors)


def test_pickle_and_clone():
    from sklearn.base import clone
    model = conehull.SeparableNMF(3, loss=Bregman(_square, _double, _two, convex=True))
    assert clone(model).fit(X).anchors_.shape == (3,)
    again = pickle.loads(pickle.dumps(model.fit(X)))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_a_wrong_derivative_is_refused_when_the_loss_is_made():
    with pytest.raises(ValueError, match="slope is not the derivative of phi: at 0.1 it gives 0.1,"):
        conehull.losses.Bregman(lambda x: x * x, lambda x: x, lambda x: 1.0)
    with pytest.raises(ValueError, match="curvature is not the derivative of slope"):
        conehull.losses.Bregman(lambda x: x * x, lambda x: 2 * x, lambda x: 1.0)
