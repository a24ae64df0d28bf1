/* The paper's way of projecting, alternating directions, against the vertex method: all columns on
 * the same anchors in l1, to the same gap. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include <conehull/anchors.h>
#include <conehull/synthetic.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANK = 20 };

typedef struct projection {
    const bench_run *run;
    const ch_matrix *X;
    const double *W;
    double *H;
    ch_anchors_settings set;
    ch_project_info info; /* of the last run */
} projection;

static int project(void *user, bench_time *time) {
    projection *p = user;
    (void)time;
    return bench_code(
        p->run, ch_project(p->run->session->context, p->H, &p->info, p->X, p->W, RANK, &p->set));
}

static json_t *side_json(const projection *p) {
    return json_pack("{so so sI}", "objective", cli_json_real(p->info.objective), "gap",
                     cli_json_real(p->info.certificate.gap), "unproven",
                     (json_int_t)p->info.unproven);
}

/* loose: alternating directions only to gap 1e-3, as they are often run. */
static int compare(bench_run *run, const ch_matrix *X, const ch_anchors_result *found, int loose) {
    projection exact = {.run = run, .X = X, .W = found->W};
    exact.H = malloc((size_t)(RANK * X->cols) * sizeof *exact.H);
    if (!exact.H) return bench_no_memory();
    ch_settings_defaults(&ch_anchors_table, &exact.set);
    projection admm = exact;
    exact.set.projection = CH_PROJECTION_EXACT;
    admm.set.projection = CH_PROJECTION_ADMM;
    if (loose) admm.set.tol = 1e-3;
    bench_work works[2] = {{"alternating directions", project, &admm}, {"exact", project, &exact}};
    bench_series series[2];
    int code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) {
        bench_record record = bench_ratio(run, &series[0], &series[1], 1);
        snprintf(record.data, sizeof record.data,
                 "made, %lld x %lld, projection on %d anchors in l1, delta 0.3", (long long)X->rows,
                 (long long)X->cols, RANK);
        record.details = json_pack("{so so}", "admm", side_json(&admm), "exact", side_json(&exact));
        code = bench_add(run, &record);
    }
    free(exact.H);
    return code;
}

static int measure(bench_run *run, int loose) {
    int64_t cols = run->quick ? 40 : 210;
    ch_synthetic_settings make = {200, cols, RANK, CH_NOISE_SPARSE, 0.3, 1, CH_F64, 1};
    ch_context *context = run->session->context;
    ch_anchors_settings set;
    ch_matrix X = {0};
    ch_anchors_result found = {0};
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = RANK;
    set.select_only = 1;
    ch_status status = ch_synthetic_make(context, &X, NULL, &make);
    if (status == CH_OK) status = ch_anchors(context, &found, &X, &set);
    int code = bench_code(run, status);
    if (code == EXIT_DONE) code = compare(run, &X, &found, loose);
    ch_anchors_result_free(context, &found);
    ch_matrix_free(context, &X);
    return code;
}

int bench_admm(bench_run *run) {
    return measure(run, 0);
}

int bench_admm_loose(bench_run *run) {
    return measure(run, 1);
}
