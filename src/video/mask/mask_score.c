/* Scores of frames, row by row: the loops of src/kernels/mask_loops.c, which has the formula, over
 * the planes and rows of the masker; and the bare residual. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const float EVEN = 4; /* noises of scatter at which nothing is a shadow any more */

enum { CHUNK = 1024 }; /* stays in the cache while the planes take turns */

typedef struct ratio_job {
    const ch_masker *m;
    const chi_mask_ground *ground;
    int64_t frame;
} ratio_job;

/* Some values of one plane; beside: of a further one. */
static void ratio_of(const ratio_job *job, float *ratio, int plane, int64_t from, int64_t count,
                     int beside) {
    const ch_mask_plane *in = &job->m->in[plane];
    const chi_mask_ground *ground = job->ground;
    job->m->loops->ratio(ratio, in->pixels + job->frame * in->stride + from,
                         ground->b[plane] + (from - ground->base[plane]), count, beside);
}

/* Two rows of pixels: their colours, one value for a square of four, then brightness beside them.
 */
static void ratio_of_halves(const ratio_job *job, float *ratio, int64_t y) {
    const ch_masker *m = job->m;
    int64_t width = m->size.width, across = width / 2;
    for (int64_t from = 0; from < across; from += CHUNK) {
        float colour[CHUNK];
        int64_t count = across - from < CHUNK ? across - from : CHUNK;
        for (int p = 1; p < m->planes; p++)
            ratio_of(job, colour, p, y / 2 * across + from, count, p > 1);
        for (int64_t row = y; row < y + 2; row++) {
            int64_t at = row * width + 2 * from;
            m->loops->widen(ratio + at, colour, count);
            ratio_of(job, ratio + at, 0, at, 2 * count, 1);
        }
    }
}

void chi_mask_ratio(const ch_masker *m, const chi_mask_ground *ground, float *ratio, int64_t frame,
                    chi_rows rows) {
    ratio_job job = {m, ground, frame};
    int64_t width = m->size.width, to = rows.high * width;
    if (m->layout.halves) {
        for (int64_t y = rows.low; y < rows.high; y += 2) ratio_of_halves(&job, ratio, y);
        return;
    }
    for (int64_t from = rows.low * width; from < to; from += CHUNK)
        for (int p = 0; p < m->planes; p++)
            ratio_of(&job, ratio + from, p, from, to - from < CHUNK ? to - from : CHUNK, p > 0);
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
    const float *calm = m->ones;
    for (int64_t v = near.low; v < near.high; v++)
        if (!m->even[v]) calm = m->calm + from;
    m->loops->add_rows(sums, ratio + from, calm, most, width, count);
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
    for (int p = 0; p < m->planes; p++) {
        int64_t values = chi_plane_pixels(&m->layout, p);
        const uint8_t *x = m->in[p].pixels + frame * m->in[p].stride;
        const float *b = m->in[p].background + frame * values;
        int half = chi_plane_is_half(&m->layout, p);
        for (int64_t i = 0; i < chi_pixels(m->size); i++) {
            int64_t at = half ? chi_plane_at(&m->layout, p, i) : i;
            float r = fabsf((float)x[at] - b[at]);
            residual[i] = p && residual[i] > r ? residual[i] : r;
        }
    }
}
