/* Timing for every benchmark: works take turns in one process, so that whatever else the machine
 * does hits all of them, and speed is told as a ratio to a plain read of the same bytes in the same
 * run.
 *
 *     bench_options options = bench_start(count, words);          --json --turns N --threads N
 *     bench_time times[2];
 *     bench_take_turns(times, works, 2, &options);
 *     bench_report(&options, "spa f64", &times[1], anchors, &times[0], bytes, 1.5); */
#ifndef CONEHULL_STANDALONE_H
#define CONEHULL_STANDALONE_H

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

typedef struct bench_options {
    int json, turns, threads; /* threads 0: one per core */
} bench_options;

/* Reads the options that all benchmarks share; ends the program when it meets another one. */
bench_options bench_start(int count, char **words);

/* For main(), before all else: OpenBLAS chooses its kernel when it is loaded, so as the command
 * does, once more from the start with the one that the processor wants. */
void bench_choose_blas_kernel(char **words);

/* Takes "-o DIR" out of the words, for bench_start() to read the rest; DIR, or NULL. */
const char *bench_take_folder(int *count, char **words);

typedef struct bench_work {
    void (*run)(void *user);
    void *user;
} bench_work;

/* Each work once per turn, in rotation, options->turns times. */
void bench_take_turns(bench_time *times, const bench_work *works, int count,
                      const bench_options *options);

/* path = $CONEHULL_DATA/name, without the variable ../shared/data/name; returns path. */
const char *bench_data_path(char *path, size_t size, const char *name);

/* Seconds on a clock that never goes back. */
double bench_seconds(void);

/* One line: the time of work per unit against the time of one read of bytes. With --json an object
 * on a line of its own. goal 0: none. */
void bench_report(const bench_options *options, const char *name, const bench_time *work,
                  double units, const bench_time *read, double bytes, double goal);

#endif
