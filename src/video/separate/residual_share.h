/* What one course leaves of another, for the choice of anchors (separate_broad.c). */
#ifndef CONEHULL_RESIDUAL_SHARE_H
#define CONEHULL_RESIDUAL_SHARE_H

#include <stdint.h>

/* |r - t v|_1 for nearly the best t; `small`: a residual that is nearly none. */
typedef float (*chi_residual_share)(const float *r, const float *v, int64_t count, float small);

float chi_residual_share_portable(const float *r, const float *v, int64_t count, float small);
float chi_residual_share_avx2(const float *r, const float *v, int64_t count, float small);

/* The one for this processor (residual_share_pick_*.c). */
chi_residual_share chi_residual_share_get(void);

#endif
