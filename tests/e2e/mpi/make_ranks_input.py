#!/usr/bin/env python3
"""make_ranks_input.py FOLDER: matrices for ranks_same.py, with what parts of a matrix could stumble over: columns that
are copies of one in another part, zero columns, a value that needs a wider type than those of other parts, blocks that
are not full, and so few columns that some ranks have none."""

import os
import sys

import h5py
import numpy
import scipy.io
import scipy.sparse


def mixtures(random, rows, columns, rank):
    W = random.random((rows, rank))
    H = random.dirichlet(numpy.ones(rank), columns).T
    H[:, random.permutation(columns)[:rank]] = numpy.eye(rank)
    noise = numpy.maximum(0, random.laplace(0, 0.03, (rows, columns)))
    X = W @ H + noise * (random.random((rows, columns)) < 0.2)
    X[:, 17], X[:, columns - 50] = 2 * X[:, 3], 0.5 * X[:, 3]
    X[:, 300] = X[:, 299]
    X[:, 77] = 0
    return X


def counts(rows, columns):
    S = scipy.sparse.random(rows, columns, 0.06, random_state=3, format="csc")
    S.data = numpy.ceil(S.data * 9)
    S = S.tolil()
    S[:, 60], S[:, columns - 100] = S[:, 10] * 3, S[:, 10]
    S[5, columns - 50] = 300  # not a byte
    return S.tocsc()


def save_sparse(path, S, kind):
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(S, name)
        group["shape"] = numpy.array(S.shape)
        group.attrs["encoding-type"] = kind


def main(folder):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    X = mixtures(numpy.random.default_rng(7), 40, 500, 6)
    numpy.save("rows.npy", X)
    numpy.save("columns.npy", numpy.asfortranarray(X))
    numpy.save("bytes.npy", numpy.minimum(255, X * 60).astype("u1"))
    with h5py.File("dense.h5", "w") as file:
        file["X"] = X
    numpy.savetxt("few.csv", X[:, :100], delimiter=",")
    S = counts(120, 700)
    scipy.io.mmwrite("counts.mtx", S.astype(int))
    save_sparse("by_column.h5", S, "csc_matrix")
    save_sparse("by_row.h5", S.tocsr(), "csr_matrix")
    X[11, 400] = -1
    numpy.save("bad.npy", X)


if __name__ == "__main__":
    main(*sys.argv[1:])
