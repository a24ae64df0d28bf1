/* The loops that stand for BLAS and LAPACK in builds without them, against sums of products written
 * out, and eigenvectors that were planted. */
#define cblas_ddot plain_ddot
#define cblas_dnrm2 plain_dnrm2
#define cblas_daxpy plain_daxpy
#define cblas_dcopy plain_dcopy
#define cblas_dscal plain_dscal
#define cblas_dgemm plain_dgemm
#define cblas_dsyrk plain_dsyrk
#define cblas_dsyr plain_dsyr
#define cblas_dsymv plain_dsymv
#define cblas_dtrsm plain_dtrsm
#define dpotrf_ plain_dpotrf
#define dpotri_ plain_dpotri
#define chi_eigen_create plain_eigen_create
#define chi_eigen_above plain_eigen_above
#include "linalg/eigen_plain.c"
#include "plain_blas/plain_products.c"
#include "plain_blas/plain_triangles.c"
#include "plain_blas/plain_vectors.c"
#include "support_fixture.h"
#include <conehull/random.h>

enum { M = 7, N = 5, K = 6, LD = 9 };

static double A[LD * LD], B[LD * LD], C[LD * LD], expected[LD * LD];

static void draw(double *values, ch_random *random) {
    for (int i = 0; i < LD * LD; i++) values[i] = ch_random_uniform(random) - 0.5;
}

static double entry(const double *X, int turned, int i, int j) {
    return turned ? X[j + i * LD] : X[i + j * LD];
}

static void compare(const double *found, const double *wanted, int rows, int cols) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            assert_true(fabs(found[i + j * LD] - wanted[i + j * LD]) < 1e-12);
}

static void products(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 1);
    for (int kind = 0; kind < 8; kind++) {
        int ta = kind & 1, tb = kind >> 1 & 1;
        double beta = kind >> 2 ? 0.5 : 0;
        draw(A, &random), draw(B, &random), draw(C, &random);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                double sum = 0;
                for (int l = 0; l < K; l++) sum += entry(A, ta, i, l) * entry(B, tb, l, j);
                expected[i + j * LD] = -2 * sum + beta * C[i + j * LD];
            }
        if (beta == 0) C[0] = NAN; /* not read then */
        cblas_dgemm(CblasColMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
                    M, N, K, -2, A, LD, B, LD, beta, C, LD);
        compare(C, expected, M, N);
    }
}

static void symmetric_products(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 2);
    for (int kind = 0; kind < 4; kind++) {
        int ta = kind & 1, upper = kind >> 1;
        draw(A, &random), draw(C, &random);
        memcpy(expected, C, sizeof C);
        for (int j = 0; j < N; j++)
            for (int i = upper ? 0 : j; i <= (upper ? j : N - 1); i++) {
                double sum = 0;
                for (int l = 0; l < K; l++) sum += entry(A, ta, i, l) * entry(A, ta, j, l);
                expected[i + j * LD] = 3 * sum - C[i + j * LD];
            }
        cblas_dsyrk(CblasColMajor, upper ? CblasUpper : CblasLower, ta ? CblasTrans : CblasNoTrans,
                    N, K, 3, A, LD, -1, C, LD);
        compare(C, expected, LD, LD);
    }
}

static void symmetric_vectors(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 3);
    double x[N], y[N], wanted[N];
    draw(A, &random), draw(B, &random);
    memcpy(x, B, sizeof x);
    memcpy(expected, A, sizeof A);
    for (int j = 0; j < N; j++)
        for (int i = j; i < N; i++) expected[i + j * LD] += 2 * x[i] * x[j];
    cblas_dsyr(CblasColMajor, CblasLower, N, 2, x, 1, A, LD);
    compare(A, expected, LD, LD);
    for (int i = 0; i < N; i++) {
        wanted[i] = 0;
        for (int j = 0; j < N; j++) wanted[i] += A[i > j ? i + j * LD : j + i * LD] * x[j];
        y[i] = NAN;
    }
    cblas_dsymv(CblasColMajor, CblasLower, N, 1, A, LD, x, 1, 0, y, 1);
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - wanted[i]) < 1e-12);
}

static void triangles(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 4);
    draw(A, &random);
    for (int i = 0; i < N; i++) A[i + i * LD] += 3;
    for (int kind = 0; kind < 3; kind++) {
        int right = kind == 2, turned = kind > 0;
        draw(B, &random);
        memcpy(expected, B, sizeof B);
        cblas_dtrsm(CblasColMajor, right ? CblasRight : CblasLeft, CblasLower,
                    turned ? CblasTrans : CblasNoTrans, CblasNonUnit, N, N, 1, A, LD, B, LD);
        memset(C, 0, sizeof C);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int l = 0; l < N; l++) {
                    int row = right ? l : i, col = right ? j : l; /* of op(L) */
                    int low = turned ? col : row, across = turned ? row : col;
                    double a = low >= across ? A[low + across * LD] : 0;
                    C[i + j * LD] += a * (right ? B[i + l * LD] : B[l + j * LD]);
                }
        compare(C, expected, N, N);
    }
}

static void cholesky(void **state) {
    (void)state;
    ch_random random;
    ch_random_seed(&random, 5);
    for (int upper = 0; upper < 2; upper++) {
        int n = N, ld = LD, info = 1;
        double G[LD * LD];
        draw(A, &random);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, N, N, LD, 1, A, LD, A, LD, 0, G, LD);
        memcpy(B, G, sizeof B);
        dpotrf_(upper ? "U" : "L", &n, B, &ld, &info, 1);
        assert_int_equal(info, 0);
        dpotri_(upper ? "U" : "L", &n, B, &ld, &info, 1);
        assert_int_equal(info, 0);
        for (int j = 0; j < N; j++) /* the other triangle */
            for (int i = 0; i < j; i++)
                *(upper ? &B[j + i * LD] : &B[i + j * LD]) = upper ? B[i + j * LD] : B[j + i * LD];
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, G, LD, B, LD, 0, C, LD);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) assert_true(fabs(C[i + j * LD] - (i == j)) < 1e-9);
        G[2 + 2 * LD] = -1;
        dpotrf_(upper ? "U" : "L", &n, G, &ld, &info, 1);
        assert_int_equal(info, 3);
    }
}

static void norms(void **state) {
    (void)state;
    const double x[] = {3e200, 0, 4e200, 7, 0, 7}, small[] = {3e-200, 4e-200};
    assert_true(fabs(cblas_dnrm2(2, x, 2) / 5e200 - 1) < 1e-15);
    assert_true(fabs(cblas_dnrm2(2, small, 1) / 5e-200 - 1) < 1e-15);
    assert_true(cblas_dnrm2(1, x + 1, 1) == 0);
}

/* Q diag(lambda) Q' with a Q from reflections has these eigenvalues. */
static void eigenvectors(void **state) {
    enum { ORDER = 40 };
    (void)state;
    ch_random random;
    chi_arena arena = {.context = context};
    chi_eigen *solver;
    static double G[ORDER * ORDER], copy[ORDER * ORDER], vectors[ORDER * ORDER], values[ORDER];
    int64_t count = 0;
    ch_random_seed(&random, 6);
    for (int i = 0; i < ORDER; i++) G[i + i * ORDER] = i % 4 ? i : 10; /* 10 is there ten times */
    for (int turn = 0; turn < 5; turn++) {
        double v[ORDER], square = 0, product[ORDER];
        for (int i = 0; i < ORDER; i++) v[i] = ch_random_uniform(&random) - 0.5;
        for (int i = 0; i < ORDER; i++) square += v[i] * v[i];
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < ORDER; j++) {
                int down = side ? ORDER : 1, along = side ? 1 : ORDER;
                product[j] = 0;
                for (int i = 0; i < ORDER; i++) product[j] += v[i] * G[i * down + j * along];
                for (int i = 0; i < ORDER; i++)
                    G[i * down + j * along] -= 2 / square * v[i] * product[j];
            }
    }
    memcpy(copy, G, sizeof G);
    assert_int_equal(chi_eigen_create(&arena, &solver, ORDER), CH_OK);
    assert_int_equal(chi_eigen_above(solver, &count, values, vectors, G, ORDER, 9.5), CH_OK);
    assert_int_equal(count, 10 + 22 + 1); /* the tens, those from 11 to 39 that 4 does not divide */
    for (int64_t k = 0; k < count; k++) {
        assert_true(k == 0 || values[k] <= values[k - 1]);
        for (int i = 0; i < ORDER; i++) {
            double sum = -values[k] * vectors[i + k * ORDER], dot = 0;
            for (int j = 0; j < ORDER; j++) sum += copy[i + j * ORDER] * vectors[j + k * ORDER];
            assert_true(fabs(sum) < 1e-10);
            if (i >= count) continue;
            for (int j = 0; j < ORDER; j++) dot += vectors[j + i * ORDER] * vectors[j + k * ORDER];
            assert_true(fabs(dot - (i == k)) < 1e-12);
        }
    }
    chi_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),     cmocka_unit_test(symmetric_products),
        cmocka_unit_test(triangles),    cmocka_unit_test(symmetric_vectors),
        cmocka_unit_test(cholesky),     cmocka_unit_test(norms),
        cmocka_unit_test(eigenvectors),
    };
    return cmocka_run_group_tests(tests, support_set_up, support_tear_down);
}
