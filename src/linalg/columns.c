/* Splits the columns of a matrix into blocks for threads, and reads single columns as double. */
#include "linalg/shown.h"

#include <string.h>

enum {
    SPLIT = 64,     /* column-major, CSC: at least this many blocks, to keep threads evenly busy */
    WIDEST = 256,   /* ... of at most this many columns                                          */
    STRIPS = 16,    /* row-major: fewer blocks, because short pieces of rows cost more           */
    STRIP = 1024,   /* ... of at most this many columns, so that their sums stay in L1           */
    LINE = 64,      /* ... and a multiple of this, which fills cache lines even for bytes        */
    SMALL = 1 << 15 /* up to this many values, one thread is faster than waking the others       */
};

typedef struct columns_job {
    ch_context *context;
    const ch_matrix *X;
    ch_matrix rows; /* the stored rows of X that the body reads */
    int64_t width;
    chi_columns_body body;
    void *user;
} columns_job;

static void run_block(void *user, int64_t block, int thread) {
    const columns_job *job = user;
    int64_t lo = block * job->width, hi = lo + job->width;
    (void)thread;
    chi_prefetch_block(job->context, &job->rows, job->width, block);
    job->body(job->user, job->X, lo, hi < job->X->cols ? hi : job->X->cols);
}

static int64_t block_width(const ch_matrix *X) {
    int along = X->layout == CH_ROW_MAJOR;
    int64_t blocks = along ? STRIPS : SPLIT, multiple = along ? LINE : 4;
    int64_t most = along ? STRIP : WIDEST, width = (X->cols / blocks / multiple + 1) * multiple;
    return width < most ? width : most;
}

/* Returns a view of the stored part of rows [first, last). X may show one more row, and more
 * columns, than are stored. */
static ch_matrix rows_of(const ch_matrix *X, int64_t first, int64_t last) {
    const chi_shown *shown = chi_shown_of(X);
    ch_matrix rows = shown ? shown->X : *X;
    if (X->layout == CH_CSC) return rows;
    if (last > rows.rows) last = rows.rows;
    rows.values = chi_value_at(&rows, X->layout == CH_COLUMN_MAJOR ? first : first * rows.stride);
    rows.rows = first < last ? last - first : 0;
    return rows;
}

/* Runs body over all blocks of columns and prefetches only the part of X that `rows` describes. */
static ch_status pass_rows(ch_context *context, const ch_matrix *X, const ch_matrix *rows,
                           int64_t width, int cancellable, chi_body body, void *user) {
    int64_t blocks = X->cols / width + (X->cols % width != 0);
    chi_prefetch_pass(context, rows, width, 0);
    if (ch_matrix_stored(X) <= SMALL)
        for (int64_t block = 0; block < blocks; block++) body(user, block, 0);
    else if (cancellable)
        return chi_parallel_until(context, blocks, body, user);
    else
        chi_parallel(context, blocks, body, user);
    return CH_OK;
}

ch_status chi_pass(ch_context *context, const ch_matrix *X, int64_t width, int cancellable,
                   chi_body body, void *user) {
    return pass_rows(context, X, X, width, cancellable, body, user);
}

ch_status chi_for_columns_until(ch_context *context, const ch_matrix *X, int64_t first,
                                int64_t last, chi_columns_body body, void *user) {
    columns_job job = {context, X, rows_of(X, first, last), block_width(X), body, user};
    return pass_rows(context, X, &job.rows, job.width, 1, run_block, &job);
}

void chi_for_columns(ch_context *context, const ch_matrix *X, chi_columns_body body, void *user) {
    columns_job job = {context, X, *X, block_width(X), body, user};
    chi_pass(context, X, job.width, 0, run_block, &job);
}

/* The conversion is exact, so no kernel set needs its own version of it. It takes at most a
 * hundredth of the time of a projection. */
#define WIDEN(T)                                                                           \
    if (step == 1)                                                                         \
        for (int64_t i = 0; i < count; i++) x[i] = (double)((const T *)X->values)[at + i]; \
    else                                                                                   \
        for (int64_t i = 0; i < count; i++) x[i] = (double)((const T *)X->values)[at + i * step];

/* Sets x[i] to value number at + i step of the storage. */
static void widen(double *x, const ch_matrix *X, int64_t at, int64_t step, int64_t count) {
    if (X->type == CH_F64 && step == 1) {
        memcpy(x, (const double *)X->values + at, (size_t)count * sizeof *x);
        return;
    }
    CHI_BY_TYPE(X->type, WIDEN)
}

void chi_column_gather(double *x, const ch_matrix *X, int64_t j) {
    if (chi_shown_of(X)) {
        chi_shown_column(x, chi_shown_of(X), j);
    } else if (X->layout == CH_COLUMN_MAJOR) {
        widen(x, X, j * X->stride, 1, X->rows);
    } else if (X->layout == CH_ROW_MAJOR) {
        widen(x, X, j, X->stride, X->rows);
    } else {
        int64_t start = X->column_start[j], count = X->column_start[j + 1] - start;
        const int32_t *row = X->row_index + start;
        for (int64_t i = 0; i < X->rows; i++) x[i] = 0;
        widen(x, X, start, 1, count); /* there is space, because count <= rows */
        for (int64_t e = count; e-- > 0;) {
            /* From the end, so that no value is overwritten before it has moved: row[e] >= e. */
            double value = x[e];
            x[e] = 0;
            x[row[e]] = value;
        }
    }
}

void chi_block_gather(double *block, const ch_matrix *X, int64_t lo, int64_t hi) {
    if (chi_shown_of(X)) {
        ch_matrix wide = *X; /* the same view, in double */
        wide.type = CH_F64;
        chi_shown_write(block, &wide, &(chi_part){0, X->rows, lo, hi - lo});
    } else if (X->layout == CH_ROW_MAJOR)
        for (int64_t i = 0; i < X->rows; i++)
            widen(block + i * (hi - lo), X, i * X->stride + lo, 1, hi - lo);
    else
        for (int64_t j = lo; j < hi; j++) chi_column_gather(block + (j - lo) * X->rows, X, j);
}

int64_t chi_column_support(int32_t *index, double *value, const ch_matrix *X, int64_t j) {
    const int32_t *row = NULL;
    int64_t stored = X->rows, count = 0;
    if (X->layout == CH_CSC) {
        int64_t start = X->column_start[j];
        stored = X->column_start[j + 1] - start;
        row = X->row_index + start;
        widen(value, X, start, 1, stored);
    } else {
        chi_column_gather(value, X, j);
    }
    for (int64_t e = 0; e < stored; e++) {
        double v = value[e];
        index[count] = row ? row[e] : (int32_t)e;
        value[count] = v;
        count += v != 0;
    }
    return count;
}
