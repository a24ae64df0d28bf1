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

/* pull = sum_i a_i x_i / y_i, bend = sum_i a_i^2 x_i / y_i^2 */
INLINE void newton_sums(double *pull, double *bend, const double *a, const double *x,
                        const double *y, int64_t count) {
    sum_vec first = {0}, second = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        vec share = vec_load(a + i) / vec_load(y + i), part = share * vec_load(x + i);
        sum_add(&first, part);
        sum_add_product(&second, part, share);
    }
    if (i < count) {
        vec share = vec_load_part(a + i, count - i, 0) / vec_load_part(y + i, count - i, 1);
        vec part = share * vec_load_part(x + i, count - i, 1);
        sum_add(&first, part);
        sum_add_product(&second, part, share);
    }
    *pull = sum_total(first);
    *bend = sum_total(second);
}

static void sweep_kl(double *b, double *y, const double *A, const double *sums, const double *x,
                     int64_t rank, int64_t count) {
    double pull, bend;
    for (int64_t k = 0; k < rank; k++) {
        const double *a = A + k * count;
        newton_sums(&pull, &bend, a, x, y, count);
        if (!(bend > 0)) continue;
        double next = b[k] + (pull - sums[k]) / bend, step = (next > 0 ? next : 0) - b[k];
        if (step == 0) continue;
        for (int64_t i = 0; i < count; i++) y[i] += step * a[i];
        b[k] += step;
    }
}

extern const chi_loss_loops IN_SET(chi_kl_loops)[2];
const chi_loss_loops IN_SET(chi_kl_loops)[2] = {
    {value_kl, slopes_kl, pull_kl, NULL, sweep_kl},
    {value_kl_reverse, slopes_kl_reverse, pull_kl_reverse, NULL, NULL}};
