/* Distances of all columns from a span that grows, by downdating: a new direction u takes
 * (u'x_j D_jj)^2 from the squared distance of column j, one pass over X. A square is accurate to
 * about 1e-15 of where it started, a distance therefore to 3e-8 of the column's norm. */
#pragma once

#include "baseline/variants/scaled_columns.h"

typedef struct chi_span {
    const chi_scaled_columns *columns;
    int64_t count;
    double *U;      /* rows x capacity: orthonormal directions */
    double *square; /* cols                                    */
    double *least;  /* cols: a square no larger is none        */
    double *score;  /* cols: workspace                         */
} chi_span;

ch_status chi_span_create(chi_arena *arena, chi_span *span, const chi_scaled_columns *columns,
                          int64_t capacity);
/* No direction yet: squares of norms. */
ch_status chi_span_clear(chi_span *span);
/* v <- (I - U U') v, and its norm. */
double chi_span_remove(const chi_span *span, double *v);
/* u, orthogonal to the span, of this norm, becomes a direction; u is normalised. */
ch_status chi_span_append(chi_span *span, double *u, double norm);
/* The lowest column of largest distance, and that distance; -1: all lie in the span. */
int64_t chi_span_farthest(const chi_span *span, double *distance);
