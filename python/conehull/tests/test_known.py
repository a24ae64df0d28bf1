"""Known components: rows that need not be in X, kept first or chosen from alone; and warnings of a result."""
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

from sklearn.exceptions import ConvergenceWarning

import conehull


def data(seed=0, noise=0.0):
    random = np.random.default_rng(seed)
    pure = random.uniform(0, 1, (6, 30)) ** 2
    X = random.dirichlet(np.ones(6), 80) @ pure
    X[:3] = pure[:3]
    return X + noise * random.uniform(0, 1, X.shape), pure


@pytest.mark.parametrize("hull", ["cone", "convex", "convex0"])
def test_kept_first(hull):
    X, pure = data()
    found = conehull.anchors(X, 6, library=pure[3:], hull=hull, keep_duals=True)
    assert found.anchors[:3].tolist() == [80, 81, 82] and sorted(found.anchors[3:]) == [0, 1, 2]
    assert found.sources[:3] == [("library", 0), ("library", 1), ("library", 2)]
    assert {source for source, _ in found.sources[3:]} == {"data"}
    assert np.array_equal(found.components[:3], pure[3:])
    assert np.allclose(found.weights @ found.components, X)
    assert conehull.verify(X, found) and conehull.verify(X, found, library=pure[3:])
    assert not conehull.verify(X, found, library=pure[3:] + 1e-9)


@pytest.mark.parametrize("loss", ["l1", "l2", "kl"])
def test_best_of_a_library(loss):
    X, pure = data(1)
    decoys = np.random.default_rng(5).dirichlet(np.ones(6), 10) @ pure
    library = sparse.csr_matrix(np.vstack([decoys, pure]))
    found = conehull.anchors(X, 6, loss=loss, library=library, library_only=True, keep_duals=True)
    assert sorted(found.sources) == [("library", k) for k in range(10, 16)]
    assert conehull.verify(X, found)


def test_exhausted_library_fits_as_all_of_it():
    X, pure = data(2, noise=0.1)
    library = np.vstack([pure[:4], pure[:4].mean(axis=0)])
    with pytest.warns(ConvergenceWarning, match="no other row of the library"):
        found = conehull.anchors(X, 5, loss="l2", library=library, library_only=True)
    assert len(found.anchors) == 4
    assert found.objective == pytest.approx(sum(nnls(library.T, x)[1] ** 2 for x in X), rel=1e-9)


def test_estimator_names_and_refusals():
    pandas = pytest.importorskip("pandas")
    X, pure = data(3)
    frame = pandas.DataFrame(X, index=[f"s{i}" for i in range(80)])
    known = pandas.DataFrame(pure[3:], index=["a", "b", "c"])
    model = conehull.SeparableNMF(6, library=known).fit(frame)
    assert model.anchors_names_[:3].tolist() == ["a", "b", "c"]
    assert set(model.anchors_names_[3:]) == {"s0", "s1", "s2"}
    assert np.allclose(model.transform(X) @ model.components_, X)
    with pytest.raises(ValueError, match="library has 29 features"):
        conehull.anchors(X, 6, library=pure[:, :29])
    with pytest.raises(ValueError, match="needs a library"):
        conehull.anchors(X, 6, library_only=True)
    assert "library" not in conehull.SPA().get_params()


def test_warnings_of_a_statistician():
    rows = np.eye(30) * np.arange(1, 31)
    with pytest.warns(conehull.DataWarning, match="all weights of .* samples are zero"):
        found = conehull.anchors(rows, 2, keep_duals=True)
    assert len(found.warnings) == 2 and "unexplained" in found.warnings[1]
    assert conehull.verify(rows, found)
    assert conehull.anchors(data()[0], 6).warnings == ()
