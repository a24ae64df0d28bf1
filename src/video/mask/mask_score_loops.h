/* The loops of the score, one set of them per kind of processor. */
#ifndef CONEHULL_MASK_SCORE_LOOPS_H
#define CONEHULL_MASK_SCORE_LOOPS_H

#include "video/mask/masker.h"

typedef struct chi_mask_loops {
    void (*ratio)(const ch_masker *m, float *ratio, int64_t frame, int64_t from, int64_t to);
    void (*score)(const ch_masker *m, chi_mask_work *w, float *score, const float *ratio,
                  int64_t y);
    void (*cut)(uint8_t *mask, const float *score, float least, int64_t count);
} chi_mask_loops;

extern const chi_mask_loops chi_mask_loops_portable, chi_mask_loops_avx2;

/* Those for this processor (mask_score_pick_*.c). */
const chi_mask_loops *chi_mask_loops_get(void);

#endif
