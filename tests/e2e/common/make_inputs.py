"""Input files of the cases:  $PYTHON $CASES/make_inputs.py NAME...  in the present folder.

Exit code 77 when a package that is needed is not here."""

import gzip
import os
import struct
import sys

try:
    import h5py
    import numpy as np
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(77)


def separable(rows=30, cols=60, rank=5, seed=1):
    """Integers up to 124, exact in every storage type. Columns 3, 13, 23, ... are the anchors; every
    other column is a sum of four anchors, two of them different at least."""
    draw = np.random.default_rng(seed)
    W = draw.integers(0, 32, (rows, rank))
    H = np.zeros((rank, cols), dtype=int)
    for j in range(cols):
        while np.count_nonzero(H[:, j]) < 2:
            H[:, j] = draw.multinomial(4, np.ones(rank) / rank)
    for k in range(rank):
        H[:, 3 + 10 * k] = 4 * (np.arange(rank) == k)
    return (W @ H).astype(float)


def small():
    """4 x 6 with the anchors 0, 2 and 5."""
    a, b, c = np.array([4, 0, 0, 1.0]), np.array([0, 5, 0, 1.0]), np.array([0, 0, 6, 2.0])
    np.save("small.npy", np.column_stack([a, (a + b) / 2, b, (b + c) / 4, (a + b + c) / 3, c]))


def formats():
    """The same matrix in every format, order and type. It has no zero rows or columns."""
    X = separable()
    np.save("f64_c.npy", X)
    np.save("f64_f.npy", np.asfortranarray(X))
    np.save("f32_c.npy", X.astype("<f4"))
    np.save("f32_f.npy", np.asfortranarray(X.astype("<f4")))
    np.save("u8.npy", X.astype("u1"))
    np.save("u16.npy", X.astype("<u2"))
    np.save("i64.npy", X.astype("<i8"))
    np.save("f64_big_endian.npy", X.astype(">f8"))
    np.savez("one.npz", X=X)
    np.savez_compressed("two.npz", other=np.ones((2, 2)), X=X)
    scipy.sparse.save_npz("sparse.npz", scipy.sparse.csc_matrix(X))
    scipy.io.mmwrite("sparse.mtx", scipy.sparse.coo_matrix(X))
    scipy.io.mmwrite("array.mtx", X)
    with open("sparse.mtx", "rb") as plain, gzip.open("sparse.mtx.gz", "wb") as packed:
        packed.write(plain.read())
    scipy.io.savemat("v5.mat", {"X": X})
    scipy.io.savemat("v7.mat", {"X": X}, do_compression=True)
    scipy.io.savemat("sparse.mat", {"X": scipy.sparse.csc_matrix(X)})
    with h5py.File("X.h5", "w") as file:
        file["X"] = X
    np.savetxt("X.csv", X, delimiter=",", fmt="%.17g")
    np.savetxt("X.tsv", X, delimiter="\t", fmt="%.17g")
    with open("header.csv", "w", encoding="utf-8") as file:
        file.write(",".join(f"c{j}" for j in range(X.shape[1])) + "\n")
        np.savetxt(file, X, delimiter=",", fmt="%.17g")
    np.save("turned.npy", X.T)


def npy_head(shape, descr="<f8"):
    text = str({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def bad():
    """One file per thing that can be wrong."""
    X = np.random.default_rng(2).integers(1, 20, (5, 8)).astype(float)
    for name, value in (("nan", np.nan), ("negative", -0.5), ("infinite", np.inf)):
        broken = X.copy()
        broken[3, 6] = value
        np.save(f"{name}.npy", broken)
        np.savetxt(f"{name}.csv", broken, delimiter=",")
    np.save("no_rows.npy", np.zeros((0, 8)))
    np.save("no_cols.npy", np.zeros((5, 0)))
    np.save("zero.npy", np.zeros((5, 8)))
    mixed = X.copy()
    mixed[:, [0, 4]] = 0
    mixed[1] = 0
    np.save("some_zero.npy", mixed)
    np.save("rank.npy", np.outer(X[:, 3], np.arange(8)))
    np.save("complex.npy", X.astype(complex))
    np.save("cube.npy", np.ones((2, 3, 4)))
    np.save("text.npy", np.array([["a", "b"], ["c", "d"]]))
    open("empty.npy", "wb").close()
    open("empty.csv", "wb").close()
    with open("truncated.npy", "wb") as file:
        file.write(npy_head((5, 8)) + X.tobytes()[:100])
    with open("absurd.npy", "wb") as file:
        file.write(npy_head((2**40, 2**40)) + X.tobytes())
    with open("large.npy", "wb") as file:
        file.write(npy_head((2**20, 2**22)) + X.tobytes())
    with open("garbage.npy", "wb") as file:
        file.write(bytes(range(256)) * 4)
    with open("garbage.mat", "wb") as file:
        file.write(bytes(range(256)) * 4)
    with open("ragged.csv", "w", encoding="utf-8") as file:
        file.write("1,2,3\n4,5\n")
    with open("words.csv", "w", encoding="utf-8") as file:
        file.write("1,2,3\n4,five,6\n")
    with open("short.mtx", "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n5 8 3\n1 1 2.0\n")
    with open("outside.mtx", "w", encoding="utf-8") as file:
        file.write("%%MatrixMarket matrix coordinate real general\n5 8 1\n6 1 2.0\n")
    with open("X.xyz", "w", encoding="utf-8") as file:
        file.write("1 2 3\n")


def noisy():
    """Not separable: the objective is not zero."""
    X = separable().astype(float) + np.random.default_rng(7).exponential(3.0, (30, 60))
    np.save("noisy.npy", X)
    np.save("part.npy", X[:, 10:25])


def long():
    """Large enough that a run at full rank takes many seconds."""
    np.save("long.npy", np.random.default_rng(3).random((2000, 3000)))


def write_picture(path, pixels):
    """PGM or PPM."""
    kind = b"P6" if pixels.ndim == 3 else b"P5"
    with open(path, "wb") as file:
        file.write(kind + b"\n%d %d\n255\n" % (pixels.shape[1], pixels.shape[0]) + pixels.tobytes())


def film():
    """film/NNN.ppm: 60 frames of 48 x 36 under two lights, one switched off in frames 24 to 41; a box
    of 6 x 8 moves by a pixel a frame. truth/NNN.pgm of every tenth. gray/NNN.pgm: the green."""
    draw = np.random.default_rng(5)
    y, x = np.mgrid[0:36, 0:48]
    day = 60 + 40 * np.sin(x / 7) * np.cos(y / 5)
    lamp = 70 * np.exp(-((x - 30) ** 2 + (y - 10) ** 2) / 500)
    for folder in ("film", "truth", "gray"):
        os.mkdir(folder)
    for f in range(60):
        scene = day + (0 if 24 <= f < 42 else lamp)
        rgb = np.stack([1.1 * scene, scene, 0.8 * scene], axis=2)
        box = np.zeros((36, 48), bool)
        box[14:22, max(f - 6, 0):max(f, 0)] = True
        rgb[box] = (230, 220, 40)
        rgb = np.clip(rgb + draw.normal(0, 2, rgb.shape), 0, 255).round().astype(np.uint8)
        write_picture(f"film/{f:03d}.ppm", rgb)
        write_picture(f"gray/{f:03d}.pgm", np.ascontiguousarray(rgb[:, :, 1]))
        if f % 10 == 5:
            write_picture(f"truth/{f:03d}.pgm", (255 * box).astype(np.uint8))


if __name__ == "__main__":
    for maker in sys.argv[1:]:
        globals()[maker]()
