"""Weights and missing entries: against linear programming and NNLS of SciPy, and what the keywords mean."""
import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linprog, nnls

import conehull
from conehull import SeparableNMF


def planted(samples=80, features=25, rank=4, seed=0):
    rng = np.random.RandomState(seed)
    corners = rng.gamma(1, 1, (rank, features))
    X = np.vstack([corners, rng.dirichlet(np.ones(rank), samples - rank) @ corners])
    return X * (1 + 0.05 * rng.rand(samples, features)), rng


def least_deviation(x, A):
    """min |x - A h|_1 over h >= 0, by linear programming."""
    rows, rank = A.shape
    eye = np.eye(rows)
    found = linprog(np.r_[np.zeros(rank), np.ones(2 * rows)], A_eq=np.hstack([A, eye, -eye]), b_eq=x, method="highs")
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_oracle(loss, seed):
    X, rng = planted(seed=seed)
    weights = rng.rand(*X.shape) * (rng.rand(*X.shape) > 0.3)
    features = 0.2 + rng.rand(X.shape[1])
    samples = rng.rand(len(X))
    found = conehull.anchors(X, 4, loss=loss, entry_weight=weights, feature_weight=features, sample_weight=samples,
                             keep_duals=True)
    assert found.certificate.gap <= 1e-9 and found.certificate.unproven == 0
    total = 0
    for x, h, w, s in zip(X, found.weights, weights, samples):
        t = w * features if loss == "l1" else np.sqrt(w * features)
        A = (found.components * t).T
        best = least_deviation(t * x, A) if loss == "l1" else nnls(A, t * x)[1] ** 2
        r = t * x - A @ h
        own = np.abs(r).sum() if loss == "l1" else r @ r
        size = (t * x).sum() if loss == "l1" else (t * x) @ (t * x)
        assert abs(own - best) <= 1e-8 * size
        total += s * own
    assert np.isclose(total, found.objective, rtol=1e-12)
    assert conehull.verify(X, found)


@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_entry_weights_on_a_hull(loss):
    X, rng = planted(seed=3)
    weights = rng.rand(*X.shape) * (rng.rand(*X.shape) > 0.3)
    found = conehull.anchors(X, 4, loss=loss, hull="convex", entry_weight=weights, keep_duals=True)
    assert found.certificate.gap <= 1e-9 and found.certificate.unproven == 0
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-12)
    r = weights * np.abs(X - found.weights @ found.components) ** (1 if loss == "l1" else 2)
    assert np.isclose(r.sum(), found.objective, rtol=1e-10)
    assert conehull.verify(X, found)


def test_ways_to_say_missing():
    X, rng = planted()
    known = rng.rand(*X.shape) > 0.2
    gaps = np.where(known, X, np.nan)
    found = conehull.anchors(gaps, 4, missing="nan", keep_duals=True)
    assert found.counts["unknown"] == (~known).sum() and conehull.verify(gaps, found)
    assert np.array_equal(found.completed, ~known[found.anchors])
    assert np.array_equal(found.components[~found.completed], X[found.anchors][~found.completed])
    others = [dict(X=X, observed=known), dict(X=X, observed=sparse.csr_matrix(known.astype(float))),
              dict(X=X, entry_weight=known.astype(np.float32)), dict(X=sparse.csr_matrix(X), observed=known)]
    for other in others:
        same = conehull.anchors(other.pop("X"), 4, **other)
        assert np.array_equal(same.weights, found.weights) and np.array_equal(same.components, found.components)
    with pytest.raises(ValueError, match="missing"):
        conehull.anchors(gaps, 4)


def test_a_stored_zero_is_no_gap():
    """Of a sparse pattern: what is stored and 0 in X is known to be 0, what is not stored is not known."""
    X, rng = planted()
    X[3, :5] = 0
    known = np.ones(X.shape)
    known[5, :5] = 0
    pattern = sparse.csr_matrix(known)
    found = conehull.anchors(sparse.csr_matrix(X), 4, observed=pattern)
    assert found.counts["unknown"] == 5
    dense = conehull.anchors(X, 4, observed=known)
    assert np.array_equal(found.weights, dense.weights)


def test_estimator():
    X, rng = planted()
    gaps = np.where(rng.rand(*X.shape) > 0.1, X, np.nan)
    model = SeparableNMF(4, missing="nan", feature_weight=np.linspace(1, 2, X.shape[1]), keep_duals=True)
    W = model.fit_transform(gaps)
    assert np.array_equal(W, model.transform(gaps)) and model.verify(gaps)
    weight = np.ones(len(X))
    weight[model.anchors_[0]] = 0
    again = SeparableNMF(4, missing="nan").fit(gaps, sample_weight=weight)
    assert model.anchors_[0] not in again.anchors_


@pytest.mark.parametrize("loss", ["l1", "l2", "kl"])
def test_with_library_and_refinement(loss):
    X, rng = planted(seed=3)
    library, known = X[:2], rng.rand(*X.shape) > 0.2
    gaps = np.where(known, X, np.nan)
    trust = dict(feature_weight=rng.choice([0, 0.5, 2], X.shape[1]), sample_weight=0.2 + rng.rand(len(X)))
    found = conehull.anchors(gaps, 4, loss=loss, missing="nan", library=library, refine=5, keep_duals=True, **trust)
    assert found.sources[:2] == [("library", 0), ("library", 1)] and found.certificate.unproven == 0
    assert found.refined.objective < found.objective and conehull.verify(gaps, found)
    idle = trust["feature_weight"] == 0
    assert np.array_equal(found.refined.components[:, idle], found.components[:, idle])
    residual = X - found.refined.weights @ found.refined.components
    weight = trust["sample_weight"][:, None] * trust["feature_weight"] * known
    if loss != "kl":
        each = np.abs(residual) if loss == "l1" else residual ** 2
        assert np.isclose((weight * each).sum(), found.refined.objective, rtol=1e-9)


@pytest.mark.parametrize("wrong, message", [
    (dict(feature_weight=[1.0]), "the list has 1 numbers"), (dict(sample_weight=[[1.0]]), "dimensions"),
    (dict(feature_weight=-np.ones(25)), "weights must be from 0 to"), (dict(observed=np.ones((2, 2))), "observed"),
    (dict(entry_weight=np.ones((80, 25)), loss="kl"), "losses l1, quantile and l2"),
    (dict(sample_weight=np.ones(80), method="spa"), "method xray")])
def test_refused(wrong, message):
    with pytest.raises((ValueError, NotImplementedError), match=message):
        conehull.anchors(planted()[0], 4, **wrong)


@pytest.mark.parametrize("loss", ["l1", "kl"])
def test_the_number_that_auto_advises_gives_its_anchors(loss):
    """What is estimated for missing entries does not depend on the number of anchors."""
    rng = np.random.RandomState(3)
    corners = rng.gamma(1, 1, (4, 12)) + 0.05
    X = np.vstack([corners, rng.dirichlet(np.ones(4), 196) @ corners]) * (1 + 0.02 * rng.randn(200, 12))
    X = X[rng.permutation(200)].clip(0)
    for seed in range(12):
        gaps = np.where(np.random.RandomState(seed).rand(*X.shape) < 0.1, np.nan, X)
        auto = conehull.anchors(gaps, loss=loss, missing="nan", keep_duals=True)
        again = conehull.anchors(gaps, len(auto.anchors), loss=loss, missing="nan")
        assert again.anchors.tolist() == auto.anchors.tolist() and np.array_equal(again.components, auto.components)
    assert conehull.verify(gaps, auto)
