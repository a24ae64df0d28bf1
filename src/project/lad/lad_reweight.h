/* Finds a feasible b near the optimum, in single precision, by iteratively reweighted least squares
 * (Holland and Welsch, Comm. Statist. A 6, 1977):
 *
 *     b <- ( b + OVER H^-1 g )_+ ,   H = A'W A,   g = A'W r - c,   w_i = 1 / max(|r_i|, gamma)
 *
 * over the variables that are positive or have a positive slope, with decreasing gamma. Steps with
 * OVER = 1 converge slowly; OVER close to 2 needs half as many. A round costs O(m k^2): for twenty
 * anchors as much as one pivot, for a few anchors much less. A few rounds replace most of the
 * pivots. The result affects only the running time.
 *
 * On a hull the last row, in which all anchors have the same number, must be met exactly. So this
 * row is left out of H, the steps have the constraint 1'(change of b) = 0 with multiplier mu, and b
 * is scaled back to the hull after negative entries were set to zero. As an ordinary row it would
 * outweigh all others, and single precision would lose their digits. */
#pragma once

#include "project/lad/lad_rows.h"

static const double OVER = 1.8;
static const double GAMMA = 0.25, GAMMA_FALL = 0.5; /* times the mean of |r|; factor per round */
/* Added to the diagonal of H, as a share of it: the rounding of sums in single precision. */
static const double RIDGE = 1e-6;
enum { ROUNDS = 8 }; /* for more than CHI_NARROW_ANCHORS anchors, and on hulls */
/* For up to CHI_NARROW_ANCHORS anchors: */
enum {
    ROUNDS_SAMPLE = 3,    /* rounds with a sample of the rows                         */
    ROUNDS_ALL = 3,       /* rounds with all rows                                     */
    ROWS_SAMPLE = 40,     /* minimum number of rows of the sample                     */
    ROWS_PER_WEIGHT = 10, /* further rows of the sample per anchor                    */
    ROWS_SHARE = 6,       /* further rows of the sample: all rows / ROWS_SHARE        */
    ROWS_CURVED = 256     /* rows, at least, that H is computed from in the last rounds */
};
/* gamma, times the mean of |r|, in the first round with all rows; and the smallest gamma, which
 * matters if x is met exactly. The mean of x is 1. */
static const double GAMMA_ALL = 0.2, GAMMA_LEAST = 1e-6;

/* --- few anchors: their number is a constant ------------------------------------------------- */

typedef struct weighing {
    double H[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS]; /* upper half   */
    double g[CHI_NARROW_ANCHORS], size, rows;         /* A'W r; |r|_1; number of rows */
} weighing;

/* The sums of a pass, lane by lane. */
typedef struct weighing_lanes {
    vec_f32 H[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS], g[CHI_NARROW_ANCHORS], total,
        factor[CHI_NARROW_ANCHORS], least;
} weighing_lanes;

/* Adds the vector of rows from row i on; to H only if `curved`. */
INLINE void weigh_vector(weighing_lanes *sum, const narrow_rows *n, int64_t i, const int curved,
                         const int k) {
    vec_f32 a[CHI_NARROW_ANCHORS], r = f32_load(n->x + i);
    for (int j = 0; j < k; j++) {
        a[j] = f32_load(n->a[j] + i);
        r -= sum->factor[j] * a[j];
    }
    vec_f32 size = narrow_size(r), weight = f32_all(1) / f32_larger(size, sum->least);
    sum->total += size;
    if (!curved) {
        r *= weight;
        for (int j = 0; j < k; j++) sum->g[j] += r * a[j];
        return;
    }
    for (int j = 0; j < k; j++) {
        vec_f32 weighted = weight * a[j];
        sum->g[j] += weighted * r;
        for (int l = j; l < k; l++) sum->H[j][l] += weighted * a[l];
    }
}

/* Returns a pseudo-random number in [0, count). Vectors at regular distances would miss a light
 * that is switched on and off at that distance. */
static inline int64_t draw(uint32_t *state, int64_t count) {
    *state = *state * 1664525 + 1013904223;
    return (int64_t)(((uint64_t)*state * (uint64_t)count) >> 32);
}

/* A pass over the rows. Of each `block` of vectors of rows, one is used for H. The others are used
 * for the remaining sums if `all`, else not at all. */
INLINE void weigh_few(weighing *at, const narrow_rows *n, const double *b, double gamma,
                      int64_t block, int all, const int k) {
    enum { L = F32_LANES };
    weighing_lanes sum;
    int64_t vectors = n->count / L, used = 0;
    uint32_t state = 0;
    sum.least = f32_all((float)gamma);
    sum.total = (vec_f32){0};
    for (int j = 0; j < k; j++) {
        sum.factor[j] = f32_all((float)b[j]);
        sum.g[j] = (vec_f32){0};
        for (int l = j; l < k; l++) sum.H[j][l] = (vec_f32){0};
    }
    if (block < 1) block = 1;
    for (int64_t low = 0; low < vectors; low += block, used++) {
        int64_t high = low + block < vectors ? low + block : vectors;
        int64_t chosen = block > 1 ? low + draw(&state, high - low) : low;
        weigh_vector(&sum, n, chosen * L, 1, k);
        for (int64_t v = all ? low : high; v < high; v++)
            if (v != chosen) weigh_vector(&sum, n, v * L, 0, k);
    }
    double scale = all ? (double)vectors / (double)used : 1;
    for (int j = 0; j < k; j++) {
        at->g[j] = f32_sum(sum.g[j]);
        for (int l = j; l < k; l++) at->H[j][l] = f32_sum(sum.H[j][l]) * scale;
    }
    at->size = f32_sum(sum.total);
    at->rows = (double)((all ? vectors : used) * L);
}

/* Solves H y = g for the variables that are not held; `held` ones keep their y. Returns 0 if H is
 * not positive definite. */
INLINE int solve_few(const weighing *at, double *y, const int *held, const int k) {
    double H[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS], inverse[CHI_NARROW_ANCHORS];
    for (int t = 0; t < k; t++) {
        for (int u = t; u < k; u++) H[t][u] = held[t] | held[u] ? t == u : at->H[t][u];
        if (held[t]) continue;
        y[t] = at->g[t];
        for (int u = 0; u < k; u++)
            if (held[u]) y[t] -= (t < u ? at->H[t][u] : at->H[u][t]) * y[u];
    }
    for (int t = 0; t < k; t++) {
        if (!(H[t][t] > 0)) return 0;
        inverse[t] = 1 / H[t][t];
        for (int s = t + 1; s < k; s++) {
            double factor = H[t][s] * inverse[t];
            for (int u = s; u < k; u++) H[s][u] -= factor * H[t][u];
            y[s] -= factor * y[t];
        }
    }
    for (int t = k - 1; t >= 0; t--) {
        for (int s = t + 1; s < k; s++) y[t] -= H[t][s] * y[s];
        y[t] *= inverse[t];
    }
    return 1;
}

/* Moves b by `over` times the step that is optimal for g and H. A variable that would become
 * negative is held at zero, and the step of the others is computed again. Returns 0 if H is not
 * positive definite. */
INLINE int step_few(const weighing *at, double *b, double over, const int k) {
    double y[CHI_NARROW_ANCHORS] = {0};
    int held[CHI_NARROW_ANCHORS], negative = 1;
    for (int j = 0; j < k; j++) held[j] = !(b[j] > 0) & !(at->g[j] > 0);
    for (int tries = 0; tries <= k && negative; tries++) {
        if (!solve_few(at, y, held, k)) return 0;
        negative = 0;
        for (int j = 0; j < k; j++) {
            if (held[j] | !(b[j] + over * y[j] < 0)) continue;
            y[j] = -b[j] / over;
            held[j] = negative = 1;
        }
    }
    for (int j = 0; j < k; j++) b[j] = larger(b[j] + over * y[j], 0);
    return 1;
}

/* Computes the residual n->r of b. Returns the mean of its size. */
INLINE double residual_few(const narrow_rows *n, const double *b, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    vec_f32 factor[K], total = {0};
    for (int j = 0; j < k; j++) factor[j] = f32_all((float)b[j]);
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 r = f32_load(n->x + i);
        for (int j = 0; j < k; j++) r -= factor[j] * f32_load(n->a[j] + i);
        f32_store(n->r + i, r);
        total += narrow_size(r);
    }
    return f32_sum(total) / (double)n->rows;
}

/* Reweights from b = 0, first a sample of the rows and then all rows. Sets n->r to the residual of
 * b, and returns the mean of its size. */
INLINE double reweight_few(const narrow_rows *n, double *b, const int k) {
    enum { L = F32_LANES };
    int64_t vectors = n->count / L;
    int64_t apart = vectors * L / (ROWS_SAMPLE + ROWS_PER_WEIGHT * k + n->rows / ROWS_SHARE);
    int64_t curved = vectors * L / ROWS_CURVED;
    int first = apart <= 1; /* too few rows for a sample: one round less */
    double mean = 1, share = GAMMA;
    weighing at;
    for (int j = 0; j < k; j++) b[j] = 0;
    for (int round = first; round < ROUNDS_SAMPLE + ROUNDS_ALL; round++, share *= GAMMA_FALL) {
        int all = round >= ROUNDS_SAMPLE;
        if (round == ROUNDS_SAMPLE) share = GAMMA_ALL;
        weigh_few(&at, n, b, larger(mean * share, GAMMA_LEAST), all ? curved : apart, all, k);
        mean = at.size / at.rows;
        for (int j = 0; j < k; j++) {
            at.g[j] -= at.rows / (double)n->count * n->cost[j];
            at.H[j][j] *= 1 + RIDGE;
        }
        if (!step_few(&at, b, round > first ? OVER : 1, k)) break;
    }
    return residual_few(n, b, k);
}

/* --- many anchors ---------------------------------------------------------------------------- */

/* Computes r = x - A b and the weights, and W r in n->step. Returns |r|_1. */
static double weigh_rows(const narrow_rows *n, float gamma) {
    enum { V = 8, L = F32_LANES };
    vec_f32 total = {0}, least = f32_all(gamma);
    for (int64_t i = 0; i < n->count; i += V * L) {
        int64_t at[V]; /* the last block may overlap the block before it */
        vec_f32 r[V];
        for (int v = 0; v < V; v++) at[v] = i + v * L < n->count ? i + v * L : n->count - L;
        for (int v = 0; v < V; v++) r[v] = f32_load(n->x + at[v]);
        for (int64_t j = 0; j < n->k; j++) {
            if (n->b[j] == 0) continue;
            vec_f32 factor = f32_all(n->b[j]);
            for (int v = 0; v < V; v++) r[v] -= factor * f32_load(n->a[j] + at[v]);
        }
        for (int v = 0; v < V && i + v * L < n->count; v++) {
            vec_f32 size = narrow_size(r[v]);
            vec_f32 weight = f32_inverse(f32_larger(size, least));
            total += size;
            f32_store(n->r + at[v], r[v]);
            f32_store(n->weight + at[v], weight);
            f32_store(n->step + at[v], weight * r[v]);
        }
    }
    return f32_sum(total);
}

static inline int64_t last_or(int64_t at, int64_t count) {
    return at < count ? at : count - 1;
}

/* g = A'v, four columns at a time. Where a block exceeds the last column, that column is
 * repeated. */
static void narrow_product(const narrow_rows *n, double *g, const float *v) {
    enum { AT_ONCE = 4 };
    for (int64_t j = 0; j < n->k; j += AT_ONCE) {
        const float *a[AT_ONCE];
        vec_f32 sum[AT_ONCE] = {{0}};
        double sums[AT_ONCE];
        for (int s = 0; s < AT_ONCE; s++) a[s] = n->a[last_or(j + s, n->k)];
        for (int64_t i = 0; i < n->count; i += F32_LANES) {
            vec_f32 of_v = f32_load(v + i);
            for (int s = 0; s < AT_ONCE; s++) sum[s] += f32_load(a[s] + i) * of_v;
        }
        f32_four_sums(sums, sum);
        for (int s = 0; s < AT_ONCE && j + s < n->k; s++) g[j + s] = sums[s];
    }
}

enum { SIDE = CHI_REGISTERS < 32 ? 3 : 4, ACROSS = 4 };

/* Computes SIDE x ACROSS weighted products of columns, which stay in registers during the pass over
 * the rows, into H. If `half`, left and right are the same columns, and the lower half of the
 * products is left out. */
INLINE void weighted_products(double *H, int64_t ld, const narrow_rows *n, const float *const *left,
                              const float *const *right, const int half) {
    vec_f32 sum[SIDE][ACROSS];
    const float *w = n->weight;
    for (int s = 0; s < SIDE; s++)
        for (int t = 0; t < ACROSS; t++) sum[s][t] = (vec_f32){0};
    for (int64_t i = 0; i < n->count; i += F32_LANES) {
        vec_f32 weight = f32_load(w + i), a[SIDE];
        for (int s = 0; s < SIDE; s++) a[s] = weight * f32_load(left[s] + i);
        for (int t = 0; t < ACROSS; t++) {
            vec_f32 b = f32_load(right[t] + i);
            for (int s = 0; s < SIDE; s++)
                if (!half || s <= t) sum[s][t] += a[s] * b;
        }
    }
    for (int s = 0; s < SIDE; s++) f32_four_sums(H + s * ld, sum[s]);
}

/* Computes the upper half of H over the moving variables. Where a block exceeds the last column,
 * that column is repeated; H has room for it. */
static void weighted_gram(const narrow_rows *n, double *H, int64_t ld, const int32_t *moving,
                          int64_t p) {
    for (int64_t s = 0; s < p; s += SIDE)
        for (int64_t t = s / ACROSS * ACROSS; t < p; t += ACROSS) {
            const float *left[SIDE], *right[ACROSS];
            for (int v = 0; v < SIDE; v++) left[v] = n->a[moving[last_or(s + v, p)]];
            for (int v = 0; v < ACROSS; v++) right[v] = n->a[moving[last_or(t + v, p)]];
            if (SIDE == ACROSS && s == t)
                weighted_products(H + s * ld + t, ld, n, left, right, 1);
            else
                weighted_products(H + s * ld + t, ld, n, left, right, 0);
        }
}

static void narrow_b(const narrow_rows *n, const double *b) {
    for (int64_t j = 0; j < n->k; j++) n->b[j] = (float)b[j];
}

/* y += a x + b z; count is a multiple of CHI_PAD. */
static inline void add_two(double *restrict y, double a, const double *restrict x, double b,
                           const double *restrict z, int64_t count) {
    vec of_x = vec_all(a), of_z = vec_all(b);
    for (int64_t i = 0; i < count; i += LANES)
        vec_store(y + i, vec_load(y + i) + of_x * vec_load(x + i) + of_z * vec_load(z + i));
}

/* Factorises H = U'D^-1 U for p variables. U replaces the upper half of H, with 1 / D on the
 * diagonal. Columns p .. p + sides - 1 hold right-hand sides y and become D U'^-1 y. Two variables
 * are eliminated at a time, so that their two divisions need not wait for each other. Returns 0 if
 * H is not positive definite. */
static int decompose_positive(double *H, int64_t p, int64_t ld, int64_t sides) {
    int64_t length = padded(p + sides), t = 0;
    for (; t + 1 < p; t += 2) {
        double *row = H + t * ld, *next = row + ld, top = row[t], side = row[t + 1];
        double product = top * next[t + 1] - side * side;
        if (!(top > 0) || !(product > 0)) return 0;
        double inverse = 1 / top, inverse_next = top / product;
        int64_t from = (t + 1) / CHI_PAD * CHI_PAD;
        add(next + from, -side * inverse, row + from, length - from);
        for (int64_t s = t + 2; s < p; s++) {
            from = s / CHI_PAD * CHI_PAD;
            add_two(H + s * ld + from, -row[s] * inverse, row + from, -next[s] * inverse_next,
                    next + from, length - from);
        }
        row[t] = inverse;
        next[t + 1] = inverse_next;
    }
    if (t == p) return 1;
    if (!(H[t * ld + t] > 0)) return 0;
    H[t * ld + t] = 1 / H[t * ld + t];
    return 1;
}

/* y = H^-1 times right-hand side `side`, after decompose_positive(). The substitution goes by
 * columns of U, so that no sum waits for its last addition. */
static void solve_positive(const double *H, double *restrict y, int64_t p, int64_t ld,
                           int64_t side) {
    for (int64_t t = 0; t < p; t++) y[t] = H[t * ld + p + side];
    for (int64_t t = p - 1; t >= 0; t--) {
        double y_t = y[t] *= H[t * ld + t];
        for (int64_t s = 0; s < t; s++) y[s] -= H[s * ld + t] * y_t;
    }
}

/* Increases each diagonal entry of H by the share RIDGE of itself; on a hull by RIDGE times the
 * mean of the diagonal, because the origin may be an anchor, whose diagonal entry is 0. */
static void add_ridge(double *H, int64_t p, int64_t ld, int hull) {
    double mean = 0;
    for (int64_t s = 0; hull && s < p; s++) mean += H[s * ld + s] / (double)p;
    for (int64_t s = 0; s < p; s++)
        H[s * ld + s] = hull ? H[s * ld + s] + RIDGE * mean : H[s * ld + s] * (1 + RIDGE);
}

/* --- on a hull --- */

static double add_up(const double *b, int64_t count) {
    double sum = 0;
    for (int64_t j = 0; j < count; j++) sum += b[j];
    return sum;
}

/* Gives the lifted row, if it is among these rows, residual 0 and weight 0. */
static void meet_lift(const narrow_rows *n) {
    if (n->lift >= 0) n->r[n->lift] = n->weight[n->lift] = n->step[n->lift] = 0;
}

/* Returns the multiplier of the constraint 1'b = total: the mean of the slopes, weighted by b. */
static double hull_level(const narrow_rows *n, const double *b, const double *g) {
    double sum = 0, total = 0;
    for (int64_t j = 0; j < n->k; j++) {
        sum += b[j] * (g[j] - n->cost[j]);
        total += b[j];
    }
    return total > 0 ? sum / total : -INFINITY; /* b = 0: all variables may move */
}

/* y <- y + mu H^-1 1 with 1'y = missing; 1 is right-hand side 1. */
static void solve_bordered(const chi_lad *w, double *y, int64_t p, double missing) {
    double *z = w->delta;
    solve_positive(w->factor, z, p, w->ld, 1);
    double mu = (missing - add_up(y, p)) / add_up(z, p);
    for (int64_t s = 0; s < p; s++) y[s] += mu * z[s];
}

static void return_to_hull(double *b, int64_t count, double total) {
    double sum = add_up(b, count);
    for (int64_t j = 0; j < count; j++) b[j] = sum > 0 ? b[j] * total / sum : total / (double)count;
}

/* Lists the variables that are positive or have a positive slope, with their slopes in w->rhs, and
 * returns their number. On a hull, slopes count relative to hull_level(). */
static int64_t list_moving(chi_lad *w, const narrow_rows *n, const double *b, const double *g) {
    double level = n->total > 0 ? hull_level(n, b, g) : 0;
    int64_t p = 0;
    for (int64_t j = 0; j < w->k; j++) {
        double pull = g[j] - n->cost[j];
        if (!(b[j] > 0) && !(pull > level)) continue;
        w->rhs[p] = pull;
        w->order[p++] = (int32_t)j;
    }
    return p;
}

/* Replaces right-hand side 0 of H, after decompose_positive(), by y, and overwrites y. */
static void replace_side(double *H, double *restrict y, int64_t p, int64_t ld) {
    for (int64_t t = 0; t < p; t++) {
        double *restrict row = H + t * ld, factor = y[t] * row[t];
        for (int64_t s = t + 1; s < p; s++) y[s] -= row[s] * factor;
        row[p] = y[t];
    }
}

/* w->rhs <- H^-1 w->rhs for p variables of b, with H in w->factor: the matrix or, if `decomposed`,
 * what the last call left there. On a hull the step, multiplied by `over`, restores 1'b = total.
 * Returns 0 if H is not positive definite. */
static int solve_step(chi_lad *w, const narrow_rows *n, const double *b, int64_t p, double over,
                      int decomposed) {
    int hull = n->total > 0;
    double *H = w->factor;
    if (decomposed) {
        replace_side(H, w->rhs, p, w->ld);
    } else {
        add_ridge(H, p, w->ld, hull);
        for (int64_t s = 0; s < p; s++) {
            H[s * w->ld + p] = w->rhs[s];
            if (hull) H[s * w->ld + p + 1] = 1;
        }
        if (!decompose_positive(H, p, w->ld, hull ? 2 : 1)) return 0;
    }
    solve_positive(H, w->rhs, p, w->ld, 0);
    if (hull) solve_bordered(w, w->rhs, p, (n->total - add_up(b, w->k)) / over);
    return 1;
}

/* Makes one step of b, given g = A'W r. Returns 0 if H is not positive definite. */
static int step_by_weights(chi_lad *w, const narrow_rows *n, double *b, const double *g,
                           double over) {
    const int32_t *moving = w->order;
    int64_t p = list_moving(w, n, b, g);
    weighted_gram(n, w->factor, w->ld, moving, p);
    if (!solve_step(w, n, b, p, over, 0)) return 0;
    for (int64_t s = 0; s < p; s++) b[moving[s]] = larger(b[moving[s]] + over * w->rhs[s], 0);
    if (n->total > 0) return_to_hull(b, w->k, n->total);
    return 1;
}

/* The number of rounds, and gamma: share times the mean of |r|, where share is multiplied by fall
 * after each round. */
typedef struct reweighting {
    int rounds, from_best; /* from_best: start at best, otherwise at zero */
    double share, fall;
    double mean; /* mean of |r| at the start */
} reweighting;

/* Reweights for any number of anchors, on a cone or a hull. best receives the b with the lowest
 * objective, n->r the residual of best. */
static void reweight_many(chi_lad *w, const narrow_rows *n, double *best, const reweighting *how) {
    double *b = w->u, *g = w->turn, lowest = INFINITY, mean = how->mean, share = how->share;
    for (int64_t j = 0; j < w->k; j++) b[j] = how->from_best ? best[j] : 0;
    for (int round = 0;; round++, share *= how->fall) {
        narrow_b(n, b);
        double size = weigh_rows(n, (float)(mean * share)), value = size;
        meet_lift(n);
        for (int64_t j = 0; j < w->k; j++) value += n->cost[j] * b[j];
        if (value < lowest) {
            lowest = value;
            memcpy(best, b, (size_t)w->k * sizeof *b);
            if (round == how->rounds) return;
        }
        mean = size / (double)n->rows;
        if (round == how->rounds) break;
        narrow_product(n, g, n->step);
        if (!step_by_weights(w, n, b, g, round || how->from_best ? OVER : 1)) break;
    }
    narrow_b(n, best);
    weigh_rows(n, (float)mean);
    meet_lift(n);
}

static double mean_size(const narrow_rows *n) {
    double size = 0;
    for (int64_t i = 0; i < n->rows; i++) size += fabsf(n->r[i]);
    return size / (double)n->rows;
}

/* Finds b near the optimum, and its residual in n->r, for any number of anchors. Returns the mean
 * size of the residual. */
static double reweight(chi_lad *w, const narrow_rows *n, double *b) {
    int few = !w->cone->hull && w->k <= CHI_NARROW_ANCHORS;
    if (few && w->k == 2) return reweight_few(n, b, 2);
    if (few && w->k == 3) return reweight_few(n, b, 3);
    if (few && w->k == 4) return reweight_few(n, b, 4);
    if (few && w->k == 5) return reweight_few(n, b, 5);
    if (few && w->k == 6) return reweight_few(n, b, 6);
    if (few && w->k == 7) return reweight_few(n, b, 7);
    if (few && w->k == 8) return reweight_few(n, b, 8);
    reweight_many(w, n, b, &(reweighting){ROUNDS, 0, GAMMA, GAMMA_FALL, 1});
    return mean_size(n);
}
