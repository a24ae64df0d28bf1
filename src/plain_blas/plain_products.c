/* Products of matrices, column by column:
 *
 *     C = alpha op(A) op(B) + beta C          dgemm
 *     C = alpha op(A) op(A)' + beta C         dsyrk, one triangle
 *     A = A + alpha x x'                      dsyr, the lower triangle
 *     y = alpha A x + beta y                  dsymv, A symmetric, its lower triangle stored
 *
 * With A not transposed, a column of C is a sum of columns of A; with A transposed, every entry is
 * a dot product of columns. Both read A along its columns. O(m n k), without blocking for the
 * cache. */
#include <assert.h>
#include <cblas.h>
#include <stddef.h>

/* y = beta y; a beta of 0 also clears NaN, as in BLAS. */
static void scale(double *y, int count, double beta) {
    for (int i = 0; i < count; i++) y[i] = beta == 0 ? 0 : beta * y[i];
}

/* y[0..m) += alpha op(A) b, where op(A) is m x k and b has a stride. */
static void add_product(double *y, int m, int k, double alpha, enum CBLAS_TRANSPOSE ta,
                        const double *A, int lda, const double *b, int stride) {
    if (ta == CblasNoTrans)
        for (ptrdiff_t l = 0; l < k; l++)
            cblas_daxpy(m, alpha * b[l * stride], A + l * lda, 1, y, 1);
    else
        for (ptrdiff_t i = 0; i < m; i++) y[i] += alpha * cblas_ddot(k, A + i * lda, 1, b, stride);
}

void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE ta, enum CBLAS_TRANSPOSE tb, int m,
                 int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                 double beta, double *C, int ldc) {
    assert(order == CblasColMajor);
    (void)order;
    int plain = tb == CblasNoTrans;
    for (ptrdiff_t j = 0; j < n; j++) {
        scale(C + j * ldc, m, beta);
        add_product(C + j * ldc, m, k, alpha, ta, A, lda, plain ? B + j * ldb : B + j,
                    plain ? 1 : ldb);
    }
}

void cblas_dsyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO half, enum CBLAS_TRANSPOSE ta, int n,
                 int k, double alpha, const double *A, int lda, double beta, double *C, int ldc) {
    assert(order == CblasColMajor);
    (void)order;
    int plain = ta == CblasNoTrans;
    for (ptrdiff_t j = 0; j < n; j++) {
        ptrdiff_t first = half == CblasUpper ? 0 : j;
        int count = (int)(half == CblasUpper ? j + 1 : n - j);
        double *y = C + j * ldc + first;
        scale(y, count, beta);
        add_product(y, count, k, alpha, ta, plain ? A + first : A + first * lda, lda,
                    plain ? A + j : A + j * lda, plain ? lda : 1);
    }
}

void cblas_dsyr(enum CBLAS_ORDER order, enum CBLAS_UPLO half, int n, double alpha, const double *x,
                int incx, double *A, int lda) {
    assert(order == CblasColMajor && half == CblasLower);
    (void)order, (void)half;
    for (ptrdiff_t j = 0; j < n; j++)
        cblas_daxpy((int)(n - j), alpha * x[j * incx], x + j * incx, incx, A + j * lda + j, 1);
}

void cblas_dsymv(enum CBLAS_ORDER order, enum CBLAS_UPLO half, int n, double alpha, const double *A,
                 int lda, const double *x, int incx, double beta, double *y, int incy) {
    assert(order == CblasColMajor && half == CblasLower);
    (void)order, (void)half;
    for (ptrdiff_t i = 0; i < n; i++) y[i * incy] = beta == 0 ? 0 : beta * y[i * incy];
    for (ptrdiff_t j = 0; j < n; j++) {
        const double *below = A + j * lda + j;
        int count = (int)(n - j);
        cblas_daxpy(count, alpha * x[j * incx], below, 1, y + j * incy, incy);
        y[j * incy] += alpha * cblas_ddot(count - 1, below + 1, 1, x + (j + 1) * incx, incx);
    }
}
