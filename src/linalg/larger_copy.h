/* Copies of a matrix that are larger, of another type, clipped or scaled (larger_copy.c). */
#pragma once

#include "linalg/linalg.h"

/* What the copy has besides the numbers of X. */
typedef struct chi_larger {
    ch_value_type type; /* X's own, or CH_F32 or CH_F64, which must hold all of its numbers    */
    int64_t rows, cols; /* more than X, behind its own: at most one row; their values are not set,
                           nor, of a sparse copy, the places of the entries in these columns     */
    int64_t stored;     /* sparse: entries of these columns                                     */
    int clip;           /* negative values become 0; type is CH_F32 or CH_F64                     */
    const double *row_factor, *column_factor; /* NULL: 1; else type is CH_F64                   */
    const char *what;                         /* for the message that memory is short          */
} chi_larger;

/* The copy has the layout of X; ch_matrix_free() frees it. Sparse: every column of X has an entry
 * in the new row, which is its last. */
ch_status chi_copy_larger(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                          const chi_larger *how);
/* X (CH_F64, dense, ours) = diag(row_factor) X diag(column_factor). */
void chi_scale_in_place(ch_matrix *X, const double *row_factor, const double *column_factor);
