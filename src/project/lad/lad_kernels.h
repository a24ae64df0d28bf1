/* The loops over the rows of the support. They use the compiler's vector types, so that the same
 * source serves every processor. The rest of the solver works on small arrays. */
#pragma once

#include "kernels/vectors.h"
#include "project/lad/lad.h"
#include <math.h>

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

INLINE vec vec_size(vec v) {
    return (vec)((vec_i64)v & ~(vec_i64)(-vec_all(0.0)));
}

/* Returns the smallest lane. */
INLINE double vec_least(vec v) {
    double lane[LANES];
    vec_store(lane, v);
    for (int half = LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] = smaller(lane[l], lane[l + half]);
    return lane[0];
}

/* Fetches `bytes` from `at` on into the cache. A pass over many rows reads a short stretch of every
 * column at a time, which is too short for the processor to foresee the next. */
INLINE void fetch_ahead(const void *at, const int bytes) {
    for (int line = 0; line < bytes; line += 64) __builtin_prefetch((const char *)at + line);
}

/* Returns row i of A (k_pad entries). */
static inline const double *row_of(const chi_lad *w, int64_t i) {
    return w->cone->At + (w->x.index ? w->x.index[i] : i) * w->cone->At_stride;
}

/* Short vectors (over F, B and the anchors) are padded with zeros to a multiple of this length. */
enum { CHI_PAD = LANES < 4 ? 4 : LANES };
static inline int64_t padded(int64_t count) {
    return (count + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
}

/* add(): y += a x; dot(): x'y. count is a multiple of CHI_PAD. */
static inline void add(double *restrict y, double a, const double *restrict x, int64_t count) {
    vec scale = vec_all(a);
    for (int64_t i = 0; i < count; i += LANES)
        vec_store(y + i, vec_load(y + i) + scale * vec_load(x + i));
}

static inline double dot(const double *x, const double *y, int64_t count) {
    vec sum = {0};
    for (int64_t i = 0; i < count; i += LANES) sum += vec_load(x + i) * vec_load(y + i);
    return vec_total(sum);
}

/* t = sum_f factor_f column_f for `vectors` vectors of rows from row i on, which stay in
 * registers. */
INLINE void combine_rows(double *restrict t, int64_t i, const double *const *column,
                         const double *factor, int64_t count, const int vectors) {
    enum { MOST = 8 };
    vec sum[MOST];
    for (int v = 0; v < vectors; v++) sum[v] = (vec){0};
    for (int64_t f = 0; f < count; f++) {
        const double *a = column[f] + i;
        vec scale = vec_all(factor[f]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) sum[v] += scale * vec_load(a + v * LANES);
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) vec_store(t + i + v * LANES, sum[v]);
}

/* t = sum_f factor_f column_f, eight vectors of rows at a time. */
static void combine(double *restrict t, int64_t m, const double *const *column,
                    const double *factor, int64_t count) {
    enum { L = LANES };
    int64_t i = 0;
    for (; i + 8 * L <= m; i += 8 * L) combine_rows(t, i, column, factor, count, 8);
    if (i + 4 * L <= m) {
        combine_rows(t, i, column, factor, count, 4);
        i += 4 * L;
    }
    int64_t last = (m - i) / L;
    if (last == 3) combine_rows(t, i, column, factor, count, 3);
    if (last == 2) combine_rows(t, i, column, factor, count, 2);
    if (last == 1) combine_rows(t, i, column, factor, count, 1);
    for (i += last * L; i < m; i++) {
        double sum = 0;
        for (int64_t f = 0; f < count; f++) sum += factor[f] * column[f][i];
        t[i] = sum;
    }
}

/* combine_rows() for row 0 on, with two sums for each vector of rows: a single sum would wait for
 * each of its additions. */
INLINE void combine_vectors(double *restrict t, const double *const *column, const double *factor,
                            int64_t count, const int vectors) {
    enum { MOST = 3 };
    vec even[MOST], odd[MOST];
    int64_t f = 0;
    for (int v = 0; v < vectors; v++) even[v] = odd[v] = (vec){0};
    for (; f + 2 <= count; f += 2) {
        const double *a = column[f], *b = column[f + 1];
        vec scale = vec_all(factor[f]), other = vec_all(factor[f + 1]);
        for (int v = 0; v < vectors; v++) {
            even[v] += scale * vec_load(a + v * LANES);
            odd[v] += other * vec_load(b + v * LANES);
        }
    }
    if (f < count)
        for (int v = 0; v < vectors; v++)
            even[v] += vec_all(factor[f]) * vec_load(column[f] + v * LANES);
    for (int v = 0; v < vectors; v++) vec_store(t + v * LANES, even[v] + odd[v]);
}

/* t = sum_f factor_f column_f for short vectors, whose length m is a multiple of CHI_PAD. */
static inline void combine_short(double *restrict t, int64_t m, const double *const *column,
                                 const double *factor, int64_t count) {
    int64_t vectors = m / LANES;
    if (vectors == 1)
        combine_vectors(t, column, factor, count, 1);
    else if (vectors == 2)
        combine_vectors(t, column, factor, count, 2);
    else if (vectors == 3)
        combine_vectors(t, column, factor, count, 3);
    else
        combine(t, m, column, factor, count);
}

static double square(const double *t, int64_t m) {
    double sum = dot(t, t, m / CHI_PAD * CHI_PAD);
    for (int64_t i = m / CHI_PAD * CHI_PAD; i < m; i++) sum += t[i] * t[i];
    return sum;
}

/* y = A_S's by rows, k_pad entries, CHI_PAD columns at a time. */
static void product_by_rows(const chi_lad *w, double *y, const double *s) {
    enum { L = LANES, VECTORS = CHI_PAD / LANES };
    for (int64_t j = 0; j < w->k_pad; j += CHI_PAD) {
        vec sum[VECTORS];
        for (int v = 0; v < VECTORS; v++) sum[v] = (vec){0};
        for (int64_t i = 0; i < w->m; i++) {
            const double *row = row_of(w, i) + j;
            vec sign = vec_all(s[i]);
#pragma GCC unroll 2
            for (int v = 0; v < VECTORS; v++) sum[v] += sign * vec_load(row + v * L);
        }
        for (int v = 0; v < VECTORS; v++) vec_store(y + j + v * L, sum[v]);
    }
}

/* y = A_S's by columns, k entries, if S is all rows or all columns are gathered. Four columns at a
 * time; where these exceed the last column, that column is repeated. */
static void product_by_columns(const chi_lad *w, double *y, const double *s) {
    enum { AT_ONCE = 4 };
    int64_t m = w->m;
    for (int64_t j = 0; j < w->k; j += AT_ONCE) {
        const double *a[AT_ONCE];
        vec sum[AT_ONCE] = {{0}};
        double sums[AT_ONCE];
        int64_t i = 0;
        for (int n = 0; n < AT_ONCE; n++) {
            int64_t at = j + n < w->k ? j + n : w->k - 1;
            a[n] = w->x.index ? w->column[at] : w->cone->A + at * w->cone->rows;
        }
        for (; i + LANES <= m; i += LANES) {
            vec sign = vec_load(s + i);
            for (int n = 0; n < AT_ONCE; n++) sum[n] += sign * vec_load(a[n] + i);
        }
        four_sums(sums, sum);
        for (int n = 0; n < AT_ONCE && j + n < w->k; n++) {
            y[j + n] = sums[n];
            for (int64_t l = i; l < m; l++) y[j + n] += s[l] * a[n][l];
        }
    }
}

static void product(const chi_lad *w, double *y, const double *s) {
    if (w->x.index && w->gathered_count < w->k)
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

/* r = x - t, and s = the signs of r. */
static void subtract(double *restrict r, double *restrict s, const double *restrict x,
                     const double *restrict t, int64_t m) {
    const vec one = vec_all(1), two = vec_all(2);
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES) {
        vec rest = vec_load(x + i) - vec_load(t + i);
        vec_store(r + i, rest);
        vec_store(s + i, one - (vec)((vec_i64)two & (rest < 0)));
    }
    for (; i < m; i++) {
        r[i] = x[i] - t[i];
        s[i] = r[i] < 0 ? -1 : 1;
    }
}

/* r -= step t. Updates s and lists the rows whose residual changes sign. Returns their number. */
static int64_t move_residual(double *restrict r, double *restrict s, int32_t *restrict flips,
                             const double *restrict t, double step, int64_t m) {
    vec by = vec_all(step);
    int64_t i = 0, count = 0;
    for (; i + LANES <= m; i += LANES) {
        vec sign = vec_load(s + i), moved = vec_load(r + i) - by * vec_load(t + i);
        vec_i64 crossed = sign * moved < 0;
        vec_store(r + i, moved);
        unsigned bits = vec_bits(crossed);
        if (!bits) continue;
        vec_store(s + i, sign - (vec)((vec_i64)(sign + sign) & crossed));
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

/* Updates q = A's - c after `count` rows, listed in flips, changed sign. Adds these rows one by one
 * or sums again over all rows, whichever takes less work (a row costs its length plus about 16
 * operations). */
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

/* Lists the breakpoints in (low, high] whose weight exceeds flat, and returns their number. *below
 * receives the sum of weights up to low, *within the sum of the listed weights. */
static int64_t collect(const chi_lad *w, chi_break *list, double flat, double low, double high,
                       double *below, double *within) {
    int64_t count = 0, i = 0;
    double total = 0;
    vec sum = {0}, flat_all = vec_all(flat), low_all = vec_all(low);
    vec high_all = vec_all(high);
    for (; i + LANES <= w->m; i += LANES) {
        vec s = vec_load(w->s + i), weight = s * vec_load(w->t + i);
        vec size = s * vec_load(w->r + i);
        size = (vec)((vec_i64)size & (size > 0)); /* max(size, 0) */
        vec_i64 steep = weight > flat_all, passed = steep & (size <= low_all * weight);
        sum += (vec)((vec_i64)weight & passed);
        unsigned bits = vec_bits(steep & ~passed & (size <= high_all * weight));
        for (; bits; bits &= bits - 1) {
            list[count] = break_at(w, i + __builtin_ctz(bits));
            total += list[count++].weight;
        }
    }
    *below = vec_total(sum);
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

/* Sets the fit for the objective |r|_1 + c'b and for a dual with x's = bound that `shift` makes
 * feasible. Adds the constants of the problem, which do not depend on b. */
static void set_fit(const chi_lad *w, chi_fit *fit, double objective, double bound, double shift) {
    double skew = w->cone->skew;
    objective = larger(objective - skew * w->x.sum, 0); /* an exact fit leaves rounding only */
    bound = (bound - (skew + shift) * w->x.sum) / (1 + shift / (1 + skew));
    *fit = (chi_fit){.objective = objective, .infeasibility = shift, .pivots = w->pivots};
    fit->gap = larger(objective - bound, 0) / w->x.sum;
    fit->proven = fit->gap <= w->tol;
}

/* residual = x - residual (which holds A b on entry); *norm is its l1 norm, and *bound is x'd. */
static void sum_up(double *restrict residual, const double *restrict x, const double *restrict d,
                   int64_t m, double *norm, double *bound) {
    vec sum = {0}, value = {0};
    int64_t i = 0;
    for (; i + LANES <= m; i += LANES) {
        vec xi = vec_load(x + i), rest = xi - vec_load(residual + i);
        vec_store(residual + i, rest);
        vec_i64 minus = rest < 0;
        sum += (vec)(((vec_i64)-rest & minus) | ((vec_i64)rest & ~minus));
        value += xi * vec_load(d + i);
    }
    *norm = vec_total(sum);
    *bound = vec_total(value);
    for (; i < m; i++) {
        residual[i] = x[i] - residual[i];
        *norm += fabs(residual[i]);
        *bound += x[i] * d[i];
    }
}
