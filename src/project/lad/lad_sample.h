/* The parts of a start for problems with many times more rows than anchors (lad_band.h). It
 * reweights a sample of the rows, and then makes a few steps with all rows,
 *
 *     b <- ( b + over H^-1 (A's - c) )_+ ,     s = sign(x - A b),
 *
 * where H is that of the sample, scaled to all rows. `over` is OVER at first and then follows from
 * the slopes at the two ends of the last step. A step that raises the objective is undone. The
 * sample's solution has an error of about sqrt(anchors / rows of the sample) times the mean
 * residual; each step reduces it to a fraction. A step is one pass over the rows. Weights of all
 * rows would cost k times as much; here only the sample pays this cost. */
#pragma once

#include "project/lad/lad_reweight.h"

enum {
    SAMPLE_ROWS = 128,      /* minimum number of rows of the sample                */
    SAMPLE_PER_ANCHOR = 12, /* further rows of the sample per anchor               */
    SAMPLE_SHARE = 32,      /* further rows of the sample: all rows / SAMPLE_SHARE */
    SAMPLE_WORTH = 2,       /* minimum ratio of all rows to the sample             */
    SAMPLE_ROUNDS = 4,      /* rounds of reweighting                               */
    PASS_VECTORS = 8,       /* vectors of rows that stay in registers              */
    SUMMED_ROWS = 8192      /* rows whose products are summed in single precision  */
};

/* The factor by which the length of the steps may change at once. */
static const double SHORTEN = 1.0 / 3, LENGTHEN = 2;

/* ---- a pass over the rows ------------------------------------------------------------------- */

/* r = x - A b for `count` vectors of rows from row i on, and their sign bits. Returns the sums of
 * |r|. */
INLINE vec_f32 pass_residual(const narrow_rows *n, vec_f32 *sign, int64_t i, const int count) {
    enum { V = PASS_VECTORS, L = F32_LANES };
    const vec_i32 minus = (vec_i32)(-f32_all(0.0F));
    vec_f32 r[V], total = {0};
    for (int v = 0; v < count; v++) r[v] = f32_load(n->x + i + v * L);
    for (int64_t j = 0; j < n->k; j++) {
        if (n->b[j] == 0) continue;
        vec_f32 factor = f32_all(n->b[j]);
        const float *a = n->a[j] + i;
        for (int v = 0; v < count; v++) r[v] -= factor * f32_load(a + v * L);
    }
    for (int v = 0; v < count; v++) {
        f32_store(n->r + i + v * L, r[v]);
        total += narrow_size(r[v]);
        sign[v] = (vec_f32)((vec_i32)r[v] & minus);
    }
    return total;
}

/* For every anchor j, adds a_j times the signs of `count` vectors of rows from row i on to sum[j *
 * F32_LANES ..], lane by lane. */
INLINE void pass_products(const narrow_rows *n, float *sum, const vec_f32 *sign, int64_t i,
                          const int count) {
    enum { L = F32_LANES };
    for (int64_t j = 0; j < n->k; j++, sum += L) {
        const float *a = n->a[j] + i;
        vec_f32 even = f32_load(sum), odd = {0};
        for (int v = 0; v < count; v++) {
            vec_f32 term = (vec_f32)((vec_i32)f32_load(a + v * L) ^ (vec_i32)sign[v]);
            *(v % 2 ? &odd : &even) += term;
        }
        f32_store(sum, even + odd);
        if (count > 1) fetch_ahead(a + count * L, count * L * (int)sizeof *a);
    }
}

/* Computes r = x - A b of rows low .. high - 1 and adds A'sign(r) over them to sum, lane by lane; a
 * stretch of rows is still in the cache when its signs are known. Returns |r|_1 of these rows. */
static double pass_rows(const narrow_rows *n, float *sum, int64_t low, int64_t high) {
    enum { V = PASS_VECTORS, L = F32_LANES };
    vec_f32 total = {0}, sign[V];
    int64_t i = low;
    for (; i + V * L <= high; i += V * L) {
        total += pass_residual(n, sign, i, V);
        pass_products(n, sum, sign, i, V);
    }
    for (; i < high; i += L) {
        total += pass_residual(n, sign, i, 1);
        pass_products(n, sum, sign, i, 1);
    }
    return f32_sum(total);
}

/* Computes r = x - A b and g = A'sign(r) in one pass. Overwrites the start of n->near. Returns
 * |r|_1. */
static double narrow_pass(const narrow_rows *n, double *g) {
    enum { L = F32_LANES };
    float *sum = n->near;
    double size = 0;
    for (int64_t j = 0; j < n->k; j++) g[j] = 0;
    for (int64_t low = 0; low < n->count; low += SUMMED_ROWS) {
        int64_t high = n->count - low < SUMMED_ROWS ? n->count : low + SUMMED_ROWS;
        memset(sum, 0, (size_t)(n->k * L) * sizeof *sum);
        size += pass_rows(n, sum, low, high);
        for (int64_t j = 0; j < n->k; j++) g[j] += f32_sum(f32_load(sum + j * L));
    }
    /* The padding has r = 0 and a = 0. */
    return size;
}

/* ---- a sample of the rows ------------------------------------------------------------------- */

/* Lays out arrays for this many rows in w->few_rows. The caller must fill x and the anchors. */
static narrow_rows few_rows(chi_lad *w, const narrow_rows *n, int64_t rows) {
    int64_t count = whole_vectors(rows);
    float *x = w->few_rows;
    for (int64_t j = 0; j < w->k; j++) w->few_column[j] = x + (6 + j) * count;
    return (narrow_rows){.count = count,
                         .k = w->k,
                         .rows = rows,
                         .cost = w->few_cost,
                         .a = w->few_column,
                         .unit = n->unit,
                         .x = x,
                         .r = x + count,
                         .b = w->narrow_b,
                         .weight = x + 2 * count,
                         .step = x + 3 * count,
                         .near = x + 4 * count,
                         .scale = n->scale,
                         .total = n->total,
                         .lift = -1};
}

static int64_t sample_wanted(const chi_lad *w) {
    int64_t wanted = SAMPLE_ROWS + SAMPLE_PER_ANCHOR * w->k + w->m / SAMPLE_SHARE;
    wanted = wanted < w->few_rows_most ? wanted : w->few_rows_most;
    wanted = wanted < w->m / SAMPLE_WORTH ? wanted : w->m / SAMPLE_WORTH;
    return wanted / CHI_NARROW_PAD * CHI_NARROW_PAD;
}

/* Copies the sample: stretches of rows, one cache line each, spread evenly over S except for its
 * last line, which may hold padding. */
static narrow_rows take_rows(chi_lad *w, const narrow_rows *n, int64_t wanted) {
    enum { LINE = CHI_NARROW_PAD };
    narrow_rows sample = few_rows(w, n, wanted);
    int64_t lines = wanted / LINE, all = n->count / LINE - 1;
    for (int64_t l = 0; l < lines; l++) {
        int64_t from = l * all / lines * LINE;
        memcpy(sample.x + l * LINE, n->x + from, LINE * sizeof *n->x);
        for (int64_t j = 0; j < w->k; j++)
            memcpy(w->few_rows + (6 + j) * sample.count + l * LINE, n->a[j] + from,
                   LINE * sizeof *n->x);
    }
    for (int64_t j = 0; j < w->k; j++) w->few_cost[j] = n->cost[j] * (double)wanted / (double)w->m;
    return sample;
}

/* ---- steps with all rows -------------------------------------------------------------------- */

/* Computes H of the sample for all variables, scaled to all rows, into w->curvature. */
static void measure_curvature(chi_lad *w, const narrow_rows *sample) {
    double scale = (double)w->m / (double)sample->rows;
    for (int64_t j = 0; j < w->k; j++) w->order[j] = (int32_t)j;
    weighted_gram(sample, w->curvature, w->ld, w->order, w->k);
    for (int64_t j = 0; j < w->k; j++)
        for (int64_t l = j; l < w->k; l++) w->curvature[j * w->ld + l] *= scale;
}

/* Returns whether w->factor, which is decomposed for the `count` variables with w->place[j] = 1, is
 * that of the p variables in w->order. */
static int is_decomposed(const chi_lad *w, int64_t count, int64_t p) {
    int same = p == count;
    for (int64_t s = 0; s < p && same; s++) same = w->place[w->order[s]];
    return same;
}

/* Copies the curvature of the p variables in w->order to w->factor. */
static void copy_curvature(chi_lad *w, int64_t p) {
    const int32_t *moving = w->order;
    int64_t ld = w->ld;
    for (int64_t s = 0; s < p; s++)
        for (int64_t t = s; t < p; t++)
            w->factor[s * ld + t] = w->curvature[moving[s] * ld + moving[t]];
    memset(w->place, 0, (size_t)w->k * sizeof *w->place);
    for (int64_t s = 0; s < p; s++) w->place[moving[s]] = 1;
}

/* Returns the root mean square over the rows, in units of r, of the step of the p variables in
 * w->order by w->rhs. */
static double step_reach(chi_lad *w, const narrow_rows *n, int64_t p) {
    double *y = w->rhs, square = 0;
    for (int64_t s = 0; s < p; s++) y[s] *= n->unit[w->order[s]];
    for (int64_t s = 0; s < p; s++) {
        const double *gram = w->cone->gram + w->order[s] * w->cone->capacity;
        double sum = 0;
        for (int64_t t = 0; t < p; t++) sum += gram[w->order[t]] * y[t];
        square += sum * y[s];
    }
    return sqrt(larger(square, 0) / (double)w->x.rows);
}

/* Makes one step of b, `over` times the Newton step, given g = A's. w->factor is decomposed for
 * *decomposed variables, those with w->place[j] = 1; most steps move the same. *reach becomes the
 * root mean square of the step over the rows. Returns 0 if H is not positive definite. */
static int step_by_curvature(chi_lad *w, const narrow_rows *n, double *b, const double *g,
                             double *reach, double over, int64_t *decomposed) {
    const int32_t *moving = w->order;
    double *y = w->rhs;
    int64_t p = list_moving(w, n, b, g);
    int same = is_decomposed(w, *decomposed, p);
    if (!same) copy_curvature(w, p);
    if (!solve_step(w, n, b, p, over, same)) return 0;
    *decomposed = p;
    for (int64_t s = 0; s < p; s++) {
        double now = larger(b[moving[s]] + over * y[s], 0);
        y[s] = now - b[moving[s]];
        b[moving[s]] = now;
    }
    if (n->total > 0) return_to_hull(b, w->k, n->total);
    *reach = step_reach(w, n, p);
    return 1;
}

/* Computes the residual of b in n->r and A's in w->few_products. Returns the objective. */
static double pass_at(chi_lad *w, const narrow_rows *n, const double *b) {
    narrow_b(n, b);
    double value = narrow_pass(n, w->few_products);
    for (int64_t j = 0; j < w->k; j++) value += n->cost[j] * b[j];
    return value;
}

/* Returns the factor by which the step from w->few_b to b should have been longer: at that length
 * the slope along the step would be zero, if it falls linearly. The factor is limited to [SHORTEN,
 * LENGTHEN]. g is A's at w->few_b, and w->few_products is A's at b. */
static double length_lacking(const chi_lad *w, const narrow_rows *n, const double *b,
                             const double *g) {
    double before = 0, fall = 0;
    for (int64_t j = 0; j < w->k; j++) {
        double change = b[j] - w->few_b[j];
        before += change * (g[j] - n->cost[j]);
        fall += change * (g[j] - w->few_products[j]);
    }
    return fall > 0 ? smaller(larger(before / fall, SHORTEN), LENGTHEN) : 1;
}
