/* The data that a separation learns from: X without the frames known to hold foreground and without
 * ignored pixels, and at most settings->learn of the other pixels, evenly spread, because a few
 * weights per frame need no more equations. If nothing is left out, this is X itself; otherwise a
 * column-major copy in the type of X. */
#include "video/separate/separation.h"
#include <string.h>

static ch_status split(chi_arena *arena, chi_kept_indices *indices, const uint8_t *left_out,
                       int64_t count) {
    int64_t at = 0;
    for (int64_t k = 0; k < count; k++) indices->left += left_out[k] != 0;
    int64_t beyond = indices->kept = count - indices->left;
    if (indices->left == 0) return CH_OK;
    indices->list = chi_arena_alloc(arena, count, sizeof *indices->list);
    TRY(chi_arena_status(arena, "a list"));
    for (int64_t k = 0; k < count; k++) indices->list[left_out[k] ? beyond++ : at++] = k;
    return CH_OK;
}

/* Marks more pixels as left out, so that about `limit` evenly spread pixels remain. */
static void thin_out(uint8_t *left_out, int64_t count, int64_t limit) {
    int64_t kept = 0, seen = 0;
    for (int64_t j = 0; j < count; j++) kept += !left_out[j];
    if (limit == 0 || kept <= limit) return;
    for (int64_t j = 0; j < count; j++) {
        if (left_out[j]) continue;
        left_out[j] = seen * limit / kept == (seen + 1) * limit / kept;
        seen++;
    }
}

ch_status chi_learning_frames(chi_arena *arena, chi_kept_indices *frames, const ch_matrix *X,
                              const ch_separate_settings *settings) {
    uint8_t *busy = chi_arena_alloc_zero(arena, X->rows, 1);
    TRY(chi_arena_status(arena, "a list of frames"));
    for (int64_t k = 0; k < settings->busy_count; k++) busy[settings->busy[k]] = 1;
    TRY(split(arena, frames, busy, X->rows));
    if (frames->kept > 0) return CH_OK;
    return chi_fail(arena->context, CH_ERR_SETTING,
                    "all %lld frames are listed as frames with foreground, so none is left to "
                    "learn the background from",
                    (long long)X->rows);
}

static ch_status choose(chi_learning_sample *sample, const ch_matrix *X,
                        const ch_separate_settings *settings) {
    chi_arena *arena = &sample->arena;
    uint8_t *ignored = chi_arena_alloc_zero(arena, X->cols, 1);
    TRY(chi_arena_status(arena, "a list of pixels"));
    for (int64_t j = 0; j < X->cols && settings->ignore; j++) ignored[j] = settings->ignore[j] != 0;
    thin_out(ignored, X->cols, settings->learn);
    TRY(chi_learning_frames(arena, &sample->frames, X, settings));
    TRY(split(arena, &sample->pixels, ignored, X->cols));
    if (sample->pixels.kept == 0)
        return chi_fail(arena->context, CH_ERR_SETTING,
                        "all %lld pixels are ignored, so none is left to learn the background from",
                        (long long)X->cols);
    if (!sample->frames.list && !sample->pixels.list) return CH_OK;
    return chi_matrix_copy_part(arena->context, &sample->L, X, sample->frames.list,
                                sample->frames.kept, sample->pixels.list, sample->pixels.kept);
}

ch_status chi_learning_sample_create(ch_context *context, chi_learning_sample *sample,
                                     const ch_matrix *X, const ch_separate_settings *settings) {
    *sample = (chi_learning_sample){.L = *X, .arena.context = context};
    sample->L.owner = NULL;
    sample->L.release = NULL;
    ch_status status = choose(sample, X, settings);
    if (status != CH_OK) chi_learning_sample_destroy(sample);
    return status;
}

void chi_learning_sample_destroy(chi_learning_sample *sample) {
    ch_matrix_free(sample->arena.context, &sample->L);
    chi_arena_free(&sample->arena);
}

/* ---- parts of factors ----------------------------------------------------------------------- */

void chi_take_rows(double *to, const double *from, int64_t rows, int64_t cols, const int64_t *list,
                   int64_t count) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t l = 0; l < count; l++)
            to[l + j * count] = from[(list ? list[l] : l) + j * rows];
}

void chi_put_rows(double *to, int64_t rows, int64_t cols, const double *from, const int64_t *list,
                  int64_t count) {
    for (int64_t j = 0; j < cols; j++)
        for (int64_t l = 0; l < count; l++)
            to[(list ? list[l] : l) + j * rows] = from[l + j * count];
}

void chi_take_columns(double *to, const double *from, int64_t rows, const int64_t *list,
                      int64_t count) {
    for (int64_t l = 0; l < count; l++)
        memcpy(to + l * rows, from + (list ? list[l] : l) * rows, (size_t)rows * sizeof *to);
}
