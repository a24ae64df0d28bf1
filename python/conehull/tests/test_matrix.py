"""Arrays as the library sees them: what is not copied, what is, and that nothing is changed."""
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import conehull
from conehull._matrix import View
from conehull._sklearn import checked
from conehull.tests import data

TYPES = [np.float64, np.float32, np.uint8, np.uint16]


def address(X):
    return X.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("samples_are_columns", [True, False])
def test_either_order_is_used_in_place(dtype, order, samples_are_columns):
    X = np.asarray(np.arange(35).reshape(5, 7), dtype=dtype, order=order)
    assert View(checked(X), samples_are_columns).matrix.values == address(X)


@pytest.mark.parametrize("cut", [np.s_[2:9], np.s_[:, 1:5], np.s_[::2], np.s_[3:8, 2:4]])
@pytest.mark.parametrize("order", "CF")
def test_cuts_that_keep_rows_or_columns_whole_are_used_in_place(cut, order):
    X = np.asarray(np.random.RandomState(0).rand(12, 8), order=order)
    part = X[cut]
    steps = [s // 8 for s in part.strides]
    assert (View(part).matrix.values == address(part)) == (1 in steps)
    same_answer(part, part.copy())


@pytest.mark.parametrize("X", [
    np.random.RandomState(0).rand(12, 8)[::-1],
    np.random.RandomState(0).rand(12, 16)[::2, ::2],
    np.random.RandomState(0).rand(1, 6),
    np.random.RandomState(0).rand(6, 1),
], ids=["reversed", "steps", "one sample", "one feature"])
def test_odd_layouts_give_the_same_answer(X):
    same_answer(X, np.array(X, order="C"))


def test_broadcast_and_unaligned_arrays():
    row = np.random.RandomState(0).rand(8)
    same_answer(np.broadcast_to(row, (3, 8)), np.tile(row, (3, 1)), rank=1)
    raw = np.zeros(12 * 8 * 8 + 1, dtype=np.uint8)
    X = raw[1:].view(np.float64).reshape(12, 8)
    X[...] = np.random.RandomState(1).rand(12, 8)
    same_answer(X, X.copy())


def same_answer(X, Y, rank=2):
    first, second = (conehull.anchors(Z, min(rank, *Z.shape)) for Z in (X, Y))
    np.testing.assert_array_equal(first.anchors, second.anchors)
    np.testing.assert_allclose(first.weights, second.weights, rtol=1e-9, atol=1e-12)


def test_read_only_and_mapped(tmp_path):
    X, planted = data.separable()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert View(checked(mapped)).matrix.values == address(mapped)
    assert sorted(conehull.anchors(mapped, 4).anchors) == planted.tolist()


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(TYPES), st.sampled_from("CF"), st.sampled_from(["dense", "csr", "csc", "coo"]),
       st.integers(0, 10**6))
def test_one_answer_whatever_the_storage(dtype, order, kind, seed):
    rng = np.random.RandomState(seed)
    values = (rng.randint(0, 4, (20, 9)) * rng.randint(1, 9, (20, 9))).astype(np.float64)
    X = np.asarray(values, dtype=dtype, order=order)
    X = X if kind == "dense" else getattr(sparse, f"{kind}_matrix")(X)
    first, second = conehull.anchors(values, 3), conehull.anchors(X, 3)
    np.testing.assert_array_equal(first.anchors, second.anchors)
    np.testing.assert_allclose(first.weights, second.weights, rtol=1e-9, atol=1e-12)


def test_csr_is_used_in_place():
    X = sparse.random(50, 30, 0.2, format="csr", random_state=0)
    matrix = View(checked(X)).matrix
    assert matrix.values == address(X.data)
    assert matrix.row_index[0] == X.indices[0]
    import ctypes
    assert ctypes.addressof(matrix.row_index.contents) == address(X.indices)


def test_unsorted_and_doubled_entries():
    X = sparse.csr_matrix((np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 2, 2]), np.array([0, 2, 4])), shape=(2, 3))
    before = X.copy()
    found = conehull.anchors(X, 2)
    np.testing.assert_array_equal(found.components[np.argsort(found.anchors)], [[2, 0, 1], [0, 0, 7]])
    np.testing.assert_array_equal(X.indices, before.indices)
    np.testing.assert_array_equal(X.data, before.data)


def test_more_features_than_indices_reach():
    X = sparse.csr_matrix((np.ones(2), np.array([0, 2**32 + 1]), np.array([0, 1, 2])), shape=(2, 2**32 + 2))
    with pytest.raises(ValueError, match="up to 2147483647 features"):
        conehull.anchors(X, 2)


@pytest.mark.parametrize("X", [
    np.array([[1, 2], [3, 4]], dtype=object), [[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], dtype=np.float16),
    np.array([[1, 2], [3, 4]], dtype=np.int8), np.array([[1, 2], [3, 4]], dtype=">f8"),
    np.ma.masked_array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]], dtype=np.longdouble),
], ids=["objects", "lists", "float16", "int8", "big-endian", "masked array", "long double"])
def test_other_numbers(X):
    found = conehull.SeparableNMF(2).fit(X)
    assert sorted(map(list, found.components_)) == [[1, 2], [3, 4]]
    assert sorted(map(list, conehull.anchors(X, 2).components)) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("X, match", [
    (np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]]), "masked"),
    (np.array([["a", "b"]], dtype=object), "could not convert|must be"),
    (np.ones(3), "Expected 2D array"),
    (np.ones((0, 3)), "0 sample"),
    (np.ones((3, 0)), "0 feature"),
    (np.ones((2, 2, 2)), "dim 3"),
    (np.array([[1 + 2j]]), "[Cc]omplex"),
    (np.array([[1, -2], [3, 4]]), "sample 0, feature 1 is negative, -2,"),
    (np.zeros((3, 3)), "zero"),
])
def test_what_is_no_data_is_refused(X, match):
    with pytest.raises(ValueError, match=match):
        conehull.SeparableNMF(1).fit(X)
    with pytest.raises(ValueError, match=match):
        conehull.anchors(X, 1)


def test_long_indices():
    X = sparse.random(40, 25, 0.3, format="csr", random_state=0)
    longer = X.copy()
    longer.indices, longer.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    np.testing.assert_array_equal(conehull.anchors(X, 3).weights, conehull.anchors(longer, 3).weights)


@pytest.mark.parametrize("kind", ["C", "F", "csr", "csc", "frame"])
def test_inputs_are_never_changed(kind):
    X, _ = data.separable()
    if kind in "CF":
        X = np.asarray(X, order=kind)
        X.flags.writeable = False
        conehull.SeparableNMF(4).fit_transform(X)
        conehull.robust_pca(X)
        return
    if kind == "frame":
        pandas = pytest.importorskip("pandas")
        X = pandas.DataFrame(X)
        before = X.copy()
        conehull.SeparableNMF(4).fit_transform(X)
        pandas.testing.assert_frame_equal(X, before)
        return
    X = getattr(sparse, f"{kind}_matrix")(X)
    before = X.copy()
    conehull.SeparableNMF(4).fit_transform(X)
    assert (X != before).nnz == 0


@pytest.mark.parametrize("method", ["anchors", "robust_pca"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_bad_values_are_refused_by_place(method, value, kind):
    X = np.ones((6, 4))
    X[4, 2] = value
    X = X if kind == "dense" else sparse.csr_matrix(X)
    with pytest.raises(ValueError, match=r"sample 4, feature 2"):
        getattr(conehull, method)(X)


def test_negative_values_are_refused_by_place():
    X = np.ones((6, 4))
    X[4, 2] = -1.5
    with pytest.raises(ValueError, match=r"sample 4, feature 2 is negative, -1.5,"):
        conehull.SeparableNMF(2).fit(X)
    assert conehull.robust_pca(X).status == "done"
