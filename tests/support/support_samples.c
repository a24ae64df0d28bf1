/* Sample files, written by the library where it can and by Python where it cannot. */
#include "support_samples.h"
#include <conehull/io.h>
#include <unistd.h>

enum { ROWS = 7, COLS = 5 };

const support_sample support_samples[SUPPORT_SAMPLES] = {
    {"dense.npy", 0, 0},    {"big.npy", 0, 0},       {"dense.mtx", 1, 0},  {"sparse.mtx", 1, 0},
    {"shuffled.mtx", 1, 0}, {"sparse.mtx.gz", 0, 0}, {"dense.csv", 1, 0},  {"dense.csv.gz", 0, 0},
    {"arrays.npz", 0, 0},   {"csr.npz", 0, 0},       {"coo.npz", 0, 0},    {"v5.mat", 0, 1},
    {"v7.mat", 0, 1},       {"sparse5.mat", 0, 1},   {"v4.mat", 0, 1},     {"dense.h5", 0, 1},
    {"sparse.h5", 0, 1},    {"packed.h5", 0, 1},     {"full73.mat", 0, 1}, {"sparse73.mat", 0, 1},
    {"tenx.h5", 0, 1},      {"root.h5", 0, 1}};

/* What C can write itself, then what needs NumPy, SciPy and h5py. */
int support_samples_make(void) {
    double numbers[ROWS * COLS];
    ch_context *context;
    for (int k = 0; k < ROWS * COLS; k++) numbers[k] = k % 3 ? k + 0.123456789012 : 0;
    ch_matrix X = {
        .rows = ROWS, .cols = COLS, .layout = CH_ROW_MAJOR, .values = numbers, .stride = COLS};
    ch_npz_array array = {"X", 'f', 2, {ROWS, COLS}, numbers};
    if (ch_context_create(&context, NULL)) return -1;
    ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
    static const char *const dense[] = {"dense.npy", "dense.mtx", "dense.csv", "dense.csv.gz"};
    int failed = ch_npz_write(context, support_path("arrays.npz"), &array, 1);
    for (int f = 0; f < 4; f++)
        failed |= ch_matrix_write(context, support_path("%s", dense[f]), &X);
    failed |= ch_matrix_write(context, support_path("sparse.mtx"), &S);
    failed |= ch_matrix_write(context, support_path("sparse.mtx.gz"), &S);
    ch_matrix_free(context, &S);
    ch_context_destroy(context);
    static const char shuffled[] = "%%MatrixMarket matrix coordinate integer symmetric\n"
                                   "4 4 6\n4 1 300\n2 1 2\n3 3 3\n2 1 4\n4 4 5\n1 1 6\n";
    support_file_write(support_path("shuffled.mtx"), shuffled, sizeof shuffled - 1);
    support_python(
        "numpy, scipy.io, scipy.sparse, h5py",
        "import numpy as np, scipy.io as sio, scipy.sparse as sp, h5py\n"
        "x = np.arange(35.).reshape(7, 5) + .25; x[x % 3 == .25] = 0; s = sp.csr_matrix(x)\n"
        "np.save('big.npy', x.astype('>i4')); sp.save_npz('csr.npz', s); sp.save_npz('coo.npz', "
        "s.tocoo())\n"
        "sio.savemat('v5.mat', {'X': x}); sio.savemat('v7.mat', {'X': x}, do_compression=True)\n"
        "sio.savemat('sparse5.mat', {'X': s.tocsc()}); sio.savemat('v4.mat', {'X': x}, "
        "format='4')\n"
        "with h5py.File('dense.h5', 'w') as f: f['X'] = x\n"
        "with h5py.File('packed.h5', 'w') as f: f.create_dataset('X', data=x, chunks=(3, 3), "
        "compression='gzip')\n"
        "with h5py.File('sparse.h5', 'w') as f:\n"
        "    g = f.create_group('X'); g.attrs['shape'] = x.shape; g.attrs['encoding-type'] = "
        "'csr_matrix'\n"
        "    g['data'], g['indices'], g['indptr'] = s.data, s.indices, s.indptr\n"
        "for name, group in ('tenx.h5', 'X'), ('root.h5', '/'):\n" /* shapes that are packed */
        "    with h5py.File(name, 'w') as f:\n"
        "        g = f.require_group(group)\n"
        "        g['data'], g['indices'], g['indptr'] = s.data, s.indices, s.indptr\n"
        "        g.create_dataset('shape', data=x.shape, compression='gzip')\n"
        "        if group == '/': f['Y'] = x[:2]\n" /* not to be taken in its place */
        "y = np.arange(2000.).reshape(40, 50)\n"
        "for name, chunks in ('chunks.h5', (7, 11)), ('whole.h5', None):\n"
        "    with h5py.File(name, 'w') as f: f.create_dataset('X', data=y, chunks=chunks)\n"
        "def sparse(f):\n"
        "    g = f.create_group('X'); c = s.tocsc(); g.attrs['MATLAB_sparse'] = np.uint64(7)\n"
        "    g['data'], g['ir'], g['jc'] = c.data, c.indices, c.indptr\n"
        "def full(f): f['X'] = x.T\n"
        "for name, fill in (('full73.mat', full), ('sparse73.mat', sparse)):\n"
        "    with h5py.File(name, 'w', userblock_size=512) as f: fill(f)\n"
        "    with open(name, 'r+b') as f: f.seek(124); f.write(b'\\x00\\x02IM')\n");
    return failed ? -1 : 0;
}

int support_sample_exists(const char *name) {
    return access(support_path("%s", name), R_OK) == 0;
}
