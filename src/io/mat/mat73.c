/* MATLAB files of version 7.3, which are HDF5 with conventions of MATLAB: every variable is an
 * object at the root with the attribute MATLAB_class; arrays are stored by column, so that HDF5
 * sees them transposed; a sparse matrix is a group with jc, ir and data (the last two absent when
 * it has no entries) and its number of rows in the attribute MATLAB_sparse; for an empty array only
 * the sizes are stored, as values, and the attribute MATLAB_empty is set. */
#include "io/hdf5/hdf5_file.h"
#include <stdio.h>
#include <string.h>

enum { VARIABLES_MAX = 20000 };

typedef enum { FULL, SPARSE, EMPTY, OTHER } kind;

static int64_t rows_of_sparse(hid_t group) {
    uint64_t rows = 0;
    hid_t attribute = H5Aopen(group, "MATLAB_sparse", H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    int got = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
              H5Aread(attribute, H5T_NATIVE_UINT64, &rows) >= 0;
    chi_hdf5_close(space);
    chi_hdf5_close(attribute);
    return got && rows <= INT64_MAX ? (int64_t)rows : -1;
}

/* A matrix has one offset more than columns. */
static int64_t cols_of_sparse(hid_t group, int *elsewhere) {
    hid_t set = chi_hdf5_open(group, "jc", elsewhere);
    chi_extent e = chi_hdf5_extent(set);
    chi_hdf5_close(set);
    return e.dims == 1 ? e.count - 1 : -1;
}

/* Objects of other classes (tables, dates, texts) are stored as numbers too, but mean something
 * else. */
static int holds_numbers(hid_t set) {
    static const char *const classes[] = {"",      "double", "single", "logical",
                                          "int8",  "uint8",  "int16",  "uint16",
                                          "int32", "uint32", "int64",  "uint64"};
    char class[64];
    chi_numbers n;
    size_t c = 0, count = sizeof classes / sizeof *classes;
    chi_hdf5_text(class, set, "MATLAB_class");
    while (c < count && strcmp(class, classes[c])) c++;
    return c < count && chi_hdf5_numbers(set, &n);
}

static kind kind_of(hid_t object) {
    H5I_type_t type = H5Iget_type(object);
    if (type == H5I_GROUP) return H5Aexists(object, "MATLAB_sparse") > 0 ? SPARSE : OTHER;
    if (type != H5I_DATASET || !holds_numbers(object)) return OTHER;
    if (H5Aexists(object, "MATLAB_empty") > 0) return EMPTY;
    return chi_hdf5_extent(object).dims == 2 ? FULL : OTHER;
}

static void offer(chi_pick *pick, hid_t object, const char *name) {
    int elsewhere;
    kind which = kind_of(object);
    chi_extent e = which == FULL ? chi_hdf5_extent(object) : (chi_extent){0};
    chi_pick_name(pick, name);
    if (which == FULL) chi_pick_offer(pick, name, e.shape[1], e.shape[0]);
    if (which == SPARSE)
        chi_pick_offer(pick, name, rows_of_sparse(object), cols_of_sparse(object, &elsewhere));
}

typedef struct listing {
    ch_context *context;
    chi_pick *pick;
    const char *path;
    int variables, others, asked; /* seen; some, or the requested one, in other files */
} listing;

static herr_t offer_link(hid_t file, const char *name, const H5L_info_t *info, void *user) {
    listing *all = user;
    int elsewhere;
    (void)info;
    if (all->variables++ == VARIABLES_MAX) return 1;
    if (strlen(name) >= sizeof all->pick->chosen[0]) {
        chi_log(all->context, CH_LOG_WARNING,
                "%s: the variable \"%.40s...\" is ignored, because its name is too long", all->path,
                name);
        return 0;
    }
    hid_t object = chi_hdf5_open(file, name, &elsewhere);
    if (object >= 0) offer(all->pick, object, name);
    chi_hdf5_close(object);
    all->others |= elsewhere;
    all->asked |= elsewhere && all->pick->var && !strcmp(all->pick->var, name);
    return 0;
}

/* Returns CH_ERR_UNSUPPORTED if the requested variable, or all of them, are in other files. */
static ch_status offer_all(ch_context *context, chi_pick *pick, hid_t file, const char *path) {
    listing all = {.context = context, .pick = pick, .path = path};
    if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, offer_link, &all) < 0)
        return chi_fail(context, CH_ERR_FORMAT, "%s: the list of variables in the file is damaged",
                        path);
    int64_t found = pick->count[0] + pick->count[1] + pick->count[2];
    int refused = all.asked || (all.others && !pick->var && found == 0);
    return refused ? chi_hdf5_refuse(context, path) : CH_OK;
}

static ch_status read_full(ch_context *context, ch_matrix *X, hid_t set, int64_t size,
                           const char *label) {
    chi_request all = {0};
    TRY(chi_hdf5_dense(context, X, set, size, &all, label));
    int64_t rows = X->cols;
    X->cols = X->rows;
    X->rows = rows;
    X->layout = CH_COLUMN_MAJOR;
    return CH_OK;
}

/* More values and rows may be stored than there are entries, because MATLAB reserves space; if
 * there are none, both are absent. */
static ch_status read_sparse(ch_context *context, ch_matrix *X, hid_t id, int64_t size,
                             const char *label) {
    chi_hdf5_group group = {context, id, size, label};
    int elsewhere;
    int64_t rows = rows_of_sparse(id), cols = cols_of_sparse(id, &elsewhere), offsets;
    chi_compressed arrays = {0};
    chi_narrowing narrowing = CHI_KEEP_F64;
    void *start = NULL;
    if (elsewhere) return chi_hdf5_refuse(context, label);
    if (rows < 0 || cols < 0)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the sparse matrix cannot be read, because its attribute MATLAB_sparse "
                        "or its array jc is missing or invalid",
                        label);
    TRY(chi_sparse_check_size(context, label, rows, cols));
    TRY(chi_plausible_shape(context, label, rows, cols, size));
    ch_status status = chi_hdf5_list(&group, &start, &offsets, "jc", 1, NULL, NULL);
    arrays.start = start;
    chi_stretch used = {0, status == CH_OK ? arrays.start[cols] : 0};
    if (status == CH_OK && used.count != 0) {
        status = chi_hdf5_entries(&group, &arrays, &narrowing, "ir", &used, rows);
    } else if (status == CH_OK) {
        arrays.value = chi_take(context, label, "values", 0, sizeof *arrays.value);
        arrays.index = chi_take(context, label, "row numbers", 0, sizeof *arrays.index);
        if (!arrays.value || !arrays.index) status = CH_ERR_MEMORY;
    }
    if (status == CH_OK)
        return chi_csc_from_compressed(context, X, label, &arrays, rows, cols, 0, narrowing);
    chi_compressed_free(context, &arrays);
    return status;
}

static ch_status read_variable(ch_context *context, ch_matrix *X, hid_t file, const char *name,
                               int64_t size, const char *path) {
    char label[900];
    int elsewhere;
    hid_t object = chi_hdf5_open(file, name, &elsewhere);
    snprintf(label, sizeof label, "%.300s: \"%s\"", path, name);
    kind which = elsewhere || object < 0 ? OTHER : kind_of(object);
    ch_status status =
        which == FULL     ? read_full(context, X, object, size, label)
        : which == SPARSE ? read_sparse(context, X, object, size, label)
        : which == EMPTY
            ? chi_fail(context, CH_ERR_DATA, "%s: the matrix is empty", label)
            : chi_fail(context, CH_ERR_UNSUPPORTED,
                       "%s: the variable is not a matrix of real numbers; complex numbers, text, "
                       "cells and arrays with more than 2 dimensions are not supported",
                       label);
    chi_hdf5_close(object);
    return status;
}

static ch_status read_file(ch_context *context, ch_matrix *X, hid_t file, const char *path,
                           int64_t size, chi_request *request) {
    chi_pick pick = {.var = request->var};
    const char *name;
    TRY(offer_all(context, &pick, file, path));
    TRY(chi_pick_decide(context, &pick, &name, path));
    return read_variable(context, X, file, name, size, path);
}

ch_status chi_mat73_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request,
                         int64_t size) {
    return chi_hdf5_read_file(context, X, path, size, request, read_file, "a MATLAB file");
}
