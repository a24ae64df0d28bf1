"""Warnings about data that a run had to change or do without, and about what it leaves unexplained."""
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse

import conehull
from conehull.tests import data

NOISE = np.random.RandomState(0).rand(60, 9)


def caught(call, estimates=False) -> list:
    """Returns the texts of the warnings of a call, those about estimates only on request; all of them must be a DataWarning."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    assert all(w.category is conehull.DataWarning for w in seen)
    return [text for text in (str(w.message) for w in seen) if estimates or "are estimates" not in text]


def gaps(share, blank=()):
    X, _ = data.separable(noise=0.01)
    X[np.random.RandomState(1).rand(*X.shape) < share] = np.nan
    X[list(blank)] = np.nan
    return X


def test_clipped_values_are_counted():
    X, _ = data.separable(noise=0.01)
    X[3, 2], X[5, 4] = -0.25, -0.5
    text = 'negative="clip" set 2 of 1200 values (0.167 %) to 0; their sum is -0.75. Use it for noise around 0 only'
    model = conehull.SeparableNMF(4, negative="clip")
    assert caught(lambda: model.fit(X)) == [text]
    assert caught(lambda: model.transform(X)) == [text]
    assert caught(lambda: conehull.anchors(sparse.csr_matrix(X), 4, negative="clip")) == [text]
    assert caught(lambda: conehull.project(X, model.components_, negative="clip")) == [text]
    with pytest.warns(conehull.DataWarning):
        assert conehull.anchors(X, 4, negative="clip").warnings == (text,)
    assert caught(lambda: model.fit(np.maximum(X, 0))) == []  # nothing was clipped


def test_samples_without_a_known_value_are_counted():
    X = gaps(0.1, blank=(7, 11))
    text = ("2 of 60 samples have no known value (7, 11); their weights are 0 and mean nothing. Leave these samples out")
    model = conehull.SeparableNMF(4, missing="nan")
    assert caught(lambda: model.fit(X)) == [text]
    assert caught(lambda: model.transform(X)) == [text]
    assert caught(lambda: conehull.anchors(X, 4, missing="nan", select_only=True)) == [text]
    known = ~np.isnan(X)
    for mask in (known, sparse.csr_matrix(known)):
        assert caught(lambda: conehull.anchors(np.nan_to_num(X), 4, observed=mask)) == [text]
    assert caught(lambda: conehull.anchors(np.nan_to_num(X), 4, entry_weight=known * 2.0)) == [text]
    assert caught(lambda: model.fit(gaps(0.1))) == []
    many = caught(lambda: model.fit(gaps(0.1, blank=range(20, 30))))
    assert many[0].startswith("10 of 60 samples have no known value (20, 21, 22, 23, 24, ...)")


def test_estimated_values_of_anchors_are_counted():
    X = gaps(0.3)
    model = conehull.SeparableNMF(4, missing="nan")
    said = caught(lambda: model.fit(X), estimates=True)
    count = int(np.isnan(X[model.anchors_]).sum())
    assert said == [f"{count} of 80 values of the anchors were missing and are estimates. max_missing=0 selects complete samples only"]
    np.testing.assert_array_equal(model.completed_, np.isnan(X[model.anchors_]))
    X[:30] = np.nan_to_num(X[:30], nan=0.1)
    assert caught(lambda: conehull.SeparableNMF(4, missing="nan", max_missing=0).fit(X), estimates=True) == []  # the advice works
    assert not hasattr(model.fit(np.nan_to_num(X)), "completed_")
    assert caught(lambda: model.transform(gaps(0.3)), estimates=True) == []


def test_many_missing_entries_are_counted():
    X = gaps(0.6)
    count = int(np.isnan(X).sum())
    said = caught(lambda: conehull.SeparableNMF(4, missing="nan").fit(X))
    assert f"{100 * count / 1200:.3g} % of the entries are missing ({count} of 1200); anchors are selected from estimates" in said[-1]
    assert caught(lambda: conehull.SeparableNMF(4, missing="nan").fit(gaps(0.3))) == []


SCATTERED = np.where(np.random.RandomState(3).rand(60, 40) < 0.1, 1.0, 0.0) + np.eye(60, 40)


@pytest.mark.parametrize("loss", ["l1", "l2", "kl", "is", "beta:0.5", "quantile:0.3"])
@pytest.mark.parametrize("missing", [False, True])
def test_unexplained_data_are_reported_for_every_loss(loss, missing):
    X = SCATTERED + (0.01 if loss == "is" else 0)
    if missing:
        X[np.random.RandomState(1).rand(*X.shape) < 0.1] = np.nan
    how = dict(loss=loss, missing="nan" if missing else "none")
    divergence = loss in ("kl", "is", "beta:0.5")  # entries that are zero in all anchors cost more than without anchors
    text = r"with 3 anchors is [\d.]+ times the loss without anchors" if divergence else "% of the data remain unexplained by 3 anchors"
    with pytest.warns(conehull.DataWarning, match=text):
        found = conehull.anchors(X, 3, **how)
    assert found.unexplained > (1 if divergence else 0.5)
    planted, _ = data.separable(noise=0.01)
    planted += 0.01
    if missing:
        planted[::7, ::3] = np.nan
    assert caught(lambda: conehull.anchors(planted, 4, **how)) == []
    assert conehull.anchors(planted, 4, **how).unexplained < 0.1


def test_weights_count_in_the_unexplained_share():
    X, _ = data.separable(noise=0.05)
    weight = np.random.RandomState(0).rand(60)
    found = conehull.anchors(X, 2, sample_weight=weight)
    assert found.unexplained == pytest.approx(found.objective / (weight * X.sum(axis=1)).sum())
    found = conehull.anchors(X, 2, loss="l2", entry_weight=np.full(X.shape, 3.0))
    assert found.unexplained == pytest.approx(found.objective / (3 * X**2).sum())


# ---- relative_error_ ----


@pytest.mark.parametrize("loss", ["l1", "l2", "kl"])
def test_the_relative_error_is_never_that_of_changed_samples(loss):
    def changed(change, **how):
        X = NOISE.copy()
        model = conehull.SeparableNMF(3, loss=loss, **how)
        weights = model.fit_transform(X)
        weights[:] = 0  # the caller's own
        expected = model.relative_error(X)
        change(X)
        try:
            return model.relative_error_, expected
        except ValueError as refused:
            assert "X was changed after fit" in str(refused) and "relative_error(X)" in str(refused)
            return expected, expected

    def one(X):
        X[17, 3] += 0.5

    def order(X):
        X[[4, 9]] = X[[9, 4]]

    for change in (one, order, lambda X: X.fill(0), lambda X: X.fill(-1), lambda X: np.negative(X, out=X),
                   lambda X: np.random.RandomState(0).shuffle(X), lambda X: np.multiply(X, 2, out=X), lambda X: None):
        value, expected = changed(change)
        assert value == pytest.approx(expected, rel=1e-12)
    if loss != "kl":
        assert changed(one, refine=2)[0] == pytest.approx(changed(one, refine=2)[1], rel=1e-6)


@pytest.mark.parametrize("loss", ["l1", "l2", "kl", "is"])
@pytest.mark.parametrize("how", [{}, {"tol": 1e-6}, {"refine": 2}, {"refine": 2, "tol": 1e-6}])
def test_an_unchanged_x_is_never_refused(loss, how):
    if loss == "is" and "refine" in how:
        pytest.skip("not convex: a new projection may end in another minimum")
    X = NOISE + 0.01
    model = conehull.SeparableNMF(3, loss=loss, **how).fit(X)
    assert model.relative_error_ == pytest.approx(model.relative_error(X), rel=1e-4)


def test_a_changed_x_is_refused():
    X = NOISE.copy()
    model = conehull.SeparableNMF(3, loss="l2").fit(X)
    X[17, 3] += 0.5
    with pytest.raises(ValueError, match="X was changed after fit"):
        model.relative_error_
    import pickle
    assert np.isnan(pickle.loads(pickle.dumps(model)).relative_error_)
    model.set_params(loss="l1", n_components=5).fit(NOISE)  # nothing is left of the earlier fit
    assert model.relative_error_ == pytest.approx(model.relative_error(NOISE))


def test_parameters_of_the_fit_decide():
    X = NOISE.copy()
    model = conehull.SeparableNMF(3, loss="l2").fit(X)
    expected = model.relative_error(X)
    model.set_params(loss="kl", hull="convex")
    model.components_ *= 2
    assert model.relative_error_ == pytest.approx(expected, rel=1e-12)


def test_weights_and_exact_data():
    weight = np.linspace(0.1, 1, 60)
    model = conehull.SeparableNMF(3, loss="l2", feature_weight=np.linspace(1, 2, 9)).fit(NOISE, sample_weight=weight)
    W = conehull.project(NOISE, model.components_, loss="l2", feature_weight=np.linspace(1, 2, 9)).weights
    assert model.relative_error_ == pytest.approx(np.abs(NOISE - W @ model.components_).sum() / NOISE.sum())
    X, _ = data.separable()
    for how in ({}, {"refine": 3}):
        assert conehull.SeparableNMF(4, loss="l2", **how).fit(X).relative_error_ < 1e-6


def test_outliers_that_became_anchors():
    """An anchor that no other sample shares is a warning; clean data have none."""
    rng = np.random.RandomState(2)
    corners = rng.gamma(1, 1, (4, 12)) + 0.05
    X = np.vstack([corners, rng.dirichlet(np.ones(4), 196) @ corners]) * (1 + 0.02 * rng.rand(200, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("error", conehull.DataWarning)
        warnings.simplefilter("ignore", conehull.RankWarning)
        assert not conehull.anchors(X, 4).warnings and not conehull.anchors(X, 8).warnings
        conehull.anchors(X)
    X[[50, 90], [3, 7]] += 10
    with pytest.warns(conehull.DataWarning, match=r"2 of 6 anchors .* at most two samples .*leave such samples out"):
        found = conehull.anchors(X, 6, keep_duals=True)
    assert "exterior=\"share\"" in found.warnings[0] and conehull.verify(X, found)


def test_features_without_a_known_value():
    pandas = pytest.importorskip("pandas")
    X = NOISE.copy()
    X[:, 4] = np.nan
    frame = pandas.DataFrame(X, columns=[f"band {k}" for k in range(9)])
    for given, name in ((frame, "'band 4'"), (X, "4")):
        with pytest.warns(conehull.DataWarning, match=rf"1 of 9 features have no known value \({name}\); .* Leave these features out"):
            conehull.SeparableNMF(3, missing="nan").fit(given)
