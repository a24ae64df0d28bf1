/* The score of a pixel: how far its surroundings are from the background, as a ratio of light.
 *
 *     d = log((x + c) / (b + c))             x: pixel, b: background, c: what darkness adds
 *     a = mean of min(|d| / f, 2 t),  m, v = mean and variance of d, over a square around the pixel
 *     s = a (1 - (1 - w) k),   k = max(0, 1 - sqrt(v) / (4 noise))  if -log 2 < m < 0, else 0
 *
 * Why a ratio: sensor noise and everything that light does grows with brightness. Why the average:
 * objects are larger than a pixel, noise is not. Why 2 t, twice the threshold: so that half of the
 * square must be off the background, however far a few pixels are, and outlines stay sharp. Why k:
 * a shadow takes away a share of the light (up to half) and leaves the pattern of the ground, so d
 * is negative and even; such pixels keep a share w of their score. f is how many times noisier than
 * others a pixel is (waving plants, screens).
 *
 * The text of mask_score_portable.c and mask_score_avx2.c; the second computes the same bits, since
 * no product and sum are contracted.
 *
 * Cost: one logarithm and 3 (4 radius + 2) additions a pixel. */
#ifndef CONEHULL_MASK_SCORE_TEXT_H
#define CONEHULL_MASK_SCORE_TEXT_H

#include "video/mask/mask_score_loops.h"
#include <math.h>
#include <string.h>

static const float DARK = 10;      /* gray levels; below it differences count, above it ratios */
static const float DARKEST = 0.7f; /* -log of what a shadow leaves at least: half of the light */
static const float EVEN = 4;       /* noises of scatter at which nothing is a shadow any more  */

/* log(q), q > 0 and finite, within 2e-7: log(2^e f) = e log 2 + 2 artanh((f - 1) / (f + 1)) with
 * 2/3 <= f < 4/3. Of additions, products and one quotient: the same bits on every machine, and
 * compilers make vectors of it. */
static inline float logarithm(float q) {
    uint32_t bits, third = 0x3f2aaaab; /* the bits of 2/3 */
    memcpy(&bits, &q, sizeof bits);
    int32_t above = (int32_t)(bits - third) >> 23;
    bits -= (uint32_t)above << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    float s = (f - 1) / (f + 1), t = s * s;
    float series = 2 * s * (1 + t * (1.0f / 3 + t * (1.0f / 5 + t * (1.0f / 7 + t * (1.0f / 9)))));
    return (float)above * 0.693147181f + series;
}

static void ratio_of_plane(float *ratio, const uint8_t *x, const float *b, int64_t pixels) {
    for (int64_t i = 0; i < pixels; i++) {
        float ground = b[i] > 0 ? b[i] : 0;
        ratio[i] = logarithm(((float)x[i] + DARK) / (ground + DARK));
    }
}

static void ratio_part(const ch_masker *m, float *ratio, int64_t frame, int64_t from, int64_t to) {
    enum { CHUNK = 1024 };
    int64_t pixels = chi_pixels(m->size);
    for (; from < to; from += CHUNK) {
        int64_t count = to - from < CHUNK ? to - from : CHUNK;
        for (int p = 0; p < m->planes; p++) {
            float next[CHUNK];
            const ch_mask_plane *in = &m->in[p];
            ratio_of_plane(next, in->pixels + frame * in->stride + from,
                           in->background + frame * pixels + from, count);
            float *best = ratio + from;
            for (int64_t i = 0; i < count; i++)
                best[i] = p && fabsf(best[i]) >= fabsf(next[i]) ? best[i] : next[i];
        }
    }
}

/* min(|d| / f, 2 t) */
static inline float capped(float d, float calm, float most) {
    float off = fabsf(d) * calm;
    return off < most ? off : most;
}

/* Three rows at once: what add_rows() gives for them, without going through memory. */
static void add_three_rows(float *restrict size, float *restrict mean, float *restrict square,
                           const float *d, const float *calm, float most, int64_t width) {
    const float *e = d + width, *f = e + width, *calm_e = calm + width, *calm_f = calm_e + width;
    for (int64_t x = 0; x < width; x++) {
        size[x] = capped(d[x], calm[x], most) + capped(e[x], calm_e[x], most) +
                  capped(f[x], calm_f[x], most);
        mean[x] = d[x] + e[x] + f[x];
        square[x] = d[x] * d[x] + e[x] * e[x] + f[x] * f[x];
    }
}

static void add_rows(float *size, float *mean, float *square, const float *d, const float *calm,
                     float most, int64_t width, int64_t rows) {
    size_t bytes = (size_t)width * sizeof(float);
    memset(size, 0, bytes);
    memset(mean, 0, bytes);
    memset(square, 0, bytes);
    for (int64_t v = 0; v < rows; v++, d += width, calm += width)
        for (int64_t x = 0; x < width; x++) {
            size[x] += capped(d[x], calm[x], most);
            mean[x] += d[x];
            square[x] += d[x] * d[x];
        }
}

/* sums[.] + radius: min(|d| / f, 2 t), d and d^2 summed over the rows around y; zeros beside them.
 */
static int64_t sum_rows(const ch_masker *m, chi_mask_work *w, const float *ratio, int64_t y) {
    int64_t radius = m->set.smooth, width = m->size.width;
    int64_t from = y > radius ? y - radius : 0;
    int64_t to = y + radius < m->size.height ? y + radius + 1 : m->size.height;
    float most = (float)(2 * m->threshold / CHI_MASK_UNIT);
    const float *d = ratio + from * width, *calm = m->calm + from * width;
    float *sums[3];
    for (int s = 0; s < 3; s++) {
        sums[s] = w->sums[s] + radius;
        memset(w->sums[s], 0, (size_t)radius * sizeof(float));
        memset(sums[s] + width, 0, (size_t)radius * sizeof(float));
    }
    if (to - from == 3)
        add_three_rows(sums[0], sums[1], sums[2], d, calm, most, width);
    else
        add_rows(sums[0], sums[1], sums[2], d, calm, most, width, to - from);
    return to - from;
}

/* One score from the mean of |d| as above, the mean of d and the mean of d^2. */
static inline float score_of(float size, float mean, float square, float even, float keep) {
    float scatter = square - mean * mean;
    float shadow = 1 - sqrtf(scatter > 0 ? scatter : 0) * even;
    shadow = shadow > 0 ? shadow : 0;
    shadow = mean < 0 ? shadow : 0;
    shadow = mean > -DARKEST ? shadow : 0;
    return size * (1 - (1 - keep) * shadow);
}

/* totals[x] = sums[x .. x + 2 radius] added up. */
static void sum_columns(float *totals, const float *sums, int64_t width, int64_t radius) {
    if (radius == 1) {
        for (int64_t x = 0; x < width; x++) totals[x] = sums[x] + sums[x + 1] + sums[x + 2];
        return;
    }
    memcpy(totals, sums, (size_t)width * sizeof *totals);
    for (int64_t u = 1; u <= 2 * radius; u++)
        for (int64_t x = 0; x < width; x++) totals[x] += sums[x + u];
}

/* 1 / pixels of the square around, where it has so many rows. */
static const float *share_of(const ch_masker *m, chi_mask_work *w, int64_t rows) {
    if (w->share_rows != rows)
        for (int64_t x = 0; x < m->size.width; x++) w->share[x] = 1 / ((float)rows * m->around[x]);
    w->share_rows = rows;
    return w->share;
}

static void score_row(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                      int64_t y) {
    int64_t radius = m->set.smooth, width = m->size.width;
    const float *share = share_of(m, w, sum_rows(m, w, ratio, y));
    float even = (float)(CHI_MASK_UNIT / m->typical) / EVEN, keep = (float)m->set.shadow;
    float unit = (float)CHI_MASK_UNIT;
    for (int s = 0; s < 3; s++) sum_columns(w->totals[s], w->sums[s], width, radius);
    const float *size = w->totals[0], *mean = w->totals[1], *square = w->totals[2];
    for (int64_t x = 0; x < width; x++) {
        float plain =
            score_of(size[x] * share[x], mean[x] * share[x], square[x] * share[x], even, keep);
        score[x] = plain * unit;
    }
}

static void cut(uint8_t *mask, const float *score, float least, int64_t count) {
    for (int64_t i = 0; i < count; i++) mask[i] = score[i] >= least ? 255 : 0;
}

const chi_mask_loops NAME = {ratio_part, score_row, cut};

#endif
