"""Samples in chunks: the answer of all at once on exact data, the same bits for any chunks, pickles that go on."""
import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import conehull
from conehull.tests import data


def pushed(X, size, **settings):
    stream = conehull.Stream(4, **settings)
    for start in range(0, X.shape[0], size):
        stream.push(X[start:start + size])
    return stream


def same(a, b):
    one, two = a.anchors(), b.anchors()
    np.testing.assert_array_equal(one.anchors, two.anchors)
    np.testing.assert_array_equal(one.components, two.components)
    assert one.bound == two.bound and one.info == two.info
    for x, y in zip(a.kept(), b.kept()):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("settings", [{}, {"loss": "l2"}, {"loss": "kl"}, {"method": "spa"}, {"exterior": "rand"},
                                      {"exterior": "share"}, {"loss": "quantile:0.3"}])
def test_exact_data_gives_the_answer_of_all_at_once(settings):
    X, planted = data.separable()
    X = X[np.random.RandomState(3).permutation(len(X))]
    batch = conehull.anchors(X, 4, **settings)
    found = pushed(X, 7, **settings).anchors()
    assert sorted(found.anchors) == sorted(batch.anchors) and len(found.anchors) == len(planted)
    np.testing.assert_array_equal(found.components, X[found.anchors])
    assert found.bound < 1e-8 and found.status in ("done", "complete")


def test_chunks_threads_types_and_pickles_change_nothing():
    X = np.random.RandomState(1).randint(0, 9, (150, 12)).astype(np.uint8)
    settings = {"store": 64, "tolerance": 0.2}
    whole = pushed(X, 150, **settings)
    for other in (pushed(X, 1, **settings), pushed(X, 40, n_jobs=3, **settings), pushed(X.astype(float), 9, **settings),
                  pushed(sparse.csr_matrix(X), 31, **settings), pushed(np.asfortranarray(X), 50, **settings)):
        same(whole, other)
    half = pushed(X[:80], 20, **settings)
    for other in (pickle.loads(pickle.dumps(half)), copy.deepcopy(half)):
        other.push(X[80:])
        same(whole, other)
    assert half.info["seen"] == 80


def test_the_bound_holds():
    rng = np.random.RandomState(2)
    X = rng.rand(4, 15)[rng.randint(0, 4, 200)] * rng.rand(200, 1) + 0.02 * rng.rand(200, 15)
    found = pushed(X, 33, tolerance=0.1).anchors()
    far = np.abs(X - conehull.project(X, found.components).weights @ found.components).sum(1) / X.sum(1)
    assert far.max() <= found.bound + 1e-9 < 1


def test_what_goes_wrong_is_told():
    stream = conehull.Stream(2)
    with pytest.raises(ValueError, match="the stream has not received any sample yet"):
        stream.anchors()
    stream.push(np.eye(3))
    with pytest.raises(ValueError, match="X has 2 features, but the stream has 3"):
        stream.push(np.eye(2))
    with pytest.raises(ValueError, match="sample 4, feature 0"):
        stream.push([[1, 2, 3], [-1, 0, 0]])
    assert stream.info["seen"] == 3
    with pytest.raises(ValueError, match="store"):
        conehull.Stream(20, store=10).push(np.eye(3))
    with pytest.raises(TypeError, match="'path'"):
        conehull.Stream(2, path=True)
    small = conehull.Stream(2, store=4)
    small.push(np.random.RandomState(0).rand(60, 8))
    with pytest.warns(ConvergenceWarning, match="the store was too small"):
        assert small.anchors().status == "inaccurate"


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([conehull.MiniBatchSeparableNMF()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_partial_fit():
    X, planted = data.separable()
    model = conehull.MiniBatchSeparableNMF(4)
    for start in range(0, len(X), 11):
        model.partial_fit(X[start:start + 11])
    whole = clone(model).fit(X)
    np.testing.assert_array_equal(model.anchors_, whole.anchors_)
    np.testing.assert_array_equal(model.transform(X), whole.transform(X))
    assert sorted(model.anchors_) == planted.tolist() and model.n_samples_seen_ == len(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-8)
    again = pickle.loads(pickle.dumps(model)).partial_fit(X)
    assert again.n_samples_seen_ == 2 * len(X)
    np.testing.assert_array_equal(again.anchors_, model.anchors_)
    assert model.fit(X[:50]).n_samples_seen_ == 50


def test_own_loss():
    square = conehull.Bregman(lambda x: x * x, lambda x: 2 * x, lambda x: 2.0, convex=True)
    X, planted = data.separable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert sorted(pushed(X, 30, loss=square).anchors().anchors) == planted.tolist()
