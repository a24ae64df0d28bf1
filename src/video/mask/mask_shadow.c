/* A shadow is accepted only with evidence: the pattern of the ground must show through.
 *
 * Pixels that are evenly darker than the background look like a shadow (src/kernels/mask_loops.c),
 * but so does a plain dark object on any ground. A shadow leaves a share of the light, so steps
 * from pixel to pixel are those of the ground. On an object they are independent of the ground. Let
 * X and B be the steps of log(pixel + c) and log(background + c) between two pixels. Over the pairs
 * of shadow-like pixels around,
 *
 *     a shadow:   X = B + noise        an object:  X = noise, or a pattern of its own
 *     log(likelihood of a shadow / likelihood of an object) = sum (X B - B^2 / 2) / (2 n^2)
 *
 * which is positive if the slope of X over B is above 1/2. Here n = noise e^-d is the noise of a
 * pixel with e^d of the light (src/kernels/mask_loops.c); d is taken from the pixel between the
 * two. A pixel is removed from the mask as a shadow if this sum is at least EVIDENCE. On a plain
 * ground B is 0 and there is no evidence, so darker pixels are foreground. Of an object that is as
 * even as a shadow at most one pixel in a hundred is removed, whatever the ground: with q = sum B^2
 * / (2 n^2) the sum is normal with mean -q / 2 and variance q, and is most likely to reach 3 at q =
 * 6, as often as a normal number reaches 2.4 standard deviations.
 *
 * Cost: O(RADIUS) per pixel in strips of rows that have such pixels, nothing elsewhere. */
#include "video/mask/masker.h"
#include <string.h>

static const float EVIDENCE = 3;  /* twenty to one                      */
enum { RADIUS = CHI_MASK_SHADE }; /* radius of the square: 9 x 9 pixels */

/* Returns whether pixel i would be foreground if it did not look like a shadow. */
static int in_doubt(const chi_mask_work *w, int64_t i) {
    return w->shade[i] == CHI_SHADE_OFF && !w->raw[i];
}

/* Returns whether a row of a part of the frame may have such pixels. */
static int may_doubt(const chi_mask_work *w, int64_t row, const chi_mask_window *v) {
    return memchr(w->shade + row + v->left, CHI_SHADE_OFF, (size_t)(v->right - v->left)) != NULL;
}

/* Returns the columns and rows of a part that have such pixels; left >= right if there are none. */
static chi_mask_window part_in_doubt(const chi_mask_work *w, chi_size size,
                                     const chi_mask_window *v) {
    chi_mask_window found = {v->right, v->left, {v->rows.high, v->rows.low}};
    for (int64_t y = v->rows.low; y < v->rows.high; y++) {
        int64_t row = y * size.width, left = v->left, right = v->right;
        if (!may_doubt(w, row, v)) continue;
        while (left < right && !in_doubt(w, row + left)) left++;
        if (left == right) continue;
        while (!in_doubt(w, row + right - 1)) right--;
        if (left < found.left) found.left = left;
        if (right > found.right) found.right = right;
        if (found.rows.low > y) found.rows.low = y;
        found.rows.high = y + 1;
    }
    return found;
}

/* Returns the window enlarged by RADIUS + 1 on each side, within the frame. */
static chi_mask_window grown(chi_mask_window v, chi_size size) {
    v.left = v.left > RADIUS + 1 ? v.left - RADIUS - 1 : 0;
    v.right = v.right + RADIUS + 1 < size.width ? v.right + RADIUS + 1 : size.width;
    v.rows = chi_rows_around(v.rows, RADIUS + 1, size.height);
    return v;
}

/* Computes log(pixel + c) and log(background + c) of the brightness, up to a constant. */
static void take_logs(const ch_masker *m, const chi_mask_work *w, const chi_mask_window *v,
                      int64_t frame) {
    const chi_mask_patterns *logs = &w->patterns;
    int64_t width = m->size.width, count = v->right - v->left;
    int bright = chi_plane_bright(&m->layout);
    for (int64_t y = v->rows.low; y < v->rows.high; y++) {
        int64_t from = y * width + v->left, to = (y - v->rows.low) * width + v->left;
        chi_mask_split(m, w, from, count);
        chi_mask_values in = chi_mask_find(m, w, frame, bright, 0, from, count);
        m->loops->ratio(logs->x + to, in.x, logs->zero, count, 0);
        m->loops->ratio(logs->b + to, in.x, in.b, count, 0);
        for (int64_t k = to; k < to + count; k++) logs->b[k] = logs->x[k] - logs->b[k];
    }
}

/* Computes gain: the sums over the two pairs of each pixel, with its neighbours to the side and
 * above. */
static void take_gains(const ch_masker *m, const chi_mask_patterns *logs, const uint8_t *shade,
                       const chi_mask_window *v) {
    int64_t width = m->size.width, height = v->rows.high - v->rows.low, count = v->right - v->left;
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = shade + (v->rows.low + y) * width + v->left;
        int64_t at = y * width + v->left;
        const float *x = logs->x + at, *b = logs->b + at;
        float *gain = logs->gain + at;
        memset(gain, 0, (size_t)count * sizeof *gain);
        if (count > 2) m->loops->gains(gain + 1, x + 1, b + 1, row + 1, 1, count - 2);
        if (y > 0 && y + 1 < height) m->loops->gains(gain, x, b, row, width, count);
    }
}

/* Sums the gains of the rows around y over the columns of the window, with zeros in RADIUS columns
 * on each side. The sum of column x is at sums[x + RADIUS]. */
static void sum_rows(const chi_mask_patterns *logs, const chi_mask_window *v, int64_t y,
                     int64_t width) {
    float *sums = logs->sums + RADIUS;
    int64_t low = y - RADIUS > v->rows.low ? y - RADIUS : v->rows.low;
    int64_t high = y + RADIUS + 1 < v->rows.high ? y + RADIUS + 1 : v->rows.high;
    memset(sums + v->left - RADIUS, 0, (size_t)(v->right - v->left + 2 * RADIUS) * sizeof *sums);
    for (int64_t row = low - v->rows.low; row < high - v->rows.low; row++)
        for (int64_t x = v->left; x < v->right; x++) sums[x] += logs->gain[row * width + x];
}

/* Sets raw to foreground at the shadow-like pixels of a row whose evidence is below `least`. */
static void reject(uint8_t *restrict raw, const uint8_t *shade, const float *evidence, float least,
                   const chi_mask_window *v) {
    for (int64_t x = v->left; x < v->right; x++)
        raw[x] = ((shade[x] == CHI_SHADE_OFF) & (evidence[x] < least)) ? 255 : raw[x];
}

void chi_mask_prove_shadows(const ch_masker *m, const chi_mask_work *frame, const chi_mask_work *w,
                            int64_t index, const chi_mask_window *part) {
    const chi_mask_patterns *logs = &w->patterns;
    chi_mask_window doubt = part_in_doubt(frame, m->size, part);
    if (doubt.left >= doubt.right) return;
    chi_mask_window v = grown(doubt, m->size);
    float noise = (float)(m->typical / CHI_MASK_UNIT), least = EVIDENCE * 2 * noise * noise;
    take_logs(m, w, &v, index);
    take_gains(m, logs, frame->shade, &v);
    for (int64_t y = doubt.rows.low; y < doubt.rows.high; y++) {
        int64_t row = y * m->size.width;
        if (!may_doubt(frame, row, &doubt)) continue;
        sum_rows(logs, &v, y, m->size.width);
        m->loops->add_columns(logs->totals + doubt.left, logs->sums + doubt.left,
                              doubt.right - doubt.left, RADIUS);
        reject(frame->raw + row, frame->shade + row, logs->totals, least, &doubt);
    }
}
