/* Pivots for a few anchors with the loops over the rows in single precision, which is twice as many
 * rows at a time, and with nothing kept from pivot to pivot but b. They only propose a vertex:
 * whatever they end at, the pivots in double precision go on from there, usually with nothing left
 * to do, and the proof is theirs. */
#ifndef CONEHULL_LAD_NARROW_H
#define CONEHULL_LAD_NARROW_H

#include "project/lad_pivot.h"
#include "project/lad_reweight.h"
#include <float.h>

enum {
    ROWS_PER_ANCHOR = 4, /* fewer, and least squares tells little                           */
    NARROW_PIVOTS = 12,  /* times k: then something is wrong, and double precision goes on  */
    NARROW_LONG = 48     /* breakpoints in a list, whose median is not found one by one     */
};

/* The first stretch of an edge that is searched, if breakpoints lay evenly; how stretches grow. */
static const float NARROW_GUESS = 0.5F, NARROW_STRETCH = 4;
/* Slopes this close to optimal are left to double precision. */
static const double NARROW_PRICE = 1e-5;
/* Slopes below this, relative to the edge's mean, are rounding. */
static const float NARROW_FLAT = 1e-6F;
/* r = x - A b and sum[j] = a_j'sign(r). */
static inline __attribute__((always_inline)) void narrow_residual_of(const narrow_rows *n,
                                                                     float *sum, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    chi_narrow total[K] = {{0}}, factor[K];
    const chi_narrow_mask minus = (chi_narrow_mask)(-chi_narrow_all(0.0F));
    const float *x = n->x, *column[K];
    float *rest = n->r;
    for (int j = 0; j < k; j++) {
        factor[j] = chi_narrow_all(n->b[j]);
        column[j] = n->a[j];
    }
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow a[K], r = chi_narrow_load(x + i);
        for (int j = 0; j < k; j++) {
            a[j] = chi_narrow_load(column[j] + i);
            r -= factor[j] * a[j];
        }
        chi_narrow_store(rest + i, r);
        chi_narrow_mask sign = (chi_narrow_mask)r & minus;
        for (int j = 0; j < k; j++) total[j] += (chi_narrow)((chi_narrow_mask)a[j] ^ sign);
    }
    for (int j = 0; j < k; j++) sum[j] = chi_narrow_sum(total[j]);
}

/* Breakpoints along t = A delta; the sums of their weights and, over them, of |r|. */
static inline __attribute__((always_inline)) void
narrow_breaks_of(const narrow_rows *n, float *sums, const float *delta, const int k) {
    enum { K = CHI_NARROW_ANCHORS };
    chi_narrow weights = {0}, sizes = {0}, flat = chi_narrow_all(NARROW_FLAT);
    chi_narrow factor[K], never = chi_narrow_all(INFINITY);
    const chi_narrow_mask minus = (chi_narrow_mask)(-chi_narrow_all(0.0F));
    const float *rest = n->r, *column[K];
    float *at = n->step, *slope = n->weight;
    for (int j = 0; j < k; j++) {
        factor[j] = chi_narrow_all(delta[j]);
        column[j] = n->a[j];
    }
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow t = factor[0] * chi_narrow_load(column[0] + i), r = chi_narrow_load(rest + i);
        for (int j = 1; j < k; j++) t += factor[j] * chi_narrow_load(column[j] + i);
        chi_narrow weight = (chi_narrow)((chi_narrow_mask)t ^ ((chi_narrow_mask)r & minus));
        chi_narrow_mask steep = weight > flat;
        chi_narrow size = (chi_narrow)((chi_narrow_mask)narrow_size(r) & steep);
        chi_narrow step = narrow_choose(steep, size / weight, never);
        weight = (chi_narrow)((chi_narrow_mask)weight & steep);
        weights += weight;
        sizes += size;
        chi_narrow_store(slope + i, weight);
        chi_narrow_store(at + i, step);
    }
    sums[0] = chi_narrow_sum(weights);
    sums[1] = chi_narrow_sum(sizes);
}

/* The number of anchors as a constant, for the loops above to keep their columns in registers. */
static void narrow_residual(const narrow_rows *n, float *sum) {
    if (n->k == 2) narrow_residual_of(n, sum, 2);
    if (n->k == 3) narrow_residual_of(n, sum, 3);
    if (n->k == 4) narrow_residual_of(n, sum, 4);
    if (n->k == 5) narrow_residual_of(n, sum, 5);
    if (n->k == 6) narrow_residual_of(n, sum, 6);
    if (n->k == 7) narrow_residual_of(n, sum, 7);
    if (n->k == 8) narrow_residual_of(n, sum, 8);
}

static void narrow_breaks(const narrow_rows *n, float *sums, const float *delta) {
    if (n->k == 2) narrow_breaks_of(n, sums, delta, 2);
    if (n->k == 3) narrow_breaks_of(n, sums, delta, 3);
    if (n->k == 4) narrow_breaks_of(n, sums, delta, 4);
    if (n->k == 5) narrow_breaks_of(n, sums, delta, 5);
    if (n->k == 6) narrow_breaks_of(n, sums, delta, 6);
    if (n->k == 7) narrow_breaks_of(n, sums, delta, 7);
    if (n->k == 8) narrow_breaks_of(n, sums, delta, 8);
}

/* Breakpoints of a stretch of the edge; whole vectors, the last one filled with infinity. */
typedef struct near_breaks {
    float *step, *weight;
    int32_t *row;
    int64_t count;
    float total;
} near_breaks;

/* Lists the breakpoints in (low, high]: 64 rows at a time, for the branches to be few. */
static void narrow_collect(near_breaks *list, const narrow_rows *n, float low, float high) {
    const float *step = n->step, *weight = n->weight;
    const chi_narrow low_all = chi_narrow_all(low), high_all = chi_narrow_all(high);
    int64_t count = 0, rows = n->count;
    float total = 0;
    for (int64_t base = 0; base < rows; base += 64) {
        int64_t end = rows - base < 64 ? rows - base : 64;
        uint64_t bits = 0;
        for (int64_t i = 0; i < end; i += CHI_NARROW_LANES) {
            chi_narrow at = chi_narrow_load(step + base + i);
            bits |= (uint64_t)chi_narrow_bits((at > low_all) & (at <= high_all)) << i;
        }
        for (; bits; bits &= bits - 1) {
            int64_t row = base + __builtin_ctzll(bits);
            list->row[count] = (int32_t)row;
            list->step[count] = step[row];
            list->weight[count++] = weight[row];
            total += weight[row];
        }
    }
    for (int64_t i = count; i < whole_vectors(count); i++) list->step[i] = INFINITY;
    list->count = count;
    list->total = total;
}

/* The breakpoint of the list at which the weights reach need. */
static int64_t narrow_median(chi_lad *w, near_breaks *list, float need) {
    if (list->count <= NARROW_LONG) {
        for (int64_t left = list->count;; left--) {
            int64_t first = nearest_row(list->step, whole_vectors(list->count));
            need -= list->weight[first];
            if (need <= 0 || left == 1) return first;
            list->step[first] = INFINITY;
        }
    }
    for (int64_t i = 0; i < list->count; i++)
        w->breaks[i] = (chi_break){list->step[i], list->weight[i], (int32_t)i};
    return weighted_median(w->breaks, w->spare, list->count, need, list->total).row;
}

/* As search_edge(), over stretches of the edge that grow from where few breakpoints are expected.
 * sums: of the weights, and of |r| over the breakpoints. */
static int64_t narrow_search(chi_lad *w, const narrow_rows *n, float *step, float need, float limit,
                             const float *sums) {
    near_breaks list = {.step = n->near, .weight = n->near + n->count, .row = w->flips};
    float low = -1, share = need / sums[0], at = NARROW_GUESS * sums[1] / sums[0] * share;
    for (;;) {
        at = at < limit ? at : limit;
        narrow_collect(&list, n, low, at);
        if (list.total >= need) break;
        if (!(at < limit)) return -1;
        need -= list.total;
        low = at;
        at = at > 0 ? NARROW_STRETCH * at : limit;
    }
    int64_t found = narrow_median(w, &list, need);
    *step = n->step[list.row[found]];
    return list.row[found];
}

/* q = A's - c at b. */
static void narrow_settle(chi_lad *w, const narrow_rows *n) {
    float sum[CHI_NARROW_ANCHORS];
    for (int64_t j = 0; j < w->k; j++) n->b[j] = 0;
    for (int64_t f = 0; f < w->p; f++) {
        int64_t j = w->F[f];
        n->b[j] = (float)(w->b[f] * n->scale / n->unit[j]);
    }
    narrow_residual(n, sum);
    for (int64_t j = 0; j < w->k; j++) w->q[j] = sum[j] / n->unit[j] - w->c[j];
    for (int64_t l = 0; l < w->p; l++) {
        float *r = n->r + w->B[l];
        add(w->q, signbit(*r) ? 1 : -1, w->B_row[l], w->k_pad);
        *r = 0;
    }
}

/* As search_edge(), with t scaled to a mean square of 1. */
static int64_t narrow_stop(chi_lad *w, const narrow_rows *n, double *step, double need,
                           double limit, double length, int64_t count) {
    float delta[CHI_NARROW_ANCHORS] = {0}, sums[2] = {0};
    double scale = sqrt((double)w->m / length);
    for (int64_t f = 0; f < count; f++)
        delta[w->F[f]] = (float)(w->delta[f] * scale / n->unit[w->F[f]]);
    narrow_breaks(n, sums, delta);
    for (int64_t l = 0; l < w->p; l++) {
        sums[0] -= n->weight[w->B[l]];
        n->weight[w->B[l]] = 0;
        n->step[w->B[l]] = INFINITY;
    }
    float reached = 0, farthest = (float)smaller(limit * n->scale / scale, FLT_MAX);
    int64_t row = narrow_search(w, n, &reached, (float)(need * scale), farthest, sums);
    *step = row < 0 ? limit : reached * scale / n->scale;
    return row;
}

/* As take_edge(). */
static int narrow_edge(chi_lad *w, const narrow_rows *n, const edge_choice *edge) {
    int64_t bound = -1, count = edge_delta(w, edge);
    double step, length = edge_length(w, count), limit = bound_limit(w, &bound);
    if (!(length > 0)) return 0;
    int64_t row = narrow_stop(w, n, &step, edge->slope / 2, limit, length, count);
    if (row < 0 && bound < 0) return 0;
    double pivot = 0;
    if (row >= 0) {
        const double *a = row_of(w, row);
        edges_at_row(w, a);
        for (int64_t f = 0; f < count; f++) pivot += w->delta[f] * a[w->F[f]];
        w->t[row] = pivot;
    } else {
        edges_at_bound(w, bound);
        pivot = w->delta[bound];
    }
    double again = edge->is_row ? -edge->sign * w->u[edge->at] : w->edge[edge->at];
    if (!(fabs(pivot - again) <= DRIFT * fabs(pivot))) return 0;
    for (int64_t f = 0; f < w->p; f++) w->b[f] = larger(w->b[f] + step * w->delta[f], 0);
    exchange(w, edge, row, bound, step, length);
    w->pivots++;
    return 1;
}

/* From a vertex near the optimum to what single precision takes for it. */
static void narrow_pivots(chi_lad *w, const narrow_rows *n) {
    edge_choice edge = {0};
    for (int64_t left = NARROW_PIVOTS * w->k; left > 0; left--) {
        narrow_settle(w, n);
        price(w);
        if (!choose_edge(w, &edge, NARROW_PRICE) || !narrow_edge(w, n, &edge)) break;
    }
    make_feasible(w);
}

/* The start of a canonical solve: near the optimum where there are rows enough to tell, else at
 * b = 0. A single anchor needs one pivot from anywhere. */
static void start_near(chi_lad *w) {
    narrow_rows n;
    if (w->k < 2 || w->m < ROWS_WORTH_SAMPLING || w->m < ROWS_PER_ANCHOR * w->k) {
        start_cold(w);
        return;
    }
    narrow_load(&n, w);
    reweight(w, &n, w->z);
    int64_t count = list_free(w, w->z);
    for (int64_t i = 0; i < w->m; i++) n.step[i] = fabsf(n.r[i]);
    for (int64_t i = w->m; i < n.count; i++) n.step[i] = INFINITY;
    choose_rows(w, n.step, w->order, count);
    make_feasible(w);
    measure_edges(w);
    if (w->k <= CHI_NARROW_ANCHORS) narrow_pivots(w, &n);
    settle(w);
}

#endif
