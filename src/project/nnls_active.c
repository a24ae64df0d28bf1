/* Non-negative least squares, exact:
 *
 *     min_{b >= 0} |x - A b|_2^2
 *
 * by active sets on the Gram matrix (nnls_gram.c). A'x costs O(nonzeros of x * k), then each anchor
 * that enters or leaves O(k^2), then the residual, where it is wanted, O(rows * anchors used). */
#include "project/nnls.h"

#include <math.h>

/* An anchor enters when its slope exceeds this share of |A_j||x|, or tol if that is smaller: well
 * above the rounding of the slopes, well below any tolerance one would ask for. */
static const double STEEP = 1e-13;

typedef struct active {
    const chi_cone *cone;
    double tol;
    chi_gram *gram;
    double *c, *g; /* A'x and A'(x - A b) */
    double *r;     /* rows                */
} active;

static void destroy(ch_context *context, void *work) {
    active *w = work;
    if (!w) return;
    chi_gram_destroy(context, w->gram);
    chi_free(context, w->c);
    chi_free(context, w->g);
    chi_free(context, w->r);
    chi_free(context, w);
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    active *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "least squares", 1, sizeof *w);
    w->cone = cone;
    w->tol = tol;
    w->c = chi_alloc(context, cone->capacity, sizeof *w->c);
    w->g = chi_alloc(context, cone->capacity, sizeof *w->g);
    w->r = chi_alloc(context, cone->rows, sizeof *w->r);
    ch_status status = chi_gram_create(context, &w->gram, cone->capacity);
    if (status >= 0 && !(w->c && w->g && w->r))
        status = chi_no_memory(context, "least squares", 2 * cone->capacity + cone->rows,
                               sizeof(double));
    if (status < 0) {
        destroy(context, w);
        return status;
    }
    *work = w;
    return CH_OK;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    active *w = work;
    const chi_cone *cone = w->cone;
    double least = fmin(w->tol, STEEP) * sqrt(x->square);
    chi_nnls_correlate(w->c, cone, x, 0);
    fit->pivots =
        chi_gram_solve(w->gram, b, cone->gram, cone->capacity, cone->count, w->c, least, warm);
    chi_nnls_report(fit, w->g, d ? d : w->r, cone, x, w->c, b, w->tol, d != NULL);
}

const chi_projection chi_nnls_active = {
    .name = "active", .create = create, .destroy = destroy, .solve = solve};
