/* Triangular systems, and Cholesky factors with the inverse from them, under LAPACK's names:
 *
 *     G = L L'          dpotrf        L in the triangle of G that `half` names
 *     G^-1 = L^-T L^-1  dpotri        from L, in the same triangle
 *
 * O(n^3 / 3) and O(2 n^3 / 3), row by row, without blocks. */
#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stddef.h>

/* x = L^-1 x, or L^-T x; x has a stride. */
static void solve(const double *L, int lda, int n, enum CBLAS_TRANSPOSE ta, double *x, int stride) {
    for (ptrdiff_t step = 0; step < n; step++) {
        ptrdiff_t j = ta == CblasNoTrans ? step : n - 1 - step;
        const double *column = L + j * lda;
        if (ta == CblasNoTrans) {
            x[j * stride] /= column[j];
            cblas_daxpy((int)(n - 1 - j), -x[j * stride], column + j + 1, 1, x + (j + 1) * stride,
                        stride);
        } else {
            x[j * stride] -=
                cblas_ddot((int)(n - 1 - j), column + j + 1, 1, x + (j + 1) * stride, stride);
            x[j * stride] /= column[j];
        }
    }
}

/* X L' = B is L X' = B': one system per row of B. */
void cblas_dtrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO half,
                 enum CBLAS_TRANSPOSE ta, enum CBLAS_DIAG diagonal, int m, int n, double alpha,
                 const double *A, int lda, double *B, int ldb) {
    assert(order == CblasColMajor && half == CblasLower && diagonal == CblasNonUnit);
    assert(side == CblasLeft || ta == CblasTrans);
    (void)order, (void)half, (void)diagonal;
    for (ptrdiff_t j = 0; j < n; j++) cblas_dscal(m, alpha, B + j * ldb, 1);
    if (side == CblasLeft)
        for (ptrdiff_t j = 0; j < n; j++) solve(A, lda, m, ta, B + j * ldb, 1);
    else
        for (ptrdiff_t i = 0; i < m; i++) solve(A, lda, n, CblasNoTrans, B + i, ldb);
}

/* Entry (i, j) of a lower triangle. The array is column-major if `half` is the lower triangle, else
 * row-major because its upper triangle holds the transpose. */
typedef struct triangle {
    double *values;
    int down, across;
} triangle;

static triangle triangle_of(const char *half, double *A, int lda) {
    return *half == 'L' ? (triangle){A, 1, lda} : (triangle){A, lda, 1};
}

static double *at(triangle t, ptrdiff_t i, ptrdiff_t j) {
    return t.values + i * t.down + j * t.across;
}

void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t unused);
void dpotri_(const char *half, const int *n, double *A, const int *lda, int *info, size_t unused);

/* *info is 0, or the order of the first minor that is not positive. */
void dpotrf_(const char *half, const int *n, double *A, const int *lda, int *info, size_t unused) {
    triangle L = triangle_of(half, A, *lda);
    (void)unused;
    *info = 0;
    for (ptrdiff_t j = 0; j < *n; j++)
        for (ptrdiff_t i = j; i < *n; i++) {
            double rest =
                *at(L, i, j) - cblas_ddot((int)j, at(L, i, 0), L.across, at(L, j, 0), L.across);
            if (i == j && !(rest > 0)) {
                *info = (int)j + 1;
                return;
            }
            *at(L, i, j) = i == j ? sqrt(rest) : rest / *at(L, j, j);
        }
}

/* Computes L^-1 in place, column by column from the last, then its transpose times itself. */
void dpotri_(const char *half, const int *n, double *A, const int *lda, int *info, size_t unused) {
    triangle L = triangle_of(half, A, *lda);
    (void)unused;
    *info = 0;
    for (ptrdiff_t j = *n - 1; j >= 0; j--) {
        double pivot = 1 / *at(L, j, j);
        for (ptrdiff_t i = *n - 1; i > j; i--)
            *at(L, i, j) = -pivot * cblas_ddot((int)(i - j), at(L, i, j + 1), L.across,
                                               at(L, j + 1, j), L.down);
        *at(L, j, j) = pivot;
    }
    for (ptrdiff_t j = 0; j < *n; j++)
        for (ptrdiff_t i = j; i < *n; i++)
            *at(L, i, j) = cblas_ddot((int)(*n - i), at(L, i, i), L.down, at(L, i, j), L.down);
}
