"""Keywords, defaults and help come from the library's tables."""
import inspect

import numpy as np
import pytest

import conehull
from conehull import _structs
from conehull._settings import tables

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
    ({"method": "spa", "n_components": 7}, "n_components is 7, but the matrix has only 6 features"),
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
