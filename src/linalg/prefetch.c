/* Prefetches columns that will be read soon. This has an effect only for a mapped file with a
 * memory limit. Single columns, and in row-major files the part of each row that a pass reads next,
 * are requested several at a time, so that they are in memory when they are read. A pass over
 * consecutive columns of a column-major file is left to the read-ahead of the system
 * (io/file/resident_limit.c). Requests are counted for every kind of matrix, so that a run can
 * report how many passes over the data it made.
 *
 * A pass requests each block about WINDOW bytes before it reads it. */
#include "linalg/shown.h"

enum { WINDOW = 32 << 20 }; /* bytes: at least latency times speed of a device */

/* Returns the bytes per column; for sparse columns an average. */
static double column_bytes(const ch_matrix *X) {
    double size = (double)ch_value_type_size(X->type);
    if (X->layout != CH_CSC) return size * (double)X->rows;
    return (size + sizeof *X->row_index) * (double)ch_matrix_stored(X) / (double)X->cols;
}

static void fetch(ch_context *context, const ch_matrix *X, int64_t lo, int64_t hi, int in_order) {
    if (chi_shown_of(X)) X = &chi_shown_of(X)->X;
    if (hi > X->cols) hi = X->cols;
    if (lo >= hi || X->rows == 0) return;
    chi_count_read(context, column_bytes(X) * (double)(hi - lo));
    int64_t size = (int64_t)ch_value_type_size(X->type);
    if (X->layout == CH_COLUMN_MAJOR)
        chi_prefetch(context, chi_value_at(X, lo * X->stride),
                     (size_t)(((hi - lo - 1) * X->stride + X->rows) * size), in_order);
    if (X->layout != CH_ROW_MAJOR || !chi_prefetches(context)) return;
    for (int64_t i = 0; i < X->rows; i++)
        chi_prefetch(context, chi_value_at(X, i * X->stride + lo), (size_t)((hi - lo) * size),
                     in_order);
}

void chi_prefetch_columns(ch_context *context, const ch_matrix *X, int64_t lo, int64_t hi) {
    fetch(context, X, lo, hi, 0);
}

static int64_t blocks_ahead(const ch_matrix *X, int64_t width) {
    double block = column_bytes(X) * (double)width;
    return block < WINDOW ? (int64_t)(WINDOW / (block + 1)) + 1 : 1;
}

void chi_prefetch_pass(ch_context *context, const ch_matrix *X, int64_t width, int64_t block) {
    if (X->cols > 0) fetch(context, X, block * width, (block + blocks_ahead(X, width)) * width, 1);
}

void chi_prefetch_block(ch_context *context, const ch_matrix *X, int64_t width, int64_t block) {
    if (X->cols == 0) return;
    int64_t low = (block + blocks_ahead(X, width)) * width;
    fetch(context, X, low, low + width, 1);
}
