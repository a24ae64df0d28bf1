"""AnnData: cells are samples, and what is found goes back into the object."""
import json
import subprocess

import numpy as np
import pytest
import scipy.sparse as sparse

import conehull
from conehull import _library
from conehull.tests import data

anndata = pytest.importorskip("anndata")
COMMAND = _library.path().parent / "conehull"


def cells(kind=np.asarray):
    X, planted = data.separable()
    made = anndata.AnnData(kind(X.astype(np.float32)), dtype=np.float32)
    made.obs_names = [f"cell {i}" for i in range(60)]
    made.var_names = [f"gene {j}" for j in range(20)]
    return made, planted


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_results_go_into_the_object(kind, tmp_path):
    adata, planted = cells(kind)
    assert conehull.annotate(adata, 4, loss="l2") is None
    written = adata.uns["conehull"]
    assert sorted(written["anchors"]) == planted.tolist()
    assert sorted(written["names"]) == sorted(f"cell {i}" for i in planted)
    weights, components = adata.obsm["X_conehull"], adata.varm["conehull"]
    assert weights.shape == (60, 4) and components.shape == (20, 4)
    X = adata.X.toarray() if sparse.issparse(adata.X) else adata.X
    np.testing.assert_allclose(weights @ components.T, X, atol=1e-5)
    assert adata.obs["conehull_anchor"].sum() == 4 and written["loss"] == "l2" and written["gap"] < 1e-8
    adata.write_h5ad(tmp_path / "out.h5ad")
    again = anndata.read_h5ad(tmp_path / "out.h5ad")
    np.testing.assert_array_equal(again.obsm["X_conehull"], weights)
    np.testing.assert_array_equal(again.uns["conehull"]["anchors"], written["anchors"])


def test_layers_copies_and_keys():
    adata, planted = cells()
    adata.layers["double"] = 2 * np.asarray(adata.X)
    other = conehull.annotate(adata, 4, layer="double", key="twice", copy=True)
    assert "twice" not in adata.uns and sorted(other.uns["twice"]["anchors"]) == planted.tolist()
    np.testing.assert_allclose(other.varm["twice"].T, 2 * np.asarray(adata.X)[other.uns["twice"]["anchors"]])
    with pytest.raises(KeyError, match="no layer 'counts'; it has 'double'"):
        conehull.annotate(adata, 4, layer="counts")
    with pytest.raises(TypeError, match="takes an AnnData object"):
        conehull.annotate(np.eye(3), 2)


def test_estimators_take_the_object():
    adata, planted = cells()
    model = conehull.SeparableNMF(4).fit(adata)
    assert sorted(model.anchors_names_) == sorted(f"cell {i}" for i in planted)
    assert model.feature_names_in_[3] == "gene 3" and model.transform(adata).shape == (60, 4)
    assert list(model.get_anchors().columns) == [f"gene {j}" for j in range(20)]
    adata.var_names = [f"other {j}" for j in range(20)]
    with pytest.raises(ValueError, match="genes"):
        model.transform(adata)
    assert list(conehull.anchors(adata, 4).feature_names[:2]) == ["other 0", "other 1"]


def test_frames_of_weights_have_the_names_of_the_cells():
    adata, _ = cells()
    for model in (conehull.SeparableNMF(4), conehull.SeparableNMF(4, refine=2, loss="l2"), conehull.MiniBatchSeparableNMF(4)):
        assert isinstance(model.fit_transform(adata), np.ndarray)
        weights = model.set_output(transform="pandas").fit_transform(adata)
        assert list(weights.index) == list(adata.obs_names) and list(model.transform(adata).index) == list(adata.obs_names)
        assert list(weights.columns) == list(model.get_feature_names_out())
        np.testing.assert_array_equal(weights, model.set_output(transform="default").transform(adata))


@pytest.mark.skipif(not COMMAND.exists(), reason="no command here")
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_the_command_takes_cells_and_writes_the_same_places(kind, tmp_path):
    adata, planted = cells(kind)
    adata.write_h5ad(tmp_path / "in.h5ad")
    run = subprocess.run([COMMAND, "anchors", tmp_path / "in.h5ad", "-r", "4", "--write-h5ad", tmp_path / "out.h5ad", "--json"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "the 60 cells (rows) are used as the data points, with 20 genes each" in run.stderr
    assert sorted(json.loads(run.stdout)["anchors"]) == planted.tolist()
    written = anndata.read_h5ad(tmp_path / "out.h5ad")
    conehull.annotate(adata, 4)
    np.testing.assert_array_equal(written.obsm["X_conehull"], adata.obsm["X_conehull"])
    np.testing.assert_array_equal(written.varm["conehull"], adata.varm["conehull"])
    assert list(written.obs_names) == list(adata.obs_names) and (written.X != adata.X).sum() == 0
    for name in ("anchors", "loss", "method", "status", "objective", "max_residual"):
        np.testing.assert_array_equal(written.uns["conehull"][name], adata.uns["conehull"][name])
