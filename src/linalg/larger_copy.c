/* Copies a matrix in its own layout and leaves space for more rows and columns after those of X.
 * The copy may have another type, and factors for rows and columns. It serves for the lifted matrix
 * of a hull, the data with a library, and clipped or weighted data. One parallel pass,
 * O(stored). */
#include "linalg/larger_copy.h"
#include "linalg/matrix_store.h"
#include "linalg/shown.h"

#include <string.h>

enum { BLOCK = 64 }; /* columns, or rows, per work item */

typedef struct copying {
    const ch_matrix *X;
    ch_matrix *to;
    const chi_larger *how;
} copying;

/* Consecutive values: their places in X and in the copy, and their factors. */
typedef struct stretch {
    int64_t from, to, count;
    const double *along;  /* factors of the values; NULL: 1              */
    const int32_t *index; /* value i has along[index[i]]; NULL: along[i] */
    double factor;        /* a factor for all of them                    */
} stretch;

static double factor_at(const stretch *s, int64_t i) {
    return s->along ? s->along[s->index ? s->index[i] : i] * s->factor : s->factor;
}

/* Converts count values to the type of the copy, which can hold the results. */
#define COPY_TO(R, T)                                                                              \
    R *target = (R *)c->to->values + s->to;                                                        \
    const T *x = (const T *)c->X->values + s->from;                                                \
    for (int64_t i = 0; i < s->count; i++) {                                                       \
        double value = (double)x[i];                                                               \
        target[i] = (R)(c->how->clip && value < 0 ? 0 : scaled ? factor_at(s, i) * value : value); \
    }
#define COPY_TO_F64(T) COPY_TO(double, T)
#define COPY_TO_F32(T) COPY_TO(float, T)

static void copy_stretch(const copying *c, const stretch *s) {
    int scaled = s->along || s->factor != 1;
    size_t size = ch_value_type_size(c->to->type);
    if (!scaled && c->X == c->to) return; /* in place: nothing to do */
    if (!scaled && !c->how->clip && c->X->type == c->to->type) {
        memcpy((char *)c->to->values + (size_t)s->to * size,
               (const char *)c->X->values + (size_t)s->from * size, (size_t)s->count * size);
    } else if (c->to->type == CH_F64) {
        CHI_BY_TYPE(c->X->type, COPY_TO_F64)
    } else {
        CHI_BY_TYPE(c->X->type, COPY_TO_F32)
    }
}

/* Copies a sparse column. If there is a new row, the column gets an entry in it, without a
 * value. */
static void copy_sparse(const copying *c, int64_t j, double factor) {
    const ch_matrix *X = c->X;
    int64_t from = X->column_start[j], stored = X->column_start[j + 1] - from;
    int64_t to = c->to->column_start[j];
    stretch s = {from, to, stored, c->how->row_factor, X->row_index + from, factor};
    int32_t *index =
        (int32_t *)(uintptr_t)c->to->row_index + to; /* the copy owns it, so it may be written */
    copy_stretch(c, &s);
    if (c->to != X) memcpy(index, X->row_index + from, (size_t)stored * sizeof *index);
    if (c->how->rows) index[stored] = (int32_t)X->rows;
}

static void copy_block(void *user, int64_t block, int thread) {
    const copying *c = user;
    const ch_matrix *X = c->X;
    const double *rows = c->how->row_factor, *columns = c->how->column_factor;
    int by_rows = X->layout == CH_ROW_MAJOR;
    int64_t lines = by_rows ? X->rows : X->cols, length = by_rows ? X->cols : X->rows;
    int64_t low = block * BLOCK, high = low + BLOCK < lines ? low + BLOCK : lines;
    const double *across = by_rows ? rows : columns, *along = by_rows ? columns : rows;
    (void)thread;
    for (int64_t j = low; j < high; j++) {
        double factor = across ? across[j] : 1;
        stretch s = {j * X->stride, j * c->to->stride, length, along, NULL, factor};
        if (X->layout == CH_CSC)
            copy_sparse(c, j, factor);
        else
            copy_stretch(c, &s);
    }
}

static ch_status create_csc(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                            const chi_larger *how) {
    int64_t cols = X->cols, stored = X->column_start[cols] + how->rows * cols + how->stored;
    if (how->rows && X->rows == INT32_MAX)
        return chi_fail(context, CH_ERR_DATA,
                        "%s needs one more row than the matrix has, but a sparse matrix has at "
                        "most 2^31 - 1 rows",
                        how->what);
    TRY(chi_matrix_create_csc(context, copy, X->rows + how->rows, cols + how->cols, stored,
                              how->type, how->what));
    chi_store *store = copy->owner;
    for (int64_t j = 0; j <= cols; j++) store->start[j] = X->column_start[j] + how->rows * j;
    return CH_OK;
}

static ch_status create_dense(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                              const chi_larger *how) {
    int64_t rows = X->rows + how->rows, cols = X->cols + how->cols;
    size_t size = ch_value_type_size(how->type);
    void *values = chi_alloc(context, rows * cols, size);
    if (!values) return chi_no_memory(context, how->what, rows * cols, size);
    *copy = chi_matrix_owned(values, rows, cols, X->layout, how->type);
    return CH_OK;
}

ch_status chi_copy_larger(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                          const chi_larger *how) {
    const chi_shown *shown = chi_shown_of(X);
    chi_larger clipped = *how;
    if (shown) { /* a clipped view: clip the stored values instead */
        if (shown->rows > 0 || shown->cols > 0)
            return chi_fail(context, CH_ERR_INTERNAL,
                            "%s cannot be made from a view with more rows or columns than are "
                            "stored; this is a bug in conehull, please report it",
                            how->what);
        clipped.clip |= shown->clip;
        X = &shown->X;
    }
    copying c = {X, copy, &clipped};
    int64_t lines = X->layout == CH_ROW_MAJOR ? X->rows : X->cols;
    TRY(X->layout == CH_CSC ? create_csc(context, copy, X, how)
                            : create_dense(context, copy, X, how));
    copy->first = X->first;
    chi_parallel(context, (lines + BLOCK - 1) / BLOCK, copy_block, &c);
    return CH_OK;
}

void chi_scale_in_place(ch_matrix *X, const double *row_factor, const double *column_factor) {
    chi_larger how = {.type = X->type, .row_factor = row_factor, .column_factor = column_factor};
    copying c = {X, X, &how};
    int64_t lines = X->layout == CH_ROW_MAJOR ? X->rows : X->cols;
    for (int64_t block = 0; block * BLOCK < lines; block++) copy_block(&c, block, 0);
}
