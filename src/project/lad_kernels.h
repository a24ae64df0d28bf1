/* Loops over the rows of the support; the rest of the solver is small. Written with the compiler's
 * vector type so that one text serves every processor; the including file brings
 * chi_mask_bits(), the only step without a portable form. */
#ifndef CONEHULL_LAD_KERNELS_H
#define CONEHULL_LAD_KERNELS_H

#include "project/lad.h"
#include "project/lad_vector.h"
#include <math.h>

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Row i of A, k_pad entries. */
static inline const double *row_of(const chi_lad *w, int64_t i) {
    return w->cone->At + (w->x.index ? w->x.index[i] : i) * w->cone->At_stride;
}

/* Lengths of the short vectors (over F, B and the anchors) are rounded up to this, the rest zero.
 */
enum { CHI_PAD = 4 };
static inline int64_t padded(int64_t count) {
    return (count + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
}

/* y += a x and x'y; count is a multiple of CHI_PAD. */
static inline void add(double *restrict y, double a, const double *restrict x, int64_t count) {
    chi_vec scale = chi_vec_all(a);
    for (int64_t i = 0; i < count; i += CHI_LANES)
        chi_vec_store(y + i, chi_vec_load(y + i) + scale * chi_vec_load(x + i));
}

static inline double dot(const double *x, const double *y, int64_t count) {
    chi_vec sum = {0};
    for (int64_t i = 0; i < count; i += CHI_LANES) sum += chi_vec_load(x + i) * chi_vec_load(y + i);
    double total = 0;
    for (int l = 0; l < CHI_LANES; l++) total += sum[l];
    return total;
}

/* t = sum_f factor_f column_f. Eight vectors of rows at a time stay in registers. */
static void combine(double *restrict t, int64_t m, const double *const *column,
                    const double *factor, int64_t count) {
    enum { L = CHI_LANES };
    int64_t i = 0;
    for (; i + 8 * L <= m; i += 8 * L) {
        chi_vec sum[8] = {{0}};
        for (int64_t f = 0; f < count; f++) {
            const double *a = column[f] + i;
            chi_vec scale = chi_vec_all(factor[f]);
#pragma GCC unroll 8
            for (int v = 0; v < 8; v++) sum[v] += scale * chi_vec_load(a + v * L);
        }
#pragma GCC unroll 8
        for (int v = 0; v < 8; v++) chi_vec_store(t + i + v * L, sum[v]);
    }
    for (; i + 2 * L <= m; i += 2 * L) {
        chi_vec t0 = {0}, t1 = {0};
        for (int64_t f = 0; f < count; f++) {
            chi_vec scale = chi_vec_all(factor[f]);
            t0 += scale * chi_vec_load(column[f] + i);
            t1 += scale * chi_vec_load(column[f] + i + L);
        }
        chi_vec_store(t + i, t0);
        chi_vec_store(t + i + L, t1);
    }
    for (; i + L <= m; i += L) {
        chi_vec t0 = {0};
        for (int64_t f = 0; f < count; f++)
            t0 += chi_vec_all(factor[f]) * chi_vec_load(column[f] + i);
        chi_vec_store(t + i, t0);
    }
    for (; i < m; i++) {
        double sum = 0;
        for (int64_t f = 0; f < count; f++) sum += factor[f] * column[f][i];
        t[i] = sum;
    }
}

/* y = A_S's, k_pad entries, eight columns at a time. */
static void product(const chi_lad *w, double *y, const double *s) {
    enum { L = CHI_LANES, VECTORS = 8 / CHI_LANES };
    for (int64_t j = 0; j < w->k_pad; j += 8) {
        chi_vec sum[VECTORS] = {{0}};
        for (int64_t i = 0; i < w->m; i++) {
            const double *row = row_of(w, i) + j;
            chi_vec sign = chi_vec_all(s[i]);
#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++) sum[v] += sign * chi_vec_load(row + v * L);
        }
        for (int v = 0; v < VECTORS; v++) chi_vec_store(y + j + v * L, sum[v]);
    }
}

/* sum of max(s_i t_i, 0): what the slope would gain if every breakpoint were passed. */
static double total_weight(const double *s, const double *t, int64_t m) {
    chi_vec sum = {0};
    double total = 0;
    int64_t i = 0;
    for (; i + CHI_LANES <= m; i += CHI_LANES) {
        chi_vec weight = chi_vec_load(s + i) * chi_vec_load(t + i);
        sum += (chi_vec)((chi_mask)weight & (weight > 0));
    }
    for (; i < m; i++) total += larger(s[i] * t[i], 0);
    for (int l = 0; l < CHI_LANES; l++) total += sum[l];
    return total;
}

/* r -= step t. */
static void move_residual(double *restrict r, const double *restrict t, double step, int64_t m) {
    chi_vec by = chi_vec_all(step);
    int64_t i = 0;
    for (; i + CHI_LANES <= m; i += CHI_LANES)
        chi_vec_store(r + i, chi_vec_load(r + i) - by * chi_vec_load(t + i));
    for (; i < m; i++) r[i] -= step * t[i];
}

static inline chi_break break_at(const chi_lad *w, int64_t i) {
    double weight = w->s[i] * w->t[i], size = larger(w->s[i] * w->r[i], 0);
    return (chi_break){size / weight, weight, (int32_t)i};
}

/* Appends to list the breakpoints in (low, high] with weight above flat; *sum gains their weights.
 */
static int64_t collect(const chi_lad *w, chi_break *list, double flat, double low, double high,
                       double *sum) {
    int64_t count = 0, i = 0;
    double total = 0;
    chi_vec flat_all = chi_vec_all(flat), low_all = chi_vec_all(low), high_all = chi_vec_all(high);
    for (; i + CHI_LANES <= w->m; i += CHI_LANES) {
        chi_vec s = chi_vec_load(w->s + i), weight = s * chi_vec_load(w->t + i);
        chi_vec size = s * chi_vec_load(w->r + i);
        size = (chi_vec)((chi_mask)size & (size > 0)); /* max(size, 0) */
        unsigned bits = chi_mask_bits((weight > flat_all) & (size > low_all * weight) &
                                      (size <= high_all * weight));
        while (bits) {
            list[count] = break_at(w, i + __builtin_ctz(bits));
            total += list[count++].weight;
            bits &= bits - 1;
        }
    }
    for (; i < w->m; i++) {
        chi_break it = break_at(w, i);
        double size = larger(w->s[i] * w->r[i], 0);
        if (!(it.weight > flat) || !(size > low * it.weight) || !(size <= high * it.weight))
            continue;
        list[count++] = it;
        total += it.weight;
    }
    *sum = total;
    return count;
}

#endif
