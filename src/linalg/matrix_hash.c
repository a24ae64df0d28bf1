/* A hash of the columns of a matrix as they are stored, padding between them left out: the sum of
 * the hashes of blocks of columns, each seeded by its place in the whole. So the parts of several
 * ranks, which begin with a block, add up to the hash of the whole, and threads may take blocks in
 * any order. Mapped or in memory makes no difference. One pass. */
#include "base/hash.h"
#include "linalg/linalg.h"
#include "linalg/prefetch.h"
#include "linalg/view.h"
#include <conehull/comm.h>

#include <stdatomic.h>

enum { STRIPE = 64 }; /* blocks side by side of a row that are looked at together */

typedef struct hashing {
    ch_context *context;
    const ch_matrix *X;
    _Atomic uint64_t sum;
} hashing;

static int64_t block_end(const ch_matrix *X, int64_t low) {
    return low + CH_COMM_BLOCK < X->cols ? low + CH_COMM_BLOCK : X->cols;
}

static uint64_t begin_block(const ch_matrix *X, int64_t low) {
    int64_t place = (X->first + low) / CH_COMM_BLOCK;
    return chi_hash(0, &place, sizeof place);
}

static uint64_t hash_columns(const ch_matrix *X, int64_t low, int64_t high, uint64_t hash) {
    size_t bytes = (size_t)X->rows * ch_value_type_size(X->type);
    for (int64_t j = low; j < high; j++)
        hash = chi_hash(hash, chi_value_at(X, j * X->stride), bytes);
    return hash;
}

static uint64_t hash_sparse(const ch_matrix *X, int64_t low, int64_t high, uint64_t hash) {
    int64_t length[CH_COMM_BLOCK], first = X->column_start[low];
    size_t stored = (size_t)(X->column_start[high] - first);
    for (int64_t j = low; j < high; j++)
        length[j - low] = X->column_start[j + 1] - X->column_start[j];
    hash = chi_hash(hash, length, (size_t)(high - low) * sizeof *length);
    hash = chi_hash(hash, X->row_index + first, stored * sizeof *X->row_index);
    return chi_hash(hash, chi_value_at(X, first), stored * ch_value_type_size(X->type));
}

static void hash_block(void *user, int64_t block, int thread) {
    hashing *h = user;
    const ch_matrix *X = h->X;
    int64_t low = block * CH_COMM_BLOCK, high = block_end(X, low);
    uint64_t hash = begin_block(X, low);
    (void)thread;
    chi_prefetch_block(h->context, X, CH_COMM_BLOCK, block);
    hash = X->layout == CH_CSC ? hash_sparse(X, low, high, hash) : hash_columns(X, low, high, hash);
    atomic_fetch_add(&h->sum, hash);
}

/* Rows one after the other, as they lie. */
static void hash_stripe(void *user, int64_t stripe, int thread) {
    hashing *h = user;
    const ch_matrix *X = h->X;
    uint64_t hash[STRIPE], sum = 0;
    size_t size = ch_value_type_size(X->type);
    int64_t first = stripe * STRIPE * CH_COMM_BLOCK, low;
    (void)thread;
    chi_prefetch_block(h->context, X, STRIPE * CH_COMM_BLOCK, stripe);
    for (int b = 0; b < STRIPE; b++) hash[b] = begin_block(X, first + b * CH_COMM_BLOCK);
    for (int64_t i = 0; i < X->rows; i++)
        for (int b = 0; b < STRIPE && (low = first + b * CH_COMM_BLOCK) < X->cols; b++)
            hash[b] = chi_hash(hash[b], chi_value_at(X, i * X->stride + low),
                               (size_t)(block_end(X, low) - low) * size);
    for (int b = 0; b < STRIPE && first + b * CH_COMM_BLOCK < X->cols; b++) sum += hash[b];
    atomic_fetch_add(&h->sum, sum);
}

ch_status chi_matrix_hash(ch_context *context, uint64_t *hash, const ch_matrix *X) {
    hashing h = {.context = context, .X = X};
    int by_row = X->layout == CH_ROW_MAJOR;
    int64_t width = by_row ? STRIPE * CH_COMM_BLOCK : CH_COMM_BLOCK;
    chi_prefetch_pass(context, X, width, 0);
    TRY(chi_parallel_until(context, (X->cols + width - 1) / width,
                           by_row ? hash_stripe : hash_block, &h));
    *hash = h.sum;
    return CH_OK;
}
