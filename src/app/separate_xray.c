/* Background by anchor pixels, then refitting (paper, Section 5.3):
 *
 *     A = anchors of X,   W = X_A, or the W that choosing A ended with (separate_broad.c)
 *     H = argmin_{H >= 0} |X - W H|_1
 *     refit times:  W = argmin_{W >= 0} |X - W H|_1,   H = argmin_{H >= 0} |X - W H|_1
 *
 * Each step is solved exactly, pixel by pixel or frame by frame, with a duality gap for each; so
 * |X - W H|_1 never rises. A scale of W's columns is free: at the end they get mean 1. */
#include "app/separation.h"

#include <conehull/anchors.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- learning ------------------------------------------------------------------------------ */

typedef struct learner {
    ch_context *context;
    const ch_separate_settings *set;
    ch_separation *parts;
    chi_lesson lesson;
    double *W, *H; /* of the lesson                                                              */
} learner;

/* As the paper chooses them: the farthest pixel decides, W = X_A. */
static ch_status farthest_anchors(learner *run) {
    ch_separation *parts = run->parts;
    ch_anchors_settings set;
    ch_result found;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.loss = run->set->method == CH_SEPARATE_XRAY_L2 ? CH_LOSS_L2 : CH_LOSS_L1;
    set.rank = run->set->rank;
    set.seed = run->set->seed;
    set.tol = run->set->tol;
    set.select_only = 1;
    ch_status status = ch_anchors(run->context, &found, &run->lesson.L, &set);
    if (status < 0) return status;
    run->W = found.W;
    parts->rank = found.rank;
    parts->anchors = found.anchors;
    parts->max_residual = found.max_residual;
    found.W = NULL;
    found.anchors = NULL;
    found.max_residual = NULL;
    ch_result_free(run->context, &found);
    snprintf(parts->reason, sizeof parts->reason,
             set.rank > 0 ? "rank %lld was asked for"
                          : "rank %lld, after which the largest residual falls slowly",
             (long long)parts->rank);
    return status;
}

static int broad(const ch_separate_settings *settings) {
    return settings->method == CH_SEPARATE_ROBUST_XRAY && settings->choose == CH_CHOOSE_BROAD;
}

static ch_status choose_anchors(learner *run) {
    ch_separation *parts = run->parts;
    const int64_t *pixels = run->lesson.pixels.list;
    double start = chi_seconds();
    ch_status status =
        broad(run->set) ? chi_broad_anchors(run->context, parts, &run->W, &run->lesson.L, run->set)
                        : farthest_anchors(run);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    for (int64_t k = 0; k < parts->rank && pixels; k++)
        parts->anchors[k] = pixels[parts->anchors[k]];
    parts->seconds_select = chi_seconds() - start;
    return status;
}

static ch_status refit(learner *run) {
    ch_separation *parts = run->parts;
    const ch_matrix *L = &run->lesson.L;
    double tol = run->set->tol, start = chi_seconds();
    int64_t rank = parts->rank;
    ch_status status =
        chi_fit_H(run->context, run->H, &parts->objective[0], parts, L, run->W, rank, tol);
    parts->seconds_project = chi_seconds() - start;
    while (status == CH_OK && parts->refits < run->set->refit) {
        parts->gap = 0;
        status = chi_fit_W(run->context, run->W, NULL, parts, L, run->H, rank, tol);
        if (status == CH_OK)
            status = chi_fit_H(run->context, run->H, &parts->objective[parts->refits + 1], parts, L,
                               run->W, rank, tol);
        if (status == CH_OK) parts->refits++;
    }
    parts->seconds_refit = chi_seconds() - start - parts->seconds_project;
    return status;
}

/* Columns of W to mean 1; a column that is zero stays so. */
static void fix_scale(learner *run) {
    int64_t rows = run->lesson.L.rows, cols = run->lesson.L.cols, rank = run->parts->rank;
    for (int64_t k = 0; k < rank; k++) {
        double *w = run->W + k * rows, sum = 0;
        for (int64_t i = 0; i < rows; i++) sum += w[i];
        double mean = sum / (double)rows;
        if (!(mean > 0) || mean == 1) continue;
        for (int64_t i = 0; i < rows; i++) w[i] /= mean;
        for (int64_t j = 0; j < cols; j++) run->H[k + j * rank] *= mean;
    }
}

/* H of all pixels, for the W of the lesson. */
static ch_status extend_H(learner *run, const ch_matrix *X) {
    const chi_choice *frames = &run->lesson.frames;
    ch_separation *parts = run->parts;
    ch_matrix part = *X;
    part.release = NULL;
    ch_status status = CH_OK;
    if (frames->list)
        status = chi_copy_part(run->context, &part, X, frames->list, frames->kept, NULL, X->cols);
    if (status == CH_OK)
        status = chi_fit_H(run->context, parts->H, NULL, parts, &part, run->W, parts->rank,
                           run->set->tol);
    if (frames->list) ch_matrix_free(run->context, &part);
    return status;
}

/* W of the frames that were left out, for the H of the lesson. */
static ch_status extend_W(learner *run, const ch_matrix *X) {
    const chi_choice *frames = &run->lesson.frames, *pixels = &run->lesson.pixels;
    ch_separation *parts = run->parts;
    const int64_t *left = frames->list + frames->kept;
    ch_matrix part = {0};
    double *W = chi_alloc(run->context, parts->rank * frames->left, sizeof *W);
    ch_status status = CH_OK;
    if (!W) status = chi_no_memory(run->context, "W", parts->rank * frames->left, sizeof *W);
    if (status == CH_OK)
        status =
            chi_copy_part(run->context, &part, X, left, frames->left, pixels->list, pixels->kept);
    if (status == CH_OK)
        status = chi_fit_W(run->context, W, NULL, parts, &part, run->H, parts->rank, run->set->tol);
    if (status == CH_OK) {
        chi_put_rows(parts->W, parts->frames, parts->rank, run->W, frames->list, frames->kept);
        chi_put_rows(parts->W, parts->frames, parts->rank, W, left, frames->left);
    }
    ch_matrix_free(run->context, &part);
    chi_free(run->context, W);
    return status;
}

/* From W and H of the lesson to those of the whole video. */
static ch_status extend(learner *run, const ch_matrix *X) {
    ch_separation *parts = run->parts;
    parts->W = chi_alloc(run->context, parts->frames * parts->rank, sizeof *parts->W);
    parts->H = chi_alloc(run->context, parts->rank * parts->pixels, sizeof *parts->H);
    if (!parts->W || !parts->H)
        return chi_no_memory(run->context, "a background",
                             parts->rank * (parts->frames + parts->pixels), sizeof(double));
    ch_status status = CH_OK;
    if (run->lesson.pixels.list)
        status = extend_H(run, X);
    else
        memcpy(parts->H, run->H, (size_t)(parts->rank * parts->pixels) * sizeof *parts->H);
    if (status != CH_OK) return status;
    if (run->lesson.frames.list) return extend_W(run, X);
    memcpy(parts->W, run->W, (size_t)(parts->frames * parts->rank) * sizeof *parts->W);
    return CH_OK;
}

static ch_status learn(learner *run) {
    ch_separation *parts = run->parts;
    ch_status status = choose_anchors(run);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    run->H = chi_alloc(run->context, parts->rank * run->lesson.L.cols, sizeof *run->H);
    parts->objective = chi_alloc(run->context, run->set->refit + 1, sizeof *parts->objective);
    if (!run->H || !parts->objective)
        return chi_no_memory(run->context, "H", parts->rank * run->lesson.L.cols, sizeof *run->H);
    ch_status fitted = refit(run);
    if (fitted != CH_OK) return fitted;
    fix_scale(run);
    return status;
}

ch_status chi_separate_xray(ch_context *context, ch_separation *parts, const ch_matrix *X,
                            const ch_separate_settings *settings) {
    learner run = {.context = context, .set = settings, .parts = parts};
    ch_separate_settings lesson = *settings;
    if (!broad(settings)) lesson.learn = 0;
    ch_status status = chi_lesson_create(context, &run.lesson, X, &lesson);
    if (status == CH_OK) status = learn(&run);
    if (status >= 0 && status != CH_STOP_CANCELLED) {
        ch_status extended = extend(&run, X);
        if (extended != CH_OK) status = extended;
    }
    if (status == CH_STOP_CANCELLED) chi_separation_clear(context, parts);
    chi_free(context, run.W);
    chi_free(context, run.H);
    chi_lesson_destroy(context, &run.lesson);
    return status;
}
