/* Loops of the Kullback-Leibler divergence, in both directions (chi_loss_loops). */
#include "kernels/loss_vectors.h"

/* Returns x log(x/y) - x + y. For x = 0 this is y, because log_of(0) is finite and multiplied by
 * 0. */
INLINE vec divergence_kl(vec x, vec y) {
    return at_least(x * log_of(x / y) + (y - x), 0);
}

INLINE void slopes_of_kl(vec *s, vec *n, vec *c, vec x, vec y) {
    vec inverse = 1 / y, ratio = x * inverse;
    *s = 1 - ratio;
    *n = ratio * inverse;
    *c = inverse;
}

INLINE vec divergence_kl_reverse(vec x, vec y) {
    return divergence_kl(y, x);
}

INLINE void slopes_of_kl_reverse(vec *s, vec *n, vec *c, vec x, vec y) {
    *s = log_of(y / x);
    *n = *c = 1 / y;
}

VALUE_LOOP(kl, divergence_kl)
VALUE_LOOP(kl_reverse, divergence_kl_reverse)
SLOPE_LOOPS(kl, slopes_of_kl)
SLOPE_LOOPS(kl_reverse, slopes_of_kl_reverse)

extern const chi_loss_loops IN_SET(chi_kl_loops)[2];
const chi_loss_loops IN_SET(chi_kl_loops)[2] = {
    {value_kl, slopes_kl, pull_kl, NULL},
    {value_kl_reverse, slopes_kl_reverse, pull_kl_reverse, NULL}};
