/* Least, median and largest of a series, and a plain read of memory. */
#include "harness/timing.h"
#include <pthread.h>
#include <stdlib.h>

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bench_time bench_summary(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return (bench_time){values[0], 0.5 * (values[(count - 1) / 2] + values[count / 2]),
                        values[count - 1]};
}

/* The share of one thread in a plain read. */
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

void bench_plain_read(void *user) {
    enum { MOST = 64 };
    bench_block *block = user;
    const uint64_t *words = block->bytes;
    int64_t count = (int64_t)(block->count / sizeof *words);
    int threads = block->threads < MOST ? block->threads : MOST;
    share shares[MOST];
    for (int t = 0; t < threads; t++) {
        int64_t from = count * t / threads, to = count * (t + 1) / threads;
        shares[t] = (share){.words = words + from, .count = to - from};
        if (t > 0 && pthread_create(&shares[t].thread, NULL, add_words, &shares[t]) != 0) abort();
    }
    add_words(&shares[0]);
    for (int t = 0; t < threads; t++) {
        if (t > 0) pthread_join(shares[t].thread, NULL);
        block->sum += shares[t].sum;
    }
}
