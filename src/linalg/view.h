/* Addresses inside views, and blocks of columns: for src/linalg, and for single values that src/io
 * reads and writes. */
#pragma once

#include "linalg/linalg.h"

/* Returns the address of the value at this position (in elements). */
static inline const void *chi_value_at(const ch_matrix *X, int64_t position) {
    return (const char *)X->values + position * (int64_t)ch_value_type_size(X->type);
}

/* Returns the value at this position (in elements), in double. */
CHI_SHARED double chi_number_at(const ch_matrix *X, int64_t position);

/* Calls body(user, X, lo, hi) for blocks [lo, hi) of columns, which depend on X->cols and the
 * layout only. */
typedef void (*chi_columns_body)(void *user, const ch_matrix *X, int64_t lo, int64_t hi);
void chi_for_columns(ch_context *context, const ch_matrix *X, chi_columns_body body, void *user);
/* Calls body as chi_for_columns() does, for a body that reads only rows [first, last) of X. Returns
 * CHI_CANCELLED if the progress callback asks to stop. */
ch_status chi_for_columns_until(ch_context *context, const ch_matrix *X, int64_t first,
                                int64_t last, chi_columns_body body, void *user);
