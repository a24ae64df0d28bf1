/* Non-negative least squares by cyclic coordinate descent on the Gram matrix:
 *
 *     min_{b >= 0} |x - A b|_2^2,     b_j <- (b_j + g_j / G_jj)_+  for j = 1 .. k, repeated
 *
 * Kumar, Sindhwani, Kambadur, "Fast conical hull algorithms for near-separable non-negative matrix
 * factorization" (2013), Algorithm 2. A sweep costs at most O(k^2); coefficients that stay at zero
 * cost nothing. The method stops when the slopes are within tol of optimal. Its rate depends on the
 * condition of G, so the number of sweeps is limited, and the report says whether tol was
 * reached. */
#include "project/nnls/nnls.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 20000, SWEEPS_PER_CHECK = 8 };

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_nnls *w = work;
    const chi_cone *cone = w->cone;
    chi_quadratic problem = chi_nnls_problem(cone, w->c);
    chi_nnls_correlate(w->c, cone, x, 0);
    if (!warm) memset(b, 0, (size_t)cone->count * sizeof *b);

    int64_t sweeps = 0;
    chi_nnls_report(w, fit, NULL, x, b);
    while (!fit->proven && sweeps < SWEEPS) {
        for (int s = 0; s < SWEEPS_PER_CHECK; s++) chi_nnls_sweep(cone->kernels, b, w->g, &problem);
        sweeps += SWEEPS_PER_CHECK;
        if (chi_nnls_violation(cone, w->g, b) > w->tol * sqrt(x->square)) continue;
        chi_nnls_report(w, fit, NULL, x, b); /* recomputes g without accumulated rounding */
    }
    chi_nnls_report(w, fit, d, x, b);
    fit->pivots = sweeps;
}

const chi_projection chi_nnls_cd = {.create = chi_nnls_create, .solve = solve};
