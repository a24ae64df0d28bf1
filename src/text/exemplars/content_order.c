/* Sorts the columns of a matrix by a hash of their non-zero entries. */
#include "text/exemplars/content_order.h"
#include "base/base.h"
#include "linalg/linalg.h"
#include <stdlib.h>

typedef struct keyed {
    uint64_t key;
    int64_t column;
} keyed;

static int by_key(const void *left, const void *right) {
    const keyed *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

ch_status chi_content_order(chi_arena *arena, int64_t *order, const ch_matrix *X) {
    int32_t *index = chi_arena_alloc(arena, X->rows, sizeof *index);
    double *value = chi_arena_doubles(arena, X->rows);
    keyed *keys = chi_arena_alloc(arena, X->cols, sizeof *keys);
    TRY(chi_arena_status(arena, "an order of the columns"));
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t count = chi_column_support(index, value, X, j);
        uint64_t hash = chi_hash((uint64_t)count, index, (size_t)count * sizeof *index);
        keys[j] = (keyed){chi_hash(hash, value, (size_t)count * sizeof *value), j};
    }
    qsort(keys, (size_t)X->cols, sizeof *keys, by_key);
    for (int64_t k = 0; k < X->cols; k++) order[k] = keys[k].column;
    return CH_OK;
}
