/* Files that are whole from the outside and wrong inside: what they promise and what they hold
 * differ. Each is refused with words that name what is wrong, and leaves its output alone. Those
 * that are made by NumPy, SciPy and h5py are skipped without them. */
#include "support_clip.h"
#include <conehull/corpus.h>
#include <conehull/feed.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

typedef struct refusal {
    const char *name, *var;
    ch_status status;
    const char *words;
} refusal;

static void check_refusals(const refusal *rows, size_t count) {
    for (const refusal *row = rows; row < rows + count; row++) {
        ch_matrix X = {.rows = -7};
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_matrix_read_settings settings = {.size = sizeof settings, .var = row->var};
        ch_status status = ch_matrix_read(context, &X, support_path("%s", row->name), &settings);
        support_check(status == row->status, "%s: %d, %s", row->name, status,
                      ch_context_message(context));
        support_message(context, row->words);
        support_message(context, row->name);
        assert_int_equal(X.rows, -7);
        support_finish(context, &memory);
    }
}

#define CHECK(rows) check_refusals(rows, sizeof(rows) / sizeof *(rows))

static void test_hdf5(void **state) {
    (void)state;
    if (!support_python(
            "numpy, h5py",
            "import numpy as np, h5py\n"
            "def sparse(name, where='X', shape=(3, 2), data=[1., 2.], indices=[0, 2], indptr=[0, "
            "1, 2]):\n"
            "    with h5py.File(name, 'w') as f:\n"
            "        g = f.require_group(where)\n"
            "        g['data'] = data; g['indices'] = indices; g['indptr'] = indptr\n"
            "        if shape: g.attrs['shape'] = shape\n"
            "sparse('floats.h5', indptr=[0., 1., 2.])\n"
            "sparse('square.h5', data=[[1., 2.]])\n"
            "sparse('words.h5', data=np.array([b'a', b'b']))\n"
            "sparse('fewer.h5', indices=[0])\n"
            "sparse('noshape.h5', shape=None)\n"
            "sparse('offsets.h5', indptr=[0, 1])\n"
            "sparse('root.h5', where='/')\n"
            "with h5py.File('group.h5', 'w') as f: f['X/a'] = np.eye(3); f['X/b'] = np.eye(3)\n"
            "with h5py.File('many.h5', 'w') as f:\n"
            "    for i in range(200): f[f'a_matrix_with_a_long_name_{i:03}'] = np.eye(3)\n"
            "with h5py.File('vast.h5', 'w') as f: f.create_dataset('X', (2**40, 2**40), "
            "chunks=(10, 10))\n"
            "with h5py.File('torn.h5', 'w') as f:\n"
            "    d = f.create_dataset('X', data=np.random.default_rng(1).random((64, 64)), "
            "chunks=(64, 64), compression='gzip')\n"
            "    place = d.id.get_chunk_info(0).byte_offset\n"
            "with open('torn.h5', 'r+b') as f: f.seek(place + 100); f.write(b'\\xff' * 400)\n"
            "with h5py.File('far.h5', 'w') as f: f['/'.join('abcdefgh') + '/X'] = np.eye(3)\n"
            "with h5py.File('thin.h5', 'w') as f: f.create_dataset('X', (10**6, 10**6), "
            "chunks=(10, 10))[0, 0] = 1\n"
            "with h5py.File('thick.h5', 'w') as f:\n"
            "    d = f.create_dataset('X', data=np.ones((64, 64)), chunks=(64, 64), "
            "compression='gzip')\n"
            "    chunk = d.id.get_chunk_info(0).size.to_bytes(4, 'little') + bytes(4)\n"
            "with open('thick.h5', 'rb') as f: whole = f.read()\n"
            "assert whole.count(chunk) == 1\n"
            "open('thick.h5', 'wb').write(whole.replace(chunk, b'\\0\\0\\0\\x70' + bytes(4)))\n"
            "with h5py.File('near.h5', 'w') as f: f['/'.join('abcdefg') + '/X'] = np.eye(3)\n"))
        skip();
    static const refusal rows[] = {
        {"floats.h5", NULL, CH_ERR_FORMAT,
         "the array indptr of the sparse matrix must contain integers"},
        {"square.h5", NULL, CH_ERR_FORMAT,
         "the array data of the sparse matrix is missing, or it is not"},
        {"words.h5", NULL, CH_ERR_FORMAT,
         "the array data of the sparse matrix is missing, or it is not"},
        {"fewer.h5", NULL, CH_ERR_FORMAT, "1 indices, but 2 values"},
        {"noshape.h5", "X", CH_ERR_FORMAT, "its attribute 'shape' is missing or invalid"},
        {"offsets.h5", NULL, CH_ERR_FORMAT,
         "indptr of the sparse matrix has 2 entries, which fits neither the rows nor the columns "
         "of its shape, 3 x 2"},
        {"group.h5", "X", CH_ERR_FORMAT, "neither a data set nor a sparse matrix"},
        {"many.h5", NULL, CH_ERR_ARGUMENT, ", ..."},
        {"vast.h5", "X", CH_ERR_UNSUPPORTED, "dimensions"},
        {"torn.h5", NULL, CH_ERR_FORMAT, "the values cannot be read"},
        {"thin.h5", NULL, CH_ERR_UNSUPPORTED,
         "1000000000000 values, which is implausible for a file of"},
        {"thick.h5", NULL, CH_ERR_FORMAT, "states 1879048192 stored bytes, but the file has"},
        {"far.h5", NULL, CH_ERR_FORMAT, "contains no matrix of real numbers"},
        {"far.h5", "a/b/c/d/e/f/g/h/X", CH_ERR_ARGUMENT, "contains no matrix named"},
    };
    CHECK(rows);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    assert_int_equal(ch_matrix_read(context, &X, support_path("near.h5"), NULL), CH_OK);
    ch_matrix_free(context, &X);
    support_check(ch_matrix_read(context, &X, support_path("root.h5"), NULL) == CH_OK, "%s",
                  ch_context_message(context));
    support_close(ch_matrix_at(&X, 2, 1), 2, 0);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

/* The same data set on its way to a scratch file. */
static void test_hdf5_scratch(void **state) {
    char folder[512];
    support_memory memory;
    ch_matrix X = {.rows = -7};
    ch_matrix_read_settings settings = {.size = sizeof settings, .scratch = folder};
    (void)state;
    if (access(support_path("torn.h5"), R_OK)) skip();
    snprintf(folder, sizeof folder, "%s", support_path("."));
    ch_context *context = support_context(&memory, 1);
    ch_context_set_memory_limit(context, 64 * 64 * 8 * 4 - 4);
    assert_int_equal(ch_matrix_read(context, &X, support_path("torn.h5"), &settings),
                     CH_ERR_FORMAT);
    support_message(context, "torn.h5: X: the values cannot be read");
    assert_int_equal(X.rows, -7);
    ch_context_set_memory_limit(context, 0);
    support_finish(context, &memory);
}

/* MATLAB files of version 7.3, which are HDF5. */
static void test_mat73(void **state) {
    (void)state;
    if (!support_python(
            "numpy, h5py",
            "import numpy as np, h5py\n"
            "def sparse(name, rows=np.uint64(3), jc=[0, 1, 2], ir=[0, 2], data=[1., 2.]):\n"
            "    with h5py.File(name, 'w', userblock_size=512) as f:\n"
            "        g = f.create_group('X'); g.attrs['MATLAB_sparse'] = rows\n"
            "        g['jc'] = jc; g['ir'] = ir; g['data'] = data\n"
            "    with open(name, 'r+b') as f: f.seek(124); f.write(b'\\x00\\x02IM')\n"
            "sparse('rows.mat', rows=np.array([3, 3], 'uint64')); sparse('square.mat', jc=[[0, 1, "
            "2]])\n"
            "sparse('beyond.mat', jc=[0, 1, 9]); sparse('below.mat', jc=[0, 1, -2]); "
            "sparse('outside.mat', ir=[0, 3])\n"
            "sparse('fall.mat', jc=[0, 3, 2]); sparse('short.mat', ir=[0])\n"))
        skip();
    static const refusal rows[] = {
        {"rows.mat", NULL, CH_ERR_FORMAT,
         "\"X\": the sparse matrix cannot be read, because its attribute MATLAB_sparse or its "
         "array jc"},
        {"square.mat", NULL, CH_ERR_FORMAT,
         "\"X\": the sparse matrix cannot be read, because its attribute MATLAB_sparse or its "
         "array jc"},
        {"beyond.mat", NULL, CH_ERR_FORMAT,
         "the array data of the sparse matrix has 2 entries, fewer than its column offsets state"},
        {"below.mat", NULL, CH_ERR_FORMAT,
         "the array data of the sparse matrix has 2 entries, fewer than its column offsets state"},
        {"short.mat", NULL, CH_ERR_FORMAT,
         "the array ir of the sparse matrix has 1 entries, fewer than its column offsets state"},
        {"outside.mat", NULL, CH_ERR_FORMAT, "out of range; it must be from 0 to 2"},
        {"fall.mat", NULL, CH_ERR_FORMAT, "fall.mat"},
    };
    CHECK(rows);
}

/* X of the file is the matrix whose last number is 5. */
static void check_mat(const char *name) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = "X"};
    ch_matrix X;
    support_check(ch_matrix_read(context, &X, support_path("%s", name), &settings) == CH_OK,
                  "%s: %s", name, ch_context_message(context));
    support_close(ch_matrix_at(&X, 2, 1), 5, 0);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Elements of version 5 that are not what they must be, beside a whole matrix, which is read where
 * only the inside of the other variable is wrong; and version 4. */
static void test_mat_elements(void **state) {
    (void)state;
    if (!support_python(
            "struct",
            "import struct\n"
            "def ints(*v): return struct.pack(f'<{len(v)}i', *v)\n"
            "def part(t, b): return ints(t, len(b)) + b + bytes(-len(b) % 8)\n"
            "def var(kind, name, rest, sizes=(1, 1)):\n"
            "    return part(14, part(6, ints(kind, 0)) + part(5, ints(*sizes)) + part(1, name) + "
            "rest)\n"
            "one = var(6, b'', part(9, struct.pack('<d', 1)))\n"
            "X = var(6, b'X', part(9, struct.pack('<6d', *range(6))), (3, 2))\n"
            "def save(name, *parts):\n"
            "    head = b'MATLAB 5.0'.ljust(124) + b'\\0\\1IM'\n"
            "    open(name, 'wb').write(head + b''.join(parts))\n"
            "def fields(room, names=b'f'.ljust(8, b'\\0')): return part(5, ints(room)) + part(1, "
            "names)\n"
            "save('object.mat', var(3, b'o', part(1, b'class') + fields(8) + one), X)\n"
            "save('noclass.mat', X, var(3, b'o', b''))\n"
            "save('nofields.mat', X, var(3, b'o', part(1, b'class')))\n"
            "save('function.mat', X, var(16, b'f', b''))\n"
            "save('called.mat', X, var(16, b'f', part(9, b'12345678')))\n"
            "save('room0.mat', X, var(2, b's', fields(0) + one))\n"
            "save('room.mat', X, var(2, b's', fields(5000) + one))\n"
            "save('roomtype.mat', X, var(2, b's', part(1, b'abcd') + one))\n"
            "save('nonames.mat', X, var(2, b's', part(5, ints(8))))\n"
            "save('sizes.mat', X, var(2, b's', fields(1, b'f' * 4000) + one, (2**31 - 1, 2**31 - "
            "1, 2)))\n"
            "save('cells.mat', X, var(1, b'c', part(9, b'12345678')))\n"
            "save('named.mat', X, var(6, b'n' * 5000, part(9, struct.pack('<d', 1))))\n"
            "save('dims.mat', X, var(6, b'd', part(9, b''), (1,) * 33))\n"
            "save('flags.mat', X, part(14, part(5, ints(6, 0))))\n"
            "for digit in (60, 90): open(f'old{digit}.mat', 'wb').write(ints(digit, 1, 1, 0, 2) + "
            "b'X\\0' + bytes(8))\n"
            "open('oldname.mat', 'wb').write(ints(0, 1, 1, 0, 5000) + bytes(6000))\n"
            "open('oldsize.mat', 'wb').write(ints(0, -1, -1, 0, 2) + b'X\\0' + bytes(8))\n"))
        skip();
    static const char *const names[] = {"named.mat", "dims.mat",    "flags.mat",  "old60.mat",
                                        "old90.mat", "oldname.mat", "oldsize.mat"};
    static const char *const inside[][2] = {
        {"object.mat", "o"},   {"noclass.mat", "o"}, {"nofields.mat", "o"}, {"function.mat", "f"},
        {"called.mat", "f"},   {"room0.mat", "s"},   {"room.mat", "s"},     {"nonames.mat", "s"},
        {"roomtype.mat", "s"}, {"cells.mat", "c"},   {"sizes.mat", "s"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const refusal row = {names[k], "X", CH_ERR_FORMAT, "not a MATLAB file, or it is truncated"};
        check_refusals(&row, 1);
    }
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++) {
        const refusal row = {inside[k][0], inside[k][1], CH_ERR_UNSUPPORTED,
                             "not a matrix of real"};
        check_refusals(&row, 1);
        check_mat(inside[k][0]);
    }
}

static void test_mat(void **state) {
    (void)state;
    if (!support_python(
            "numpy, scipy.io, scipy.sparse",
            "import numpy as np, scipy.io as sio, scipy.sparse as sp\n"
            "def ints(*v): return np.array(v, 'int32').tobytes()\n"
            "sio.savemat('S.mat', {'S': sp.csc_matrix(np.array([[1., 0], [0, 2], [3, 0]]))})\n"
            "whole = open('S.mat', 'rb').read()\n"
            "def change(name, old, new):\n"
            "    assert whole.count(old) == 1; open(name, 'wb').write(whole.replace(old, new))\n"
            "change('row.mat', ints(0, 2, 1), ints(0, 7, 1)); change('last.mat', ints(0, 2, 3), "
            "ints(0, 2, 9))\n"
            "change('cols.mat', ints(3, 2), ints(3, 4))\n"
            "deep = np.array([[1., 2]])\n"
            "for d in range(40):\n"
            "    cell = np.empty((1, 1), object); cell[0, 0] = deep; deep = cell\n"
            "X = np.arange(6.).reshape(3, 2)\n"
            "sio.savemat('deep.mat', {'X': X, 'deep': deep})\n"
            "sio.savemat('parts.mat', {'parts': {'p': deep}, 'X': X}, "
            "do_compression=True)\n"
            "sio.savemat('plain.mat', {'parts': {'p': X, 'q': 'ab'}, 'X': X})\n"
            "sio.savemat('packed.mat', {'X': X}, do_compression=True)\n"
            "packed = bytearray(open('packed.mat', 'rb').read()); packed[-1] ^= 1\n"
            "open('sum.mat', 'wb').write(packed)\n"
            "whole = open('plain.mat', 'rb').read(); at = whole.rindex(ints(3, 2))\n"
            "open('count.mat', 'wb').write(whole[:at] + ints(3, 1 << 30) + whole[at + 8:])\n"
            "open('version.mat', 'wb').write(whole[:125] + b'\\2' + whole[126:])\n"))
        skip();
    static const refusal rows[] = {
        {"sum.mat", "X", CH_ERR_FORMAT, "their checksum is wrong"},
        {"count.mat", "X", CH_ERR_FORMAT, "fewer values than its sizes require"},
        {"version.mat", "X", CH_ERR_FORMAT, "not a MATLAB file"},
        {"row.mat", NULL, CH_ERR_FORMAT,
         "the row 7 of entry 1 of the sparse matrix is out of range; it must be from 0 to 2"},
        {"last.mat", NULL, CH_ERR_FORMAT, "states 9 entries"},
        {"cols.mat", NULL, CH_ERR_FORMAT, "fewer values than its sizes require"},
    };
    CHECK(rows);
    static const char *const whole[] = {"plain.mat", "packed.mat", "deep.mat", "parts.mat"};
    for (int w = 0; w < 4; w++) check_mat(whole[w]);
}

/* A file that breaks off, wherever it does. */
static void test_mat_cut(void **state) {
    (void)state;
    if (!support_python("numpy, scipy.io",
                        "import numpy as np, scipy.io as sio\n"
                        "X = np.arange(6.).reshape(3, 2)\n"
                        "for packed in (False, True):\n"
                        "    sio.savemat('w.mat', {'s': {'p': X, 'q': 'ab'}, 'X': X}, "
                        "do_compression=packed)\n"
                        "    whole = open('w.mat', 'rb').read()\n"
                        "    for cut in range(128 + 1, len(whole)):\n"
                        "        open(f'cut_{packed}_{cut}.mat', 'wb').write(whole[:cut])\n"))
        skip();
    int refused = 0, looked = 0;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int packed = 0; packed < 2; packed++)
        for (int cut = 129; cut < 4000; cut++) {
            ch_matrix_read_settings settings = {.size = sizeof settings, .var = "X"};
            ch_matrix X;
            const char *path = support_path("cut_%s_%d.mat", packed ? "True" : "False", cut);
            if (access(path, F_OK) != 0) break;
            looked++;
            ch_status status = ch_matrix_read(context, &X, path, &settings);
            refused += status == CH_ERR_FORMAT || status == CH_ERR_ARGUMENT;
            if (status == CH_OK) ch_matrix_free(context, &X);
        }
    assert_true(looked > 300);
    assert_int_equal(refused, looked);
    support_finish(context, &memory);
}

static void test_npz(void **state) {
    (void)state;
    if (!support_python("numpy",
                        "import numpy as np, io, zipfile\n"
                        "def pack(name, shape, bytes):\n"
                        "    head = io.BytesIO()\n"
                        "    np.lib.format.write_array_header_1_0(head, {'descr': '<f8', "
                        "'fortran_order': False, 'shape': shape})\n"
                        "    with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as z:\n"
                        "        z.writestr('X.npy', head.getvalue() + b'\\0' * bytes)\n"
                        "pack('short.npz', (40, 50), 15992); pack('long.npz', (40, 50), "
                        "16008); pack('over.npz', (2, 2), 4096)\n"
                        "pack('huge.npz', (2**40, 2**19), 64)\n"
                        "def sparse(name, **other):\n"
                        "    parts = dict(format='csc', shape=[3, 2], data=[1., 2.], "
                        "indices=[0, 2], indptr=[0, 1, 2])\n"
                        "    np.savez(name, **{**parts, **other})\n"
                        "def pairs(name, **other):\n"
                        "    sparse(name, **{**dict(format='coo', row=[0, 2], col=[0, 1]), "
                        "**other})\n"
                        "sparse('complex.npz', data=[1j, 2.]); sparse('square.npz', "
                        "data=[[1., 2.]])\n"
                        "sparse('real.npz', indptr=[0., 1., 2.]); "
                        "sparse('formats.npz', format=['csc', 'csr'])\n"
                        "sparse('fewer.npz', indices=[0]); sparse('ends.npz', indptr=[0, "
                        "2]); sparse('cube.npz', shape=[3, 2, 1])\n"
                        "sparse('dia.npz', format='dia'); pairs('rows.npz', row=[0]); "
                        "pairs('cols.npz', col=[0])\n"
                        "pairs('right.npz', col=[0, 2]); pairs('left.npz', col=[0, -1]); "
                        "pairs('down.npz', row=[0, 3])\n"
                        "pack('data.npz', (2**62,), 8)\n"
                        "with zipfile.ZipFile('data.npz') as z: whole = z.read('X.npy')\n"
                        "sparse('vast.npz')\n"
                        "with zipfile.ZipFile('vast.npz') as z: parts = {n: z.read(n) for "
                        "n in z.namelist()}\n"
                        "with zipfile.ZipFile('vast.npz', 'w') as z:\n"
                        "    for n in parts: z.writestr(n, whole if n == 'data.npy' else "
                        "parts[n])\n"))
        skip();
    static const refusal rows[] = {
        {"short.npz", NULL, CH_ERR_FORMAT,
         "states 16000 bytes of values, but the archive contains 15992"},
        {"long.npz", NULL, CH_ERR_FORMAT,
         "states 16000 bytes of values, but the archive contains at least"},
        {"over.npz", NULL, CH_ERR_FORMAT,
         "states 32 bytes of values, but the archive contains at least"},
        {"huge.npz", NULL, CH_ERR_FORMAT, "huge.npz"},
        {"complex.npz", NULL, CH_ERR_FORMAT,
         "data.npy: an array of type '<c16' with 1 dimensions cannot be part of"},
        {"square.npz", NULL, CH_ERR_FORMAT,
         "data.npy: an array of type '<f8' with 2 dimensions cannot be part of"},
        {"real.npz", NULL, CH_ERR_FORMAT,
         "indptr.npy: an array of type '<f8' with 1 dimensions cannot be part of"},
        {"formats.npz", NULL, CH_ERR_FORMAT,
         "format.npy: an array of type '<U3' with 1 dimensions cannot be part of"},
        {"fewer.npz", NULL, CH_ERR_FORMAT,
         "the array indices of the sparse matrix has 1 numbers, but it must have 2"},
        {"ends.npz", NULL, CH_ERR_FORMAT,
         "the array indptr of the sparse matrix has 2 numbers, but it must have 3"},
        {"cube.npz", NULL, CH_ERR_FORMAT,
         "the array shape of the sparse matrix has 3 numbers, but it must have 2"},
        {"dia.npz", NULL, CH_ERR_UNSUPPORTED, "the sparse format \"dia\" is not supported"},
        {"rows.npz", NULL, CH_ERR_FORMAT,
         "the array row of the sparse matrix has 1 numbers, but it must have 2"},
        {"cols.npz", NULL, CH_ERR_FORMAT,
         "the array col of the sparse matrix has 1 numbers, but it must have 2"},
        {"right.npz", NULL, CH_ERR_FORMAT,
         "the column 2 of entry 1 of the sparse matrix is out of range; it must be from 0 to 1"},
        {"left.npz", NULL, CH_ERR_FORMAT,
         "the column -1 of entry 1 of the sparse matrix is out of range; it must be from 0 to 1"},
        {"down.npz", NULL, CH_ERR_FORMAT, "out of range; it must be from 0 to 2"},
        {"vast.npz", NULL, CH_ERR_FORMAT,
         "data.npy: the header states an impossible size; the file is damaged"},
    };
    CHECK(rows);
}

/* Integers that a double cannot hold are rounded, and the log says so. */
static void test_rounded(void **state) {
    static const char *const names[] = {"A.npy", "A.npz", "S.npz", "A.mat"};
    (void)state;
    if (!support_python("numpy, scipy.io, scipy.sparse",
                        "import numpy as np, scipy.io as sio, scipy.sparse as sp\n"
                        "A = np.array([[2**60 + 1, 3], [0, 7]], 'int64')\n"
                        "np.save('A.npy', A); np.savez('A.npz', A=A); sio.savemat('A.mat', {'A': "
                        "A}); sp.save_npz('S.npz', sp.csc_matrix(A))\n"))
        skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        support_memory memory;
        support_log log = {""};
        ch_matrix X;
        ch_context *context = support_context(&memory, 1);
        ch_context_set_log(context, support_log_keep, &log);
        ch_status status = ch_matrix_read(context, &X, support_path("%s", names[k]), NULL);
        support_check(status == CH_OK, "%s: %s", names[k], ch_context_message(context));
        support_close(ch_matrix_at(&X, 0, 0), 0x1p60, 0);
        support_close(ch_matrix_at(&X, 1, 1), 7, 0);
        support_check(strstr(log.text, "integers beyond 2^53 were rounded") != NULL, "%s: %s",
                      names[k], log.text);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
}

/* Archives of arrays that are not ours: a type, and a number of dimensions. */
static void test_foreign_arrays(void **state) {
    static const char *const names[] = {"type.npz", "cube.npz"};
    (void)state;
    if (!support_python("numpy", "import numpy as np\n"
                                 "np.savez('type.npz', a=np.ones(3, 'float16'))\n"
                                 "np.savez('cube.npz', a=np.ones((2, 2, 2)))\n"))
        skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        support_memory memory;
        ch_npz_array *arrays = NULL;
        int count = -7;
        ch_context *context = support_context(&memory, 1);
        support_check(ch_npz_read(context, &arrays, &count, support_path("%s", names[k])) ==
                          CH_ERR_UNSUPPORTED,
                      "%s: %s", names[k], ch_context_message(context));
        support_message(context, "conehull did not write this file");
        assert_int_equal(count, -7);
        support_finish(context, &memory);
    }
}

static void test_texts(void **state) {
    static const char zero[] = "first\nsec\0nd\n";
    support_memory memory;
    ch_text_list lines;
    ch_corpus corpus = {.size = sizeof corpus};
    size_t count;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    support_file_write(support_path("zero.txt"), zero, sizeof zero - 1);
    assert_int_equal(ch_text_list_read(context, &lines, support_path("zero.txt"), -1, NULL),
                     CH_ERR_FORMAT);
    support_message(context, "line 2: the line contains a zero byte");
    gzFile file = gzopen(support_path("cut.txt.gz"), "wb");
    for (int k = 0; k < 4000; k++) gzprintf(file, "word%d stands here\n", k * k);
    gzclose(file);
    unsigned char *bytes = support_file_read(support_path("cut.txt.gz"), &count);
    support_file_write(support_path("cut.txt.gz"), bytes, count / 2);
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("cut.txt.gz"), NULL),
                     CH_ERR_FORMAT);
    support_message(context, "compressed data are truncated or damaged");
    memset(bytes + count / 3, 0xff, 200);
    support_file_write(support_path("cut.txt.gz"), bytes, count);
    assert_int_equal(ch_corpus_read(context, &corpus, support_path("cut.txt.gz"), NULL),
                     CH_ERR_FORMAT);
    support_message(context, "compressed data are truncated or damaged");
    free(bytes);
    support_finish(context, &memory);
}

/* No name, an empty one, and one longer than any path: words instead of a look at the disk. */
static void test_names(void **state) {
    char vast[6000];
    const char *const names[] = {NULL, "", vast};
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    memset(vast, 'x', sizeof vast - 1);
    vast[sizeof vast - 1] = '\0';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ch_status expected = k < 2 ? CH_ERR_ARGUMENT : CH_ERR_IO;
        ch_picture picture;
        ch_masks masks = {.size = sizeof masks};
        ch_corpus corpus = {.size = sizeof corpus};
        ch_matrix X;
        ch_text_list lines;
        ch_checkpoint_file *file;
        const ch_status got[] = {
            ch_picture_read(context, &picture, names[k]),
            ch_masks_read(context, &masks, names[k]),
            ch_corpus_read(context, &corpus, names[k], NULL),
            ch_matrix_read(context, &X, names[k], NULL),
            ch_text_list_read(context, &lines, names[k], -1, NULL),
            ch_checkpoint_file_open(context, &file, names[k], 1),
        };
        for (size_t i = 0; i < sizeof got / sizeof *got; i++)
            support_check(got[i] == expected, "name %d, reader %d: %d", (int)k, (int)i, got[i]);
    }
    support_finish(context, &memory);
}

static void test_video_names(void **state) {
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    ch_feed *feed;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ch_clip_read(context, &clip, k ? "" : NULL, NULL), CH_ERR_ARGUMENT);
        assert_int_equal(ch_feed_open(context, &feed, k ? "" : NULL, NULL), CH_ERR_ARGUMENT);
    }
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hdf5),
        cmocka_unit_test(test_hdf5_scratch),
        cmocka_unit_test(test_mat73),
        cmocka_unit_test(test_mat_elements),
        cmocka_unit_test(test_mat),
        cmocka_unit_test(test_mat_cut),
        cmocka_unit_test(test_npz),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_foreign_arrays),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_video_names),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
