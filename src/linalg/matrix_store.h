/* Views that own their numbers: what they hold, and how it is given back. */
#pragma once

#include "base/base.h"
#include <conehull/matrix.h>

/* The owner of a view. The three arrays come from chi_alloc() and may be NULL. */
typedef struct chi_store {
    void *values;
    int64_t *start; /* of the columns, and the rows of a sparse matrix */
    int32_t *index;
    void *map; /* a mapped file, and whatever else belongs to the view; close() releases both */
    size_t map_bytes;
    void *handle;
    void (*close)(struct chi_store *store); /* or NULL */
} chi_store;

/* An empty one; NULL with CH_ERR_MEMORY in the context. */
CHI_SHARED chi_store *chi_store_create(ch_context *context);
/* For ch_matrix.release. owner may be NULL. */
CHI_SHARED void chi_store_release(ch_context *context, void *owner);

/* X becomes a view that owns the store: of dense numbers without padding between them, which lie in
 * one of its blocks, or of its three arrays as CSC. */
CHI_SHARED void chi_store_dense(ch_matrix *X, chi_store *store, const void *values, int64_t rows,
                                int64_t cols, ch_matrix_layout layout, ch_value_type type);
CHI_SHARED void chi_store_csc(ch_matrix *X, chi_store *store, int64_t rows, int64_t cols,
                              ch_value_type type);

/* An owning CSC matrix whose arrays, X->owner's, are still to be filled. `what` is for the message
 * that memory is short. */
CHI_SHARED ch_status chi_matrix_create_csc(ch_context *context, ch_matrix *X, int64_t rows,
                                           int64_t cols, int64_t stored, ch_value_type type,
                                           const char *what);
