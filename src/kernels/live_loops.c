/* Loops over the pixels of a live background (chi_live_loops). Cost: O(rank) per pixel. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"

static void render(float *restrict b, const chi_live_stretch *s) {
    const float *H = s->H, *w = s->w;
    if (s->rank == 1) {
        for (int64_t i = 0; i < s->count; i++) b[i] = w[0] * H[i];
        return;
    }
    const float *next = H + s->stride; /* most backgrounds have rank 1 or 2 */
    for (int64_t i = 0; i < s->count; i++) b[i] = w[0] * H[i] + w[1] * next[i];
    for (int64_t k = 2; k < s->rank; k++) {
        const float *more = H + k * s->stride;
        for (int64_t i = 0; i < s->count; i++) b[i] += w[k] * more[i];
    }
}

static void follow(float *restrict b, const chi_live_stretch *s, const chi_live_step *step) {
    const uint8_t *x = step->x, *mask = step->mask;
    float *restrict move = step->spare;
    float most = step->most, share = step->share;
    render(b, s);
    for (int64_t i = 0; i < s->count; i++) {
        float r = (float)x[i] - b[i];
        r = r < most ? r : most;
        r = r > -most ? r : -most;
        move[i] = mask[i] ? 0 : share * r;
    }
    for (int64_t k = 0; k < s->rank; k++) {
        const float *H = s->H + k * s->stride;
        float *restrict made = step->made + k * s->stride, along = step->along[k];
        for (int64_t i = 0; i < s->count; i++) {
            float h = H[i] + along * move[i];
            made[i] = h > 0 ? h : 0;
        }
    }
}

static const float DARK = 10; /* c, as in mask_loops.c */

static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the largest of x and a[i] / (b[i] + c). Non-negative floats have the same order as their
 * bits; comparing integers lets the compiler vectorise the loop. */
static float largest(float x, const float *a, const float *b, int64_t count) {
    uint32_t most = bits_of(x);
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits = bits_of((a ? a[i] : 1) / (b[i] + DARK));
        most = most > bits ? most : bits;
    }
    memcpy(&x, &most, sizeof x);
    return x;
}

static void most(float *most, const chi_live_stretch *s, const float *b) {
    for (int64_t k = 0; k < s->rank; k++)
        most[k] = largest(most[k], s->H + k * s->stride, b, s->count);
    most[s->rank] = largest(most[s->rank], NULL, b, s->count);
}

static void split(uint8_t *const planes[3], const uint8_t *pixels, int64_t count) {
    uint8_t *restrict first = planes[0], *restrict second = planes[1], *restrict third = planes[2];
    for (int64_t i = 0; i < count; i++) {
        first[i] = pixels[3 * i];
        second[i] = pixels[3 * i + 1];
        third[i] = pixels[3 * i + 2];
    }
}

extern const chi_live_loops IN_SET(chi_live_loops);
const chi_live_loops IN_SET(chi_live_loops) = {render, follow, most, split};
