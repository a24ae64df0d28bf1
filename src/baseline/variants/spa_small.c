/* Successive projection in its textbook form, for small matrices: R is formed, which takes rows x
 * cols numbers. */
#include "baseline/variants/spa_small.h"
#include <cblas.h>
#include <math.h>

static const double tie = 1e-12; /* values within this share are equal: the lowest column wins */

/* Returns the lowest column with the largest norm, or -1; *largest becomes that norm. */
static int64_t longest(double *largest, const double *Z, const double *norm, int64_t rows,
                       int64_t cols, double settled) {
    int64_t best = -1;
    *largest = 0;
    for (int64_t j = 0; j < cols; j++) {
        double length = cblas_dnrm2((int)rows, Z + j * rows, 1);
        if (length <= settled * norm[j] || length <= *largest * (1 + tie)) continue;
        *largest = length;
        best = j;
    }
    return best;
}

/* Removes from every column its component along column j, whose norm is given. Column j becomes
 * zero. */
static void project_out(double *Z, int64_t rows, int64_t cols, int64_t j, double norm) {
    double *u = Z + j * rows;
    cblas_dscal((int)rows, 1 / norm, u, 1);
    for (int64_t i = 0; i < cols; i++)
        if (i != j) {
            double along = cblas_ddot((int)rows, u, 1, Z + i * rows, 1);
            cblas_daxpy((int)rows, -along, u, 1, Z + i * rows, 1);
        }
    cblas_dscal((int)rows, 0, u, 1);
}

void chi_spa_small(chi_selection *found, double *Z, double *norm, int64_t rows, int64_t cols,
                   int64_t rank, double settled) {
    double largest;
    for (int64_t j = 0; j < cols; j++) norm[j] = cblas_dnrm2((int)rows, Z + j * rows, 1);
    int64_t j = longest(&largest, Z, norm, rows, cols, settled);
    for (found->rank = 0; j >= 0 && found->rank < rank;) {
        project_out(Z, rows, cols, j, largest);
        found->anchors[found->rank] = j;
        j = longest(&largest, Z, norm, rows, cols, settled);
        if (found->max_residual) found->max_residual[found->rank] = largest;
        found->rank++;
    }
}
