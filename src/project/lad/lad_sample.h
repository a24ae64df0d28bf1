/* The start where rows are many times the anchors: reweighting on a sample of the rows, and from
 * there a few steps with all of them,
 *
 *     b <- ( b + OVER H^-1 (A's - c) )_+ ,     s = sign(x - A b),
 *
 * whose H is that of the sample, scaled to all rows. The error of the sample's solution, about
 * sqrt(anchors / rows of the sample) of a mean residual, falls to a fraction of itself in each
 * step, and a step is one pass over the rows: what the weights of all rows would cost, anchors
 * times as much, is paid for the sample alone. */
#pragma once

#include "project/lad/lad_reweight.h"

enum {
    SAMPLE_ROWS = 128,      /* of S, besides ...                                      */
    SAMPLE_PER_ANCHOR = 16, /* ... so many for each anchor, and ...                   */
    SAMPLE_SHARE = 32,      /* ... one of so many                                     */
    SAMPLE_WORTH = 3,       /* all rows are so many times those of the sample         */
    SAMPLE_ROUNDS = 5,      /* of reweighting                                         */
    ALL_STEPS = 4,          /* with all rows                                          */
    PASS_VECTORS = 8,       /* of rows that stay in registers                         */
    SUMMED_ROWS = 8192      /* rows whose products are added in single precision      */
};

/* ---- a pass over the rows ------------------------------------------------------------------- */

/* r = x - A b for the rows of `count` vectors from row i on, and their signs, the first bits. */
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

/* sum[j] += a_j times the signs of the same rows. */
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
    }
}

/* r = x - A b and g = A'sign(r) in one pass: a stretch of the rows is still in the cache when its
 * signs are known. The start of n->near is overwritten. Returns |r|_1. */
static double narrow_pass(const narrow_rows *n, double *g) {
    enum { V = PASS_VECTORS, L = F32_LANES };
    float *sum = n->near;
    double size = 0;
    for (int64_t j = 0; j < n->k; j++) g[j] = 0;
    for (int64_t low = 0; low < n->count; low += SUMMED_ROWS) {
        int64_t i = low, high = n->count - low < SUMMED_ROWS ? n->count : low + SUMMED_ROWS;
        vec_f32 total = {0}, sign[V];
        memset(sum, 0, (size_t)(n->k * L) * sizeof *sum);
        for (; i + V * L <= high; i += V * L) {
            total += pass_residual(n, sign, i, V);
            pass_products(n, sum, sign, i, V);
        }
        for (; i < high; i += L) {
            total += pass_residual(n, sign, i, 1);
            pass_products(n, sum, sign, i, 1);
        }
        size += f32_sum(total);
        for (int64_t j = 0; j < n->k; j++) g[j] += f32_sum(f32_load(sum + j * L));
    }
    /* The padding has r = 0 and a = 0. */
    return size;
}

/* ---- a sample of the rows ------------------------------------------------------------------- */

/* Arrays for so many rows in w->few_rows; x, r and the anchors are still to be written. */
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
    return wanted / CHI_NARROW_PAD * CHI_NARROW_PAD;
}

/* Stretches of rows, a line of the cache each, spread evenly over S without its last line, which
 * may hold padding. */
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

/* H of the sample with all variables, scaled to all rows, into w->curvature. */
static void measure_curvature(chi_lad *w, const narrow_rows *sample) {
    double scale = (double)w->m / (double)sample->rows;
    for (int64_t j = 0; j < w->k; j++) w->order[j] = (int32_t)j;
    weighted_gram(sample, w->curvature, w->ld, w->order, w->k);
    for (int64_t j = 0; j < w->k; j++)
        for (int64_t l = j; l < w->k; l++) w->curvature[j * w->ld + l] *= scale;
}

/* One step of b at g = A's; its length over the rows is about *reach on average, in units of r. 0
 * when there is none. */
static int step_by_curvature(chi_lad *w, const narrow_rows *n, double *b, const double *g,
                             double *reach) {
    const int32_t *moving = w->order;
    double *y = w->rhs, *H = w->factor, square = 0;
    int64_t p = list_moving(w, n, b, g), ld = w->ld;
    for (int64_t s = 0; s < p; s++)
        for (int64_t t = s; t < p; t++) H[s * ld + t] = w->curvature[moving[s] * ld + moving[t]];
    if (!solve_step(w, n, b, p, OVER)) return 0;
    for (int64_t s = 0; s < p; s++) {
        double now = larger(b[moving[s]] + OVER * y[s], 0);
        y[s] = now - b[moving[s]];
        b[moving[s]] = now;
    }
    if (n->total > 0) return_to_hull(b, w->k, n->total);
    for (int64_t s = 0; s < p; s++) {
        const double *gram = w->cone->gram + moving[s] * w->cone->capacity;
        double sum = 0;
        for (int64_t t = 0; t < p; t++) sum += gram[moving[t]] * n->unit[moving[t]] * y[t];
        square += sum * n->unit[moving[s]] * y[s];
    }
    *reach = sqrt(larger(square, 0) / (double)w->x.rows);
    return 1;
}

/* The residual of b in n->r and A's in w->few_products; returns the objective. */
static double pass_at(chi_lad *w, const narrow_rows *n, const double *b) {
    narrow_b(n, b);
    double value = narrow_pass(n, w->few_products);
    for (int64_t j = 0; j < w->k; j++) value += n->cost[j] * b[j];
    return value;
}

/* b near the optimum; *reach: about how far residuals are from those of the optimum at w->few_b,
 * the last point that all rows were passed at, where the objective is *value. 0: rows are too few.
 */
static int start_from_sample(chi_lad *w, const narrow_rows *n, double *b, double *reach,
                             double *value) {
    int64_t wanted = sample_wanted(w);
    if (w->m < SAMPLE_WORTH * wanted) return 0;
    narrow_rows sample = take_rows(w, n, wanted);
    reweight_many(w, &sample, b, &(reweighting){SAMPLE_ROUNDS, 0, GAMMA, 1, 1});
    measure_curvature(w, &sample);
    for (int step = 0; step < ALL_STEPS; step++) {
        memcpy(w->few_b, b, (size_t)w->k * sizeof *b);
        *value = pass_at(w, n, b);
        if (!step_by_curvature(w, n, b, w->few_products, reach)) return 0;
    }
    return 1;
}
