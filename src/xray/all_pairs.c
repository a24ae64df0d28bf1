/* The exterior rules dist and greedy of the XRAY paper (Kumar, Sindhwani and Kambadur, ICML 2013,
 * Section 3), for l2. Both compare every residual with every column:
 *
 *     dist    i = argmax_k |(R_k'X)_+|_2
 *     greedy  j = argmax_j |(R'X_j)_+|^2 / |X_j|^2, which needs no exterior column
 *
 * Cost per step: a projection of every column, and one pass over X for every CHI_SCORE_MAX exterior
 * columns. */
#include "xray/distances.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void residual_item(void *user, int64_t at, int thread) {
    chi_distances *far = user;
    chi_fit fit;
    int64_t j = far->batch[at];
    const chi_projector *projector = &far->basis->projector;
    chi_project_column(projector, thread, &fit, projector->worker[thread].b,
                       far->residuals + at * projector->cone->rows, j);
    far->bound[j] = fit.objective;
    if (!fit.proven && fit.objective > chi_enough(far->data, j))
        atomic_fetch_add(&far->basis->unproven, 1);
    chi_set_stage(far, j, CHI_CANONICAL);
}

/* Returns a power of two that brings products of columns near 1. The squares of these products are
 * fourth powers of the data and would overflow or underflow long before the data do. */
static ch_status find_unit(const chi_distances *far, double *unit) {
    double most = 0;
    for (int64_t j = 0; j < far->data->spread.X->cols; j++) most = fmax(most, far->data->size[j]);
    TRY(chi_largest(far->context, &most, 1));
    *unit = most > 0 ? ldexp(1, -ilogb(most)) : 1;
    return CH_OK;
}

/* For the residuals R_k of the batch: adds (R_k'X_j)_+^2 to gain_j. The process that holds the
 * columns k (own) also sets reach_k = |(R_k'X)_+|^2. */
static ch_status add_products(chi_distances *far, int count, int own, double unit) {
    int64_t cols = far->data->spread.X->cols;
    TRY(chi_score(far->context, far->pass, far->data->spread.X, far->residuals, count));
    for (int k = 0; k < count; k++) {
        double *squares = far->pass + k * cols, sum;
        for (int64_t j = 0; j < cols; j++) {
            double product = fmax(0, unit * squares[j]);
            squares[j] = product * product;
            far->gain[j] += squares[j];
        }
        TRY(chi_sum(far->context, &sum, squares, cols));
        if (own) far->reach[far->batch[k]] = sum;
    }
    return CH_OK;
}

/* The owner projects the batch and sends the residuals of its exterior columns to all processes.
 * *count becomes the number sent. */
static ch_status share_residuals(chi_distances *far, int *count, int owner) {
    int64_t rows = far->data->spread.X->rows;
    int kept = 0;
    if (owner == chi_process_index(far->context)) {
        chi_parallel(far->context, *count, residual_item, far);
        for (int k = 0; k < *count; k++) {
            far->distance = fmax(far->distance, far->bound[far->batch[k]]);
            if (!chi_is_exterior(far, far->batch[k])) continue;
            memmove(far->residuals + kept * rows, far->residuals + k * rows,
                    (size_t)rows * sizeof(double));
            far->batch[kept++] = far->batch[k];
        }
    }
    TRY(chi_broadcast(far->context, &kept, 1, sizeof kept, owner));
    *count = kept;
    if (kept == 0) return CH_OK;
    return chi_broadcast(far->context, far->residuals, kept * rows, sizeof(double), owner);
}

/* Multiplies the residuals of the owner's columns with the columns of all processes. */
static ch_status compare_columns_of(chi_distances *far, int owner, int64_t columns, double unit) {
    int own = owner == chi_process_index(far->context);
    for (int64_t j = 0; j < columns;) {
        int count = 0;
        for (; own && j < columns && count < CHI_SCORE_MAX; j++)
            if (j < far->data->points && far->data->size[j] > 0) far->batch[count++] = j;
        TRY(chi_broadcast(far->context, &j, 1, sizeof j, owner));
        TRY(share_residuals(far, &count, owner));
        if (count > 0) TRY(add_products(far, count, own, unit));
    }
    return CH_OK;
}

ch_status chi_compare_all_pairs(chi_distances *far) {
    int64_t cols = far->data->spread.X->cols;
    double unit;
    if (far->version == far->basis->version) return CH_OK;
    far->version = far->basis->version;
    far->distance = 0;
    TRY(find_unit(far, &unit));
    memset(far->gain, 0, (size_t)cols * sizeof *far->gain);
    for (int owner = 0; owner < chi_process_count(far->context); owner++) {
        const int64_t *counts = far->data->spread.counts;
        TRY(compare_columns_of(far, owner, counts ? counts[owner] : cols, unit));
    }
    for (int64_t j = 0; j < cols; j++)
        if (far->data->size[j] > 0) far->gain[j] /= far->data->size[j];
    return chi_largest(far->context, &far->distance, 1);
}
