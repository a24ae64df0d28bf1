"""Robust decompositions against NumPy."""
import numpy as np
import pytest
import scipy.sparse as sparse

import conehull


def spotted(seed=0, shape=(60, 45), rank=2):
    rng = np.random.RandomState(seed)
    clean = rng.rand(shape[0], rank) @ rng.rand(rank, shape[1])
    spots = (rng.rand(*shape) < 0.05) * rng.uniform(2, 4, shape)
    return clean, spots


@pytest.mark.parametrize("order", "CF")
def test_robust_pca(order):
    clean, spots = spotted()
    X = np.asarray(clean + spots, order=order)
    parts = conehull.robust_pca(X)
    np.testing.assert_allclose(parts.low_rank, clean, atol=1e-3)
    np.testing.assert_allclose(parts.sparse, spots, atol=1e-3)
    assert parts.weights.shape[0] == 60 and parts.components.shape[1] == 45
    np.testing.assert_allclose(parts.singular_values, np.linalg.svd(parts.low_rank)[1][:len(parts.singular_values)],
                               atol=1e-8)
    lambda_ = 1 / np.sqrt(60)
    assert parts.objective == pytest.approx(parts.singular_values.sum() + lambda_ * np.abs(parts.sparse).sum())
    assert parts.residual <= 1e-7 and parts.status == "done"
    assert conehull.robust_pca(X, keep_sparse=False).sparse is None


def test_lambda_is_a_keyword():
    clean, spots = spotted()
    more = conehull.robust_pca(clean + spots, lambda_=0.2)
    assert np.count_nonzero(np.abs(more.sparse) > 1e-6) > np.count_nonzero(spots)


@pytest.mark.parametrize("function", [conehull.robust_nmf, conehull.robust_lowrank])
def test_local_search(function):
    clean, spots = spotted()
    parts = function(clean + spots, 2, restarts=3)
    assert parts.objective == pytest.approx(np.abs(clean + spots - parts.low_rank).sum(), rel=1e-8)
    assert parts.objective <= spots.sum() * 1.01
    assert np.abs(parts.low_rank - clean).max() < 0.05
    if function is conehull.robust_nmf:
        assert (parts.weights >= 0).all() and (parts.components >= 0).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("samples", [1, 2, 7, 8])
def test_median(dtype, order, samples):
    X = np.asarray(np.random.RandomState(samples).randint(0, 250, (samples, 33)), dtype=dtype, order=order)
    lower = np.sort(X, axis=0)[(samples - 1) // 2]
    found = conehull.median_filter(X)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, lower)
    np.testing.assert_array_equal(conehull.median_filter(sparse.csr_matrix(X)), lower)
    windows = conehull.median_filter(X, radius=1)
    for i in range(samples):
        part = np.sort(X[max(i - 1, 0):i + 2], axis=0)
        np.testing.assert_array_equal(windows[i], part[(len(part) - 1) // 2])


def test_robust_nmf_estimator():
    clean, spots = spotted()
    model = conehull.RobustNMF(2, restarts=3)
    W = model.fit_transform(clean + spots)
    assert np.abs(model.inverse_transform(W) - clean).max() < 0.05
    assert model.n_iter_ > 0
