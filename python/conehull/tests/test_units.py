"""Features in different units: ``scale``, which equals a pipeline with a scaler, and the warning of the command."""
import json
import subprocess
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.model_selection import GridSearchCV

import conehull
from conehull import _library
from conehull.tests import data

UNITS = 10.0 ** np.random.RandomState(3).randint(-3, 4, 20)


def caught(call) -> list:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        call()
    return seen


def unit_warnings(X, **keywords) -> list:
    return [str(w.message) for w in caught(lambda: conehull.anchors(X, 3, select_only=True, **keywords)) if "units" in str(w.message)]


@pytest.mark.parametrize("loss", ["l1", "l2", "kl", "frobenius", "quantile:0.3", "beta:1.5"])
@pytest.mark.parametrize("scale", ["max", "mean"])
def test_scale_is_a_division_of_features(loss, scale):
    X, _ = data.separable(noise=0.02)
    X = X * UNITS
    unit = getattr(X, scale)(axis=0)
    own = conehull.SeparableNMF(4, loss=loss, scale=scale)
    W = own.fit_transform(X)
    divided = conehull.SeparableNMF(4, loss=loss)
    V = divided.fit_transform(X / unit)
    assert own.anchors_.tolist() == divided.anchors_.tolist()
    np.testing.assert_allclose(W, V, atol=1e-5)
    np.testing.assert_array_equal(own.components_, X[own.anchors_])  # in the units of X
    np.testing.assert_array_equal(own.transform(X), W)
    np.testing.assert_allclose(own.transform(X[:5] * 2), V[:5] * 2, atol=1e-5)
    assert own.reconstruction_err_ == pytest.approx(divided.reconstruction_err_, rel=1e-4)
    assert own.relative_error_ == pytest.approx(own.relative_error(X), rel=1e-9) and own.verify(X)
    assert own.anchors_.tolist() == conehull.anchors(X, 4, loss=loss, scale=scale).anchors.tolist()


def test_known_entries_alone_count():
    X, _ = data.separable(noise=0.02)
    X = X * UNITS
    gaps = np.where(np.random.RandomState(0).rand(*X.shape) < 0.1, np.nan, X)
    for scale, unit in (("max", np.nanmax(gaps, axis=0)), ("mean", np.nanmean(gaps, axis=0))):
        weight = conehull.anchors(gaps, 4, missing="nan", scale=scale).settings["feature_weight"]
        np.testing.assert_allclose(weight, 1 / unit, rtol=1e-12)
        known = ~np.isnan(gaps)
        for mask in (known, sparse.csr_matrix(known)):
            again = conehull.anchors(X, 4, observed=mask, scale=scale).settings["feature_weight"]
            np.testing.assert_allclose(again, weight, rtol=1e-12)
        both = conehull.anchors(sparse.csr_matrix(X), 4, scale=scale, feature_weight=np.arange(1, 21)).settings["feature_weight"]
        np.testing.assert_allclose(both, np.arange(1, 21) / getattr(X, scale)(axis=0), rtol=1e-12)


def test_what_is_refused():
    X, _ = data.separable()
    with pytest.raises(ValueError, match='scale must be "max", "mean" or None; got \'median\''):
        conehull.SeparableNMF(4, scale="median").fit(X)
    with pytest.raises(ValueError, match="scale='max' cannot be used with this loss"):
        conehull.SeparableNMF(4, scale="max", loss="is").fit(X + 0.1)


def test_the_warning_names_features():
    pandas = pytest.importorskip("pandas")
    X, _ = data.separable()
    frame = pandas.DataFrame(X.copy(), columns=[f"band {k}" for k in range(20)])
    assert unit_warnings(frame) == []
    frame["band 7"] *= 1e4
    text, = unit_warnings(frame)
    assert text.startswith("1 of 20 features ('band 7') holds 99.8 % of the sum") and "19 others ('band " in text and text.endswith('if features have different units, scale="max" or scale="mean" makes all of them count')
    numbered = pandas.DataFrame(X, columns=[f"band {k}" for k in range(20)]).assign(sample_id=np.arange(1000, 1060))
    text, = unit_warnings(numbered)
    assert text.startswith("1 of 21 features ('sample_id') holds")  # the cause, not the features that it hides
    for quiet in ({"scale": "max"}, {"feature_weight": np.ones(20)}):
        assert unit_warnings(frame, **quiet) == []
    assert unit_warnings(np.round(frame.to_numpy() * 100).astype(int)) == []  # counts have one unit
    assert unit_warnings(sparse.csr_matrix(frame.to_numpy())) == []


@pytest.mark.skipif(not (_library.path().parent / "conehull").exists(), reason="no command here")
@pytest.mark.parametrize("seed", range(12))
def test_the_command_warns_about_the_same_data(tmp_path, seed):
    rng = np.random.RandomState(seed)
    X = rng.gamma(1, size=(40, 12)) * 10.0 ** rng.uniform(-0.5, 0.5, 12) * (rng.rand(40, 12) < 0.8)
    if seed >= 8:
        X[:, 3:5] *= 100  # few of a small table are apart
    X[:, 3] *= (1e-4, 0.5, 2, 1e4)[seed % 4]
    np.save(tmp_path / "X.npy", X)
    run = subprocess.run([_library.path().parent / "conehull", "anchors", tmp_path / "X.npy", "--transpose", "-r", "3", "--json"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout).get("unit_warning", "").replace("columns", "features").replace("; ", ", ")
    own = "".join(unit_warnings(X)).replace("; ", ", ")
    assert said.split(", if")[0] == own.split(", if")[0]
    assert bool(own) == (seed % 4 in (0, 3) or seed >= 8)  # one feature is far below the others, or far above them


def test_a_search_gives_each_reason_once():
    X, _ = data.separable(90, noise=0.05)
    X[:, 7] *= 1e4
    search = GridSearchCV(conehull.SeparableNMF(), {"exterior": ["max", "share"]}, cv=3)
    seen = caught(lambda: search.fit(X))
    texts = [str(w.message) for w in seen if "in at least one fit of this search" in str(w.message)]
    assert len(texts) == len(set(texts)) and {w.category for w in seen} == {conehull.DataWarning, conehull.RankWarning}
    assert sum("scale=" in text for text in texts) == 1 and sum("rule of thumb" in text for text in texts) == 1
    assert all(w.filename == __file__ for w in seen)
    again = [str(w.message) for w in caught(lambda: search.fit(X)) if "in at least one fit of this search" in str(w.message)]
    assert again == texts  # another search reports again
    with warnings.catch_warnings():
        warnings.simplefilter("error", conehull.DataWarning)
        failed = GridSearchCV(conehull.SeparableNMF(3), {"exterior": ["max", "share"]}, cv=3, refit=False, error_score=np.nan)
        with pytest.raises(ValueError, match="(?i)all the 6 fits failed"):
            failed.fit(X)
