/* SPA's time per anchor over the time of one plain read of X in the same run: dense f64, f32, u8
 * and f64 by rows, 400 MB each, and Reuters (CSC), on one thread and on all. Every method rests on
 * the same pass over X, so this ratio sets their pace. */
#include "baseline/baseline.h"
#include "programs/standalone.h"
#include <conehull/conehull.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>

enum { DENSE_ROWS = 2000, DENSE_ANCHORS = 10, TEXT_ANCHORS = 50 };
static const int64_t dense_bytes = 400000000;
static const double goal = 1.5;

typedef struct selection {
    ch_context *context;
    const ch_matrix *X;
    int64_t anchors[TEXT_ANCHORS];
    double residuals[TEXT_ANCHORS];
    int64_t rank;
} selection;

static void stop(const char *why) {
    fprintf(stderr, "bench_spa: %s\n", why);
    exit(1);
}

static void run_spa(void *user) {
    selection *s = user;
    ch_anchors_settings set = {.rank = s->rank};
    chi_selection found = {.anchors = s->anchors, .max_residual = s->residuals};
    if (chi_spa(s->context, &found, s->X, &set) != CH_OK) stop(ch_context_message(s->context));
}

typedef struct arrays {
    bench_block blocks[2];
    int count;
} arrays;

static void read_arrays(void *user) {
    arrays *a = user;
    for (int i = 0; i < a->count; i++) bench_plain_read(&a->blocks[i]);
}

/* The numbers of X as they lie in memory. */
static arrays arrays_of(const ch_matrix *X, int threads) {
    size_t stored = (size_t)ch_matrix_stored(X);
    arrays a = {{{X->values, stored * ch_value_type_size(X->type), threads, 0},
                 {X->row_index, stored * sizeof(int32_t), threads, 0}},
                X->layout == CH_CSC ? 2 : 1};
    return a;
}

static void measure(bench_options options, const char *name, const ch_matrix *X, int64_t rank,
                    double wanted) {
    int all = options.threads;
    for (int threads = 1; threads <= all; threads += threads < all ? all - threads : 1) {
        selection s = {.X = X, .rank = rank};
        if (ch_context_create(&s.context, NULL) != CH_OK) stop("no context");
        if (ch_context_set_threads(s.context, threads) != CH_OK) stop("threads");
        arrays a = arrays_of(X, threads);
        bench_work works[2] = {{read_arrays, &a}, {run_spa, &s}};
        bench_time times[2];
        double bytes = 0.0;
        char label[64];
        for (int i = 0; i < a.count; i++) bytes += (double)a.blocks[i].count;
        snprintf(label, sizeof label, "spa %s, %d thread%s", name, threads, threads > 1 ? "s" : "");
        options.threads = threads;
        bench_take_turns(times, works, 2, &options);
        bench_report(&options, label, &times[1], (double)rank, &times[0], bytes, wanted);
        ch_context_destroy(s.context);
    }
}

static void fill(void *values, int64_t count, ch_value_type type) {
    ch_random random;
    ch_random_seed(&random, 1);
    for (int64_t i = 0; i < count; i++) {
        if (type == CH_F64) ((double *)values)[i] = ch_random_uniform(&random);
        if (type == CH_F32) ((float *)values)[i] = (float)ch_random_uniform(&random);
        if (type == CH_U8) ((uint8_t *)values)[i] = (uint8_t)(ch_random_bits(&random) >> 56);
    }
}

static void dense(bench_options options, const char *name, ch_value_type type,
                  ch_matrix_layout layout) {
    int64_t count = dense_bytes / (int64_t)ch_value_type_size(type), cols = count / DENSE_ROWS;
    void *values = malloc((size_t)dense_bytes);
    if (!values) stop("no memory");
    fill(values, count, type);
    ch_matrix X = {.rows = DENSE_ROWS,
                   .cols = cols,
                   .layout = layout,
                   .type = type,
                   .values = values,
                   .stride = layout == CH_ROW_MAJOR ? cols : DENSE_ROWS};
    measure(options, name, &X, DENSE_ANCHORS, goal);
    free(values);
}

static void reuters(bench_options options) {
    char path[1000];
    ch_context *context;
    ch_matrix X;
    bench_data_path(path, sizeof path, "text/reuters10/reuters10.mtx.gz");
    if (ch_context_create(&context, NULL) != CH_OK) stop("no context");
    if (ch_matrix_read(context, &X, path, NULL) == CH_OK) {
        measure(options, "Reuters CSC", &X, TEXT_ANCHORS, 0.0);
        ch_matrix_free(context, &X);
    } else if (!options.json) {
        printf("spa Reuters CSC: skipped, %s\n", ch_context_message(context));
    }
    ch_context_destroy(context);
}

int main(int count, char **words) {
    bench_options options = bench_start(count, words);
    dense(options, "f64", CH_F64, CH_COLUMN_MAJOR);
    dense(options, "f32", CH_F32, CH_COLUMN_MAJOR);
    dense(options, "u8", CH_U8, CH_COLUMN_MAJOR);
    dense(options, "f64 by rows", CH_F64, CH_ROW_MAJOR);
    reuters(options);
    return 0;
}
