"""Bad inputs, what conehull says about each, and its exit code.

    bad_inputs.py [--rewrite] [--no-limit] PROGRAM TABLE.md

Every row of the table is made here, run here and checked here: the exit code, that nothing came on
stdout, that the message has the words that matter, that no output is left, and that the program
stayed below MEMORY however much a file promises (an address space limit, unless --no-limit: the
address sanitizer needs more than there is). The page must be what the rows give; --rewrite stores it.
Exit code 77 when a package that is needed is not here."""

import gzip
import io
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile
import zlib

try:
    import h5py
    import numpy as np
    import scipy.io
    import scipy.sparse
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(77)

MEMORY = 2 << 30  # bytes of address space; what a file of a hundred bytes must never exceed
X = np.random.default_rng(2).integers(1, 20, (5, 8)).astype(float)
ANCHORS = "anchors {} -r 2"
CAPTION = "Each row shows a command with a bad input or setting, its exit code and its message:"


def npy(array=None, **head):
    """The bytes of an .npy file; head replaces entries of its header."""
    array = X if array is None else np.asarray(array)
    fields = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
    fields.update(head)
    text = str(fields).encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.tobytes()


def changed(value):
    Y = X.copy()
    Y[3, 6] = value
    return Y


def csv(array):
    return "\n".join(",".join(repr(float(v)) for v in row) for row in array) + "\n"


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def zipped_twice():
    """Two members of one name: numpy takes the last, others the first."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("X.npy", npy())
        archive.writestr("X.npy", npy(2 * X))
    return file.getvalue()


def sparse(**parts):
    S = scipy.sparse.csc_matrix(X)
    arrays = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape), "format": np.array(b"csc")}
    arrays.update(parts)
    return zipped(**{name: npy(array) for name, array in arrays.items() if array is not None})


def pairs(rows, cols):
    one = np.array([1], "i4")
    return zipped(**{name: npy(array) for name, array in {"row": one, "col": one, "data": one * 1.0, "format": np.array(b"coo"),
                                                          "shape": np.array([rows, cols])}.items()})


def mat(**variables):
    file = io.BytesIO()
    scipy.io.savemat(file, variables)
    return file.getvalue()


def hdf5(fill):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.h5")
        with h5py.File(path, "w") as file:
            fill(file)
        with open(path, "rb") as file:
            return file.read()


def mat73(fill):
    """MATLAB 7.3: HDF5 behind a head of 512 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.mat")
        with h5py.File(path, "w", userblock_size=512) as file:
            fill(file)
        with open(path, "rb") as file:
            return b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM" + file.read()[128:]


def stored_elsewhere(file):
    file.create_dataset("X", shape=(8, 4), dtype="u1", external=[("/etc/passwd", 0, 32)])


def linked_elsewhere(file):
    file["X"] = h5py.ExternalLink("/etc/passwd", "/X")


def linked_twice(file):
    file["X"] = h5py.SoftLink("/inner/X")
    file["inner"] = h5py.ExternalLink("/etc/passwd", "/")


def virtual_set(file):
    layout = h5py.VirtualLayout(shape=(5, 8), dtype="f8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "X", shape=(5, 8))
    file.create_virtual_dataset("X", layout)


def part_elsewhere(file):
    sparse_group(file)
    del file["X/data"]
    file["X/data"] = h5py.ExternalLink("/etc/passwd", "/data")


def sparse_group(file, shape=(5, 8), **parts):
    S = scipy.sparse.csc_matrix(X)
    group = file.create_group("X")
    if shape:
        group.attrs["shape"] = shape
    for name, array in {"data": S.data, "indices": S.indices, "indptr": S.indptr, **parts}.items():
        group[name] = array


def record_set(file):
    file["X"] = np.zeros(4, dtype=[("a", "f8"), ("b", "i4")])


def empty_chunks(file):
    """256 million values, of which one was written."""
    file.create_dataset("X", shape=(16000, 16000), dtype="f8", chunks=(100, 100), compression="gzip")[0, 0] = 1


def promised_set(file):
    file.create_dataset("X", shape=(1 << 20, 1 << 14), dtype="f8")


def wide_group(file):
    sparse_group(file, shape=(5, 1 << 60))


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(width) for _ in range(min(height, 4)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def mask_folder(**files):
    def make(path):
        os.mkdir(path)
        for name, data in files.items():
            with open(os.path.join(path, name[1:] + ".png"), "wb") as file:
                file.write(data)
    return make


def sequence(region, stretch=b"1 4\n"):
    """The layout of the CDnet benchmark, with this ROI.bmp."""
    def make_sequence(path):
        os.makedirs(f"{path}/input")
        os.mkdir(f"{path}/groundtruth")
        for f in range(1, 5):
            make(f"{path}/input/in{f:06d}.pgm", b"P5\n4 3\n255\n" + bytes((7 * f + p) % 256 for p in range(12)))
            make(f"{path}/groundtruth/gt{f:06d}.png", png(4, 3))
        make(f"{path}/ROI.bmp", region)
        make(f"{path}/temporalROI.txt", stretch)
    return make_sequence


def bmp(width, height, bits):
    """A picture whose pixels are missing."""
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, 0, 0, 0, 0, 0)


def two_films(path):
    os.mkdir(path)
    film(f"{path}/a")
    os.mkdir(f"{path}/b")
    make(f"{path}/b/0.pgm", b"P5\n2 2\n255\n" + bytes(4))


def result_folder(**files):
    """A folder of `anchors -o`, some of its files replaced; None removes one."""
    def make(path):
        subprocess.run([PROGRAM, "anchors", "good.npy", "-r", "2", "--quiet", "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
        for name, data in files.items():
            file = os.path.join(path, name.replace("_", "."))
            os.remove(file)
            if data is not None:
                with open(file, "wb") as stream:
                    stream.write(data)
    return make


def film(path):
    os.mkdir(path)
    for f in range(4):
        make(f"{path}/{f}.pgm", b"P5\n4 3\n255\n" + bytes((7 * f + p) % 256 for p in range(12)))


def envi(values=X.astype("<f4"), **fields):
    """A header, and values beside it; an underscore in a key is a blank, None leaves a key out."""
    head = {"samples": 8, "lines": 1, "bands": 5, "data_type": 4, "interleave": "bsq", "byte_order": 0, **fields}
    text = "ENVI\n" + "".join(f"{key.replace('_', ' ')} = {value}\n" for key, value in head.items() if value is not None)

    def write(path):
        make(path, text)
        if values is not None:
            make(path.replace(".hdr", ".img"), values.tobytes())
    return write


MTX = "%%MatrixMarket matrix coordinate real general\n"
NOISE = "%" + np.random.default_rng(3).bytes(1 << 20).hex() + "\n"  # so long that 300 million entries could be packed into it
PROMISE = struct.pack("<5i", 0, 1 << 20, 1 << 14, 0, 2) + b"X\0"

# part of the page, name of the file, its contents, exit code, words of the message, command (else ANCHORS)
ROWS = [
    ("NumPy .npy", "nan.npy", npy(changed(np.nan)), 2, "row 3, column 6"),
    ("NumPy .npy", "negative.npy", npy(changed(-0.5)), 2, "row 3, column 6 (counted from 0) is negative, -0.5"),
    ("NumPy .npy", "infinite.npy", npy(changed(np.inf)), 2, "row 3, column 6"),
    ("NumPy .npy", "largest.npy", npy(changed(1.7e308)), 2, ""),
    ("NumPy .npy", "no_rows.npy", npy(np.zeros((0, 8))), 2, "0 rows and 8 columns"),
    ("NumPy .npy", "no_columns.npy", npy(np.zeros((5, 0))), 2, "5 rows and 0 columns"),
    ("NumPy .npy", "zero.npy", npy(np.zeros((5, 8))), 2, "all 8 columns of the matrix are zero"),
    ("NumPy .npy", "complex.npy", npy(X + 1j), 2, "complex"),
    ("NumPy .npy", "cube.npy", npy(np.ones((2, 2, 2))), 2, "3 dimensions"),
    ("NumPy .npy", "text.npy", npy(np.array([["a", "b"]])), 2, "convert the array to real numbers"),
    ("NumPy .npy", "objects.npy", npy(descr="|O"), 2, "|O"),
    ("NumPy .npy", "records.npy", npy(descr=[("a", "<f8")]), 2, ""),
    ("NumPy .npy", "quadruple.npy", npy(descr="<f16"), 2, "<f16"),
    ("NumPy .npy", "empty.npy", b"", 2, "NUMPY"),
    ("NumPy .npy", "garbage.npy", bytes(range(200)), 2, "NUMPY"),
    ("NumPy .npy", "head_only.npy", npy()[:40], 2, ""),
    ("NumPy .npy", "truncated.npy", npy()[:228], 2, "truncated"),
    ("NumPy .npy", "version_9.npy", npy().replace(b"NUMPY\x01", b"NUMPY\x09"), 2, ""),
    ("NumPy .npy", "negative_shape.npy", npy(shape=(-5, 8)), 2, "a size in the shape is negative"),
    ("NumPy .npy", "overflow.npy", npy(shape=(1 << 62, 1 << 62)), 2, "product of the sizes in the shape is too large"),
    ("NumPy .npy", "100_gb.npy", npy(X[:1], shape=(1 << 20, 12800)), 2, "truncated"),
    ("Archives .npz", "not_a_zip.npz", b"PK\x03\x04" + bytes(90), 2, "zip"),
    ("Archives .npz", "truncated.npz", zipped(X=npy())[:300], 2, "zip"),
    ("Archives .npz", "nothing.npz", zipped(), 2, ""),
    ("Archives .npz", "two.npz", zipped(X=npy(), Y=npy()), 2, "X"),
    ("Archives .npz", "twice.npz", zipped_twice(), 2, "two arrays named X.npy"),
    ("Archives .npz", "one.npz", zipped(X=npy()), 2, "Z", "anchors {} -r 2 --var Z"),
    ("Archives .npz", "terminal.npz", zipped(**{"a\x1b]0;title\x07": npy(), "b": npy()}), 2, "a?]0;title? (5 x 8)"),
    ("Archives .npz", "outside.npz", sparse(indices=np.arange(40, dtype="i4")), 2, "outside"),
    ("Archives .npz", "falling.npz", sparse(indptr=np.array([0, 9, 3, 15, 20, 25, 30, 35, 40], "i4")), 2, ""),
    ("Archives .npz", "no_shape.npz", sparse(shape=None), 2, "shape"),
    ("Archives .npz", "unknown.npz", sparse(format=np.array(b"xyz")), 2, "xyz"),
    ("Archives .npz", "100_gb.npz", zipped(X=npy(X[:1], shape=(1 << 20, 12800))), 2, ""),
    ("Archives .npz", "wide.npz", sparse(shape=np.array([5, 1 << 60])), 2, ""),
    ("Archives .npz", "tall.npz", sparse(shape=np.array([2000000000, 8])), 2, "2000000000 rows"),
    ("Archives .npz", "wide_pairs.npz", pairs(5, 2500000000), 2, "2500000000 columns"),
    ("Matrix Market .mtx", "no_banner.mtx", "5 8 1\n1 1 2\n", 2, "MatrixMarket"),
    ("Matrix Market .mtx", "complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", 2, "complex"),
    ("Matrix Market .mtx", "no_size.mtx", MTX, 2, ""),
    ("Matrix Market .mtx", "short.mtx", MTX + "5 8 3\n1 1 2\n", 2, "states 3 values"),
    ("Matrix Market .mtx", "long.mtx", MTX + "5 8 1\n1 1 2\n2 2 2\n", 2, ""),
    ("Matrix Market .mtx", "outside.mtx", MTX + "5 8 1\n6 1 2\n", 2, "(6, 1)"),
    ("Matrix Market .mtx", "from_zero.mtx", MTX + "5 8 1\n0 1 2\n", 2, "(0, 1)"),
    ("Matrix Market .mtx", "word.mtx", MTX + "5 8 1\n1 1 two\n", 2, "line 3"),
    ("Matrix Market .mtx", "negative_size.mtx", MTX + "-5 8 1\n1 1 2\n", 2, "line 2"),
    ("Matrix Market .mtx", "100_gb.mtx", "%%MatrixMarket matrix array real general\n1048576 12800\n1\n", 2, ""),
    ("Matrix Market .mtx", "many.mtx", MTX + "5 8 100000000000\n1 1 2\n", 2, ""),
    ("Matrix Market .mtx", "wide.mtx", MTX + "1 2500000000 1\n1 1 1\n", 2, "2500000000 columns", "anchors {} -r 1"),
    ("Matrix Market .mtx", "less_wide.mtx", MTX + "1 100000000 1\n1 1 1\n", 2, "Remove empty columns", "anchors {} -r 1"),
    ("Matrix Market .mtx", "tall.mtx", MTX + "2147483647 1 1\n1 1 1\n", 2, "2147483647 rows", "anchors {} -r 1"),
    ("Matrix Market .mtx", "promise.mtx.gz", gzip.compress((MTX + NOISE + "9 9 300000000\n1 1 2\n").encode(), mtime=0), 2,
     "states 300000000 values"),
    ("Matrix Market .mtx", "not_packed.mtx.gz", b"\x1f\x8b" + bytes(60), 2, ""),
    ("Matrix Market .mtx", "cut.mtx.gz", gzip.compress((MTX + "5 8 1\n1 1 2\n").encode(), mtime=0)[:-12], 2, ""),
    ("Text .csv .tsv", "nan.csv", csv(changed(np.nan)), 2, "row 3, column 6"),
    ("Text .csv .tsv", "negative.csv", csv(changed(-0.5)), 2, "row 3, column 6"),
    ("Text .csv .tsv", "beyond.csv", "1,2\n3,1e999\n", 2, "row 1, column 1"),
    ("Text .csv .tsv", "empty.csv", "", 2, "no rows"),
    ("Text .csv .tsv", "names.csv", "a,b,c\n", 2, "no rows"),
    ("Text .csv .tsv", "ragged.csv", "1,2,3\n4,5\n", 2, "line 2"),
    ("Text .csv .tsv", "word.csv", "1,2\n3,five\n", 2, "five"),
    ("Text .csv .tsv", "quote.csv", '1,"2\n3,4\n', 2, "line 1"),
    ("Text .csv .tsv", "zero_byte.csv", b"1,2\n3,\x004\n", 2, "line 2"),
    ("MATLAB .mat", "garbage.mat", bytes(range(200)), 2, "MATLAB"),
    ("MATLAB .mat", "truncated.mat", mat(X=X)[:300], 2, "truncated"),
    ("MATLAB .mat", "complex.mat", mat(X=X + 1j), 2, "complex"),
    ("MATLAB .mat", "two.mat", mat(X=X, Y=X), 2, "X"),
    ("MATLAB .mat", "words.mat", mat(X="text"), 2, ""),
    ("MATLAB .mat", "cube.mat", mat(X=np.ones((2, 2, 2))), 2, ""),
    ("MATLAB .mat", "100_gb.mat", PROMISE, 2, ""),
    ("MATLAB .mat", "storage.mat", mat73(stored_elsewhere), 2, "another file"),
    ("MATLAB .mat", "links.mat", mat73(linked_twice), 2, "another file"),
    ("HDF5 .h5", "garbage.h5", bytes(range(200)), 2, ""),
    ("HDF5 .h5", "truncated.h5", hdf5(lambda file: file.create_dataset("X", data=X))[:1500], 2, ""),
    ("HDF5 .h5", "nothing.h5", hdf5(lambda file: None), 2, ""),
    ("HDF5 .h5", "records.h5", hdf5(record_set), 2, ""),
    ("HDF5 .h5", "cube.h5", hdf5(lambda file: file.create_dataset("X", data=np.ones((2, 2, 2)))), 2, ""),
    ("HDF5 .h5", "terminal.h5", hdf5(lambda file: (file.create_dataset("a\x1b[2J", data=X), file.create_dataset("b", data=X))), 2, "a?[2J"),
    ("HDF5 .h5", "empty_chunks.h5", hdf5(empty_chunks), 2, "implausible for a file of"),
    ("HDF5 .h5", "no_values.h5", hdf5(promised_set), 2, "no values"),
    ("HDF5 .h5", "no_shape.h5", hdf5(lambda file: sparse_group(file, shape=None)), 2, "shape"),
    ("HDF5 .h5", "outside.h5", hdf5(lambda file: sparse_group(file, indices=np.arange(40))), 2, ""),
    ("HDF5 .h5", "wide.h5", hdf5(wide_group), 2, ""),
    ("HDF5 .h5", "storage.h5", hdf5(stored_elsewhere), 2, "another file"),
    ("HDF5 .h5", "link.h5", hdf5(linked_elsewhere), 2, "another file"),
    ("HDF5 .h5", "links.h5", hdf5(linked_twice), 2, "another file", "anchors {} -r 2 --var X"),
    ("HDF5 .h5", "virtual.h5", hdf5(virtual_set), 2, "another file"),
    ("HDF5 .h5", "part.h5", hdf5(part_elsewhere), 2, "another file"),
    ("HDF5 .h5", "tall.h5", hdf5(lambda file: sparse_group(file, shape=(2000000000, 8))), 2, "2000000000 rows"),
    ("ENVI .hdr", "not_envi.hdr", "BYTEORDER I\nNROWS 3\n", 2, "first line is not"),
    ("ENVI .hdr", "zero_bytes.hdr", b"ENVI\nsamples\0= 2\n", 2, "zero bytes"),
    ("ENVI .hdr", "no_lines.hdr", envi(lines=None), 2, "lines = ..."),
    ("ENVI .hdr", "no_type.hdr", envi(data_type=None), 2, "data type = ..."),
    ("ENVI .hdr", "no_samples.hdr", envi(samples=0), 2, "must be from 1 to"),
    ("ENVI .hdr", "half.hdr", envi(bands=2.5), 2, "must be a whole number"),
    ("ENVI .hdr", "complex.hdr", envi(data_type=6), 2, "complex"),
    ("ENVI .hdr", "type_7.hdr", envi(data_type=7), 2, "data type 7"),
    ("ENVI .hdr", "interleave.hdr", envi(interleave="tile"), 2, "tile"),
    ("ENVI .hdr", "byte_order.hdr", envi(byte_order=9), 2, "must be from 0 to 1"),
    ("ENVI .hdr", "brace.hdr", envi(description="{no end"), 2, "the closing } is missing"),
    ("ENVI .hdr", "twice.hdr", envi(Lines=1), 2, "already given in line"),
    ("ENVI .hdr", "wavelengths.hdr", envi(wavelength="{400, 410}"), 2, "it must have 5 (one for each band)"),
    ("ENVI .hdr", "words.hdr", envi(wavelength="{a, b, c, d, e}"), 2, "entry 1"),
    ("ENVI .hdr", "bad_bands.hdr", envi(bbl="{0, 0, 0, 0, 0}"), 2, "marks all 5 bands as bad"),
    ("ENVI .hdr", "offset.hdr", envi(header_offset=100), 2, "truncated"),
    ("ENVI .hdr", "truncated.hdr", envi(lines=2), 2, "truncated"),
    ("ENVI .hdr", "100_gb.hdr", envi(lines=1 << 22, samples=1 << 10), 2, "truncated"),
    ("ENVI .hdr", "overflow.hdr", envi(lines=1 << 50, samples=1 << 50), 2, "impossibly large"),
    ("ENVI .hdr", "packed.hdr", envi(file_compression=1), 2, "compressed"),
    ("ENVI .hdr", "frames.hdr", envi(minor_frame_offsets="{4, 0}"), 2, "minor frame offsets"),
    ("ENVI .hdr", "library.hdr", envi(file_type="ENVI Spectral Library"), 2, "one band"),
    ("ENVI .hdr", "no_data.hdr", envi(values=None), 3, "the data file of this ENVI header is missing"),
    ("ENVI .hdr", "no_header.bil", bytes(160), 3, "the ENVI header of this file is missing"),
    ("ENVI .hdr", "nan.hdr", envi(changed(np.nan).astype("<f4")), 2, "row 3, column 6"),
    ("ENVI .hdr", "terminal.hdr", envi(interleave="\x1b]0;title\x07"), 2, "?]0;title?"),
    ("Cubes", "four.npy", npy(np.ones((2, 2, 2, 2))), 2, "4 dimensions", "unmix {} -r 2 -o left"),
    ("Cubes", "truncated_cube.npy", npy(np.ones((2, 2, 2)))[:150], 2, "truncated", "unmix {} -r 2 -o left"),
    ("Cubes", "several.mat", mat(a=X, b=X), 2, "with --var NAME, where NAME is one of: a (5 x 8), b (5 x 8)", "unmix {} -r 2 -o left"),
    ("Cubes", "no_cube.mat", mat(a=X[:1]), 2, "contains no array of real numbers with two or three dimensions", "unmix {} -r 2 -o left"),
    ("Cubes", "one.mat", mat(Y=X), 2, '"Z"', "unmix {} -r 2 --var Z -o left"),
    ("Cubes", "shape.mat", mat(Y=X), 2, "8 pixels", "unmix {} -r 2 --shape 3x3 -o left"),
    ("Cubes", "garbage.hspy", bytes(range(200)), 2, "not an HDF5 file", "unmix {} -r 2 -o left"),
    ("Cubes", "sets.h5", hdf5(lambda file: (file.create_dataset("a", data=np.ones((2, 2, 2))),
                                            file.create_dataset("b", data=np.ones((2, 2, 2))))),
     2, "--var NAME", "unmix {} -r 2 -o left"),
    ("Cubes", "elsewhere.h5", hdf5(stored_elsewhere), 2, "another file", "unmix {} -r 2 -o left"),
    ("Cubes", "scene.xyz", b"1 2 3", 2, "not a spectral cube in a known format", "unmix {} -r 2 -o left"),
    ("Cubes", "garbage.tif", bytes(range(200)), 2, "TIFF", "unmix {} -r 2 -o left"),
    ("Cubes", "truncated.tif", b"II*\0" + struct.pack("<I", 4096), 2, "TIFF", "unmix {} -r 2 -o left"),
    ("Names", "missing.npy", None, 3, "No such file"),
    ("Names", "folder.npy", os.mkdir, 3, "folder of texts"),
    ("Names", "X.xyz", b"1 2 3", 2, "file types that can be read are"),
    ("Names", "''", None, 2, "name of a file", "anchors '' -r 2"),
    ("Settings", "good.npy", None, 2, "rank", "anchors {} -r 9"),
    ("Settings", "good.npy", None, 2, "abc", "anchors {} -r abc"),
    ("Settings", "good.npy", None, 2, "", "anchors {} -r -1"),
    ("Settings", "good.npy", None, 2, "manhattan", "anchors {} -r 2 --loss manhattan"),
    ("Settings", "good.npy", None, 2, "dist", "anchors {} -r 2 --loss l1 --exterior dist"),
    ("Settings", "good.npy", None, 2, "--colour", "anchors {} -r 2 --colour red"),
    ("Settings", "good.npy", None, 2, "tol", "anchors {} -r 2 --tol nan"),
    ("Settings", "good.npy", None, 2, "99", "anchors {} -r 3 --keep 1,99"),
    ("Settings", "good.npy", None, 2, "memory", "anchors {} -r 2 --memory lots"),
    ("Settings", "good.npy", None, 3, "good.npy", "anchors {} -r 2 -o good.npy"),
    ("Checkpoints", "notes.txt", "not ours\n", 2, "not a checkpoint", "anchors good.npy -r 2 --checkpoint {}"),
    ("Checkpoints", "folder", os.mkdir, 3, "", "anchors good.npy -r 2 --checkpoint {}"),
    ("Results that are read back", "nowhere", None, 3, "result.json", "verify good.npy {}"),
    ("Results that are read back", "json", result_folder(result_json=b'{"settings": {'), 2, "line 1", "verify good.npy {}"),
    ("Results that are read back", "list", result_folder(result_json=b"[1, 2]"), 2, "settings", "verify good.npy {}"),
    ("Results that are read back", "words", result_folder(anchors_txt=b"one\n"), 2, "line 1", "verify good.npy {}"),
    ("Results that are read back", "no_W", result_folder(W_npy=None), 3, "W.npy", "verify good.npy {}"),
    ("Results that are read back", "no_proof", result_folder(certificate_npz=b"PK"), 2, "certificate.npz", "verify good.npy {}"),
    ("Results that are read back", "rows", result_folder(W_npy=npy(X[:, :2])), 2, "", "project taller.npy {} -o left"),
    ("Labels and words", "few.txt", "a\nb\n", 2, "2", "exemplars good.npy -r 2 --labels {}"),
    ("Labels and words", "one_class.txt", "a\n" * 8, 2, "two classes", "exemplars good.npy -r 2 --labels {}"),
    ("Labels and words", "gap.txt", "a\nb\n\n" + "a\n" * 5, 2, "line 3", "exemplars good.npy -r 2 --labels {}"),
    ("Labels and words", "no_labels.txt", None, 3, "No such file", "exemplars good.npy -r 2 --labels {}"),
    ("Labels and words", "terms.txt", "a\nb\n", 2, "terms.txt", "topics good.npy -r 2 --terms {}"),
    ("Labels and words", "zeros.txt", b"one\0two\n", 2, "", "text {} -o left"),
    ("Labels and words", "nothing.txt", b"", 2, "", "text {} -o left"),
    ("Labels and words", "bytes.txt", b"caf\xe9 \xff\xfe\n", 2, "", "text {} -o left"),
    ("Videos and pictures", "missing.mkv", None, 3, "No such file", "video {} -o left"),
    ("Videos and pictures", "garbage.mkv", bytes(range(250)) * 9, 2, "", "video {} -o left"),
    ("Videos and pictures", "empty", os.mkdir, 2, "", "video {} -o left"),
    ("Videos and pictures", "film", film, 2, "region", "video {} -r 1 --roi 3,2,9,9 -o left"),
    ("Videos and pictures", "film", film, 2, "99", "video {} -r 1 --from 99 -o left"),
    ("Videos and pictures", "no_masks", mask_folder(), 2, "", "video film -r 1 --truth {} -o left"),
    ("Videos and pictures", "sizes", mask_folder(_0=png(4, 3), _1=png(5, 3)), 2, "", "video film -r 1 --truth {} -o left"),
    ("Videos and pictures", "broken", mask_folder(_0=png(4, 3)[:50]), 2, "", "video film -r 1 --truth {} -o left"),
    ("Videos and pictures", "100_gb", mask_folder(_0=png(1 << 19, 200000)), 2, "", "video film -r 1 --truth {} -o left"),
    ("Videos and pictures", "cut_region", sequence(b"BM"), 2, "ROI.bmp", "video {} -o left"),
    ("Videos and pictures", "empty_region", sequence(bmp(4, 3, 24)), 2, "ROI.bmp", "video {} -o left"),
    ("Videos and pictures", "packed_region", sequence(bmp(4, 3, 4)), 2, "ROI.bmp", "live {} -o left"),
    ("Videos and pictures", "vast_region", sequence(bmp(1 << 30, 1 << 30, 24)), 2, "ROI.bmp", "video {} -o left"),
    ("Videos and pictures", "stretch", sequence(b"BM", b"soon\n"), 2, "", "video {} -o left"),
    ("Videos and pictures", "film", film, 2, "folder of pictures", "video {} --cut -o left"),
    ("Videos and pictures", "sizes", two_films, 2, "pictures of the same size", "video {0}/a {0}/b -o left"),
    ("Videos and pictures", "film", film, 2, "camera", "live {} rtsp://127.0.0.1:1/x -o left"),
    ("Videos and pictures", "film", film, 2, "--event-gap", "video {} --event-gap soon -o left"),
    ("Videos and pictures", "film", film, 2, "--every", "video {} --every 0 -o left"),
    ("Videos and pictures", "model.npz", zipped(X=npy()), 2, "not a model", "video film --model {} -o left"),
]


def make(name, contents):
    if os.path.isdir(name):
        shutil.rmtree(name)
    if callable(contents):
        contents(name)
    elif contents is not None:
        with open(name, "wb") as file:
            file.write(contents.encode() if isinstance(contents, str) else contents)


def run(words, limit):
    def hold():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    done = subprocess.run([PROGRAM] + words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                          preexec_fn=hold, env=dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1"))
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip(), done.returncode


def check(row, limit):
    """The line of the page, and what is wrong with the answer."""
    part, name, contents, code, words, command = row if len(row) == 6 else row + (ANCHORS,)
    make(name, contents)
    given = [word.replace("''", "") for word in command.format(name).split()]
    out, err, got = run(given + (["--threads", "1"] if given[0] != "text" else []), limit)
    wrong = []
    if got != code:
        wrong.append(f"exit code {got}, not {code}")
    if out:
        wrong.append(f"on stdout: {out!r}")
    if words not in err or not err.startswith("conehull: ") or len(err) > 1000:
        wrong.append(f"the message lacks {words!r}, or is none")
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", err):
        wrong.append("the message has control characters")
    if os.path.exists("left"):
        wrong.append("an output folder was left")
        shutil.rmtree("left")
    line = err.splitlines()[0].removeprefix("conehull: ") if err else ""
    line = re.sub(r"the machine has [0-9.e+]+ MB", "the machine has ... MB", line)
    return (part, name, command.format(name), got, line.replace("|", "\\|")), wrong


def page(rows):
    lines = ["# Bad inputs", "",
             "This page lists the messages and exit codes of conehull for inputs that it cannot use. The exit code is 2 for errors in the",
             "arguments or the data, 3 for files that cannot be read or written, and 4 for too little memory. The script",
             f"`tests/e2e/command/bad_inputs.py` writes this page. It makes each of these {len(rows)} inputs, runs the command with",
             f"{MEMORY >> 30} GB of address space, and fails if a message differs from the one on this page.",
             ""]
    part = None
    for row in rows:
        if row[0] != part:
            part = row[0]
            lines += ["", f"## {part}", "", CAPTION, "", "| command | exit code | message |", "|---|---|---|"]
        lines.append(f"| `conehull {row[2]}` | {row[3]} | {row[4]} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def main(words):
    global PROGRAM
    options = [word for word in words if word.startswith("--")]
    program, table = [word for word in words if not word.startswith("--")]
    PROGRAM, table = os.path.abspath(program), os.path.abspath(table)
    rows, failed = [], 0
    with tempfile.TemporaryDirectory(prefix="conehull-bad-") as folder:
        os.chdir(folder)
        make("good.npy", npy())
        make("taller.npy", npy(np.vstack([X, X])))
        make("film", film)
        for row in ROWS:
            line, wrong = check(row, "--no-limit" not in options)
            rows.append(line)
            for reason in wrong:
                print(f"{line[1]}: {reason}\n    {line[4]}")
            failed |= bool(wrong)
        os.chdir("/")
    text = page(rows)
    if "--rewrite" in options:
        with open(table, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(table, encoding="utf-8") as file:
            if file.read() != text:
                print(f"{table} is stale: {sys.argv[0]} --rewrite PROGRAM TABLE writes it anew")
                failed = True
    print(f"{len(rows)} bad inputs")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
