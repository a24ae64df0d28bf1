/* The exterior rules of the XRAY paper (Kumar, Sindhwani and Kambadur, ICML 2013, Section 3) that
 * use all residuals, for l2:
 *
 *     dist    i = argmax_k |(R_k'X)_+|_2
 *     greedy  j = argmax_j |(R'X_j)_+|^2 / |X_j|^2, no exterior column
 *
 * Cost per step: every column projected, and as many passes over X as there are exterior columns,
 * CHI_SCORE_MAX at a time. */
#include "anchor/distances.h"

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
    if (!fit.proven && fit.objective > run->enough[j]) atomic_fetch_add(&run->unproven, 1);
    far->fresh[j] = run->version;
}

/* A power of two that brings products of columns near 1: their squares are fourth powers of the
 * data, and would leave the range of double long before it. */
static double product_unit(const chi_run *run) {
    double most = 0;
    for (int64_t j = 0; j < run->X->cols; j++) most = fmax(most, run->size[j]);
    return most > 0 ? ldexp(1, -ilogb(most)) : 1;
}

/* For the columns of the batch that are exterior: value_k = |(R_k'X)_+|^2, and
 * score_j += (R_k'X_j)_+^2. */
static ch_status add_products(chi_run *run, int count, double unit) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    TRY(chi_score(run->context, far->products, run->X, far->residuals, count));
    for (int k = 0; k < count; k++) {
        double sum = 0;
        if (!chi_is_exterior(run, far->batch[k])) continue;
        for (int64_t j = 0; j < cols; j++) {
            double product = fmax(0, unit * far->products[k * cols + j]);
            sum += product * product;
            run->score[j] += product * product;
        }
        far->value[far->batch[k]] = sum;
    }
    return CH_OK;
}

ch_status chi_compare_all_pairs(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t cols = run->X->cols;
    double unit = product_unit(run);
    if (far->version == run->version) return CH_OK;
    far->version = run->version;
    run->distance = 0;
    memset(run->score, 0, (size_t)cols * sizeof *run->score);
    for (int64_t j = 0; j < cols;) {
        int count = 0;
        for (; j < cols && count < CHI_SCORE_MAX; j++)
            if (run->size[j] > 0) far->batch[count++] = j;
        if (count == 0) break;
        chi_parallel(run->context, count, residual_item, run);
        for (int k = 0; k < count; k++)
            run->distance = fmax(run->distance, far->bound[far->batch[k]]);
        TRY(add_products(run, count, unit));
    }
    for (int64_t j = 0; j < cols; j++)
        if (run->size[j] > 0) run->score[j] /= run->size[j];
    return CH_OK;
}
