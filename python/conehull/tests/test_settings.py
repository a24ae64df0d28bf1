"""Keywords, defaults and help come from the library's tables."""
import inspect
import re
from dataclasses import replace

import numpy as np
import pytest

import conehull
from conehull import _errors, _structs
from conehull._settings import python_name, tables

X = np.random.RandomState(0).rand(20, 6)


def test_every_setting_is_a_keyword():
    """A row that is added to the table in C is a keyword in Python, with its default."""
    names = tables["anchors"].settings
    for owner in (conehull.anchors, conehull.SeparableNMF):
        parameters = inspect.signature(owner).parameters
        for name, setting in names.items():
            if name != "n_components":
                assert parameters[name].default == setting.default, name
                assert f"{name} : " in owner.__doc__, name


@pytest.mark.parametrize("function, table", [("robust_pca", "rpca"), ("robust_nmf", "factor"),
                                             ("robust_lowrank", "factor"), ("median_filter", "median")])
def test_decompositions_too(function, table):
    parameters = inspect.signature(getattr(conehull, function)).parameters
    assert set(tables[table].settings) <= set(parameters)


@pytest.mark.parametrize("keywords, match", [
    ({"loss": "l3"}, "loss must be one of 'l1', 'l2'"),
    ({"loss": "beta:x"}, "must end in a number"),
    ({"loss": "custom"}, "Bregman"),
    ({"loss": abs}, "Bregman"),
    ({"method": "spa", "n_components": 7}, "n_components is 7, but for this matrix the method spa can select at most 6 samples"),
    ({"tol": 1.0}, "tol must lie between"),
    ({"tol": float("nan")}, "tol must lie between"),
    ({"tol": "small"}, "tol must be a float"),
    ({"random_state": -1}, "random_state must lie between"),
    ({"random_state": "x"}, "random_state must be"),
    ({"eager": 2}, "eager must be a bool"),
    ({"exterior": "dist"}, 'exterior="dist" and exterior="greedy" can be used with the loss l2 only'),
    ({"n_jobs": 0}, "n_jobs"),
    ({"n_jobs": 1.5}, "n_jobs"),
    ({"n_jobs": 2**32 + 1}, "n_jobs must not exceed 4096"),
    ({"eager": np.array([True])}, "eager must be a bool"),
    ({"random_state": 2**64}, "random_state must lie between"),
    ({"n_components": 2**64 + 2}, "n_components must lie between"),
    ({"n_components": 21}, "n_components"),
    ({"keep": [1.5]}, "keep must be a list of whole numbers"),
    ({"keep": "12"}, "keep must be a list of whole numbers"),
    ({"keep": [-1]}, "keep|sample"),
    ({"n_components": 0}, "n_components must be"),
    ({"n_components": "many"}, "n_components must be"),
    ({"n_components": 2.0}, "n_components must be"),
])
def test_wrong_values(keywords, match):
    with pytest.raises(ValueError, match=match):
        conehull.SeparableNMF(**{"n_components": 2, **keywords}).fit(X)


def test_values_of_numpy():
    plain = conehull.SeparableNMF(2, eager=True, tol=0.5**20, random_state=3, keep=[4]).fit(X)
    model = conehull.SeparableNMF(np.int32(2), eager=np.bool_(True), tol=np.float32(0.5**20), random_state=np.uint8(3),
                                  keep=np.array([4], dtype=np.uint16)).fit(X)
    np.testing.assert_array_equal(model.anchors_, plain.anchors_)
    np.testing.assert_array_equal(model.transform(X), plain.transform(X))


def test_unknown_keywords():
    with pytest.raises(TypeError, match="unexpected keyword argument 'rank'"):
        conehull.anchors(X, rank=2)
    with pytest.raises(TypeError):
        conehull.SPA(2, exterior="max")


@pytest.mark.parametrize("name", ["xray", "spa", "hottopixx", "smrs", "snpa", "pspa", "smoothed-spa", "random-spa", "fgnsr"])
def test_an_estimator_is_its_method(name):
    own = {"spa": conehull.SPA, "hottopixx": conehull.Hottopixx, "smrs": conehull.SMRS}.get(name)
    general = conehull.SeparableNMF(3, method=name).fit(X)
    if own:
        np.testing.assert_array_equal(own(3).fit(X).anchors_, general.anchors_)


def test_random_state():
    fits = [conehull.SeparableNMF(3, exterior="rand", random_state=s).fit(X).anchors_.tolist()
            for s in (7, np.random.RandomState(7), np.random.RandomState(7), np.random.default_rng(7))]
    assert fits[0] == conehull.anchors(X, 3, exterior="rand", random_state=7).anchors.tolist()
    assert fits[1] == fits[2]
    np.random.seed(0)
    first = conehull.SeparableNMF(3, exterior="rand", random_state=None).fit(X).anchors_
    np.random.seed(0)
    np.testing.assert_array_equal(first, conehull.SeparableNMF(3, exterior="rand", random_state=None).fit(X).anchors_)


def test_a_seed_is_drawn_once():
    """The result tells the seed, and rechecking it draws no other."""
    state = np.random.RandomState(0)
    found = conehull.anchors(X, 3, random_state=state, keep_duals=True)
    assert found.settings["random_state"] == np.random.RandomState(0).randint(2**31)
    before = state.get_state()[2]
    assert conehull.verify(X, found)
    assert state.get_state()[2] == before


def test_c_types():
    assert _structs.prototype("const char *(void)") == [_structs.c_type("const char *")]
    assert [t.__name__ for t in _structs.prototype("ch_status (ch_context **, const double *)")] == [
        "c_int", "LP_c_void_p", "LP_c_double"]


# ---- every message has the name that Python uses ----

FOREIGN = re.compile(r"--[a-z]|\b(row|column)(s|_weights?)?\b|\brank\b|\bch_|[a-z]-only|max-missing|\(setting")


def foreign_names():
    """Yields the settings whose name in C is another one than in Python."""
    for table in tables.values():
        for row in table.c_table.rows[:table.c_table.count]:
            name = row.name.decode()
            if python_name(table.name, name) != name:
                yield name


@pytest.mark.parametrize("table", sorted(tables))
def test_every_setting_is_refused_by_its_name(table):
    """Values of the wrong type, outside of the bounds, and NaN: the message begins with the keyword."""
    for name, setting in tables[table].settings.items():
        wrong = [object(), None if name != "random_state" else "x"]
        if setting.kind == _structs.CH_SETTING_CHOICE:
            wrong.append("no such choice")
        elif setting.kind != _structs.CH_SETTING_FLAG:
            wrong += [value for value in (setting.low - 1, setting.high * 2 + 1, float("nan")) if not setting.low <= value <= setting.high]
        for value in wrong:
            with pytest.raises(ValueError, match=f"^{name} must ") as refused:
                tables[table].fill({name: value})
            assert not FOREIGN.search(str(refused.value)) or "rank" in name, refused.value


def test_the_library_speaks_of_keywords():
    """What the library itself calls a setting becomes the keyword in its messages."""
    names = set(foreign_names())
    assert {"rank", "seed", "select-only", "library-only", "max-missing"} <= names
    for name in names - {"rank", "seed", "lambda"}:
        said = _errors.ACROSS.translate(f"{name} must be between 0 and 1, got 2; refine cannot be used with {name}.")
        assert name not in said and said.count(name.replace("-", "_")) == 2, said
    assert _errors.ACROSS.translate("rank must be at least 1 for spa, got 0") == "n_components must be at least 1 for spa, got 0"
    assert _errors.VIDEO.translate("rank is 3, but the video has only 2 columns") == "rank is 3, but the video has only 2 pixels"
    assert _errors.ACROSS.translate("observed: it is 25 x 80, but X is 6 x 20") == "observed: it is 80 x 25, but X is 20 x 6"


ONES = np.ones(20)


@pytest.mark.parametrize("keywords, match", [
    ({"sample_weight": ONES[:3]}, "^sample_weight: the list has 3 numbers, but X has 20 samples"),
    ({"sample_weight": -ONES}, "^sample_weight: weight 0"),
    ({"sample_weight": 0 * ONES}, "^sample_weight: all weights are 0"),
    ({"sample_weight": ONES, "loss": "is"}, "^sample_weight can be used with the losses l1, .* remove the samples"),
    ({"sample_weight": ONES, "hull": "convex"}, '^sample_weight can be used with hull="cone" only; .* remove the samples'),
    ({"sample_weight": ONES, "method": "spa"}, "sample_weight and entry_weight can be used with the method xray only, .*; feature_weight"),
    ({"feature_weight": ONES[:3]}, "^feature_weight: the list has 3 numbers, but X has 6 features"),
    ({"feature_weight": 1e40 * ONES[:6], "loss": "is"}, "^feature_weight: weight 0 .* is 1e.40, but under the losses 'is'"),
    ({"feature_weight": 2 * ONES[:6], "loss": "is", "method": "spa"}, "^feature_weight: under the losses 'is'"),
    ({"entry_weight": np.ones((20, 5))}, "^entry_weight: the matrix is 20 x 5, but X is 20 x 6"),
    ({"entry_weight": np.ones((20, 6)), "observed": np.ones((20, 6))}, "observed and entry_weight cannot be .*; give entry_weight only"),
    ({"entry_weight": np.ones((20, 6)), "loss": "kl"}, "^entry_weight can be used with the losses l1, .* only; .* and feature_weight"),
    ({"observed": np.ones((3, 6))}, "^observed: the matrix is 3 x 6, but X is 20 x 6"),
    ({"observed": np.zeros((20, 6))}, "no entry of the matrix is known"),
    ({"refine": 2, "select_only": True}, "refine cannot be used with select_only"),
    ({"library_only": True}, "library_only needs a library"),
    ({"library": np.zeros((1, 6))}, "^library: component 0 is zero|^library: all components are zero"),
    ({"library": np.eye(6)[:3], "keep": (1,), "library_only": True}, "^keep cannot be used with library_only, because samples of the data"),
    ({"library": np.eye(6)[:3], "n_components": 2}, "^n_components is 2, but 3 anchors are already given"),
    ({"library": np.eye(6)[:3], "method": "spa"}, "^a library of known components can be used with the method xray only"),
    ({"keep": (1, 1)}, "^keep: sample 1 is listed twice"),
    ({"keep": (77,)}, "^keep: sample 77 does not exist; samples are numbered from 0 to 19"),
    ({"keep": (1, 2, 3), "n_components": 2}, "^keep lists 3 samples, but n_components is 2"),
    ({"keep": (77,), "method": "spa"}, "^keep must list samples between 0 and 19, got 77"),
    ({"n_components": "auto", "method": "spa"}, "^the method spa cannot choose n_components .*; give n_components of 1 or more"),
    ({"n_components": 7, "method": "spa"}, "^n_components is 7, but for this matrix the method spa can select at most 6 samples"),
])
def test_messages_of_the_library(keywords, match):
    values = {"n_components": 3, **keywords}
    with pytest.raises(ValueError, match=match) as refused:
        conehull.anchors(X, values.pop("n_components"), **values)
    assert not FOREIGN.search(str(refused.value)), refused.value


def test_a_verification_speaks_of_components_and_samples():
    found = conehull.anchors(X, 3, keep_duals=True)
    for name, place, value, match in (("components", (1, 2), 9, "^component 1 is not sample .* of X .feature 2"),
                                      ("weights", (4, 2), -1, "^weights have an entry that is .* at sample 4, component 2"),
                                      ("anchors", 0, 77, "^anchor 0 .sample 77. is not a sample of X")):
        wrong = getattr(found, name).copy()
        wrong[place] = value
        checked = conehull.verify(X, replace(found, **{name: wrong}))
        assert not checked and re.search(match, checked.why), checked.why
        assert not FOREIGN.search(checked.why), checked.why
