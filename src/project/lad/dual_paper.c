/* The dual of the l1 projection as the paper defines it (Remark 1): the sign of the residual, and u
 * = -1 where the residual is zero,
 *
 *     d_i = 1 where x_i > (A b)_i, else -1.
 *
 * Every optimal dual has these signs where the residual is not zero, so d is the smallest of all
 * optimal duals. A'd <= 0 then follows from A >= 0 (Lemma 3.1); only x'd > 0 (Lemma 3.2) may fail.
 * Both conditions are checked, because b is optimal only up to rounding. Cost: O(rows * anchors),
 * once per selection step. */
#include "project/cone.h"

#include <string.h>

int chi_dual_paper(double *d, const chi_cone *cone, const chi_column *x, const double *b,
                   double tol) {
    memset(d, 0, (size_t)cone->rows * sizeof *d);
    for (int64_t j = 0; j < cone->count; j++)
        if (b[j] > 0) chi_axpy(cone->kernels, d, b[j], cone->A + j * cone->rows, cone->rows);

    double inner = 0;
    int64_t next = 0; /* next entry of x, at row i or later; rows between have x_i = 0, d_i = -1 */
    for (int64_t i = 0; i < cone->rows; i++) {
        int present = next < x->count && (x->index ? x->index[next] : next) == i;
        double value = present ? x->value[next++] : 0, y = d[i];
        d[i] = value - y > CHI_EXCEPTION * (value + y) ? 1 : -1;
        inner += d[i] * value;
    }

    if (!(inner > tol * x->sum)) return 0;
    for (int64_t j = 0; j < cone->count; j++)
        if (chi_dot(cone->kernels, cone->A + j * cone->rows, d, cone->rows) > tol * cone->sums[j])
            return 0;
    return 1;
}
