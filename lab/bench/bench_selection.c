/* Choosing columns: SMRS against RobustXray, and RobustXray against plain reads of the data. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/documents.h"
#include "harness/plain_read.h"
#include <conehull/anchors.h>
#include <conehull/synthetic.h>
#include <stdio.h>

typedef struct selection {
    const bench_run *run;
    const ch_matrix *X;
    ch_anchors_settings set;
    int64_t projections; /* of the last run */
} selection;

static selection plan_selection(const bench_run *run, const ch_matrix *X, int64_t rank,
                                int method) {
    selection s = {.run = run, .X = X};
    ch_settings_defaults(&ch_anchors_table, &s.set);
    s.set.rank = rank;
    s.set.method = method;
    s.set.select_only = 1;
    return s;
}

static int select_columns(void *user, bench_time *time) {
    selection *s = user;
    ch_context *context = s->run->session->context;
    ch_anchors_result result;
    bench_time start = bench_now();
    ch_status status = ch_anchors(context, &result, s->X, &s->set);
    *time = bench_since(start);
    if (status >= 0) {
        s->projections = result.projections;
        ch_anchors_result_free(context, &result);
    }
    return bench_code(s->run, status);
}

/* ---- SMRS ---- */

int bench_smrs(bench_run *run) {
    enum { RANK = 50 };
    bench_documents documents;
    int code = bench_documents_open(&documents, run, "bbc");
    if (code == EXIT_DONE) {
        selection smrs = plan_selection(run, &documents.X, RANK, CH_METHOD_SMRS);
        selection xray = plan_selection(run, &documents.X, RANK, CH_METHOD_XRAY);
        bench_work works[2] = {{"SMRS", select_columns, &smrs},
                               {"RobustXray", select_columns, &xray}};
        bench_series series[2];
        code = bench_take_turns(run, series, works, 2);
        if (code == EXIT_DONE) {
            bench_record record = bench_ratio(run, &series[0], &series[1], 1);
            snprintf(record.data, sizeof record.data, "%s", documents.data);
            record.details = json_pack("{si}", "exemplars", RANK);
            code = bench_add(run, &record);
        }
    }
    bench_documents_close(&documents, run);
    return code;
}

/* ---- plain reads ---- */

int bench_select_over_read(bench_run *run) {
    enum { RANK = 20 };
    ch_synthetic_settings make = {
        2000, run->quick ? 5000 : 50000, RANK, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    ch_context *context = run->session->context;
    ch_matrix X = {0};
    int code = bench_code(run, ch_synthetic_make(context, &X, NULL, &make));
    if (code != EXIT_DONE) return code;
    bench_block block = bench_block_of(&X, run->threads);
    selection xray = plan_selection(run, &X, RANK, CH_METHOD_XRAY);
    bench_work works[2] = {{"RobustXray, selection", select_columns, &xray},
                           {"a plain read", bench_plain_read, &block}};
    bench_series series[2];
    code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) {
        bench_record record = bench_ratio(run, &series[0], &series[1], RANK);
        snprintf(record.data, sizeof record.data, "made, %lld x %lld, f32, %d anchors, delta 0.1",
                 (long long)X.rows, (long long)X.cols, RANK);
        double rate = 1e-9 * bench_block_bytes(&block) / record.below.wall.min;
        record.details =
            json_pack("{sI sf so}", "projections", (json_int_t)xray.projections, "projected_share",
                      (double)xray.projections / (double)(RANK * X.cols), "read_gb_per_second",
                      cli_json_real(rate));
        code = bench_add(run, &record);
    }
    ch_matrix_free(context, &X);
    return code;
}
