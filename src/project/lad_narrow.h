/* The way from b = 0 for a few anchors: the pivots of lad_pivot.h with the loops over the rows in
 * single precision, which is twice as many rows at a time, and with nothing kept from pivot to
 * pivot but b. It only proposes a vertex: whatever it ends at, the pivots in double precision go on
 * from there, usually with nothing left to do, and the proof is theirs. */
#ifndef CONEHULL_LAD_NARROW_H
#define CONEHULL_LAD_NARROW_H

#include "project/lad_pivot.h"

enum {
    NARROW_PIVOTS = 12, /* times k: then something is wrong, and double precision goes on */
    NARROW_ROUNDS = 12, /* secant steps                                                   */
    NARROW_FEW = 12     /* breakpoints' weight to stop at                                 */
};

/* Ties are broken by noise well above single precision's rounding. */
static const double NARROW_NOISE = 0x1p-15;
/* Slopes this close to optimal are left to double precision. */
static const double NARROW_PRICE = 1e-5;
/* Slopes below this, relative to the edge's mean, are rounding. */
static const double NARROW_FLAT = 1e-6;
/* Columns whose size differs from that of x by more might leave the range. */
static const double NARROW_RANGE = 1e9;

/* The arrays of one column, each padded with zeros to whole vectors. */
typedef struct narrow_rows {
    int64_t count; /* of rows, whole vectors                    */
    float *x, *a[CHI_NARROW_ANCHORS];
    float *r, *step, *weight; /* residual; breakpoint and its weight, or INFINITY and 0 */
    double scale;             /* x and A are those of the problem times this */
} narrow_rows;

static inline float sum_lanes(chi_narrow v) {
    float sum[CHI_NARROW_LANES];
    memcpy(sum, &v, sizeof v);
    for (int width = CHI_NARROW_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) sum[l] += sum[l + width];
    return sum[0];
}

/* 0 when this way is not for this column. A single anchor needs one pivot in any precision. */
static int narrow_load(narrow_rows *n, chi_lad *w) {
    int64_t m = w->m, k = w->k, room = CHI_NARROW_ROWS;
    if (k < 2 || k > CHI_NARROW_ANCHORS || m > CHI_NARROW_ROWS || m < ROWS_WORTH_SAMPLING) return 0;
    for (int64_t j = 0; j < k; j++)
        if (!(w->cone->sums[j] < NARROW_RANGE * w->x.sum) ||
            !(w->x.sum < NARROW_RANGE * w->cone->sums[j]))
            return 0;
    if (w->cone->rows < room)
        room = (w->cone->rows + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
    n->count = (m + CHI_NARROW_PAD - 1) / CHI_NARROW_PAD * CHI_NARROW_PAD;
    n->scale = (double)m / w->x.sum;
    float *next = w->narrow;
    n->x = next, n->r = next += room, n->step = next += room, n->weight = next += room;
    for (int64_t j = 0; j < k; j++) n->a[j] = next += room;
    const double *value = w->target;
    const int32_t *index = w->x.index;
    double scale = n->scale, noise = scale * NARROW_NOISE;
    if (index)
        for (int64_t i = 0; i < m; i++)
            n->x[i] = (float)(value[i] * (scale + noise * w->noise[index[i]]));
    else
        for (int64_t i = 0; i < m; i++) n->x[i] = (float)(value[i] * (scale + noise * w->noise[i]));
    for (int64_t j = 0; j < k; j++) {
        const double *a = column_of(w, j);
        float *to = n->a[j];
        for (int64_t i = 0; i < m; i++) to[i] = (float)(a[i] * scale);
        for (int64_t i = m; i < n->count; i++) to[i] = 0;
    }
    for (int64_t i = m; i < n->count; i++) n->x[i] = 0;
    return 1;
}

/* r = x - A b and sum[j] = a_j'sign(r). */
static inline __attribute__((always_inline)) void
narrow_residual_of(const narrow_rows *n, float *sum, const float *b, const int k) {
    chi_narrow total[CHI_NARROW_ANCHORS] = {{0}}, factor[CHI_NARROW_ANCHORS];
    const chi_narrow_mask minus = (chi_narrow_mask)(-chi_narrow_all(0.0F));
    for (int j = 0; j < k; j++) factor[j] = chi_narrow_all(b[j]);
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow a[CHI_NARROW_ANCHORS], r = chi_narrow_load(n->x + i);
        for (int j = 0; j < k; j++) {
            a[j] = chi_narrow_load(n->a[j] + i);
            r -= factor[j] * a[j];
        }
        chi_narrow_store(n->r + i, r);
        chi_narrow_mask sign = (chi_narrow_mask)r & minus;
        for (int j = 0; j < k; j++) total[j] += (chi_narrow)((chi_narrow_mask)a[j] ^ sign);
    }
    for (int j = 0; j < k; j++) sum[j] = sum_lanes(total[j]);
}

/* Breakpoints along t = A delta; the sums of their weights and, over them, of |r|. */
static inline __attribute__((always_inline)) void
narrow_breaks_of(const narrow_rows *n, float *sums, const float *delta, float flat, const int k) {
    chi_narrow weights = {0}, sizes = {0}, flat_all = chi_narrow_all(flat);
    chi_narrow factor[CHI_NARROW_ANCHORS], never = chi_narrow_all(INFINITY);
    const chi_narrow_mask minus = (chi_narrow_mask)(-chi_narrow_all(0.0F));
    for (int j = 0; j < k; j++) factor[j] = chi_narrow_all(delta[j]);
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow t = factor[0] * chi_narrow_load(n->a[0] + i), r = chi_narrow_load(n->r + i);
        for (int j = 1; j < k; j++) t += factor[j] * chi_narrow_load(n->a[j] + i);
        chi_narrow_mask sign = (chi_narrow_mask)r & minus;
        chi_narrow weight = (chi_narrow)((chi_narrow_mask)t ^ sign);
        chi_narrow_mask steep = weight > flat_all;
        chi_narrow size = (chi_narrow)((chi_narrow_mask)r & ~minus & steep);
        chi_narrow step = size / weight;
        weight = (chi_narrow)((chi_narrow_mask)weight & steep);
        step = (chi_narrow)(((chi_narrow_mask)step & steep) | ((chi_narrow_mask)never & ~steep));
        weights += weight;
        sizes += size;
        chi_narrow_store(n->weight + i, weight);
        chi_narrow_store(n->step + i, step);
    }
    sums[0] = sum_lanes(weights);
    sums[1] = sum_lanes(sizes);
}

/* The number of anchors as a constant, for the loops above to keep their columns in registers. */
static void narrow_residual(const narrow_rows *n, float *sum, const float *b, int64_t k) {
    if (k == 2) narrow_residual_of(n, sum, b, 2);
    if (k == 3) narrow_residual_of(n, sum, b, 3);
    if (k == 4) narrow_residual_of(n, sum, b, 4);
}

static void narrow_breaks(const narrow_rows *n, float *sums, const float *delta, float flat,
                          int64_t k) {
    if (k == 2) narrow_breaks_of(n, sums, delta, flat, 2);
    if (k == 3) narrow_breaks_of(n, sums, delta, flat, 3);
    if (k == 4) narrow_breaks_of(n, sums, delta, flat, 4);
}

/* The weights of breakpoints up to step. */
static float narrow_weight_up_to(const narrow_rows *n, float step) {
    enum { L = CHI_NARROW_LANES };
    chi_narrow even = {0}, odd = {0}, by = chi_narrow_all(step);
    for (int64_t i = 0; i < n->count; i += 2 * L) {
        chi_narrow_mask first = (chi_narrow_mask)chi_narrow_load(n->weight + i);
        chi_narrow_mask second = (chi_narrow_mask)chi_narrow_load(n->weight + i + L);
        even += (chi_narrow)(first & (chi_narrow_load(n->step + i) <= by));
        odd += (chi_narrow)(second & (chi_narrow_load(n->step + i + L) <= by));
    }
    return sum_lanes(even + odd);
}

/* Lists the breakpoints in (low, high]. Rows without weight, the padding among them, have their
 * step at infinity, which high may be too. */
static int64_t narrow_collect(const narrow_rows *n, chi_break *list, float low, float high) {
    int64_t count = 0;
    chi_narrow low_all = chi_narrow_all(low), high_all = chi_narrow_all(high), none = {0};
    for (int64_t i = 0; i < n->count; i += CHI_NARROW_LANES) {
        chi_narrow step = chi_narrow_load(n->step + i), weight = chi_narrow_load(n->weight + i);
        chi_narrow_mask inside = (step > low_all) & (step <= high_all) & (weight > none);
        unsigned bits = chi_narrow_bits(inside);
        for (; bits; bits &= bits - 1) {
            int64_t row = i + __builtin_ctz(bits);
            list[count++] = (chi_break){n->step[row], n->weight[row], (int32_t)row};
        }
    }
    return count;
}

/* As search_edge(): secant steps until few breakpoints are left, those of tied rows aside, which
 * lie so close together that no step divides them. */
static int64_t narrow_search(chi_lad *w, const narrow_rows *n, double *step, float need,
                             float limit, const float *sums) {
    float low = -1, high = limit, below = 0, above = sums[0],
          few = NARROW_FEW * sums[0] / (float)w->m, margin = few / 3;
    float share = need / sums[0], at = sums[1] / sums[0] * share * (1 + share);
    int bounded = 0; /* high has been seen to be enough */
    *step = limit;
    for (int round = 0; round < NARROW_ROUNDS && !(bounded && above - below <= few); round++) {
        at = at < limit ? at : limit;
        float sum = narrow_weight_up_to(n, at), aim = sum < need ? need + margin : need - margin;
        if (sum < need && !(at < limit)) return -1;
        *(sum < need ? &low : &high) = at;
        *(sum < need ? &below : &above) = sum;
        bounded |= sum >= need;
        float from = low > 0 ? low : 0;
        at = bounded ? from + (high - from) * (aim - below) / (above - below) : 4 * at;
        if (bounded && !(at > from && at < high)) at = (from + high) / 2;
    }
    int64_t count = narrow_collect(n, w->breaks, low, high);
    if (!count) return -1;
    chi_break stop = weighted_median(w->breaks, w->spare, count, need - below, above - below);
    *step = stop.step;
    return stop.row;
}

/* q = A's - c at b. */
static void narrow_settle(chi_lad *w, const narrow_rows *n) {
    float b[CHI_NARROW_ANCHORS] = {0}, sum[CHI_NARROW_ANCHORS];
    for (int64_t f = 0; f < w->p; f++) b[w->F[f]] = (float)w->b[f];
    narrow_residual(n, sum, b, w->k);
    for (int64_t j = 0; j < w->k; j++) w->q[j] = sum[j] / n->scale - w->c[j];
    for (int64_t l = 0; l < w->p; l++) {
        float *r = n->r + w->B[l];
        add(w->q, signbit(*r) ? 1 : -1, w->B_row[l], w->k_pad);
        *r = 0;
    }
}

/* As take_edge(). */
static int narrow_edge(chi_lad *w, const narrow_rows *n, const edge_choice *edge) {
    int64_t bound = -1, count = edge_delta(w, edge), k = w->k;
    double step, length = edge_length(w, count), limit = bound_limit(w, &bound);
    if (!(length > 0)) return 0;
    float delta[CHI_NARROW_ANCHORS] = {0}, sums[2] = {0};
    for (int64_t f = 0; f < count; f++) delta[w->F[f]] = (float)w->delta[f];
    float flat = (float)(n->scale * NARROW_FLAT * sqrt(length / (double)w->m));
    narrow_breaks(n, sums, delta, flat, k);
    for (int64_t l = 0; l < w->p; l++) {
        sums[0] -= n->weight[w->B[l]];
        n->weight[w->B[l]] = 0;
        n->step[w->B[l]] = INFINITY;
    }
    int64_t row =
        narrow_search(w, n, &step, (float)(edge->slope / 2 * n->scale), (float)limit, sums);
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

/* From b = 0. */
static void start_narrow(chi_lad *w) {
    narrow_rows n;
    edge_choice edge = {0};
    start_cold(w);
    if (!narrow_load(&n, w)) return;
    for (int64_t left = NARROW_PIVOTS * w->k; left > 0; left--) {
        narrow_settle(w, &n);
        price(w);
        if (!choose_edge(w, &edge, NARROW_PRICE) || !narrow_edge(w, &n, &edge)) break;
    }
    make_feasible(w);
    settle(w);
}

#endif
