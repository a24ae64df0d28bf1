/* The start for problems with many times more rows than anchors: steps from the solution of a
 * sample (lad_sample.h), at first with all rows. If these are very many, the later steps pass over
 * a band alone: the rows whose residual is small compared with the next step. The signs of the
 * other rows are taken as certain; at the end a pass over all rows finds those that were wrong
 * (lad_subset.h). The band is five times the step's root mean square, because the residual of a row
 * with large entries changes more than the others; with three times, wrong signs were frequent and
 * the pivots doubled. Copying the band takes as long as one or two passes, so it must be small. */
#pragma once

#include "project/lad/lad_sample.h"

enum {
    ALL_STEPS = 5,       /* steps, if there is no band                    */
    BAND_STEPS = 2,      /* further steps with a band                     */
    BAND_LEAST = 4096,   /* minimum number of rows for a band             */
    BAND_PER_ANCHOR = 8, /* minimum number of rows of the band per anchor */
    BAND_WORTH = 6       /* minimum ratio of all rows to the band         */
};

/* The band holds residuals up to this many times the root mean square, over the rows, of the next
 * step. */
static const double BAND = 5;

/* The rows whose residual is so small that its sign may still change; their numbers are in
 * w->subset. The other rows have certain signs and add a linear function to the objective, so their
 * products with the anchors become a part of the cost. */
typedef struct band_rows {
    narrow_rows rows;
    double *outside; /* A's over the other rows                           */
    double constant; /* objective over all rows minus that over the rows  */
} band_rows;

/* Lists the rows of the band, with residuals up to the limit, in w->subset. Returns their
 * number. */
static int64_t list_band(chi_lad *w, const narrow_rows *n, float limit) {
    const vec_f32 most = f32_all(limit);
    int32_t lane[F32_LANES], *row = w->subset;
    int64_t count = 0;
    for (int l = 0; l < F32_LANES; l++) lane[l] = l;
    vec_i32 lanes;
    memcpy(&lanes, lane, sizeof lanes);
    for (int64_t i = 0; i < n->count; i += F32_LANES)
        count += f32_store_chosen(row + count, lanes + (int32_t)i,
                                  narrow_size(f32_load(n->r + i)) <= most);
    while (count > 0 && row[count - 1] >= n->rows) count--; /* drop padding */
    return count;
}

/* Copies the listed rows of four columns, and pads them with zeros. */
static void copy_rows(float *const to[ACROSS], const float *const from[ACROSS], const int32_t *row,
                      int64_t count) {
    for (int64_t t = 0; t < count; t++) {
        int64_t i = row[t];
        for (int c = 0; c < ACROSS; c++) to[c][t] = from[c][i];
    }
    for (int64_t t = count; t < whole_vectors(count); t++)
        for (int c = 0; c < ACROSS; c++) to[c][t] = 0;
}

/* Copies the band, in place of the sample. */
static void copy_band(chi_lad *w, const narrow_rows *n, narrow_rows *rows, int64_t count) {
    *rows = few_rows(w, n, count);
    if (n->lift >= 0 && w->subset[count - 1] == n->lift) rows->lift = count - 1;
    copy_rows((float *[]){rows->x, rows->r, rows->x, rows->r},
              (const float *[]){n->x, n->r, n->x, n->r}, w->subset, count);
    for (int64_t j = 0; j < w->k; j += ACROSS) {
        float *to[ACROSS];
        const float *from[ACROSS];
        for (int c = 0; c < ACROSS; c++) {
            int64_t column = last_or(j + c, w->k);
            to[c] = rows->x + (6 + column) * rows->count;
            from[c] = n->a[column];
        }
        copy_rows(to, from, w->subset, count);
    }
}

/* Restricts the problem to the band, if that saves time. g and w->few_products, which hold A's at
 * w->few_b, and *value become those of the band. Returns whether it did. */
static int enter_band(chi_lad *w, const narrow_rows *n, band_rows *band, double reach, double *g,
                      double *value) {
    if (n->rows < BAND_LEAST) return 0;
    int64_t count = list_band(w, n, (float)(BAND * reach));
    int64_t most =
        n->count / BAND_WORTH < w->few_rows_most ? n->count / BAND_WORTH : w->few_rows_most;
    if (count < BAND_PER_ANCHOR * w->k || count > most) return 0;
    narrow_rows *rows = &band->rows;
    copy_band(w, n, rows, count);
    double inside = 0;
    for (int64_t t = 0; t < rows->count; t++) {
        rows->step[t] = copysignf(1, rows->r[t]);
        inside += fabsf(rows->r[t]);
    }
    narrow_product(rows, w->few_products, rows->step);
    for (int64_t j = 0; j < w->k; j++) {
        band->outside[j] = g[j] - w->few_products[j];
        g[j] = w->few_products[j];
        w->few_cost[j] = n->cost[j] - band->outside[j];
        inside += w->few_cost[j] * w->few_b[j];
    }
    band->constant = *value - inside;
    *value = inside;
    return 1;
}

/* Returns to all rows: n->r, w->few_products and *value become those at w->few_b, given those of
 * the band. Residuals of other rows stay as they were when the band was entered. */
static void leave_band(chi_lad *w, const narrow_rows *n, const band_rows *band, double *value) {
    for (int64_t t = 0; t < band->rows.rows; t++) n->r[w->subset[t]] = band->rows.r[t];
    for (int64_t j = 0; j < w->k; j++) w->few_products[j] += band->outside[j];
    *value += band->constant;
}

/* Finds b near the optimum. w->few_b is the best point at which all rows were evaluated, and *value
 * its objective; *reach estimates the distance of its residuals from the optimal ones. As soon as
 * the signs of most rows are certain, the steps pass over the others alone. Returns 0 if it finds
 * no such point. */
static int start_from_sample(chi_lad *w, const narrow_rows *n, double *b, double *reach,
                             double *value) {
    int64_t wanted = sample_wanted(w);
    double over = OVER, *g = w->turn;
    int worse = 0, steps = ALL_STEPS;
    int64_t decomposed = -1;
    narrow_rows sample = take_rows(w, n, wanted);
    reweight_many(w, &sample, b, &(reweighting){SAMPLE_ROUNDS, 0, GAMMA, 1, 1});
    measure_curvature(w, &sample);
    band_rows band = {.outside = w->edge};
    const narrow_rows *at = n;
    *value = INFINITY;
    for (int step = 0; step < steps; step++) {
        double now = pass_at(w, at, b);
        if (step == 0 && !(now < INFINITY)) return 0;
        if (step > 0) over *= length_lacking(w, at, b, g);
        worse = !(now < *value);
        if (worse) {
            memcpy(b, w->few_b, (size_t)w->k * sizeof *b);
        } else {
            *value = now;
            memcpy(w->few_b, b, (size_t)w->k * sizeof *b);
            memcpy(g, w->few_products, (size_t)w->k * sizeof *g);
        }
        if (!step_by_curvature(w, at, b, g, reach, over, &decomposed)) return 0;
        int enters = at == n && !worse && 0 < step && step + 1 < steps;
        if (!enters || !enter_band(w, n, &band, *reach, g, value)) continue;
        at = &band.rows;
        steps += BAND_STEPS;
    }
    if (worse) pass_at(w, at, w->few_b);
    if (at != n) leave_band(w, n, &band, value);
    return 1;
}
