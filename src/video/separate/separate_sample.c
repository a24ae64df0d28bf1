/* What a separation learns from: X without the frames known to hold foreground and without ignored
 * pixels, and of the others no more than settings->learn, evenly spread: the few weights of a frame
 * need no more equations. Where nothing is left out, X itself; otherwise a copy, column-major, in
 * the type of X. */
#include "video/separate/separation.h"

#include <string.h>

static ch_status choose(ch_context *context, chi_kept_indices *choice,
                        const unsigned char *left_out, int64_t count) {
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) left += left_out[k] != 0;
    *choice = (chi_kept_indices){.kept = count - left, .left = left};
    if (left == 0) return CH_OK;
    choice->list = chi_alloc(context, count, sizeof *choice->list);
    if (!choice->list) return chi_no_memory(context, "a list", count, sizeof *choice->list);
    int64_t at = 0, beyond = choice->kept;
    for (int64_t k = 0; k < count; k++) choice->list[left_out[k] ? beyond++ : at++] = k;
    return CH_OK;
}

static ch_status choose_frames(ch_context *context, chi_kept_indices *frames, const ch_matrix *X,
                               const ch_separate_settings *settings) {
    *frames = (chi_kept_indices){.kept = X->rows};
    if (settings->busy_count == 0) return CH_OK;
    unsigned char *busy = chi_alloc_zero(context, X->rows, 1);
    if (!busy) return chi_no_memory(context, "a list of frames", X->rows, 1);
    for (int64_t k = 0; k < settings->busy_count; k++) busy[settings->busy[k]] = 1;
    ch_status status = choose(context, frames, busy, X->rows);
    chi_free(context, busy);
    if (status == CH_OK && frames->kept == 0)
        status =
            chi_fail(context, CH_ERR_SETTING,
                     "all %lld frames are known to hold foreground: none is left to learn from",
                     (long long)X->rows);
    return status;
}

/* Marks kept pixels too, so that about `limit` of them stay, evenly spread. */
static void thin_out(unsigned char *left_out, int64_t count, int64_t limit) {
    int64_t kept = 0, seen = 0;
    for (int64_t j = 0; j < count; j++) kept += !left_out[j];
    if (limit == 0 || kept <= limit) return;
    for (int64_t j = 0; j < count; j++) {
        if (left_out[j]) continue;
        left_out[j] = seen * limit / kept == (seen + 1) * limit / kept;
        seen++;
    }
}

static ch_status choose_pixels(ch_context *context, chi_kept_indices *pixels, const ch_matrix *X,
                               const ch_separate_settings *settings) {
    *pixels = (chi_kept_indices){.kept = X->cols};
    unsigned char *left_out = chi_alloc_zero(context, X->cols, 1);
    if (!left_out) return chi_no_memory(context, "a list of pixels", X->cols, 1);
    for (int64_t j = 0; j < X->cols && settings->ignore; j++)
        left_out[j] = settings->ignore[j] != 0;
    thin_out(left_out, X->cols, settings->learn);
    ch_status status = choose(context, pixels, left_out, X->cols);
    chi_free(context, left_out);
    if (status == CH_OK && pixels->kept == 0)
        status =
            chi_fail(context, CH_ERR_SETTING,
                     "all %lld pixels are ignored: none is left to learn from", (long long)X->cols);
    return status;
}

ch_status chi_learning_sample_create(ch_context *context, chi_learning_sample *lesson,
                                     const ch_matrix *X, const ch_separate_settings *settings) {
    *lesson = (chi_learning_sample){.L = *X};
    lesson->L.owner = NULL;
    lesson->L.release = NULL;
    ch_status status = choose_frames(context, &lesson->frames, X, settings);
    if (status == CH_OK) status = choose_pixels(context, &lesson->pixels, X, settings);
    if (status == CH_OK && (lesson->frames.list || lesson->pixels.list))
        status =
            chi_matrix_copy_part(context, &lesson->L, X, lesson->frames.list, lesson->frames.kept,
                                 lesson->pixels.list, lesson->pixels.kept);
    if (status != CH_OK) chi_learning_sample_destroy(context, lesson);
    return status;
}

void chi_learning_sample_destroy(ch_context *context, chi_learning_sample *lesson) {
    ch_matrix_free(context, &lesson->L);
    chi_free(context, lesson->frames.list);
    chi_free(context, lesson->pixels.list);
    *lesson = (chi_learning_sample){0};
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
