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

/* ---- one step ------------------------------------------------------------------------------ */

static ch_status fit(ch_context *context, double *to, double *objective, ch_separation *parts,
                     const ch_matrix *X, const double *basis, int64_t rank, double tol) {
    ch_anchors_settings set;
    ch_project_info info;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.tol = tol;
    ch_status status = ch_project(context, to, &info, X, basis, rank, &set);
    if (status < 0 || status == CH_STOP_CANCELLED) return status;
    parts->gap = fmax(parts->gap, info.certificate.gap);
    parts->unproven += info.unproven;
    if (objective) *objective = info.objective;
    return CH_OK;
}

ch_status chi_fit_H(ch_context *context, double *H, double *objective, ch_separation *parts,
                    const ch_matrix *X, const double *W, int64_t rank, double tol) {
    return fit(context, H, objective, parts, X, W, rank, tol);
}

static void transpose(double *to, const double *from, int64_t rows, int64_t cols) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) to[j + i * cols] = from[i + j * rows];
}

ch_status chi_fit_W(ch_context *context, double *W, double *objective, ch_separation *parts,
                    const ch_matrix *X, const double *H, int64_t rank, double tol) {
    ch_matrix turned;
    TRY(ch_matrix_transpose(context, &turned, X));
    double *basis = chi_alloc(context, rank * X->cols, sizeof *basis);
    double *weights = chi_alloc(context, rank * X->rows, sizeof *weights);
    ch_status status = CH_OK;
    if (!basis || !weights)
        status = chi_no_memory(context, "a refit", rank * (X->rows + X->cols), sizeof *basis);
    if (status == CH_OK) {
        transpose(basis, H, rank, X->cols);
        status = fit(context, weights, objective, parts, &turned, basis, rank, tol);
    }
    if (status == CH_OK) transpose(W, weights, rank, X->rows);
    chi_free(context, weights);
    chi_free(context, basis);
    return status;
}

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

static ch_status choose_anchors(learner *run) {
    ch_separation *parts = run->parts;
    const int64_t *pixels = run->lesson.pixels.list;
    int broad = run->set->method == CH_SEPARATE_ROBUST_XRAY && run->set->choose == CH_CHOOSE_BROAD;
    double start = chi_seconds();
    ch_status status =
        broad ? chi_broad_anchors(run->context, parts, &run->W, &run->lesson.L, run->set)
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

/* H of the pixels that were left out, for the W of the lesson. */
static ch_status extend_H(learner *run, const ch_matrix *X) {
    const chi_choice *frames = &run->lesson.frames, *pixels = &run->lesson.pixels;
    ch_separation *parts = run->parts;
    const int64_t *left = pixels->list + pixels->kept;
    ch_matrix part = {0};
    double *H = chi_alloc(run->context, parts->rank * pixels->left, sizeof *H);
    ch_status status = CH_OK;
    if (!H) status = chi_no_memory(run->context, "H", parts->rank * pixels->left, sizeof *H);
    if (status == CH_OK)
        status =
            chi_copy_part(run->context, &part, X, frames->list, frames->kept, left, pixels->left);
    if (status == CH_OK)
        status = chi_fit_H(run->context, H, NULL, parts, &part, run->W, parts->rank, run->set->tol);
    if (status == CH_OK) {
        chi_put_columns(parts->H, run->H, parts->rank, pixels->list, pixels->kept);
        chi_put_columns(parts->H, H, parts->rank, left, pixels->left);
    }
    ch_matrix_free(run->context, &part);
    chi_free(run->context, H);
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
    ch_status status = chi_lesson_create(context, &run.lesson, X, settings);
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
