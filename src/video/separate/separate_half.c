/* A colour of a clip whose file has colour at half the resolution of brightness (YUV 4:2:0).
 *
 * In such a clip the four pixels of a square differ in brightness alone, x_c = x_Y + d with one d
 * for the square. So H is fitted in l1 to the means of squares, a quarter of the work, and
 *
 *     H_c(pixel) = max(0, H_c(square) + H_Y(pixel) - mean of H_Y over the square)
 *
 * which for H_Y exact is exact too, to the rounding of means. */
#include "base/arena.h"
#include "base/sized.h"
#include "video/separate/separation.h"
#include <math.h>

typedef struct halving {
    const ch_matrix *X;
    const ch_separation *luma;
    uint8_t *means;     /* frames x squares */
    double *H;          /* of the pixels ... */
    const double *half; /* ... and of the squares */
    int64_t width, rank;
} halving;

/* The first pixel of square j, upper left. */
static int64_t corner(const halving *h, int64_t j) {
    int64_t across = h->width / 2;
    return j / across * 2 * h->width + j % across * 2;
}

static void mean_row(void *user, int64_t row, int thread) {
    const halving *h = user;
    int64_t frames = h->X->rows, stride = h->X->stride, across = h->width / 2;
    (void)thread;
    for (int64_t j = row * across; j < (row + 1) * across; j++) {
        const uint8_t *a = (const uint8_t *)h->X->values + corner(h, j) * stride, *b = a + stride;
        const uint8_t *c = a + h->width * stride, *d = c + stride;
        uint8_t *restrict to = h->means + j * frames;
        for (int64_t f = 0; f < frames; f++)
            to[f] = (uint8_t)((a[f] + b[f] + c[f] + d[f] + 2) >> 2);
    }
}

static void spread_row(void *user, int64_t row, int thread) {
    const halving *h = user;
    int64_t across = h->width / 2, rank = h->rank;
    (void)thread;
    for (int64_t j = row * across; j < (row + 1) * across; j++)
        for (int64_t k = 0; k < rank; k++) {
            int64_t at = corner(h, j);
            const int64_t pixel[4] = {at, at + 1, at + h->width, at + h->width + 1};
            double mean = 0;
            for (int n = 0; n < 4; n++) mean += h->luma->H[pixel[n] * rank + k] / 4;
            for (int n = 0; n < 4; n++)
                h->H[pixel[n] * rank + k] =
                    fmax(h->half[j * rank + k] + h->luma->H[pixel[n] * rank + k] - mean, 0);
        }
}

ch_status ch_separate_half_plane(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                 const ch_separation *luma, int64_t width,
                                 const ch_separate_settings *settings) {
    int64_t pixels = X->cols, rank = luma->rank;
    chi_arena arena = {.context = context};
    ch_matrix means;
    int fits = width > 0 && width % 2 == 0 && pixels % (2 * width) == 0 && X->type == CH_U8 &&
               X->layout == CH_COLUMN_MAJOR && luma->H && luma->pixels == pixels &&
               !settings->ignore;
    if (!fits) return ch_separate_plane(context, parts, X, luma, settings);
    halving h = {.X = X, .luma = luma, .width = width, .rank = rank};
    h.means = chi_arena_alloc(&arena, X->rows * (pixels / 4), 1);
    ch_status status = chi_arena_status(&arena, "means of squares");
    if (status == CH_OK) {
        chi_parallel(context, pixels / width / 2, mean_row, &h);
        status = ch_matrix_borrow(
            context, &means,
            &(ch_matrix){.rows = X->rows, .cols = pixels / 4, .type = CH_U8, .values = h.means});
    }
    if (status == CH_OK) status = ch_separate_plane(context, parts, &means, luma, settings);
    chi_arena_free(&arena);
    if (status < 0 || status == CH_STOP_CANCELLED || !parts->H) return status;
    h.half = parts->H;
    h.H = chi_alloc(context, rank * pixels, sizeof *h.H);
    if (!h.H) {
        ch_separation_free(context, parts);
        return chi_no_memory(context, "a background", rank * pixels, sizeof *h.H);
    }
    chi_parallel(context, pixels / width / 2, spread_row, &h);
    chi_free(context, parts->H);
    parts->H = h.H;
    parts->pixels = pixels;
    return status;
}
