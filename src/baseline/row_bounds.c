/* Projection onto { 0 <= C_ij <= C_ii <= 1, tr(C) = r }.
 *
 * For a given multiplier beta of the trace the rows are independent, and the diagonal t of a row
 * solves
 *
 *     h(t) = t - (q_ii - beta) - sum_{j != i} (q_ij - t)_+ = 0,     clipped to [0, 1].
 *
 * Bittorf et al. (2012), Section 4 and appendix, sort the row for this. Here Newton's method
 * replaces the sort: h is increasing, concave and piecewise linear, so every step lands at or below
 * the root, and on the right piece after a few steps, or two if the t of the last projection is
 * close. The sum of all t decreases with beta and is piecewise linear too, so beta is found by
 * Newton's method within a bracket. O(n^2) per step of beta; rows that stay zero are read once. */
#include "baseline/row_bounds.h"
#include <math.h>

enum { ROWS = 16, STEPS = 60 };
static const double exact = 1e-13; /* relative error of the trace */

/* Returns the sum of the values above t; *count becomes their number. */
static double sum_above(int64_t *count, const double *q, int64_t n, double t) {
    double sum = 0, number = 0;
#pragma omp simd reduction(+ : sum, number)
    for (int64_t j = 0; j < n; j++) {
        sum += q[j] > t ? q[j] : 0;
        number += q[j] > t ? 1 : 0;
    }
    *count = (int64_t)number;
    return sum;
}

/* Like sum_above(), without the diagonal entry i. */
static double sum_beside(int64_t *count, const double *q, int64_t n, int64_t i, double t) {
    int64_t left, right;
    double sum = sum_above(&left, q, i, t);
    sum += sum_above(&right, q + i + 1, n - i - 1, t);
    *count = left + right;
    return sum;
}

static void solve_row(chi_row_bounds *rows, int64_t i) {
    const double *q = rows->Q + i * rows->n;
    double t = rows->t[i], target = rows->diagonal[i] - rows->beta;
    int64_t count;
    rows->slope[i] = 0;
    if (rows->beta >= rows->empty[i]) {
        rows->t[i] = 0;
        return;
    }
    for (int step = 0;; step++) {
        double sum = sum_beside(&count, q, rows->n, i, t);
        double next = (target + sum) / (double)(1 + count);
        if (next >= 1) {
            rows->t[i] = 1;
            return;
        }
        if (step > 0 && !(next > t)) break; /* t only increases after the first step */
        t = next > 0 ? next : 0;
    }
    rows->t[i] = t;
    rows->slope[i] = 1 / (double)(1 + count);
}

static void solve_rows(void *user, int64_t block, int thread) {
    chi_row_bounds *rows = user;
    int64_t end = (block + 1) * ROWS < rows->n ? (block + 1) * ROWS : rows->n;
    (void)thread;
    for (int64_t i = block * ROWS; i < end; i++) solve_row(rows, i);
}

static void prepare_rows(void *user, int64_t block, int thread) {
    chi_row_bounds *rows = user;
    int64_t n = rows->n, end = (block + 1) * ROWS < n ? (block + 1) * ROWS : n, count;
    (void)thread;
    for (int64_t i = block * ROWS; i < end; i++) {
        const double *q = rows->Q + i * n;
        rows->diagonal[i] = q[i] - rows->weight * rows->p[i];
        rows->empty[i] = rows->diagonal[i] + sum_beside(&count, q, n, i, 0);
    }
}

void chi_project_rows(chi_row_bounds *rows) {
    int64_t blocks = (rows->n + ROWS - 1) / ROWS;
    chi_parallel(rows->context, blocks, prepare_rows, rows);
    double low = INFINITY, high = -INFINITY; /* beta at which all t are 1, or all are 0 */
    for (int64_t i = 0; i < rows->n; i++) {
        low = fmin(low, rows->diagonal[i] - 1);
        high = fmax(high, rows->empty[i]);
    }
    if (!(rows->beta >= low && rows->beta <= high)) rows->beta = 0.5 * (low + high);
    for (int step = 0; step < STEPS; step++) {
        double trace = 0, slope = 0;
        chi_parallel(rows->context, blocks, solve_rows, rows);
        for (int64_t i = 0; i < rows->n; i++) {
            trace += rows->t[i];
            slope += rows->slope[i];
        }
        double excess = trace - (double)rows->rank;
        if (fabs(excess) <= exact * (double)rows->rank) break;
        if (excess > 0)
            low = rows->beta;
        else
            high = rows->beta;
        double next = slope > 0 ? rows->beta + excess / slope : 0.5 * (low + high);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next == rows->beta) break;
        rows->beta = next;
    }
}
