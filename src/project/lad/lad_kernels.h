/* Loops over the rows of the support; the rest of the solver is small. Written with the compiler's
 * vector type so that one text serves every processor; the including file brings
 * chi_mask_bits(), the only step without a portable form. */
#ifndef CONEHULL_LAD_KERNELS_H
#define CONEHULL_LAD_KERNELS_H

#include "project/lad/lad.h"
#include "project/lad/lad_vector.h"
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
    return chi_vec_sum(sum);
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

/* The same for short vectors, m a multiple of CHI_PAD. */
static inline void combine_short(double *restrict t, int64_t m, const double *const *column,
                                 const double *factor, int64_t count) {
    enum { L = CHI_LANES, VECTORS = CHI_PAD / CHI_LANES };
    if (m != CHI_PAD) {
        combine(t, m, column, factor, count);
        return;
    }
    chi_vec sum[VECTORS] = {{0}};
    for (int64_t f = 0; f < count; f++)
        for (int v = 0; v < VECTORS; v++)
            sum[v] += chi_vec_all(factor[f]) * chi_vec_load(column[f] + v * L);
    for (int v = 0; v < VECTORS; v++) chi_vec_store(t + v * L, sum[v]);
}

static double square(const double *t, int64_t m) {
    double sum = dot(t, t, m / CHI_PAD * CHI_PAD);
    for (int64_t i = m / CHI_PAD * CHI_PAD; i < m; i++) sum += t[i] * t[i];
    return sum;
}

/* y = A_S's by rows, k_pad entries, CHI_PAD columns at a time. */
static void product_by_rows(const chi_lad *w, double *y, const double *s) {
    enum { L = CHI_LANES, VECTORS = CHI_PAD / CHI_LANES };
    for (int64_t j = 0; j < w->k_pad; j += CHI_PAD) {
        chi_vec sum[VECTORS] = {{0}};
        for (int64_t i = 0; i < w->m; i++) {
            const double *row = row_of(w, i) + j;
            chi_vec sign = chi_vec_all(s[i]);
#pragma GCC unroll 2
            for (int v = 0; v < VECTORS; v++) sum[v] += sign * chi_vec_load(row + v * L);
        }
        for (int v = 0; v < VECTORS; v++) chi_vec_store(y + j + v * L, sum[v]);
    }
}

/* The same by columns, when S is all rows. */
static void product_by_columns(const chi_lad *w, double *y, const double *s) {
    int64_t m = w->m, i;
    for (int64_t j = 0; j < w->k; j++) {
        const double *a = w->cone->A + j * w->cone->rows;
        chi_vec even = {0}, odd = {0};
        for (i = 0; i + 2 * CHI_LANES <= m; i += 2 * CHI_LANES) {
            even += chi_vec_load(s + i) * chi_vec_load(a + i);
            odd += chi_vec_load(s + i + CHI_LANES) * chi_vec_load(a + i + CHI_LANES);
        }
        double sum = chi_vec_sum(even + odd);
        for (; i < m; i++) sum += s[i] * a[i];
        y[j] = sum;
    }
}

static void product(const chi_lad *w, double *y, const double *s) {
    if (w->x.index)
        product_by_rows(w, y, s);
    else
        product_by_columns(w, y, s);
}

/* q = A's - c. */
static void sum_signs(chi_lad *w) {
    product(w, w->q, w->s);
    for (int64_t j = 0; j < w->k; j++) w->q[j] -= w->c[j];
    w->settled = 1;
}

/* r = x - t and its signs. */
static void subtract(double *restrict r, double *restrict s, const double *restrict x,
                     const double *restrict t, int64_t m) {
    const chi_vec one = chi_vec_all(1), two = chi_vec_all(2);
    int64_t i = 0;
    for (; i + CHI_LANES <= m; i += CHI_LANES) {
        chi_vec rest = chi_vec_load(x + i) - chi_vec_load(t + i);
        chi_vec_store(r + i, rest);
        chi_vec_store(s + i, one - (chi_vec)((chi_mask)two & (rest < 0)));
    }
    for (; i < m; i++) {
        r[i] = x[i] - t[i];
        s[i] = r[i] < 0 ? -1 : 1;
    }
}

/* r -= step t; rows whose residual changes sign change s and are listed. Returns their number. */
static int64_t move_residual(double *restrict r, double *restrict s, int32_t *restrict flips,
                             const double *restrict t, double step, int64_t m) {
    chi_vec by = chi_vec_all(step);
    int64_t i = 0, count = 0;
    for (; i + CHI_LANES <= m; i += CHI_LANES) {
        chi_vec sign = chi_vec_load(s + i), moved = chi_vec_load(r + i) - by * chi_vec_load(t + i);
        chi_mask crossed = sign * moved < 0;
        chi_vec_store(r + i, moved);
        unsigned bits = chi_mask_bits(crossed);
        if (!bits) continue;
        chi_vec_store(s + i, sign - (chi_vec)((chi_mask)(sign + sign) & crossed));
        for (; bits; bits &= bits - 1) flips[count++] = (int32_t)(i + __builtin_ctz(bits));
    }
    for (; i < m; i++) {
        r[i] -= step * t[i];
        if (!(s[i] * r[i] < 0)) continue;
        s[i] = -s[i];
        flips[count++] = (int32_t)i;
    }
    return count;
}

/* q = A's - c after count rows of flips changed their sign: row by row, or anew when that is less
 * work (a row costs its length and about 16 operations around it). */
static void follow_flips(chi_lad *w, int64_t count) {
    if (count * (w->k_pad + 16) > w->m * w->k) {
        sum_signs(w);
        return;
    }
    w->settled = 0;
    for (int64_t n = 0; n < count; n++)
        add(w->q, 2 * w->s[w->flips[n]], row_of(w, w->flips[n]), w->k_pad);
}

static inline chi_break break_at(const chi_lad *w, int64_t i) {
    double weight = w->s[i] * w->t[i], size = larger(w->s[i] * w->r[i], 0);
    return (chi_break){size / weight, weight, (int32_t)i};
}

/* Lists the breakpoints in (low, high] with weight above flat; *below and *within gain the weights
 * up to low and of those listed. */
static int64_t collect(const chi_lad *w, chi_break *list, double flat, double low, double high,
                       double *below, double *within) {
    int64_t count = 0, i = 0;
    double total = 0;
    chi_vec sum = {0}, flat_all = chi_vec_all(flat), low_all = chi_vec_all(low);
    chi_vec high_all = chi_vec_all(high);
    for (; i + CHI_LANES <= w->m; i += CHI_LANES) {
        chi_vec s = chi_vec_load(w->s + i), weight = s * chi_vec_load(w->t + i);
        chi_vec size = s * chi_vec_load(w->r + i);
        size = (chi_vec)((chi_mask)size & (size > 0)); /* max(size, 0) */
        chi_mask steep = weight > flat_all, passed = steep & (size <= low_all * weight);
        sum += (chi_vec)((chi_mask)weight & passed);
        unsigned bits = chi_mask_bits(steep & ~passed & (size <= high_all * weight));
        for (; bits; bits &= bits - 1) {
            list[count] = break_at(w, i + __builtin_ctz(bits));
            total += list[count++].weight;
        }
    }
    *below = chi_vec_sum(sum);
    for (; i < w->m; i++) {
        chi_break it = break_at(w, i);
        double size = larger(w->s[i] * w->r[i], 0);
        if (!(it.weight > flat) || !(size <= high * it.weight)) continue;
        if (size <= low * it.weight) {
            *below += it.weight;
            continue;
        }
        list[count++] = it;
        total += it.weight;
    }
    *within = total;
    return count;
}

/* residual = x - fitted (which it holds), its l1 norm, and x'd. */
static void sum_up(double *restrict residual, const double *restrict x, const double *restrict d,
                   int64_t m, double *norm, double *bound) {
    chi_vec sum = {0}, value = {0};
    int64_t i = 0;
    for (; i + CHI_LANES <= m; i += CHI_LANES) {
        chi_vec xi = chi_vec_load(x + i), rest = xi - chi_vec_load(residual + i);
        chi_vec_store(residual + i, rest);
        chi_mask minus = rest < 0;
        sum += (chi_vec)(((chi_mask)-rest & minus) | ((chi_mask)rest & ~minus));
        value += xi * chi_vec_load(d + i);
    }
    *norm = chi_vec_sum(sum);
    *bound = chi_vec_sum(value);
    for (; i < m; i++) {
        residual[i] = x[i] - residual[i];
        *norm += fabs(residual[i]);
        *bound += x[i] * d[i];
    }
}

#endif
