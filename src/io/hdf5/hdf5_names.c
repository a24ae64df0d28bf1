/* Names of the rows and columns of a matrix in an HDF5 file:
 *
 *     AnnData    X, layers/NAME: rows obs, columns var; raw/X: raw/var. The attribute _index of
 *                these groups says which of their lists has the names
 *     10x        a group with data, indices, indptr, and with barcodes (columns) and features/name,
 *                or gene_names (rows)
 *
 * If names cannot be read, the matrix is still read, and the log reports it. */
#include "io/hdf5/hdf5_file.h"
#include <string.h>

enum { WIDEST = 4096 }; /* bytes of a name of fixed length */

/* The names to read, and their place. */
typedef struct naming {
    ch_context *context;
    const char *label;
    int64_t size; /* of the file */
} naming;

static ch_status add_fixed(const naming *of, chi_list *list, hid_t set, hid_t type, int64_t count) {
    size_t width = H5Tget_size(type);
    if (width == 0 || width > WIDEST) return CH_ERR_FORMAT;
    char *texts = chi_take(of->context, of->label, "names", count, width);
    if (!texts) return CH_ERR_MEMORY;
    ch_status status =
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0 ? CH_ERR_FORMAT : CH_OK;
    for (int64_t k = 0; status == CH_OK && k < count; k++) {
        const char *text = texts + (size_t)k * width;
        size_t length = strnlen(text, width);
        while (length > 0 && text[length - 1] == ' ') length--; /* Fortran pads with blanks */
        status = chi_list_add(list, text, (int64_t)length);
    }
    chi_free(of->context, texts);
    return status;
}

static ch_status add_variable(const naming *of, chi_list *list, hid_t set, hid_t type,
                              int64_t count) {
    char **texts = chi_take(of->context, of->label, "names", count, sizeof *texts);
    if (!texts) return CH_ERR_MEMORY;
    memset(texts, 0, (size_t)count * sizeof *texts);
    ch_status status =
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0 ? CH_ERR_FORMAT : CH_OK;
    for (int64_t k = 0; status == CH_OK && k < count; k++) {
        const char *text = texts[k] ? texts[k] : "";
        status = chi_list_add(list, text, (int64_t)strlen(text));
    }
    hid_t space = H5Dget_space(set);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    chi_hdf5_close(space);
    chi_free(of->context, texts);
    return status;
}

/* Reads the texts of data set `name` below place, if it has `count` of them (-1: any number). */
static ch_status read_list(const naming *of, ch_text_list *names, hid_t place, const char *name,
                           int64_t count) {
    int elsewhere;
    hid_t set = chi_hdf5_open(place, name, &elsewhere);
    chi_list list = {.context = of->context, .path = of->label};
    ch_status status = CH_ERR_FORMAT;
    hid_t type = set >= 0 && H5Iget_type(set) == H5I_DATASET ? H5Dget_type(set) : -1;
    chi_extent e = type >= 0 ? chi_hdf5_extent(set) : (chi_extent){0};
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && e.dims == 1 && e.count > 0 &&
        (count < 0 || e.count == count))
        status = chi_hdf5_check_storage(of->context, set, e.count, of->size, of->label);
    if (status == CH_OK)
        status = H5Tis_variable_str(type) > 0 ? add_variable(of, &list, set, type, e.count)
                                              : add_fixed(of, &list, set, type, e.count);
    if (status == CH_OK) status = chi_list_give_names(names, &list);
    chi_list_free(&list);
    chi_hdf5_close(type);
    chi_hdf5_close(set);
    return status;
}

/* Reads the list that the attribute of obs or var names. */
static ch_status read_index(const naming *of, ch_text_list *names, hid_t file, const char *group,
                            int64_t count) {
    int elsewhere;
    char index[64] = "";
    hid_t frame = chi_hdf5_open(file, group, &elsewhere);
    if (frame >= 0 && H5Iget_type(frame) == H5I_GROUP) chi_hdf5_text(index, frame, "_index");
    ch_status status =
        *index && chi_hdf5_has(frame, index) ? read_list(of, names, frame, index, count) : CH_OK;
    chi_hdf5_close(frame);
    return status;
}

static ch_status read_tenx(const naming *of, ch_matrix_names *names, hid_t group, int64_t rows,
                           int64_t columns) {
    static const char *const of_rows[] = {"features/name", "gene_names"};
    TRY(read_list(of, &names->columns, group, "barcodes", columns));
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        int split = strchr(of_rows[k], '/') != NULL; /* each part of the path must exist */
        if (chi_hdf5_has(group, split ? "features" : of_rows[k]) &&
            (!split || chi_hdf5_has(group, of_rows[k])))
            return read_list(of, &names->rows, group, of_rows[k], rows);
    }
    return CH_OK;
}

ch_status chi_hdf5_names(ch_context *context, ch_matrix_names *names, hid_t file,
                         const chi_hdf5_named *matrix) {
    naming of = {context, matrix->label, matrix->size};
    const char *name = matrix->name + (*matrix->name == '/');
    int raw = strcmp(name, "raw/X") == 0;
    int annotated = strcmp(name, "X") == 0 || strncmp(name, "layers/", 7) == 0 || raw;
    ch_status status = CH_OK;
    if (annotated && chi_hdf5_has(file, "obs") && chi_hdf5_has(file, raw ? "raw" : "var")) {
        status = read_index(&of, &names->rows, file, "obs", matrix->rows);
        if (status == CH_OK)
            status =
                read_index(&of, &names->columns, file, raw ? "raw/var" : "var", matrix->columns);
    } else if (H5Iget_type(matrix->object) != H5I_DATASET &&
               chi_hdf5_has(matrix->object, "barcodes")) {
        status = read_tenx(&of, names, matrix->object, matrix->rows, matrix->columns);
    }
    if (status == CH_OK || status == CH_ERR_MEMORY) return status;
    ch_matrix_names_free(context, names);
    chi_log(context, CH_LOG_WARNING,
            "%s: the names of the rows and columns cannot be read, so they are not used",
            matrix->label);
    return CH_OK;
}
