/* All vertices of all tiny problems: for entries 0, 1, 2, the exact l1 projection reaches the
 * smallest objective over every choice of free variables and zero rows. */
#include "project/cone.h"
#include "support.h"
#include <math.h>

enum { ROWS_MAX = 4, K_MAX = 3 };

/* K y = rhs (n <= 3) by elimination with pivoting; 0 when singular. */
static int eliminate(int n, double K[K_MAX][K_MAX], double *rhs) {
    for (int c = 0; c < n; c++) {
        int at = c;
        for (int r = c; r < n; r++)
            if (fabs(K[r][c]) > fabs(K[at][c])) at = r;
        if (fabs(K[at][c]) < 1e-9) return 0;
        for (int e = 0; e < n; e++) {
            double swap = K[c][e];
            K[c][e] = K[at][e];
            K[at][e] = swap;
        }
        double swap = rhs[c];
        rhs[c] = rhs[at];
        rhs[at] = swap;
        for (int r = 0; r < n; r++) {
            if (r == c) continue;
            double factor = K[r][c] / K[c][c];
            for (int e = c; e < n; e++) K[r][e] -= factor * K[c][e];
            rhs[r] -= factor * rhs[c];
        }
    }
    for (int c = 0; c < n; c++) rhs[c] /= K[c][c];
    return 1;
}

static double loss(int m, int k, const double *A, const double *x, const double *b) {
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double value = x[i];
        for (int j = 0; j < k; j++) value -= A[i + j * m] * b[j];
        sum += fabs(value);
    }
    return sum;
}

static double best_vertex(int m, int k, const double *A, const double *x) {
    double none[K_MAX] = {0}, best = loss(m, k, A, x, none);
    for (int F = 1; F < 1 << k; F++)
        for (int B = 1; B < 1 << m; B++) {
            if (__builtin_popcount((unsigned)F) != __builtin_popcount((unsigned)B)) continue;
            double K[K_MAX][K_MAX], rhs[K_MAX], b[K_MAX] = {0};
            int n = 0, ok = 1;
            for (int i = 0; i < m; i++) {
                if (!(B >> i & 1)) continue;
                int e = 0;
                for (int j = 0; j < k; j++)
                    if (F >> j & 1) K[n][e++] = A[i + j * m];
                rhs[n++] = x[i];
            }
            if (!eliminate(n, K, rhs)) continue;
            int e = 0;
            for (int j = 0; j < k; j++) {
                if (F >> j & 1) b[j] = rhs[e++];
                ok = ok && b[j] >= -1e-12;
            }
            if (ok) best = fmin(best, loss(m, k, A, x, b));
        }
    return best;
}

/* Problem number code: its digits to the base 3 are the entries of A and x. */
static void compare(ch_context *context, int m, int k, uint64_t first, uint64_t count,
                    uint64_t stride) {
    chi_cone cone;
    void *work;
    assert_int_equal(chi_cone_create(context, &cone, m, k), CH_OK);
    work = chi_nnlad_exact.create(&cone.arena, &cone, 1e-9);
    assert_non_null(work);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t code = first + n * stride;
        double A[ROWS_MAX * K_MAX], x[ROWS_MAX], value[ROWS_MAX], b[K_MAX], d[ROWS_MAX];
        int32_t index[ROWS_MAX];
        for (int e = 0; e < m * k; e++, code /= 3) A[e] = (double)(code % 3);
        for (int i = 0; i < m; i++, code /= 3) x[i] = (double)(code % 3);
        while (cone.count > 0) chi_cone_remove(&cone, cone.count - 1);
        for (int j = 0; j < k; j++) chi_cone_append(&cone, A + j * m);
        ch_matrix X;
        ch_matrix_borrow(context, &X, &(ch_matrix){.rows = m, .cols = 1, .values = x});
        chi_column column;
        chi_column_load(cone.kernels, &column, index, value, &X, 0);
        chi_fit fit;
        chi_nnlad_exact.solve(work, &fit, b, d, &column, 0);
        double best = best_vertex(m, k, A, x);
        support_check(fit.proven && fabs(fit.objective - best) <= 1e-12 * (1 + column.sum) &&
                          fabs(loss(m, k, A, x, b) - best) <= 1e-12 * (1 + column.sum),
                      "%d x %d, problem %llu: objective %.17g, best vertex %.17g", m, k,
                      (unsigned long long)(first + n * stride), fit.objective, best);
    }
    chi_cone_destroy(&cone);
}

static void every_tiny_problem_reaches_the_best_vertex(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    compare(context, 1, 1, 0, 9, 1);
    compare(context, 2, 1, 0, 81, 1);
    compare(context, 2, 2, 0, 729, 1);
    compare(context, 3, 2, 0, 19683, 1);
    compare(context, 2, 3, 0, 6561, 1);
    compare(context, 4, 2, 5, 40000, 13);  /* of 3^12 */
    compare(context, 3, 3, 2, 40000, 13);  /* of 3^12 */
    compare(context, 4, 3, 1, 60000, 717); /* of 3^16 */
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tiny_problem_reaches_the_best_vertex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
