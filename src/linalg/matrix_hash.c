/* A hash of a matrix as it is stored: shape, layout, type, then the lines of values (columns, or
 * rows where these lie side by side; padding between them left out), for CSC the three arrays.
 * Mapped or in memory makes no difference. One pass, blocks of lines in parallel; the hashes of the
 * blocks, which depend on the sizes alone, are hashed in order. */
#include "base/hash.h"
#include "linalg/linalg.h"

enum { BLOCK_BYTES = 1 << 20, AHEAD = 32 /* blocks, for which a mapped file is asked */ };

/* Lines of the same length, and the hash of each block of them. */
typedef struct lines {
    const ch_context *context;
    const unsigned char *first;
    int64_t count, bytes, stride; /* lines; bytes of a line; bytes from one to the next */
    int64_t block;                /* lines a block */
    uint64_t *hash;
} lines;

static void expect_lines(const lines *l, int64_t low, int64_t high) {
    if (high > l->count) high = l->count;
    if (low < high)
        chi_expect(l->context, l->first + low * l->stride,
                   (size_t)((high - low - 1) * l->stride + l->bytes));
}

static void hash_block(void *user, int64_t block, int thread) {
    const lines *l = user;
    int64_t low = block * l->block, high = low + l->block < l->count ? low + l->block : l->count;
    uint64_t hash = 0;
    (void)thread;
    expect_lines(l, low + AHEAD * l->block, high + AHEAD * l->block);
    if (l->stride == l->bytes) {
        hash = chi_hash(0, l->first + low * l->stride, (size_t)((high - low) * l->bytes));
    } else {
        for (int64_t k = low; k < high; k++)
            hash = chi_hash(hash, l->first + k * l->stride, (size_t)l->bytes);
    }
    l->hash[block] = hash;
}

static ch_status hash_lines(ch_context *context, uint64_t *hash, lines l) {
    if (l.count < 1 || l.bytes < 1) return CH_OK;
    l.block = l.bytes < BLOCK_BYTES ? BLOCK_BYTES / l.bytes : 1;
    int64_t blocks = (l.count + l.block - 1) / l.block;
    chi_count_read(context, (double)l.count * (double)l.bytes);
    l.context = context;
    expect_lines(&l, 0, AHEAD * l.block);
    l.hash = chi_alloc(context, blocks, sizeof *l.hash);
    if (!l.hash) return chi_no_memory(context, "hashes", blocks, sizeof *l.hash);
    chi_parallel(context, blocks, hash_block, &l);
    *hash = chi_hash(*hash, l.hash, (size_t)blocks * sizeof *l.hash);
    chi_free(context, l.hash);
    return CH_OK;
}

static ch_status hash_array(ch_context *context, uint64_t *hash, const void *array, int64_t count,
                            size_t size) {
    int64_t bytes = (int64_t)size;
    return hash_lines(context, hash,
                      (lines){.first = array, .count = count, .bytes = bytes, .stride = bytes});
}

ch_status chi_matrix_hash(ch_context *context, uint64_t *hash, const ch_matrix *X) {
    int64_t shape[] = {X->rows, X->cols, X->layout, X->type};
    size_t size = ch_type_size(X->type);
    *hash = chi_hash(0, shape, sizeof shape);
    if (X->layout == CH_CSC) {
        int64_t stored = ch_matrix_stored(X);
        TRY(hash_array(context, hash, X->column_start, X->cols + 1, sizeof *X->column_start));
        TRY(hash_array(context, hash, X->row_index, stored, sizeof *X->row_index));
        return hash_array(context, hash, X->values, stored, size);
    }
    int columns = X->layout == CH_COLUMN_MAJOR;
    return hash_lines(context, hash,
                      (lines){.first = X->values,
                              .count = columns ? X->cols : X->rows,
                              .bytes = (columns ? X->rows : X->cols) * (int64_t)size,
                              .stride = X->stride * (int64_t)size});
}
