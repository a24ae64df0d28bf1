/* An upper bound of a column's distance from the cone, cheaper than a projection: any b >= 0 gives
 * one, and a few passes of coordinate descent for
 *
 *     min_{b >= 0} |x - A b|_2^2 = |x|^2 - 2 c'b + b'G b,      c = A'x, G = A'A
 *
 * give a good b for O(k^2) each, once c is known (O(nonzeros of x * k)). The loss says what its own
 * objective can be at most for a residual of that length; for l1, |r|_1 <= sqrt(rows) |r|_2. */
#include "anchor/anchor.h"
#include "project/nnls.h"

#include <math.h>

enum { PASSES = 6 };
/* A pass that takes less than this share away ends the descent. */
static const double WORTH = 0.02;
/* |x|^2 - 2 c'b + b'G b is known to some thousand roundings of |x|^2. */
static const double ROUNDING = 1e-12;

double chi_bound_column(const chi_projector *projector, int thread, double *b, int64_t j,
                        const double *c, double square, double enough) {
    const chi_cone *cone = projector->cone;
    chi_worker *worker = &projector->worker[thread];
    double *own = worker->b + 2 * cone->capacity, *g = worker->b + 3 * cone->capacity;
    if (!c) {
        chi_column_load(&worker->x, worker->index, worker->value, projector->X, j);
        chi_nnls_correlate(own, cone, &worker->x);
        c = own;
    }
    chi_nnls_gradient(g, cone, c, b);
    double bound = INFINITY, last = INFINITY;
    for (int pass = 0; pass < PASSES && bound >= enough; pass++) {
        chi_nnls_sweep(b, g, cone->gram, cone->capacity, cone->count);
        /* b'G b = b'(c - g) */
        double rest = square - chi_dot(c, b, cone->count) - chi_dot(g, b, cone->count);
        rest = fmax(rest, 0) + ROUNDING * square;
        bound = projector->measure->spread(rest, cone->rows);
        if (!(rest < (1 - WORTH) * last)) break;
        last = rest;
    }
    return bound;
}
