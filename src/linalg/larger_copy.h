/* Copies of a matrix that are larger, of another type, clipped or scaled (larger_copy.c). */
#pragma once

#include "linalg/linalg.h"

/* How the copy differs from X. */
typedef struct chi_larger {
    /* the type of X, or CH_F32 or CH_F64 if that type can hold all values of X */
    ch_value_type type;
    /* number of additional rows (at most 1) and columns, after those of X. Their values are not
     * set; in a sparse copy the row indices of these columns are not set either */
    int64_t rows, cols;
    int64_t stored; /* sparse: number of entries of the additional columns */
    int clip;       /* negative values become 0; type is CH_F32 or CH_F64 */
    const double *row_factor, *column_factor; /* NULL: 1; else type is CH_F64 */
    /* name of the copy, for the message if memory is short */
    const char *what;
} chi_larger;

/* Makes a copy with the layout of X, which the caller frees by ch_matrix_free(). In a sparse copy
 * every column of X has an entry in the new row, as its last entry. */
ch_status chi_copy_larger(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                          const chi_larger *how);
/* X = diag(row_factor) X diag(column_factor). X is CH_F64, dense and owned by the library. */
void chi_scale_in_place(ch_matrix *X, const double *row_factor, const double *column_factor);
