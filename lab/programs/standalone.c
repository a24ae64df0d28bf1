/* Turns, and the line that tells the ratio. */
#include "programs/standalone.h"
#include <conehull/matrix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_choose_blas_kernel(char **words) {
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *wanted = getenv(variable) ? NULL : ch_blas_core_wanted();
    if (wanted && setenv(variable, wanted, 0) == 0) execv("/proc/self/exe", words);
}

bench_options bench_start(int count, char **words) {
    bench_options options = {0, 7, 0};
    for (int i = 1; i < count; i++) {
        int more = i + 1 < count;
        if (strcmp(words[i], "--json") == 0)
            options.json = 1;
        else if (more && strcmp(words[i], "--turns") == 0 && atoi(words[i + 1]) > 0)
            options.turns = atoi(words[++i]);
        else if (more && strcmp(words[i], "--threads") == 0 && atoi(words[i + 1]) >= 0)
            options.threads = atoi(words[++i]);
        else {
            fprintf(stderr, "usage: %s [--json] [--turns N] [--threads N]\n", words[0]);
            exit(2);
        }
    }
    if (!options.threads) options.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return options;
}

const char *bench_data_path(char *path, size_t size, const char *name) {
    const char *folder = getenv("CONEHULL_DATA");
    snprintf(path, size, "%s/%s", folder ? folder : "../shared/data", name);
    return path;
}

double bench_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void bench_take_turns(bench_time *times, const bench_work *works, int count,
                      const bench_options *options) {
    int turns = options->turns;
    double *seconds = malloc((size_t)(count * turns) * sizeof *seconds);
    if (!seconds) abort();
    for (int turn = 0; turn < turns; turn++)
        for (int k = 0; k < count; k++) {
            double start = bench_seconds();
            works[k].run(works[k].user);
            seconds[k * turns + turn] = bench_seconds() - start;
        }
    for (int k = 0; k < count; k++) times[k] = bench_summary(seconds + k * turns, turns);
    free(seconds);
}

void bench_report(const bench_options *options, const char *name, const bench_time *work,
                  double units, const bench_time *read, double bytes, double goal) {
    double each = work->min / units, ratio = each / read->min;
    if (options->json) {
        printf("{\"name\": \"%s\", \"threads\": %d, \"turns\": %d, \"seconds\": %.6g, "
               "\"seconds_median\": %.6g, \"read_seconds\": %.6g, \"read_seconds_median\": %.6g, "
               "\"gb_per_second\": %.3f, \"read_gb_per_second\": %.3f, \"ratio\": %.3f",
               name, options->threads, options->turns, each, work->median / units, read->min,
               read->median, bytes / each / 1e9, bytes / read->min / 1e9, ratio);
        if (goal > 0) printf(", \"goal\": %.3g", goal);
        puts("}");
        return;
    }
    printf("%-28s %9.3f ms  %6.2f GB/s   plain read %9.3f ms  %6.2f GB/s   ratio %5.2f", name,
           1e3 * each, bytes / each / 1e9, 1e3 * read->min, bytes / read->min / 1e9, ratio);
    if (goal > 0) printf("  (goal %.3g)", goal);
    puts("");
}

const char *bench_take_folder(int *count, char **words) {
    for (int i = 1; i + 1 < *count; i++) {
        if (strcmp(words[i], "-o") != 0) continue;
        const char *folder = words[i + 1];
        for (int k = i; k + 2 < *count; k++) words[k] = words[k + 2];
        *count -= 2;
        return folder;
    }
    return NULL;
}

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
