/* Finds pixels that are certainly background, with integers of 8 and 16 bits. A reference is made
 * from the background b, and frames are compared with it (mask_tiles.c in src/video/mask derives
 * the bounds).
 *
 * In planes of full size, a value is background if it is within [low, high], two bytes. For colour
 * at half the resolution, the share e = (x - b) / (b + c) is computed in units of 1 /
 * CHI_TILE_UNIT,
 *
 *     64 (x - b) * (K / (b + c)) / 2^15,      K = c (2^15 - 1),      64 K / 2^15 = 639.98
 *
 * from two rounded 16-bit numbers, B = 64 b and R = K / (b + c). For |e| <= 1 its error is at most
 * 1/2 (the product) + 1/2 (B, where R is largest) + 0.52 (R, where b is 512) units. If
 * |e| > 1 or b > 512, the computed |e| is above 0.49 in any case. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

static const float DARK = 10; /* c, as in mask_loops.c */

enum { CHUNK = 256 }; /* values or squares at a time: their shares stay in L1 */

static void hold_shares(int16_t *restrict base, int16_t *restrict scale, const float *b,
                        int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        float bright = b[i] > 0 ? b[i] : 0;
        bright = bright < 511.9f ? bright : 511.9f;
        base[i] = (int16_t)(64 * bright + 0.5f);
        scale[i] = (int16_t)(DARK * 32767 / (bright + DARK) + 0.5f);
    }
}

/* Finds the bytes x with |x - b'| <= u (b' + c) for every b' with |b' - b| <= slack (b + c). The
 * margin of a thousandth of a gray level is far more than the rounding of floats. */
static void hold_bounds(uint8_t *restrict low, uint8_t *restrict high, const float *b,
                        const float *share, float slack, int64_t count, int64_t tile) {
    float u_of[CHUNK]; /* so that short tiles do not make short loops */
    for (int64_t from = 0, t = 0, next = tile; from < count; from += CHUNK) {
        int64_t part = count - from < CHUNK ? count - from : CHUNK;
        for (int64_t i = 0; i < part; i++) {
            if (from + i == next) t++, next += tile;
            u_of[i] = share[t];
        }
        for (int64_t i = 0; i < part; i++) {
            float u = u_of[i], bright = b[from + i], light = (bright > 0 ? bright : 0) + DARK;
            float more = (1 + slack) * light, less = (1 - slack) * light;
            float top = less + u * less - DARK - 1e-3f, bottom = more - u * more - DARK + 1e-3f;
            float over = bottom - 255; /* > 0: no byte is within, so high must be below low */
            over = over > 0 ? over : 0;
            top = top < 255 ? top : 255;
            top -= 1e6f * over;
            top = top > 0 ? top : 0;
            bottom = bottom > 0 ? bottom : 0;
            bottom = bottom < 255 ? bottom : 255;
            low[from + i] = (uint8_t)(int32_t)(bottom + 0.9999f); /* rounds up */
            high[from + i] = (uint8_t)(int32_t)top;
        }
    }
}

/* Sets out to 1 where a value is outside its bounds. */
static void outside(uint8_t *restrict out, const uint8_t *x, const uint8_t *low,
                    const uint8_t *high, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        out[i] |= (uint8_t)((uint8_t)(x[i] < low[i]) | (uint8_t)(x[i] > high[i]));
}

/* Returns e of one value. The shifts have the form of one vector instruction (pmulhrsw). */
static inline int16_t share_of(uint8_t x, int16_t base, int16_t scale) {
    int16_t apart = (int16_t)(64 * x - base);
    return (int16_t)((((int32_t)apart * scale >> 14) + 1) >> 1);
}

static void shares(int16_t *restrict e, const uint8_t *x, const int16_t *base, const int16_t *scale,
                   int64_t count) {
    for (int64_t i = 0; i < count; i++) e[i] = share_of(x[i], base[i], scale[i]);
}

static inline int16_t larger(int16_t a, int16_t b) {
    return a > b ? a : b;
}
static inline int16_t smaller(int16_t a, int16_t b) {
    return a < b ? a : b;
}

/* For squares of four pixels: near is raised to the largest |e| of all planes, far to the largest
 * |e| of brightness and colour together. Sums may wrap around only where near is too large
 * anyway. */
static void join_squares(int16_t *restrict near, int16_t *restrict far, int16_t *const e[4],
                         int64_t count) {
    const int16_t *top = e[0], *low = e[1], *red = e[2], *blue = e[3];
    for (int64_t i = 0; i < count; i++) {
        int16_t a = top[2 * i], b = top[2 * i + 1], c = low[2 * i], d = low[2 * i + 1];
        int16_t most = larger(larger(a, b), larger(c, d));
        int16_t least = smaller(smaller(a, b), smaller(c, d));
        int16_t mean = (int16_t)((int16_t)(a + b + c + d) >> 2);
        int16_t r = (int16_t)(red[i] - mean), l = (int16_t)(blue[i] - mean);
        int16_t up = (int16_t)(most + larger(r, l)), down = (int16_t)(-least - smaller(r, l));
        int16_t high = larger(most, larger(red[i], blue[i]));
        int16_t deep = smaller(least, smaller(red[i], blue[i]));
        near[i] = larger(near[i], larger(high, (int16_t)-deep));
        far[i] = larger(far[i], larger(up, down));
    }
}

static void squares(int16_t *near, int16_t *far, const chi_tile_rows rows[4], int64_t count) {
    int16_t top[2 * CHUNK], low[2 * CHUNK], red[CHUNK], blue[CHUNK];
    int16_t *const e[] = {top, low, red, blue};
    for (int64_t from = 0; from < count; from += CHUNK) {
        int64_t part = count - from < CHUNK ? count - from : CHUNK;
        for (int k = 0; k < 4; k++) {
            int64_t wide = k < 2 ? 2 : 1;
            shares(e[k], rows[k].x + wide * from, rows[k].base + wide * from,
                   rows[k].scale + wide * from, wide * part);
        }
        join_squares(near + from, far + from, e, part);
    }
}

static int beyond(const float *d, float most, int64_t count) {
    int any = 0;
    for (int64_t i = 0; i < count; i++) any |= fabsf(d[i]) > most;
    return any;
}

extern const chi_tile_loops IN_SET(chi_tile_loops);
const chi_tile_loops IN_SET(chi_tile_loops) = {hold_shares, hold_bounds, outside, squares, beyond};
