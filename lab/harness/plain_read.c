/* Reads every word of a block once, on several threads. */
#include "harness/plain_read.h"
#include "common/exit_codes.h"
#include <pthread.h>
#include <stdlib.h>

bench_block bench_block_of(const ch_matrix *X, int threads) {
    size_t stored = (size_t)ch_matrix_stored(X);
    size_t rows = X->layout == CH_CSC ? stored * sizeof *X->row_index : 0;
    return (bench_block){
        {X->values, X->row_index}, {stored * ch_value_type_size(X->type), rows}, threads, 0};
}

double bench_block_bytes(const bench_block *block) {
    return (double)block->count[0] + (double)block->count[1];
}

/* The part of a plain read that one thread does. */
typedef struct share {
    pthread_t thread;
    const uint64_t *words;
    int64_t count;
    uint64_t sum;
} share;

static void *add_words(void *user) {
    share *own = user;
    uint64_t sum = 0;
    for (int64_t i = 0; i < own->count; i++) sum += own->words[i];
    own->sum = sum;
    return NULL;
}

static uint64_t read_words(const uint64_t *words, int64_t count, int threads) {
    enum { MOST = 64 };
    share shares[MOST];
    uint64_t sum = 0;
    if (threads > MOST) threads = MOST;
    for (int t = 0; t < threads; t++) {
        int64_t from = count * t / threads, to = count * (t + 1) / threads;
        shares[t] = (share){.words = words + from, .count = to - from};
        if (t > 0 && pthread_create(&shares[t].thread, NULL, add_words, &shares[t]) != 0) abort();
    }
    add_words(&shares[0]);
    for (int t = 0; t < threads; t++) {
        if (t > 0) pthread_join(shares[t].thread, NULL);
        sum += shares[t].sum;
    }
    return sum;
}

int bench_plain_read(void *user, bench_time *time) {
    bench_block *block = user;
    (void)time;
    for (int i = 0; i < 2; i++)
        if (block->count[i])
            block->sum += read_words(block->bytes[i], (int64_t)(block->count[i] / sizeof(uint64_t)),
                                     block->threads);
    return EXIT_DONE;
}
