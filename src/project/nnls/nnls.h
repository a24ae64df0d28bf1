/* Definitions shared by the solvers for non-negative least squares on the Gram matrix.
 *
 *     min_{b >= 0} |x - A b|_2^2,   G = A'A,   c = A'x,   g = A'(x - A b) = c - G b
 *
 * b is optimal if g_j = 0 where b_j > 0 and g_j <= 0 elsewhere. All data are non-negative, so |A_j|
 * b_j <= |A b| <= |x| near the optimum. So the error of g is a few roundings of |A_j||x|, however
 * ill-conditioned G is. */
#pragma once

#include "project/cone.h"

/* Computes c[from..anchors) = A'x for the anchors from `from` on: O(nonzeros of x) per anchor. */
void chi_nnls_correlate(double *c, const chi_cone *cone, const chi_column *x, int64_t from);

/* The problem in terms of its Gram matrix,
 *
 *     min_{b >= 0} 1/2 b'G b - c'b,
 *
 * where b and c have `size` entries and G has leading dimension `stride`. If `simplex`, 1'b = 1 is
 * required as well. If also `origin`, the first anchor is the origin of a convex hull: G_0j = c_0 =
 * G_00 for all j. Then the other coefficients need only sum to at most 1. */
typedef struct chi_quadratic {
    const double *G, *c;
    int64_t stride, size;
    int simplex, origin;
} chi_quadratic;
/* Returns the problem for the anchors of the cone, or for their hull; c = A'x. */
static inline chi_quadratic chi_nnls_problem(const chi_cone *cone, const double *c) {
    return (chi_quadratic){cone->gram, c, cone->capacity, cone->count, cone->hull, cone->origin};
}

/* Computes g = c - G b: O(anchors * nonzeros of b). */
void chi_nnls_gradient(const chi_kernels *kernels, double *g, const chi_quadratic *problem,
                       const double *b);

/* Returns the maximum of |g_j| / |A_j| where b_j > 0 and (g_j)_+ / |A_j| elsewhere. This is the
 * distance from optimality in the units of |x|_2. */
double chi_nnls_violation(const chi_cone *cone, const double *g, const double *b);

/* Makes one cyclic pass, in which each b_j moves to its minimum with the others fixed, and updates
 * g. Returns the largest move, |change of b_j| |A_j|. */
double chi_nnls_sweep(const chi_kernels *kernels, double *b, double *g,
                      const chi_quadratic *problem);

/* Solves the problem by active sets (active_set.c). Each thread needs its own solver, for up to
 * capacity anchors. */
typedef struct chi_active_set chi_active_set;
chi_active_set *chi_active_set_create(chi_arena *arena, const chi_kernels *kernels,
                                      int64_t capacity);
/* Solves the problem, from b if `warm`, else from a start of its own. b receives the result, in
 * which no slope g_j / sqrt(G_jj) exceeds least. Returns the number of times that an anchor entered
 * or left the support. */
int64_t chi_active_set_solve(chi_active_set *solver, double *b, const chi_quadratic *problem,
                             double least, int warm);
/* After chi_active_set_solve(): v <- w, where G w = v over the support of the result and w = 0
 * elsewhere. */
void chi_active_set_correct(chi_active_set *solver, double *v);

/* The work area of a solver of the projection, and its create(). A solver that needs active sets
 * adds them. */
typedef struct chi_nnls {
    const chi_cone *cone;
    double tol;
    chi_active_set *active; /* or NULL             */
    double *c, *g;          /* A'x and A'(x - A b) */
    double *r;              /* rows                */
} chi_nnls;
void *chi_nnls_create(chi_arena *arena, const chi_cone *cone, double tol);

/* Sets objective, gap, infeasibility and proven for b, given work->c = A'x. work->g becomes the
 * gradient at b, and d (rows entries, or NULL) the residual x - A b. */
void chi_nnls_report(chi_nnls *work, chi_fit *fit, double *d, const chi_column *x, const double *b);
/* Sets *fit for b in the hull of the anchors, given work->c = A'x; work->g becomes the gradient at
 * b minus its mean weighted by b, and d (rows entries, or NULL) the residual x - A b. The last
 * entry of d, that of the lifted row, is set so that A'd <= 0. */
void chi_nnls_report_hull(chi_nnls *work, chi_fit *fit, double *d, const chi_column *x,
                          const double *b);
/* Computes r = x - A b on all rows. */
void chi_nnls_residual(double *r, const chi_cone *cone, const chi_column *x, const double *b);
/* Returns |x - A b|^2, given c = A'x and g = A'(x - A b). d, if not NULL, receives x - A b. */
double chi_nnls_objective(const chi_nnls *work, double *d, const chi_column *x, const double *b);
