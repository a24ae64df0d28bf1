/* The exterior rules of the XRAY paper (Kumar, Sindhwani and Kambadur, ICML 2013, Section 3) that
 * use all residuals, for l2:
 *
 *     dist    i = argmax_k |(R_k'X)_+|_2
 *     greedy  j = argmax_j |(R'X_j)_+|^2 / |X_j|^2, no exterior column
 *
 * Cost per step: every column projected, and as many passes over X as there are exterior columns,
 * CHI_SCORE_MAX at a time. */
#include "xray/distances.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void residual_item(void *user, int64_t at, int thread) {
    chi_run *run = user;
    chi_distances *far = &run->far;
    chi_fit fit;
    int64_t j = far->batch[at];
    chi_project_column(&run->projector, thread, &fit, run->projector.worker[thread].b,
                       far->residuals + at * run->X->rows, j);
    far->bound[j] = fit.objective;
    if (!fit.proven && fit.objective > chi_enough(run, j)) atomic_fetch_add(&run->unproven, 1);
    chi_set_stage(run, j, CHI_CANONICAL);
}

/* A power of two that brings products of columns near 1: their squares are fourth powers of the
 * data, and would leave the range of double long before it. */
static ch_status find_unit(const chi_run *run, double *unit) {
    double most = 0;
    for (int64_t j = 0; j < run->X->cols; j++) most = fmax(most, run->size[j]);
    TRY(chi_largest(run->context, &most, 1));
    *unit = most > 0 ? ldexp(1, -ilogb(most)) : 1;
    return CH_OK;
}

/* For the residuals of the batch: score_j += (R_k'X_j)_+^2, and value_k = |(R_k'X)_+|^2 where the
 * columns k are of this rank. */
static ch_status add_products(chi_run *run, int count, int own, double unit) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    TRY(chi_score(run->context, far->products, run->X, far->residuals, count));
    for (int k = 0; k < count; k++) {
        double *squares = far->products + k * cols, sum;
        for (int64_t j = 0; j < cols; j++) {
            double product = fmax(0, unit * squares[j]);
            squares[j] = product * product;
            run->score[j] += squares[j];
        }
        TRY(chi_sum(run->context, &sum, squares, cols));
        if (own) far->value[far->batch[k]] = sum;
    }
    return CH_OK;
}

/* Residuals of the batch to all, those of columns inside the cone left out. */
static ch_status share_residuals(chi_run *run, int *count, int owner) {
    chi_distances *far = &run->far;
    int64_t rows = run->X->rows;
    int kept = 0;
    if (owner == chi_process_index(run->context)) {
        chi_parallel(run->context, *count, residual_item, run);
        for (int k = 0; k < *count; k++) {
            run->distance = fmax(run->distance, far->bound[far->batch[k]]);
            if (!chi_is_exterior(run, far->batch[k])) continue;
            memmove(far->residuals + kept * rows, far->residuals + k * rows,
                    (size_t)rows * sizeof(double));
            far->batch[kept++] = far->batch[k];
        }
    }
    TRY(chi_broadcast(run->context, &kept, 1, sizeof kept, owner));
    *count = kept;
    if (kept == 0) return CH_OK;
    return chi_broadcast(run->context, far->residuals, kept * rows, sizeof(double), owner);
}

/* Compares the columns of one rank with all. */
static ch_status compare_columns_of(chi_run *run, int owner, int64_t columns, double unit) {
    int own = owner == chi_process_index(run->context);
    for (int64_t j = 0; j < columns;) {
        int count = 0;
        for (; own && j < columns && count < CHI_SCORE_MAX; j++)
            if (run->size[j] > 0) run->far.batch[count++] = j;
        TRY(chi_broadcast(run->context, &j, 1, sizeof j, owner));
        TRY(share_residuals(run, &count, owner));
        if (count > 0) TRY(add_products(run, count, own, unit));
    }
    return CH_OK;
}

ch_status chi_compare_all_pairs(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    double unit;
    if (far->version == run->version) return CH_OK;
    far->version = run->version;
    run->distance = 0;
    TRY(find_unit(run, &unit));
    memset(run->score, 0, (size_t)cols * sizeof *run->score);
    for (int owner = 0; owner < chi_process_count(run->context); owner++)
        TRY(compare_columns_of(run, owner, run->spread.counts ? run->spread.counts[owner] : cols,
                               unit));
    for (int64_t j = 0; j < cols; j++)
        if (run->size[j] > 0) run->score[j] /= run->size[j];
    return chi_largest(run->context, &run->distance, 1);
}
