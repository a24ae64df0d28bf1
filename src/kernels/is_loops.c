/* Loops of the Itakura-Saito divergence, in both directions (chi_loss_loops). */
#include "kernels/loss_vectors.h"

/* Returns x/y - 1, and x/y split into mantissa m and exponent e, whose logarithm the caller
 * subtracts. */
INLINE vec ratio_is(vec *m, vec *e, vec x, vec y) {
    vec ratio = x / y;
    *m = split(e, ratio);
    return ratio - 1;
}

/* The sum of logarithms is computed as the logarithm of a product: GROUP mantissas, which are near
 * 1, are multiplied, and their exponents are added separately. */
static double value_is(const double *x, const double *y, int64_t count) {
    enum { GROUP = 64 };
    vec sum = {0}, m, e;
    for (int64_t i = 0; i < count;) {
        vec product = vec_all(1), powers = {0};
        int64_t end = i + GROUP * LANES < count ? i + GROUP * LANES : count;
        for (; i + LANES <= end; i += LANES) {
            sum += ratio_is(&m, &e, vec_load(x + i), vec_load(y + i));
            product *= m;
            powers += e;
        }
        if (i < end) {
            vec part = vec_load_part(x + i, end - i, 1);
            sum += ratio_is(&m, &e, part, vec_load_part(y + i, end - i, 1));
            product *= m;
            powers += e;
            i = end;
        }
        m = split(&e, product);
        sum -= log_of_parts(m, powers + e);
    }
    double value = vec_sum(sum);
    return value > 0 ? value : 0;
}

INLINE vec divergence_is(vec x, vec y) {
    vec ratio = x / y;
    return at_least(ratio - 1 - log_of(ratio), 0);
}

static double weighted_is(const double *n, const double *x, const double *y, int64_t count) {
    sum_vec sum = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        sum_add_product(&sum, vec_load(n + i), divergence_is(vec_load(x + i), vec_load(y + i)));
    if (i < count)
        sum_add_product(
            &sum, vec_load_part(n + i, count - i, 0),
            divergence_is(vec_load_part(x + i, count - i, 1), vec_load_part(y + i, count - i, 1)));
    return sum_total(sum);
}

INLINE void slopes_of_is(vec *s, vec *n, vec *c, vec x, vec y) {
    vec inverse = 1 / y, ratio = x * inverse, square = inverse * inverse;
    *s = inverse * (1 - ratio);
    *n = square * (2 * ratio - 1);
    *c = square;
}

static double value_is_reverse(const double *x, const double *y, int64_t count) {
    return value_is(y, x, count);
}

INLINE void slopes_of_is_reverse(vec *s, vec *n, vec *c, vec x, vec y) {
    vec inverse = 1 / y;
    *s = 1 / x - inverse;
    *n = *c = inverse * inverse;
}

SLOPE_LOOPS(is, slopes_of_is)
SLOPE_LOOPS(is_reverse, slopes_of_is_reverse)

extern const chi_loss_loops IN_SET(chi_is_loops)[2];
const chi_loss_loops IN_SET(chi_is_loops)[2] = {
    {value_is, slopes_is, pull_is, weighted_is, NULL},
    {value_is_reverse, slopes_is_reverse, pull_is_reverse, NULL, NULL}};
