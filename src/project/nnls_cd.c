/* Non-negative least squares by cyclic coordinate descent on the Gram matrix:
 *
 *     min_{b >= 0} |x - A b|_2^2,     b_j <- (b_j + g_j / G_jj)_+  for j = 1 .. k, again and again
 *
 * Kumar, Sindhwani, Kambadur, "Fast conical hull algorithms for near-separable non-negative matrix
 * factorization" (2013), Algorithm 2. A sweep costs O(k^2) at most; coefficients that stay at zero
 * cost nothing. It stops when the slopes are within tol of optimal; the rate is that of G's
 * condition, so the number of sweeps is bounded and the report says whether tol was reached. */
#include "project/nnls.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 20000, SWEEPS_PER_CHECK = 8 };

typedef struct descent {
    const chi_cone *cone;
    double tol;
    double *c, *g; /* A'x and A'(x - A b) */
    double *r;     /* rows                */
} descent;

static void destroy(ch_context *context, void *work) {
    descent *w = work;
    if (!w) return;
    chi_free(context, w->c);
    chi_free(context, w->g);
    chi_free(context, w->r);
    chi_free(context, w);
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    descent *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "coordinate descent", 1, sizeof *w);
    w->cone = cone;
    w->tol = tol;
    w->c = chi_alloc(context, cone->capacity, sizeof *w->c);
    w->g = chi_alloc(context, cone->capacity, sizeof *w->g);
    w->r = chi_alloc(context, cone->rows, sizeof *w->r);
    if (!w->c || !w->g || !w->r) {
        destroy(context, w);
        return chi_no_memory(context, "coordinate descent", 2 * cone->capacity + cone->rows,
                             sizeof(double));
    }
    *work = w;
    return CH_OK;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    descent *w = work;
    const chi_cone *cone = w->cone;
    double *r = d ? d : w->r;
    chi_nnls_correlate(w->c, cone, x, 0);
    if (!warm) memset(b, 0, (size_t)cone->count * sizeof *b);

    int64_t sweeps = 0;
    chi_nnls_report(fit, w->g, r, cone, x, w->c, b, w->tol, 0);
    while (!fit->proven && sweeps < SWEEPS) {
        for (int s = 0; s < SWEEPS_PER_CHECK; s++)
            chi_nnls_sweep(b, w->g, cone->gram, cone->capacity, cone->count);
        sweeps += SWEEPS_PER_CHECK;
        if (chi_nnls_violation(cone, w->g, b) > w->tol * sqrt(x->square)) continue;
        chi_nnls_report(fit, w->g, r, cone, x, w->c, b, w->tol, 0); /* g anew, without its drift */
    }
    chi_nnls_report(fit, w->g, r, cone, x, w->c, b, w->tol, d != NULL);
    fit->pivots = sweeps;
}

const chi_projection chi_nnls_cd = {
    .name = "cd", .create = create, .destroy = destroy, .solve = solve};
