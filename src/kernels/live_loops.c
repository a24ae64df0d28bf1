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

/* Returns the step of a value x from its background b. */
static inline float step_of(const chi_live_step *step, int64_t i, float b) {
    float r = (float)step->x[i] - b;
    r = r < step->most ? r : step->most;
    r = r > -step->most ? r : -step->most;
    return step->mask[i] ? 0 : step->share * r;
}

static inline float moved(float h, float along, float move) {
    h += along * move;
    return h > 0 ? h : 0;
}

/* Most backgrounds have rank 1. Everything is computed in one pass. "omp simd" states that no value
 * depends on another one: made may be H itself. */
static void follow_one(float *restrict b, const chi_live_stretch *s, const chi_live_step *step) {
    const float *H = s->H;
    const chi_live_step by = *step;
    float *made = step->made, w = s->w[0], along = step->along[0];
#pragma omp simd
    for (int64_t i = 0; i < s->count; i++) {
        b[i] = w * H[i];
        made[i] = moved(H[i], along, step_of(&by, i, b[i]));
    }
}

static void follow(float *restrict b, const chi_live_stretch *s, const chi_live_step *step) {
    const chi_live_step by = *step;
    float *restrict move = step->spare;
    if (s->rank == 1) {
        follow_one(b, s, step);
        return;
    }
    render(b, s);
    for (int64_t i = 0; i < s->count; i++) move[i] = step_of(&by, i, b[i]);
    for (int64_t k = 0; k < s->rank; k++) {
        const float *H = s->H + k * s->stride;
        float *made = step->made + k * s->stride, along = step->along[k];
#pragma omp simd
        for (int64_t i = 0; i < s->count; i++) made[i] = moved(H[i], along, move[i]);
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

static void join(uint8_t *restrict pixels, const uint8_t *const planes[3], int64_t count) {
    const uint8_t *first = planes[0], *second = planes[1], *third = planes[2];
    for (int64_t i = 0; i < count; i++) {
        pixels[3 * i] = first[i];
        pixels[3 * i + 1] = second[i];
        pixels[3 * i + 2] = third[i];
    }
}

enum { CHUNK = 256 }; /* values whose partial results stay in L1 */

static void explain(float *b, const double *A, const double *w, int64_t rows, int64_t columns) {
    for (int64_t from = 0; from < rows; from += CHUNK) {
        double sums[CHUNK] = {0};
        int64_t count = rows - from < CHUNK ? rows - from : CHUNK;
        for (int64_t k = 0; k < columns; k++) {
            const double *a = A + k * rows + from;
            for (int64_t i = 0; i < count; i++) sums[i] += w[k] * a[i];
        }
        for (int64_t i = 0; i < count; i++) b[from + i] = (float)sums[i];
    }
}

static int64_t apart(const float *x, const float *y, double most, int64_t count, int64_t planes) {
    int64_t total = 0;
    for (int64_t from = 0; from < count; from += CHUNK) {
        int64_t far[CHUNK] = {0}, end = count - from < CHUNK ? count - from : CHUNK;
        for (int64_t p = 0; p < planes; p++)
            for (int64_t i = 0; i < end; i++) {
                double a = x[p * count + from + i] + (double)DARK;
                double b = y[p * count + from + i] + (double)DARK;
                far[i] |= (a > most * b) | (b > most * a);
            }
        for (int64_t i = 0; i < end; i++) total += far[i];
    }
    return total;
}

extern const chi_live_loops IN_SET(chi_live_loops);
const chi_live_loops IN_SET(chi_live_loops) = {render, follow, most, split, join, explain, apart};
