/* What benchmarks and `conehull bench` share: the noise of a series of times, and what memory
 * allows. Stands alone: no header of the library. */
#ifndef CONEHULL_TIMING_H
#define CONEHULL_TIMING_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_time {
    double min, median, max;
} bench_time;

/* Of values[0 .. count), which are sorted on the way. */
bench_time bench_summary(double *values, int count);

/* Reads every word of a block once, on that many threads: what memory allows. user is one of these;
 * sum keeps the compiler from leaving the reads out. */
typedef struct bench_block {
    const void *bytes;
    size_t count;
    int threads;
    uint64_t sum;
} bench_block;
void bench_plain_read(void *block);

#endif
