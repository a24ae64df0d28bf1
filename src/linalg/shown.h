/* Views that show more than is stored: negative values as 0, one more row with the same number in
 * all columns, columns behind those of X. So hulls, clipped data and libraries need no copy of a
 * dense matrix, which may be a mapped file larger than memory. The numbers are made when a pass, a
 * gather or a look asks for them, the same ones that a copy would hold. */
#pragma once

#include "linalg/view.h"

typedef struct chi_shown {
    ch_matrix X;  /* what is stored: dense, plain, the caller's                       */
    int clip;     /* negative values of it are 0                                      */
    int64_t rows; /* 0, or 1: one more row ...                                        */
    double unit;  /* ... that holds this number                                       */
    int64_t cols; /* more than X                                                      */
    double *more; /* X.rows x cols, column-major: what they hold                      */
} chi_shown;

/* What is shown besides X. */
typedef struct chi_showing {
    ch_value_type type; /* X's own, or CH_F32 or CH_F64, which must hold all that is shown   */
    int clip;
    int64_t rows, cols; /* more than X: 0 or 1; any number, as far as `more` is filled later   */
    double unit;
    const char *what; /* for the message that memory is short */
} chi_showing;

void chi_shown_release(ch_context *context, void *owner);

/* NULL: X is plain, its values are where it says. */
static inline const chi_shown *chi_shown_of(const ch_matrix *X) {
    return X->release == chi_shown_release ? X->owner : NULL;
}

/* A view of X, which is dense and must outlive it; X may be such a view itself, which then need
 * not. The columns behind X are zero but in the row. ch_matrix_free() releases it. CH_ERR_INTERNAL:
 * X is sparse, or `how` asks for whole numbers that are clipped or are not the stored ones. */
ch_status chi_show(ch_context *context, ch_matrix *view, const ch_matrix *X,
                   const chi_showing *how);
/* Of a view that is ours: the numbers of its last `cols` columns (without the row), and that of the
 * row. */
double *chi_shown_more(ch_matrix *view);
void chi_shown_set_unit(ch_matrix *view, double unit);

/* A rectangle of X: rows [i, i + rows), columns [j, j + cols). */
typedef struct chi_part {
    int64_t i, rows, j, cols;
} chi_part;

/* Its numbers in the layout and type of X, *stride apart: where they are or, of views that show
 * more, written to `space`, which holds so many. */
void *chi_shown_write(void *space, const ch_matrix *X, const chi_part *part);
static inline const void *chi_part_values(int64_t *stride, const ch_matrix *X, void *space,
                                          const chi_part *part) {
    int by_rows = X->layout == CH_ROW_MAJOR;
    if (chi_shown_of(X)) {
        *stride = by_rows ? part->cols : part->rows;
        return chi_shown_write(space, X, part);
    }
    *stride = X->stride;
    return chi_value_at(X, by_rows ? part->i * *stride + part->j : part->i + part->j * *stride);
}
/* Column j in double. */
void chi_shown_column(double *x, const chi_shown *shown, int64_t j);
double chi_shown_at(const chi_shown *shown, int64_t i, int64_t j);
