"""Answers against plain NumPy and SciPy."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import conehull
from conehull.tests import data

few = settings(max_examples=25, deadline=None)
positive = st.floats(0.01, 100, allow_nan=False)


def matrices(min_side=2, max_side=8, elements=positive):
    sides = st.tuples(st.integers(min_side, max_side), st.integers(min_side, max_side))
    return sides.flatmap(lambda shape: arrays(np.float64, shape, elements=elements))


@pytest.mark.parametrize("method", ["xray", "spa", "hottopixx", "smrs", "fgnsr", "snpa", "pspa", "random-spa"])
@pytest.mark.parametrize("seed", range(3))
def test_planted_anchors_are_found(method, seed):
    X, planted = data.separable(seed=seed)
    found = conehull.anchors(X, 4, method=method)
    assert sorted(found.anchors) == planted.tolist(), f"seed {seed}"
    np.testing.assert_allclose(found.weights @ found.components, X, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_l1_finds_anchors_under_sparse_noise(seed):
    X, planted = data.separable(150, 100, 8, noise=0.1, seed=seed)
    found = conehull.anchors(X, 8)
    assert len(set(found.anchors) & set(planted)) >= 7, f"seed {seed}"


@pytest.mark.parametrize("seed", range(4))
def test_spa_is_spa(seed):
    X = np.random.RandomState(seed).rand(40, 12)
    assert conehull.SPA(6).fit(X).anchors_.tolist() == data.spa(X, 6), f"seed {seed}"


@pytest.mark.parametrize("seed", range(4))
def test_xray_l2_is_xray(seed):
    X = np.random.RandomState(seed).rand(30, 10)
    found = conehull.anchors(X, 5, loss="l2", first="paper")
    assert found.anchors.tolist() == data.xray_l2(X, 5), f"seed {seed}"


@few
@given(matrices(), st.integers(1, 3))
def test_l2_weights_are_nnls(X, rank):
    components = X[:rank]
    found = conehull.project(X, components, loss="l2")
    residual = ((X - data.weights_l2(X, components) @ components)**2).sum()
    assert found.objective == pytest.approx(residual, rel=1e-6, abs=1e-9 * (X**2).sum())
    assert (found.weights >= 0).all()


@few
@given(matrices(), st.integers(1, 3))
def test_l1_weights_are_the_linear_program(X, rank):
    components = X[:rank]
    found = conehull.project(X, components)
    least = sum(data.error_l1(x, components) for x in X)
    assert found.objective == pytest.approx(least, rel=1e-6, abs=1e-8 * X.sum())
    assert found.objective == pytest.approx(np.abs(X - found.weights @ components).sum(), rel=1e-9, abs=1e-9)


@few
@given(matrices(elements=st.integers(0, 3).map(float)))
def test_integers_and_zeros(X):
    """Ties and zeros everywhere; whatever comes out must fit what it says."""
    if len({tuple(x / x.sum()) for x in X if x.any()}) < 2:
        with pytest.raises(ValueError, match="only 1 sample that can be an anchor|samples of the matrix are zero"):
            conehull.anchors(X, 2)
        return
    found = conehull.anchors(X, 2, keep_duals=True)
    assert len(set(found.anchors)) == len(found.anchors) <= 2
    np.testing.assert_array_equal(found.components, X[found.anchors])
    assert found.objective == pytest.approx(np.abs(X - found.weights @ found.components).sum(), abs=1e-9)
    assert conehull.verify(X, found)


@pytest.mark.parametrize("loss", ["kl", "is", "beta:0.5", "logistic", "l2"])
def test_divergences_are_verified(loss):
    X = np.random.RandomState(3).rand(40, 12) * 0.9 + 0.05
    found = conehull.anchors(X, 3, loss=loss, keep_duals=True)
    check = conehull.verify(X, found)
    assert check and check.why == ""
    assert check.objective == pytest.approx(found.objective, rel=1e-9)


def test_kl_is_what_it_says():
    X = np.random.RandomState(4).poisson(3.0, (50, 20)).astype(float)
    found = conehull.anchors(X, 4, loss="kl")
    assert found.objective == pytest.approx(data.kl(X, found.weights @ found.components + found.floor), rel=1e-9)


def test_verify_sees_a_wrong_answer():
    import dataclasses
    X, _ = data.separable(noise=0.05)
    found = conehull.anchors(X, 4, keep_duals=True)
    assert conehull.verify(X, found)
    wrong = dataclasses.replace(found, weights=found.weights * 1.01)
    check = conehull.verify(X, wrong)
    assert not check and check.why


@pytest.mark.parametrize("keywords", [{}, {"loss": "l2", "refine": 3}, {"loss": "kl"}, {"method": "spa"}, {"exterior": "rand"},
                                      {"scale": "max"}, {"sample_weight": np.linspace(1, 2, 60)}])
def test_verify_repeats_a_run_without_duals(keywords):
    import dataclasses
    X, _ = data.separable(noise=0.05)
    found = conehull.anchors(X, 4, **keywords)
    assert not found.proof and conehull.verify(X, found)
    assert not conehull.verify(X, dataclasses.replace(found, weights=found.weights * 1.01))
    assert not conehull.verify(X, dataclasses.replace(found, anchors=found.anchors[::-1].copy()))
    assert not conehull.verify(X * np.linspace(1, 2, X.shape[1]), found)


def test_same_bits_for_any_number_of_threads():
    X = np.random.RandomState(5).rand(400, 30)
    one, two = (conehull.anchors(X, 10, n_jobs=n) for n in (1, 3))
    np.testing.assert_array_equal(one.anchors, two.anchors)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_path_and_keep():
    X = np.random.RandomState(6).rand(60, 15)
    found = conehull.anchors(X, 5, path=True, first="paper")
    for k in (1, 3, 5):
        objective = conehull.project(X, X[found.anchors[:k]]).objective
        assert found.objective_path[k - 1] == pytest.approx(objective, rel=1e-9)
    kept = conehull.anchors(X, 5, keep=[7, 3])
    assert kept.anchors[:2].tolist() == [7, 3]
    assert conehull.anchors(X, 2, keep=None).anchors.shape == (2,)
    with pytest.raises(ValueError, match="sample 60 does not exist; samples are numbered from 0 to 59"):
        conehull.anchors(X, 5, keep=[60])


def test_given_anchors_are_verified():
    X = np.random.RandomState(6).rand(60, 15)
    found = conehull.anchors(X, 5, keep=np.array([7, 3]), keep_duals=True)
    check = conehull.verify(X, found)
    assert check, check.why


def test_components_may_be_sparse():
    import scipy.sparse as sparse
    X = np.random.RandomState(6).rand(20, 15)
    np.testing.assert_array_equal(conehull.project(X, sparse.csc_matrix(X[:3])).weights,
                                  conehull.project(X, X[:3]).weights)
