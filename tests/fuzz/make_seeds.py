#!/usr/bin/python3
"""Writes the seeds of the fuzz targets: tests/fuzz/make_seeds.py [FOLDER] (default: seeds beside it).

Small files of every kind that a target reads, in the layout that fuzz_*.c says; the same bytes each
time, so that running it again changes nothing. Needs NumPy, SciPy and h5py.
"""
import gzip
import io
import os
import struct
import sys
import tempfile
import zlib

import h5py
import numpy as np
import scipy.io
import scipy.sparse

to = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "seeds")
X = np.array([[1.0, 0, 2.5], [0, 3, 1], [4, 0, 0.125], [1, 1, 1]])
S = scipy.sparse.csc_matrix(X)


def seed(target, name, data):
    os.makedirs(os.path.join(to, target), exist_ok=True)
    with open(os.path.join(to, target, name), "wb") as file:
        file.write(data)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def written(suffix, write):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x" + suffix)
        write(path)
        with open(path, "rb") as file:
            return file.read()


def stretch(data):
    return struct.pack("<H", len(data)) + data


def readers():
    arrays = {"f8": X, "f4_fortran": np.asfortranarray(X.astype("f4")), "u1": X.astype("u1"), "u2": X.astype("u2"),
              "big_i4": X.astype(">i4"), "bool": X > 1, "line": X[0], "empty": np.zeros((0, 3)), "i8": X.astype("i8")}
    for name, array in arrays.items():
        seed("npy", name, b"\0" + npy(array))
    seed("npy", "version_2", b"\0" + npy(X).replace(b"NUMPY\x01\x00\x76\x00", b"NUMPY\x02\x00\x74\x00\x00\x00", 1))
    coordinate = b"%%MatrixMarket matrix coordinate real general\n% a note\n3 4 3\n1 1 2.5\n3 4 1e-3\n2 2 7\n"
    texts = {
        "coordinate": coordinate,
        "symmetric": b"%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 300\n3 1 2\n2 1 4\n",
        "pattern": b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n",
        "array": b"%%MatrixMarket matrix array real general\n2 2\n1\n0.5\n3\n4\n",
    }
    for name, text in texts.items():
        seed("mtx", name, b"\0" + text)
    seed("mtx", "packed", b"\1" + gzip.compress(coordinate, mtime=0))
    tables = {
        "plain": b"1,0,2.5\n0,3,1\n4,0,0.125\n",
        "names": b"id,a,b\nr1,1,2\nr2,3,4\n",
        "quotes": b'"x ""y""";"b"\r\n"1";2\r\n3;4e-2\r\n',
        "white": b"  1 2   3\n4 5 6\n",
        "mark": b"\xef\xbb\xbf1,2\n3,4\n",
        "long_header": b"food,a,b,c,\nx,1,2,3\ny,2,1,5\n",
        "short_header": b"food,a\nx,1,2,3\ny,2,1,5\n",
        "trailing": b"food,a,b,,\nx,1,2,,\ny,2,1,,\n",
    }
    for name, text in tables.items():
        seed("csv", name, b"\0" + text)
    # the bits of b / 8: 1 a column of names, 2 columns to leave out, 4 unknown values, 8 decimal commas
    seed("csv", "index", bytes([8]) + b"id\0x,id,y\n1,17,2\n3,5,4\n")
    seed("csv", "drop", bytes([16]) + b"id,4\0food,id,a,note\nx,1,2,z\ny,2,1,z\n")
    seed("csv", "both", bytes([8 * 7]) + b"1\0x\0id,x,y,z\n1,w,NA,2\n2,w,3,\n")
    seed("csv", "commas", bytes([8 * 12]) + b"sep=;\nx;y\n1.139,5;NA\n-,25;4\n")
    seed("csv", "utf16", b"\0" + "\ufeffx\ty\n1\t2\n3\t4\n".encode("utf-16-le"))
    seed("csv", "utf16_big", b"\0" + "\ufeffx;\U0001d11e\n1;2\n3;4\n".encode("utf-16-be"))
    seed("csv", "tabs", b"\1" + b"1\t2\n\n3\tnan\n")
    seed("csv", "packed", b"\2" + gzip.compress(tables["plain"], mtime=0))


def archives():
    for name, array in {"dense": X, "u1": X.astype("u1")}.items():
        seed("npz", name, bytes([1, 7, 255]) + stretch(npy(array)))
    parts = {"data": (0, S.data.astype("f8")), "indices": (1, S.indices.astype("i4")),
             "indptr": (2, S.indptr.astype("i4")), "shape": (3, np.array(S.shape, "i8"))}
    members = b"".join(bytes([place, 255]) + stretch(npy(array)) for place, array in parts.values())
    seed("npz", "csc", bytes([5]) + members + bytes([4, 255]) + stretch(npy(np.array(b"csc"))))
    seed("npz", "csr", bytes([5]) + members + bytes([4, 255]) + stretch(npy(np.array(b"csr"))))
    # the short form: an array of the type that the byte names
    seed("npz", "short", bytes([5, 0, 0]) + stretch(X[0].tobytes()) + bytes([1, 1]) + stretch(np.arange(3, dtype="i4").tobytes())
         + bytes([2, 1]) + stretch(np.array([0, 1, 3], "i4").tobytes()) + bytes([3, 2]) + stretch(np.array([3, 2], "i8").tobytes())
         + bytes([4, 21]) + stretch(b"csc"))
    coo = S.tocoo()
    rows = {5: coo.row.astype("i4"), 6: coo.col.astype("i4"), 0: coo.data, 3: np.array(S.shape, "i8"), 4: np.array(b"coo")}
    seed("npz", "coo", bytes([5]) + b"".join(bytes([p, 255]) + stretch(npy(a)) for p, a in rows.items()))
    seed("zip", "csr", b"\0" + written(".npz", lambda p: scipy.sparse.save_npz(p, S.tocsr())))
    stored = written(".npz", lambda p: np.savez(p, X=X, Y=X[:2]))
    seed("zip", "stored", b"\0" + written(".npz", lambda p: np.savez(p, X=X)))
    seed("zip", "asked", bytes([3]) + stored)  # X, turned
    seed("zip", "named", bytes([4]) + b"Y\0" + stored)
    seed("npz", "asked", bytes([7 * 5 + 2, 7, 255]) + stretch(npy(X)) + bytes([0, 255]) + stretch(npy(X[:1])))  # X of two, turned


def others():
    seed("mat", "v5", b"\0" + written(".mat", lambda p: scipy.io.savemat(p, {"X": X})))
    seed("mat", "v5_sparse", b"\0" + written(".mat", lambda p: scipy.io.savemat(p, {"X": S})))
    seed("mat", "v5_packed", b"\0" + written(".mat", lambda p: scipy.io.savemat(p, {"X": X.astype("u1")}, do_compression=True)))
    seed("mat", "v4", b"\0" + written(".mat", lambda p: scipy.io.savemat(p, {"X": X}, format="4")))
    seed("mat", "asked", bytes([3]) + written(".mat", lambda p: scipy.io.savemat(p, {"X": X, "Y": S})))  # X, turned
    seed("mat", "named", bytes([4]) + b"Y\0" + written(".mat", lambda p: scipy.io.savemat(p, {"X": X, "Y": S})))
    for name in os.listdir(os.path.join(to, "mat")):  # SciPy writes the date into the head
        path = os.path.join(to, "mat", name)
        with open(path, "r+b") as file:
            place = file.read(9).find(b"MATLAB")
            if place > 0:
                file.seek(place)
                file.write(b"MATLAB 5.0 MAT-file".ljust(116))

    def dense(path):
        with h5py.File(path, "w", libver="latest") as file:
            file.create_dataset("X", data=X, track_times=False)

    def packed(path):
        with h5py.File(path, "w") as file:
            file.create_dataset("X", data=X, chunks=(2, 2), compression="gzip", track_times=False)

    def full_73(path):
        with h5py.File(path, "w", userblock_size=512) as file:
            file["X"] = X.T

    def sparse_73(path):
        with h5py.File(path, "w", userblock_size=512) as file:
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(S.shape[0])
            group["data"], group["ir"], group["jc"] = S.data, S.indices, S.indptr

    for name, fill in {"v73": full_73, "v73_sparse": sparse_73}.items():
        data = b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM" + written(".mat", fill)[128:]
        seed("h5", name, b"\1" + data)
        seed("h5", f"{name}_asked", bytes([1 + 2 + 4]) + data)  # X, turned
        seed("h5", f"{name}_named", bytes([1 + 8]) + b"X\0" + data)
    # a scratch file, under a limit of 256 bytes; then turned, X asked for
    seed("h5", "scratch", bytes([16, 15]) + written(".h5", packed))
    seed("h5", "scratch_turned", bytes([2 + 4 + 16, 15]) + written(".h5", packed))
    seed("h5", "dense", b"\0" + written(".h5", dense))
    seed("h5", "packed", b"\0" + written(".h5", packed))
    seed("hdf5", "dense", bytes([0, 0, 0x08, 0x1A]) + bytes(range(20)))
    seed("hdf5", "packed", bytes([0, 0, 0x18, 0x1A]) + bytes(range(20)))
    numbers = [bytes([0, 3]) + bytes([1, 2, 3]).ljust(64, b"\0"), bytes([1, 3]) + bytes([0, 1, 0]).ljust(64, b"\0"),
               bytes([2, 3]) + bytes([0, 2, 3]).ljust(64, b"\0")]
    seed("hdf5", "sparse", bytes([1, 0x0B]) + b"".join(numbers) + bytes([0, 2, 2]))
    seed("hdf5", "by_row", bytes([1, 0x1B]) + b"".join(numbers) + bytes([0, 2, 2]))
    seed("hdf5", "turned", bytes([4 + 1, 0x0B]) + b"".join(numbers) + bytes([0, 2, 2]))
    seed("hdf5", "scratch", bytes([8 + 2, 100, 0, 0x18, 0x3F]) + bytes(range(64)))  # 8 x 8 under 1616 bytes
    seed("hdf5", "scratch_turned", bytes([8 + 4, 100, 0, 0x18, 0x3F]) + bytes(range(64)))
    # MATLAB 7.3: full with a class, sparse with rows, without entries, and with a part elsewhere
    seed("hdf5", "matlab", bytes([16, 0x10, 0x08, 0x1A]) + bytes(range(64)) + bytes([0]))
    seed("hdf5", "matlab_empty", bytes([16 + 2, 0x10, 0x08, 0x09]) + bytes(range(64)) + bytes([16, 0, 0]))
    seed("hdf5", "matlab_sparse", bytes([16, 0x0B]) + b"".join(numbers) + bytes([0, 3, 8]))
    seed("hdf5", "matlab_asked", bytes([16 + 4 + 1, 0x2B]) + b"".join(numbers) + bytes([0, 3, 0]) + bytes([0x08, 0x1A]) + bytes(range(64)))
    seed("hdf5", "matlab_zeros", bytes([16, 0x07]) + bytes([2, 3]) + bytes(64) + bytes([0, 3]))
    for how, name in enumerate(("link", "soft", "storage", "virtual")):
        seed("hdf5", f"{name}_away", bytes([0, 0x80, 0x08, 0x1A]) + bytes(range(64)) + bytes([how | 4]))
        seed("hdf5", f"{name}_part", bytes([1, 0x4B]) + b"".join(numbers) + bytes([0, 2, 2, how]))
        seed("hdf5", f"{name}_matlab", bytes([16, 0x4B]) + b"".join(numbers) + bytes([0, 3, how | 8, 0]))
    for kind in range(5):
        seed("checkpoint", f"whole_{kind}", bytes([2 * kind]))
        seed("checkpoint", f"changed_{kind}", bytes([2 * kind, 0, 1, 0, 8, 200, 1, 2, 0, 16, 3, 2, 3, 0, 9, 0]))
    # the state of a stream is record 1; numbers that no stream has, by their place in it: seen, kept, limit, the first number and value
    for name, place, number in (("seen", 40, 3), ("kept", 56, 0), ("limit", 112, 0), ("number", 120, 1), ("value", 160, 4)):
        seed("checkpoint", f"stream_{name}", bytes([8, 1, 1, place >> 8, place & 255, number]))
    for version, name in ((2, "mark"), (1, "version_1")):
        seed("checkpoint", name, b"\1" + b"conehull checkpoint %d\n\0\0" % version + struct.pack("<qq", 1, 8) + b"x" * 16)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, extra=b"", interlace=0):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    data = b"".join(b"\0" + row for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def bmp(width, height, bits, rows, palette=b""):
    """Rows from the bottom up, or with a negative height from the top down, padded to 4 bytes."""
    data = b"".join(row + bytes(-len(row) % 4) for row in rows)
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(data), 0, 0, len(palette) // 4, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(palette) + len(data), 0, 0, 54 + len(palette)) + head + palette + data


def pictures():
    gray = png(3, 2, 8, 0, [b"\0\x80\xff", b"\1\2\3"])
    kinds = {
        "gray": gray, "rgb": png(1, 2, 8, 2, [b"\1\2\3", b"\4\5\6"]), "deep": png(1, 1, 16, 0, [b"\x12\x34"]),
        "bits": png(9, 1, 1, 0, [b"\xaa\x80"]), "alpha": png(1, 1, 8, 6, [b"\1\2\3\x80"]),
        "palette": png(2, 1, 8, 3, [b"\0\1"], chunk(b"PLTE", b"\0\0\0\xff\x80\0")),
        "laced": png(2, 2, 8, 0, [b"\1", b"\2", b"\3\4"], interlace=1),
    }
    for name, data in kinds.items():
        seed("picture", name, b"\0" + data)
    regions = {  # ROI.bmp of the CDnet benchmark is of the first kind
        "bmp_palette": bmp(3, 2, 8, [b"\0\1\0", b"\1\1\0"], b"\0\0\0\0\xff\xff\xff\0"),
        "bmp_gray": bmp(5, 1, 8, [b"\0\x40\x80\xc0\xff"], b"".join(bytes([k, k, k, 0]) for k in range(256))),
        "bmp_24": bmp(2, 2, 24, [b"\1\2\3\4\5\6", b"\7\x08\x09\x0a\x0b\x0c"]), "bmp_32_down": bmp(1, -2, 32, [b"\1\2\3\0", b"\4\5\6\0"]),
        "bmp_outside": bmp(2, 1, 8, [b"\x09\x01"], b"\0\0\0\0\xff\xff\xff\0"), "bmp_wide": bmp(1 << 30, 1, 8, [b"\0"]), "bmp_short": b"BM",
        "bmp_lowest": bmp(1, -(1 << 31), 24, [b"\1\2\3"]), "bmp_packed": bmp(2, 1, 4, [b"\x10"], bytes(64)),
    }
    for name, data in regions.items():
        seed("picture", name, b"\0" + data)
    maps = {"p5": b"P5 3 2 255\n\0\x80\xff\1\2\3", "p2": b"P2\n# a note\n2 1\n15\n0 15\n", "p4": b"P4 9 1\n\xaa\x80",
            "p6": b"P6 1 1 65535\n\0\1\2\3\4\5", "p1": b"P1 2 2 0110", "p3": b"P3 1 1 7 1 2 3"}
    for name, data in maps.items():
        seed("picture", name, b"\2" + data)
    seed("masks", "two_png", bytes([127]) + gray + gray)
    seed("masks", "one_png", bytes([255]) + gray)
    seed("masks", "two_pgm", bytes([128]) + maps["p5"] + maps["p5"])


def words():
    seed("corpus", "plain", b"\x04\x00one fish two fish\nred fish, blue-fish 7\n")
    seed("corpus", "letters", "\x00\x10Žluťoučký kůň\nstraße ÉTÉ\n".encode())
    seed("corpus", "latin", b"\x01\x20caf\xe9 na\xefve\n\nend\n")
    seed("labels", "three", b"a\nb\na\nc\n")
    seed("labels", "odd", b"a\r\n\n\xff\xfe\nno end")
    model = [np.array(1), np.array(0), np.array(2), np.array(1), np.array(0), np.array([1]), np.asfortranarray(X[:1, :2]), X[0, :2].copy()]
    seed("model", "gray", b"".join(stretch(npy(a)) for a in model))
    colour = model[:4] + [np.array(1)] + model[5:] + 3 * [np.asfortranarray(X[1:2, :2])]
    seed("model", "colour", b"".join(stretch(npy(a)) for a in colour))
    text = (b'{"settings":{"rank":1,"loss":"l1","method":"xray","tol":1e-9},"anchors":[1],"keep":[],"shape":[2,2],'
            b'"objective":0.5,"max_residual":[0.5],"floor":0}')
    parts = [text, b"1\n", npy(np.array([[2.0], [1]])), npy(np.asfortranarray([[0.5, 1.0]])), npy(np.array([1])),
             npy(np.array([1])), npy(np.asfortranarray([[1.0], [-1]])), npy(np.array(5)), npy(np.array([0, 1, 1])),
             npy(np.array([0], "i4")), npy(np.array([0.5]))]
    seed("result", "l1", b"\0" + b"".join(stretch(p) for p in parts))
    seed("result", "select_only", b"\0" + b"".join(stretch(p) for p in [text.replace(b'"tol"', b'"select-only":true,"tol"')] + parts[1:]))
    seed("result", "cone", b"\1" + b"".join(stretch(p) for p in parts))


def tiff(pages, big=False, **more):
    """Pages are lines x samples x bands, as one strip, one strip per plane (planar=2) or tiles of 16 x 16 (tiled=True)."""
    order, data, at = "><"[not big], b"", []
    kinds = {"u": 1, "i": 2, "f": 3}
    out = (b"MM\0*" if big else b"II*\0") + struct.pack(order + "I", 8)
    for number, array in enumerate(pages):
        lines, samples, bands = array.shape
        planar, tiled = more.get("planar", 1), more.get("tiled", False)
        planes = [array] if planar == 1 else [array[:, :, b:b + 1] for b in range(bands)]
        if tiled:
            planes = [np.pad(plane, ((0, 16 - lines), (0, 16 - samples), (0, 0))) for plane in planes]
        pieces = [plane.astype(array.dtype.newbyteorder(order)).tobytes() for plane in planes]
        if more.get("packed"):
            pieces = [zlib.compress(piece) for piece in pieces]
        tags = [(256, [samples]), (257, [lines]), (258, [8 * array.itemsize] * bands), (259, [8 if more.get("packed") else 1]), (262, [1])]
        tags += [(322, [16]), (323, [16])] if tiled else [(278, [lines])]
        tags += [(277, [bands]), (284, [planar]), (339, [kinds[array.dtype.kind]] * bands)]
        begin = len(out)
        marks = {tag: (kind, count, b"".join(struct.pack(order + letter, v) for v in values) if letter else values)
                 for tag, kind, letter, count, values in more.get("marks", ())}
        body = begin + 2 + 12 * (len(tags) + 2 + len(marks)) + 4
        extra, entries = b"", []
        where = sum(2 * len(v) for _, v in tags if len(v) > 2) + 8 * len(pieces) + sum(len(raw) for _, _, raw in marks.values())
        starts = [body + where + sum(map(len, pieces[:k])) for k in range(len(pieces))]
        wide = {(324 if tiled else 273): starts, (325 if tiled else 279): [len(piece) for piece in pieces]}
        for tag, values in sorted([(t, v) for t, v in tags] + list(wide.items()) + [(t, []) for t in marks]):
            kind, letter = (4, "I") if tag in wide else (3, "H")
            count, raw = len(values), struct.pack(order + letter * len(values), *values)
            kind, count, raw = marks.get(tag, (kind, count, raw))
            if len(raw) <= 4:
                value = raw.ljust(4, b"\0")
            else:
                value = struct.pack(order + "I", body + len(extra))
                extra += raw
            entries.append(struct.pack(order + "HHI", tag, kind, count) + value)
        extra = extra.ljust(where, b"\0")
        end = body + len(extra) + sum(map(len, pieces))
        following = end if number + 1 < len(pages) else 0
        out += struct.pack(order + "H", len(entries)) + b"".join(entries) + struct.pack(order + "I", following) + extra + b"".join(pieces)
    return out


def cubes():
    C = np.arange(24.0).reshape(2, 3, 4)
    place = [(33550, 12, "d", 3, (30, 30, 0)), (33922, 12, "d", 6, (0, 0, 0, 6e5, 4e6, 0)), (42113, 2, "", 6, b"-9999\0")]
    wrong = [(33550, 3, "H", 3, (30, 30, 0)), (33922, 12, "d", 1, (0,)), (42113, 12, "d", 1, (-9999.0,))]
    keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32613)  # GeoTIFF: projected, pixels are points, UTM 13 N
    system = place + [(34735, 3, "H", len(keys), keys)]
    turned = [(34264, 12, "d", 16, (30, 3, 0, 6e5, 3, -30, 0, 4e6) + 8 * (0,)), (34735, 3, "H", 5, (1, 1, 0, 9, 1024))]
    kinds = {"plain": tiff([C.astype("u2")]), "big": tiff([C.astype("f4")], big=True), "planes": tiff([C.astype("i2")], planar=2),
             "tiles": tiff([C.astype("u1")], tiled=True), "tiled_planes": tiff([C.astype("u1")], tiled=True, planar=2),
             "packed": tiff([C], packed=True), "pages": tiff([C[:, :, b:b + 1].astype("u1") for b in range(4)]),
             "geo": tiff([C.astype("i2")], marks=place), "geo_wrong": tiff([C.astype("i2")], marks=wrong),
             "geo_system": tiff([C.astype("i2")], marks=system), "geo_turned": tiff([C.astype("i2")], marks=turned)}
    for n, (name, data) in enumerate(kinds.items()):
        seed("tiff", name, bytes([n, 255]) + data)
    head = "ENVI\nsamples = {}\nlines = {}\nbands = {}\ndata type = {}\ninterleave = {}\nbyte order = {}\n"
    more = ("description = {\n a scene}\nwavelength units = nm\nwavelength = {1, 2.5,\n 3e2}\nbbl = {1, 0, 1}\nfwhm = {1,1,1}\n"
            "band names = {a, b c, d}\nmap info = {UTM, 1, 1, 600000, 4000000, 30, 30, 13, North}\ndata ignore value = -9999\n")
    codes = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 12: 2, 13: 4, 14: 8, 15: 8}
    for n, (code, size) in enumerate(codes.items()):
        for k, order in enumerate(("bsq", "bil", "bip")):
            ways = (n + k) % 16
            seed("envi", f"{order}_{code}", bytes([ways, 36 * size % 256, 255]) + head.format(4, 3, 3, code, order, n % 2).encode()
                 + (more.encode() if n == k else b""))
    seed("envi", "offset", bytes([0x10, 20, 9]) + head.format(2, 2, 2, 4, "bil", 0).encode() + b"header offset = 8\n; a note = {\n")
    seed("envi", "scaled", bytes([0x20, 32, 9]) + head.format(2, 2, 2, 4, "bip", 0).encode() + b"reflectance scale factor = 1e4\n"
         + b"coordinate system string = {" + b"GEOGCS[" * 50 + b"}\n")
    seed("envi", "library", bytes([0x80, 24, 9]) + head.format(3, 2, 1, 4, "bsq", 0).encode()
         + b"file type = ENVI Spectral Library\nspectra names = {a, b}\nwavelength = {1,2,3}\n")
    C = np.arange(24.0).reshape(2, 3, 4)
    arrays = {"c": C, "fortran": np.asfortranarray(C.astype("f4")), "i2": C.astype("i2"), "big": C.astype(">u2"), "matrix": X}
    for n, (name, array) in enumerate(arrays.items()):
        seed("cube", name, bytes([n, 200]) + npy(array))
    Y = C.reshape(6, 4, order="F").T
    mats = {"field": {"Y": Y, "nRow": 2, "nCol": 3, "wavelength": np.arange(4.0)}, "scene": {"scene": C},
            "turned": {"V": Y.T, "A": C[:, :, :2]}}
    for n, (name, variables) in enumerate(mats.items()):
        for packed in False, True:
            data = written(".mat", lambda path: scipy.io.savemat(path, variables, do_compression=packed))
            data = b"MATLAB 5.0 MAT-file".ljust(116) + data[116:]  # without the time
            seed("cube", name + "_packed" * packed, bytes([0x80 + n, 200]) + data)


def problems():
    random = np.random.default_rng(1)
    for n in range(4):
        draws = random.integers(0, 256, 70, dtype="u1").tobytes()
        for target in "l1", "l2", "divergence":
            seed(target, f"draw_{n}", bytes([n, 8 * n + 7, 2 + n]) + draws)
        seed("select", f"draw_{n}", bytes([n, 40 * n, 5, 9]) + draws * 2)
    seed("l1", "ties", bytes([9, 2] + [1, 1, 1, 0, 2] * 4))
    seed("select", "copies", bytes([0, 8, 3, 9, 1, 7, 1, 0, 0, 7, 0, 1, 0, 7, 0, 0, 1] + [0] * 6))


for part in readers, archives, others, pictures, words, cubes, problems:
    part()
