/* The functions of CBLAS that conehull calls, as plain loops, for builds without a BLAS
 * (CONEHULL_BLAS=OFF): WebAssembly has none. The names and enum values are those of the standard,
 * so callers are compiled unchanged. Only what is called is here:
 *
 *     order     CblasColMajor
 *     dtrsm     CblasLower, CblasNonUnit; Left with either transposition, Right with CblasTrans
 *     dsyr, dsymv   CblasLower
 *
 * Nothing else is checked for: other arguments are a programming error (assert). */
#pragma once

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

/* ---- plain_vectors.c ---- */

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double cblas_dnrm2(int n, const double *x, int incx);
void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void cblas_dcopy(int n, const double *x, int incx, double *y, int incy);
void cblas_dscal(int n, double alpha, double *x, int incx);

/* ---- plain_products.c ---- */

void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE ta, enum CBLAS_TRANSPOSE tb, int m,
                 int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                 double beta, double *C, int ldc);
void cblas_dsyrk(enum CBLAS_ORDER order, enum CBLAS_UPLO half, enum CBLAS_TRANSPOSE ta, int n,
                 int k, double alpha, const double *A, int lda, double beta, double *C, int ldc);
void cblas_dsyr(enum CBLAS_ORDER order, enum CBLAS_UPLO half, int n, double alpha, const double *x,
                int incx, double *A, int lda);
void cblas_dsymv(enum CBLAS_ORDER order, enum CBLAS_UPLO half, int n, double alpha, const double *A,
                 int lda, const double *x, int incx, double beta, double *y, int incy);

/* ---- plain_triangles.c ---- */

void cblas_dtrsm(enum CBLAS_ORDER order, enum CBLAS_SIDE side, enum CBLAS_UPLO half,
                 enum CBLAS_TRANSPOSE ta, enum CBLAS_DIAG diagonal, int m, int n, double alpha,
                 const double *A, int lda, double *B, int ldb);
