/* A plain read of a block of bytes, which shows the speed of memory. */
#pragma once

#include "harness/harness.h"
#include <conehull/matrix.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of a matrix: its values and, if it is sparse, its row numbers. */
typedef struct bench_block {
    const void *bytes[2];
    size_t count[2];
    int threads;
    uint64_t sum; /* prevents the compiler from removing the reads */
} bench_block;

bench_block bench_block_of(const ch_matrix *X, int threads);
double bench_block_bytes(const bench_block *block);

/* A function for bench_work.run: reads every word of the bench_block `user` once, on its number of
 * threads. */
int bench_plain_read(void *user, bench_time *time);
