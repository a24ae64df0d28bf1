/* The paper's way of projecting, alternating directions, against the vertex method: all columns on
 * the same anchors in l1, to the same gap. */
#include "bench/ratio.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "common/message.h"
#include <conehull/anchors.h>
#include <conehull/synthetic.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANK = 20 };

typedef struct projection {
    const ratio_run *run;
    const ch_matrix *X;
    const double *W;
    double *H;
    ch_anchors_settings set;
    ch_project_info info; /* of the last run */
} projection;

static int project(void *user, ratio_time *time) {
    projection *p = user;
    ratio_time start = ratio_start();
    ch_status status =
        ch_project(p->run->session->context, p->H, &p->info, p->X, p->W, RANK, &p->set);
    *time = ratio_stop(start);
    return ratio_code(p->run, status);
}

static json_t *side_json(const projection *p) {
    return json_pack("{so so sI}", "objective", cli_json_real(p->info.objective), "gap",
                     cli_json_real(p->info.certificate.gap), "unproven",
                     (json_int_t)p->info.unproven);
}

/* loose: alternating directions only to gap 1e-3, as they are often run. */
static int compare(json_t **object, const ratio_row *row, const ratio_run *run, const ch_matrix *X,
                   const ch_anchors_result *found, int loose) {
    projection exact = {.run = run, .X = X, .W = found->W};
    exact.H = malloc((size_t)(RANK * X->cols) * sizeof *exact.H);
    if (!exact.H) {
        cli_complain("out of memory");
        return EXIT_MEMORY;
    }
    ch_settings_defaults(&ch_anchors_table, &exact.set);
    projection admm = exact;
    exact.set.projection = CH_PROJECTION_EXACT;
    admm.set.projection = CH_PROJECTION_ADMM;
    if (loose) admm.set.tol = 1e-3;
    ratio_work above = {"alternating directions", project, &admm};
    ratio_work below = {"exact", project, &exact};
    int code = ratio_take_turns(object, row, run, &above, &below, 1);
    char data[120];
    snprintf(data, sizeof data, "made, %lld x %lld, projection on %d anchors in l1, delta 0.3",
             (long long)X->rows, (long long)X->cols, RANK);
    if (code == EXIT_DONE)
        ratio_describe(*object, data,
                       json_pack("{so so}", "admm", side_json(&admm), "exact", side_json(&exact)));
    free(exact.H);
    return code;
}

static int measure(json_t **object, const ratio_row *row, const ratio_run *run, int loose) {
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
    int code = ratio_code(run, status);
    if (code == EXIT_DONE) code = compare(object, row, run, &X, &found, loose);
    ch_anchors_result_free(context, &found);
    ch_matrix_free(context, &X);
    return code;
}

int ratio_admm(json_t **object, const ratio_row *row, const ratio_run *run) {
    return measure(object, row, run, 0);
}

int ratio_admm_loose(json_t **object, const ratio_row *row, const ratio_run *run) {
    return measure(object, row, run, 1);
}
