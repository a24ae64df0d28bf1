/* The score of a pixel measures how far its surroundings are from the background, as a ratio of
 * light:
 *
 *     d = log((x + c) / (b + c))             x: pixel, b: background, c: a constant for dark pixels
 *     a = mean of min(|d| / f, 2 t),  m, v = mean and variance of d, over a square around the pixel
 *     s = a (1 - (1 - w) k)
 *     k = max(0, 1 - sqrt(v) / (4 noise e^-m))  if -log 2 < m < 0, else 0
 *
 * Why a ratio: sensor noise and all effects of light grow with brightness. Why the mean: objects
 * are larger than a pixel, noise is not. Why the cap at 2 t, twice the threshold: half of the
 * square must differ from the background, however much a few pixels differ, and outlines stay
 * sharp. Why k: a shadow removes a share of the light (up to half) and keeps the pattern of the
 * ground, so d is negative and nearly constant; such pixels keep a share w of their score. Why
 * noise e^-m: noise that has the same size in gray levels in light and shadow, as that of coded
 * 8-bit films has, is e^-m times larger in the log ratio of a pixel with e^m of the light. f states
 * how many times noisier than others a pixel is (waving plants, screens).
 *
 * Cost: one logarithm and 3 (4 radius + 2) additions per pixel. */
#include "kernels/kernels.h"
#include "kernels/quick_log.h"
#include "kernels/vectors.h"
#include <math.h>

static const float DARK = 10; /* c, in gray levels: below it differences count, above it ratios */
static const float DARKEST =
    0.7f; /* -log of the least share of light that a shadow leaves, a half */

enum { CHUNK = 256, STEP = 16 };

/* Rows of tiles are short. Bytes are converted STEP at a time, because compilers make a plain loop
 * over bytes and floats for vectors full of bytes, with a remainder of single ones. */
static void lights(float *restrict light, const uint8_t *x, int64_t count) {
    int64_t i = 0;
    for (; i + STEP <= count; i += STEP)
        for (int k = 0; k < STEP; k++) light[i + k] = (float)x[i + k] + DARK;
    for (; i < count; i++) light[i] = (float)x[i] + DARK;
}

static inline float ratio_of(float light, float b) {
    return chi_quick_log(light / ((b > 0 ? b : 0) + DARK));
}

static void ratio(float *restrict ratio, const uint8_t *x, const float *b, int64_t count,
                  int beside) {
    float light[CHUNK];
    for (int64_t from = 0; from < count; from += CHUNK, ratio += CHUNK, x += CHUNK, b += CHUNK) {
        int64_t part = count - from < CHUNK ? count - from : CHUNK;
        lights(light, x, part);
        if (beside)
            for (int64_t i = 0; i < part; i++) {
                float next = ratio_of(light[i], b[i]);
                ratio[i] = fabsf(ratio[i]) >= fabsf(next) ? ratio[i] : next;
            }
        else
            for (int64_t i = 0; i < part; i++) ratio[i] = ratio_of(light[i], b[i]);
    }
}

/* Returns the one of d, d + r and d + b that is farthest from 0. */
static inline float farthest(float d, float r, float b) {
    float red = d + r, blue = d + b;
    d = fabsf(d) >= fabsf(red) ? d : red;
    return fabsf(d) >= fabsf(blue) ? d : blue;
}

static void add_colours(float *const d[2], const float *const colour[2], int64_t count) {
    float *restrict top = d[0], *restrict low = d[1];
    const float *red = colour[0], *blue = colour[1];
    for (int64_t i = 0; i < count; i++) {
        float a = top[2 * i], b = top[2 * i + 1], e = low[2 * i], f = low[2 * i + 1];
        float mean = ((a + b) + (e + f)) * 0.25f, r = red[i] - mean, l = blue[i] - mean;
        top[2 * i] = farthest(a, r, l);
        top[2 * i + 1] = farthest(b, r, l);
        low[2 * i] = farthest(e, r, l);
        low[2 * i + 1] = farthest(f, r, l);
    }
}

/* Returns min(|d| / f, 2 t), given calm = 1 / f and most = 2 t. */
static inline float capped(float d, float calm, float most) {
    float off = fabsf(d) * calm;
    return off < most ? off : most;
}

/* Gives the same sums as the loop of add_rows() for three rows, but keeps them in registers. */
static void add_three_rows(float *restrict size, float *restrict mean, float *restrict square,
                           const chi_mask_rows *rows, float most, int64_t width) {
    const float *d = rows->d, *calm = rows->calm;
    const float *e = d + rows->apart, *f = e + rows->apart;
    const float *calm_e = calm + rows->apart, *calm_f = calm_e + rows->apart;
    for (int64_t x = 0; x < width; x++) {
        size[x] = capped(d[x], calm[x], most) + capped(e[x], calm_e[x], most) +
                  capped(f[x], calm_f[x], most);
        mean[x] = d[x] + e[x] + f[x];
        square[x] = d[x] * d[x] + e[x] * e[x] + f[x] * f[x];
    }
}

static void add_rows(float *const *sums, const chi_mask_rows *rows, float most, int64_t width) {
    float *restrict size = sums[CHI_MASK_SIZE], *restrict mean = sums[CHI_MASK_MEAN];
    float *restrict square = sums[CHI_MASK_SQUARE];
    if (rows->count == 3) {
        add_three_rows(size, mean, square, rows, most, width);
        return;
    }
    const float *d = rows->d, *calm = rows->calm;
    for (int s = 0; s < CHI_MASK_SUMS; s++) memset(sums[s], 0, (size_t)width * sizeof(float));
    for (int64_t v = 0; v < rows->count; v++, d += rows->apart, calm += rows->apart)
        for (int64_t x = 0; x < width; x++) {
            size[x] += capped(d[x], calm[x], most);
            mean[x] += d[x];
            square[x] += d[x] * d[x];
        }
}

static void add_columns(float *totals, const float *sums, int64_t width, int64_t radius) {
    if (radius == 1) {
        for (int64_t x = 0; x < width; x++) totals[x] = sums[x] + sums[x + 1] + sums[x + 2];
        return;
    }
    memcpy(totals, sums, (size_t)width * sizeof *totals);
    for (int64_t u = 1; u <= 2 * radius; u++)
        for (int64_t x = 0; x < width; x++) totals[x] += sums[x + u];
}

/* Returns exp(d), the share of light that a shadow leaves, by Taylor's series for -DARKEST <= d <=
 * 0, with an error of at most 2e-5; d outside is moved to the nearest bound. */
static inline float light_left(float d) {
    static const float factors[] = {1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2, 1, 1};
    float sum = 1.0f / 720;
    d = d < 0 ? d : 0;
    d = d > -DARKEST ? d : -DARKEST;
    for (int k = 0; k < 6; k++) sum = factors[k] + d * sum;
    return sum;
}

/* Returns a score from the means of the capped |d|, of d and of d^2. */
static inline float score_of(float size, float mean, float square, float even, float keep) {
    float scatter = square - mean * mean;
    float shadow = 1 - sqrtf(scatter > 0 ? scatter : 0) * even * light_left(mean);
    shadow = shadow > 0 ? shadow : 0;
    shadow = mean < 0 ? shadow : 0;
    shadow = mean > -DARKEST ? shadow : 0;
    return size * (1 - (1 - keep) * shadow);
}

static void score(float *score, float *const *sums, const float *share, float even, float keep,
                  float unit, int64_t width) {
    const float *size = sums[CHI_MASK_SIZE], *mean = sums[CHI_MASK_MEAN];
    const float *square = sums[CHI_MASK_SQUARE];
    for (int64_t x = 0; x < width; x++) {
        float plain =
            score_of(size[x] * share[x], mean[x] * share[x], square[x] * share[x], even, keep);
        score[x] = plain * unit;
    }
}

static inline uint8_t cut_of(float score, float least) {
    return score >= least ? 255 : 0;
}

/* This and the next loop go in steps for the reason that lights() gives. */
static void cut(uint8_t *restrict mask, const float *score, float least, int64_t count) {
    int64_t i = 0;
    for (; i + STEP <= count; i += STEP)
        for (int k = 0; k < STEP; k++) mask[i + k] = cut_of(score[i + k], least);
    for (; i < count; i++) mask[i] = cut_of(score[i], least);
}

static inline uint8_t shade_of(float score, float plain, float least) {
    int near = 2 * plain >= least, off = plain >= least;
    return score < plain ? (uint8_t)(near + off) : CHI_SHADE_NONE;
}

static void shade(uint8_t *restrict shade, const float *score, const float *size,
                  const float *share, float least, float unit, int64_t width) {
    int64_t x = 0;
    for (; x + STEP <= width; x += STEP)
        for (int64_t k = x; k < x + STEP; k++)
            shade[k] = shade_of(score[k], size[k] * share[k] * unit, least);
    for (; x < width; x++) shade[x] = shade_of(score[x], size[x] * share[x] * unit, least);
}

static void gains(float *restrict gain, const float *x, const float *b, const uint8_t *shade,
                  int64_t step, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        float B = b[i + step] - b[i - step], X = x[i + step] - x[i - step];
        float left = light_left(x[i] - b[i]), both = (X * B - 0.5f * B * B) * (left * left);
        both = shade[i - step] ? both : 0;
        gain[i] += shade[i + step] ? both : 0;
    }
}

extern const chi_mask_loops IN_SET(chi_mask_loops);
const chi_mask_loops IN_SET(chi_mask_loops) = {ratio, add_colours, add_rows, add_columns,
                                               score, cut,         shade,    gains};
