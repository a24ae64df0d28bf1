/* The same numbers written by NumPy, SciPy and h5py in every container, then read: each must give
 * the same matrix. Skipped without those packages. */
#include "support_files.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 6, COLS = 5 };

/* Small whole numbers fit every type; halves need floats. */
static double number(int64_t i, int64_t j, int half) {
    int64_t k = (i * 7 + j * 3) % 11;
    return k < 5 ? 0 : (double)k + (half ? 0.5 : 0);
}

static void fill(double *numbers, int half) {
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++) numbers[i * COLS + j] = number(i, j, half);
}

static void check_file(const char *name, const char *var, int half, int type) {
    double numbers[ROWS * COLS];
    fill(numbers, half);
    ch_matrix X,
        expected = {
            .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int transpose = 0; transpose < 2; transpose++) {
        ch_matrix_read_settings settings = {
            .size = sizeof settings, .var = var, .transpose = transpose};
        ch_status status = ch_matrix_read(context, &X, support_path("%s", name), &settings);
        support_check(status == CH_OK, "%s: %s", name, ch_context_message(context));
        ch_matrix turned = expected;
        if (transpose) assert_int_equal(ch_matrix_transpose(context, &turned, &expected), CH_OK);
        support_same_matrix(&X, &turned);
        support_check(ch_matrix_check(context, &X) == CH_OK, "%s: %s", name,
                      ch_context_message(context));
        support_check(type < 0 || X.type == (ch_value_type)type, "%s: type %s", name,
                      ch_value_type_name(X.type));
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* Sizes, type and sum of all values. */
static void check_some(const char *path, int64_t rows, int64_t cols, ch_value_type type,
                       double sum) {
    ch_matrix X;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    support_check(ch_matrix_read(context, &X, path, NULL) == CH_OK, "%s",
                  ch_context_message(context));
    assert_int_equal(X.rows, rows);
    assert_int_equal(X.cols, cols);
    assert_int_equal(X.type, type);
    for (int64_t k = 0; k < rows * cols; k++) sum -= ch_matrix_at(&X, k % rows, k / rows);
    support_close(sum, 0, 0);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void check_refused(const char *name, const char *var, ch_status expected,
                          const char *words) {
    ch_matrix X = {.rows = -7};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = var};
    ch_status status = ch_matrix_read(context, &X, support_path("%s", name), &settings);
    support_check(status == expected, "%s: %d, %s", name, status, ch_context_message(context));
    support_message(context, words);
    support_message(context, name);
    assert_int_equal(X.rows, -7);
    support_finish(context, &memory);
}

#define MATRIX                                                             \
    "import numpy as np\n"                                                 \
    "def matrix(half):\n"                                                  \
    "    k = np.fromfunction(lambda i, j: (i * 7 + j * 3) % 11, (6, 5))\n" \
    "    return np.where(k < 5, 0, k + (0.5 if half else 0))\n"            \
    "whole, real = matrix(0), matrix(1)\n"

static const struct {
    const char *name;
    int half;
    ch_value_type dense, sparse; /* storage */
} types[] = {
    {"bool_", -1, CH_U8, CH_U8},    {"int8", 0, CH_F32, CH_U8},     {"int16", 0, CH_F32, CH_U8},
    {"int32", 0, CH_F64, CH_U8},    {"int64", 0, CH_F64, CH_U8},    {"uint8", 0, CH_U8, CH_U8},
    {"uint16", 0, CH_U16, CH_U8},   {"uint32", 0, CH_F64, CH_U8},   {"uint64", 0, CH_F64, CH_U8},
    {"float16", 1, CH_F32, CH_F32}, {"float32", 1, CH_F32, CH_F32}, {"float64", 1, CH_F64, CH_F64}};
enum { TYPES = sizeof types / sizeof *types };

static void test_npy(void **state) {
    (void)state;
    if (!support_python(
            "numpy",
            MATRIX "for t in 'int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 "
                   "float64'.split():\n"
                   "    for order in 'CF':\n"
                   "        for end in '<>':\n"
                   "            a = (real if t.startswith('f') else "
                   "whole).astype(np.dtype(t).newbyteorder(end), order=order)\n"
                   "            np.save(f'{t}_{order}{dict(zip(\"<>\", \"lb\"))[end]}.npy', a)\n"
                   "            np.savez_compressed(f'{t}_{order}{dict(zip(\"<>\", "
                   "\"lb\"))[end]}.npz', a=a)\n"))
        skip();
    for (int t = 1; t < TYPES; t++)
        for (int order = 0; order < 2; order++)
            for (int end = 0; end < 2; end++)
                for (int z = 0; z < 2; z++) {
                    char name[64];
                    snprintf(name, sizeof name, "%s_%c%c.np%c", types[t].name, "CF"[order],
                             "lb"[end], "yz"[z]);
                    check_file(name, z ? "a" : NULL, types[t].half, (int)types[t].dense);
                    if (z) check_file(name, NULL, types[t].half, (int)types[t].dense);
                }
}

static void test_scipy_npz(void **state) {
    (void)state;
    if (!support_python(
            "numpy, scipy.sparse", MATRIX
            "import scipy.sparse as sp\n"
            "for t in 'int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 "
            "float64'.split():\n"
            "    a = (real if t.startswith('f') else whole).astype(t)\n"
            "    for f in ('csc', 'csr', 'coo'):\n"
            "        sp.save_npz(f'{t}_{f}.npz', sp.coo_matrix(a).asformat(f))\n"
            "m = sp.coo_matrix(real)\n"
            "order = np.random.RandomState(3).permutation(m.nnz)\n"
            "r, c, v = (np.concatenate([x[order], x[order][:9]]) for x in (m.row, m.col, m.data))\n"
            "v[:9] /= 2; v[-9:] /= 2\n"
            "sp.save_npz('dup_coo.npz', sp.coo_matrix((v, (r, c)), shape=m.shape))\n"
            "q = sp.csr_matrix(real); q.indices = q.indices[::1].copy()\n"
            "for i in range(6):\n"
            "    s = slice(q.indptr[i], q.indptr[i + 1]); q.indices[s] = q.indices[s][::-1]; "
            "q.data[s] = q.data[s][::-1]\n"
            "sp.save_npz('unsorted_csr.npz', q)\n"
            "sp.save_npz('complex.npz', sp.csc_matrix(real * 1j))\n"
            "sp.save_npz('dia.npz', sp.dia_matrix(real))\n"
            "sp.save_npz('empty.npz', sp.csc_matrix((4, 3)))\n"
            "np.savez('bad_index.npz', format=b'csc', shape=(6, 5), data=[1.], indices=[6], "
            "indptr=[0, 1, 1, 1, 1, 1])\n"
            "np.savez('bad_start.npz', format='csc', shape=(6, 5), data=[1.], indices=[5], "
            "indptr=[0, 1, 0, 1, 1, 1])\n"
            "np.savez('bad_count.npz', format='csc', shape=(6, 5), data=[1.], indices=[5], "
            "indptr=[0, 1, 1])\n"
            "np.savez('bad_shape.npz', format='csc', shape=(6, 5, 4), data=[1.], indices=[5], "
            "indptr=[0, 1, 1])\n"
            "np.savez('huge.npz', format='csc', shape=(6, 1 << 50), data=[1.], indices=[5], "
            "indptr=[0, 1, 1])\n"
            "np.savez('coo_out.npz', format='coo', shape=(6, 5), data=[1.], row=[5], col=[-1])\n"))
        skip();
    for (int t = 1; t < TYPES; t++)
        for (int f = 0; f < 3; f++) {
            char name[64];
            if (!strcmp(types[t].name, "float16")) continue;
            snprintf(name, sizeof name, "%s_%s.npz", types[t].name,
                     (const char *[]){"csc", "csr", "coo"}[f]);
            check_file(name, NULL, types[t].half, (int)types[t].sparse);
        }
    check_file("dup_coo.npz", NULL, 1, CH_F64);
    check_file("unsorted_csr.npz", NULL, 1, CH_F64);
    check_refused("complex.npz", NULL, CH_ERR_FORMAT, "'<c16'");
    check_refused("dia.npz", NULL, CH_ERR_FORMAT, "data");
    check_refused("bad_index.npz", NULL, CH_ERR_FORMAT, "index 6");
    check_refused("bad_start.npz", NULL, CH_ERR_FORMAT, "offsets");
    check_refused("bad_count.npz", NULL, CH_ERR_FORMAT,
                  "the array indptr of the sparse matrix has 3 numbers, but it must have 6");
    check_refused("bad_shape.npz", NULL, CH_ERR_FORMAT, "shape");
    check_refused("huge.npz", NULL, CH_ERR_UNSUPPORTED, "too large");
    check_refused("coo_out.npz", NULL, CH_ERR_FORMAT, "column -1");
}

static void test_npz_choice(void **state) {
    (void)state;
    if (!support_python(
            "numpy", MATRIX
            "np.savez('two.npz', a=real, b=whole, list=[1, 2, 3], one=1)\n"
            "np.savez('vectors.npz', a=real, list=[1, 2, 3], one=1, text='abc')\n"
            "np.savez('none.npz', text='abc')\n"
            "np.savez('cube.npz', c=np.zeros((2, 2, 2)))\n"
            "import zipfile\n"
            "z = zipfile.ZipFile('other.npz', 'w'); z.writestr('readme.txt', 'hello'); z.close()\n"
            "b = bytearray(open('vectors.npz', 'rb').read()); b[200] ^= 255; open('crc.npz', "
            "'wb').write(b)\n"))
        skip();
    check_refused("two.npz", NULL, CH_ERR_ARGUMENT, "a (6 x 5), b (6 x 5)");
    check_refused("two.npz", "c", CH_ERR_ARGUMENT, "\"c\"");
    check_file("two.npz", "b", 0, -1);
    check_file("vectors.npz", NULL, 1, -1);
    check_refused("vectors.npz", "text", CH_ERR_UNSUPPORTED, "'<U3'");
    check_refused("none.npz", NULL, CH_ERR_FORMAT, "no matrix");
    check_refused("other.npz", NULL, CH_ERR_FORMAT, "no matrix");
    check_refused("cube.npz", "c", CH_ERR_UNSUPPORTED, "3 dimensions");
    check_refused("crc.npz", NULL, CH_ERR_FORMAT, "damaged");
}

static void test_matrix_market(void **state) {
    (void)state;
    if (!support_python("numpy, scipy.io, scipy.sparse", MATRIX
                        "import scipy.io as sio, scipy.sparse as sp, gzip, shutil\n"
                        "sio.mmwrite('s.mtx', sp.coo_matrix(real)); sio.mmwrite('d.mtx', real)\n"
                        "sio.mmwrite('i.mtx', sp.coo_matrix(whole.astype(int)))\n"
                        "for n in 'sdi':\n"
                        "    with open(n + '.mtx', 'rb') as f, gzip.open(n + '.mtx.gz', 'wb') as "
                        "g: shutil.copyfileobj(f, g)\n"))
        skip();
    check_file("s.mtx", NULL, 1, CH_F64);
    check_file("d.mtx", NULL, 1, CH_F64);
    check_file("i.mtx", NULL, 0, CH_U8);
    check_file("s.mtx.gz", NULL, 1, CH_F64);
    check_file("d.mtx.gz", NULL, 1, CH_F64);
    check_file("i.mtx.gz", NULL, 0, CH_U8);
    assert_int_equal(rename(support_path("s.mtx.gz"), support_path("noname")), 0);
    check_file("noname", NULL, 1, CH_F64);
}

static void test_csv(void **state) {
    (void)state;
    if (!support_python(
            "numpy", MATRIX
            "np.savetxt('a.csv', real, delimiter=','); np.savetxt('h.csv', real, delimiter=',', "
            "header='a,b,c,d,e')\n"
            "np.savetxt('a.tsv', real, delimiter='\\t', header='a\\tb\\tc\\td\\te', comments='')\n"
            "np.savetxt('a.csv.gz', real, delimiter=',')\n"))
        skip();
    check_file("a.csv", NULL, 1, CH_F64);
    check_file("h.csv", NULL, 1, CH_F64);
    check_file("a.tsv", NULL, 1, CH_F64);
    check_file("a.csv.gz", NULL, 1, CH_F64);
}

static void test_mat(void **state) {
    (void)state;
    if (!support_python(
            "numpy, scipy.io, scipy.sparse", MATRIX
            "import scipy.io as sio, scipy.sparse as sp\n"
            "for t in 'int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 "
            "float64'.split():\n"
            "    a = (real if t.startswith('f') else whole).astype(t)\n"
            "    sio.savemat(f'{t}_5.mat', {'X': a, 'r': 3}); sio.savemat(f'{t}_7.mat', {'X': a}, "
            "do_compression=True)\n"
            "for n, c in (('5', False), ('7', True)):\n"
            "    sio.savemat(f'sparse_{n}.mat', {'S': sp.csc_matrix(real)}, do_compression=c)\n"
            "sio.savemat('v4.mat', {'X': real}, format='4'); sio.savemat('sparse_v4.mat', {'X': "
            "sp.csc_matrix(real)}, format='4')\n"
            "sio.savemat('two.mat', {'X': real, 'Y': whole, 'name': 'text', 'Z': real * 1j, 'c': "
            "np.zeros((2, 2, 2))})\n"
            "sio.savemat('none.mat', {'name': 'text'})\n"))
        skip();
    for (int t = 1; t < TYPES; t++)
        for (int version = 5; version <= 7; version += 2) {
            char name[64];
            if (!strcmp(types[t].name, "float16")) continue;
            snprintf(name, sizeof name, "%s_%d.mat", types[t].name, version);
            check_file(name, NULL, types[t].half, (int)types[t].dense);
            check_file(name, "X", types[t].half, (int)types[t].dense);
        }
    check_file("sparse_5.mat", NULL, 1, CH_F64);
    check_file("sparse_7.mat", NULL, 1, CH_F64);
    check_file("v4.mat", NULL, 1, CH_F64);
    check_file("sparse_v4.mat", NULL, 1, CH_F64);
    check_file("two.mat", "Y", 0, CH_F64);
    check_refused("two.mat", NULL, CH_ERR_ARGUMENT, "X (6 x 5), Y (6 x 5)");
    check_refused("two.mat", "Z", CH_ERR_UNSUPPORTED, "complex");
    check_refused("two.mat", "name", CH_ERR_UNSUPPORTED, "not a matrix");
    check_refused("two.mat", "c", CH_ERR_UNSUPPORTED, "3 dimensions");
    check_refused("two.mat", "q", CH_ERR_ARGUMENT, "\"q\"");
    check_refused("none.mat", NULL, CH_ERR_FORMAT, "no matrix");
}

/* What SciPy does not write: the other byte order, values in a smaller type than that of their
 * class, contents within a tag, truth values; of version 4 every type. */
static void test_mat_stored(void **state) {
    (void)state;
    if (!support_python(
            "numpy", MATRIX
            "import struct, zlib\n"
            "types = {'i1': 1, 'u1': 2, 'i2': 3, 'u2': 4, 'i4': 5, 'u4': 6, 'f4': 7, 'f8': 9}\n"
            "def part(o, t, b):\n"
            "    if 0 < len(b) <= 4: return struct.pack(o + 'I', len(b) << 16 | t) + "
            "b.ljust(4, b'\\0')\n"
            "    return struct.pack(o + 'II', t, len(b)) + b + bytes(-len(b) % 8)\n"
            "def var(o, kind, parts, shape):\n"
            "    head = part(o, 6, struct.pack(o + '2I', kind, 0)) + part(o, 5, struct.pack(o + "
            "'2i', *shape)) + part(o, 1, b'X')\n"
            "    return head + b''.join(part(o, types[t], np.asarray(a).astype(o + t).tobytes()) "
            "for t, a in parts)\n"
            "def save(name, o, body, packed=False):\n"
            "    v = struct.pack(o + 'II', 14, len(body)) + body\n"
            "    z = zlib.compress(v)\n"
            "    head = b'MATLAB 5.0'.ljust(124) + struct.pack(o + 'H', 256) + (b'IM' if o == '<' "
            "else b'MI')\n"
            "    open(name, 'wb').write(head + (struct.pack(o + 'II', 15, len(z)) + z if packed "
            "else v))\n"
            "for o, n in ('<', 'little'), ('>', 'big'):\n"
            "    for p in (False, True):\n"
            "        for t in types:\n"
            "            save(f'{n}_{t}_{p}.mat', o, var(o, 6, [(t, (real if t[0] == 'f' else "
            "whole).T.ravel())], whole.shape), p)\n"
            "    s = np.nonzero(whole.T); at = np.searchsorted(s[0], range(6))\n"
            "    n1 = whole.T[s]; more = [0, 0]\n"
            "    save(f'{n}_sparse.mat', o, var(o, 5, [('i4', s[1]), ('u4', at), ('u1', n1)], "
            "whole.shape))\n"
            "    save(f'{n}_room.mat', o, var(o, 5, [('i4', list(s[1]) + more), ('i4', at), "
            "('f8', list(n1) + more)], whole.shape))\n"
            "    small = var(o, 9, [('u1', [1, 2, 3])], (1, 3)); save(f'{n}_tag.mat', o, small)\n"
            "    bits = var(o, 5 | 512, [('i4', s[1]), ('i4', at), ('u1', n1 > 0)], whole.shape)\n"
            "    save(f'{n}_bits.mat', o, bits)\n"
            "    i = bits.rindex(struct.pack(o + 'II', 2, len(n1)))\n"
            "    save(f'{n}_called.mat', o, bits[:i] + struct.pack(o + 'I', 9) + bits[i + 4:])\n"
            "    for k, t in enumerate(('f8', 'f4', 'i4', 'i2', 'u2', 'u1')):\n"
            "        head = struct.pack(o + '5i', (1000 if o == '>' else 0) + 10 * k, 6, 5, 0, 2)\n"
            "        open(f'{n}_old_{t}.mat', 'wb').write(head + b'X\\0' + "
            "whole.T.astype(o + t).tobytes())\n"
            "    three = [list(s[1] + 1) + [6], list(s[0] + 1) + [5], list(n1) + [0]]\n"
            "    head = struct.pack(o + '5i', 2 + (1000 if o == '>' else 0), len(n1) + 1, 3, 0, "
            "2)\n"
            "    for name, place in ('old', 5), ('wrong', 0), ('beyond', 7):\n"
            "        three[0][0] = place if name != 'old' else s[1][0] + 1\n"
            "        open(f'{n}_{name}_sparse.mat', 'wb').write(head + b'X\\0' + "
            "np.array(three).astype(o + 'f8').tobytes())\n"))
        skip();
    static const char *const orders[] = {"little", "big"};
    static const char *const stored[] = {"i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8"};
    static const char *const old[] = {"f8", "f4", "i4", "i2", "u2", "u1"};
    for (int o = 0; o < 2; o++) {
        char name[64];
        for (int t = 0; t < 8; t++)
            for (int packed = 0; packed < 2; packed++) {
                snprintf(name, sizeof name, "%s_%s_%s.mat", orders[o], stored[t],
                         packed ? "True" : "False");
                check_file(name, NULL, stored[t][0] == 'f', CH_F64);
            }
        for (int t = 0; t < 6; t++) {
            snprintf(name, sizeof name, "%s_old_%s.mat", orders[o], old[t]);
            check_file(name, NULL, 0, CH_F64);
        }
        snprintf(name, sizeof name, "%s_sparse.mat", orders[o]);
        check_file(name, NULL, 0, CH_U8);
        snprintf(name, sizeof name, "%s_room.mat", orders[o]);
        check_file(name, NULL, 0, CH_F64);
        snprintf(name, sizeof name, "%s_old_sparse.mat", orders[o]);
        check_file(name, NULL, 0, CH_F64);
        static const char *const outside[] = {"wrong", "beyond"};
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s_%s_sparse.mat", orders[o], outside[k]);
            check_refused(name, "X", CH_ERR_FORMAT,
                          "entry 0 of the sparse matrix \"X\" is outside its 6 rows and 5 columns");
        }
        check_some(support_path("%s_tag.mat", orders[o]), 1, 3, CH_U8, 6);
        for (int called = 0; called < 2; called++)
            check_some(support_path("%s_%s.mat", orders[o], called ? "called" : "bits"), ROWS, COLS,
                       CH_U8, 16);
    }
}

/* Version 7.3 is HDF5 with MATLAB's conventions: transposed, the class as an attribute, the number
 * of rows of a sparse matrix as another. */
static void test_mat_73(void **state) {
    (void)state;
    if (!support_python(
            "numpy, h5py, scipy.sparse", MATRIX
            "import h5py, scipy.sparse as sp\n"
            "def start(name):\n"
            "    f = h5py.File(name, 'w', userblock_size=512); f.close()\n"
            "    with open(name, 'r+b') as g:\n"
            "        g.write(b'MATLAB 7.3 MAT-file'.ljust(116) + b'\\0' * 8 + b'\\x00\\x02IM')\n"
            "    return h5py.File(name, 'r+')\n"
            "def label(o, c):\n" /* a C string without room for its zero, as MATLAB writes it */
            "    t = h5py.h5t.C_S1.copy(); t.set_size(len(c))\n"
            "    a = h5py.h5a.create(o.id, b'MATLAB_class', t, h5py.h5s.create(h5py.h5s.SCALAR))\n"
            "    a.write(np.array(c.encode()), mtype=t)\n"
            "def full(f, name, a, c):\n"
            "    d = f.create_dataset(name, data=a.T); label(d, c)\n"
            "with start('v73.mat') as f: full(f, 'X', real, 'double'); full(f, 'r', "
            "np.array([[3.]]), 'double')\n"
            "with start('u8_73.mat') as f: full(f, 'X', whole.astype('uint8'), 'uint8')\n"
            "with start('f32_73.mat') as f: full(f, 'X', real.astype('float32'), 'single')\n"
            "with start('sparse_73.mat') as f:\n"
            "    s = sp.csc_matrix(real); g = f.create_group('S'); label(g, 'double')\n"
            "    g.attrs['MATLAB_sparse'] = np.uint64(6)\n"
            "    g['data'] = s.data; g['ir'] = s.indices.astype('uint64'); g['jc'] = "
            "s.indptr.astype('uint64')\n"))
        skip();
    check_file("v73.mat", NULL, 1, CH_F64);
    check_file("v73.mat", "X", 1, CH_F64);
    check_file("u8_73.mat", NULL, 0, CH_U8);
    check_file("f32_73.mat", NULL, 1, CH_F32);
    check_file("sparse_73.mat", NULL, 1, CH_F64);
}

static void check_names(const char *file, const char *var, const char *rows, const char *columns) {
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    ch_matrix_names names = {.size = sizeof names};
    ch_matrix_read_settings set = {.size = sizeof set, .var = var, .names = &names};
    support_check(ch_matrix_read(context, &X, support_path("%s", file), &set) == CH_OK, "%s",
                  ch_context_message(context));
    support_check((names.rows.count ? names.rows.count == ROWS : !*rows) &&
                      (names.columns.count ? names.columns.count == COLS : !*columns),
                  "%s: %lld and %lld names", file, (long long)names.rows.count,
                  (long long)names.columns.count);
    if (names.rows.count) assert_string_equal(names.rows.text[ROWS - 1], rows);
    if (names.columns.count) assert_string_equal(names.columns.text[COLS - 1], columns);
    ch_matrix_names_free(context, &names);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

/* Cells and genes of AnnData, in variable and fixed length; 10x; lists that do not fit. */
static void test_hdf5_names(void **state) {
    (void)state;
    if (!support_python(
            "numpy, h5py, scipy.sparse", MATRIX
            "import h5py, scipy.sparse as sp\n"
            "long = h5py.special_dtype(vlen=str)\n"
            "def frame(f, name, index, words, kind):\n"
            "    g = f.create_group(name); g.attrs['_index'] = index\n"
            "    g.create_dataset(index, data=np.array(words, kind if kind != long else object), "
            "dtype=kind)\n"
            "m, n = real.shape\n"
            "cells = [f'cell {i}' for i in range(m)]; genes = [f'gene {j}' for j in range(n)]\n"
            "for file, kind, a in (('v.h5ad', long, cells), ('f.h5ad', 'S9', cells), "
            "('short.h5ad', "
            "long, cells[:-1])):\n"
            "    with h5py.File(file, 'w') as f:\n"
            "        f['X'] = real; f['layers/raw'] = real; frame(f, 'obs', 'barcode', a, kind); "
            "frame(f, 'var', '_index', genes, kind)\n"
            "        f['obsm/pca'] = real\n"
            "with h5py.File('tenx.h5', 'w') as f:\n"
            "    s = sp.csc_matrix(real); g = f.create_group('matrix')\n"
            "    g['data'] = s.data; g['indices'] = s.indices; g['indptr'] = s.indptr; g['shape'] "
            "= "
            "np.array(s.shape)\n"
            "    g['barcodes'] = np.array(genes, 'S'); g['features/name'] = np.array(cells, "
            "'S')\n"))
        skip();
    check_names("v.h5ad", "X", "cell 5", "gene 4");
    check_names("v.h5ad", "layers/raw", "cell 5", "gene 4");
    check_names("v.h5ad", "obsm/pca", "", "");
    check_names("f.h5ad", "X", "cell 5", "gene 4");
    check_names("short.h5ad", "X", "", "");
    check_names("tenx.h5", NULL, "cell 5", "gene 4");
}

static void test_hdf5(void **state) {
    (void)state;
    if (!support_python(
            "numpy, h5py, scipy.sparse", MATRIX
            "import h5py, scipy.sparse as sp\n"
            "def save(name, **sets):\n"
            "    with h5py.File(name, 'w') as f:\n"
            "        for k, v in sets.items(): f[k] = v\n"
            "for t in 'int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 "
            "float64'.split():\n"
            "    a = (real if t.startswith('f') else whole).astype(t)\n"
            "    save(f'{t}_l.h5', X=a, label='text', n=3); save(f'{t}_b.hdf5', "
            "X=a.astype(a.dtype.newbyteorder('>')))\n"
            "with h5py.File('packed.h5', 'w') as f:\n"
            "    f.create_dataset('deep/er/X', data=real, chunks=(2, 2), compression='gzip')\n"
            "save('two.h5', X=real, Y=whole, v=[1, 2, 3], z=real * 1j, s='text', cube=np.zeros((2, "
            "2, 2)))\n"
            "save('bool.h5', X=whole > 0)\n"
            "with h5py.File('never.h5', 'w') as f: f.create_dataset('X', (1000000, 1000000), "
            "chunks=(10, 10))\n"
            "def sparse(f, name, m, style, a):\n"
            "    g = f.create_group(name); g['data'] = m.data.astype(a); g['indices'] = m.indices; "
            "g['indptr'] = m.indptr\n"
            "    if style == 'tenx': g['shape'] = np.array(m.shape, 'int32')\n"
            "    else: g.attrs['shape'] = m.shape\n"
            "    if style == 'anndata': g.attrs['encoding-type'] = m.format + '_matrix'\n"
            "    if style == 'fixed': g.attrs['h5sparse_format'] = np.bytes_(m.format)\n"
            "for style in ('anndata', 'fixed', 'plain', 'tenx'):\n"
            "    for m in (sp.csc_matrix(real), sp.csr_matrix(real)):\n"
            "        with h5py.File(f'{style}_{m.format}.h5', 'w') as f: sparse(f, 'matrix', m, "
            "style, 'float32'); f['v'] = [1, 2]\n"
            "with h5py.File('counts.h5ad', 'w') as f: sparse(f, 'X', sp.csr_matrix(whole), "
            "'anndata', 'int64')\n"
            "with h5py.File('wrong.h5', 'w') as f:\n"
            "    m = sp.csc_matrix(real); m.indptr = m.indptr[:-1]; sparse(f, 'X', m, 'anndata', "
            "'float64')\n"
            "with h5py.File('out.h5', 'w') as f:\n"
            "    m = sp.csc_matrix(real); m.indices[0] = 6; sparse(f, 'X', m, 'anndata', "
            "'float64')\n"))
        skip();
    for (int t = 1; t < TYPES; t++)
        for (int end = 0; end < 2; end++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", types[t].name, end ? "b.hdf5" : "l.h5");
            check_file(name, NULL, types[t].half, (int)types[t].dense);
        }
    check_file("packed.h5", NULL, 1, CH_F64);
    check_file("packed.h5", "/deep/er/X", 1, CH_F64);
    check_file("two.h5", "Y", 0, CH_F64);
    check_refused("two.h5", NULL, CH_ERR_ARGUMENT, "X (6 x 5), Y (6 x 5)");
    check_refused("two.h5", "z", CH_ERR_UNSUPPORTED, "complex");
    check_refused("two.h5", "s", CH_ERR_UNSUPPORTED, "plain real numbers");
    check_refused("two.h5", "cube", CH_ERR_UNSUPPORTED,
                  "a matrix must have 2 dimensions, but this data set has 3");
    check_refused("two.h5", "q", CH_ERR_ARGUMENT, "\"q\"");
    check_refused("never.h5", NULL, CH_ERR_FORMAT, "ever written");
    static const char *const styles[] = {"anndata", "fixed", "plain", "tenx"};
    for (size_t s = 0; s < 4; s++)
        for (int f = 0; f < 2; f++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s.h5", styles[s], f ? "csr" : "csc");
            check_file(name, NULL, 1, CH_F32);
        }
    check_file("counts.h5ad", "X", 0, CH_U8);
    check_refused("wrong.h5", NULL, CH_ERR_FORMAT, "which fits neither the rows nor the columns");
    check_refused("out.h5", NULL, CH_ERR_FORMAT, "index 6");
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    support_check(ch_matrix_read(context, &X, support_path("bool.h5"), NULL) == CH_OK, "%s",
                  ch_context_message(context));
    assert_int_equal(X.type, CH_U8);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++)
            support_close(ch_matrix_at(&X, i, j), number(i, j, 0) > 0, 0);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),        cmocka_unit_test(test_scipy_npz),
        cmocka_unit_test(test_npz_choice), cmocka_unit_test(test_matrix_market),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_mat),
        cmocka_unit_test(test_mat_stored), cmocka_unit_test(test_mat_73),
        cmocka_unit_test(test_hdf5),       cmocka_unit_test(test_hdf5_names),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
