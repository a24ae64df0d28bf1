/* Files that are whole from the outside and wrong inside: what they promise and what they hold
 * differ. Each is refused with words that name what is wrong, and leaves its output alone. Made by
 * NumPy, SciPy and h5py; skipped without them. */
#include "support_files.h"
#include <conehull/io.h>
#include <stdio.h>

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
        ch_read_settings settings = {.var = row->var};
        ch_status status = ch_read_matrix(context, &X, support_path("%s", row->name), &settings);
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
            "with open('torn.h5', 'r+b') as f: f.seek(place + 100); f.write(b'\\xff' * 400)\n"))
        skip();
    static const refusal rows[] = {
        {"floats.h5", NULL, CH_ERR_FORMAT, "indptr is not a list of integers"},
        {"square.h5", NULL, CH_ERR_FORMAT, "data is not a list of real numbers"},
        {"words.h5", NULL, CH_ERR_FORMAT, "data is not a list of real numbers"},
        {"fewer.h5", NULL, CH_ERR_FORMAT, "1 indices for 2 values"},
        {"noshape.h5", "X", CH_ERR_FORMAT, "has no shape"},
        {"offsets.h5", NULL, CH_ERR_FORMAT, "2 offsets fit neither rows nor columns of 3 x 2"},
        {"group.h5", "X", CH_ERR_FORMAT, "neither a data set nor a sparse matrix"},
        {"many.h5", NULL, CH_ERR_ARGUMENT, ", ..."},
        {"vast.h5", "X", CH_ERR_UNSUPPORTED, "dimensions"},
        {"torn.h5", NULL, CH_ERR_FORMAT, "the values cannot be read"},
    };
    CHECK(rows);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    support_check(ch_read_matrix(context, &X, support_path("root.h5"), NULL) == CH_OK, "%s",
                  ch_context_message(context));
    support_close(ch_matrix_at(&X, 2, 1), 2, 0);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
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
            "ints(0, 2, 9))\n"))
        skip();
    static const refusal rows[] = {
        {"row.mat", NULL, CH_ERR_FORMAT, "row 7 of entry 1 is outside 0..2"},
        {"last.mat", NULL, CH_ERR_FORMAT, "promises 9 entries"},
    };
    CHECK(rows);
}

static void test_npz(void **state) {
    (void)state;
    if (!support_python("numpy", "import numpy as np, io, zipfile\n"
                                 "def pack(name, shape, bytes):\n"
                                 "    head = io.BytesIO()\n"
                                 "    np.lib.format.write_array_header_1_0(head, {'descr': '<f8', "
                                 "'fortran_order': False, 'shape': shape})\n"
                                 "    with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as z:\n"
                                 "        z.writestr('X.npy', head.getvalue() + b'\\0' * bytes)\n"
                                 "pack('short.npz', (40, 50), 15992); pack('long.npz', (40, 50), "
                                 "16008); pack('over.npz', (2, 2), 4096)\n"
                                 "pack('huge.npz', (2**40, 2**19), 64)\n"))
        skip();
    static const refusal rows[] = {
        {"short.npz", NULL, CH_ERR_FORMAT, "promises 16000 bytes of values, there are 15992"},
        {"long.npz", NULL, CH_ERR_FORMAT, "promises 16000 bytes of values, there are at least"},
        {"over.npz", NULL, CH_ERR_FORMAT, "promises 32 bytes of values, there are at least"},
        {"huge.npz", NULL, CH_ERR_FORMAT, "huge.npz"},
    };
    CHECK(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hdf5),
        cmocka_unit_test(test_mat),
        cmocka_unit_test(test_npz),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
