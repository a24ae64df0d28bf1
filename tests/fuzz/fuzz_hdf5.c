/* HDF5 files as the library itself writes them, with any shapes, types and values in them: a matrix
 * as a data set, or the parts of a sparse one in a group; or a link, a storage or a virtual set
 * that leads to another file, of which nothing may be read. What the bytes of a file can do to HDF5
 * is another matter (fuzz_h5, SECURITY.md). */
#include "fuzz.h"
#include <conehull/io.h>
#include <hdf5.h>
#include <unistd.h>

fuzz_target fuzz_hdf5;

enum { SECRET = 1000 }; /* no other value is as large */

static hid_t type_of(unsigned byte) {
    const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64,  H5T_NATIVE_UINT8,
                           H5T_NATIVE_FLOAT,  H5T_NATIVE_INT16, H5T_NATIVE_UINT16, H5T_STD_I64BE};
    return types[byte % 8];
}

/* A set of one or two dimensions, small numbers in it; sometimes its values are never written. */
static void add_set(hid_t where, const char *name, fuzz_bytes *bytes) {
    double values[64];
    unsigned kind = fuzz_byte(bytes), shape = fuzz_byte(bytes);
    hsize_t sizes[2] = {1 + shape % 8, 1 + shape / 8 % 8};
    int dims = kind >> 3 & 1 ? 2 : 1;
    if (dims == 1) sizes[0] = shape % 33;
    if (kind >> 7 && dims == 1) sizes[0] = (hsize_t)1 << (shape % 63); /* promised, never there */
    hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    if (kind >> 4 & 1) {
        hsize_t chunk[2] = {4, 4};
        H5Pset_chunk(plain, dims, chunk);
        H5Pset_deflate(plain, 1);
    }
    hid_t space = H5Screate_simple(dims, sizes, kind >> 7 ? NULL : sizes);
    hid_t set = H5Dcreate2(where, name, type_of(kind), space, H5P_DEFAULT, plain, H5P_DEFAULT);
    for (int v = 0; v < 64; v++) values[v] = (double)(int8_t)fuzz_byte(bytes);
    if (!(kind >> 7) && (kind >> 5 & 3) != 3 && set >= 0)
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0) H5Dclose(set);
    if (space >= 0) H5Sclose(space);
    H5Pclose(plain);
}

static void write_secret(void) {
    double values[16];
    hsize_t sizes[2] = {4, 4};
    for (int v = 0; v < 16; v++) values[v] = SECRET;
    fuzz_write(fuzz_path("-other.bin"), (const uint8_t *)values, sizeof values);
    hid_t file = H5Fcreate(fuzz_path("-other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, sizes, NULL);
    hid_t set =
        H5Dcreate2(file, "Z", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

/* A matrix of another file under that name, by one way or another. */
static void add_elsewhere(hid_t where, const char *name, unsigned how) {
    hsize_t sizes[2] = {16, 1};
    int dims = how >> 2 & 1 ? 2 : 1;
    if (dims == 2) sizes[0] = sizes[1] = 4;
    hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(dims, sizes, NULL);
    write_secret();
    H5Ldelete(where, name, H5P_DEFAULT);
    switch (how & 3) {
    case 0:
        H5Lcreate_external(fuzz_path("-other.h5"), "Z", where, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lcreate_external(fuzz_path("-other.h5"), "/", where, "away", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("away/Z", where, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 2:
        H5Pset_external(made, fuzz_path("-other.bin"), 0, H5F_UNLIMITED);
        break;
    default:
        H5Pset_virtual(made, space, fuzz_path("-other.h5"), "Z", space);
    }
    hid_t set =
        how & 2 ? H5Dcreate2(where, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT)
                : -1;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Pclose(made);
}

static void add_shape(hid_t group, fuzz_bytes *bytes) {
    hsize_t two = 2;
    int64_t shape[2];
    unsigned large = fuzz_byte(bytes);
    for (int d = 0; d < 2; d++) {
        shape[d] = fuzz_byte(bytes) % 33;
        if (large >> d & 1) shape[d] = (int64_t)((uint64_t)shape[d] << (large >> 2));
    }
    hid_t space = H5Screate_simple(1, &two, NULL);
    hid_t attribute = H5Acreate2(group, "shape", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, shape);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void add_text(hid_t group, const char *text) {
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 10);
    hid_t attribute = H5Acreate2(group, "encoding-type", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

static void write_file(const char *path, fuzz_bytes *bytes) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    unsigned what = fuzz_byte(bytes);
    fuzz_require(file >= 0, "%s cannot be written", path);
    if (what & 1) {
        hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        add_set(group, "data", bytes);
        add_set(group, "indices", bytes);
        add_set(group, "indptr", bytes);
        if (what & 2) add_shape(group, bytes);
        if (what & 4) add_set(group, "shape", bytes);
        if (what & 64) {
            static const char *const parts[] = {"data", "indices", "indptr", "shape"};
            unsigned how = fuzz_byte(bytes);
            add_elsewhere(group, parts[how >> 3 & 3], how);
        }
        if (what & 8) add_text(group, what & 16 ? "csr_matrix" : "csc_matrix");
        H5Gclose(group);
    }
    if (what & 32 || !(what & 1)) add_set(file, "Y", bytes);
    if (what & 128) add_elsewhere(file, "Y", fuzz_byte(bytes));
    H5Fclose(file);
}

int fuzz_hdf5(const uint8_t *input, size_t count) {
    fuzz_run run;
    fuzz_bytes bytes = {input, count};
    ch_matrix X = {.rows = -7};
    const char *path = fuzz_path("-built.h5");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ch_read_settings settings = {fuzz_byte(&bytes) & 1 ? "X" : NULL, 0, 0, NULL};
    write_file(path, &bytes);
    fuzz_begin(&run, count);
    fuzz_handles_mark();
    ch_status status = ch_read_matrix(run.context, &X, path, &settings);
    fuzz_handles_closed();
    if (status == CH_OK) {
        ch_status checked = ch_matrix_check(run.context, &X);
        fuzz_require(checked == CH_OK || checked == CH_ERR_DATA, "a broken matrix: %s",
                     ch_context_message(run.context));
        for (int64_t k = 0; k < X.rows && X.cols > 0; k++)
            fuzz_require(ch_matrix_at(&X, k, 0) != SECRET, "read from another file");
        ch_matrix_free(run.context, &X);
    } else {
        fuzz_require(X.rows == -7, "the output was changed");
    }
    fuzz_end(&run, status);
    unlink(path);
    unlink(fuzz_path("-other.h5"));
    unlink(fuzz_path("-other.bin"));
    return 0;
}
