"""Hulls against SciPy: weights that sum to 1, or to at most 1; and values below zero."""
import numpy as np
import pytest
from scipy.optimize import linprog, nnls

import conehull


def data(seed=0, rank=4):
    random = np.random.default_rng(seed)
    pure = random.uniform(0, 1, (rank, 30))
    weights = random.dirichlet(np.ones(rank), 80)
    weights[:rank] = np.eye(rank)
    return weights @ pure + 0.05 * random.uniform(0, 1, (80, 30))


def least_l1(x, W, at_most):
    k, m = W.shape
    cost = np.r_[np.zeros(k), np.ones(m)]
    sides = np.block([[W.T, -np.eye(m)], [-W.T, -np.eye(m)]])
    total = np.r_[np.ones(k), np.zeros(m)][None]
    if at_most:
        return linprog(cost, np.vstack([sides, total]), np.r_[x, -x, 1], method="highs").fun
    return linprog(cost, sides, np.r_[x, -x], total, [1], method="highs").fun


def least_l2(x, W, at_most):
    """The nearest point of a polytope by non-negative least squares (Lawson and Hanson, chapter 23)."""
    W = np.vstack([W, np.zeros(W.shape[1])]) if at_most else W
    apart = W - x
    u, _ = nnls(np.vstack([apart.T, np.ones(len(W))]), np.r_[np.zeros(W.shape[1]), 1])
    return np.sum((u / u.sum() @ apart) ** 2)


@pytest.mark.parametrize("loss, least", [("l1", least_l1), ("l2", least_l2)])
@pytest.mark.parametrize("hull", ["convex", "convex0"])
def test_optimal_by_scipy(loss, least, hull):
    X = data()
    result = conehull.anchors(X, 4, loss=loss, hull=hull, keep_duals=True)
    sums = result.weights.sum(axis=1)
    assert result.weights.min() >= 0 and sums.max() <= 1 + 1e-12
    assert hull == "convex0" or np.allclose(sums, 1, atol=1e-12, rtol=0)
    expected = sum(least(x, result.components, hull == "convex0") for x in X)
    assert result.objective == pytest.approx(expected, rel=1e-8)
    assert conehull.verify(X, result).ok
    again = conehull.project(X, result.components, loss=loss, hull=hull)
    assert np.array_equal(again.weights, result.weights)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("loss, least", [("l1", least_l1), ("l2", least_l2)])
@pytest.mark.parametrize("hull", ["convex", "convex0"])
def test_known_entries_by_scipy(loss, least, hull, seed):
    """Every column on its known entries, with weights of features."""
    X, random = data(3 + seed), np.random.default_rng(7 + seed)
    known = random.uniform(size=X.shape) > 0.3
    features = np.where(np.arange(30) % 8 == 5, 0, 0.3 + random.uniform(size=30))
    gaps = np.where(known, X, np.nan)
    result = conehull.anchors(gaps, 4, loss=loss, hull=hull, missing="nan", feature_weight=features, keep_duals=True)
    assert result.certificate.gap <= 1e-9 and result.certificate.unproven == 0 and conehull.verify(gaps, result)
    for x, h, mark in zip(X, result.weights, known & (features > 0)):
        factor = (features if loss == "l1" else np.sqrt(features))[mark]
        x, W = factor * x[mark], factor * result.components[:, mark]
        apart = x - h @ W
        own, size = (np.abs(apart).sum(), x.sum()) if loss == "l1" else (apart @ apart, x @ x)
        assert abs(own - least(x, W, hull == "convex0")) <= 1e-8 * size


def test_estimators():
    X = data(1)
    model = conehull.SeparableNMF(4, hull="convex").fit(X)
    assert np.allclose(model.transform(X).sum(axis=1), 1, atol=1e-12, rtol=0)
    assert "hull" in conehull.SPA().get_params() and "hull" not in conehull.SMRS().get_params()


def test_negative_values():
    X = data(2) - 0.1
    with pytest.raises(ValueError, match='entries are negative; negative="clip"'):
        conehull.anchors(X, 4)
    clipped = conehull.anchors(X, 4, negative="clip", keep_duals=True)
    plain = conehull.anchors(np.maximum(X, 0), 4)
    assert np.array_equal(clipped.anchors, plain.anchors) and clipped.objective == plain.objective
    assert clipped.counts["clipped"] == np.sum(X < 0)
    assert conehull.verify(X, clipped).ok
