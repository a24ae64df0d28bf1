/* Columns as the variants of successive projection compare them: x_j D_jj, D_jj = 1 / sum of x_j,
 * or, with settings->plain, one power of two for all columns, which brings the largest sum below 1.
 * A column that is zero, or too small to divide by, has D_jj = 0. For one process. */
#pragma once

#include "base/arena.h"
#include <conehull/anchors.h>

typedef struct chi_scaled_columns {
    ch_context *context;
    const ch_matrix *X;
    double *scale;  /* cols: D_jj                 */
    double unit;    /* plain: D_jj; else 1        */
    int64_t usable; /* number of non-zero columns */
} chi_scaled_columns;

/* Computes the scales. Refuses what these methods do not support: columns to keep, a rank below 1
 * or above the number of non-zero columns, sums that overflow. */
ch_status chi_scaled_create(chi_arena *arena, chi_scaled_columns *columns, const char *method,
                            const ch_matrix *X, const ch_anchors_settings *settings);

/* Writes the non-zero entries of column j, scaled, and returns their number. */
int64_t chi_scaled_entries(const chi_scaled_columns *columns, int32_t *index, double *value,
                           int64_t j);
/* x = all entries of column j, scaled. */
void chi_scaled_column(const chi_scaled_columns *columns, double *x, int64_t j);
