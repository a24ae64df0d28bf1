/* The projection of the paper, by alternating directions, relative to the vertex method: all
 * columns are projected onto the same anchors in l1, to the same gap. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/anchors_work.h"
#include <conehull/synthetic.h>
#include <stdio.h>

enum { RANK = 20 };

static json_t *side_json(const bench_anchors *side) {
    return json_pack("{so so sI}", "objective", cli_json_real(side->info.objective), "gap",
                     cli_json_real(side->info.certificate.gap), "unproven",
                     (json_int_t)side->info.unproven);
}

static int compare(bench_run *run, bench_anchors *admm, bench_anchors *exact) {
    bench_work above = {"alternating directions", bench_anchors_project, admm};
    bench_work below = {"exact", bench_anchors_project, exact};
    bench_record record;
    int code = bench_compare(run, &record, &above, &below, 1);
    if (code != EXIT_DONE) return code;
    snprintf(record.data, sizeof record.data,
             "generated, %lld x %lld, projection on %d anchors in l1, delta 0.3",
             (long long)exact->X->rows, (long long)exact->X->cols, RANK);
    record.details = json_pack("{so so}", "admm", side_json(admm), "exact", side_json(exact));
    return bench_add(run, &record);
}

/* Compares the two methods. loose: alternating directions run only to a gap of 1e-3, as is
 * common. */
static int measure(bench_run *run, int loose) {
    int64_t cols = run->quick ? 40 : 210;
    ch_synthetic_settings make = {sizeof make, 200, cols, RANK, CH_NOISE_SPARSE, 0.3, 1, CH_F64, 1};
    ch_context *context = run->session->context;
    ch_matrix X = {0};
    int code = bench_code(run, ch_synthetic_make(context, &X, NULL, &make));
    bench_anchors exact = bench_anchors_plan(run, &X, RANK, CH_METHOD_XRAY), admm = exact;
    bench_time ignored;
    if (code == EXIT_DONE) code = bench_anchors_find(&exact, &ignored);
    if (code == EXIT_DONE) code = bench_anchors_find(&admm, &ignored);
    exact.set.projection = CH_PROJECTION_EXACT; /* from now on: both have the same anchors */
    admm.set.projection = CH_PROJECTION_ADMM;
    if (loose) admm.set.tol = 1e-3;
    if (code == EXIT_DONE) code = compare(run, &admm, &exact);
    bench_anchors_free(&exact);
    bench_anchors_free(&admm);
    ch_matrix_free(context, &X);
    return code;
}

int bench_admm(bench_run *run) {
    return measure(run, 0);
}

int bench_admm_loose(bench_run *run) {
    return measure(run, 1);
}
