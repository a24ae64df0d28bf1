/* Scores of frames, row by row: the loops of src/kernels/mask_loops.c, which has the formula, over
 * the planes and rows of the masker; and the bare residual. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const float EVEN = 4; /* noises of scatter at which nothing is a shadow any more */

void chi_mask_ratio(const ch_masker *m, float *ratio, int64_t frame, int64_t from, int64_t to) {
    enum { CHUNK = 1024 }; /* stays in the cache while the planes take turns */
    int64_t pixels = chi_pixels(m->size);
    for (; from < to; from += CHUNK)
        for (int p = 0; p < m->planes; p++) {
            const ch_mask_plane *in = &m->in[p];
            m->loops->ratio(ratio + from, in->pixels + frame * in->stride + from,
                            in->background + frame * pixels + from,
                            to - from < CHUNK ? to - from : CHUNK, p > 0);
        }
}

/* The sums over the rows around y at w->sums[.] + radius, zeros beside them; returns how many rows
 * there are. */
static int64_t sum_rows(const ch_masker *m, chi_mask_work *w, const float *ratio, int64_t y) {
    int64_t radius = m->set.smooth, width = m->size.width;
    chi_rows near = chi_rows_around((chi_rows){y, y + 1}, radius, m->size.height);
    int64_t from = near.low * width, count = near.high - near.low;
    float most = (float)(2 * m->threshold / CHI_MASK_UNIT), *sums[CHI_MASK_SUMS];
    for (int s = 0; s < CHI_MASK_SUMS; s++) {
        sums[s] = w->sums[s] + radius;
        memset(w->sums[s], 0, (size_t)radius * sizeof(float));
        memset(sums[s] + width, 0, (size_t)radius * sizeof(float));
    }
    m->loops->add_rows(sums, ratio + from, m->calm + from, most, width, count);
    return count;
}

/* 1 / pixels of the square around, where it has so many rows. */
static const float *share_of(const ch_masker *m, chi_mask_work *w, int64_t rows) {
    if (w->share_rows != rows)
        for (int64_t x = 0; x < m->size.width; x++) w->share[x] = 1 / ((float)rows * m->around[x]);
    w->share_rows = rows;
    return w->share;
}

void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y) {
    int64_t radius = m->set.smooth, width = m->size.width;
    const float *share = share_of(m, w, sum_rows(m, w, ratio, y));
    float even = (float)(CHI_MASK_UNIT / m->typical) / EVEN, keep = (float)m->set.shadow;
    for (int s = 0; s < CHI_MASK_SUMS; s++)
        m->loops->add_columns(w->totals[s], w->sums[s], width, radius);
    m->loops->score(score, w->totals, share, even, keep, (float)CHI_MASK_UNIT, width);
}

void chi_mask_shade(const ch_masker *m, const chi_mask_work *w, uint8_t *shade,
                    const float *score) {
    m->loops->shade(shade, score, w->totals[CHI_MASK_SIZE], w->share, (float)m->threshold,
                    (float)CHI_MASK_UNIT, m->size.width);
}

void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count) {
    float least = (float)m->threshold;
    if (least < m->threshold) least = nextafterf(least, INFINITY); /* as if compared in double */
    m->loops->cut(mask, score, least, count);
}

void chi_mask_residual(const ch_masker *m, float *residual, int64_t frame) {
    int64_t pixels = chi_pixels(m->size);
    for (int p = 0; p < m->planes; p++) {
        const uint8_t *x = m->in[p].pixels + frame * m->in[p].stride;
        const float *b = m->in[p].background + frame * pixels;
        for (int64_t i = 0; i < pixels; i++) {
            float r = fabsf((float)x[i] - b[i]);
            residual[i] = p && residual[i] > r ? residual[i] : r;
        }
    }
}
