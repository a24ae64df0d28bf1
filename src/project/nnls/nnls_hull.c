/* The certificate of least squares on a convex hull (docs/explanation/hulls.md):
 *
 *     min_{b >= 0, 1'b = 1} |x - A b|_2^2,      r = x - A b, g = A'r
 *
 * The square is convex, so for every v in the simplex
 *
 *     |x - A v|^2 >= |r|^2 - 2 r'A (v - b) >= |r|^2 - 2 (max_j g_j - b'g)
 *
 * Hence 2 (max_j g_j - b'g) bounds the distance from the optimum, whatever b is, and no
 * dual has to be made feasible first. The lifted row adds the same number to every g_j, which the
 * difference cancels.
 *
 * D* = (r, -max_j a_j'r / u), where u is the number in the lifted row, is positive on no anchor. */
#include "project/nnls/nnls.h"

#include <math.h>

/* Returns b'g and, in *most, the largest g_j. Divides by 1'b, because the rounding of 1'b = 1 must
 * not be multiplied by g. */
static double mean_slope(const chi_nnls *w, const double *b, double *most) {
    double along = 0, total = 0;
    *most = -INFINITY;
    for (int64_t j = 0; j < w->cone->count; j++) {
        along += b[j] * w->g[j];
        total += b[j];
        *most = fmax(*most, w->g[j]);
    }
    return total > 0 ? along / total : 0;
}

void chi_nnls_report_hull(chi_nnls *w, chi_fit *fit, double *d, const chi_column *x,
                          const double *b) {
    const chi_cone *cone = w->cone;
    chi_quadratic problem = chi_nnls_problem(cone, w->c);
    double most, gap = 0, norm = sqrt(x->square);
    chi_nnls_gradient(cone->kernels, w->g, &problem, b);
    fit->objective = chi_nnls_objective(w, d, x, b);
    double mean = mean_slope(w, b, &most);
    if (d) d[cone->rows - 1] = -most / cone->A[cone->rows - 1];
    for (int64_t j = 0; j < cone->count; j++) {
        gap += b[j] * (most - w->g[j]);
        w->g[j] -= mean;
    }
    fit->gap = x->square > 0 ? 2 * fmax(0, gap) / x->square : 0;
    fit->infeasibility = 0;
    fit->proven = fit->gap <= w->tol && chi_nnls_violation(cone, w->g, b) <= w->tol * norm;
}
