/* Pivots for a few anchors. Nothing is kept from one pivot to the next except the vertex itself,
 * which consists of k constraints. Each constraint is a row with zero residual or a bound:
 *
 *     K b = e,     row of K: a_i with e = x_i,  or the unit vector of j with e = 0
 *
 * The columns of K^-1 are the edges. With q = A's - c, the entries of y = K^-T q are the slopes of
 * the edges: the vertex is left along a row's edge if |y| > 1, and along a bound's edge if y > 0.
 * K^-1 is always k x k, so every loop has a constant length. Units, and the loops over the rows
 * (lad_narrow.h), are those of single precision (lad_rows.h); everything else is in double
 * precision.
 *
 * The result is only a proposal. Either it is proven optimal (lad_at_once.h), or the pivots in
 * double precision continue from it. */
#pragma once

#include "project/lad/lad_narrow.h"

enum {
    FEW_PIVOTS = 12 /* times k; more pivots mean failure, and double precision continues */
};
/* Edges whose slope exceeds the optimal range by less than this are left to double precision. */
static const double FEW_PRICE = 1e-5;
/* Maximum relative difference between the step computed from the vertex and from the rows. */
static const double FEW_DRIFT = 1e-3;

typedef struct few_vertex {
    double inverse[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS];    /* of K: one row per variable */
    double gram[CHI_NARROW_ANCHORS][CHI_NARROW_ANCHORS];       /* A'A                        */
    double cost[CHI_NARROW_ANCHORS], sums[CHI_NARROW_ANCHORS]; /* c, A'1                     */
    double b[CHI_NARROW_ANCHORS], q[CHI_NARROW_ANCHORS];
    double steep[CHI_NARROW_ANCHORS], length[CHI_NARROW_ANCHORS]; /* of the edges: y, |A edge|^2 */
    int32_t row[CHI_NARROW_ANCHORS];   /* the row of a constraint, or -1 for a bound         */
    int32_t bound[CHI_NARROW_ANCHORS]; /* the variable at zero, if the constraint is a bound */
} few_vertex;

/* Sets the vertex to b = 0. */
INLINE void few_begin(few_vertex *v, const chi_lad *w, const narrow_rows *n, const int k) {
    const int pad = (k + CHI_PAD - 1) / CHI_PAD * CHI_PAD;
    for (int j = 0; j < k; j++) {
        const double *gram = w->cone->gram + j * w->cone->capacity;
        for (int l = 0; l < pad; l++) v->inverse[j][l] = l == j;
        for (int l = 0; l < k; l++) v->gram[j][l] = gram[l] * n->unit[j] * n->unit[l];
        v->cost[j] = w->c[j] * n->unit[j];
        v->sums[j] = w->cone->sums[j] * n->unit[j];
        v->row[j] = -1;
        v->bound[j] = j;
    }
}

/* u = a'K^-1 for row a of A with number i. */
INLINE void few_row(double *u, const few_vertex *v, const narrow_rows *n, int64_t i, const int k) {
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

INLINE void few_values(few_vertex *v, const narrow_rows *n, const int k) {
    double e[CHI_NARROW_ANCHORS];
    for (int l = 0; l < k; l++) e[l] = v->row[l] < 0 ? 0 : n->x[v->row[l]];
    for (int j = 0; j < k; j++) {
        v->b[j] = 0;
        for (int l = 0; l < k; l++) v->b[j] += v->inverse[j][l] * e[l];
    }
}

/* ---- the start ----------------------------------------------------------------------------- */

/* Adds the rows with the smallest residuals at b to the vertex; choose_rows() does this in double
 * precision. n->step holds the sizes of the residuals and is overwritten. */
INLINE void few_choose_rows(few_vertex *v, const narrow_rows *n, const double *b, const int k) {
    int wanted = 0, refused = 0;
    for (int j = 0; j < k; j++) wanted += b[j] > 0;
    while (wanted > 0 && refused <= REFUSED) {
        double u[CHI_NARROW_ANCHORS], before = 0, after = 0;
        int64_t row = nearest_row(n->step, n->count);
        int at = -1;
        if (row < 0) return;
        n->step[row] = INFINITY;
        few_row(u, v, n, row, k);
        for (int l = 0; l < k; l++) {
            before = larger(before, n->a[l][row]);
            if (v->row[l] < 0 && b[v->bound[l]] > 0 && fabs(u[l]) > after) after = fabs(u[at = l]);
        }
        if (!(after > INDEPENDENT * before)) {
            refused++;
            continue;
        }
        few_replace(v, u, at, k);
        few_meet(v, at, row);
        wanted--;
    }
}

/* Removes negative variables from the vertex, the most negative first. */
INLINE void few_make_feasible(few_vertex *v, const narrow_rows *n, const int k) {
    for (;;) {
        int out = -1, at = -1;
        double worst = 0;
        few_values(v, n, k);
        for (int j = 0; j < k; j++)
            if (v->b[j] < worst) worst = v->b[out = j];
        if (out < 0) return;
        for (int l = 0; l < k; l++)
            if (v->row[l] >= 0 && (at < 0 || fabs(v->inverse[out][l]) > fabs(v->inverse[out][at])))
                at = l;
        few_leave(v, at, out, k);
    }
}

/* ---- one pivot ----------------------------------------------------------------------------- */

/* Computes q = A's - c at b, without the rows of the vertex. */
INLINE void few_settle(few_vertex *v, const narrow_rows *n, const int k) {
    float sum[CHI_NARROW_ANCHORS];
    few_values(v, n, k);
    for (int j = 0; j < k; j++) n->b[j] = (float)v->b[j];
    narrow_residual_of(n, sum, k);
    for (int j = 0; j < k; j++) v->q[j] = sum[j] - v->cost[j];
    for (int l = 0; l < k; l++) {
        if (v->row[l] < 0) continue;
        float *r = n->r + v->row[l], sign = signbit(*r) ? 1 : -1;
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

/* Returns the constraint whose edge is to be followed, or -1 if none; *slope is the slope along
 * it. */
INLINE int few_choose(const few_vertex *v, double *slope, const int k) {
    double best = 0;
    int at = -1;
    for (int l = 0; l < k; l++) {
        double gain = v->row[l] < 0 ? v->steep[l] : fabs(v->steep[l]) - 1;
        double least = v->row[l] < 0 ? FEW_PRICE * v->sums[v->bound[l]] : FEW_PRICE;
        if (!(gain > least) || !(gain * gain > best * v->length[l])) continue;
        best = gain * gain / v->length[l];
        *slope = gain;
        at = l;
    }
    return at;
}

/* Returns the row that stops the edge before the limit, or -1. scale makes the mean square of the
 * edge over the rows 1. */
INLINE int64_t few_stop(chi_lad *w, const few_vertex *v, const narrow_rows *n, const double *delta,
                        double scale, double need, double limit, const int k) {
    float factor[CHI_NARROW_ANCHORS], sums[2], step;
    for (int j = 0; j < k; j++) factor[j] = (float)(delta[j] * scale);
    narrow_breaks_of(n, sums, factor, k);
    for (int l = 0; l < k; l++) {
        if (v->row[l] < 0) continue;
        sums[0] -= n->weight[v->row[l]];
        n->weight[v->row[l]] = 0;
        n->step[v->row[l]] = INFINITY;
    }
    float farthest = (float)smaller(limit / scale, FLT_MAX);
    return narrow_search(w, n, &step, (float)(need * scale), farthest, sums);
}

/* Makes one pivot. Returns 0 if the vertex is optimal or single precision cannot decide. */
INLINE int few_pivot(chi_lad *w, few_vertex *v, const narrow_rows *n, const int k) {
    double slope = 0, delta[CHI_NARROW_ANCHORS], u[CHI_NARROW_ANCHORS];
    int64_t which = -1;
    few_settle(v, n, k);
    few_price(v, k);
    int at = few_choose(v, &slope, k);
    if (at < 0 || !(v->length[at] > 0)) return 0;
    double sign = v->steep[at] < 0 ? -1 : 1, scale = sqrt((double)w->m / v->length[at]);
    for (int j = 0; j < k; j++) delta[j] = sign * v->inverse[j][at];
    double limit = bound_limit(v->b, delta, k, &which);
    int64_t row = few_stop(w, v, n, delta, scale, slope / 2, limit, k);
    if (row >= 0) {
        few_row(u, v, n, row, k);
        double size = fabs(u[at]), again = n->weight[row] / scale;
        if (!(fabs(size - again) <= FEW_DRIFT * again)) return 0;
        few_replace(v, u, at, k);
        few_meet(v, at, row);
    } else {
        if (which < 0) return 0;
        few_leave(v, at, (int)which, k);
    }
    w->pivots++;
    return 1;
}

/* Pivots from b to the vertex that is optimal in single precision. */
INLINE void few_pivots_of(chi_lad *w, const narrow_rows *n, const double *b, const int k) {
    few_vertex v;
    few_begin(&v, w, n, k);
    few_choose_rows(&v, n, b, k);
    few_make_feasible(&v, n, k);
    for (int left = FEW_PIVOTS * k; left > 0 && few_pivot(w, &v, n, k); left--) continue;
    w->p = 0;
    for (int j = 0; j < k; j++) w->place[j] = 0;
    for (int l = 0; l < k; l++) {
        if (v.row[l] < 0)
            w->place[v.bound[l]] = -1;
        else
            w->B[w->p++] = v.row[l];
    }
    int64_t f = 0;
    for (int j = 0; j < k; j++)
        if (w->place[j] == 0) w->F[f++] = j;
}

/* Pivots from b to the vertex that is optimal in single precision, and writes its free variables
 * and rows to w->F and w->B. */
static void few_pivots(chi_lad *w, const narrow_rows *n, const double *b) {
    if (w->k == 2) few_pivots_of(w, n, b, 2);
    if (w->k == 3) few_pivots_of(w, n, b, 3);
    if (w->k == 4) few_pivots_of(w, n, b, 4);
    if (w->k == 5) few_pivots_of(w, n, b, 5);
    if (w->k == 6) few_pivots_of(w, n, b, 6);
    if (w->k == 7) few_pivots_of(w, n, b, 7);
    if (w->k == 8) few_pivots_of(w, n, b, 8);
}
