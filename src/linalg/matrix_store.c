/* The storage of matrices that own their values. */
#include "linalg/matrix_store.h"
#include "linalg/linalg.h"

chi_store *chi_store_create(ch_context *context) {
    chi_store *store = chi_alloc_zero(context, 1, sizeof *store);
    if (!store) chi_no_memory(context, "the owner of a matrix", 1, sizeof *store);
    return store;
}

void chi_store_release(ch_context *context, void *owner) {
    chi_store *store = owner;
    if (!store) return;
    chi_free(context, store->values);
    chi_free(context, store->start);
    chi_free(context, store->index);
    if (store->close) store->close(store);
    chi_free(context, store);
}

void chi_store_dense(ch_matrix *X, chi_store *store, const void *values, int64_t rows, int64_t cols,
                     ch_matrix_layout layout, ch_value_type type) {
    *X = chi_matrix_owned(NULL, rows, cols, layout, type);
    X->values = values;
    X->owner = store;
    X->release = chi_store_release;
}

void chi_store_csc(ch_matrix *X, chi_store *store, int64_t rows, int64_t cols, ch_value_type type) {
    chi_store_dense(X, store, store->values, rows, cols, CH_CSC, type);
    X->stride = 0;
    X->column_start = store->start;
    X->row_index = store->index;
}

ch_status chi_matrix_create_csc(ch_context *context, ch_matrix *X, int64_t rows, int64_t cols,
                                int64_t stored, ch_value_type type, const char *what) {
    size_t size = ch_value_type_size(type);
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    store->values = chi_alloc(context, stored, size);
    store->start = chi_alloc(context, cols + 1, sizeof *store->start);
    store->index = chi_alloc(context, stored, sizeof *store->index);
    if (!store->values || !store->start || !store->index) {
        chi_store_release(context, store);
        return chi_no_memory(context, what, stored, size + sizeof *store->index);
    }
    chi_store_csc(X, store, rows, cols, type);
    return CH_OK;
}
