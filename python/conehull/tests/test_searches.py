"""Searches over the number of components."""
import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import conehull


def planted(rank, seed, noise=0.1):
    rng = np.random.RandomState(seed)
    pure = rng.gamma(1, 1, (rank, 40))
    X = np.vstack([pure, rng.dirichlet(np.ones(rank), 120 - rank) @ pure])
    return (X * (1 + noise * rng.rand(*X.shape)))[rng.permutation(120)]


@pytest.mark.parametrize("rank", [3, 6])
@pytest.mark.parametrize("how", [{}, {"scoring": conehull.relative_score}])
@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_the_elbow_is_the_planted_number(rank, how, loss):
    X = planted(rank, seed=rank)
    grid = {"n_components": list(range(1, 15))}
    found = GridSearchCV(conehull.SeparableNMF(loss=loss), grid, cv=3, refit=conehull.elbow, **how).fit(X)
    assert found.best_params_ == {"n_components": rank} and found.best_estimator_.n_components_ == rank
    assert GridSearchCV(conehull.SeparableNMF(loss=loss), grid, cv=3, **how).fit(X).best_params_["n_components"] > rank


def test_pipelines_other_parameters_and_other_estimators():
    X = planted(4, seed=1)
    pipe = make_pipeline(MaxAbsScaler(), conehull.SeparableNMF())
    grid = {"separablenmf__n_components": [8, 1, 2, 3, 4, 5, 6, 10, 12], "separablenmf__tol": [1e-6, 1e-9]}
    found = GridSearchCV(pipe, grid, cv=3, refit=conehull.elbow).fit(X)
    assert found.best_params_["separablenmf__n_components"] == 4
    same = [s for p, s in zip(found.cv_results_["params"], found.cv_results_["mean_test_score"]) if p["separablenmf__n_components"] == 4]
    assert found.cv_results_["mean_test_score"][found.best_index_] == max(same)
    other = GridSearchCV(NMF(init="nndsvda", max_iter=300), {"n_components": [1, 2, 3, 4, 5, 6, 8, 10]}, cv=3,
                         scoring=conehull.relative_score, refit=conehull.elbow).fit(X)
    assert other.best_params_ == {"n_components": 4}


def test_exact_data_have_their_rank():
    X = np.tile(planted(4, seed=2, noise=0), (3, 1))  # every fold has every anchor
    search = GridSearchCV(conehull.SeparableNMF(), {"n_components": [2, 3, 4, 5, 6]}, cv=3, refit=conehull.elbow)
    assert search.fit(X).best_params_ == {"n_components": 4}
    with pytest.warns(conehull.RankWarning, match="no elbow.*n_components=4, which was taken; offer larger numbers"):
        assert search.set_params(param_grid={"n_components": [2, 3, 4]}).fit(X).best_params_ == {"n_components": 4}


def results(numbers, scores):
    return {"param_n_components": np.ma.array(numbers, dtype=object), "mean_test_score": np.array(scores), "params": None}


def test_curves_with_a_known_answer():
    assert conehull.elbow(results([1, 2, 3, 4, 5], [-16, -4, -1, -0.9, -0.8])) == 2
    assert conehull.elbow(results([5, 4, 3, 2, 1], [-0.8, -0.9, -1, -4, -16])) == 2
    assert conehull.elbow(results([1, 2, 3, 4], [-8, -1e-3, 0, 0])) == 2
    assert conehull.elbow(results([1, 2, 3], [-1, -1, -1])) == 0
    assert conehull.elbow(results([2, 3, 4], [0, 0, 0])) == 0
    assert conehull.elbow(results([1, 2, 3, 4, 5], [0.1, 0.6, 0.95, 0.952, 0.954])) == 2


@pytest.mark.parametrize("wrong, message", [
    (results([1, 2], [-2, -1]), "at least 3 numbers of components; the search has .1, 2."),
    (results([1, 2, "auto"], [-3, -2, -1]), "n_components='auto'"),
    (results([1, 2, None], [-3, -2, -1]), "n_components=None"),
    (results([1, 2, 3], [-3, 5, 1]), "largest score is 5"),
    (results([1, 2, 3], [-3, np.nan, 1]), "some fits failed"),
    ({"param_loss": ["l1"], "mean_test_score": [1]}, "varies loss"),
    ({"param_n_components": [1, 2, 3]}, "one scoring")])
def test_other_searches_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        conehull.elbow(wrong)


def test_candidates_may_explain_little(recwarn):
    """A search tries numbers that explain little; its own warnings point to the line of the caller."""
    X = np.eye(30)[np.arange(90) % 30] + 1e-3
    GridSearchCV(conehull.SeparableNMF(), {"n_components": [1, 2]}, refit=False).fit(X)
    assert not [w for w in recwarn if "explained" in str(w.message)]
    with pytest.warns(conehull.DataWarning, match="remain unexplained"):
        GridSearchCV(conehull.SeparableNMF(), {"n_components": [1, 2]}).fit(X)  # the chosen one


def test_the_warning_of_elbow_points_to_the_caller():
    rng = np.random.RandomState(0)
    X = rng.dirichlet(np.ones(6), 120) @ rng.gamma(1, 1, (6, 30))
    with pytest.warns(conehull.RankWarning, match="no elbow") as seen:
        GridSearchCV(conehull.SeparableNMF(), {"n_components": [2, 3, 4]}, refit=conehull.elbow).fit(X)
    assert [w.filename for w in seen if "no elbow" in str(w.message)] == [__file__]
