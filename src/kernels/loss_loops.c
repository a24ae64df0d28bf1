/* The loops over the entries of a column that take the time under KL and IS, in both directions
 * (chi_loss_loops). What is left at the end of a column goes through the same steps, padded by
 * x = y = 1, which costs nothing and pulls nowhere; so the order of adding depends on the count
 * alone.
 *
 * Numbers are positive and normal: the floor sees to that. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

INLINE vec at_least(vec v, double low) {
    vec_i64 keep = v > vec_all(low);
    return (vec)((keep & (vec_i64)v) | (~keep & (vec_i64)vec_all(low)));
}

/* v = m 2^e with m in [sqrt(1/2), sqrt 2); numbers below the least normal one count as that. */
INLINE vec split(vec *e, vec v) {
    const uint64_t half_root = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;
    vec_u64 w = (vec_u64)at_least(v, 0x1p-1022) + (one - half_root);
    *e = (vec)((w >> 52) | 0x4330000000000000) - (0x1p52 + 1023); /* 2^52 + n has n in its end */
    return (vec)((w & 0x000FFFFFFFFFFFFF) + half_root);
}

/* e log 2 + log m, where log m = 2 artanh((m - 1) / (m + 1)) by its series, whose eleventh term is
 * below 1e-17 of the first. */
INLINE vec log_of_parts(vec m, vec e) {
    static const double terms[] = {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                   2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    vec s = (m - 1) / (m + 1), z = s * s, series = vec_all(2.0 / 21);
    for (int k = 0; k < 9; k++) series = series * z + terms[k];
    vec small = s * z * series + e * 0x1.3de6af278ece6p-42; /* log 2 in two parts, ...        */
    return e * 0x1.62e42fefa3p-1 + (2 * s + small);         /* ... e times the first is exact  */
}

INLINE vec log_of(vec v) {
    vec e, m = split(&e, v);
    return log_of_parts(m, e);
}

/* The loops from what one vector of entries is worth: VALUE(x, y), and SLOPES, which sets s, n and
 * c (slope, newton, scoring) from x and y. */
#define VALUE_LOOP(name, VALUE)                                                                   \
    static double value_##name(const double *x, const double *y, int64_t count) {                 \
        vec sum = {0};                                                                            \
        int64_t i = 0;                                                                            \
        for (; i + LANES <= count; i += LANES) sum += VALUE(vec_load(x + i), vec_load(y + i));    \
        if (i < count)                                                                            \
            sum += VALUE(vec_load_part(x + i, count - i, 1), vec_load_part(y + i, count - i, 1)); \
        return vec_sum(sum);                                                                      \
    }

#define SLOPE_LOOPS(name, SLOPES)                                                              \
    static void slopes_##name(double *slope, double *newton, double *scoring, const double *x, \
                              const double *y, int64_t count) {                                \
        vec s, n, c;                                                                           \
        int64_t i = 0;                                                                         \
        for (; i + LANES <= count; i += LANES) {                                               \
            SLOPES(&s, &n, &c, vec_load(x + i), vec_load(y + i));                              \
            vec_store(slope + i, s);                                                           \
            vec_store(newton + i, n);                                                          \
            vec_store(scoring + i, c);                                                         \
        }                                                                                      \
        if (i == count) return;                                                                \
        SLOPES(&s, &n, &c, vec_load_part(x + i, count - i, 1),                                 \
               vec_load_part(y + i, count - i, 1));                                            \
        vec_store_part(slope + i, s, count - i);                                               \
        vec_store_part(newton + i, n, count - i);                                              \
        vec_store_part(scoring + i, c, count - i);                                             \
    }                                                                                          \
    static void pull_##name(double *slope, double *bend, const double *a, const double *x,     \
                            const double *y, int64_t count) {                                  \
        vec s, n, c, first = {0}, second = {0};                                                \
        int64_t i = 0;                                                                         \
        for (; i + LANES <= count; i += LANES) {                                               \
            vec v = vec_load(a + i);                                                           \
            SLOPES(&s, &n, &c, vec_load(x + i), vec_load(y + i));                              \
            first += v * s;                                                                    \
            second += v * v * c;                                                               \
        }                                                                                      \
        if (i < count) {                                                                       \
            vec v = vec_load_part(a + i, count - i, 0);                                        \
            SLOPES(&s, &n, &c, vec_load_part(x + i, count - i, 1),                             \
                   vec_load_part(y + i, count - i, 1));                                        \
            first += v * s;                                                                    \
            second += v * v * c;                                                               \
        }                                                                                      \
        *slope = vec_sum(first);                                                               \
        *bend = vec_sum(second);                                                               \
    }

/* x log(x/y) - x + y, a zero of x costing y: there the logarithm is finite and counts 0 times. */
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

/* x/y - log(x/y) - 1, up to the logarithm of what comes back in m and e. */
INLINE vec ratio_is(vec *m, vec *e, vec x, vec y) {
    vec ratio = x / y;
    *m = split(e, ratio);
    return ratio - 1;
}

/* The logarithms of a column count alike, so they are added as one of a product: of GROUP numbers
 * near 1, the powers of two being added on their own. */
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

VALUE_LOOP(kl, divergence_kl)
VALUE_LOOP(kl_reverse, divergence_kl_reverse)
SLOPE_LOOPS(kl, slopes_of_kl)
SLOPE_LOOPS(kl_reverse, slopes_of_kl_reverse)
SLOPE_LOOPS(is, slopes_of_is)
SLOPE_LOOPS(is_reverse, slopes_of_is_reverse)

extern const chi_loss_loops IN_SET(chi_loss_loops)[CHI_LOOPS];
const chi_loss_loops IN_SET(chi_loss_loops)[CHI_LOOPS] = {
    [CHI_LOOPS_KL] = {value_kl, slopes_kl, pull_kl},
    [CHI_LOOPS_KL_REVERSE] = {value_kl_reverse, slopes_kl_reverse, pull_kl_reverse},
    [CHI_LOOPS_IS] = {value_is, slopes_is, pull_is},
    [CHI_LOOPS_IS_REVERSE] = {value_is_reverse, slopes_is_reverse, pull_is_reverse},
};
