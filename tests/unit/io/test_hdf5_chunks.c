/* Chunks that are shorter than they should be, which HDF5 would read beyond their end, or longer;
 * whole ones, packed in every known way; and groups of many objects. Skipped without h5py. */
#include "support_files.h"
#include <conehull/io.h>
#include <hdf5.h>
#include <stdio.h>

static const char make_files[] =
    "import h5py, numpy as np, zlib\n"
    "short, numbers = zlib.compress(bytes(38)), np.arange(1., 65.).reshape(8, 8)\n"
    "def packed(f, name, shape=(8, 8), chunks=(8, 8), **more):\n"
    "    return f.create_dataset(name, shape, 'f8', chunks=chunks, compression='gzip', **more)\n"
    "with h5py.File('short.h5', 'w') as f:\n"
    "    packed(f, 'X', shuffle=True).id.write_direct_chunk((0, 0), short)\n"
    "with h5py.File('bare.h5', 'w') as f: packed(f, 'X').id.write_direct_chunk((0, 0), bytes(38), "
    "1)\n"
    "with h5py.File('second.h5', 'w') as f:\n"
    "    X = packed(f, 'X', (8, 7), (4, 4))\n"
    "    X[...] = 1\n"
    "    X.id.write_direct_chunk((4, 4), short)\n"
    "with h5py.File('checked.h5', 'w') as f:\n"
    "    packed(f, 'X', fletcher32=True).id.write_direct_chunk((0, 0), bytes(514), 1)\n"
    "with h5py.File('list.h5', 'w') as f:\n"
    "    f['S/indices'], f['S/indptr'], f['S'].attrs['shape'] = [0, 1], [0, 1, 2], [2, 2]\n"
    "    packed(f, 'S/data', (2,), (2,)).id.write_direct_chunk((0,), zlib.compress(bytes(9)))\n"
    "with h5py.File('three.h5', 'w') as f:\n"
    "    packed(f, 'X', fletcher32=True).id.write_direct_chunk((0, 0), b'abc')\n"
    "with h5py.File('late.h5', 'w') as f:\n"
    "    packed(f, 'X', (1040, 8), (1, 8)).id.write_direct_chunk((1030, 0), "
    "zlib.compress(bytes(8)))\n"
    "with h5py.File('long.h5', 'w') as f:\n"
    "    packed(f, 'X').id.write_direct_chunk((0, 0), zlib.compress(bytes(1 << 24)))\n"
    "with h5py.File('list_of_8.h5', 'w', libver='earliest') as f:\n"
    "    f.create_dataset('X', data=np.ones((4, 40000)), chunks=(1, 40000))\n"
    "bytes_now = open('list_of_8.h5', 'rb').read()\n"
    "key = (320000).to_bytes(4, 'little') + bytes(4)\n" /* of a B-tree: length, mask, place */
    "assert bytes_now.count(key) >= 4\n"
    "open('list_of_8.h5', 'wb').write(bytes_now.replace(key, (8).to_bytes(4, 'little') + "
    "bytes(4)))\n"
    "for name, chunk in (('shape.h5', zlib.compress(bytes(9))), ('wide.h5', "
    "zlib.compress(np.random.bytes(1 << 20), 0))):\n"
    "    with h5py.File(name, 'w') as f:\n"
    "        f['S/indices'], f['S/indptr'], f['S/data'] = [0, 1], [0, 1, 2], [1., 2.]\n"
    "        packed(f, 'S/shape', (2,), (2,) if name == 'shape.h5' else (131072,), "
    "maxshape=(None,)).id.write_direct_chunk((0,), chunk)\n"
    "with h5py.File('orphan.h5', 'w', libver='earliest') as f:\n" /* a broken leaf, not needed */
    "    f['S/data'], f['S/indices'], f['S/indptr'] = [1., 2, 3], [0, 1, 2], [0, 1, 2, 3]\n"
    "    d = f.create_dataset('S/shape', (819200,), 'i8', chunks=(8192,), maxshape=(None,), "
    "compression='gzip')\n"
    "    for k in range(100): d.id.write_direct_chunk((k * 8192,), "
    "zlib.compress(np.full(8192, 3).tobytes()))\n"
    "    d.id.write_direct_chunk((0,), zlib.compress(bytes(8)))\n"
    "b = open('orphan.h5', 'rb').read()\n"
    "b = b.replace((819200).to_bytes(8, 'little') + b'\\xff' * 8, (2).to_bytes(8, 'little') + "
    "b'\\xff' * 8)\n"
    "open('orphan.h5', 'wb').write(b.replace(b'TREE\\1\\0', b'XXXX\\1\\0', 1))\n"
    "import struct\n"
    "with h5py.File('beyond.h5', 'w', libver='earliest') as f:\n"
    "    f.create_dataset('X', data=numbers, chunks=(4, 8))\n"
    "b = open('beyond.h5', 'rb').read()\n" /* chunks of 2^31 x 2^31 numbers of 8 bytes */
    "assert b.count(struct.pack('<III', 4, 8, 8)) == 1\n"
    "open('beyond.h5', 'wb').write(b.replace(struct.pack('<III', 4, 8, 8), "
    "struct.pack('<III', 1 << 31, 1 << 31, 8)))\n"
    "with h5py.File('cellranger.h5', 'w') as f:\n" /* chunks as Cell Ranger writes them */
    "    for name, values in (('data', numbers.T.ravel()), ('indices', np.tile(np.arange(8), 8)), "
    "('indptr', np.arange(0, 65, 8)), ('shape', np.array([8, 8], 'i4'))):\n"
    "        f.create_dataset('matrix/' + name, data=values, chunks=(80000,), maxshape=(None,), "
    "compression='gzip', shuffle=True)\n"
    "with h5py.File('whole.h5', 'w') as f:\n"
    "    for shuffle in (False, True):\n"
    "        for check in (False, True):\n"
    "            packed(f, f'X{shuffle:d}{check:d}', chunks=(3, 5), shuffle=shuffle, "
    "fletcher32=check)[...] = numbers\n"
    "    f.create_dataset('other', data=numbers.astype('i4'), chunks=(3, 5), scaleoffset=0)\n"
    "    f.create_dataset('checked', data=numbers, chunks=(3, 5), fletcher32=True)\n"
    "with h5py.File('crowd.h5', 'w') as f:\n"
    "    f['X'], f['a'], f['zz'] = numbers, 'text', numbers\n"
    "    for k in range(20000): f[f'b{k:05}'] = f['a']\n";

static int made; /* the files are there */

static void expect(const char *name, const char *var, ch_status expected, const char *words) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = {.rows = -7};
    ch_matrix_read_settings settings = {.size = sizeof settings, .var = var};
    ch_status status = ch_matrix_read(context, &X, support_path("%s", name), &settings);
    support_check(status == expected, "%s: %d, %s", name, status, ch_context_message(context));
    if (status == CH_OK) {
        for (int64_t i = 0; i < 8; i++)
            for (int64_t j = 0; j < 8; j++)
                support_close(ch_matrix_at(&X, i, j), (double)(8 * i + j + 1), 0);
        ch_matrix_free(context, &X);
    } else {
        support_message(context, words);
        assert_int_equal(X.rows, -7);
    }
    support_finish(context, &memory);
}

static void short_chunks_are_refused(void **state) {
    static const struct {
        const char *name, *words;
    } rows[] = {
        {"short.h5", "short.h5: X: the HDF5 data set is damaged: one of its chunks unpacks to 38 "
                     "bytes instead of 512"},
        {"bare.h5", "one of its chunks unpacks to 38 bytes instead of 512"},
        {"second.h5", "one of its chunks unpacks to 38 bytes instead of 128"},
        {"checked.h5", "one of its chunks unpacks to 510 bytes instead of 512"},
        {"three.h5", "one of its chunks unpacks to 0 bytes instead of 512"},
        {"late.h5", "one of its chunks unpacks to 8 bytes instead of 64"},
        {"long.h5", "one of its chunks unpacks to 16384 bytes instead of 512"},
        {"list_of_8.h5", "one of its chunks takes 8 bytes instead of 320000"},
        {"list.h5", "list.h5: S: the HDF5 data set is damaged: one of its chunks unpacks to 9 "
                    "bytes instead of 16"},
        {"shape.h5", "contains no matrix"},
        {"orphan.h5", "contains no matrix"},
        {"beyond.h5", "chunks of 18446744073709551615 bytes are too large"},
        {"wide.h5", "contains no matrix"},
    };
    (void)state;
    if (!made) skip();
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        expect(rows[r].name, NULL, CH_ERR_FORMAT, rows[r].words);
}

static void whole_chunks_are_read(void **state) {
    static const char *const names[] = {"X00", "X01", "X10", "X11", "other", "checked"};
    (void)state;
    if (!made) skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        expect("whole.h5", names[k], CH_OK, "");
    expect("cellranger.h5", NULL, CH_OK, "");
}

/* Chunks at the edge may be stored as they are, which no mask tells. */
static void bare_edges_are_read(void **state) {
    (void)state;
    hsize_t sizes[2] = {8, 8}, chunk[2] = {3, 5};
    double numbers[64];
    for (int k = 0; k < 64; k++) numbers[k] = k + 1;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, sizes, NULL);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(layout, 2, chunk);
    assert_true(H5Pset_chunk_opts(layout, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) >= 0);
    H5Pset_fletcher32(layout);
    hid_t file = H5Fcreate(support_path("edges.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t set = H5Dcreate2(file, "X", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(layout);
    H5Pclose(access);
    expect("edges.h5", NULL, CH_OK, "");
}

/* Of the names in order the first 20,000 are looked at, in a time that grows with their number. */
static void crowds_are_cut(void **state) {
    (void)state;
    if (!made) skip();
    expect("crowd.h5", "X", CH_OK, "");
    expect("crowd.h5", NULL, CH_OK, "");
    expect("crowd.h5", "zz", CH_ERR_ARGUMENT, "contains no matrix named");
}

static int make(void **state) {
    if (support_folder_make(state)) return -1;
    made = support_python("numpy, h5py", make_files);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_chunks_are_refused),
        cmocka_unit_test(whole_chunks_are_read),
        cmocka_unit_test(bare_edges_are_read),
        cmocka_unit_test(crowds_are_cut),
    };
    return cmocka_run_group_tests(tests, make, support_folder_remove);
}
