/* Functions shared by the solvers for non-negative least squares (nnls.h): A'x, the gradient, one
 * pass of coordinate descent, and the certificate.
 *
 * The dual of  min_{b >= 0} 1/2 |x - A b|^2  is  max x'w - 1/2 |w|^2  with A'w <= 0. The residual r
 * gives the feasible w = r - t 1 with t = max_j (A_j'r / A_j'1)_+. The gap is then
 *
 *     -b'g + t 1'A b + rows t^2 / 2,        g = A'r,
 *
 * so no product longer than the number of anchors is needed. */
#include "project/nnls/nnls.h"
#include "project/nnls/short_loops.h"

#include <math.h>
#include <string.h>

void chi_nnls_correlate(double *c, const chi_cone *cone, const chi_column *x, int64_t from) {
    int64_t k = cone->count;
    if (!x->index) {
        for (int64_t j = from; j < k; j++)
            c[j] = chi_dot(cone->kernels, cone->A + j * cone->rows, x->value, x->rows);
        return;
    }
    memset(c + from, 0, (size_t)(k - from) * sizeof *c);
    for (int64_t i = 0; i < x->count; i++)
        chi_axpy(cone->kernels, c + from, x->value[i],
                 cone->At + x->index[i] * cone->At_stride + from, k - from);
}

void chi_nnls_gradient(const chi_kernels *kernels, double *g, const chi_quadratic *problem,
                       const double *b) {
    memcpy(g, problem->c, (size_t)problem->size * sizeof *g);
    for (int64_t j = 0; j < problem->size; j++)
        if (b[j] > 0)
            chi_short_axpy(kernels, g, -b[j], problem->G + j * problem->stride, problem->size);
}

double chi_nnls_violation(const chi_cone *cone, const double *g, const double *b) {
    double worst = 0;
    for (int64_t j = 0; j < cone->count; j++) {
        double square = cone->gram[j + j * cone->capacity];
        if (!(square > 0)) continue;
        double slope = (b[j] > 0 ? fabs(g[j]) : g[j]) / sqrt(square);
        if (slope > worst) worst = slope;
    }
    return worst;
}

double chi_nnls_sweep(const chi_kernels *kernels, double *b, double *g,
                      const chi_quadratic *problem) {
    double largest = 0;
    for (int64_t j = 0; j < problem->size; j++) {
        const double *column = problem->G + j * problem->stride;
        double square = column[j];
        if (!(square > 0) || (b[j] == 0 && g[j] <= 0)) continue;
        double next = b[j] + g[j] / square;
        if (!(next > 0)) next = 0;
        double change = next - b[j];
        if (change == 0) continue;
        b[j] = next;
        chi_short_axpy(kernels, g, -change, column, problem->size);
        double move = fabs(change) * sqrt(square);
        if (move > largest) largest = move;
    }
    return largest;
}

void chi_nnls_residual(double *r, const chi_cone *cone, const chi_column *x, const double *b) {
    chi_column_spread(r, x);
    for (int64_t j = 0; j < cone->count; j++)
        if (b[j] > 0) chi_axpy(cone->kernels, r, -b[j], cone->A + j * cone->rows, cone->rows);
}

/* |x|^2 - 2 b'c + b'G b loses digits by cancellation as it falls below |x|^2. It is used if less
 * than two digits are lost; otherwise the residual is computed. The lifted row is left out, because
 * every b that sums to 1 meets it. */
double chi_nnls_objective(const chi_nnls *w, double *d, const chi_column *x, const double *b) {
    const chi_cone *cone = w->cone;
    double lift = cone->hull ? cone->A[cone->rows - 1] * cone->A[cone->rows - 1] : 0;
    double whole = x->square - lift, square = whole, *r = d ? d : w->r;
    for (int64_t j = 0; j < cone->count; j++) square -= b[j] * (w->c[j] - lift + w->g[j]);
    int cancelled = !(square * 64 > whole);
    if (d || cancelled) chi_nnls_residual(r, cone, x, b);
    for (int64_t i = 0; cancelled && cone->known && i < cone->known_rows; i++)
        r[i] *= cone->known[i];
    return cancelled ? chi_dot(cone->kernels, r, r, x->rows) : square;
}

void chi_nnls_report(chi_nnls *w, chi_fit *fit, double *d, const chi_column *x, const double *b) {
    const chi_cone *cone = w->cone;
    chi_quadratic problem = chi_nnls_problem(cone, w->c);
    double *g = w->g;
    chi_nnls_gradient(cone->kernels, g, &problem, b);
    fit->objective = chi_nnls_objective(w, d, x, b);

    double norm = sqrt(x->square);
    double shift = 0, infeasibility = 0, slack = 0, total = 0;
    for (int64_t j = 0; j < cone->count; j++) {
        if (!(cone->sums[j] > 0)) continue;
        double steepness = g[j] / sqrt(cone->gram[j + j * cone->capacity]);
        if (g[j] / cone->sums[j] > shift) shift = g[j] / cone->sums[j];
        if (steepness > infeasibility) infeasibility = steepness;
        slack -= b[j] * g[j];
        total += b[j] * cone->sums[j];
    }
    double gap = slack + shift * total + 0.5 * (double)cone->rows * shift * shift;
    fit->gap = x->square > 0 && gap > 0 ? 2 * gap / x->square : 0;
    fit->infeasibility = norm > 0 ? infeasibility / norm : 0;
    fit->proven = fit->gap <= w->tol && chi_nnls_violation(cone, g, b) <= w->tol * norm;
}

void *chi_nnls_create(chi_arena *arena, const chi_cone *cone, double tol) {
    chi_nnls *w = chi_arena_alloc_zero(arena, 1, sizeof *w);
    if (!w) return NULL;
    w->cone = cone;
    w->tol = tol;
    w->c = chi_arena_doubles(arena, cone->capacity);
    w->g = chi_arena_doubles(arena, cone->capacity);
    w->r = chi_arena_doubles(arena, cone->rows);
    return arena->failed ? NULL : w;
}
