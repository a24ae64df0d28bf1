/* The table of formats, and the choice of a row: by name, else by the first bytes of the file. */
#include "base/processes.h"
#include "base/sized.h"
#include "io/file/format.h"
#include "linalg/linalg.h"
#include <stdio.h>
#include <string.h>

/* The one list of names; every format owns a range of it. */
static const char *const names[] = {"npy",  "npz",  "mtx", "mtx.gz", "mat", "h5",
                                    "hdf5", "h5ad", "csv", "csv.gz", "tsv", "tsv.gz",
                                    "hdr",  "sli",  "bsq", "bil",    "bip", NULL};

static const chi_format formats[] = {
    {names, 1, "\x93NUMPY", 0, 0, 0, chi_npy_read, chi_npy_write},
    {names + 1, 1, "PK\x03\x04", 1, 0, 0, chi_npz_read, chi_npz_write},
    {names + 2, 2, "%%MatrixMarket", 0, 1, 0, chi_mtx_read, chi_mtx_write},
    {names + 4, 1, "MATLAB ", 1, 0, 0, chi_mat_read, NULL},
    {names + 5, 3, "\x89HDF\r\n\x1a\n", 1, 1, 0, chi_hdf5_read, NULL},
    {names + 8, 4, NULL, 0, 0, 1, chi_csv_read, chi_csv_write},
    {names + 12, 5, NULL, 0, 0, 0, chi_envi_matrix_read, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *const *ch_matrix_formats(void) {
    return names;
}

static const chi_format *format_by_name(const char *path) {
    size_t length = strlen(path);
    for (int f = 0; f < FORMATS; f++)
        for (int s = 0; s < formats[f].suffix_count; s++) {
            const char *suffix = formats[f].suffixes[s];
            if (chi_has_suffix(path, suffix) && length > strlen(suffix) &&
                path[length - strlen(suffix) - 1] == '.')
                return &formats[f];
        }
    return NULL;
}

/* Looks inside gzip too. A pipe cannot be inspected without consuming bytes, so it has no format by
 * content. */
static ch_status format_by_content(ch_context *context, const chi_format **format,
                                   const char *path) {
    char head[16];
    chi_gz *file;
    int64_t size;
    TRY(chi_gz_open(context, &file, &size, path));
    int got = size >= 0 ? chi_gz_read(file, head, sizeof head) : 0;
    chi_gz_close(file);
    *format = NULL;
    for (int f = 0; f < FORMATS; f++) {
        const char *mark = formats[f].mark;
        if (mark && got >= (int)strlen(mark) && !memcmp(head, mark, strlen(mark)))
            *format = &formats[f];
    }
    return CH_OK;
}

static ch_status unknown(ch_context *context, const char *path, int writing) {
    char list[160];
    size_t length = 0;
    for (int f = 0; f < FORMATS; f++)
        for (int s = 0; s < formats[f].suffix_count; s++)
            if (!writing || formats[f].write)
                length += (size_t)snprintf(list + length, sizeof list - length, " .%s",
                                           formats[f].suffixes[s]);
    return chi_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: the format of the file is not known from its name; file types that can be %s are:%s%s",
        path, writing ? "written" : "read", list,
        writing ? "" : " (rename it to .csv or .tsv if it is text)");
}

/* A dense transpose is a view of the same memory; ownership moves with it. */
static ch_status turn(ch_context *context, ch_matrix *X) {
    ch_matrix turned;
    ch_status status = ch_matrix_transpose(context, &turned, X);
    if (status == CH_OK && X->layout != CH_CSC) {
        turned.owner = X->owner;
        turned.release = X->release;
    } else {
        ch_matrix_free(context, X);
    }
    if (status == CH_OK) *X = turned;
    return status;
}

/* Gives the names, swapped if X is transposed. */
static void give_names(const ch_matrix_read_settings *settings, const ch_matrix_names *called) {
    settings->names->rows = settings->transpose ? called->columns : called->rows;
    settings->names->columns = settings->transpose ? called->rows : called->columns;
}

ch_status chi_read_here(ch_context *context, ch_matrix *X, int *part, const char *path,
                        const ch_matrix_read_settings *settings) {
    ch_matrix read = {0};
    const chi_format *format = format_by_name(path);
    *part = 0;
    if (!format) TRY(format_by_content(context, &format, path));
    if (!format && chi_envi_has_header(context, path)) format = &formats[FORMATS - 1];
    if (!format) return unknown(context, path, 0);
    if (settings->var && !format->has_variables)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: a .%s file contains only one matrix, so the variable \"%s\" cannot be "
                        "selected; remove --var",
                        path, format->suffixes[0], settings->var);
    if (settings->index && !format->is_table)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: --index (setting 'index') is for text tables (.csv, .tsv); a .%s file "
                        "has no column of names",
                        path, format->suffixes[0]);
    if (settings->drop && !format->is_table)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "%s: --drop (setting 'drop') is for text tables (.csv, .tsv), but this is a "
            ".%s file",
            path, format->suffixes[0]);
    if (settings->decimal_comma && !format->is_table)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: --decimal comma (setting decimal_comma) is for text tables (.csv, "
                        ".tsv), but this is a .%s file",
                        path, format->suffixes[0]);
    int own = format->reads_parts && settings->distributed && !settings->transpose;
    ch_matrix_names called = {.size = sizeof called};
    chi_request request = {.var = settings->var,
                           .part = own,
                           .place = {settings->scratch, settings->transpose != 0},
                           .names = settings->names ? &called : NULL,
                           .index = settings->index,
                           .drop = settings->drop,
                           .unknown_as_nan = settings->unknown_as_nan,
                           .decimal_comma = settings->decimal_comma};
    ch_status status = format->read(context, &read, path, &request);
    *part = request.part;
    if (status == CH_OK && settings->transpose) status = turn(context, &read);
    if (status == CH_OK) *X = read;
    if (status == CH_OK && settings->names)
        give_names(settings, &called);
    else
        ch_matrix_names_free(context, &called);
    return status;
}

ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                         const ch_matrix_read_settings *settings) {
    ch_matrix_read_settings set = {.size = sizeof set};
    if (!context || !X) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a file"));
    if (settings)
        TRY(chi_sized_take(context, &set, sizeof set, settings, "ch_matrix_read_settings"));
    if (set.names && set.names->size < sizeof *set.names)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "ch_matrix_read_settings.names->size is not set; begin with {.size = "
                        "sizeof(ch_matrix_names)}");
    int part, distributed = set.distributed && chi_process_count(context) > 1;
    ch_status status = distributed ? chi_read_distributed(context, X, path, &set)
                                   : chi_read_here(context, X, &part, path, &set);
    if (status == CH_STOP_CANCELLED) *X = (ch_matrix){0};
    return status;
}

ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X) {
    TRY(chi_check_view(context, X));
    if (!context || !X) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a file"));
    const chi_format *format = format_by_name(path);
    if (!format || !format->write) return unknown(context, path, 1);
    return format->write(context, path, X);
}
