/* HDF5 files as the library itself writes them, with any shapes, types and values in them: a matrix
 * as a data set, or the parts of a sparse one in a group, and both as MATLAB 7.3 has them; or a
 * link, a storage or a virtual set that leads to another file, of which nothing may be read. What
 * the bytes of a file can do to HDF5 is another matter (fuzz_h5, SECURITY.md). */
#include "fuzz.h"
#include <conehull/io.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
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
        hsize_t chunk[2]; /* no larger than the set */
        for (int d = 0; d < dims; d++) chunk[d] = sizes[d] < 4 ? sizes[d] + !sizes[d] : 4;
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

static void add_sizes(hid_t group, const char *name, hsize_t count, fuzz_bytes *bytes) {
    int64_t sizes[2];
    unsigned large = fuzz_byte(bytes);
    for (hsize_t d = 0; d < count; d++) {
        sizes[d] = fuzz_byte(bytes) % 33;
        if (large >> d & 1) sizes[d] = (int64_t)((uint64_t)sizes[d] << (large >> 2));
    }
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t attribute = H5Acreate2(group, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, sizes);
    H5Aclose(attribute);
    H5Sclose(space);
}

enum { TEXT = 10 };

static void add_text(hid_t object, const char *name, const char text[TEXT], int variable) {
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : TEXT);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, variable ? (const void *)&text : text);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

static void add_class(hid_t object, fuzz_bytes *bytes) {
    static const char classes[][TEXT] = {"double", "single", "logical", "uint8",
                                         "char",   "cell",   "int64",   ""};
    unsigned which = fuzz_byte(bytes);
    add_text(object, "MATLAB_class", classes[which % 8], which >> 3 & 1);
    if (which >> 4 & 1) add_sizes(object, "MATLAB_empty", 1, bytes);
}

static const char *const parts[2][4] = {{"data", "indices", "indptr", "shape"},
                                        {"data", "ir", "jc", "jc"}};

/* MATLAB leaves the first two parts out where there are no entries. */
static void add_sparse(hid_t file, unsigned what, int matlab, fuzz_bytes *bytes) {
    hid_t group = H5Gcreate2(file, "X", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int p = matlab && what & 4 ? 2 : 0; p < 3; p++) add_set(group, parts[matlab][p], bytes);
    if (what & 2) add_sizes(group, matlab ? "MATLAB_sparse" : "shape", matlab ? 1 : 2, bytes);
    if (what & 4 && !matlab) add_set(group, "shape", bytes);
    if (what & 64) {
        unsigned how = fuzz_byte(bytes);
        add_elsewhere(group, parts[matlab][how >> 3 & 3], how);
    }
    if (what & 8 && matlab) add_class(group, bytes);
    if (what & 8 && !matlab)
        add_text(group, "encoding-type", what & 16 ? "csr_matrix" : "csc_matrix", 0);
    H5Gclose(group);
}

static void write_file(const char *path, int matlab, fuzz_bytes *bytes) {
    hid_t made = H5Pcreate(H5P_FILE_CREATE);
    if (matlab) H5Pset_userblock(made, 512);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, made, H5P_DEFAULT);
    unsigned what = fuzz_byte(bytes);
    fuzz_require(file >= 0, "%s cannot be written", path);
    if (what & 1) add_sparse(file, what, matlab, bytes);
    if (what & 32 || !(what & 1)) {
        add_set(file, "Y", bytes);
        hid_t set = matlab && what & 16 ? H5Dopen2(file, "Y", H5P_DEFAULT) : -1;
        if (set >= 0) add_class(set, bytes);
        if (set >= 0) H5Dclose(set);
    }
    if (what & 128) add_elsewhere(file, "Y", fuzz_byte(bytes));
    H5Fclose(file);
    H5Pclose(made);
}

/* The words of MATLAB in the user block. */
static void write_head(const char *path) {
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head, "MATLAB 7.3 MAT-file", 19);
    memset(head + 116, 0, 8);
    memcpy(head + 124, "\0\2IM", 4);
    FILE *file = fopen(path, "r+b");
    fuzz_require(file && fwrite(head, 1, sizeof head, file) == sizeof head && !fclose(file),
                 "%s cannot be changed", path);
}

/* The first byte: the variable, two bits; transpose; scratch; MATLAB. */
int fuzz_hdf5(const uint8_t *input, size_t count) {
    fuzz_run run;
    static const char *const variables[] = {NULL, "X", "Y", "/X/data"};
    fuzz_bytes bytes = {input, count};
    ch_matrix X = {.rows = -7};
    unsigned ways = fuzz_byte(&bytes);
    int matlab = ways >> 4 & 1;
    const char *path = fuzz_path(matlab ? "-built.mat" : "-built.h5");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ch_matrix_names names = {.size = sizeof names};
    ch_matrix_read_settings settings = {.size = sizeof settings,
                                        .var = variables[ways & 3],
                                        .transpose = ways >> 2 & 1,
                                        .scratch = ways >> 3 & 1 ? fuzz_folder() : NULL,
                                        .names = &names};
    fuzz_begin(&run, count);
    if (settings.scratch) ch_context_set_memory_limit(run.context, fuzz_limit(&bytes));
    write_file(path, matlab, &bytes);
    if (matlab) write_head(path);
    fuzz_handles_mark();
    ch_status status = ch_matrix_read(run.context, &X, path, &settings);
    fuzz_handles_closed();
    ch_context_set_memory_limit(run.context, 0);
    ch_matrix_names_free(run.context, &names);
    if (status == CH_OK) {
        ch_status checked = ch_matrix_check(run.context, &X);
        fuzz_require(checked == CH_OK || checked == CH_ERR_DATA, "a broken matrix: %s",
                     ch_context_message(run.context));
        for (int64_t k = 0; k < X.rows && X.cols > 0; k++)
            fuzz_require(ch_matrix_at(&X, k, X.cols - 1) != SECRET, "read from another file");
        for (int64_t j = 0; j < X.cols && X.rows > 0; j++)
            fuzz_require(ch_matrix_at(&X, 0, j) != SECRET, "read from another file");
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
