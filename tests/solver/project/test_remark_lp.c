/* The linear programs of the paper against our duals, by Clp.
 *
 *     projection    min 1'(p + q)   with  A b + p - q = x,  b, p, q >= 0
 *     Remark (1)    min 1'u         with  A_j'd = 0 where b_j > 0,  A_j'd <= 0 where b_j = 0,
 *                                   d_i = sign(r_i) where r_i != 0,  d_i = u_i in [-1, 1] elsewhere
 *
 * The remark asks for A_j'd < 0 where b_j = 0; a constraint that holds with equality at every
 * optimum (a repeated anchor, say) makes that infeasible, hence <= here. */
#include "project/cone.h"
#include "projections.h"

#include <coin/Clp_C_Interface.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOL = 1e-9;

/* min cost'y with low <= y <= high and row_low <= M y <= row_high; M rows x cols, column-major.
 * Returns Clp's status (0 optimal, 1 infeasible). */
static int solve_lp(double *value, const double *M, int rows, int cols, const double *cost,
                    const double *low, const double *high, const double *row_low,
                    const double *row_high) {
    int *start = malloc((size_t)(cols + 1) * sizeof *start);
    int *index = malloc((size_t)(rows * cols + 1) * sizeof *index);
    for (int j = 0; j <= cols; j++) start[j] = j * rows;
    for (int i = 0; i < rows * cols; i++) index[i] = i % rows;
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-10);
    Clp_setDualTolerance(model, 1e-10);
    Clp_loadProblem(model, cols, rows, start, index, M, low, high, cost, row_low, row_high);
    Clp_dual(model, 0);
    int status = Clp_status(model);
    *value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    free(start);
    free(index);
    return status;
}

/* The least |x - A b|_1 by the first program. Clp's tolerances are absolute: x and the anchors go
 * in with a mean of 1. */
static double least_deviation(const problem *p) {
    int m = (int)p->cone.rows, k = (int)p->cone.count, cols = k + 2 * m;
    double mean = p->column.sum / m;
    if (mean == 0) return 0;
    double *M = calloc((size_t)(m * cols), sizeof *M);
    double *cost = calloc((size_t)(3 * cols), sizeof *cost), *low = cost + cols, *high = low + cols;
    double *x = malloc((size_t)m * sizeof *x);
    for (int i = 0; i < m * k; i++) {
        double sum = p->cone.sums[i / m];
        M[i] = sum > 0 ? p->cone.A[i] / sum * m : 0;
    }
    for (int i = 0; i < m; i++) {
        x[i] = p->x[i] / mean;
        M[i + (k + i) * m] = 1;
        M[i + (k + m + i) * m] = -1;
    }
    for (int j = 0; j < cols; j++) {
        cost[j] = j < k ? 0 : 1;
        high[j] = INFINITY;
    }
    double value;
    assert_int_equal(solve_lp(&value, M, m, cols, cost, low, high, x, x), 0);
    free(x);
    free(M);
    free(cost);
    return value * mean;
}

static int is_zero(const problem *p, const double *r, int64_t i) {
    return fabs(r[i]) <= CHI_EXCEPTION * (2 * p->x[i] - r[i]);
}

/* A_ij / A_j'1. */
static double share(const problem *p, int64_t i, int64_t j) {
    return p->cone.sums[j] > 0 ? p->cone.A[i + j * p->cone.rows] / p->cone.sums[j] : 0;
}

/* The second program, its rows divided by A_j'1: feasible? slack loosens them, for r is rounded;
 * with a margin, A_j'd <= -margin A_j'1 where b_j = 0. */
static int remark_is_feasible(const problem *p, const double *b, const double *r, double slack,
                              double margin) {
    int m = (int)p->cone.rows, k = (int)p->cone.count, free_rows = 0;
    double *M = calloc((size_t)(k * m + 1), sizeof *M);
    double *row_low = calloc((size_t)(2 * k), sizeof *row_low), *row_high = row_low + k;
    double *cost = malloc((size_t)(3 * m) * sizeof *cost), *low = cost + m, *high = low + m;
    for (int j = 0; j < k; j++) {
        row_high[j] = b[j] > 0 ? slack : slack - margin;
        row_low[j] = b[j] > 0 ? -slack : -INFINITY;
    }
    for (int i = 0; i < m; i++) {
        if (is_zero(p, r, i)) {
            for (int j = 0; j < k; j++) M[j + free_rows * k] = share(p, i, j);
            cost[free_rows] = 1;
            low[free_rows] = -1;
            high[free_rows++] = 1;
            continue;
        }
        for (int j = 0; j < k; j++) {
            double known = (r[i] > 0 ? 1 : -1) * share(p, i, j);
            row_low[j] -= known;
            row_high[j] -= known;
        }
    }
    double value;
    int status = 1;
    if (free_rows) {
        status = solve_lp(&value, M, k, free_rows, cost, low, high, row_low, row_high);
    } else {
        status = 0;
        for (int j = 0; j < k; j++) status |= row_high[j] < 0 || row_low[j] > 0;
    }
    free(M);
    free(row_low);
    free(cost);
    return status == 0;
}

/* Is d a point of the second program? */
static int remark_holds(const problem *p, const double *b, const double *r, const double *d,
                        double slack) {
    int64_t m = p->cone.rows;
    for (int64_t i = 0; i < m; i++) {
        if (fabs(d[i]) > 1) return 0;
        if (!is_zero(p, r, i) && fabs(d[i] - (r[i] > 0 ? 1 : -1)) > slack) return 0;
    }
    for (int64_t j = 0; j < p->cone.count; j++) {
        double product = chi_dot(p->cone.kernels, p->cone.A + j * m, d, m);
        if (product > slack * p->cone.sums[j]) return 0;
        if (b[j] > 0 && product < -slack * p->cone.sums[j]) return 0;
    }
    return 1;
}

static void draw(problem *p, ch_random *random, ch_context *context, problem_kind kind) {
    problem_make(p, context, random, kind, 2 + ch_random_below(random, 30),
                 1 + ch_random_below(random, 7));
}

static void the_exact_dual_is_a_point_of_the_remarks_program(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "remark", 31);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t exterior = 0, valid = 0, positive = 0;
    for (int instance = 0; instance < 800; instance++) {
        problem_kind kind = (problem_kind)(instance % PROBLEM_KINDS);
        const char *name = problem_name(kind);
        problem p;
        draw(&p, &random, context, kind);
        int64_t m = p.cone.rows;
        double b[8], *d = malloc((size_t)(3 * m) * sizeof *d), *r = d + m, *u = r + m;
        void *work = chi_nnlad_exact.create(&p.cone.arena, &p.cone, TOL);
        assert_non_null(work);
        chi_fit fit;
        chi_nnlad_exact.solve(work, &fit, b, d, &p.column, 0);
        assert_true(fit.proven);
        problem_residual(&p, r, b);
        support_check(fabs(least_deviation(&p) - fit.objective) <= 1e-9 * p.column.sum,
                      "%s: objective %.17g, Clp %.17g", name, fit.objective, least_deviation(&p));
        if (fit.objective > 1e-9 * p.column.sum) {
            exterior++;
            support_check(remark_is_feasible(&p, b, r, 1e-8, 0), "%s: the program has no point",
                          name);
            support_check(remark_holds(&p, b, r, d, 1e-8), "%s: d is not a point of it", name);
            int ok = chi_dual_paper(u, &p.cone, &p.column, b, TOL);
            double inner = chi_dot(p.cone.kernels, u, p.x, m);
            support_check(ok == (inner > TOL * p.column.sum), "%s: valid %d, x'd = %g", name, ok,
                          inner);
            valid += ok;
            positive += inner > fit.objective * (1 - 1e-9);
        }
        free(d);
        problem_destroy(&p);
    }
    print_message("u = -1 is valid for %d of %d exterior columns; it is optimal for %d\n",
                  (int)valid, (int)exterior, (int)positive);
    assert_true(exterior > 400);
    support_finish(context, &memory);
}

/* One anchor twice: the one that is not used has A_j'd = 0 as well. */
static void the_strict_sign_can_be_infeasible(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, 4, 2);
    const double a[4] = {1, 2, 3, 4}, x[4] = {1, 2, 3, 9};
    chi_cone_append(&p.cone, a);
    chi_cone_append(&p.cone, a);
    problem_set_column(&p, x);
    double b[2] = {1, 0}, r[4];
    problem_residual(&p, r, b);
    assert_true(remark_is_feasible(&p, b, r, 1e-8, 0));
    assert_false(remark_is_feasible(&p, b, r, 1e-8, 1e-6));
    problem_destroy(&p);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strict_sign_can_be_infeasible),
        cmocka_unit_test(the_exact_dual_is_a_point_of_the_remarks_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
