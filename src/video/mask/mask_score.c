/* Scores of frames by the loops for this processor (mask_score_text.h), and the bare residual. */
#include "video/mask/mask_score_loops.h"
#include <math.h>

void chi_mask_ratio_part(const ch_masker *m, float *ratio, int64_t frame, int64_t from,
                         int64_t to) {
    chi_mask_loops_get()->ratio(m, ratio, frame, from, to);
}

void chi_mask_ratio(const ch_masker *m, float *ratio, int64_t frame) {
    chi_mask_ratio_part(m, ratio, frame, 0, chi_pixels(m->size));
}

void chi_mask_score(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                    int64_t y) {
    chi_mask_loops_get()->score(m, w, score, ratio, y);
}

void chi_mask_cut(const ch_masker *m, uint8_t *mask, const float *score, int64_t count) {
    float least = (float)m->threshold;
    if (least < m->threshold) least = nextafterf(least, INFINITY); /* as if compared in double */
    chi_mask_loops_get()->cut(mask, score, least, count);
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
