/* Loads a column of a view in the form that the projections use: the rows where it is not zero. */
#include "linalg/shown.h"
#include "loss/divergence.h"
#include "project/cone.h"

#include <string.h>

static int has_zero(const double *value, const ch_matrix *X, int64_t j) {
    if (X->type == CH_U8 && X->layout == CH_COLUMN_MAJOR && !chi_shown_of(X))
        return memchr((const uint8_t *)X->values + j * X->stride, 0, (size_t)X->rows) != NULL;
    int64_t zeros = 0;
    for (int64_t i = 0; i < X->rows; i++) zeros += value[i] == 0;
    return zeros > 0;
}

/* Loads a dense column and returns 1 if it has no zeros. This is the common case for images and
 * needs no index. */
static int load_full(double *value, const ch_matrix *X, int64_t j) {
    if (X->layout == CH_CSC) return 0;
    chi_column_gather(value, X, j);
    return !has_zero(value, X, j);
}

void chi_column_load(const chi_kernels *kernels, chi_column *x, int32_t *index, double *value,
                     const ch_matrix *X, int64_t j) {
    int64_t count = load_full(value, X, j) ? X->rows : chi_column_support(index, value, X, j);
    *x = (chi_column){.rows = X->rows,
                      .count = count,
                      .value = value,
                      .sum = chi_sum_abs(kernels, value, count),
                      .square = chi_dot(kernels, value, value, count)};
    x->index = count == X->rows ? NULL : index;
}

int chi_column_load_full(const chi_kernels *kernels, chi_column *x, double *value,
                         const ch_matrix *X, int64_t j) {
    if (!load_full(value, X, j)) return 0;
    *x = (chi_column){.rows = X->rows, .count = X->rows, .value = value};
    x->sum = chi_sum_abs(kernels, value, X->rows);
    return 1;
}

int64_t chi_column_rows(const chi_cone *cone, const chi_column *x, int64_t low, int64_t *at,
                        double lift, double *value, double *weight) {
    int64_t count = x->rows - low < CHI_LOSS_BLOCK ? x->rows - low : CHI_LOSS_BLOCK;
    int64_t weighted = cone->row_weight ? cone->rows - cone->hull : 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = low + k;
        int here = !x->index || (*at < x->count && x->index[*at] == i);
        value[k] = lift + (here ? x->value[(*at)++] : 0);
        weight[k] = i < weighted ? cone->row_weight[i] : 1;
    }
    return count;
}

void chi_column_spread(double *d, const chi_column *x) {
    if (x->index) memset(d, 0, (size_t)x->rows * sizeof *d);
    for (int64_t i = 0; i < x->count; i++) d[x->index ? x->index[i] : i] = x->value[i];
}

double chi_column_dot(const chi_column *x, const double *d) {
    double sum = 0;
    for (int64_t e = 0; e < x->count; e++) sum += x->value[e] * d[x->index ? x->index[e] : e];
    return sum;
}
