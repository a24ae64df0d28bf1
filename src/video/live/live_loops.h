/* The loops over pixels of a live background, one set of them per kind of processor. */
#ifndef CONEHULL_LIVE_LOOPS_H
#define CONEHULL_LIVE_LOOPS_H

#include <stdint.h>

/* A stretch of a plane: factor k of pixel i at H[k * stride + i]. */
typedef struct chi_live_stretch {
    const float *H;
    int64_t stride, rank, count; /* count: pixels */
    const float *w;              /* rank of them  */
} chi_live_stretch;

/* What a lesson moves it by. */
typedef struct chi_live_step {
    float *made; /* the other H, laid out as H                */
    const uint8_t *x, *mask;
    const float *along; /* w / |w|^2                                 */
    float share, most;  /* of the residual, which counts up to most  */
    float *spare;       /* count of them                             */
} chi_live_step;

typedef struct chi_live_loops {
    /* b = w'H */
    void (*render)(float *b, const chi_live_stretch *s);
    /* b = w'H, and made = max(0, H + along share clip(x - b, -most, most)) where mask is 0, else H
     */
    void (*follow)(float *b, const chi_live_stretch *s, const chi_live_step *step);
} chi_live_loops;

extern const chi_live_loops chi_live_loops_portable, chi_live_loops_avx2;

/* Those for this processor (live_loops_pick_*.c). */
const chi_live_loops *chi_live_loops_get(void);

#endif
