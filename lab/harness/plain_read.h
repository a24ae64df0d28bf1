/* What memory allows: a plain read of a block of bytes. */
#pragma once

#include "harness/harness.h"
#include <conehull/matrix.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of a matrix as they lie in memory: values, and row numbers where it is sparse. */
typedef struct bench_block {
    const void *bytes[2];
    size_t count[2];
    int threads;
    uint64_t sum; /* keeps the compiler from leaving the reads out */
} bench_block;

bench_block bench_block_of(const ch_matrix *X, int threads);
double bench_block_bytes(const bench_block *block);

/* A work: reads every word of the bench_block `user` once, on its number of threads. */
int bench_plain_read(void *user, bench_time *time);
