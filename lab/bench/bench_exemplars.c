/* 150 exemplars of the training half of Reuters (18221 x 3642, sparse) on one thread: methods over
 * SPA, for counts as they are and for columns scaled to sum 1; then SMRS, once. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "harness/anchors_work.h"
#include "harness/documents.h"
#include <conehull/exemplars.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXEMPLARS = 150 };
enum { SPA, XRAY, XRAY_L2, SMRS, METHODS };

static int keep_training_half(const bench_run *run, ch_matrix *half, const ch_matrix *all) {
    int64_t *order = malloc((size_t)all->cols * sizeof *order);
    if (!order) return cli_no_memory();
    ch_exemplars_draw_split(order, all->cols, 0, 0);
    int code =
        bench_code(run, ch_matrix_copy(run->session->context, half, all, order, all->cols / 2));
    free(order);
    return code;
}

static int measure(bench_run *run, const ch_matrix *X, const bench_pair *pairs, int count,
                   const char *data) {
    static const int methods[METHODS] = {CH_METHOD_SPA, CH_METHOD_XRAY, CH_METHOD_XRAY,
                                         CH_METHOD_SMRS};
    static const char *const names[METHODS] = {"SPA", "RobustXray", "XRAY-l2", "SMRS"};
    bench_anchors anchors[METHODS];
    bench_series series[METHODS];
    bench_work works[METHODS];
    bench_run once = *run;
    for (int k = 0; k < METHODS; k++) {
        anchors[k] = bench_anchors_plan(run, X, EXEMPLARS, methods[k]);
        anchors[k].threads = 1;
        works[k] = (bench_work){names[k], bench_anchors_find, &anchors[k]};
    }
    anchors[XRAY_L2].set.loss = CH_LOSS_L2;
    once.turns = 1;
    int code = bench_take_turns(run, series, works, SMRS);
    if (code == EXIT_DONE && count == METHODS - 1)
        code = bench_take_turns(&once, &series[SMRS], &works[SMRS], 1);
    if (code == EXIT_DONE) code = bench_add_pairs(run, series, pairs, count, data);
    for (int k = 0; k < METHODS; k++) bench_anchors_free(&anchors[k]);
    return code;
}

int bench_exemplars(bench_run *run) {
    static const bench_pair raw[] = {{"counts, RobustXray over SPA", XRAY, SPA, 0, 0, 1},
                                     {"counts, XRAY-l2 over SPA", XRAY_L2, SPA, 0, 0, 1}};
    static const bench_pair scaled[] = {{"scaled, RobustXray over SPA", XRAY, SPA, 0, 0, 1},
                                        {"scaled, XRAY-l2 over SPA", XRAY_L2, SPA, 0, 0, 1},
                                        {"scaled, SMRS over RobustXray", SMRS, XRAY, 0, 0, 1}};
    static const ch_weighting to_sum_one = {CH_VALUE_RAW, CH_COLUMN_L1};
    ch_context *context = run->session->context;
    bench_documents documents;
    ch_matrix half = {0}, X = {0};
    char data[BENCH_TEXT + 40];
    int threads = run->threads;
    int code = bench_documents_open(&documents, run, "reuters10");
    if (code == EXIT_DONE) code = keep_training_half(run, &half, &documents.X);
    snprintf(data, sizeof data, "half of %s", documents.data);
    run->threads = 1;
    if (code == EXIT_DONE) code = measure(run, &half, raw, 2, data);
    if (code == EXIT_DONE)
        code = bench_code(run, ch_weighting_apply(context, &X, &half, NULL, &to_sum_one));
    if (code == EXIT_DONE) code = measure(run, &X, scaled, 3, data);
    run->threads = threads;
    ch_matrix_free(context, &X);
    ch_matrix_free(context, &half);
    bench_documents_close(&documents, run);
    return code;
}
