/* A Newton step of the projection onto a hull, under a convex loss, that takes all bounds into
 * account at once:
 *
 *     min  g'(v - b) + 1/2 (v - b)'H (v - b)    over  v >= 0, 1'v = 1,      H = A' diag(l'') A
 *
 * The problem is solved by active sets (project/nnls/active_set.c); then b moves towards v as far
 * as f decreases. The steps of bregman_descent.c guess which bounds are active. If many weights and
 * their slopes are close to zero, as with nearly as many anchors as rows, these guesses alternate
 * and progress ends. This step needs no guess and is the last resort. Cost: O(rows k^2 + k^3).
 *
 * On the simplex any multiple of 11' may be added to H. Adding the mean of the diagonal of H makes
 * H regular if the anchors are affinely independent. */
#include "project/bregman/bregman.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 40 };
static const double STEEP = 1e-15; /* slopes up to this share of the diagonal are zero */

/* Computes H + t 11' (both halves, leading dimension count) and c = (H + t 11') b - g. */
static void make_problem(chi_bregman_work *w) {
    int64_t count = w->count;
    double *H = w->hessian, *c = w->direction, mean = 0;
    for (int64_t q = 0; q < count; q++) w->free[q] = chi_bregman_column(w, q);
    w->gram(H, w->free, count, w->newton, w->rows);
    for (int64_t q = 0; q < count; q++) mean += H[q * count + q] / (double)count;
    for (int64_t s = 0; s < count; s++)
        for (int64_t t = 0; t <= s; t++) H[t * count + s] = H[s * count + t] += mean;
    for (int64_t s = 0; s < count; s++) {
        c[s] = -w->gradient[s];
        for (int64_t t = 0; t < count; t++) c[s] += H[s * count + t] * w->b[t];
    }
}

/* Returns the point of the simplex that minimises the expansion, in w->factor. */
static const double *least_point(chi_bregman_work *w) {
    int64_t count = w->count;
    double *v = w->factor, total = 0, most = 0;
    chi_quadratic problem = {w->hessian, w->direction, count, count, 1, 0};
    for (int64_t q = 0; q < count; q++) most = fmax(most, w->hessian[q * count + q]);
    memcpy(v, w->b, (size_t)count * sizeof *v);
    chi_active_set_solve(w->simplex, v, &problem, STEEP * sqrt(most), 1);
    for (int64_t q = 0; q < count; q++) total += v[q] = fmax(0, v[q]);
    for (int64_t q = 0; q < count; q++) v[q] /= total;
    return v;
}

int chi_bregman_quadratic_step(chi_bregman_work *w, double armijo, double rounding) {
    make_problem(w);
    const double *v = least_point(w);
    double t = 1, slope = 0;
    for (int64_t q = 0; q < w->count; q++) slope += w->gradient[q] * (v[q] - w->b[q]);
    if (!(slope < 0)) return 0;
    for (int halving = 0; halving < HALVINGS; halving++, t /= 2) {
        for (int64_t q = 0; q < w->count; q++)
            w->b_try[q] = t == 1 ? v[q] : w->b[q] + t * (v[q] - w->b[q]);
        double value = chi_bregman_try(w);
        int fell = value <= w->value + armijo * t * slope;
        int level = -t * slope <= rounding && fabs(value - w->value) <= rounding;
        if (!fell && !level) continue;
        chi_bregman_move(w, value);
        return 1;
    }
    return 0;
}
