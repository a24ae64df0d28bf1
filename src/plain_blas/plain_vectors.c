/* Sums and updates of vectors, with a stride. */
#include <cblas.h>
#include <math.h>
#include <stddef.h>

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) sum += x[i * incx] * y[i * incy];
    return sum;
}

/* Scaled by the largest entry, so that squares neither overflow nor vanish. */
double cblas_dnrm2(int n, const double *x, int incx) {
    double largest = 0, sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i * incx]));
    if (!(largest > 0) || isinf(largest)) return largest;
    for (ptrdiff_t i = 0; i < n; i++) {
        double share = x[i * incx] / largest;
        sum += share * share;
    }
    return largest * sqrt(sum);
}

void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy) {
    for (ptrdiff_t i = 0; i < n; i++) y[i * incy] += alpha * x[i * incx];
}

void cblas_dcopy(int n, const double *x, int incx, double *y, int incy) {
    for (ptrdiff_t i = 0; i < n; i++) y[i * incy] = x[i * incx];
}

void cblas_dscal(int n, double alpha, double *x, int incx) {
    for (ptrdiff_t i = 0; i < n; i++) x[i * incx] *= alpha;
}
