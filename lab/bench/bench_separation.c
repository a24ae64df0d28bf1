/* Background and moving objects: robust PCA against RobustXray, and one thread against two. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/film.h"
#include <conehull/metrics.h>
#include <conehull/separate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct separation {
    const bench_run *run;
    const bench_film *from;
    int threads;
    ch_separate_settings set;
    ch_separation parts; /* of the last run */
} separation;

static separation plan_separation(const bench_run *run, const bench_film *f, int method,
                                  int threads) {
    separation s = {.run = run, .from = f, .threads = threads};
    ch_settings_defaults(&ch_separate_table, &s.set);
    s.set.method = method;
    return s;
}

static int separate(void *user, bench_time *time) {
    separation *s = user;
    ch_context *context = s->run->session->context;
    ch_separation_free(context, &s->parts);
    memset(&s->parts, 0, sizeof s->parts);
    ch_status status = ch_context_set_threads(context, s->threads);
    bench_time start = bench_now();
    if (status == CH_OK) status = ch_separate(context, &s->parts, &s->from->X, &s->set);
    *time = bench_since(start);
    return bench_code(s->run, status);
}

/* Area under the ROC of |X - background| in the frames whose truth is known. */
static ch_status score(double *auc, const separation *s) {
    ch_context *context = s->run->session->context;
    const ch_masks *truth = &s->from->truth;
    int64_t pixels = s->from->X.cols;
    ch_scorer *scorer = NULL;
    ch_roc roc;
    float *left = malloc((size_t)pixels * sizeof *left);
    ch_status status = left ? ch_scorer_create(context, &scorer) : CH_ERR_MEMORY;
    for (int64_t i = 0; i < truth->count && status == CH_OK; i++) {
        status = ch_separation_residual(context, left, &s->parts, &s->from->X, truth->frame[i], 1);
        for (int64_t p = 0; p < pixels; p++) left[p] = fabsf(left[p]);
        if (status == CH_OK)
            status = ch_scorer_add_f32(scorer, left, truth->foreground + i * pixels, NULL, pixels);
    }
    if (status == CH_OK) status = ch_scorer_finish(scorer, &roc);
    if (status == CH_OK) {
        *auc = roc.auc;
        ch_roc_free(context, &roc);
    }
    ch_scorer_destroy(scorer);
    free(left);
    return status;
}

static int compare_rpca(bench_run *run, int full) {
    ch_context *context = run->session->context;
    bench_film f;
    int code = bench_film_open(run, &f, full);
    separation rpca = plan_separation(run, &f, CH_SEPARATE_RPCA, run->threads);
    separation xray = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, run->threads);
    bench_work works[2] = {{"robust PCA", separate, &rpca}, {"RobustXray", separate, &xray}};
    bench_series series[2];
    double auc[2] = {NAN, NAN};
    if (code == EXIT_DONE) code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) code = bench_code(run, score(&auc[0], &rpca));
    if (code == EXIT_DONE) code = bench_code(run, score(&auc[1], &xray));
    if (code == EXIT_DONE) {
        bench_record record = bench_ratio(run, &series[0], &series[1], 1);
        snprintf(record.data, sizeof record.data, "%s", f.data);
        record.details = json_pack("{sI sI so so}", "rpca_rank", (json_int_t)rpca.parts.rank,
                                   "robust_xray_rank", (json_int_t)xray.parts.rank, "rpca_auc",
                                   cli_json_real(auc[0]), "robust_xray_auc", cli_json_real(auc[1]));
        code = bench_add(run, &record);
    }
    ch_separation_free(context, &rpca.parts);
    ch_separation_free(context, &xray.parts);
    bench_film_close(run, &f);
    return code;
}

int bench_rpca(bench_run *run) {
    return compare_rpca(run, 0);
}

int bench_rpca_full(bench_run *run) {
    return compare_rpca(run, 1);
}

int bench_two_threads(bench_run *run) {
    ch_context *context = run->session->context;
    bench_film f;
    int code = bench_film_open(run, &f, 0);
    separation one = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 1);
    separation two = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 2);
    bench_work works[2] = {{"RobustXray, one thread", separate, &one},
                           {"RobustXray, two threads", separate, &two}};
    bench_series series[2];
    if (code == EXIT_DONE) code = bench_take_turns(run, series, works, 2);
    if (code == EXIT_DONE) {
        bench_record record = bench_ratio(run, &series[0], &series[1], 1);
        snprintf(record.data, sizeof record.data, "%s", f.data);
        code = bench_add(run, &record);
    }
    ch_context_set_threads(context, run->threads);
    ch_separation_free(context, &one.parts);
    ch_separation_free(context, &two.parts);
    bench_film_close(run, &f);
    return code;
}
