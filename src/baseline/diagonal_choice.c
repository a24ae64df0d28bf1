/* The choice of anchors from the diagonal of C. Equal columns share their weight arbitrarily, so
 * their diagonal entries are added up first. Equal columns are found by a random combination of
 * their rows, and then compared row by row. */
#include "baseline/diagonal_choice.h"

#include "linalg/linalg.h"
#include <conehull/random.h>
#include <math.h>

static const double tie = 1e-12;

ch_status chi_load_scaled(chi_selfrep *all, chi_dictionary *to, const ch_matrix *X) {
    for (int64_t j = 0; j < to->n; j++) {
        if (j % CHI_PANEL == 0 && chi_selfrep_pause(all)) return CH_STOP_CANCELLED;
        double *x = to->X + j * to->m;
        double sum = 0; /* summed by rows in any layout: same bits */
        chi_column_gather(x, X, all->column[j]);
        for (int64_t i = 0; i < to->m; i++) sum += x[i];
        for (int64_t i = 0; i < to->m; i++) x[i] /= sum;
    }
    return CH_OK;
}

void chi_diagonal_costs(double *p, int64_t count, double spread, int64_t seed) {
    ch_random random;
    ch_random_seed(&random, (uint64_t)seed);
    for (int64_t j = 0; j < count; j++) p[j] = spread * ch_random_uniform(&random);
}

static int same_column(const chi_dictionary *X, int64_t j, int64_t k) {
    const double *x = X->X + j * X->m, *y = X->X + k * X->m;
    double apart = 0;
    for (int64_t i = 0; i < X->m && apart <= tie; i++) apart += fabs(x[i] - y[i]);
    return apart <= tie;
}

/* Adds the diagonal entries of equal columns to the entry of the first of them, and sets the others
 * to 0. */
static void gather_equal(chi_selfrep *all, const chi_dictionary *X, double *diagonal, double *key,
                         int64_t seed) {
    double *mix = all->scratch[0];
    chi_diagonal_costs(mix, X->m, 1, seed);
    for (int64_t j = 0; j < X->n; j++)
        key[j] = chi_dot(chi_kernels_of(all->context), X->X + j * X->m, mix, X->m);
    for (int64_t j = 0; j < X->n; j++)
        for (int64_t k = j + 1; k < X->n; k++) {
            if (fabs(key[k] - key[j]) > tie || diagonal[k] == 0 || !same_column(X, j, k)) continue;
            diagonal[j] += diagonal[k];
            diagonal[k] = 0;
        }
}

void chi_choose_by_diagonal(chi_selfrep *all, chi_selection *found, const chi_dictionary *X,
                            double *diagonal, double *key, const ch_anchors_settings *settings) {
    gather_equal(all, X, diagonal, key, settings->seed);
    for (found->rank = 0; found->rank < settings->rank; found->rank++) {
        int64_t chosen = 0;
        for (int64_t j = 1; j < X->n; j++)
            if (diagonal[j] > diagonal[chosen] + tie) chosen = j;
        found->anchors[found->rank] = all->column[chosen];
        if (found->weights) found->weights[found->rank] = diagonal[chosen];
        diagonal[chosen] = -INFINITY;
    }
}
