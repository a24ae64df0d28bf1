/* Choosing columns: SMRS against RobustXray, and RobustXray against plain reads of the data. */
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/timing.h"
#include <conehull/anchors.h>
#include <conehull/synthetic.h>
#include <stdio.h>

typedef struct selection {
    const ratio_run *run;
    const ch_matrix *X;
    ch_anchors_settings set;
    int64_t projections; /* of the last run */
} selection;

static selection plan_selection(const ratio_run *run, const ch_matrix *X, int64_t rank,
                                int method) {
    selection s = {.run = run, .X = X};
    ch_settings_defaults(&ch_anchors_table, &s.set);
    s.set.rank = rank;
    s.set.method = method;
    s.set.select_only = 1;
    return s;
}

static int select_columns(void *user, ratio_time *time) {
    selection *s = user;
    ch_context *context = s->run->session->context;
    ch_anchors_result result;
    ratio_time start = ratio_start();
    ch_status status = ch_anchors(context, &result, s->X, &s->set);
    *time = ratio_stop(start);
    if (status >= 0) {
        s->projections = result.projections;
        ch_anchors_result_free(context, &result);
    }
    return ratio_code(s->run, status);
}

/* ---- SMRS ---- */

int ratio_smrs(json_t **object, const ratio_row *row, const ratio_run *run) {
    enum { RANK = 50 };
    ratio_documents documents;
    int code = ratio_documents_open(&documents, run, "bbc");
    if (code == EXIT_DONE) {
        selection smrs = plan_selection(run, &documents.X, RANK, CH_METHOD_SMRS);
        selection xray = plan_selection(run, &documents.X, RANK, CH_METHOD_XRAY);
        ratio_work above = {"SMRS", select_columns, &smrs};
        ratio_work below = {"RobustXray", select_columns, &xray};
        code = ratio_take_turns(object, row, run, &above, &below, 1);
    }
    if (code == EXIT_DONE)
        ratio_describe(*object, documents.data, json_pack("{si}", "exemplars", RANK));
    ratio_documents_close(&documents, run);
    return code;
}

/* ---- plain reads ---- */

static int read_once(void *user, ratio_time *time) {
    ratio_time start = ratio_start();
    bench_plain_read(user);
    *time = ratio_stop(start);
    return EXIT_DONE;
}

int ratio_select(json_t **object, const ratio_row *row, const ratio_run *run) {
    enum { RANK = 20 };
    ch_synthetic_settings make = {
        2000, run->quick ? 5000 : 50000, RANK, CH_NOISE_SPARSE, 0.1, 1, CH_F32, 1};
    ch_context *context = run->session->context;
    ch_matrix X = {0};
    int code = ratio_code(run, ch_synthetic_make(context, &X, NULL, &make));
    if (code != EXIT_DONE) return code;
    size_t bytes = (size_t)(X.rows * X.cols) * sizeof(float);
    bench_block block = {X.values, bytes, run->threads, 0};
    selection xray = plan_selection(run, &X, RANK, CH_METHOD_XRAY);
    ratio_work above = {"RobustXray, selection", select_columns, &xray};
    ratio_work below = {"a plain read", read_once, &block};
    code = ratio_take_turns(object, row, run, &above, &below, RANK);
    if (code == EXIT_DONE) {
        char data[120];
        double seconds =
            json_number_value(json_object_get(json_object_get(*object, "below"), "min"));
        snprintf(data, sizeof data, "made, %lld x %lld, f32, %d anchors, delta 0.1",
                 (long long)X.rows, (long long)X.cols, RANK);
        ratio_describe(
            *object, data,
            json_pack("{sI sf so}", "projections", (json_int_t)xray.projections, "projected_share",
                      (double)xray.projections / (double)(RANK * X.cols), "read_gb_per_second",
                      cli_json_real(1e-9 * (double)bytes / seconds)));
    }
    ch_matrix_free(context, &X);
    return code;
}
