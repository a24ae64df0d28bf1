/* An upper bound of a column's distance from the cone, cheaper than a projection. The objective at
 * any b >= 0 is an upper bound. A good b comes from a few passes of coordinate descent for
 *
 *     min_{b >= 0} |x - A b|_2^2 = |x|^2 - 2 c'b + b'G b,      c = A'x, G = A'A
 *
 * at O(k^2) per pass. c costs O(nonzeros of x) for every new anchor. Where two anchors are close to
 * each other, as in data with a large offset (frames of a video, temperatures in kelvin),
 * coordinate descent hardly moves; for l1 the problem is then solved exactly, in O(k^3) at most.
 *
 * On a convex hull b must sum to 1. A step then moves weight from one anchor to another, for the
 * pair with the largest difference of slopes (as sequential minimal optimization does for support
 * vector machines; Platt 1998). If the bound after these steps is still too large to exclude the
 * column, the problem is solved exactly.
 *
 * The bound on the loss follows from the length of the residual: for l1, |r|_1 <= sqrt(rows)
 * |r|_2. */
#include "project/nnls/nnls.h"
#include "xray/distances.h"

#include <math.h>
#include <string.h>

enum { PASSES = 6 };
/* A pass that reduces the objective by less than this share ends the descent. */
static const double WORTH = 0.02;
/* Where least squares are solved exactly, slopes up to this share of |x| count as zero. */
static const double PRECISE = 1e-9;
/* The rounding error of |x|^2 - 2 c'b + b'G b, relative to |x|^2, is below this. */
static const double ROUNDING = 1e-12;

void chi_match_column(const chi_projector *projector, int thread, double *c, int64_t j,
                      int64_t from) {
    const ch_matrix *X = projector->X;
    chi_worker *worker = &projector->worker[thread];
    chi_column x = {.rows = X->rows, .count = X->rows, .value = worker->value};
    if (X->layout == CH_CSC) {
        x.index = worker->index;
        x.count = chi_column_support(worker->index, worker->value, X, j);
    } else {
        chi_column_gather(worker->value, X, j);
    }
    chi_nnls_correlate(c, projector->cone, &x, from);
}

/* Returns an upper bound of |x - A b|^2 at b. */
static double square_at(const chi_cone *cone, const double *b, const double *c, const double *g,
                        int64_t count, double square) {
    double rest = /* b'G b = b'(c - g) */
        square - chi_dot(cone->kernels, c, b, count) - chi_dot(cone->kernels, g, b, count);
    return fmax(rest, 0) + ROUNDING * square;
}

/* The largest loss of a residual with this squared length. The quantile loss of a residual is at
 * most 1 + |skew| times its l1 norm. */
static double from_l2(const chi_projector *projector, double square) {
    const chi_cone *cone = projector->cone;
    return projector->measure->from_l2(square, cone->rows) * (1 + fabs(cone->skew));
}

/* Moves b into the hull by scaling it to sum 1 (needed after an anchor was removed). If b is zero,
 * the nearest anchor gets weight 1. */
static void enter_hull(double *b, const chi_quadratic *problem) {
    double total = 0;
    int64_t nearest = 0;
    const double *G = problem->G, *c = problem->c;
    for (int64_t k = 0; k < problem->size; k++) total += b[k];
    if (fabs(total - 1) <= ROUNDING) return;
    for (int64_t k = 0; total > 0 && k < problem->size; k++) b[k] /= total;
    if (total > 0) return;
    for (int64_t k = 0; k < problem->size; k++) {
        double here = 2 * c[k] - G[k * problem->stride + k];
        if (here > 2 * c[nearest] - G[nearest * problem->stride + nearest]) nearest = k;
        b[k] = 0;
    }
    b[nearest] = 1;
}

static double square_on_hull(const double *g, const double *b, const chi_quadratic *problem,
                             double square) {
    double explained = 0; /* b'(c + g) */
#pragma omp simd reduction(+ : explained)
    for (int64_t k = 0; k < problem->size; k++) explained += b[k] * (problem->c[k] + g[k]);
    return fmax(square - explained, 0) + ROUNDING * square;
}

/* Finds the steepest pair: weight moves to the anchor with the largest slope, from the one with the
 * smallest slope among those with positive weight. */
static void steepest_pair(int64_t *to, int64_t *from, const double *b, const double *g,
                          int64_t count) {
    *to = *from = -1;
    for (int64_t k = 0; k < count; k++) {
        if (*to < 0 || g[k] > g[*to]) *to = k;
        if (b[k] > 0 && (*from < 0 || g[k] < g[*from])) *from = k;
    }
}

/* Makes as many moves as there are anchors, each to the minimum on its line; g = c - G b is
 * updated. */
static void sweep_hull(double *b, double *g, const chi_quadratic *problem) {
    int64_t stride = problem->stride, to, from;
    for (int64_t moves = 0; moves < problem->size; moves++) {
        steepest_pair(&to, &from, b, g, problem->size);
        const double *G_to = problem->G + to * stride, *G_from = problem->G + from * stride;
        double bend = G_to[to] - 2 * G_to[from] + G_from[from], slope = g[to] - g[from];
        if (!(slope > 0 && bend > 0)) return;
        double move = fmin(slope / bend, b[from]);
        b[to] += move;
        b[from] -= move;
#pragma omp simd
        for (int64_t k = 0; k < problem->size; k++) g[k] -= move * (G_to[k] - G_from[k]);
    }
}

/* g = c - G b. Returns an upper bound of |x - A b|^2, like square_at(). With so few anchors, plain
 * loops beat calls of BLAS. */
static double slopes_on_hull(double *g, const double *b, const chi_quadratic *problem,
                             double square) {
    int64_t count = problem->size;
    memcpy(g, problem->c, (size_t)count * sizeof *g);
    for (int64_t k = 0; k < count; k++) {
        const double *G = problem->G + k * problem->stride;
        if (b[k] == 0) continue;
#pragma omp simd
        for (int64_t l = 0; l < count; l++) g[l] -= b[k] * G[l];
    }
    return square_on_hull(g, b, problem, square);
}

/* Bounds at the point of an earlier hull, then after sweeps, then at the least squares solution;
 * stops as soon as the bound is below enough. With fewer anchors than the hull has, the solution is
 * not worth its cost: the caller reads the column and bounds it again with all anchors. */
static double bound_on_hull(const chi_projector *projector, int thread, double *b,
                            chi_quadratic problem, double square, double enough) {
    const chi_cone *cone = projector->cone;
    const chi_worker *worker = &projector->worker[thread];
    double *g = worker->b + 2 * cone->capacity, bound = INFINITY, last = INFINITY;
    problem.simplex = 1;
    problem.origin = cone->origin;
    enter_hull(b, &problem);
    double rest = slopes_on_hull(g, b, &problem, square);
    for (int pass = 0; pass <= PASSES && bound >= enough; pass++) {
        if (pass > 0) {
            sweep_hull(b, g, &problem);
            rest = square_on_hull(g, b, &problem, square);
        }
        bound = from_l2(projector, rest);
        if (!(rest < (1 - WORTH) * last)) break;
        last = rest;
    }
    if (bound < enough || problem.size < cone->count || problem.size == 1) return bound;
    chi_active_set_solve(worker->least_squares, b, &problem, PRECISE * sqrt(square), 1);
    return from_l2(projector, slopes_on_hull(g, b, &problem, square));
}

double chi_bound_column(const chi_projector *projector, int thread, double *b, const double *c,
                        int64_t count, double square, double enough) {
    const chi_cone *cone = projector->cone;
    chi_quadratic problem = {cone->gram, c, cone->capacity,
                             count,      0, 0}; /* for the first anchors */
    if (cone->hull) return bound_on_hull(projector, thread, b, problem, square, enough);
    double *g = projector->worker[thread].b + 2 * cone->capacity;
    double bound = INFINITY, last = INFINITY;
    chi_nnls_gradient(cone->kernels, g, &problem, b);
    for (int pass = 0; pass < PASSES && bound >= enough; pass++) {
        chi_nnls_sweep(cone->kernels, b, g, &problem);
        double rest = square_at(cone, b, c, g, count, square);
        bound = from_l2(projector, rest);
        if (!(rest < (1 - WORTH) * last)) break;
        last = rest;
    }
    return bound;
}

static double add_up(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i];
    return sum;
}

/* Returns |x - A b|_1 - skew 1'(x - A b). */
static double residual_of(const chi_projector *projector, int thread, const double *b, int64_t j) {
    const chi_cone *cone = projector->cone;
    chi_worker *worker = &projector->worker[thread];
    double *r = worker->value, objective = 0;
    if (projector->X->layout != CH_CSC) {
        chi_column_gather(r, projector->X, j);
        for (int64_t k = 0; k < cone->count; k++)
            if (b[k] > 0) chi_axpy(cone->kernels, r, -b[k], cone->A + k * cone->rows, cone->rows);
        objective = chi_sum_abs(cone->kernels, r, cone->rows);
        return cone->skew == 0 ? objective : objective - cone->skew * add_up(r, cone->rows);
    }
    /* Where x is zero, |x - A b| = A b. So sum A b over all rows, and on the support of x replace
     * (A b)_i by |x_i - (A b)_i|. */
    int64_t count = chi_column_support(worker->index, r, projector->X, j);
    for (int64_t k = 0; k < cone->count; k++) objective += b[k] * cone->sums[k];
    for (int64_t e = 0; e < count; e++) {
        const double *row = cone->At + worker->index[e] * cone->At_stride;
        double fit = chi_dot(cone->kernels, row, b, cone->count);
        objective += fabs(r[e] - fit) - fit;
    }
    if (cone->skew != 0) {
        double rest = add_up(r, count);
        for (int64_t k = 0; k < cone->count; k++) rest -= b[k] * cone->sums[k];
        objective -= cone->skew * rest;
    }
    return objective;
}

double chi_bound_residual(const chi_projector *projector, int thread, double *b, const double *c,
                          double square, int64_t j) {
    chi_quadratic problem = chi_nnls_problem(projector->cone, c);
    chi_active_set_solve(projector->worker[thread].least_squares, b, &problem,
                         PRECISE * sqrt(square), 1);
    return residual_of(projector, thread, b, j);
}
