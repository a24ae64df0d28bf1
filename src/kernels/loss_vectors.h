/* Code shared by the loops over the entries of a column under KL and IS (kl_loops.c, is_loops.c):
 * the logarithm, and macros that make a loop from an expression for one vector of entries. The
 * last, incomplete vector of a column is padded with x = y = 1, whose loss and slopes are 0; so the
 * order of additions depends on the count alone.
 *
 * The floor ensures that all numbers are positive and normal. */
#pragma once

#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

INLINE vec at_least(vec v, double low) {
    vec_i64 keep = v > vec_all(low);
    return (vec)((keep & (vec_i64)v) | (~keep & (vec_i64)vec_all(low)));
}

/* Returns m in [sqrt(1/2), sqrt 2) and sets e such that v = m 2^e. Subnormal numbers count as the
 * smallest normal number. */
INLINE vec split(vec *e, vec v) {
    const uint64_t half_root = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;
    vec_u64 w = (vec_u64)at_least(v, 0x1p-1022) + (one - half_root);
    /* the low bits of the double 2^52 + n are n */
    *e = (vec)((w >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
    return (vec)((w & 0x000FFFFFFFFFFFFF) + half_root);
}

/* Returns e log 2 + log m, where log m = 2 artanh((m - 1) / (m + 1)) is summed by its series; the
 * eleventh term is below 1e-17 of the first. */
INLINE vec log_of_parts(vec m, vec e) {
    static const double terms[] = {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                   2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    vec s = (m - 1) / (m + 1), z = s * s, series = vec_all(2.0 / 21);
    for (int k = 0; k < 9; k++) series = series * z + terms[k];
    vec small = s * z * series + e * 0x1.3de6af278ece6p-42; /* log 2 is split into two parts; */
    return e * 0x1.62e42fefa3p-1 + (2 * s + small);         /* e times the larger part is exact */
}

INLINE vec log_of(vec v) {
    vec e, m = split(&e, v);
    return log_of_parts(m, e);
}

/* Macros that define a loop from an expression for one vector of entries: VALUE(x, y) is the loss,
 * and SLOPES sets s, n and c (slope, newton, scoring) from x and y. */
#define VALUE_LOOP(name, VALUE)                                                   \
    static double value_##name(const double *x, const double *y, int64_t count) { \
        sum_vec sum = {0};                                                        \
        int64_t i = 0;                                                            \
        for (; i + LANES <= count; i += LANES)                                    \
            sum_add(&sum, VALUE(vec_load(x + i), vec_load(y + i)));               \
        if (i < count)                                                            \
            sum_add(&sum, VALUE(vec_load_part(x + i, count - i, 1),               \
                                vec_load_part(y + i, count - i, 1)));             \
        return sum_total(sum);                                                    \
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
        vec s, n, c;                                                                           \
        sum_vec first = {0}, second = {0};                                                     \
        int64_t i = 0;                                                                         \
        for (; i + LANES <= count; i += LANES) {                                               \
            vec v = vec_load(a + i);                                                           \
            SLOPES(&s, &n, &c, vec_load(x + i), vec_load(y + i));                              \
            sum_add_product(&first, v, s);                                                     \
            sum_add_product(&second, v *v, c);                                                 \
        }                                                                                      \
        if (i < count) {                                                                       \
            vec v = vec_load_part(a + i, count - i, 0);                                        \
            SLOPES(&s, &n, &c, vec_load_part(x + i, count - i, 1),                             \
                   vec_load_part(y + i, count - i, 1));                                        \
            sum_add_product(&first, v, s);                                                     \
            sum_add_product(&second, v *v, c);                                                 \
        }                                                                                      \
        *slope = sum_total(first);                                                             \
        *bend = sum_total(second);                                                             \
    }
