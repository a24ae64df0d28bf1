/* Background and moving objects of films: RobustXray (selection, projection, one refit) against
 * robust PCA and against the median of all frames, as `seconds.separate` of `conehull video` counts
 * them; and the effect of a second thread. */
#include "bench/bench_table.h"
#include "common/exit_codes.h"
#include "common/json.h"
#include "harness/film.h"
#include <conehull/metrics.h>
#include <conehull/separate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct separation {
    const bench_run *run;
    const bench_film *from;
    int threads;
    ch_separate_settings set;
    ch_separation parts; /* result of the last run */
} separation;

static separation plan_separation(const bench_run *run, const bench_film *f, int method,
                                  int threads) {
    separation s = {.run = run, .from = f, .threads = threads};
    s.parts.size = sizeof s.parts;
    ch_separate_defaults(&s.set);
    s.set.method = method;
    return s;
}

static void free_separation(separation *s) {
    ch_separation_free(s->run->session->context, &s->parts);
}

static int separate(void *user, bench_time *time) {
    separation *s = user;
    ch_context *context = s->run->session->context;
    free_separation(s);
    ch_status status = ch_context_set_threads(context, s->threads);
    bench_time start = bench_now();
    if (status == CH_OK) status = ch_separate(context, &s->parts, &s->from->X, &s->set);
    *time = bench_since(start);
    return bench_code(s->run, status);
}

/* Computes the area under the ROC curve of |X - background| over the frames with known masks. */
static ch_status score(double *auc, const separation *s) {
    ch_context *context = s->run->session->context;
    const ch_masks *truth = &s->from->truth;
    int64_t pixels = s->from->X.cols;
    ch_scorer *scorer = NULL;
    ch_roc roc = {.size = sizeof roc};
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

/* ---- the ratios rpca_over_robust_xray(_full) and two_threads, at the settings of the command
 * ---- */

static int compare_rpca(bench_run *run, const bench_scene *of) {
    bench_film f;
    bench_record record;
    int code = bench_film_open(run, &f, of);
    separation rpca = plan_separation(run, &f, CH_SEPARATE_RPCA, run->threads);
    separation xray = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, run->threads);
    bench_work above = {"robust PCA", separate, &rpca}, below = {"RobustXray", separate, &xray};
    double auc[2] = {NAN, NAN};
    if (code == EXIT_DONE) code = bench_compare(run, &record, &above, &below, 1);
    if (code == EXIT_DONE) code = bench_code(run, score(&auc[0], &rpca));
    if (code == EXIT_DONE) code = bench_code(run, score(&auc[1], &xray));
    if (code == EXIT_DONE) {
        snprintf(record.data, sizeof record.data, "%s", f.data);
        record.details = json_pack("{sI sI so so}", "rpca_rank", (json_int_t)rpca.parts.rank,
                                   "robust_xray_rank", (json_int_t)xray.parts.rank, "rpca_auc",
                                   cli_json_real(auc[0]), "robust_xray_auc", cli_json_real(auc[1]));
        code = bench_add(run, &record);
    }
    free_separation(&rpca);
    free_separation(&xray);
    bench_film_close(run, &f);
    return code;
}

int bench_rpca(bench_run *run) {
    return compare_rpca(run, &bench_window);
}

int bench_rpca_full(bench_run *run) {
    bench_scene whole = {"lobby", "Lobby", 0, 0, run->quick ? 5 : 1, run->quick ? 400 : 1500};
    return compare_rpca(run, &whole);
}

int bench_two_threads(bench_run *run) {
    bench_film f;
    bench_record record;
    int code = bench_film_open(run, &f, &bench_window);
    separation one = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 1);
    separation two = plan_separation(run, &f, CH_SEPARATE_ROBUST_XRAY, 2);
    bench_work above = {"RobustXray, one thread", separate, &one};
    bench_work below = {"RobustXray, two threads", separate, &two};
    if (code == EXIT_DONE) code = bench_compare(run, &record, &above, &below, 1);
    if (code == EXIT_DONE) {
        snprintf(record.data, sizeof record.data, "%s", f.data);
        code = bench_add(run, &record);
    }
    free_separation(&one);
    free_separation(&two);
    bench_film_close(run, &f);
    return code;
}

/* ---- the entry `video`: at the rank and lambda that score best (docs/video-methods.md) ---- */

typedef struct best_scene {
    bench_scene scene;
    int64_t rank;
    double lambda;
    double at_least; /* required ratio of the time of robust PCA to ours */
} best_scene;

static const best_scene sequences[] = {
    {{"restaurant", "Restaurant", 243, 200, 1, 200}, 5, 0.5, 10},
    {{"airport_hall", "Airport Hall", 2633, 200, 1, 200}, 1, 0.3, 10},
    {{"lobby", "Lobby", 1315, 200, 1, 200}, 1, 0.3, 10},
    {{"lobby", "Lobby", 0, 0, 1, 1500}, 3, 0.5, 30},
};
/* Without data, the sequences before MADE are skipped: they would be the same generated film. */
enum { SEQUENCES = sizeof sequences / sizeof *sequences, MADE = 2 };

/* Measures a scene. Robust PCA of a long film takes minutes, so it runs once; the others are
 * repeated as usual. */
static int measure_scene(bench_run *run, const best_scene *best) {
    enum { XRAY, ONE_THREAD, MEDIAN, RPCA, WORKS };
    static const int methods[WORKS] = {CH_SEPARATE_ROBUST_XRAY, CH_SEPARATE_ROBUST_XRAY,
                                       CH_SEPARATE_MEDIAN, CH_SEPARATE_RPCA};
    static const char *const names[WORKS] = {"RobustXray", "RobustXray, one thread", "the median",
                                             "robust PCA"};
    const bench_pair pairs[] = {{"robust PCA over RobustXray", RPCA, XRAY, 0, best->at_least, 1},
                                {"RobustXray over the median", XRAY, MEDIAN, 0, 0, 1},
                                {"one thread over all", ONE_THREAD, XRAY, 0, 0, 1}};
    bench_film f;
    bench_series series[WORKS];
    separation parts[WORKS];
    bench_work works[WORKS];
    bench_run once = *run;
    int code = bench_film_open(run, &f, &best->scene);
    int together = best->scene.frames ? WORKS : RPCA;
    for (int k = 0; k < WORKS; k++) {
        parts[k] = plan_separation(run, &f, methods[k], k == ONE_THREAD ? 1 : run->threads);
        if (methods[k] == CH_SEPARATE_ROBUST_XRAY) parts[k].set.rank = best->rank;
        parts[k].set.lambda = best->lambda;
        works[k] = (bench_work){names[k], separate, &parts[k]};
    }
    if (code == EXIT_DONE) code = bench_take_turns(run, series, works, together);
    once.turns = 1;
    if (code == EXIT_DONE && together < WORKS)
        code = bench_take_turns(&once, &series[RPCA], &works[RPCA], 1);
    if (code == EXIT_DONE) code = bench_add_pairs(run, series, pairs, 3, f.data);
    for (int k = 0; k < WORKS; k++) free_separation(&parts[k]);
    bench_film_close(run, &f);
    return code;
}

int bench_video(bench_run *run) {
    int code = EXIT_DONE;
    for (int k = run->data ? 0 : MADE; k < SEQUENCES && code == EXIT_DONE; k++)
        if (sequences[k].scene.frames || !run->quick) code = measure_scene(run, &sequences[k]);
    return code;
}
