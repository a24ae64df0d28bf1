/* Background by anchor pixels, followed by refitting (paper, Section 5.3):
 *
 *     A = anchors of X,   W = X_A, or the W at the end of the selection (separate_broad.c)
 *     H = argmin_{H >= 0} |X - W H|_1
 *     refit times:  W = argmin_{W >= 0} |X - W H|_1,   H = argmin_{H >= 0} |X - W H|_1
 *
 * Each step is solved exactly, pixel by pixel or frame by frame, with a duality gap for each; so |X
 * - W H|_1 never increases. W is learned from some of the pixels only (separate_sample.c); the last
 * H is computed for all. The scale of W's columns is arbitrary; before the last H they are scaled
 * to mean 1. */
#include "video/separate/separation.h"
#include <conehull/anchors.h>
#include <stdio.h>

/* ---- learning ------------------------------------------------------------------------------ */

typedef struct learner {
    ch_context *context;
    const ch_separate_settings *set;
    ch_separation *parts;
    chi_learning_sample sample;
    chi_fitting how;
    double *W, *H; /* of the sample                                                              */
} learner;

/* Selects anchors as the paper does: the farthest pixel decides, and W = X_A. */
static ch_status farthest_anchors(learner *run) {
    ch_separation *parts = run->parts;
    ch_anchors_settings set;
    ch_anchors_result found = {.size = sizeof found};
    ch_anchors_defaults(&set);
    set.loss = run->set->method == CH_SEPARATE_XRAY_L2 ? CH_LOSS_L2 : CH_LOSS_L1;
    set.rank = run->set->rank;
    set.seed = run->set->seed;
    set.tol = run->set->tol;
    set.select_only = 1;
    set.checkpoint = run->set->checkpoint;
    ch_status status = ch_anchors(run->context, &found, &run->sample.L, &set);
    if (status < 0) return status;
    run->W = found.W;
    parts->rank = found.rank;
    parts->anchors = found.anchors;
    parts->max_residual = found.max_residual;
    parts->sampled = run->sample.L.cols;
    found.W = NULL;
    found.anchors = NULL;
    found.max_residual = NULL;
    ch_anchors_result_free(run->context, &found);
    snprintf(parts->reason, sizeof parts->reason,
             set.rank > 0
                 ? "rank %lld was requested"
                 : "rank %lld was chosen, because the largest residual falls only slowly after it",
             (long long)parts->rank);
    return status;
}

static int broad(const ch_separate_settings *settings) {
    return settings->method == CH_SEPARATE_ROBUST_XRAY && settings->choose == CH_CHOOSE_BROAD;
}

static ch_status select_anchors(learner *run) {
    ch_separation *parts = run->parts;
    const int64_t *pixels = run->sample.pixels.list;
    double start = chi_seconds();
    ch_status status =
        broad(run->set) ? chi_broad_anchors(run->context, parts, &run->W, &run->sample.L, run->set)
                        : farthest_anchors(run);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    for (int64_t k = 0; k < parts->rank && pixels; k++)
        parts->anchors[k] = pixels[parts->anchors[k]];
    parts->seconds_select = chi_seconds() - start;
    return status;
}

/* Scales the columns of W to mean 1; zero columns stay zero. */
static void fix_scale(learner *run) {
    int64_t rows = run->sample.L.rows;
    for (int64_t k = 0; k < run->parts->rank; k++) {
        double *w = run->W + k * rows, sum = 0;
        for (int64_t i = 0; i < rows; i++) sum += w[i];
        double mean = sum / (double)rows;
        for (int64_t i = 0; i < rows && mean > 0; i++) w[i] /= mean;
    }
}

/* Fits H of all pixels to the W of the sample. */
static ch_status fit_all(learner *run, const ch_matrix *X) {
    const chi_kept_indices *frames = &run->sample.frames;
    ch_separation *parts = run->parts;
    fix_scale(run);
    ch_status status = chi_fit_H_of_frames(&run->how, parts->H, X, frames, run->W, parts->rank);
    if (status == CH_OK) {
        chi_take_columns(run->H, parts->H, parts->rank, run->sample.pixels.list,
                         run->sample.L.cols);
        status = chi_l1_of_fit(run->context, &parts->objective[parts->refits], &run->sample.L,
                               run->W, run->H, parts->rank);
    }
    return status;
}

/* Fits H of the sample or, after the last refit, of all pixels. Records the loss of the sample. */
static ch_status fit_H(learner *run, const ch_matrix *X) {
    ch_separation *parts = run->parts;
    if (parts->refits == run->set->refit) return fit_all(run, X);
    ch_status status = chi_fit_H(&run->how, run->H, &run->sample.L, run->W, parts->rank);
    parts->objective[parts->refits] = run->how.objective;
    return status;
}

static ch_status refit(learner *run, const ch_matrix *X) {
    ch_separation *parts = run->parts;
    double start = chi_seconds();
    ch_status status = fit_H(run, X);
    parts->seconds_project = chi_seconds() - start;
    while (status == CH_OK && parts->refits < run->set->refit) {
        parts->gap = 0;
        status = chi_fit_W(&run->how, run->W, &run->sample.L, run->H, parts->rank);
        parts->refits++;
        if (status == CH_OK) status = fit_H(run, X);
    }
    parts->seconds_refit = chi_seconds() - start - parts->seconds_project;
    return status;
}

/* Extends W from the sample to all frames. The frames that were left out are fitted to the H of the
 * sample. */
static ch_status extend_W(learner *run, const ch_matrix *X) {
    const chi_kept_indices *frames = &run->sample.frames, *pixels = &run->sample.pixels;
    ch_separation *parts = run->parts;
    int64_t rank = parts->rank;
    chi_put_rows(parts->W, parts->frames, rank, run->W, frames->list, frames->kept);
    if (!frames->list) return CH_OK;
    const int64_t *left = frames->list + frames->kept;
    ch_matrix part = {0};
    double *W = chi_arena_doubles(&run->sample.arena, rank * frames->left);
    TRY(chi_arena_status(&run->sample.arena, "W"));
    ch_status status = chi_matrix_copy_part(run->context, &part, X, left, frames->left,
                                            pixels->list, pixels->kept);
    if (status == CH_OK) status = chi_fit_W(&run->how, W, &part, run->H, rank);
    if (status == CH_OK) chi_put_rows(parts->W, parts->frames, rank, W, left, frames->left);
    ch_matrix_free(run->context, &part);
    return status;
}

static ch_status learn(learner *run, const ch_matrix *X) {
    ch_separation *parts = run->parts;
    ch_status status = select_anchors(run);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    run->H = chi_arena_doubles(&run->sample.arena, parts->rank * run->sample.L.cols);
    TRY(chi_arena_status(&run->sample.arena, "a background"));
    parts->objective = chi_alloc(run->context, run->set->refit + 1, sizeof *parts->objective);
    if (!parts->objective)
        return chi_no_memory(run->context, "losses", run->set->refit + 1, sizeof(double));
    TRY(chi_separation_reserve(run->context, parts));
    ch_status fitted = refit(run, X);
    if (fitted == CH_OK) fitted = extend_W(run, X);
    return fitted == CH_OK ? status : fitted;
}

ch_status chi_separate_xray(ch_context *context, ch_separation *parts, const ch_matrix *X,
                            const ch_separate_settings *settings) {
    learner run = {.context = context, .set = settings, .parts = parts};
    ch_separate_settings learning = *settings;
    if (!broad(settings)) learning.learn = 0;
    run.how = chi_fitting_of(context, parts, settings);
    ch_status status = chi_learning_sample_create(context, &run.sample, X, &learning);
    if (status == CH_OK) status = chi_separation_end(context, parts, learn(&run, X));
    chi_free(context, run.W);
    chi_learning_sample_destroy(&run.sample);
    return status;
}
