/* Non-negative least squares on the Gram matrix: what its solvers share.
 *
 *     min_{b >= 0} |x - A b|_2^2,   G = A'A,   c = A'x,   g = A'(x - A b) = c - G b
 *
 * Optimal: g_j = 0 where b_j > 0, g_j <= 0 elsewhere. Everything being non-negative, |A_j| b_j is
 * at most |A b| <= |x| near the optimum, so g is known to a few roundings of |A_j||x| however
 * ill-conditioned G is. */
#pragma once

#include "project/cone.h"

/* c[from..anchors) = A'x for the anchors from `from` on: O(nonzeros of x) for each. */
void chi_nnls_correlate(double *c, const chi_cone *cone, const chi_column *x, int64_t from);

/* The problem with its Gram matrix alone,
 *     min_{b >= 0} 1/2 b'G b - c'b,
 * b and c having `size` entries, G that leading dimension; with `simplex`, 1'b = 1 besides. */
typedef struct chi_quadratic {
    const double *G, *c;
    int64_t stride, size;
    int simplex;
} chi_quadratic;
/* That of the anchors of the cone, or of their hull; c = A'x. */
static inline chi_quadratic chi_nnls_problem(const chi_cone *cone, const double *c) {
    return (chi_quadratic){cone->gram, c, cone->capacity, cone->count, cone->hull};
}

/* g = c - G b: O(anchors * nonzeros of b). */
void chi_nnls_gradient(const chi_kernels *kernels, double *g, const chi_quadratic *problem,
                       const double *b);

/* max_j |g_j| / |A_j| where b_j > 0, (g_j)_+ / |A_j| elsewhere: the distance from optimality, in
 * the units of |x|_2. */
double chi_nnls_violation(const chi_cone *cone, const double *g, const double *b);

/* One cyclic pass, each b_j moved to its minimum with the others fixed; g follows b. Returns the
 * largest move, |change of b_j| |A_j|. */
double chi_nnls_sweep(const chi_kernels *kernels, double *b, double *g,
                      const chi_quadratic *problem);

/* The problem solved by active sets (active_set.c). One solver per thread, for up to capacity
 * anchors. */
typedef struct chi_active_set chi_active_set;
chi_active_set *chi_active_set_create(chi_arena *arena, const chi_kernels *kernels,
                                      int64_t capacity);
/* b: with warm the start, always the result, with no slope g_j / sqrt(G_jj) above least. Returns
 * the number of anchors that entered or left. */
int64_t chi_active_set_solve(chi_active_set *solver, double *b, const chi_quadratic *problem,
                             double least, int warm);
/* After a solve: v <- w with G w = v over the anchors of its support, w = 0 elsewhere. */
void chi_active_set_correct(chi_active_set *solver, double *v);

/* What a solver of the projection works with, and its create(). A solver that needs active sets
 * adds them. */
typedef struct chi_nnls {
    const chi_cone *cone;
    double tol;
    chi_active_set *active; /* or NULL             */
    double *c, *g;          /* A'x and A'(x - A b) */
    double *r;              /* rows                */
} chi_nnls;
void *chi_nnls_create(chi_arena *arena, const chi_cone *cone, double tol);

/* Objective, gap, infeasibility and proven of b; work->c = A'x. work->g comes back as the gradient
 * at b, d (rows entries) as the residual x - A b; d NULL: it is not wanted. */
void chi_nnls_report(chi_nnls *work, chi_fit *fit, double *d, const chi_column *x, const double *b);
/* The same for the hull of the anchors. The last entry of d makes D'A <= 0 on the lifted rows. */
void chi_nnls_report_hull(chi_nnls *work, chi_fit *fit, double *d, const chi_column *x,
                          const double *b);
/* r = x - A b on all rows. */
void chi_nnls_residual(double *r, const chi_cone *cone, const chi_column *x, const double *b);
/* |x - A b|^2; c and g being A'x and A'(x - A b). d as for the report. */
double chi_nnls_objective(const chi_nnls *work, double *d, const chi_column *x, const double *b);
