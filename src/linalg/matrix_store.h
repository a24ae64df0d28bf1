/* Views that own their values: what they hold and how it is freed. */
#pragma once

#include "base/base.h"
#include <conehull/matrix.h>

/* The owner of a view. The three arrays come from chi_alloc() and may be NULL. */
typedef struct chi_store {
    void *values;
    int64_t *start; /* starts of the columns, and row indices of a sparse matrix */
    int32_t *index;
    void *map; /* a mapped file, and other data of the view; close() releases both */
    size_t map_bytes;
    void *handle;
    void (*close)(struct chi_store *store); /* releases map; or NULL */
} chi_store;

/* Returns an empty store, or NULL with CH_ERR_MEMORY in the context. */
CHI_SHARED chi_store *chi_store_create(ch_context *context);
/* Frees a store and its arrays; the function for ch_matrix.release. owner may be NULL. */
CHI_SHARED void chi_store_release(ch_context *context, void *owner);

/* Makes X a view that owns the store. chi_store_dense(): the dense values, without padding, are in
 * an array or in the map of the store. chi_store_csc(): the three arrays are a CSC matrix. */
CHI_SHARED void chi_store_dense(ch_matrix *X, chi_store *store, const void *values, int64_t rows,
                                int64_t cols, ch_matrix_layout layout, ch_value_type type);
CHI_SHARED void chi_store_csc(ch_matrix *X, chi_store *store, int64_t rows, int64_t cols,
                              ch_value_type type);

/* Creates an owning CSC matrix whose arrays, in X->owner, are still to be filled. `what` names the
 * matrix in the message if memory is short. */
CHI_SHARED ch_status chi_matrix_create_csc(ch_context *context, ch_matrix *X, int64_t rows,
                                           int64_t cols, int64_t stored, ch_value_type type,
                                           const char *what);
