/* The table of formats, and the choice of a row: by name, else by what the file begins with. */
#include "base/processes.h"
#include "base/sized.h"
#include "io/file/format.h"
#include "io/matrix/read_distributed.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

static int starts_with(const unsigned char *head, size_t count, const char *mark, size_t length) {
    return count >= length && !memcmp(head, mark, length);
}

static int is_npy(const unsigned char *head, size_t count) {
    return starts_with(head, count, "\x93NUMPY", 6);
}

static int is_mtx(const unsigned char *head, size_t count) {
    return starts_with(head, count, "%%MatrixMarket", 14);
}

static int is_npz(const unsigned char *head, size_t count) {
    return starts_with(head, count, "PK\x03\x04", 4);
}

static int is_mat(const unsigned char *head, size_t count) {
    return starts_with(head, count, "MATLAB ", 7);
}

static int is_hdf5(const unsigned char *head, size_t count) {
    return starts_with(head, count, "\x89HDF\r\n\x1a\n", 8);
}

/* The one list of names; every format owns a stretch of it. */
static const char *const names[] = {"npy",  "npz", "mtx",    "mtx.gz", "mat",    "h5", "hdf5",
                                    "h5ad", "csv", "csv.gz", "tsv",    "tsv.gz", NULL};

static const chi_format formats[] = {
    {names, 1, 0, is_npy, chi_npy_read, chi_npy_write, NULL, NULL},
    {names + 1, 1, 1, is_npz, chi_npz_read, NULL, NULL, NULL},
    {names + 2, 2, 0, is_mtx, chi_mtx_read, chi_mtx_write, chi_mtx_read_part, NULL},
    {names + 4, 1, 1, is_mat, chi_mat_read, NULL, NULL, NULL},
    {names + 5, 3, 1, is_hdf5, chi_hdf5_read, NULL, chi_hdf5_read_part, chi_hdf5_read_large},
    {names + 8, 4, 0, NULL, chi_csv_read, chi_csv_write, NULL, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *const *ch_matrix_formats(void) {
    return names;
}

int chi_has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && !strcasecmp(path + length - tail, suffix);
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

/* Looks through gzip too. A pipe cannot be looked at without taking from it: no format then. */
static ch_status format_by_content(ch_context *context, const chi_format **format,
                                   const char *path) {
    unsigned char head[16];
    int fd;
    int64_t size;
    TRY(chi_open_source(context, &fd, &size, path));
    gzFile file = size >= 0 ? gzdopen(fd, "rb") : NULL;
    int got = file ? gzread(file, head, sizeof head) : 0;
    if (file)
        gzclose_r(file);
    else
        close(fd);
    *format = NULL;
    for (int f = 0; f < FORMATS && got > 0; f++)
        if (formats[f].recognise && formats[f].recognise(head, (size_t)got)) *format = &formats[f];
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
    return chi_fail(context, CH_ERR_UNSUPPORTED,
                    "%s: cannot tell the format from the name; formats that can be %s are:%s%s",
                    path, writing ? "written" : "read", list,
                    writing ? "" : " (rename it to .csv or .tsv if it is text)");
}

/* A dense transpose is a view of the same memory: what X owned moves along with it. */
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

/* *part: whether X, of formats that can, is the part of this rank. */
static ch_status read_here(ch_context *context, ch_matrix *X, int *part, const char *path,
                           const ch_matrix_read_settings *settings) {
    ch_matrix read;
    const chi_format *format = format_by_name(path);
    *part = 0;
    if (!format) TRY(format_by_content(context, &format, path));
    if (!format) return unknown(context, path, 0);
    if (settings->var && !format->has_variables)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%s: a .%s file holds one matrix; variable \"%s\" cannot be asked for",
                        path, format->suffixes[0], settings->var);
    int own = settings->distributed && !settings->transpose; /* columns of this rank may do */
    chi_scratch_place place = {settings->scratch, settings->transpose != 0};
    ch_status status;
    if (format->read_large && place.folder) {
        *part = own;
        status = format->read_large(context, &read, part, path, settings->var, &place);
    } else if (format->read_part && own) {
        status = format->read_part(context, &read, part, path, settings->var);
    } else {
        status = format->read(context, &read, path, settings->var);
    }
    if (status == CH_OK && settings->transpose) status = turn(context, &read);
    if (status == CH_OK) *X = read;
    return status;
}

ch_status ch_matrix_read(ch_context *context, ch_matrix *X, const char *path,
                         const ch_matrix_read_settings *settings) {
    ch_matrix_read_settings set = {.size = sizeof set};
    if (!context || !X) return CH_ERR_ARGUMENT;
    if (!path || !*path) return chi_fail(context, CH_ERR_ARGUMENT, "the name of a file is missing");
    if (settings)
        TRY(chi_sized_take(context, &set, sizeof set, settings, "ch_matrix_read_settings"));
    int part, distributed = set.distributed && chi_process_count(context) > 1;
    ch_status status = distributed ? chi_read_distributed(context, X, path, &set, read_here)
                                   : read_here(context, X, &part, path, &set);
    if (status == CH_STOP_CANCELLED) *X = (ch_matrix){0};
    return status;
}

ch_status ch_matrix_write(ch_context *context, const char *path, const ch_matrix *X) {
    if (!context || !X) return CH_ERR_ARGUMENT;
    if (!path || !*path) return chi_fail(context, CH_ERR_ARGUMENT, "the name of a file is missing");
    const chi_format *format = format_by_name(path);
    if (!format || !format->write) return unknown(context, path, 1);
    return format->write(context, path, X);
}
