"""Spectra: against SciPy and NumPy, on scenes with a known answer, in scikit-learn and in HyperSpy."""
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import conehull
from conehull import spectra

RANK, BANDS = 4, 40


def scene(seed=0, rows=18, columns=22, noise=0.002):
    rng = np.random.default_rng(seed)
    axis = np.linspace(0, 1, BANDS)
    pure = 0.1 + np.exp(-((axis - rng.uniform(0, 1, (RANK, 1))) / rng.uniform(0.05, 0.2, (RANK, 1))) ** 2) + rng.random((RANK, 1)) * axis
    shares = rng.dirichlet(np.full(RANK, 0.6), rows * columns) * rng.uniform(0.4, 1, (rows * columns, 1))
    places = rng.choice(rows * columns, RANK, replace=False)
    shares[places] = np.eye(RANK)
    X = shares @ pure + noise * rng.standard_normal((rows * columns, BANDS))
    return X.reshape(rows, columns, BANDS), pure, shares.reshape(rows, columns, RANK), places


def test_matching_is_that_of_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(1)
    for trial in range(300):
        cost = rng.random(rng.integers(1, 12, 2)) if trial % 2 else rng.integers(0, 4, rng.integers(1, 12, 2)).astype(float)
        rows, columns = spectra.match(cost)
        wanted = optimize.linear_sum_assignment(cost)
        assert len(rows) == len(wanted[0]) and len(set(columns.tolist())) == len(columns)
        assert np.isclose(cost[rows, columns].sum(), cost[wanted].sum(), atol=1e-12)
        if trial % 2:  # no ties: the very pairs
            assert np.array_equal(rows, wanted[0]) and np.array_equal(columns, wanted[1])
    with pytest.raises(ValueError, match="finite"):
        spectra.match([[np.nan, 1.0]])


def test_angles_and_errors_are_those_of_numpy():
    rng = np.random.default_rng(2)
    a, b = rng.random((5, 30)), rng.random((3, 30))
    plain = np.arccos((a @ b.T) / np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)))
    assert np.allclose(spectra.spectral_angle(a, b), plain, atol=1e-7)
    assert spectra.spectral_angle(a[0], 3 * a[0]) < 1e-15
    found, truth = rng.random((7, 6, 3)), rng.random((7, 6, 3))
    assert np.allclose(spectra.rmse(found, truth), np.sqrt(((found - truth) ** 2).mean((0, 1))))
    result = spectra.score(b[[1, 2, 0]], b, found[..., [1, 2, 0]], found)
    assert result.match.tolist() == [2, 0, 1] and result.mean_angle < 1e-12 and result.mean_rmse == 0
    with pytest.raises(ValueError, match="bands"):
        spectra.spectral_angle(a, b[:, :4])


def test_noise_is_that_of_plain_regressions():
    cube, *_ = scene(3)
    X = cube.reshape(-1, BANDS)
    found = spectra.estimate_noise(X)
    assert found.rank == RANK and found.deviation.shape == (BANDS,)
    for band in (0, 17, 39):
        others = np.delete(X, band, 1)
        left = X[:, band] - others @ np.linalg.lstsq(others, X[:, band], rcond=None)[0]
        assert np.isclose(found.deviation[band], np.sqrt((left ** 2).sum() / (len(X) - BANDS + 1)), rtol=1e-3)
    assert np.allclose(found.deviation, 0.002, rtol=0.25)


def test_unmix_finds_what_was_planted():
    cube, pure, shares, places = scene(4)
    found = conehull.unmix(cube, RANK, smooth=5)
    score = spectra.score(found.endmembers, pure, found.abundances, shares)
    assert score.degrees.max() < 2 and score.mean_rmse < 0.02
    assert spectra.score(found.smooth, pure).mean_angle < 0.05
    X = np.maximum(cube, 0)
    for k, (row, column) in enumerate(found.pixels):
        assert np.array_equal(X[row, column], found.endmembers[k])
    fit = found.abundances @ found.endmembers
    assert np.allclose(found.residual, np.abs(X - fit).sum(2) / np.maximum(cube, 0).sum(2), atol=1e-12)
    assert found.gap.max() < 1e-9 and found.abundances.sum(2).max() < 1 + 1e-12
    assert conehull.verify(cube.reshape(-1, BANDS), found.result)
    auto = conehull.unmix(cube, n_jobs=1)
    assert auto.rank_by["noise"] == RANK and len(auto.endmembers) == min(auto.rank_by["noise"], auto.rank_by["residual"])


def test_masks_labels_and_libraries():
    cube, pure, _, _ = scene(5)
    holes = cube.copy()
    holes[2, 3] = np.nan
    mask = np.ones(cube.shape[:2], bool)
    mask[:, 20:] = False
    found = conehull.unmix(holes, 3, mask=mask)
    assert np.isnan(found.gap[2, 3]) and np.isnan(found.abundances[:, 20:]).all()
    assert np.isfinite(found.abundances).all(2).sum() == 18 * 20 - 1
    labelled = SimpleNamespace(values=cube.transpose(2, 0, 1), dims=("wavelength", "y", "x"),
                               coords={"wavelength": np.linspace(400, 900, BANDS)})
    one, other = conehull.unmix(labelled, 3), conehull.unmix(cube, 3)
    assert np.array_equal(one.endmembers, other.endmembers) and one.wavelengths[-1] == 900
    assert np.array_equal(conehull.unmix(cube.transpose(2, 0, 1), 3, band_axis=0).pixels, other.pixels)
    known = conehull.unmix(cube, RANK, library=pure[:2])
    assert known.pixels[:2].tolist() == [[-1, -1], [-1, -1]] and np.array_equal(known.endmembers[:2], pure[:2])
    for bad, words in ((cube[0], "three axes"), (cube * np.nan, "no pixel")):
        with pytest.raises(ValueError, match=words):
            conehull.unmix(bad, 3)
    with pytest.raises(ValueError, match="shape"):
        conehull.unmix(cube, 3, mask=mask[:4])


def test_values_that_are_not_known():
    cube, pure, *_ = scene(6)
    gaps = cube.copy()
    gaps[np.random.default_rng(3).random(cube.shape) < 0.05] = np.nan
    whole, found = conehull.unmix(cube, 4), conehull.unmix(gaps, 4, smooth=3)
    assert spectra.score(found.endmembers, pure).mean_angle < spectra.score(whole.endmembers, pure).mean_angle + 0.02
    assert np.isfinite(found.abundances).all() and np.isfinite(found.smooth).all() and found.gap.max() < 1e-9
    x, h = gaps[4, 5].clip(0), found.abundances[4, 5]
    assert np.isclose(found.residual[4, 5], np.nansum(abs(x - h @ found.endmembers)) / np.nansum(x))
    assert conehull.unmix(gaps, "auto").rank_by["noise"] is not None
    with pytest.raises(ValueError, match="NaN"):
        conehull.unmix(gaps, 4, missing="none")


def test_in_a_pipeline():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler
    cube, *_ = scene(7, noise=0)
    X = cube.reshape(-1, BANDS)
    line = make_pipeline(MaxAbsScaler(), conehull.SeparableNMF(RANK, hull="convex0"))
    weights = line.fit_transform(X)
    assert weights.shape == (len(X), RANK) and weights.sum(1).max() < 1 + 1e-9
    assert np.allclose(line.transform(X[:9]), weights[:9])


def test_in_hyperspy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hs = pytest.importorskip("hyperspy.api")
        cube, pure, shares, _ = scene(8, noise=0)
        signal = hs.signals.Signal1D(cube)
        signal.decomposition(algorithm=conehull.SeparableNMF(RANK, hull="convex0"), output_dimension=RANK, print_info=False)
    factors = signal.get_decomposition_factors().data
    loadings = signal.get_decomposition_loadings().data
    score = spectra.score(factors, pure, np.moveaxis(loadings, 0, -1), shares)
    assert score.mean_angle < 1e-6 and score.mean_rmse < 1e-6
