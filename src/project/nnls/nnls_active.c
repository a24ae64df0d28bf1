/* Exact non-negative least squares:
 *
 *     min_{b >= 0} |x - A b|_2^2
 *
 * by active sets on the Gram matrix (active_set.c); on a convex hull also with 1'b = 1. A'x costs
 * O(nonzeros of x * k), each anchor that enters or leaves O(k^2), and the residual, if requested,
 * O(rows * anchors used). */
#include "project/nnls/nnls.h"

#include <math.h>

/* An anchor enters if its slope exceeds this share of |A_j||x|, or tol if tol is smaller. This is
 * well above the rounding of the slopes and well below any reasonable tolerance. */
static const double STEEP = 1e-13;

static void *create(chi_arena *arena, const chi_cone *cone, double tol) {
    chi_nnls *w = chi_nnls_create(arena, cone, tol);
    if (w) w->active = chi_active_set_create(arena, cone->kernels, cone->capacity);
    return arena->failed ? NULL : w;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_nnls *w = work;
    const chi_cone *cone = w->cone;
    double least = fmin(w->tol, STEEP) * sqrt(x->square);
    chi_nnls_correlate(w->c, cone, x, 0);
    chi_quadratic problem = chi_nnls_problem(cone, w->c);
    fit->pivots = chi_active_set_solve(w->active, b, &problem, least, warm);
    if (cone->hull)
        chi_nnls_report_hull(w, fit, d, x, b);
    else
        chi_nnls_report(w, fit, d, x, b);
}

const chi_projection chi_nnls_active = {.create = create, .solve = solve};
