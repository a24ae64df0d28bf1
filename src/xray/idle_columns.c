/* Idle columns: columns that no anchor helps, in l1. At b = 0 the residual of x is x, with the dual
 * d = +1 on the support of x and -1 elsewhere. b = 0 is optimal if this d is feasible, that is, if
 * for every anchor a
 *
 *     sum_{i in supp(x)} a_i  <=  1/2 sum_i a_i :
 *
 * no anchor has more than half of its mass on the rows of x. (An excess within rounding does not
 * count: exactly half is common, and d scaled by 1 - CHI_TIE then proves b = 0 to that precision.)
 * Nearly all documents are idle. The distance of an idle column is its size, whatever the anchors.
 * If columns are scaled to sum 1, all idle ones tie, and without this test the search would solve
 * for each of them at every step. Testing one more anchor costs one read of the anchor on the
 * support of x. The test's result stays valid while the cone grows; what depends on a removed
 * anchor is discarded.
 *
 * The first anchor that does help gives a bound at once: along it the objective falls with slope
 * sum_i a_i - 2 sum_{supp(x)} a_i up to the first row where x_i = t a_i.
 *
 * Under the quantile loss d is 2 q on the support and -2 (1 - q) elsewhere, so no anchor may have
 * more than the share 1 - q of its mass on the rows of x. */
#include "xray/distances.h"

#include <math.h>
#include <string.h>

int chi_has_idle(const chi_distances *far) {
    return far->data->spread.X->layout == CH_CSC &&
           far->basis->projector.solver == &chi_nnlad_exact;
}

/* Marks columns with stored zeros as never idle, so that the test can take the stored rows as the
 * support and need not read values. */
void chi_idle_begin(chi_distances *far) {
    const ch_matrix *X = far->data->spread.X;
    chi_worker *worker = far->basis->projector.worker;
    for (int64_t j = 0; j < X->cols; j++) {
        int64_t stored = X->column_start[j + 1] - X->column_start[j];
        if (chi_column_support(worker->index, worker->value, X, j) < stored)
            far->idle[j] = CHI_NEVER_IDLE;
    }
}

void chi_idle_forget(chi_distances *far, int64_t k) {
    int32_t *idle = far->idle, gone = (int32_t)k;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++) {
        if (idle[j] >= 0)
            idle[j] -= idle[j] > gone;
        else if (idle[j] == -1 - gone)
            idle[j] = gone;
        else if (idle[j] != CHI_NEVER_IDLE)
            idle[j] += idle[j] < -1 - gone;
    }
}

static double mass_on_support(const ch_matrix *X, int64_t j, const double *a) {
    const int32_t *row = X->row_index + X->column_start[j];
    int64_t count = X->column_start[j + 1] - X->column_start[j], e = 0;
    double mass[4] = {0};
    for (; e + 4 <= count; e += 4)
        for (int lane = 0; lane < 4; lane++) mass[lane] += a[row[e + lane]];
    for (; e < count; e++) mass[0] += a[row[e]];
    return (mass[0] + mass[1]) + (mass[2] + mass[3]);
}

/* Bounds the objective by a step along anchor k, which helps. If the column has no feasible point
 * yet, the end of the step becomes it. An existing point is kept, but its length is set as if it
 * used k, so that the bound is discarded when k is removed. */
static void step_along(chi_distances *far, int64_t j, int64_t k, double mass, int thread) {
    const chi_cone *cone = &far->basis->cone;
    const chi_worker *worker = &far->basis->projector.worker[thread];
    const double *a = cone->A + k * cone->rows;
    double *b = far->point + j * cone->capacity, step = INFINITY;
    int64_t count = chi_column_support(worker->index, worker->value, far->data->spread.X, j);
    for (int64_t e = 0; e < count; e++)
        if (a[worker->index[e]] > 0) step = fmin(step, worker->value[e] / a[worker->index[e]]);
    double objective =
        chi_at_zero(far->data, j) - (2 * mass - (1 + cone->skew) * cone->sums[k]) * step;
    far->bound[j] = fmin(far->bound[j], objective + chi_slack(far, j));
    int64_t length = far->length[j];
    if (length > k) return;
    memset(b + length, 0, (size_t)(k + 1 - length) * sizeof *b);
    if (length == 0) b[k] = step;
    far->length[j] = (int32_t)k + 1;
}

void chi_bound_by_helper(chi_distances *far, int64_t j, int thread) {
    int64_t k = -1 - far->idle[j];
    const double *a = far->basis->cone.A + k * far->basis->cone.rows;
    step_along(far, j, k, mass_on_support(far->data->spread.X, j, a), thread);
}

int chi_try_idle(chi_distances *far, int64_t j, int thread) {
    const chi_cone *cone = &far->basis->cone;
    if (!far->idle) return 0;
    while (far->idle[j] >= 0 && far->idle[j] < cone->count) {
        int64_t k = far->idle[j];
        double mass = mass_on_support(far->data->spread.X, j, cone->A + k * cone->rows);
        int helps = 2 * mass > (1 + cone->skew) * cone->sums[k] * (1 + CHI_TIE);
        if (helps) step_along(far, j, k, mass, thread);
        far->idle[j] = helps ? -1 - (int32_t)k : (int32_t)k + 1;
    }
    if (far->idle[j] < 0) return 0;
    far->length[j] = 0;
    far->bound[j] = chi_at_zero(far->data, j);
    chi_set_stage(far, j, CHI_CANONICAL);
    return 1;
}
