/* The element-wise steps that robust PCA and the local searches share.
 *
 * Both split X into L + S with multipliers Y and a penalty mu. With T = X - L + Y / mu at the
 * moment when S is chosen,
 *
 *     S = shrink(T, limit) = T - C,     Y' = mu C,     C = clamp(T, limit)
 *
 * so T alone holds S and Y, and one array of the size of X is all the state there is. When the next
 * penalty is mu' = mu / keep, Y' / mu' = keep C, and what L is next fitted to is
 *
 *     M = X - S + Y' / mu' = X - T + (1 + keep) C
 *
 * Several kinds of processor have their own copy of these loops (shrink_*.c). */
#ifndef CONEHULL_SHRINK_H
#define CONEHULL_SHRINK_H

#include <stdint.h>

typedef struct chi_shrink_sums {
    double square; /* of X - L - S: the primal residual */
    double abs;    /* of X - L: the objective of W H    */
    double move;   /* of the squares of S - S before    */
} chi_shrink_sums;

typedef struct chi_shrink {
    /* m = x - t + factor clamp(t, limit) */
    void (*aim)(double *m, const double *x, const double *t, double limit, double factor,
                int64_t count);
    /* t <- x - l + keep clamp(t, before), m = x - t + factor clamp(t, limit); sums grow. */
    void (*step)(double *m, double *t, chi_shrink_sums *sums, const double *x, const double *l,
                 double before, double keep, double limit, double factor, int64_t count);
} chi_shrink;

extern const chi_shrink chi_shrink_portable, chi_shrink_avx2;

/* For this processor (shrink_pick_*.c). */
const chi_shrink *chi_shrink_get(void);

#endif
