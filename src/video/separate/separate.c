/* X = background + moving objects by any of the methods: one table, one function, one kind of
 * result. The methods are in separate_xray.c and src/baseline. */
#include "base/sized.h"
#include "checkpoint/run_identity.h"
#include "linalg/survey.h"
#include "video/separate/separation.h"
#include <conehull/decompose.h>
#include <stdio.h>
#include <string.h>

/* ---- methods ------------------------------------------------------------------------------- */

/* Moves the factors of a decomposition to the background, unless it failed. */
static ch_status take(ch_context *context, ch_separation *parts, ch_decomposition *from,
                      ch_status status) {
    if (status < 0) return status;
    parts->rank = from->rank;
    parts->W = from->W;
    parts->H = from->H;
    from->W = from->H = NULL;
    ch_decomposition_free(context, from);
    return status;
}

static ch_status separate_rpca(ch_context *context, ch_separation *parts, const ch_matrix *X,
                               const ch_separate_settings *settings) {
    ch_decomposition found = {.size = sizeof found};
    ch_rpca_settings set;
    ch_rpca_defaults(&set);
    set.lambda = settings->lambda;
    ch_status status = take(context, parts, &found, ch_robust_pca(context, &found, X, &set));
    snprintf(parts->reason, sizeof parts->reason, "rank %lld is the result of lambda = %g",
             (long long)parts->rank, settings->lambda);
    return status;
}

static ch_status separate_factors(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                  const ch_separate_settings *settings) {
    ch_decomposition found = {.size = sizeof found};
    ch_factor_settings set;
    ch_factor_defaults(&set);
    set.rank = settings->rank > 0 ? settings->rank : 2;
    set.restarts = settings->restarts;
    set.seed = settings->seed;
    ch_status status = settings->method == CH_SEPARATE_ROBUST_NMF
                           ? ch_robust_nmf(context, &found, X, &set)
                           : ch_robust_lowrank(context, &found, X, &set);
    status = take(context, parts, &found, status);
    snprintf(
        parts->reason, sizeof parts->reason,
        settings->rank > 0
            ? "rank %lld was requested"
            : "rank %lld is the default of local search, which cannot choose a rank from the data",
        (long long)parts->rank);
    return status;
}

/* The median over all frames is a background of rank 1 with w = 1. */
static ch_status separate_median(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                 const ch_separate_settings *settings) {
    ch_matrix Y;
    ch_median_settings set = {.size = sizeof set, .radius = settings->radius};
    ch_status status = ch_median_filter(context, &Y, X, &set);
    if (status != CH_OK) return status;
    if (settings->radius > 0) {
        snprintf(parts->reason, sizeof parts->reason,
                 "there is no rank, because the median over a window gives every frame its own "
                 "background");
        parts->filtered = Y;
        return CH_OK;
    }
    snprintf(parts->reason, sizeof parts->reason,
             "the rank is 1, because the median is one background for all frames");
    parts->rank = 1;
    status = chi_separation_reserve(context, parts);
    for (int64_t i = 0; i < parts->frames && status == CH_OK; i++) parts->W[i] = 1;
    for (int64_t j = 0; j < parts->pixels && status == CH_OK; j++)
        parts->H[j] = ch_matrix_at(&Y, 0, j);
    ch_matrix_free(context, &Y);
    return status;
}

typedef ch_status (*separate_fn)(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                 const ch_separate_settings *settings);

static const struct method {
    int method;
    /* Whether it leaves out busy frames and ignored pixels, and keeps W for other planes. */
    int learns;
    int ranked; /* whether it uses the requested rank */
    separate_fn run;
} methods[] = {
    {CH_SEPARATE_ROBUST_XRAY, 1, 1, chi_separate_xray},
    {CH_SEPARATE_XRAY_L2, 1, 1, chi_separate_xray},
    {CH_SEPARATE_RPCA, 0, 0, separate_rpca},
    {CH_SEPARATE_ROBUST_NMF, 0, 1, separate_factors},
    {CH_SEPARATE_ROBUST_LOWRANK, 0, 1, separate_factors},
    {CH_SEPARATE_MEDIAN, 0, 0, separate_median},
};

/* ---- checks -------------------------------------------------------------------------------- */

/* Records the identity of a checkpoint: the plane, the settings, and the frames excluded from
 * learning. */
static ch_status record_run(ch_context *context, const ch_matrix *X, uint64_t hash_of_X,
                            const ch_separate_settings *settings) {
    int64_t out[2] = {settings->busy_count, 0};
    chi_run_identity run = {.table = ch_separate_table(),
                            .settings = settings,
                            .list_name = "left_out",
                            .list = out,
                            .list_count = 2,
                            .list_size = sizeof *out,
                            .hash = hash_of_X};
    if (!settings->checkpoint) return CH_OK;
    uint64_t hash =
        chi_hash(0, settings->busy, (size_t)settings->busy_count * sizeof *settings->busy);
    if (settings->ignore) hash = chi_hash(hash, settings->ignore, (size_t)X->cols);
    out[1] = (int64_t)hash;
    return chi_identity_settle(context, settings->checkpoint, X, &run);
}

static ch_status check(ch_context *context, const ch_matrix *X,
                       const ch_separate_settings *settings) {
    if (settings->checkpoint) TRY(chi_sized_check(context, settings->checkpoint, "ch_checkpoint"));
    if (X->rows < 1 || X->cols < 1)
        return chi_fail(context, CH_ERR_DATA,
                        "the video is empty; it has %lld frames of %lld pixels", (long long)X->rows,
                        (long long)X->cols);
    if (X->layout == CH_CSC)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a video must be a dense matrix (frames x pixels), not a sparse one");
    if (!methods[settings->method].learns && (settings->busy_count > 0 || settings->ignore))
        chi_log(context, CH_LOG_WARNING,
                "this method cannot leave out frames or pixels when it learns the background; only "
                "robust-xray and xray-l2 can");
    int64_t most = X->rows < X->cols ? X->rows : X->cols;
    if (methods[settings->method].ranked && settings->rank > most) /* no matrix has a higher rank */
        return chi_fail(context, CH_ERR_SETTING,
                        "the rank is %lld, but the video has only %lld %s%s",
                        (long long)settings->rank, (long long)most,
                        X->rows <= X->cols ? "frame" : "pixel", most == 1 ? "" : "s");
    for (int64_t k = 0; k < settings->busy_count; k++)
        if (settings->busy[k] < 0 || settings->busy[k] >= X->rows)
            return chi_fail(context, CH_ERR_SETTING,
                            "frame %lld of the list of frames with foreground does not exist; "
                            "frames are numbered from 0 to %lld",
                            (long long)settings->busy[k], (long long)X->rows - 1);
    chi_survey survey; /* without arrays: nothing to free */
    TRY(chi_survey_make(context, &survey, X,
                        CHI_SURVEY_CHECK | (settings->checkpoint ? CHI_SURVEY_HASH : 0)));
    if (settings->checkpoint && !methods[settings->method].learns)
        return chi_fail(context, CH_ERR_SETTING,
                        "a checkpoint can be used with the methods robust-xray and xray-l2 only");
    return record_run(context, X, survey.hash, settings);
}

/* Checks the arguments and copies the given settings to set. */
static ch_status check_arguments(ch_context *context, ch_separate_settings *set, const void *parts,
                                 const void *X, const ch_separate_settings *given) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!parts || !X || !given)
        return chi_fail(context, CH_ERR_ARGUMENT, "parts, X and settings must not be NULL");
    TRY(chi_sized_check(context, parts, "ch_separation"));
    return chi_settings_take(context, set, ch_separate_table(), given);
}

/* ---- the calls ----------------------------------------------------------------------------- */

/* Moves the result to the caller, or frees it after an error. */
static ch_status finish(ch_context *context, ch_separation *parts, ch_separation *made,
                        ch_status status) {
    made->status = status;
    if (status < 0)
        ch_separation_free(context, made);
    else
        chi_result_give(parts, made, sizeof *made);
    return status;
}

ch_status ch_separate(ch_context *context, ch_separation *parts, const ch_matrix *X,
                      const ch_separate_settings *settings) {
    TRY(chi_check_view(context, X));
    ch_separate_settings set;
    TRY(check_arguments(context, &set, parts, X, settings));
    ch_separation made = {.size = sizeof made, .frames = X->rows, .pixels = X->cols};
    ch_status status = chi_outside_status(check(context, X, &set));
    double start = chi_seconds();
    if (status == CH_OK) status = methods[set.method].run(context, &made, X, &set);
    if (!methods[set.method].learns) made.seconds_select = chi_seconds() - start;
    return finish(context, parts, &made, status);
}

/* Copies the given W and fits H of all pixels to the frames that are not busy. */
static ch_status fit_pixels(ch_context *context, ch_separation *made, const ch_matrix *X,
                            const double *W, const ch_separate_settings *settings) {
    chi_arena arena = {.context = context};
    chi_kept_indices frames = {0};
    chi_fitting how = chi_fitting_of(context, made, settings);
    ch_status status = chi_learning_frames(&arena, &frames, X, settings);
    double *seen = chi_arena_doubles(&arena, made->rank * frames.kept);
    if (status == CH_OK) status = chi_arena_status(&arena, "a background");
    if (status == CH_OK) status = chi_separation_reserve(context, made);
    if (status == CH_OK) {
        memcpy(made->W, W, (size_t)(made->frames * made->rank) * sizeof *W);
        chi_take_rows(seen, W, made->frames, made->rank, frames.list, frames.kept);
        status = chi_fit_H_of_frames(&how, made->H, X, &frames, seen, made->rank);
    }
    chi_arena_free(&arena);
    return chi_separation_end(context, made, status);
}

/* Copies the given H and fits W of all frames to some of the pixels. */
static ch_status fit_frames(ch_context *context, ch_separation *made, const ch_matrix *X,
                            const double *H, const ch_separate_settings *settings) {
    chi_learning_sample sample;
    chi_fitting how = chi_fitting_of(context, made, settings);
    int64_t rank = made->rank;
    TRY(chi_learning_sample_create(context, &sample, X, settings));
    double *seen = chi_arena_doubles(&sample.arena, rank * sample.L.cols);
    ch_status status = chi_arena_status(&sample.arena, "a background");
    if (status == CH_OK) status = chi_separation_reserve(context, made);
    if (status == CH_OK) {
        memcpy(made->H, H, (size_t)(rank * made->pixels) * sizeof *H);
        chi_take_columns(seen, H, rank, sample.pixels.list, sample.L.cols);
        status = chi_fit_W(&how, made->W, &sample.L, seen, rank);
    }
    chi_learning_sample_destroy(&sample);
    return chi_separation_end(context, made, status);
}

ch_status ch_separate_plane(ch_context *context, ch_separation *parts, const ch_matrix *X,
                            const ch_separation *luma, const ch_separate_settings *settings) {
    TRY(chi_check_view(context, X));
    ch_separate_settings set;
    ch_separation first = {.size = sizeof first};
    TRY(check_arguments(context, &set, parts, X, settings));
    TRY(chi_sized_take(context, &first, sizeof first, luma, "ch_separation"));
    if (!methods[set.method].learns) return ch_separate(context, parts, X, &set);
    ch_separation made = {.size = sizeof made, .frames = X->rows, .pixels = X->cols};
    ch_status status = chi_outside_status(check(context, X, &set));
    if (status != CH_OK) return finish(context, parts, &made, status);
    if (first.frames != X->rows || first.rank < 1)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the plane has %lld frames, but the separated luma plane has rank %lld and %lld "
            "frames; both must have the same frames, and the rank must be at least 1",
            (long long)X->rows, (long long)first.rank, (long long)first.frames);
    double start = chi_seconds();
    made.rank = first.rank;
    status = fit_pixels(context, &made, X, first.W, &set);
    made.seconds_project = chi_seconds() - start;
    return finish(context, parts, &made, status);
}

static ch_status check_model(ch_context *context, const double *H, int64_t rank, int64_t pixels) {
    if (!H || rank < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the model of the background must have H and a rank of at least 1");
    ch_matrix view;
    TRY(ch_matrix_borrow(context, &view, &(ch_matrix){.rows = rank, .cols = pixels, .values = H}));
    return ch_matrix_check(context, &view);
}

ch_status ch_separate_apply(ch_context *context, ch_separation *parts, const ch_matrix *X,
                            const double *H, int64_t rank, const ch_separate_settings *settings) {
    TRY(chi_check_view(context, X));
    ch_separate_settings set;
    TRY(check_arguments(context, &set, parts, X, settings));
    set.method = CH_SEPARATE_ROBUST_XRAY;
    set.busy_count = 0;
    TRY(check(context, X, &set));
    TRY(check_model(context, H, rank, X->cols));
    ch_separation made = {.size = sizeof made, .frames = X->rows, .pixels = X->cols, .rank = rank};
    snprintf(made.reason, sizeof made.reason, "rank %lld is the rank of the given model",
             (long long)rank);
    double start = chi_seconds();
    ch_status status = fit_frames(context, &made, X, H, &set);
    made.seconds_project = chi_seconds() - start;
    return finish(context, parts, &made, status);
}

ch_status chi_separation_reserve(ch_context *context, ch_separation *parts) {
    parts->W = chi_alloc(context, parts->frames * parts->rank, sizeof *parts->W);
    parts->H = chi_alloc(context, parts->rank * parts->pixels, sizeof *parts->H);
    if (parts->W && parts->H) return CH_OK;
    return chi_no_memory(context, "a background", parts->rank * (parts->frames + parts->pixels),
                         sizeof(double));
}

ch_status chi_separation_end(ch_context *context, ch_separation *parts, ch_status status) {
    int64_t frames = parts->frames, pixels = parts->pixels;
    if (status == CH_OK && parts->unproven > 0) return CH_STOP_INACCURATE;
    if (status != CH_STOP_CANCELLED) return status;
    ch_separation_free(context, parts);
    parts->frames = frames;
    parts->pixels = pixels;
    return status;
}

void ch_separation_free(ch_context *context, ch_separation *parts) {
    if (!parts) return;
    chi_free(context, parts->W);
    chi_free(context, parts->H);
    ch_matrix_free(context, &parts->filtered);
    chi_free(context, parts->anchors);
    chi_free(context, parts->max_residual);
    chi_free(context, parts->objective);
    chi_result_clear(parts);
}
