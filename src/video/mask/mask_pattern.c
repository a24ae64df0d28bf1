/* Tests whether the changes of the background are changes of light. Light preserves the pattern of
 * the ground.
 *
 * A plain object that covers much of the picture again and again can be mistaken for light: it gets
 * its own factors, and the masks miss it. But a change of light preserves the steps from pixel to
 * pixel, as ratios (mask_shadow.c makes the same test for frames), and an object does not. Let b
 * and b' be the backgrounds of two successive frames that were learned from. Let B and X be the
 * steps of log(b + c) and log(b' + c) between two neighbours that have both changed by CHANGED.
 * Then
 *
 *     coherence = mean of 2 X B / (X^2 + B^2)       1: the pattern stays,  0: it comes or goes
 *
 * over the pairs with steps above STEP, in some rows. A pattern whose contrast falls to a share s
 * gives 2 s / (1 + s^2). A switched lamp gave 0.8 to 1 (the sequence Lobby 0.80), and plain objects
 * taken for light gave 0.1 to 0.65. Below KEPT, which is s = 2/5, a warning is issued. */
#include "video/mask/masker.h"
#include <math.h>

static const float CHANGED = 0.1f; /* log ratio: more than a background changes by noise */
static const float STEP = 0.05f;   /* log ratio: the pattern is far above rounding       */
static const double KEPT = 0.69;
/* Minimum number of pairs, as a multiple of the pixels examined. A lamp is switched now and then,
 * but an object that passes again and again changes every pixel more often. */
static const double FEWEST = 1;
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
}

static void compare_row(chi_mask_pattern *pattern, const float *now, const float *then,
                        int64_t width) {
    for (int64_t x = 0; x + 1 < width; x++) {
        if (fabsf(now[x] - then[x]) < CHANGED || fabsf(now[x + 1] - then[x + 1]) < CHANGED)
            continue;
        float X = now[x + 1] - now[x], B = then[x + 1] - then[x], size = X * X + B * B;
        if (size < STEP * STEP) continue;
        pattern->coherence += 2 * X * B / size;
        pattern->pairs++;
    }
}

void chi_mask_pattern_learn(ch_masker *m, int64_t frame) {
    chi_mask_pattern *pattern = &m->pattern;
    const ch_mask_plane *in = &m->in[chi_plane_bright(&m->layout)];
    int64_t width = m->size.width, step = row_step(m);
    for (int64_t k = 0; k < row_count(m); k++) {
        const float *b = in->background + frame * chi_pixels(m->size) + k * step * width;
        float *then = pattern->logs + k * width;
        for (int64_t x = 0; x < width; x++)
            pattern->row[x] = logf((b[x] > 0 ? b[x] : 0) + (float)CHI_DARK);
        if (pattern->frames > 0) compare_row(pattern, pattern->row, then, width);
        for (int64_t x = 0; x < width; x++) then[x] = pattern->row[x];
    }
    pattern->frames++;
}

int chi_mask_pattern_goes(const ch_masker *m) {
    const chi_mask_pattern *pattern = &m->pattern;
    double fewest = FEWEST * (double)(row_count(m) * m->size.width);
    return (double)pattern->pairs > fewest && pattern->coherence < KEPT * (double)pattern->pairs;
}
