/* Views that compute some of their values: negative values appear as 0, one more row holds the same
 * number in all columns, and further columns follow those of X. Hulls, clipped data and libraries
 * therefore need no copy of a dense matrix, which may be a mapped file larger than memory. The
 * values are computed when they are read and equal those of a copy. */
#pragma once

#include "linalg/view.h"

typedef struct chi_shown {
    ch_matrix X;  /* the stored part, dense; the caller owns its values         */
    int clip;     /* 1: negative values of X appear as 0                        */
    int64_t rows; /* number of additional rows, 0 or 1                          */
    double unit;  /* value of the additional row in all columns                 */
    int64_t cols; /* number of further columns                                  */
    double *more; /* X.rows x cols, column-major: values of the further columns */
} chi_shown;

/* What the view adds to X. */
typedef struct chi_showing {
    ch_value_type type; /* the type of X, or CH_F32 or CH_F64 if that type can hold all values */
    int clip;
    /* number of additional rows, 0 or 1, and of further columns, which the caller fills */
    int64_t rows, cols;
    double unit;
    const char *what; /* name of the view, for the message if memory is short */
} chi_showing;

void chi_shown_release(ch_context *context, void *owner);

/* Returns the data of a view made by chi_show(), or NULL if X is an ordinary view, whose values are
 * all stored. */
static inline const chi_shown *chi_shown_of(const ch_matrix *X) {
    return X->release == chi_shown_release ? X->owner : NULL;
}

/* Creates a view of X. X is dense and must outlive the view, unless X is itself such a view. The
 * further columns are zero except in the additional row. ch_matrix_free() releases the view.
 * Returns CH_ERR_INTERNAL if X is sparse, or if `how` requests an integer type for values that are
 * clipped or computed. */
ch_status chi_show(ch_context *context, ch_matrix *view, const ch_matrix *X,
                   const chi_showing *how);
/* For a view made by chi_show(): chi_shown_more() returns the values of the further columns
 * (chi_shown.more), without the additional row; chi_shown_set_unit() sets the value of the
 * additional row. */
double *chi_shown_more(ch_matrix *view);
void chi_shown_set_unit(ch_matrix *view, double unit);

/* A rectangle of X: rows [i, i + rows), columns [j, j + cols). */
typedef struct chi_part {
    int64_t i, rows, j, cols;
} chi_part;

/* chi_part_values() returns the values of the part in the layout and type of X; *stride is the
 * number of values from one row or column to the next. It returns a pointer into X or, for a view
 * that computes values, `space`, which must be large enough and to which chi_shown_write()
 * writes. */
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
/* x = column j of the view, in double. */
void chi_shown_column(double *x, const chi_shown *shown, int64_t j);
double chi_shown_at(const chi_shown *shown, int64_t i, int64_t j);
