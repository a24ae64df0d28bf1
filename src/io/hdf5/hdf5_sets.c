/* Reads data sets of an HDF5 file as matrices and as lists, and determines their types and
 * extents. */
#include "io/hdf5/hdf5_file.h"
#include <conehull/comm.h>
#include <stdio.h>

chi_extent chi_hdf5_extent_of_space(hid_t space) {
    chi_extent e = {-1, {1, 1, 1}, 1};
    hsize_t sizes[H5S_MAX_RANK];
    int dims = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE
                   ? H5Sget_simple_extent_dims(space, sizes, NULL)
                   : -1;
    if (dims < 1) return e;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] > INT64_MAX || __builtin_mul_overflow(e.count, (int64_t)sizes[d], &e.count))
            return e;
        if (d < 3) e.shape[d] = (int64_t)sizes[d];
    }
    e.dims = dims;
    return e;
}

chi_extent chi_hdf5_extent(hid_t set) {
    hid_t space = H5Dget_space(set);
    chi_extent e = chi_hdf5_extent_of_space(space);
    chi_hdf5_close(space);
    return e;
}

/* A number with more bytes than any machine uses marks a damaged type; HDF5 1.10 would copy that
 * many from a chunk that does not hold them. */
static int numbers_of(hid_t type, chi_numbers *n) {
    H5T_class_t kind = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    int truths = kind == H5T_ENUM && size == 1; /* stored like this by h5py */
    if (size > 16 || (kind != H5T_FLOAT && kind != H5T_INTEGER && !truths)) return 0;
    char letter = kind == H5T_FLOAT ? 'f' : truths ? 'b' : 'i';
    if (letter == 'i' && H5Tget_sign(type) == H5T_SGN_NONE) letter = 'u';
    *n = (chi_numbers){chi_element_type((chi_element){letter, (int)size, 0}), letter != 'f',
                       letter != 'f' && size > 4};
    return 1;
}

int chi_hdf5_numbers(hid_t set, chi_numbers *n) {
    hid_t type = H5Dget_type(set);
    int known = type >= 0 && numbers_of(type, n);
    chi_hdf5_close(type);
    return known;
}

hid_t chi_hdf5_memory_type(ch_value_type type) {
    if (type == CH_U8) return H5T_NATIVE_UINT8;
    if (type == CH_U16) return H5T_NATIVE_UINT16;
    return type == CH_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

ch_status chi_hdf5_values(ch_context *context, void *values, hid_t set, hid_t type,
                          const hsize_t *from, const hsize_t *size, const char *label) {
    hid_t file = H5Dget_space(set);
    hid_t memory = H5Screate_simple(H5Sget_simple_extent_ndims(file), size, NULL);
    int got = memory >= 0 && file >= 0 &&
              H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
              H5Dread(set, type, memory, file, H5P_DEFAULT, values) >= 0;
    chi_hdf5_close(file);
    chi_hdf5_close(memory);
    if (got) return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: the values cannot be read; the file is truncated or damaged, or it needs "
                    "an HDF5 filter that is not installed",
                    label);
}

/* Reads a range; for a matrix, of all its rows. */
static ch_status read_set(ch_context *context, void *values, hid_t set, hid_t type,
                          chi_stretch part, const char *label) {
    chi_extent e = chi_hdf5_extent(set);
    int last = e.dims - 1;
    hsize_t from[2] = {0, 0}, size[2] = {(hsize_t)e.shape[0], (hsize_t)e.shape[1]};
    if (e.count == 0 || part.count == 0) return CH_OK;
    from[last] = (hsize_t)part.first;
    size[last] = (hsize_t)part.count;
    return chi_hdf5_values(context, values, set, type, from, size, label);
}

static void warn_rounded(ch_context *context, const double *values, int64_t count,
                         const char *label) {
    int64_t k = 0;
    while (k < count && values[k] < 9007199254740992.0 && values[k] > -9007199254740992.0) k++;
    if (k < count)
        chi_log(context, CH_LOG_WARNING,
                "%s: integers beyond 2^53 were rounded to the nearest floating-point number",
                label);
}

ch_status chi_hdf5_dense(ch_context *context, ch_matrix *X, hid_t set, int64_t size,
                         chi_request *wanted, const char *label) {
    chi_numbers n;
    void *values;
    chi_extent e = chi_hdf5_extent(set);
    if (!chi_hdf5_numbers(set, &n))
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: the values are not plain real numbers; complex numbers, text and "
                        "records are not supported",
                        label);
    if (e.dims < 1 || e.dims > 2)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "%s: a matrix must have 2 dimensions, but this data set has %d", label,
                        e.dims < 0 ? 0 : e.dims);
    TRY(chi_hdf5_check_storage(context, set, e.count, size, label));
    TRY(chi_plausible_shape(context, label, e.shape[0], e.shape[1], size));
    chi_stretch own = {0, e.shape[1]};
    wanted->part &= e.dims == 2;
    if (wanted->part) ch_comm_part(context, &own.first, &own.count, e.shape[1]);
    /* Decided by the whole matrix, so that any number of processes stores it in the same way and
     * can resume another's run. */
    int scratch = e.dims == 2 && chi_scratch_wanted(context, &wanted->place,
                                                    (double)e.shape[0] * (double)e.shape[1] *
                                                        (double)ch_value_type_size(n.type));
    if (scratch && own.count > 0) {
        chi_hdf5_set large = {set,        chi_hdf5_memory_type(n.type),
                              n.type,     e.shape[0],
                              e.shape[1], own.first,
                              own.count,  label};
        TRY(chi_hdf5_unpack(context, X, &large, &wanted->place));
        X->first = own.first;
        return CH_OK;
    }
    ch_matrix_layout layout = scratch ? CH_COLUMN_MAJOR : CH_ROW_MAJOR; /* scratch: an empty part */
    TRY(chi_dense_create(context, X, &values, label, e.shape[0], own.count, layout, n.type));
    X->first = own.first;
    if (e.dims == 1) own.count = e.shape[0];
    ch_status status = read_set(context, values, set, chi_hdf5_memory_type(n.type), own, label);
    if (status == CH_OK && n.large) warn_rounded(context, values, X->rows * X->cols, label);
    if (status != CH_OK) ch_matrix_free(context, X);
    return status;
}

static ch_status check_list(const chi_hdf5_group *group, const char *name, hid_t set,
                            chi_numbers *n, int whole, int elsewhere) {
    chi_extent e = chi_hdf5_extent(set);
    if (elsewhere) return chi_hdf5_refuse(group->context, group->label);
    if (set < 0 || e.dims != 1 || !chi_hdf5_numbers(set, n))
        return chi_fail(group->context, CH_ERR_FORMAT,
                        "%s: the array %s of the sparse matrix is missing, or it is not a "
                        "one-dimensional array of real numbers",
                        group->label, name);
    if (whole && !n->whole)
        return chi_fail(group->context, CH_ERR_FORMAT,
                        "%s: the array %s of the sparse matrix must contain integers", group->label,
                        name);
    return chi_hdf5_check_storage(group->context, set, e.count, group->size, group->label);
}

ch_status chi_hdf5_list(const chi_hdf5_group *group, void **block, int64_t *count, const char *name,
                        int whole, const chi_stretch *wanted, chi_narrowing *narrow) {
    chi_numbers n = {CH_F64, 0, 0};
    int elsewhere;
    hid_t set = chi_hdf5_open(group->id, name, &elsewhere);
    ch_status status = check_list(group, name, set, &n, whole, elsewhere);
    *count = chi_hdf5_extent(set).count;
    chi_stretch own = wanted ? *wanted : (chi_stretch){0, *count};
    if (status == CH_OK && (own.first < 0 || own.count < 0 || own.count > *count - own.first))
        status = chi_fail(group->context, CH_ERR_FORMAT,
                          "%s: the array %s of the sparse matrix has %lld entries, fewer than its "
                          "column offsets state; the file is truncated or damaged",
                          group->label, name, (long long)*count);
    if (status == CH_OK) {
        *block = chi_take(group->context, group->label, name, own.count, 8);
        hid_t type = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
        status =
            *block ? read_set(group->context, *block, set, type, own, group->label) : CH_ERR_MEMORY;
        if (narrow)
            *narrow = n.whole ? CHI_TRY_UNSIGNED : n.type == CH_F32 ? CHI_TRY_F32 : CHI_KEEP_F64;
    }
    chi_hdf5_close(set);
    return status;
}

ch_status chi_hdf5_entries(const chi_hdf5_group *group, chi_compressed *arrays,
                           chi_narrowing *narrow, const char *indices, const chi_stretch *wanted,
                           int64_t limit) {
    void *value = NULL, *wide = NULL;
    int64_t values, rows;
    ch_status status = chi_hdf5_list(group, &value, &values, "data", 0, wanted, narrow);
    arrays->value = value;
    if (status == CH_OK) status = chi_hdf5_list(group, &wide, &rows, indices, 1, wanted, NULL);
    if (status == CH_OK && !wanted && values != rows)
        status = chi_fail(
            group->context, CH_ERR_FORMAT,
            "%s: the sparse matrix has %lld indices, but %lld values; both numbers must be equal",
            group->label, (long long)rows, (long long)values);
    arrays->count = wanted ? wanted->count : values;
    if (status == CH_OK)
        status = chi_index_narrow(group->context, group->label, "index", &arrays->index, wide,
                                  arrays->count, limit);
    chi_free(group->context, wide);
    return status;
}

/* A text attribute, of fixed or variable length; empty when there is none. */
void chi_hdf5_text(char text[64], hid_t group, const char *name) {
    text[0] = '\0';
    if (H5Aexists(group, name) <= 0) return;
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
        char *variable = NULL;
        if (H5Tis_variable_str(type) > 0) {
            if (H5Aread(attribute, type, &variable) >= 0 && variable)
                snprintf(text, 64, "%s", variable);
            H5free_memory(variable);
        } else if (H5Tget_size(type) < 64 && H5Aread(attribute, type, text) >= 0) {
            text[H5Tget_size(type)] = '\0';
        }
    }
    chi_hdf5_close(space);
    chi_hdf5_close(type);
    chi_hdf5_close(attribute);
}
