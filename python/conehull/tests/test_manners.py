"""What a scikit-learn user expects of defaults, scores, names, types and looks."""
import pickle
import re
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.decomposition import NMF
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import conehull
from conehull import functions
from conehull import video
from conehull.tests import data

NOISE = np.random.RandomState(0).rand(60, 9)


# ---- n_components="auto" ----


def test_auto_says_which_number_and_why():
    X, _ = data.separable(rank=4, noise=0.01)
    with pytest.warns(conehull.RankWarning) as warned:
        model = conehull.SeparableNMF().fit(X)
    residual = conehull.anchors(X, 4).max_residual
    fall = 1 - residual[3] / residual[2]
    assert model.n_components_ == 4
    assert model.rank_reason_ == f"the last anchor lowers the largest residual by {fall:.0%}, more do little"
    assert str(warned[0].message) == (f"n_components='auto' chose 4 by a rule of thumb: {model.rank_reason_}. Pass n_components=4 to "
                                      "accept this number, or another one; max_residual shows what each anchor adds")
    with pytest.warns(conehull.RankWarning) as warned:
        found = conehull.anchors(NOISE)
    fall, path = 1 - found.max_residual[1:] / found.max_residual[:-1], ", ".join(f"{value:.3g}" for value in found.max_residual)
    assert found.rank_reason == (f"there is no clear rank, each anchor lowers the largest residual by at most {fall.max():.0%} "
                                 f"(it is {path} after each anchor)")
    bent = functions._unclear_rank(np.array([2.7, 1.45, 0.24, 0.0135, 0.011, 0.00855]))
    assert bent == ("there is no clear rank, anchor 4 lowers the largest residual most, by 94%, but anchor 6 still lowers it by 20 % or "
                    "more (it is 2.7, 1.45, 0.24, 0.0135, 0.011, 0.00855 after each anchor); 4 and 6 are both sensible")
    assert f"chose {len(found.anchors)} by a rule of thumb: {found.rank_reason}." in str(warned[0].message)
    with pytest.warns(conehull.RankWarning, match="weights of SMRS"):
        conehull.SMRS().fit(X)
    stream = conehull.Stream()
    stream.push(NOISE)
    with pytest.warns(conehull.RankWarning, match=f"chose {len(found.anchors)} by a rule of thumb: there is no clear rank"):
        assert stream.anchors().anchors.tolist() == found.anchors.tolist()  # the answer of the batch


def test_a_number_is_no_reason_to_warn():
    X, _ = data.separable(rank=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert conehull.SeparableNMF(4).fit(X).rank_reason_ == ""
        assert conehull.SeparableNMF().fit(X).n_components_ == 4  # exact data: everything is explained, nothing was guessed


# ---- scores ----


@pytest.mark.parametrize("loss", ["l1", "l2", "kl", "is"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, np.float32])
def test_the_relative_error_is_the_same_measure_for_all_losses(loss, kind):
    X = NOISE * (np.random.RandomState(1).rand(*NOISE.shape) < 0.7) + (0.01 if loss == "is" else 0)
    model = conehull.SeparableNMF(3, loss=loss)
    made = model.inverse_transform(model.fit_transform(kind(X)))
    expected = np.abs(X - made).sum() / X.sum()
    assert model.relative_error_ == pytest.approx(expected, rel=1e-5)
    assert model.relative_error(kind(X)) == pytest.approx(expected, rel=1e-5)
    held = NOISE[:20] + 0.3
    assert conehull.relative_score(model, held) == pytest.approx(
        1 - np.abs(held - model.inverse_transform(model.transform(held))).sum() / held.sum())


def test_the_relative_error_of_gaps_clips_and_select_only():
    X = NOISE.copy()
    X[np.random.RandomState(2).rand(*X.shape) < 0.1] = np.nan
    model = conehull.SeparableNMF(3, missing="nan", loss="l2")
    made = model.inverse_transform(model.fit_transform(X))
    assert model.relative_error_ == pytest.approx(np.nansum(np.abs(X - made)) / np.nansum(X))
    observed = ~np.isnan(X)
    other = conehull.SeparableNMF(3, loss="l2").fit(np.nan_to_num(X), observed=observed)
    assert other.relative_error_ == pytest.approx(model.relative_error_)
    clipped = conehull.SeparableNMF(3, negative="clip", loss="l2").fit(NOISE - 0.1)
    assert clipped.relative_error_ == pytest.approx(conehull.SeparableNMF(3, loss="l2").fit(np.maximum(NOISE - 0.1, 0)).relative_error_)
    assert np.isnan(conehull.SeparableNMF(3, select_only=True).fit(NOISE).relative_error_)


def test_a_fit_does_not_pay_for_the_relative_error():
    X, plain = NOISE.copy(), conehull.SeparableNMF(3).fit(NOISE)
    before = sys.getrefcount(X)
    model = conehull.SeparableNMF(3, loss="l2").fit(X)
    assert sys.getrefcount(X) == before + 1  # until the first use
    stored = pickle.loads(pickle.dumps(model))
    assert sys.getrefcount(X) == before
    X[:] = 0
    assert stored.relative_error_ == model.relative_error_ > 0
    assert stored.relative_error_ == pytest.approx(model.relative_error(NOISE), rel=1e-12)
    assert plain.relative_error_ == pytest.approx(plain.reconstruction_err_ / NOISE.sum())
    with pytest.raises(AttributeError):
        conehull.SeparableNMF(3).relative_error_  # not fitted: no attribute, as in scikit-learn


def test_a_search_over_losses_needs_one_unit():
    search = GridSearchCV(conehull.SeparableNMF(3), {"loss": ["l1", "l2"]}, cv=2, error_score="raise")
    with pytest.raises(ValueError, match="a search over loss cannot compare by score.*scoring=conehull.relative_score"):
        search.fit(NOISE)
    with pytest.raises(ValueError, match="relative_score"):  # the default error_score does not hide it
        GridSearchCV(conehull.SeparableNMF(3), {"loss": ["l1", "l2"]}, cv=2).fit(NOISE)
    piped = make_pipeline(MaxAbsScaler(), conehull.SeparableNMF(3))
    with pytest.raises(ValueError, match="relative_score"):
        GridSearchCV(piped, {"separablenmf__loss": ["l1", "l2"]}, cv=2).fit(NOISE)
    GridSearchCV(conehull.SeparableNMF(3), {"n_components": [2, 3]}, cv=2).fit(NOISE)  # one unit
    found = GridSearchCV(conehull.SeparableNMF(3), {"loss": ["l1", "l2", "kl"]}, cv=2, scoring=conehull.relative_score).fit(NOISE)
    assert found.best_params_["loss"] == "l1"  # the measure is l1's own
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    from sklearn.linear_model import LogisticRegression
    labelled = make_pipeline(conehull.SeparableNMF(3), LogisticRegression())
    GridSearchCV(labelled, {"separablenmf__loss": ["l1", "l2"]}, cv=2).fit(NOISE, np.arange(60) % 2)  # scored by labels


def test_other_estimators_have_the_score_too():
    model = NMF(3, init="nndsvda", max_iter=500).fit(NOISE)
    assert 0.5 < conehull.relative_score(model, NOISE) < 1
    assert 0.5 < conehull.relative_score(make_pipeline(MaxAbsScaler(), conehull.SeparableNMF(5)).fit(NOISE), NOISE) < 1


# ---- words ----


def test_messages_speak_of_samples_and_features():
    wrong = {"sample 3, feature 2": np.where(np.arange(27).reshape(9, 3) == 11, -1.0, 1.0),
             "sample 1, feature 0": np.where(np.arange(27).reshape(9, 3) == 3, np.nan, 1.0)}
    for place, X in wrong.items():
        with pytest.raises(ValueError, match=place) as refused:
            conehull.SeparableNMF(2).fit(X)
        assert not re.search(r"\b(columns?|rows?)\b|--|-r ", str(refused.value)), refused.value
        assert place != "sample 3, feature 2" or 'negative="clip"' in str(refused.value)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        conehull.anchors(np.eye(30), 2)
    assert caught and not re.search(r"\b(columns?|rows?)\b|--", "".join(str(w.message) for w in caught))


def test_no_help_is_that_of_the_command():
    for name in ("SeparableNMF", "SPA", "Hottopixx", "SMRS", "MiniBatchSeparableNMF", "Stream", "anchors", "project", "annotate"):
        text = getattr(conehull, name).__doc__
        assert not re.search(r"\bcolumns?\b", text.replace("Columns of a pandas frame", "")), (name, re.findall(r".*columns?.*", text))
        assert not re.search(r"(?<![-\w])--[a-z]|(?<!\w)-r (auto|N)", text), (name, re.findall(r".*--[a-z].*", text))


@pytest.mark.parametrize("cls, bound", [(conehull.SeparableNMF, "only 60 samples that can be an anchor"),
                                        (conehull.SPA, "can select at most 9 samples"),
                                        (conehull.Hottopixx, "only 60 samples that are not zero"),
                                        (conehull.SMRS, "only 60 samples that are not zero")])
def test_a_rank_that_is_too_large_is_named_as_asked(cls, bound):
    with pytest.raises(ValueError, match=f"n_components.* 61.*{bound}") as refused:
        cls(61).fit(NOISE)
    assert "rank" not in str(refused.value)


def test_verbose_without_tqdm(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    conehull.robust_pca(NOISE, verbose=1)
    assert "conehull: " in capfd.readouterr().err


# ---- types ----


@pytest.mark.parametrize("cls", [conehull.SeparableNMF, conehull.SPA, conehull.Hottopixx, conehull.SMRS, conehull.RobustNMF,
                                 conehull.MiniBatchSeparableNMF])
def test_float32_in_and_out(cls):
    for dtype in (np.float32, np.float64):
        X = NOISE.astype(dtype)
        model = cls(3)
        made = model.fit_transform(X)
        assert made.dtype == dtype and model.transform(X).dtype == dtype and model.inverse_transform(made).dtype == dtype
        np.testing.assert_array_equal(made, model.transform(X))
        assert model.components_.dtype == dtype
    assert cls(3).fit_transform((255 * NOISE).astype(np.uint8)).dtype == np.float64


def test_refined_float32():
    model = conehull.SeparableNMF(3, loss="l2", refine=3)
    X = NOISE.astype(np.float32)
    made = model.fit_transform(X)
    np.testing.assert_array_equal(made, model.transform(X))
    assert made.dtype == np.float32


# ---- looks ----


def results():
    X, _ = data.separable(noise=0.01)
    frames = np.full((30, 12, 16), 90, np.uint8) + np.random.RandomState(0).randint(0, 4, (30, 12, 16)).astype(np.uint8)
    frames[10:20, 3:8, 4:9] = 250
    stream = conehull.Stream(4)
    stream.push(X)
    found = conehull.anchors(X, 4, loss="l2", refine=2, keep_duals=True)
    plain = conehull.anchors(X, 4, keep_duals=True)
    parts = video.separate(frames, rank=1)
    cube = np.random.RandomState(0).rand(6, 5, 8)
    return [found, plain, found.refined, found.certificate, conehull.project(X, found.components), conehull.verify(X, plain),
            stream.anchors(), conehull.robust_pca(X), conehull.robust_nmf(X, 2), parts, parts.masks(), conehull.unmix(cube, 2),
            conehull.exemplars(["sun and sea", "sea sand sun", "snow and ice", "ice cold snow"], 2)]


@pytest.mark.filterwarnings("ignore")
def test_results_show_themselves():
    for thing in results():
        text, page = repr(thing), thing._repr_html_()
        assert type(thing).__name__ in text and "object at 0x" not in text and len(text) < 1500, text
        assert "array(" not in text
        assert page.count("<div>") == page.count("</div>") and "<table>" in page and len(page) < 200_000
    found = results()[0]
    assert ", ".join(map(str, found.anchors)) in repr(found) and "proven optimal" in repr(found)
    assert "data:image/png;base64," in found._repr_html_()


def test_the_picture_is_a_png():
    from conehull._shown import png, weights_picture
    values, caption = weights_picture(np.random.RandomState(0).rand(5000, 3))
    assert values.shape == (3, 800) and "5000 samples" in caption and 0 <= values.min() and values.max() == 1
    matplotlib = pytest.importorskip("matplotlib.image")
    import io
    read = matplotlib.imread(io.BytesIO(png(np.array([[0, 1], [0.5, 0]]))))
    np.testing.assert_allclose(read, [[1, 0], [128 / 255, 1]], atol=1 / 255)


def test_every_object_has_a_repr():
    live = conehull.LiveSeparator(warm_up=20)
    assert "no frame yet" in repr(live)
    live.process(np.zeros((8, 9), np.uint8))
    assert "8 x 9" in repr(live) and "1 frames" in repr(live)
    stream = conehull.Stream(3)
    stream.push(NOISE)
    assert "60 samples of 9 features seen" in repr(stream)
    assert "log" in repr(conehull.Bregman(lambda x: x * np.log(x) - x, np.log, lambda x: 1 / x))


def test_many_negative_values_are_no_noise():
    with pytest.raises(ValueError, match=r"4\d.* % of the entries are negative; subtracting a mean.* MaxAbsScaler.*negative=\"clip\""):
        conehull.SeparableNMF(2).fit(NOISE - 0.45)
    with pytest.raises(ValueError) as refused:
        conehull.anchors(NOISE - 0.01, 2)
    assert "MaxAbsScaler" not in str(refused.value)


def test_a_model_that_is_not_fitted_says_so():
    model = conehull.SeparableNMF(2)
    for name in ("anchors_", "components_", "certificate_"):
        with pytest.raises(AttributeError, match="not fitted yet, call fit first"):
            getattr(model, name)
    assert "not fitted" not in str(pytest.raises(AttributeError, lambda: model.anchor_).value)


def test_a_loss_that_is_no_word_lists_the_words():
    with pytest.raises(ValueError, match="loss must be one of 'l1', 'l2', .*'frobenius'.*Bregman; got 2"):
        conehull.SeparableNMF(2, loss=2).fit(NOISE)


def test_the_name_of_a_check_is_that_of_its_attribute():
    found = conehull.verify(NOISE, conehull.anchors(NOISE, 2))
    assert found.ok and "\n  ok " in repr(found)
