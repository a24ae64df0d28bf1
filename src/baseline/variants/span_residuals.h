/* Distances of all columns from a growing span, by downdating: a new direction u reduces the
 * squared distance of column j by (u'x_j D_jj)^2, in one pass over X. A square is accurate to about
 * 1e-15 of its initial value, so a distance is accurate to 3e-8 of the column's norm. */
#pragma once

#include "baseline/variants/scaled_columns.h"

typedef struct chi_span {
    const chi_scaled_columns *columns;
    int64_t count;
    double *U;      /* rows x capacity: orthonormal directions */
    double *square; /* cols                                    */
    double *least;  /* cols: squares up to this count as zero  */
    double *score;  /* cols: workspace                         */
} chi_span;

ch_status chi_span_create(chi_arena *arena, chi_span *span, const chi_scaled_columns *columns,
                          int64_t capacity);
/* Removes all directions; the squared distances become the squared norms of the columns. */
ch_status chi_span_clear(chi_span *span);
/* v <- (I - U U') v. Returns the norm of the new v. */
double chi_span_remove(const chi_span *span, double *v);
/* Adds the direction u, which is orthogonal to the span and has this norm; u is normalised. */
ch_status chi_span_append(chi_span *span, double *u, double norm);
/* Returns the lowest column of largest distance and that distance, or -1 if all lie in the span. */
int64_t chi_span_farthest(const chi_span *span, double *distance);
