/* HDF5: a data set of one or two dimensions (row-major, as HDF5 stores them), or a group that holds
 * a sparse matrix in the layout of SciPy, AnnData and 10x Genomics:
 *
 *     data, indices, indptr, and shape as a data set or an attribute
 *
 * The attribute encoding-type (h5sparse_format) says whether it is compressed by row or by column;
 * without it the length of indptr decides, by column if both fit. */
#include "io/hdf5/hdf5_file.h"
#include <conehull/comm.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH_MAX = 8,            /* of groups searched                                               */
    OBJECTS_MAX = 20000,      /* objects examined: links can form cycles                          */
    NAME_MAX_BYTES = 400,     /* of a path                                                        */
    SPARSE_MAX = 1000,        /* sparse matrices examined: each shape may have to be decompressed */
    SHAPE_MAX_BYTES = 1 << 20 /* of a chunk that holds the two numbers of a shape; 10x: 320,000 */
};

static int is_sparse_group(hid_t object) {
    H5I_type_t type = H5Iget_type(object); /* a file means its root */
    return (type == H5I_GROUP || type == H5I_FILE) && chi_hdf5_has(object, "data") &&
           chi_hdf5_has(object, "indices") && chi_hdf5_has(object, "indptr");
}

/* Two sizes from an attribute; 0 when there is none. */
static int shape_from_attribute(hid_t group, const char *name, int64_t shape[2]) {
    if (H5Aexists(group, name) <= 0) return 0;
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    chi_extent e = chi_hdf5_extent_of_space(space);
    int found = e.count == 2 && e.dims == 1 && H5Aread(attribute, H5T_NATIVE_INT64, shape) >= 0;
    chi_hdf5_close(space);
    chi_hdf5_close(attribute);
    return found;
}

static ch_status shape_from_set(ch_context *context, int64_t shape[2], hid_t group,
                                const char *label) {
    if (!chi_hdf5_has(group, "shape")) return CH_ERR_FORMAT;
    int elsewhere;
    chi_numbers n;
    hid_t set = chi_hdf5_open(group, "shape", &elsewhere);
    ch_status status = CH_ERR_FORMAT;
    if (set >= 0 && chi_hdf5_extent(set).count == 2 && chi_hdf5_extent(set).dims == 1 &&
        chi_hdf5_numbers(set, &n)) {
        status = chi_hdf5_check_chunks(context, set, SHAPE_MAX_BYTES, SHAPE_MAX_BYTES, label);
        if (status == CH_ERR_FORMAT)
            chi_log(context, CH_LOG_WARNING,
                    "the stored shape of a sparse matrix cannot be used: %s",
                    ch_context_message(context));
    }
    if (status == CH_OK && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, shape) < 0)
        status = CH_ERR_FORMAT;
    chi_hdf5_close(set);
    return status;
}

/* Returns CH_ERR_FORMAT if there is no shape; a lack of memory is reported as such. */
static ch_status sparse_shape(ch_context *context, int64_t shape[2], hid_t group,
                              const char *label) {
    if (shape_from_attribute(group, "shape", shape) ||
        shape_from_attribute(group, "h5sparse_shape", shape))
        return CH_OK;
    return shape_from_set(context, shape, group, label);
}

/* Returns 1 by row, 0 by column, -1 if neither fits. */
static int compressed_by_row(hid_t group, const int64_t shape[2], int64_t pointers) {
    char text[64];
    chi_hdf5_text(text, group, "encoding-type");
    if (!*text) chi_hdf5_text(text, group, "h5sparse_format");
    if (strstr(text, "csr")) return pointers == shape[0] + 1 ? 1 : -1;
    if (strstr(text, "csc")) return pointers == shape[1] + 1 ? 0 : -1;
    return pointers == shape[1] + 1 ? 0 : pointers == shape[0] + 1 ? 1 : -1;
}

/* Finds the shape of a sparse group, and whether it is compressed by row. */
static ch_status look_at_sparse(ch_context *context, int64_t shape[2], int *by_row, hid_t group,
                                const char *label) {
    ch_status status = sparse_shape(context, shape, group, label);
    if (status == CH_ERR_FORMAT)
        return chi_fail(context, status,
                        "%s: the sparse matrix cannot be read, because its attribute 'shape' "
                        "is missing or invalid",
                        label);
    if (status != CH_OK) return status;
    TRY(chi_sparse_check_size(context, label, shape[0], shape[1]));
    int elsewhere;
    hid_t set = chi_hdf5_open(group, "indptr", &elsewhere);
    int64_t pointers = chi_hdf5_extent(set).count;
    chi_hdf5_close(set);
    if (elsewhere) return chi_hdf5_refuse(context, label);
    *by_row = compressed_by_row(group, shape, pointers);
    if (*by_row < 0)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: indptr of the sparse matrix has %lld entries, which fits neither the "
                        "rows nor the columns of its shape, %lld x %lld",
                        label, (long long)pointers, (long long)shape[0], (long long)shape[1]);
    return *by_row ? chi_sparse_check_size(context, label, shape[1], shape[0]) : CH_OK;
}

/* Finds the entries to which the offsets of a part refer; the offsets then begin with 0. */
static ch_status entries_of(ch_context *context, chi_stretch *entries, int64_t *start,
                            chi_stretch columns, const char *label) {
    int64_t first = start[0];
    for (int64_t j = 0; j <= columns.count; j++) {
        if (first < 0 || start[j] < first) /* this also makes the difference safe */
            return chi_fail(
                context, CH_ERR_FORMAT,
                "%s: indptr of the sparse matrix must start at 0 and never decrease, but "
                "its entry %lld is %lld",
                label, (long long)(columns.first + j), (long long)start[j]);
        start[j] -= first;
    }
    *entries = (chi_stretch){first, start[columns.count]};
    return CH_OK;
}

/* Reads only a part if the columns are compressed. */
static ch_status read_sparse(ch_context *context, ch_matrix *X, hid_t id, int64_t size,
                             chi_request *wanted, const char *label) {
    chi_hdf5_group group = {context, id, size, label};
    chi_compressed arrays = {0};
    chi_narrowing narrowing = CHI_KEEP_F64;
    void *start = NULL;
    int64_t shape[2], pointers;
    int by_row = 0;
    TRY(look_at_sparse(context, shape, &by_row, id, label));
    TRY(chi_plausible_shape(context, label, shape[0], shape[1], size));
    chi_stretch lines = {0, shape[!by_row]}, entries = {0, 0};
    wanted->part &= !by_row;
    if (wanted->part) ch_comm_part(context, &lines.first, &lines.count, shape[1]);
    chi_stretch offsets = {lines.first, lines.count + 1};
    ch_status status = chi_hdf5_list(&group, &start, &pointers, "indptr", 1, &offsets, NULL);
    int some = lines.count < shape[!by_row]; /* else all entries, whatever the offsets are */
    arrays.start = start;
    if (status == CH_OK && some) status = entries_of(context, &entries, start, lines, label);
    if (status == CH_OK)
        status = chi_hdf5_entries(&group, &arrays, &narrowing, "indices", some ? &entries : NULL,
                                  shape[by_row]);
    shape[!by_row] = lines.count;
    if (status == CH_OK)
        status = chi_csc_from_compressed(context, X, label, &arrays, shape[0], shape[1], by_row,
                                         narrowing);
    else
        chi_compressed_free(context, &arrays);
    if (status == CH_OK) X->first = by_row ? 0 : lines.first;
    return status;
}

typedef struct search {
    ch_context *context;
    const char *path;
    ch_status status; /* CH_ERR_MEMORY: the search is incomplete */
    chi_pick *pick;
    int objects, depth, sparse;
    int elsewhere, asked; /* some objects are in other files; the requested one is */
    int long_names;
    size_t length; /* name[0..length) is the path of the group, "" for the root */
    char name[NAME_MAX_BYTES];
} search;

static void look_into(search *s, hid_t group, size_t length);

static void look_at(search *s, hid_t object, size_t length) {
    int64_t shape[2];
    chi_numbers n;
    chi_pick_name(s->pick, s->name);
    if (is_sparse_group(object)) {
        if (s->sparse++ >= SPARSE_MAX) return;
        ch_status status = sparse_shape(s->context, shape, object, s->path);
        if (status == CH_OK) chi_pick_offer(s->pick, s->name, shape[0], shape[1]);
        if (status == CH_ERR_MEMORY) s->status = status;
    } else if (H5Iget_type(object) == H5I_GROUP) {
        look_into(s, object, length);
    } else if (H5Iget_type(object) == H5I_DATASET && chi_hdf5_numbers(object, &n)) {
        chi_extent e = chi_hdf5_extent(object);
        if (e.dims == 1 || e.dims == 2) chi_pick_offer(s->pick, s->name, e.shape[0], e.shape[1]);
    }
}

static herr_t look_at_link(hid_t group, const char *link, const H5L_info_t *info, void *user) {
    search *s = user;
    size_t at = s->length, got = strlen(link);
    (void)info;
    if (s->objects++ == OBJECTS_MAX) return 1;
    if (at) s->name[at++] = '/';
    if (at + got >= sizeof s->name - 2) {
        s->long_names++;
        return 0;
    }
    memcpy(s->name + at, link, got + 1);
    int elsewhere;
    hid_t object = chi_hdf5_open(group, link, &elsewhere);
    if (object >= 0) look_at(s, object, at + got);
    s->elsewhere |= elsewhere;
    s->asked |= elsewhere && s->pick->var && !strcmp(s->pick->var, s->name);
    chi_hdf5_close(object);
    return s->objects > OBJECTS_MAX || s->status != CH_OK;
}

/* H5Literate() reads the list of links once; access by number would read it for each link. */
static void look_into(search *s, hid_t group, size_t length) {
    size_t before = s->length;
    if (s->depth == DEPTH_MAX) return;
    s->depth++;
    s->length = length;
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, s);
    s->length = before;
    s->depth--;
    s->name[length] = '\0';
}

static ch_status read_object(ch_context *context, ch_matrix *X, hid_t file, const char *name,
                             int64_t size, chi_request *wanted, const char *path) {
    char label[600];
    int elsewhere;
    hid_t object = chi_hdf5_open(file, name, &elsewhere);
    snprintf(label, sizeof label, "%.300s: %.200s", path, name);
    ch_status status;
    if (elsewhere)
        status = chi_hdf5_refuse(context, label);
    else if (is_sparse_group(object))
        status = read_sparse(context, X, object, size, wanted, label);
    else if (H5Iget_type(object) == H5I_DATASET)
        status = chi_hdf5_dense(context, X, object, size, wanted, label);
    else
        status = chi_fail(
            context, CH_ERR_FORMAT,
            "%s: this object of the HDF5 file is neither a data set nor a sparse matrix", label);
    if (status == CH_OK && wanted->names) {
        chi_hdf5_named matrix = {object, name, X->rows, wanted->part ? -1 : X->cols, size, label};
        status = chi_hdf5_names(context, wanted->names, file, &matrix);
        if (status != CH_OK) ch_matrix_free(context, X);
    }
    chi_hdf5_close(object);
    return status;
}

/* In AnnData files the matrix is X, whatever else the file holds. */
static int is_anndata(hid_t file) {
    return chi_hdf5_has(file, "X") && chi_hdf5_has(file, "obs") && chi_hdf5_has(file, "var");
}

static ch_status read_file(ch_context *context, ch_matrix *X, hid_t file, const char *path,
                           int64_t size, chi_request *wanted) {
    const char *var = wanted->var;
    chi_pick pick = {.var = var && *var == '/' ? var + 1 : var};
    search s = {.context = context, .path = path, .pick = &pick};
    const char *name;
    int64_t shape[2];
    ch_status root =
        !var && is_sparse_group(file) ? sparse_shape(context, shape, file, path) : CH_ERR_FORMAT;
    if (root == CH_ERR_MEMORY) return root;
    if (root == CH_OK) return read_object(context, X, file, "/", size, wanted, path);
    if (!var && is_anndata(file)) return read_object(context, X, file, "X", size, wanted, path);
    look_into(&s, file, 0);
    TRY(s.status);
    if (s.long_names)
        chi_log(
            context, CH_LOG_WARNING,
            "%s: %d objects of the file are ignored, because their paths are longer than %d bytes",
            path, s.long_names, NAME_MAX_BYTES - 3);
    int64_t found = pick.count[0] + pick.count[1] + pick.count[2];
    if (s.asked || (!var && s.elsewhere && found == 0)) return chi_hdf5_refuse(context, path);
    TRY(chi_pick_decide(context, &pick, &name, path));
    return read_object(context, X, file, name, size, wanted, path);
}

ch_status chi_hdf5_read(ch_context *context, ch_matrix *X, const char *path, chi_request *request) {
    int fd;
    int64_t size;
    TRY(chi_open_file(context, &fd, &size, path));
    close(fd);
    return chi_hdf5_read_file(context, X, path, size, request, read_file, "an HDF5 file");
}
