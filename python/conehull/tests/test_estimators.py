"""Estimators as scikit-learn expects them."""
import sys
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import conehull
from conehull.tests import data

ESTIMATORS = [conehull.SeparableNMF, conehull.SPA, conehull.Hottopixx, conehull.SMRS, conehull.RobustNMF]
ANCHORS = ESTIMATORS[:4]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([cls() for cls in ESTIMATORS])
def test_scikit_learn_checks(estimator, check):
    """None is excused."""
    check(estimator)


@pytest.mark.parametrize("cls", ANCHORS)
def test_attributes(cls):
    X, planted = data.separable()
    model = cls(4, n_jobs=1)
    W = model.fit_transform(X)
    assert sorted(model.anchors_) == planted.tolist()
    np.testing.assert_array_equal(model.components_, X[model.anchors_])
    np.testing.assert_array_equal(W, cls(4, n_jobs=2).fit(X).transform(X))
    np.testing.assert_allclose(model.inverse_transform(W), X, atol=1e-8)
    assert model.reconstruction_err_ == pytest.approx(np.abs(X - W @ model.components_).sum(), abs=1e-8)
    assert model.certificate_.gap <= 1e-9 and model.certificate_.unproven == 0
    assert model.path_["max_residual"].shape == (4,) and model.path_["objective"] is None
    assert model.n_features_in_ == 20 and model.status_ == "done"
    assert model.score(X) == pytest.approx(-model.reconstruction_err_ / len(X), abs=1e-8)
    assert hasattr(model, "selection_") == (cls in (conehull.Hottopixx, conehull.SMRS))


@pytest.mark.parametrize("loss", ["l1", "l2", "kl", "is", "beta:0.5", "logistic"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_transform_is_fit_transform(loss, kind):
    X = np.random.RandomState(1).rand(50, 12) * (np.random.RandomState(2).rand(50, 12) < 0.6)
    X = X + 0.01 if loss in ("is", "beta:0.5") else X
    X = X if kind == "dense" else sparse.csr_matrix(X)
    model = conehull.SeparableNMF(4, loss=loss)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(X)
        np.testing.assert_array_equal(W, model.transform(X))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_clone_and_pickle(cls):
    X, _ = data.separable()
    model = clone(cls(3, tol=1e-8)).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_the_proof_survives_pickling():
    X, _ = data.separable(noise=0.05)
    model = pickle.loads(pickle.dumps(conehull.SeparableNMF(4, keep_duals=True).fit(X)))
    assert model.verify(X)
    assert not model.verify(X * 1.5)


@pytest.mark.parametrize("model", [conehull.SeparableNMF(4), conehull.SPA(4), conehull.SeparableNMF(4, loss="l2", refine=2),
                                   conehull.SeparableNMF(4, exterior="rand", random_state=None), conehull.SeparableNMF(4, scale="mean")])
def test_verify_needs_no_duals(model):
    X, _ = data.separable(noise=0.05)
    model.fit(X)
    model.set_params(n_components=2)  # the fit counts
    assert model.verify(X) and pickle.loads(pickle.dumps(model)).verify(X)
    assert not model.verify(X * np.linspace(1, 2, X.shape[1]))
    model.components_ = model.components_ * 1.01
    assert "other components" in model.verify(X).why
    weighted = conehull.SeparableNMF(4).fit(X, sample_weight=np.linspace(1, 2, len(X)))
    with pytest.raises(ValueError, match="neither its duals nor sample_weight; fit it with keep_duals=True"):
        weighted.verify(X)


def test_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    X, planted = data.separable()
    frame = pandas.DataFrame(X, index=[f"day {i}" for i in range(60)], columns=[f"band {j}" for j in range(20)])
    model = conehull.SeparableNMF(4).set_output(transform="pandas")
    W = model.fit_transform(frame)
    assert sorted(model.anchors_names_) == sorted(f"day {i}" for i in planted)
    assert model.feature_names_in_[3] == "band 3"
    assert list(W.columns) == list(model.anchors_names_) and W.index[5] == "day 5"
    assert "index" not in vars(model)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(frame.rename(columns={"band 3": "tape 3"}))
    assert not hasattr(conehull.SeparableNMF(4).fit(X), "anchors_names_")


def test_pipeline():
    X, _ = data.separable(90, 20, 3, seed=3)
    y = np.arange(90) % 2
    assert make_pipeline(conehull.SeparableNMF(3), LogisticRegression()).fit(X, y).predict(X).shape == (90,)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_grid_search_in_workers(backend):
    """The library has run here before, with threads: workers made by fork must not wait for those."""
    from joblib import parallel_backend
    X, _ = data.separable(80, 20, 3, noise=0.02, seed=4)
    conehull.SeparableNMF(3, n_jobs=2).fit(X)
    search = GridSearchCV(conehull.SeparableNMF(n_jobs=2), {"n_components": [1, 2, 3], "loss": ["l1", "l2"]}, cv=2, n_jobs=2,
                          scoring=conehull.relative_score)
    with parallel_backend(backend), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(X)
    serial = clone(search).set_params(n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        serial.fit(X)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"])


def test_not_fitted():
    for cls in ESTIMATORS:
        for method in ("transform", "inverse_transform"):
            with pytest.raises(NotFittedError):
                getattr(cls(2), method)(np.ones((3, 3)))


def test_warnings():
    X, _ = data.separable(rank=3)
    with pytest.warns(ConvergenceWarning, match="3 anchors explain every sample, before the 7 asked for"):
        model = conehull.SeparableNMF(7).fit(X)
    assert model.status_ == "complete" and len(model.anchors_) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(conehull.SeparableNMF().fit(X).anchors_) == 3
        assert len(conehull.SPA().fit(X).anchors_) >= 3
    with pytest.warns(ConvergenceWarning):
        conehull.RobustNMF(2, iterations=2).fit(X)


def test_inverse_transform_takes_what_transform_gives():
    X, _ = data.separable()
    model = conehull.SeparableNMF(3).fit(X)
    expected = model.transform(X) @ model.components_
    for W in (model.transform(X).tolist(), sparse.csr_matrix(model.transform(X))):
        np.testing.assert_allclose(model.inverse_transform(W), expected)
    pytest.importorskip("pandas")
    model.set_output(transform="pandas")
    np.testing.assert_array_equal(model.inverse_transform(model.transform(X)), expected)
    for wrong in (np.ones((2, 4)), np.ones(3)):
        for fitted in (model, conehull.RobustNMF(3).fit(X)):
            with pytest.raises(ValueError, match="4 columns, but there are 3|Expected 2D"):
                fitted.inverse_transform(wrong)


def test_a_second_fit_forgets_the_first():
    pandas = pytest.importorskip("pandas")
    X, _ = data.separable()
    model = conehull.SeparableNMF(3, method="smrs", keep_duals=True).fit(pandas.DataFrame(X))
    assert all(hasattr(model, name) for name in ("selection_", "anchors_names_", "result_", "n_features_in_"))
    model.set_params(method="xray", keep_duals=False).fit(X)
    assert not any(hasattr(model, name) for name in ("selection_", "anchors_names_", "result_"))


def test_warnings_point_at_the_callers_line():
    X, _ = data.separable(rank=3)
    code = compile("""
import conehull
conehull.anchors(X, 7)
conehull.SeparableNMF(7).fit(X)
conehull.SeparableNMF(7).fit_transform(X)
conehull.RobustNMF(2, iterations=2).fit(X)
""", "users.py", "exec")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        exec(code, {"__name__": "users", "X": X})
    assert [(w.filename, w.lineno) for w in seen] == [("users.py", line) for line in (3, 4, 5, 6)]


def test_select_only():
    X, planted = data.separable()
    model = conehull.SeparableNMF(4, select_only=True)
    W = model.fit_transform(X)
    assert sorted(model.anchors_) == planted.tolist() and np.isnan(model.reconstruction_err_)
    np.testing.assert_array_equal(W, conehull.SeparableNMF(4).fit_transform(X))
    pytest.importorskip("pandas")
    named = conehull.SeparableNMF(4, select_only=True).set_output(transform="pandas").fit_transform(X)
    assert list(named.columns) == [f"separablenmf{k}" for k in range(4)]


def test_losses_have_scikit_learns_names_too():
    X = np.random.RandomState(3).rand(30, 8)
    for theirs, ours in (("frobenius", "l2"), ("kullback-leibler", "kl"), ("itakura-saito", "is")):
        assert (conehull.SeparableNMF(3, loss=theirs).fit(X).anchors_ == conehull.SeparableNMF(3, loss=ours).fit(X).anchors_).all()
    with pytest.raises(ValueError, match="'l1'.*'frobenius'.*got 'nope'") as refused:
        conehull.SeparableNMF(3, loss="nope").fit(X)
    assert "custom" not in str(refused.value)


def test_the_error_of_l2_is_the_norm():
    X = np.random.RandomState(5).rand(30, 8)
    model = conehull.SeparableNMF(3, loss="l2").fit(X)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - model.inverse_transform(model.transform(X))))


def test_verbose_without_tqdm_writes_lines(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    conehull.SeparableNMF(4, verbose=1).fit(np.random.RandomState(0).rand(300, 40))
    assert "conehull: " in capfd.readouterr().err
