/* Tests whether the changes of the background are changes of light. Light preserves the pattern of
 * the ground, and changes the frames in the same place and at the same time.
 *
 * Pattern. A plain object that covers much of the picture again and again can be mistaken for
 * light: it gets its own factors, and the masks miss it. But a change of light preserves the steps
 * from pixel to pixel, as ratios (mask_shadow.c makes the same test for frames), and an object does
 * not. Let b and b' be the backgrounds of two successive frames that were learned from. Let B and X
 * be the steps of log(b + c) and log(b' + c) between two neighbours that have both changed by
 * CHANGED. Then
 *
 *     coherence = mean of 2 X B / (X^2 + B^2)       1: the pattern stays,  0: it comes or goes
 *
 * over the pairs with steps above STEP, in some rows. A pattern whose contrast falls to a share s
 * gives 2 s / (1 + s^2). A switched lamp gave 0.8 to 1 (the sequence Lobby 0.80), and plain objects
 * taken for light gave 0.1 to 0.65. Below KEPT, which is s = 2/5, a warning is issued.
 *
 * Time. Where the object or the ground is dark or plain, there is no pattern to compare. But an
 * object that moves changes a frame only at its edges, while factors that represent it change
 * everywhere where it is. Let db and dx be the changes of log(b + c) and of log(x + c) from one
 * frame to the next. Then
 *
 *     following = sum of dx db / sum of db^2       1: the frames change like the background
 *
 * over the pixels with |db| above DRIFT, which a background does not reach by noise. dx is limited
 * to the range from 0 to db, extended by CHANGED on either side, so that noise stays in balance and
 * the edge of an object does not. A light that fades gives 1 too, because noise cancels in the sum.
 * Below FOLLOWED a warning is issued, if the sum of |db| is more than MUCH times the number of
 * watched pixels. Wide objects on generated scenes gave 0.06 to 0.15, with sums of 0.8 to 5 per
 * pixel; people who wait, as factors of the sequence Restaurant, gave 0.35 with 0.08; lights gave
 * 0.87 to 0.97. Pixels that are not watched take no part in either test. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const float CHANGED = 0.1f; /* log ratio: more than a background changes by noise */
static const float STEP = 0.05f;   /* log ratio: the pattern is far above rounding       */
static const double KEPT = 0.69;
/* Minimum number of pairs, as a multiple of the watched pixels. A lamp is switched now and then,
 * but an object that passes again and again changes every pixel more often. */
static const double FEWEST = 1;
static const float DRIFT = 0.01f;
static const double FOLLOWED = 0.5, MUCH = 0.25;
enum { ROWS = 128 }; /* about this many rows are examined */

static int64_t row_step(const ch_masker *m) {
    return m->size.height > ROWS ? m->size.height / ROWS : 1;
}

static int64_t row_count(const ch_masker *m) {
    return (m->size.height + row_step(m) - 1) / row_step(m);
}

void chi_mask_pattern_reserve(ch_masker *m) {
    m->pattern.logs = chi_arena_alloc(&m->arena, row_count(m) * m->size.width, sizeof(float));
    m->pattern.row = chi_arena_alloc(&m->arena, m->size.width, sizeof(float));
    m->pattern.before = chi_arena_alloc(&m->arena, row_count(m) * m->size.width, sizeof(float));
    m->pattern.pixels = chi_arena_alloc(&m->arena, row_count(m) * m->size.width, 1);
    for (int v = 0; v < 256; v++) m->pattern.table[v] = logf((float)v + (float)CHI_DARK);
}

/* Returns the region in examined row k; NULL means all pixels. */
static const uint8_t *region_of(const ch_masker *m, int64_t k) {
    return m->region ? m->region + k * row_step(m) * m->size.width : NULL;
}

void chi_mask_pattern_watch(ch_masker *m) {
    m->pattern.watched = 0;
    for (int64_t k = 0; k < row_count(m); k++) {
        const uint8_t *region = region_of(m, k);
        for (int64_t x = 0; x < m->size.width; x++) m->pattern.watched += !region || region[x];
    }
}

static void compare_row(const ch_masker *m, chi_mask_pattern *pattern, const float *now,
                        const float *then, int64_t k) {
    const uint8_t *region = region_of(m, k);
    for (int64_t x = 0; x + 1 < m->size.width; x++) {
        if (region && !(region[x] && region[x + 1])) continue;
        if (fabsf(now[x] - then[x]) < CHANGED || fabsf(now[x + 1] - then[x + 1]) < CHANGED)
            continue;
        float X = now[x + 1] - now[x], B = then[x + 1] - then[x], size = X * X + B * B;
        if (size < STEP * STEP) continue;
        pattern->coherence += 2 * X * B / size;
        pattern->pairs++;
    }
}

/* Takes the logarithms of examined row k of the background of a frame to `to`. Returns the pixels
 * of this row in the frame. */
static const uint8_t *take_row(const ch_masker *m, float *to, int64_t frame, int64_t k) {
    const ch_mask_plane *in = &m->in[chi_plane_bright(&m->layout)];
    int64_t width = m->size.width, from = k * row_step(m) * width;
    const float *b = in->background + frame * chi_pixels(m->size) + from;
    for (int64_t x = 0; x < width; x++) to[x] = logf((b[x] > 0 ? b[x] : 0) + (float)CHI_DARK);
    return in->pixels + frame * in->stride + from;
}

/* Compares the changes of a row of pixels with those of its background, now[] - then[]. */
static void follow_row(const ch_masker *m, chi_mask_pattern *pattern, const uint8_t *pixels,
                       const float *now, int64_t k) {
    const float *then = pattern->before + k * m->size.width;
    const uint8_t *old = pattern->pixels + k * m->size.width;
    const uint8_t *region = region_of(m, k);
    for (int64_t x = 0; x < m->size.width; x++) {
        float db = now[x] - then[x], dx = pattern->table[pixels[x]] - pattern->table[old[x]];
        if (fabsf(db) < DRIFT || (region && !region[x])) continue;
        dx = fmaxf(fminf(dx, fmaxf(db, 0) + CHANGED), fminf(db, 0) - CHANGED);
        pattern->followed += dx * db;
        pattern->squares += db * db;
        pattern->changes += fabsf(db);
    }
}

void chi_mask_pattern_learn(ch_masker *m, int64_t frame) {
    chi_mask_pattern *pattern = &m->pattern;
    int64_t width = m->size.width;
    for (int64_t k = 0; k < row_count(m); k++) {
        float *then = pattern->logs + k * width;
        const uint8_t *pixels = take_row(m, pattern->row, frame, k);
        if (pattern->frames > 0) {
            compare_row(m, pattern, pattern->row, then, k);
            follow_row(m, pattern, pixels, pattern->row, k);
        }
        memcpy(then, pattern->row, (size_t)width * sizeof *then);
    }
    pattern->frames++;
}

void chi_mask_pattern_keep(ch_masker *m, int64_t frame) {
    int64_t width = m->size.width;
    for (int64_t k = 0; k < row_count(m); k++) {
        const uint8_t *pixels = take_row(m, m->pattern.before + k * width, frame, k);
        memcpy(m->pattern.pixels + k * width, pixels, (size_t)width);
    }
}

int chi_mask_pattern_goes(const ch_masker *m) {
    const chi_mask_pattern *pattern = &m->pattern;
    double watched = (double)pattern->watched;
    int hidden = (double)pattern->pairs > FEWEST * watched &&
                 pattern->coherence < KEPT * (double)pattern->pairs;
    int apart =
        pattern->changes > MUCH * watched && pattern->followed < FOLLOWED * pattern->squares;
    return hidden || apart;
}
