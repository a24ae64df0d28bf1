/* A feasible b near the optimum, in single precision, by least squares with changing weights:
 *
 *     b <- ( b + OVER H^-1 g )_+ ,   H = A'W A,   g = A'W r - c,   w_i = 1 / max(|r_i|, gamma)
 *
 * over the variables that are free or want to be, gamma falling (iteratively reweighted least
 * squares: Holland and Welsch, Comm. Statist. A 6, 1977). Plain steps converge slowly; OVER of
 * nearly 2 takes half as many. A round costs O(m k^2), for twenty anchors as much as one pivot and
 * for a few much less, and a few rounds stand for most of the pivots. Nothing but time depends on
 * how well it does. */
#ifndef CONEHULL_LAD_REWEIGHT_H
#define CONEHULL_LAD_REWEIGHT_H

#include "project/lad_rows.h"

static const double OVER = 1.8;
static const double GAMMA = 1, GAMMA_FALL = 0.5; /* times the mean of |r|; per round        */
/* Added to the diagonal of H, relative: single precision's rounding of its sums. */
static const double RIDGE = 1e-6;
enum { ROUNDS_FEW = 5, ROUNDS = 8 }; /* for up to CHI_NARROW_ANCHORS anchors; for more */

/* --- few anchors: one pass ------------------------------------------------------------------- */

/* r, A'W r, the upper half of H by rows of ld entries, and |r|_1 at b. */
static inline __attribute__((always_inline)) double
weigh_few_of(const narrow_rows *n, double *g, double *H, int64_t ld, float gamma, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    const chi_narrow none = {0};
    chi_narrow sum[K][K], pull[K], total = none, factor[K];
    chi_narrow least = chi_narrow_all(gamma), one = chi_narrow_all(1);
    const float *x = n->x, *column[K];
    float *rest = n->r;
    for (int j = 0; j < k; j++) {
        factor[j] = chi_narrow_all(n->b[j]);
        column[j] = n->a[j];
        pull[j] = none;
        for (int l = j; l < k; l++) sum[j][l] = none;
    }
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow a[K], r = chi_narrow_load(x + i);
        for (int j = 0; j < k; j++) {
            a[j] = chi_narrow_load(column[j] + i);
            r -= factor[j] * a[j];
        }
        chi_narrow_store(rest + i, r);
        chi_narrow size = narrow_size(r);
        total += size;
        chi_narrow weight = one / narrow_choose(size > least, size, least);
        for (int j = 0; j < k; j++) {
            chi_narrow weighted = weight * a[j];
            pull[j] += weighted * r;
            for (int l = j; l < k; l++) sum[j][l] += weighted * a[l];
        }
    }
    for (int j = 0; j < k; j++) {
        g[j] = chi_narrow_sum(pull[j]);
        for (int l = j; l < k; l++) H[j * ld + l] = chi_narrow_sum(sum[j][l]);
    }
    return chi_narrow_sum(total);
}

static double weigh_few(const narrow_rows *n, double *g, double *H, int64_t ld, float gamma) {
    if (n->k == 2) return weigh_few_of(n, g, H, ld, gamma, 2);
    if (n->k == 3) return weigh_few_of(n, g, H, ld, gamma, 3);
    return weigh_few_of(n, g, H, ld, gamma, 4);
}

/* --- many anchors ---------------------------------------------------------------------------- */

/* r = x - A b; the weights, and in step W r; returns |r|_1. */
static double weigh_rows(const narrow_rows *n, float gamma) {
    enum { V = 4, L = CHI_NARROW_LANES };
    chi_narrow total = {0}, least = chi_narrow_all(gamma), one = chi_narrow_all(1);
    for (int64_t i = 0; i < n->count; i += V * L) {
        int64_t at[V]; /* the last block may overlap the one before */
        chi_narrow r[V];
        for (int v = 0; v < V; v++) at[v] = i + v * L < n->count ? i + v * L : n->count - L;
        for (int v = 0; v < V; v++) r[v] = chi_narrow_load(n->x + at[v]);
        for (int64_t j = 0; j < n->k; j++) {
            if (n->b[j] == 0) continue;
            chi_narrow factor = chi_narrow_all(n->b[j]);
            for (int v = 0; v < V; v++) r[v] -= factor * chi_narrow_load(n->a[j] + at[v]);
        }
        for (int v = 0; v < V && i + v * L < n->count; v++) {
            chi_narrow size = narrow_size(r[v]);
            chi_narrow weight = one / narrow_choose(size > least, size, least);
            total += size;
            chi_narrow_store(n->r + at[v], r[v]);
            chi_narrow_store(n->weight + at[v], weight);
            chi_narrow_store(n->step + at[v], weight * r[v]);
        }
    }
    return chi_narrow_sum(total);
}

/* g = A'v. */
static void narrow_product(const narrow_rows *n, double *g, const float *v) {
    for (int64_t j = 0; j < n->k; j++) {
        chi_narrow even = {0}, odd = {0};
        for (int64_t i = 0; i < n->count; i += 2 * CHI_NARROW_LANES) {
            even += chi_narrow_load(n->a[j] + i) * chi_narrow_load(v + i);
            odd += chi_narrow_load(n->a[j] + i + CHI_NARROW_LANES) *
                   chi_narrow_load(v + i + CHI_NARROW_LANES);
        }
        g[j] = chi_narrow_sum(even + odd);
    }
}

static inline int64_t last_or(int64_t at, int64_t count) {
    return at < count ? at : count - 1;
}

enum { SIDE = 3, ACROSS = 4 };

/* SIDE x ACROSS products of columns, which stay in registers while the rows go by. */
static void weighted_products(double block[SIDE][ACROSS], const narrow_rows *n,
                              const float *const *left, const float *const *right) {
    chi_narrow sum[SIDE][ACROSS] = {{{0}}};
    const float *w = n->weight;
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow weight = chi_narrow_load(w + i), a[SIDE];
        for (int s = 0; s < SIDE; s++) a[s] = weight * chi_narrow_load(left[s] + i);
        for (int t = 0; t < ACROSS; t++) {
            chi_narrow b = chi_narrow_load(right[t] + i);
            for (int s = 0; s < SIDE; s++) sum[s][t] += a[s] * b;
        }
    }
    for (int s = 0; s < SIDE; s++)
        for (int t = 0; t < ACROSS; t++) block[s][t] = chi_narrow_sum(sum[s][t]);
}

/* The upper half of H over the moving variables. Columns past the last are the last once more. */
static void weighted_gram(const narrow_rows *n, double *H, int64_t ld, const int32_t *moving,
                          int64_t p) {
    for (int64_t s = 0; s < p; s += SIDE)
        for (int64_t t = s / ACROSS * ACROSS; t < p; t += ACROSS) {
            const float *left[SIDE], *right[ACROSS];
            double block[SIDE][ACROSS];
            for (int v = 0; v < SIDE; v++) left[v] = n->a[moving[last_or(s + v, p)]];
            for (int v = 0; v < ACROSS; v++) right[v] = n->a[moving[last_or(t + v, p)]];
            weighted_products(block, n, left, right);
            for (int v = 0; v < SIDE && s + v < p; v++)
                for (int u = 0; u < ACROSS && t + u < p; u++) H[(s + v) * ld + t + u] = block[v][u];
        }
}

/* --- the steps ------------------------------------------------------------------------------- */

/* r, A'W r and |r|_1 at b; for a few anchors H of all too. */
static double weigh(const narrow_rows *n, double *g, double *H, int64_t ld, float gamma) {
    if (n->k <= CHI_NARROW_ANCHORS) return weigh_few(n, g, H, ld, gamma);
    double size = weigh_rows(n, gamma);
    narrow_product(n, g, n->step);
    return size;
}

/* H over the p moving variables. */
static void curve(const narrow_rows *n, double *H, int64_t ld, const int32_t *moving, int64_t p) {
    if (n->k > CHI_NARROW_ANCHORS)
        weighted_gram(n, H, ld, moving, p);
    else if (p < n->k)
        for (int64_t s = 0; s < p; s++)
            for (int64_t t = s; t < p; t++) H[s * ld + t] = H[moving[s] * ld + moving[t]];
    for (int64_t s = 0; s < p; s++) H[s * ld + s] *= 1 + RIDGE;
}

/* y <- H^-1 y by H = U'D^-1 U, U in the place of H's upper half, 1 / D on the diagonal. 0 when H is
 * not positive. */
static int solve_positive(double *H, double *y, int64_t p, int64_t ld) {
    for (int64_t t = 0; t < p; t++) {
        double *row = H + t * ld;
        if (!(row[t] > 0)) return 0;
        double inverse = 1 / row[t];
        for (int64_t s = t + 1; s < p; s++) {
            int64_t from = s / CHI_PAD * CHI_PAD;
            add(H + s * ld + from, -row[s] * inverse, row + from, padded(p) - from);
            y[s] -= y[t] * inverse * row[s];
        }
        row[t] = inverse;
    }
    for (int64_t t = p - 1; t >= 0; t--) {
        const double *row = H + t * ld;
        for (int64_t s = t + 1; s < p; s++) y[t] -= row[s] * y[s];
        y[t] *= row[t];
    }
    return 1;
}

/* One step of b, g being A'W r. 0 when there is none. */
static int step_by_weights(chi_lad *w, const narrow_rows *n, double *b, const double *g,
                           double over) {
    int32_t *moving = w->order;
    double *y = w->rhs;
    int64_t p = 0;
    for (int64_t j = 0; j < w->k; j++) {
        double pull = g[j] - w->c[j] * n->unit[j];
        if (!(b[j] > 0) && !(pull > 0)) continue;
        y[p] = pull;
        moving[p++] = (int32_t)j;
    }
    curve(n, w->factor, w->ld, moving, p);
    if (!solve_positive(w->factor, y, p, w->ld)) return 0;
    for (int64_t s = 0; s < p; s++) b[moving[s]] = larger(b[moving[s]] + over * y[s], 0);
    return 1;
}

static void narrow_b(const narrow_rows *n, const double *b) {
    for (int64_t j = 0; j < n->k; j++) n->b[j] = (float)b[j];
}

/* n->b and its residual: the best b met, in the units of the rows. */
static void reweight(chi_lad *w, const narrow_rows *n) {
    double *b = w->u, *best = w->delta, *g = w->turn, lowest = INFINITY, mean = 1, share = GAMMA;
    int rounds = w->k <= CHI_NARROW_ANCHORS ? ROUNDS_FEW : ROUNDS;
    memset(b, 0, (size_t)w->k * sizeof *b);
    for (int round = 0;; round++, share *= GAMMA_FALL) {
        narrow_b(n, b);
        double size = weigh(n, g, w->factor, w->ld, (float)(mean * share)), value = size;
        for (int64_t j = 0; j < w->k; j++) value += w->c[j] * n->unit[j] * b[j];
        if (value < lowest) {
            lowest = value;
            memcpy(best, b, (size_t)w->k * sizeof *b);
            if (round == rounds) return;
        }
        mean = size / (double)w->m;
        if (round == rounds || !step_by_weights(w, n, b, g, round ? OVER : 1)) break;
    }
    narrow_b(n, best);
    weigh(n, g, w->factor, w->ld, (float)mean);
}

#endif
