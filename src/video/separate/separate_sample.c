/* What a separation learns from: X without the frames known to hold foreground and without ignored
 * pixels, and of the others no more than settings->learn, evenly spread: the few weights of a frame
 * need no more equations. Where nothing is left out, X itself; otherwise a copy, column-major, in
 * the type of X. */
#include "video/separate/separation.h"

#include <string.h>

static ch_status split(ch_context *context, chi_kept_indices *indices,
                       const unsigned char *left_out, int64_t count) {
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) left += left_out[k] != 0;
    *indices = (chi_kept_indices){.kept = count - left, .left = left};
    if (left == 0) return CH_OK;
    indices->list = chi_alloc(context, count, sizeof *indices->list);
    if (!indices->list) return chi_no_memory(context, "a list", count, sizeof *indices->list);
    int64_t at = 0, beyond = indices->kept;
    for (int64_t k = 0; k < count; k++) indices->list[left_out[k] ? beyond++ : at++] = k;
    return CH_OK;
}

static ch_status split_frames(ch_context *context, chi_kept_indices *frames, const ch_matrix *X,
                              const ch_separate_settings *settings) {
    unsigned char *busy = chi_alloc_zero(context, X->rows, 1);
    if (!busy) return chi_no_memory(context, "a list of frames", X->rows, 1);
    for (int64_t k = 0; k < settings->busy_count; k++) busy[settings->busy[k]] = 1;
    ch_status status = split(context, frames, busy, X->rows);
    chi_free(context, busy);
    if (status < 0 || frames->kept > 0) return status;
    return chi_fail(context, CH_ERR_SETTING,
                    "all %lld frames are known to hold foreground: none is left to learn from",
                    (long long)X->rows);
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

static ch_status split_pixels(ch_context *context, chi_kept_indices *pixels, const ch_matrix *X,
                              const ch_separate_settings *settings) {
    unsigned char *left_out = chi_alloc_zero(context, X->cols, 1);
    if (!left_out) return chi_no_memory(context, "a list of pixels", X->cols, 1);
    for (int64_t j = 0; j < X->cols && settings->ignore; j++)
        left_out[j] = settings->ignore[j] != 0;
    thin_out(left_out, X->cols, settings->learn);
    ch_status status = split(context, pixels, left_out, X->cols);
    chi_free(context, left_out);
    if (status < 0 || pixels->kept > 0) return status;
    return chi_fail(context, CH_ERR_SETTING,
                    "all %lld pixels are ignored: none is left to learn from", (long long)X->cols);
}

ch_status chi_learning_sample_create(ch_context *context, chi_learning_sample *sample,
                                     const ch_matrix *X, const ch_separate_settings *settings) {
    *sample = (chi_learning_sample){.L = *X};
    sample->L.owner = NULL;
    sample->L.release = NULL;
    ch_status status = split_frames(context, &sample->frames, X, settings);
    if (status == CH_OK) status = split_pixels(context, &sample->pixels, X, settings);
    if (status == CH_OK && (sample->frames.list || sample->pixels.list))
        status =
            chi_matrix_copy_part(context, &sample->L, X, sample->frames.list, sample->frames.kept,
                                 sample->pixels.list, sample->pixels.kept);
    if (status != CH_OK) chi_learning_sample_destroy(context, sample);
    return status;
}

void chi_learning_sample_destroy(ch_context *context, chi_learning_sample *sample) {
    ch_matrix_free(context, &sample->L);
    chi_free(context, sample->frames.list);
    chi_free(context, sample->pixels.list);
    *sample = (chi_learning_sample){0};
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
