/* Scores of frames, row by row: applies the loops of src/kernels/mask_loops.c, which gives the
 * formula, to the planes and rows of the masker. Also the plain residual. */
#include "video/mask/masker.h"
#include <math.h>
#include <string.h>

static const float EVEN = 4; /* scatter, in noises, from which nothing counts as a shadow */

enum { CHUNK = 1024 }; /* stays in the cache while all planes are processed */

/* Computes ratios with colours at half the resolution. Unchanged, they would blur outlines by a
 * pixel, so they get the detail of brightness. */
void chi_mask_ratio_pair(const ch_masker *m, float *const d[2], const uint8_t *const x[4],
                         const float *const b[4], int64_t count) {
    for (int64_t from = 0; from < count; from += CHUNK) {
        float red[CHUNK], blue[CHUNK];
        int64_t part = count - from < CHUNK ? count - from : CHUNK;
        float *rows[] = {d[0] + 2 * from, d[1] + 2 * from};
        for (int row = 0; row < 2; row++)
            m->loops->ratio(rows[row], x[row] + 2 * from, b[row] + 2 * from, 2 * part, 0);
        m->loops->ratio(red, x[2] + from, b[2] + from, part, 0);
        m->loops->ratio(blue, x[3] + from, b[3] + from, part, 0);
        m->loops->add_colours(rows, (const float *const[]){red, blue}, part);
    }
}

void chi_mask_split(const ch_masker *m, const chi_mask_work *w, int64_t from, int64_t count) {
    int64_t width = m->size.width;
    uint8_t *const to[] = {w->split, w->split + width, w->split + 2 * width};
    if (chi_mask_by_tiles(m) && m->making->packed)
        m->live_loops->split(to, m->making->packed + 3 * from, count);
}

chi_mask_values chi_mask_find(const ch_masker *m, const chi_mask_work *w, int64_t frame, int plane,
                              int slot, int64_t from, int64_t count) {
    const ch_mask_plane *in = &m->in[plane];
    const chi_mask_making *making = m->making;
    int64_t values = chi_plane_pixels(&m->layout, plane);
    chi_mask_values found = {in->pixels + frame * in->stride + from,
                             in->background + frame * values + from};
    if (!chi_mask_by_tiles(m)) return found;
    if (making->packed) found.x = w->split + plane * m->size.width;
    if (making->whole) return found;
    float *made = w->made + slot * m->size.width;
    making->make(making->user, made, plane, from, count);
    found.b = made;
    return found;
}

/* Computes the ratios of two rows of a part of a frame whose colours have half the resolution. */
static void ratio_of_halves(const ch_masker *m, const chi_mask_work *w, float *ratio, int64_t frame,
                            const chi_mask_window *v, int64_t y) {
    int64_t width = m->size.width, at = y * width + v->left, count = v->right - v->left;
    int64_t half = y / 2 * (width / 2) + v->left / 2;
    chi_mask_values top = chi_mask_find(m, w, frame, 0, 0, at, count);
    chi_mask_values low = chi_mask_find(m, w, frame, 0, 1, at + width, count);
    chi_mask_values red = chi_mask_find(m, w, frame, 1, 2, half, count / 2);
    chi_mask_values blue = chi_mask_find(m, w, frame, 2, 3, half, count / 2);
    chi_mask_ratio_pair(m, (float *const[]){ratio + at, ratio + at + width},
                        (const uint8_t *const[]){top.x, low.x, red.x, blue.x},
                        (const float *const[]){top.b, low.b, red.b, blue.b}, count / 2);
}

static void ratio_of_row(const ch_masker *m, const chi_mask_work *w, float *ratio, int64_t frame,
                         int64_t at, int64_t count) {
    for (int64_t from = at; from < at + count; from += CHUNK) {
        int64_t part = at + count - from < CHUNK ? at + count - from : CHUNK;
        chi_mask_split(m, w, from, part);
        for (int p = 0; p < m->planes; p++) {
            chi_mask_values in = chi_mask_find(m, w, frame, p, p, from, part);
            m->loops->ratio(ratio + from, in.x, in.b, part, p > 0);
        }
    }
}

void chi_mask_ratio(const ch_masker *m, const chi_mask_work *w, float *ratio, int64_t frame,
                    const chi_mask_window *v) {
    int64_t step = m->layout.halves ? 2 : 1;
    for (int64_t y = v->rows.low; y < v->rows.high; y += step)
        if (m->layout.halves)
            ratio_of_halves(m, w, ratio, frame, v, y);
        else
            ratio_of_row(m, w, ratio, frame, y * m->size.width + v->left, v->right - v->left);
}

/* Sums the rows around y, in the columns around the part, at w->sums[.] + radius; zeros outside the
 * frame. Returns the number of rows. */
static int64_t sum_rows(const ch_masker *m, chi_mask_work *w, const float *ratio, int64_t y,
                        const chi_mask_window *v) {
    int64_t radius = m->set.smooth, width = m->size.width;
    chi_rows near = chi_rows_around((chi_rows){y, y + 1}, radius, m->size.height);
    chi_rows wide = chi_rows_around((chi_rows){v->left, v->right}, radius, width);
    int64_t from = near.low * width + wide.low, count = near.high - near.low;
    float most = (float)(2 * m->threshold / CHI_MASK_UNIT), *sums[CHI_MASK_SUMS];
    for (int s = 0; s < CHI_MASK_SUMS; s++) {
        sums[s] = w->sums[s] + radius + wide.low;
        memset(w->sums[s], 0, (size_t)radius * sizeof(float));
        memset(w->sums[s] + radius + width, 0, (size_t)radius * sizeof(float));
    }
    chi_mask_rows rows = {ratio + from, m->ones, width, count};
    for (int64_t row = near.low; row < near.high; row++)
        if (!m->even[row]) rows.calm = m->calm + from;
    m->loops->add_rows(sums, &rows, most, wide.high - wide.low);
    return count;
}

/* Returns 1 / (number of pixels in the square around each pixel), if the square has this many
 * rows. */
static const float *share_of(const ch_masker *m, chi_mask_work *w, int64_t rows) {
    if (w->share_rows != rows)
        for (int64_t x = 0; x < m->size.width; x++) w->share[x] = 1 / ((float)rows * m->around[x]);
    w->share_rows = rows;
    return w->share;
}

void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y, const chi_mask_window *v) {
    int64_t left = v->left, count = v->right - left;
    const float *share = share_of(m, w, sum_rows(m, w, ratio, y, v));
    float even = (float)(CHI_MASK_UNIT / m->typical) / EVEN, keep = (float)m->set.shadow;
    float *totals[CHI_MASK_SUMS];
    for (int s = 0; s < CHI_MASK_SUMS; s++) {
        totals[s] = w->totals[s] + left;
        m->loops->add_columns(totals[s], w->sums[s] + left, count, m->set.smooth);
    }
    m->loops->score(score + left, totals, share + left, even, keep, (float)CHI_MASK_UNIT, count);
}

void chi_mask_shade(const ch_masker *m, const chi_mask_work *w, uint8_t *shade, const float *score,
                    const chi_mask_window *v) {
    int64_t left = v->left;
    m->loops->shade(shade + left, score + left, w->totals[CHI_MASK_SIZE] + left, w->share + left,
                    (float)m->threshold, (float)CHI_MASK_UNIT, v->right - left);
}

void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count) {
    float least = (float)m->threshold;
    /* The same result as a comparison in double. */
    if (least < m->threshold) least = nextafterf(least, INFINITY);
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
