/* The vertex for a few anchors, found from the rows near a point b (Portnoy and Koenker,
 * Statistical Science 12, 1997). The rows with the smallest residuals at b are the rows T. The
 * signs s_i of the other rows G are assumed to be those at b, so that their loss is linear:
 *
 *     min_{b >= 0}  sum_{i in T} |x_i - A_i b| + (c - A_G's_G)'b
 *
 * Pivots solve this problem in double precision. A pass over all rows then proves the vertex
 * (lad_at_once.h). If it does not, some sign was wrong, and T is chosen again around the new b.
 *
 * Nothing is kept from one pivot to the next except the vertex itself, which consists of k
 * constraints. Each constraint is a row with zero residual or a bound:
 *
 *     K b = e,     row of K: a_i with e = x_i,  or the unit vector of j with e = 0
 *
 * The columns of K^-1 are the edges. With q = A's - c, the entries of y = K^-T q are the slopes of
 * the edges: the vertex is left along a row's edge if |y| > 1, and along a bound's edge if y > 0.
 * At first the constraints fix the positive variables at their values in b; these constraints are
 * left first, so that the objective never rises on the way from b to a vertex. K^-1 is always k x
 * k, so every loop has a constant length. Ties of x are broken, so that rows with equal entries
 * have different residuals. The anchors are scaled as in single precision (lad_rows.h), x is
 * not. */
#pragma once

#include "project/lad/lad_at_once.h"
#include "project/lad/lad_reweight.h"
#include "project/lad/lad_search.h"
#include "project/lad/lad_start.h"
#include <float.h>

enum {
    FEW_PIVOTS = 12,     /* times k; more pivots mean failure                              */
    NEAR_ROWS = 16,      /* minimum number of rows of T                                    */
    NEAR_PER_ANCHOR = 8, /* further rows of T per anchor                                   */
    NEAR_SHARE = 24,     /* further rows of T: all rows / NEAR_SHARE                       */
    NEAR_WORTH = 2,      /* minimum ratio of all rows to T; below it T is all rows         */
    NEAR_ROUNDS = 4,     /* how often T is chosen                                          */
    NEAR_GROWTH = 2,     /* growth of T from round to round                                */
    NEAR_CUTS = 4,       /* limits of T that are tried at once                             */
    LIMIT_ROWS = 256     /* rows, at least, from which the limit of T is estimated         */
};
/* Edges whose slope exceeds the optimal range by less than this are not followed. */
static const double FEW_PRICE = 1e-10;
/* The first stretch of an edge that is searched, relative to where the median would be if
 * breakpoints were evenly spaced; and the factor by which stretches grow. */
static const double NEAR_GUESS = 1.25, NEAR_STRETCH = 3;
/* Maximum relative difference between the step computed from the vertex and from the rows. */
static const double FEW_DRIFT = 1e-6;

/* T, padded with zeros to whole vectors. */
typedef struct near_rows {
    int64_t count, length; /* rows; with the padding */
    double *x, *r, *step, *weight, *a[CHI_NARROW_ANCHORS];
    const int32_t *row; /* numbers of these rows in S */
} near_rows;

/* A constraint is a row, a bound, or a variable fixed at its initial value. */
typedef struct few_vertex {
    double inverse[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS];    /* of K: one row per variable */
    double gram[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS];       /* A'A                        */
    double cost[CHI_NARROW_ANCHORS], sums[CHI_NARROW_ANCHORS]; /* c, A'1                     */
    double b[CHI_NARROW_ANCHORS], q[CHI_NARROW_ANCHORS];
    double steep[CHI_NARROW_ANCHORS], length[CHI_NARROW_ANCHORS]; /* of the edges: y, |A edge|^2 */
    int32_t row[CHI_NARROW_ANCHORS];   /* the row in T, or -1                                    */
    int32_t bound[CHI_NARROW_ANCHORS]; /* the variable at zero, or -1                            */
    double value[CHI_NARROW_ANCHORS];  /* the value of the fixed variable                        */
    int lost; /* whether T is too small, because an edge left all its breakpoints behind */
} few_vertex;

/* Fixes every variable at its value in b. */
INLINE void few_begin(few_vertex *v, const chi_lad *w, const double *unit, const double *b,
                      const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    for (int j = 0; j < k; j++) {
        const double *gram = w->cone->gram + j * w->cone->capacity;
        for (int l = 0; l < pad; l++) v->inverse[j][l] = l == j;
        for (int l = 0; l < k; l++) v->gram[j][l] = gram[l] * unit[j] * unit[l];
        v->sums[j] = w->cone->sums[j] * unit[j];
        v->row[j] = -1;
        v->bound[j] = b[j] > 0 ? -1 : j;
        v->value[j] = b[j];
    }
}

/* u = a'K^-1 for row i of T. */
INLINE void few_row(double *u, const few_vertex *v, const near_rows *n, int64_t i, const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    for (int l = 0; l < pad; l++) u[l] = 0;
    for (int j = 0; j < k; j++) add(u, n->a[j][i], v->inverse[j], pad);
}

/* Replaces constraint l by another. u is the new constraint's row times K^-1; it is overwritten. */
INLINE void few_replace(few_vertex *v, double *u, int l, const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    double scale = 1 / u[l];
    u[l] -= 1;
    for (int j = 0; j < k; j++) add(v->inverse[j], -v->inverse[j][l] * scale, u, pad);
}

/* Whether constraint l fixes a variable at its initial value. */
static inline int is_fixed(const few_vertex *v, int l) {
    return v->row[l] < 0 && v->bound[l] < 0;
}

static inline void few_meet(few_vertex *v, int l, int64_t row) {
    v->row[l] = (int32_t)row;
    v->bound[l] = -1;
}

/* Makes the bound of variable j constraint l. */
INLINE void few_leave(few_vertex *v, int l, int j, const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    double u[CHI_NARROW_ANCHORS];
    memcpy(u, v->inverse[j], pad * sizeof *u);
    few_replace(v, u, l, k);
    for (int c = 0; c < pad; c++) v->inverse[j][c] = c == l; /* exact, without rounding */
    v->row[l] = -1;
    v->bound[l] = j;
}

/* Returns the right side of constraint l. */
static inline double few_value(const few_vertex *v, const near_rows *n, int l) {
    if (v->row[l] >= 0) return n->x[v->row[l]];
    return is_fixed(v, l) ? v->value[l] : 0;
}

INLINE void few_values(few_vertex *v, const near_rows *n, const int k) {
    double e[CHI_NARROW_ANCHORS];
    for (int l = 0; l < k; l++) e[l] = few_value(v, n, l);
    for (int j = 0; j < k; j++) {
        v->b[j] = 0;
        for (int l = 0; l < k; l++) v->b[j] += v->inverse[j][l] * e[l];
    }
}

/* ---- the start ----------------------------------------------------------------------------- */

/* ---- one pivot ----------------------------------------------------------------------------- */

/* Computes r and q = A's - c at b, without the rows of the vertex. */
INLINE void few_settle(few_vertex *v, const near_rows *n, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    const vec_i64 minus = (vec_i64)(-vec_all(0.0));
    vec total[K], factor[K];
    few_values(v, n, k);
    for (int j = 0; j < k; j++) {
        total[j] = (vec){0};
        factor[j] = vec_all(v->b[j]);
    }
    for (int64_t i = 0; i < n->length; i += LANES) {
        vec a[K], r = vec_load(n->x + i);
        for (int j = 0; j < k; j++) {
            a[j] = vec_load(n->a[j] + i);
            r -= factor[j] * a[j];
        }
        vec_store(n->r + i, r);
        vec_i64 sign = (vec_i64)r & minus;
        for (int j = 0; j < k; j++) total[j] += (vec)((vec_i64)a[j] ^ sign);
    }
    for (int j = 0; j < k; j++) v->q[j] = vec_sum(total[j]) - v->cost[j];
    for (int l = 0; l < k; l++) {
        if (v->row[l] < 0) continue;
        double *r = n->r + v->row[l], sign = signbit(*r) ? 1 : -1;
        for (int j = 0; j < k; j++) v->q[j] += sign * n->a[j][v->row[l]];
        *r = 0;
    }
}

/* Computes the slopes and squared lengths of the edges. */
INLINE void few_price(few_vertex *v, const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    for (int l = 0; l < pad; l++) v->steep[l] = v->length[l] = 0;
    for (int j = 0; j < k; j++) {
        vec turned[CHI_NARROW_ANCHORS / LANES] = {{0}};
        add(v->steep, v->q[j], v->inverse[j], pad);
        for (int i = 0; i < k; i++)
            for (int c = 0; c < pad / LANES; c++)
                turned[c] += vec_all(v->gram[j][i]) * vec_load(v->inverse[i] + c * LANES);
        for (int c = 0; c < pad / LANES; c++) {
            double *length = v->length + c * LANES;
            vec edge = vec_load(v->inverse[j] + c * LANES);
            vec_store(length, vec_load(length) + edge * turned[c]);
        }
    }
}

/* Returns by how much the slope of edge l exceeds the optimal range, or -1 if the edge is not to be
 * followed. */
static inline double few_gain(const few_vertex *v, int l) {
    double slope = fabs(v->steep[l]);
    if (is_fixed(v, l)) return slope;
    if (v->row[l] >= 0) return slope - 1 > FEW_PRICE ? slope - 1 : -1;
    return v->steep[l] > FEW_PRICE * v->sums[v->bound[l]] ? v->steep[l] : -1;
}

/* Returns the constraint whose edge is to be followed, or -1 if none; *slope is the slope along it.
 * Fixed variables come first. */
INLINE int few_choose(const few_vertex *v, double *slope, const int k) {
    double best = -1;
    int at = -1, fixed = 0;
    for (int l = 0; l < k; l++) fixed |= is_fixed(v, l);
    for (int l = 0; l < k; l++) {
        double gain = few_gain(v, l);
        if ((fixed && !is_fixed(v, l)) || gain < 0 || !(gain * gain > best * v->length[l]))
            continue;
        best = gain * gain / v->length[l];
        *slope = gain;
        at = l;
    }
    return at;
}

/* Computes the breakpoints along t = A delta. sums[0] is the sum of their weights, sums[1] the sum
 * of |r| over them. */
INLINE void few_breaks(const near_rows *n, double *sums, const double *delta, double flat,
                       const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    const vec_i64 minus = (vec_i64)(-vec_all(0.0));
    const vec never = vec_all(INFINITY), least = vec_all(flat);
    vec factor[K], weights = {0}, sizes = {0};
    for (int j = 0; j < k; j++) factor[j] = vec_all(delta[j]);
    for (int64_t i = 0; i < n->length; i += LANES) {
        vec t = factor[0] * vec_load(n->a[0] + i), r = vec_load(n->r + i);
        for (int j = 1; j < k; j++) t += factor[j] * vec_load(n->a[j] + i);
        vec weight = (vec)((vec_i64)t ^ ((vec_i64)r & minus));
        vec_i64 steep = weight > least;
        vec size = (vec)((vec_i64)r & ~minus & steep), step = size / weight;
        weight = (vec)((vec_i64)weight & steep);
        weights += weight;
        sizes += size;
        vec_store(n->weight + i, weight);
        vec_store(n->step + i, (vec)(((vec_i64)step & steep) | ((vec_i64)never & ~steep)));
    }
    sums[0] = vec_sum(weights);
    sums[1] = vec_sum(sizes);
}

/* Lists the breakpoints in (low, high], 64 rows at a time, so that there are few branches. Returns
 * their number; *total is their weight. */
static int64_t few_collect(chi_break *list, const near_rows *n, double low, double high,
                           double *total) {
    const vec low_all = vec_all(low), high_all = vec_all(high);
    int64_t count = 0;
    *total = 0;
    for (int64_t base = 0; base < n->length; base += 64) {
        int64_t end = n->length - base < 64 ? n->length - base : 64;
        uint64_t bits = 0;
        for (int64_t i = 0; i < end; i += LANES) {
            vec at = vec_load(n->step + base + i);
            bits |= (uint64_t)vec_bits((at > low_all) & (at <= high_all)) << i;
        }
        for (; bits; bits &= bits - 1) {
            int64_t row = base + __builtin_ctzll(bits);
            list[count++] = (chi_break){n->step[row], n->weight[row], (int32_t)row};
            *total += n->weight[row];
        }
    }
    return count;
}

/* Returns the row of T at which the sum of weights along the edge reaches need. Returns -1 if
 * `limit` comes first, and -2 if the edge leaves all breakpoints of T behind. Searches stretches of
 * the edge that grow; the first one ends where the median is if breakpoints are evenly spaced. sums
 * comes from few_breaks(). */
static int64_t few_search(chi_lad *w, const near_rows *n, double need, double limit,
                          const double *sums) {
    double low = -1, left = sums[0], end = smaller(limit, DBL_MAX), total;
    double at = NEAR_GUESS * sums[1] / sums[0] * need / sums[0];
    for (;;) {
        at = smaller(at, end); /* end, if `at` is not a number */
        int64_t count = few_collect(w->breaks, n, low, at, &total);
        if (count > 0 && total >= need)
            return weighted_median(w->breaks, w->spare, count, need, total).row;
        left -= total;
        if (!(left > FEW_PRICE * sums[0])) return -2;
        if (!(at < end)) return limit < INFINITY ? -1 : -2;
        need -= total;
        low = at;
        at = at > 0 ? NEAR_STRETCH * at : end;
    }
}

/* Makes one pivot. Returns 0 if the vertex is optimal or rounding errors are too large. */
INLINE int few_pivot(chi_lad *w, few_vertex *v, const near_rows *n, const int k) {
    double slope = 0, sums[2], delta[CHI_NARROW_ANCHORS], u[CHI_NARROW_ANCHORS];
    int64_t which = -1;
    few_settle(v, n, k);
    few_price(v, k);
    int at = few_choose(v, &slope, k);
    if (at < 0 || !(v->length[at] > 0)) return 0;
    double sign = v->steep[at] < 0 ? -1 : 1;
    for (int j = 0; j < k; j++) delta[j] = sign * v->inverse[j][at];
    double limit = bound_limit(v->b, delta, k, &which);
    few_breaks(n, sums, delta, FLAT * sqrt(v->length[at]), k);
    for (int l = 0; l < k; l++) {
        if (v->row[l] < 0) continue;
        sums[0] -= n->weight[v->row[l]];
        n->step[v->row[l]] = INFINITY;
    }
    int64_t row = few_search(w, n, slope / 2, limit, sums);
    if (row >= 0) {
        few_row(u, v, n, row, k);
        if (!(fabs(fabs(u[at]) - n->weight[row]) <= FEW_DRIFT * n->weight[row])) return 0;
        few_replace(v, u, at, k);
        few_meet(v, at, row);
    } else {
        v->lost = row == -2 && n->count < w->m;
        if (which < 0 || v->lost) return 0;
        few_leave(v, at, (int)which, k);
    }
    w->pivots++;
    return 1;
}

/* ---- T ------------------------------------------------------------------------------------- */

/* Returns a limit below which about `wanted` of the residuals n->r lie, given their mean size. */
static float near_limit(const narrow_rows *n, double mean, int64_t wanted) {
    vec_f32 cut[NEAR_CUTS], total[NEAR_CUTS], one = f32_all(1);
    double share = (double)wanted / (double)n->rows, below = 0, low = 0;
    for (int c = 0; c < NEAR_CUTS; c++) {
        cut[c] = f32_all((float)(mean * share * (0.5 * (1 << c))));
        total[c] = (vec_f32){0};
    }
    int64_t step = n->count / LIMIT_ROWS * F32_LANES, used = 0;
    if (step < F32_LANES) step = F32_LANES;
    for (int64_t i = 0; i < n->count; i += step, used += F32_LANES) {
        vec_f32 size = narrow_size(f32_load(n->r + i));
        for (int c = 0; c < NEAR_CUTS; c++) total[c] += (vec_f32)((vec_i32)one & (size <= cut[c]));
    }
    for (int c = 0; c < NEAR_CUTS; c++) {
        double high = cut[c][0], count = f32_sum(total[c]) * (double)n->rows / (double)used;
        if (count >= (double)wanted)
            return (float)(low + (high - low) * ((double)wanted - below) / (count - below));
        low = high;
        below = count;
    }
    return (float)low;
}

/* Chooses T: the rows with residuals n->r of at most `limit`. Lists them in w->subset, and sets
 * n->near to the signs of the other rows and 0 on T. Looks at 64 rows at a time, so that there are
 * few branches. Returns the number of rows of T. */
static int64_t choose_near(chi_lad *w, const narrow_rows *n, float limit) {
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    const vec_f32 one = f32_all(1), most = f32_all(limit);
    int64_t count = 0;
    for (int64_t base = 0; base < n->count; base += 64) {
        int64_t end = n->count - base < 64 ? n->count - base : 64;
        uint64_t bits = 0;
        for (int64_t i = 0; i < end; i += F32_LANES) {
            vec_f32 r = f32_load(n->r + base + i);
            vec_i32 inside = narrow_size(r) <= most;
            f32_store(n->near + base + i,
                      (vec_f32)(((vec_i32)one | ((vec_i32)r & minus)) & ~inside));
            bits |= (uint64_t)f32_bits(inside) << i;
        }
        for (; bits; bits &= bits - 1) w->subset[count++] = (int32_t)(base + __builtin_ctzll(bits));
    }
    while (count > 0 && w->subset[count - 1] >= w->m) count--; /* drop padding */
    return count;
}

/* Gathers T, whose rows are listed in w->subset. */
INLINE void load_near(near_rows *t, chi_lad *w, const double *unit, int64_t count, double noise,
                      const int k) {
    int64_t length = (count + LANES - 1) / LANES * LANES;
    double *block = w->near;
    *t = (near_rows){.count = count, .length = length, .row = w->subset};
    t->x = block;
    t->r = block + length;
    t->step = block + 2 * length;
    t->weight = block + 3 * length;
    for (int j = 0; j < k; j++) t->a[j] = block + (4 + j) * length;
    for (int64_t e = 0; e < count; e++) {
        int64_t i = w->subset[e];
        const double *a = row_of(w, i);
        t->x[e] = broken_tie(w, i, noise);
        for (int j = 0; j < k; j++) t->a[j][e] = a[j] * unit[j];
    }
    for (int64_t e = count; e < length; e++) {
        t->x[e] = 0;
        for (int j = 0; j < k; j++) t->a[j][e] = 0;
    }
}

/* Writes the vertex to w->F and w->B. Returns 0 if it is not a vertex, because a variable is still
 * fixed, or if T is too small. */
INLINE int few_give(chi_lad *w, const few_vertex *v, const near_rows *t, const int k) {
    int64_t f = 0;
    for (int j = 0; j < k; j++) w->place[j] = 0;
    w->p = 0;
    for (int l = 0; l < k; l++) {
        if (v->lost || is_fixed(v, l)) return 0;
        if (v->row[l] >= 0)
            w->B[w->p++] = t->row[v->row[l]];
        else
            w->place[v->bound[l]] = -1;
    }
    for (int j = 0; j < k; j++)
        if (w->place[j] == 0) w->F[f++] = j;
    return 1;
}

/* Pivots from b to the vertex that is optimal on T. Returns 0 if there is none. */
INLINE int few_pivots_of(chi_lad *w, const narrow_rows *n, int64_t count, const double *b,
                         double noise, const int k) {
    few_vertex v;
    near_rows t;
    v.lost = 0;
    load_near(&t, w, n->unit, count, noise, k);
    for (int j = 0; j < k; j++) v.cost[j] = w->c[j] * n->unit[j];
    if (count < w->m) {
        narrow_product(n, w->q, n->near);
        for (int j = 0; j < k; j++) v.cost[j] -= w->q[j];
    }
    few_begin(&v, w, n->unit, b, k);
    for (int left = FEW_PIVOTS * k; left > 0 && few_pivot(w, &v, &t, k); left--) continue;
    return few_give(w, &v, &t, k);
}

static int few_pivots(chi_lad *w, const narrow_rows *n, int64_t count, const double *b,
                      double noise) {
    if (w->k == 2) return few_pivots_of(w, n, count, b, noise, 2);
    if (w->k == 3) return few_pivots_of(w, n, count, b, noise, 3);
    if (w->k == 4) return few_pivots_of(w, n, count, b, noise, 4);
    if (w->k == 5) return few_pivots_of(w, n, count, b, noise, 5);
    if (w->k == 6) return few_pivots_of(w, n, count, b, noise, 6);
    if (w->k == 7) return few_pivots_of(w, n, count, b, noise, 7);
    return few_pivots_of(w, n, count, b, noise, 8);
}

/* Sets n->r to the residual of the last proof, in the units of n, and b to its point.
 * Returns the mean size of n->r. */
static double take_residual(chi_lad *w, const narrow_rows *n, double *b) {
    double size = 0;
    for (int64_t i = 0; i < w->m; i++) {
        n->r[i] = (float)(w->residual[i] * n->scale);
        size += fabs(w->residual[i]);
    }
    for (int64_t l = 0; l < w->p; l++) n->r[w->B[l]] = 0;
    memset(b, 0, (size_t)w->k * sizeof *b);
    for (int64_t f = 0; f < w->p; f++) b[w->F[f]] = w->b[f] / n->unit[w->F[f]];
    return size * n->scale / (double)w->m;
}

/* Solves a problem with a few anchors. Returns 1 if a vertex was proven optimal; else near, in the
 * units of A, is a point near the optimum. */
static int solve_few_anchors(chi_lad *w, chi_fit *fit, const narrow_rows *n, double *near,
                             double noise) {
    int64_t wanted = NEAR_ROWS + NEAR_PER_ANCHOR * w->k + w->m / NEAR_SHARE;
    double b[CHI_NARROW_ANCHORS], mean = reweight(w, n, b);
    for (int64_t j = 0; j < w->k; j++) near[j] = (b[j] /= n->scale) * n->unit[j];
    for (int round = 0; round < NEAR_ROUNDS; round++, wanted *= NEAR_GROWTH) {
        int all = w->m < NEAR_WORTH * wanted;
        int64_t count = choose_near(w, n, all ? INFINITY : near_limit(n, mean, wanted));
        if (!few_pivots(w, n, count, b, noise)) continue;
        if (prove_at_once(w, fit, noise)) return 1;
        if (count == w->m) return 0;
        mean = take_residual(w, n, b);
    }
    return 0;
}
