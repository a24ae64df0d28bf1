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


def _counted(functions):
    calls = []

    def counting(function):
        def call(x):
            calls.append(np.size(x))
            return function(x)
        return call
    return calls, [counting(f) for f in functions]


@pytest.mark.parametrize("reverse", [False, True])
def test_functions_of_arrays_are_called_for_blocks(reverse):
    """The same answer as one value at a time, with a small part of the calls."""
    data = np.random.RandomState(1).rand(30, 300) + 0.05
    data[data > 1] = 0
    single, ones = _counted([lambda x: x * math.log(x) - x, math.log, lambda x: 1 / x])
    blocks, many = _counted([lambda x: x * np.log(x) - x, np.log, lambda x: 1 / x])
    losses = [Bregman(*functions, convex=not reverse) for functions in (ones, many)]
    assert [loss.vectorized for loss in losses] == [False, True]
    single.clear(), blocks.clear()
    found = [conehull.anchors(data, 3, loss=loss, reverse=reverse, keep_duals=True) for loss in losses]
    np.testing.assert_array_equal(found[0].anchors, found[1].anchors)
    np.testing.assert_allclose(found[0].weights, found[1].weights, atol=1e-7)
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-9)
    assert len(blocks) < len(single) / 30 and max(blocks) == 256, (len(blocks), len(single))
    assert conehull.verify(data, found[1])


def test_a_constant_stands_for_all_values():
    own = Bregman(lambda x: x * x, lambda x: 2 * x, lambda x: 2.0, convex=True)
    assert own.vectorized
    np.testing.assert_array_equal(conehull.anchors(X, 4, loss=own).anchors, conehull.anchors(X, 4, loss="l2").anchors)


def test_functions_that_take_no_arrays():
    branching = [lambda x: x * x if x > 0 else 0.0, lambda x: 2 * x if x > 0 else 0.0, lambda x: 2.0]
    assert not Bregman(*branching).vectorized
    assert not Bregman(_square, _double, _two, vectorized=False).vectorized
    with pytest.raises(ValueError, match="vectorized=True, but phi does not take arrays: ValueError"):
        Bregman(*branching, vectorized=True)
    with pytest.raises(ValueError, match=r"phi does not take arrays: of an array of 5 values it makes one of shape \(1,\)"):
        Bregman(lambda x: np.sum(np.atleast_1d(x)**2, keepdims=True), _double, _two, vectorized=True)


def test_what_a_function_of_arrays_raises_is_raised():
    def phi(x):
        if np.size(x) > 5:
            raise KeyError("mine")
        return x * x
    with pytest.raises(KeyError, match="mine"):
        conehull.anchors(X, 3, loss=Bregman(phi, _double, _two, convex=True))
    def short(x):
        return 2 * x if np.size(x) <= 5 else x[:2]
    with pytest.raises(ValueError, match=r"made \(2,\) of an array of shape"):
        conehull.anchors(X, 3, loss=Bregman(_square, short, _two, convex=True))
