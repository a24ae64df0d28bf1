/* Products with X on the left, one panel of columns at a time: by BLAS or, if X has few non-zero
 * entries, over these entries only; then a product with w columns costs O(nonzeros w) instead of
 * O(m n w). The choice depends on the values, not on the caller's storage. */
#pragma once

#include "base/arena.h"

typedef struct chi_dictionary {
    int64_t m, n;
    double *X; /* m x n, column-major */
    /* n + 1; with row and value the non-zero entries by columns; NULL: there are too many */
    int64_t *start;
    int32_t *row;
    double *value;
} chi_dictionary;

/* Allocates X; the arena frees it. */
ch_status chi_dictionary_create(chi_arena *arena, chi_dictionary *dictionary, int64_t m, int64_t n);
/* Lists the non-zero entries of X if there are few. The caller must have filled X. */
ch_status chi_dictionary_list(chi_arena *arena, chi_dictionary *dictionary);

/* out (m x w, column-major) = X C; C_jc is at C[j * stride + c]. workspace: m x w numbers. */
void chi_dictionary_times(const chi_dictionary *dictionary, double *out, const double *C,
                          int64_t stride, int64_t w, double *workspace);
/* C = X'F + scale C, where F is m x w, column-major, and C_jc is at C[j * stride + c]. workspace: m
 * x w numbers. */
void chi_dictionary_correlate(const chi_dictionary *dictionary, double *C, int64_t stride,
                              const double *F, int64_t w, double scale, double *workspace);
