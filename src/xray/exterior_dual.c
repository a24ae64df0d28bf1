/* D* of the exterior column X_i (Algorithm 1, step 1). It is the dual of the projection of X_i onto
 * the cone, with
 *
 *     D*'X_A <= 0  (Lemma 3.1)        D*'X_i > 0  (Lemma 3.2)
 *
 * With --dual paper it is the paper's choice u = -1 (Remark 1) where that choice is valid. */
#include "xray/distances.h"

#include <math.h>
#include <string.h>

/* D* and p count as collinear if |sin| of the angle between them is at most this. */
static const double COLLINEAR = 1e-3;
/* DUAL_SLACK is half of what verification allows for scores of anchors. SCORE_LEAST is the smallest
 * score under l2, relative to the size of D*, that rounding leaves accurate to nine digits, as
 * verification requires. */
static const double DUAL_SLACK = 5e-10, SCORE_LEAST = 1e-7;

int chi_is_collinear(const chi_cone *cone, const double *d, const double *p) {
    const chi_kernels *kernels = cone->kernels;
    double dp = chi_dot(kernels, d, p, cone->rows), dd = chi_dot(kernels, d, d, cone->rows);
    double pp = chi_dot(kernels, p, p, cone->rows);
    return dp * dp >= (1 - COLLINEAR * COLLINEAR) * dd * pp;
}

/* ---- before the first anchor ---------------------------------------------------------------- */

enum { BLOCK = 256 }; /* columns */

typedef struct collinear_job {
    const chi_run *run;
    double least; /* collinear if (p'x)^2 / |x|^2 is at least this */
} collinear_job;

/* Returns |x|^2 from the survey, or computes it if the survey has no squares. */
static double square_of(const chi_run *run, int64_t j, int thread) {
    const chi_projector *projector = &run->basis.projector;
    chi_worker *worker = &projector->worker[thread];
    if (run->data.survey->squares) return run->data.survey->squares[j];
    chi_column_load(projector->cone->kernels, &worker->x, worker->index, worker->value,
                    run->data.spread.X, j);
    return worker->x.square;
}

static void pass_block(void *user, int64_t block, int thread) {
    const collinear_job *job = user;
    const chi_run *run = job->run;
    const chi_data *data = &run->data;
    int64_t low = block * BLOCK, high = low + BLOCK, cols = data->spread.X->cols;
    for (int64_t j = low; j < high && j < cols; j++) {
        double weight = data->weight[j];
        if (data->size[j] > 0 && weight * weight >= job->least * square_of(run, j, thread))
            chi_pass_column(&run->far, j);
    }
}

/* Without an anchor D* = x, so one loop finds all columns that are collinear with p. Finding them
 * by one search each would take O(cols^2) for data with a large offset, such as temperatures in
 * kelvin. Columns so close to the limit that rounding might decide are left to the search. */
ch_status chi_pass_collinear(chi_run *run) {
    const chi_data *data = &run->data;
    int64_t rows = data->spread.X->rows, cols = data->spread.X->cols;
    double pp = chi_dot(run->basis.cone.kernels, data->p, data->p, rows);
    collinear_job job = {run, (1 - 0.999 * COLLINEAR * COLLINEAR) * pp};
    return chi_parallel_until(run->context, (cols + BLOCK - 1) / BLOCK, pass_block, &job);
}

/* ---- D* -------------------------------------------------------------------------------------- */

enum { FEW = 8 }; /* at most rows / FEW entries count as few */

/* Sets *c to the smallest entry of d. Returns the number of entries above it. */
static int64_t count_above_least(double *c, const double *d, int64_t rows) {
    int64_t above = 0;
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY}; /* as in chi_largest_entry() */
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int k = 0; k < 4; k++) least[k] = d[i + k] < least[k] ? d[i + k] : least[k];
    for (; i < rows; i++) least[0] = d[i] < least[0] ? d[i] : least[0];
    *c = fmin(fmin(least[0], least[1]), fmin(least[2], least[3]));
    for (i = 0; i < rows; i++) above += d[i] != *c;
    return above;
}

/* Under l1 and KL, all rows where x is zero have the smallest entry c of d. If few entries are
 * larger, as for documents, A'd = c A'1 + A'(d - c) costs those few rows only. */
void chi_multiply_anchors(double *products, const chi_cone *cone, const double *d) {
    double c;
    if (FEW * count_above_least(&c, d, cone->rows) > cone->rows) {
        for (int64_t k = 0; k < cone->count; k++)
            products[k] = chi_dot(cone->kernels, cone->A + k * cone->rows, d, cone->rows);
        return;
    }
    for (int64_t k = 0; k < cone->count; k++) products[k] = c * cone->sums[k];
    for (int64_t i = 0; i < cone->rows; i++) {
        const double *row = cone->At + i * cone->At_stride;
        if (d[i] == c) continue;
        for (int64_t k = 0; k < cone->count; k++) products[k] += (d[i] - c) * row[k];
    }
}

/* Makes d feasible: D* <- (D* - t) / (1 + t / s) with s = max_i |D*_i|, t = max_k (A_k'D* /
 * A_k'1)_+. The result is positive on no anchor (Lemma 3.1) and no entry exceeds s. This is needed
 * because projections are optimal only up to a tolerance, and near the cone the slopes of a
 * divergence are small differences of large numbers. Nothing changes if t is negligible relative
 * to D* and to the score of x. `products` has space for one number per anchor. Returns non-zero if
 * the remaining score of x (Lemma 3.2) may be rounding error, as under l2 with nearly equal
 * anchors. */
static int make_feasible(double *d, double *products, const chi_cone *cone, const chi_column *x,
                         int degree) {
    double size = chi_largest_entry(d, cone->rows), t = 0;
    if (cone->skew != 0 && cone->count > 0) size = 1 + cone->skew; /* d stays above -size */
    chi_multiply_anchors(products, cone, d);
    for (int64_t k = 0; k < cone->count; k++)
        if (cone->sums[k] > 0) t = fmax(t, products[k] / cone->sums[k]);
    if (t > DUAL_SLACK * fmin(size, chi_column_dot(x, d) / x->sum))
        for (int64_t i = 0; i < cone->rows; i++) d[i] = (d[i] - t) / (1 + t / size);
    double least = degree == 2 ? SCORE_LEAST * size * x->sum : 0;
    return !(chi_column_dot(x, d) > least);
}

/* Computes D* of a column that this process holds. */
static void find_dual(chi_run *run, int64_t own) {
    chi_basis *basis = &run->basis;
    chi_worker *worker = basis->projector.worker;
    chi_fit fit;
    double *d = run->rays.d;
    chi_project_column(&basis->projector, 0, &fit, worker->b, d, own);
    double *products = worker->b + basis->cone.capacity; /* the weights come first */
    int rounding = make_feasible(d, products, &basis->cone, &worker->x, run->data.measure->degree);
    basis->unproven += !fit.proven || rounding;
    if (run->set->dual != CH_DUAL_PAPER || basis->cone.count == 0) return;
    run->result->duals_checked++;
    if (chi_dual_paper(basis->column, &basis->cone, &worker->x, worker->b, run->set->tol)) {
        run->result->duals_valid++;
        memcpy(d, basis->column, (size_t)basis->cone.rows * sizeof *d);
    }
}

ch_status chi_exterior_dual(chi_run *run, int64_t i) {
    int64_t own = chi_distribution_local(&run->data.spread, i);
    if (own >= 0) find_dual(run, own);
    return chi_distribution_share(&run->data.spread, run->rays.d, run->basis.cone.rows,
                                  sizeof *run->rays.d, i);
}
