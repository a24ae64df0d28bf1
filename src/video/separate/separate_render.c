/* Renders frames of a background from its factors: b_ij = sum_k W_ik H_kj. Threads share the
 * pixels. A block of pixels is rendered for all requested frames, so that X is read along its
 * columns. */
#include "base/sized.h"
#include "video/separate/separation.h"
#include <math.h>

enum { BLOCK = 256 }; /* pixels that a thread renders at a time       */
enum { FACTORS = 8 }; /* up to this many factors use render_factors() */

typedef struct render {
    const ch_separation *parts;
    const ch_matrix *X; /* the minuend, or NULL                   */
    float *numbers;     /* the result goes to numbers or to bytes */
    unsigned char *bytes;
    int64_t first, count;
} render;

double chi_background_at(const ch_separation *parts, int64_t i, int64_t j) {
    const double *h = parts->H + j * parts->rank;
    double sum = 0;
    if (parts->filtered.values) return chi_video_value(&parts->filtered, i, j);
    for (int64_t k = 0; k < parts->rank; k++) sum += parts->W[i + k * parts->frames] * h[k];
    return sum;
}

static void put(const render *r, int64_t n, int64_t j, double value) {
    int64_t at = n * r->parts->pixels + j;
    if (r->X) value = chi_video_value(r->X, r->first + n, j) - value;
    if (r->bytes)
        r->bytes[at] = (unsigned char)(fmin(fmax(value, 0), 255) + 0.5);
    else
        r->numbers[at] = (float)value;
}

/* Renders a block with the factors of its pixels side by side, so that a frame is a few vectors.
 * Sums in the order of chi_background_at(). */
static void render_factors(const render *r, int64_t low, int64_t count) {
    const ch_separation *parts = r->parts;
    double h[FACTORS][BLOCK], b[BLOCK];
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; k < parts->rank; k++) h[k][j] = parts->H[(low + j) * parts->rank + k];
    for (int64_t n = 0; n < r->count; n++) {
        const double *w = parts->W + r->first + n;
        for (int64_t j = 0; j < count; j++) b[j] = w[0] * h[0][j];
        for (int64_t k = 1; k < parts->rank; k++)
            for (int64_t j = 0; j < count; j++) b[j] += w[k * parts->frames] * h[k][j];
        for (int64_t j = 0; j < count; j++) put(r, n, low + j, b[j]);
    }
}

static void render_block(void *user, int64_t block, int thread) {
    const render *r = user;
    int64_t pixels = r->parts->pixels, low = block * BLOCK;
    int64_t high = low + BLOCK < pixels ? low + BLOCK : pixels, rank = r->parts->rank;
    (void)thread;
    if (!r->parts->filtered.values && rank >= 1 && rank <= FACTORS) {
        render_factors(r, low, high - low);
        return;
    }
    for (int64_t j = low; j < high; j++)
        for (int64_t n = 0; n < r->count; n++)
            put(r, n, j, chi_background_at(r->parts, r->first + n, j));
}

static ch_status make(ch_context *context, const render *r) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!r->parts || (!r->numbers && !r->bytes))
        return chi_fail(context, CH_ERR_ARGUMENT, "frames and parts must not be NULL");
    ch_separation own = {0}, *parts = &own;
    TRY(chi_sized_take(context, &own, sizeof own, r->parts, "ch_separation"));
    if (!parts->filtered.values && (!parts->W || !parts->H))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "there is no background, because the run was cancelled");
    if (parts->filtered.values) TRY(chi_check_view(context, &parts->filtered));
    if (r->X && (r->X->rows != parts->frames || r->X->cols != parts->pixels))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "X is %lld x %lld, but the background has %lld frames of %lld pixels",
                        (long long)r->X->rows, (long long)r->X->cols, (long long)parts->frames,
                        (long long)parts->pixels);
    if (r->first < 0 || r->count < 0 || r->count > parts->frames - r->first)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "frames %lld to %lld do not all exist; frames are numbered from 0 to %lld",
                        (long long)r->first, (long long)(r->first + r->count - 1),
                        (long long)parts->frames - 1);
    render task = *r;
    task.parts = parts;
    chi_parallel(context, (parts->pixels + BLOCK - 1) / BLOCK, render_block, &task);
    return CH_OK;
}

ch_status ch_separation_background(ch_context *context, float *frames, const ch_separation *parts,
                                   int64_t first, int64_t count) {
    render r = {.parts = parts, .numbers = frames, .first = first, .count = count};
    return make(context, &r);
}

ch_status ch_separation_background_bytes(ch_context *context, unsigned char *frames,
                                         const ch_separation *parts, int64_t first, int64_t count) {
    render r = {.parts = parts, .bytes = frames, .first = first, .count = count};
    return make(context, &r);
}

ch_status ch_separation_residual(ch_context *context, float *frames, const ch_separation *parts,
                                 const ch_matrix *X, int64_t first, int64_t count) {
    TRY(chi_check_view(context, X));
    render r = {.parts = parts, .X = X, .numbers = frames, .first = first, .count = count};
    if (context && !X) return chi_fail(context, CH_ERR_ARGUMENT, "X must not be NULL");
    return make(context, &r);
}
