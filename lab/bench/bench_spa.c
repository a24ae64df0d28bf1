/* SPA's time per anchor over the time of one plain read of X in the same run: dense f64, f32, u8
 * and f64 by rows, 400 MB each, and documents (CSC), on one thread and on all. Every method uses
 * the same pass over X, so this ratio limits their speed. */
#include "baseline/baseline.h"
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/documents.h"
#include "harness/plain_read.h"
#include <conehull/random.h>
#include <stdio.h>
#include <stdlib.h>

enum { DENSE_ROWS = 2000, DENSE_ANCHORS = 10, TEXT_ANCHORS = 50 };

typedef struct selection {
    const bench_run *run;
    const ch_matrix *X;
    int64_t anchors[TEXT_ANCHORS];
    double residuals[TEXT_ANCHORS];
    int64_t rank;
} selection;

static int run_spa(void *user, bench_time *time) {
    selection *s = user;
    ch_anchors_settings set = {.size = sizeof set, .rank = s->rank};
    chi_selection found = {.anchors = s->anchors, .max_residual = s->residuals};
    (void)time;
    return bench_code(s->run, chi_spa(s->run->session->context, &found, s->X, &set));
}

/* Adds the ratio; at most 1.5 reads per anchor are allowed if the data are dense. */
static int measure(bench_run *run, const char *data, const ch_matrix *X, int64_t rank,
                   int threads) {
    selection s = {.run = run, .X = X, .rank = rank};
    bench_block block = bench_block_of(X, threads);
    bench_work above = {"spa", run_spa, &s}, below = {"a plain read", bench_plain_read, &block};
    bench_record record;
    int code = bench_code(run, ch_context_set_threads(run->session->context, threads));
    if (code == EXIT_DONE) code = bench_compare(run, &record, &above, &below, (double)rank);
    if (code != EXIT_DONE) return code;
    snprintf(record.name, sizeof record.name, "%s, %d thread%s", data, threads,
             threads > 1 ? "s" : "");
    snprintf(record.data, sizeof record.data, "%s, %lld x %lld, %lld anchors", data,
             (long long)X->rows, (long long)X->cols, (long long)rank);
    record.threads = threads;
    record.bytes = bench_block_bytes(&block);
    if (X->layout != CH_CSC) record.at_most = 1.5;
    return bench_add(run, &record);
}

static int measure_threads(bench_run *run, const char *data, const ch_matrix *X, int64_t rank) {
    int code = measure(run, data, X, rank, 1);
    if (code != EXIT_DONE || run->threads == 1) return code;
    return measure(run, data, X, rank, run->threads);
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

static int measure_dense(bench_run *run, const char *name, ch_value_type type,
                         ch_matrix_layout layout) {
    int64_t bytes = run->quick ? 40000000 : 400000000;
    int64_t cols = bytes / (int64_t)ch_value_type_size(type) / DENSE_ROWS;
    void *values = malloc((size_t)bytes);
    ch_matrix X;
    if (!values) return cli_no_memory();
    fill(values, DENSE_ROWS * cols, type);
    ch_status status = ch_matrix_borrow(
        run->session->context, &X,
        &(ch_matrix){
            .rows = DENSE_ROWS, .cols = cols, .layout = layout, .type = type, .values = values});
    int code = bench_code(run, status);
    if (code == EXIT_DONE) code = measure_threads(run, name, &X, DENSE_ANCHORS);
    free(values);
    return code;
}

static int measure_documents(bench_run *run) {
    bench_documents documents;
    int code = bench_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE)
        code =
            measure_threads(run, run->data ? "reuters10" : "documents", &documents.X, TEXT_ANCHORS);
    bench_documents_close(&documents, run);
    return code;
}

int bench_spa(bench_run *run) {
    static const struct {
        const char *name;
        ch_value_type type;
        ch_matrix_layout layout;
    } cases[] = {{"f64", CH_F64, CH_COLUMN_MAJOR},
                 {"f32", CH_F32, CH_COLUMN_MAJOR},
                 {"u8", CH_U8, CH_COLUMN_MAJOR},
                 {"f64 by rows", CH_F64, CH_ROW_MAJOR}};
    int code = EXIT_DONE;
    for (int k = 0; k < 4 && code == EXIT_DONE; k++)
        code = measure_dense(run, cases[k].name, cases[k].type, cases[k].layout);
    return code == EXIT_DONE ? measure_documents(run) : code;
}
