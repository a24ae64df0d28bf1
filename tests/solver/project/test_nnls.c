/* Non-negative least squares, active sets and coordinate descent: everything reported is
 * recomputed, and required to the tolerance asked for. */
#include "project/cone.h"
#include "projections.h"

#include <conehull/anchors.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOL = 1e-11;

/* Slopes, objective, gap and infeasibility from x, A and b alone. */
static void check_fit(const problem *p, const chi_fit *fit, const double *b, double tol,
                      const char *what) {
    int64_t m = p->cone.rows, k = p->cone.count;
    double *r = malloc((size_t)m * sizeof *r), norm = sqrt(p->column.square);
    problem_residual(p, r, b);
    long double square = 0;
    for (int64_t i = 0; i < m; i++) square += (long double)r[i] * r[i];
    double worst = 0, infeasible = 0;
    for (int64_t j = 0; j < k; j++) {
        support_check(b[j] >= 0, "%s: b[%d] = %g", what, (int)j, b[j]);
        long double slope = 0, size = 0;
        for (int64_t i = 0; i < m; i++) {
            slope += (long double)r[i] * p->cone.A[i + j * m];
            size += (long double)p->cone.A[i + j * m] * p->cone.A[i + j * m];
        }
        if (size == 0) continue;
        double scaled = (double)(slope / sqrtl(size));
        worst = fmax(worst, b[j] > 0 ? fabs(scaled) : scaled);
        infeasible = fmax(infeasible, scaled);
    }
    /* The data are double: their own rounding is allowed for, on top of tol. */
    double rounding = 4 * DBL_EPSILON * (double)(m + k);
    support_check(fit->proven, "%s: not proven, gap %g, slope %g", what, fit->gap, worst / norm);
    support_check(worst <= (tol + rounding) * norm, "%s: slope %g of %g", what, worst / norm, tol);
    support_check(fabs(infeasible - fit->infeasibility * norm) <= rounding * norm,
                  "%s: infeasibility %g said %g", what, infeasible / norm, fit->infeasibility);
    support_check(fit->gap >= 0 && fit->gap <= tol, "%s: gap %g", what, fit->gap);
    /* x - A b is rounded relative to x. */
    double off = rounding * norm * (8 * sqrt((double)square) + rounding * norm);
    support_check(fabs((double)square - fit->objective) <= off, "%s: objective %.17g said %.17g",
                  what, (double)square, fit->objective);
    free(r);
}

static const struct size {
    int64_t m, k;
} sizes[] = {{1, 1}, {3, 5}, {8, 3}, {20, 6}, {60, 20}, {40, 60}, {200, 12}};

/* Thousands of columns of every kind; cold, warm from noise, warm from the answer. */
static void slopes_hold_at_the_tolerance_asked_for(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "nnls slopes", 11);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int kind = 0; kind < PROBLEM_KINDS; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            problem p;
            problem_create(&p, context, sizes[s].m, sizes[s].k);
            double *b = malloc((size_t)(2 * sizes[s].k) * sizeof *b), *w = b + sizes[s].k;
            void *work = problem_start(&chi_nnls_active, &p, TOL);
            for (int draw = 0; draw < 60; draw++) {
                if (draw % 6 == 0) problem_draw_cone(&p, &random, (problem_kind)kind);
                problem_draw_column(&p, &random, (problem_kind)kind);
                chi_fit cold, warm;
                chi_nnls_active.solve(work, &cold, b, NULL, &p.column, 0);
                check_fit(&p, &cold, b, TOL, problem_name((problem_kind)kind));
                for (int64_t j = 0; j < sizes[s].k; j++)
                    w[j] = ch_random_below(&random, 2) ? ch_random_uniform(&random) : 0;
                chi_nnls_active.solve(work, &warm, w, NULL, &p.column, 1);
                check_fit(&p, &warm, w, TOL, problem_name((problem_kind)kind));
                support_check(fabs(warm.objective - cold.objective) <= TOL * p.column.square,
                              "%s: warm %.17g, cold %.17g", problem_name((problem_kind)kind),
                              warm.objective, cold.objective);
            }
            free(b);
            problem_destroy(&p);
        }
    }
    support_finish(context, &memory);
}

/* Anchors that differ from one another by 1e-3 down to 1e-16 of their size: somewhere in between
 * the Gram matrix cannot tell them apart, while the slopes still can. */
static void nearly_coinciding_anchors_are_settled(void **state) {
    (void)state;
    enum { M = 40, K = 12, APART = 4 };
    const double tol = 1e-10;
    ch_random random;
    support_seed(&random, "nnls near", 18);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, M, K);
    for (int draw = 0; draw < 1400; draw++) {
        double distance = pow(10, -3 - draw % 14), noise = (const double[]){0, 1e-3, 1}[draw % 3];
        double a[M], x[M], b[K];
        problem_empty_cone(&p);
        for (int64_t j = 0; j < K; j++) {
            const double *old = j < APART ? NULL : p.cone.A + ch_random_below(&random, j) * M;
            for (int i = 0; i < M; i++) {
                double value = ch_random_uniform(&random);
                a[i] = old ? old[i] * (1 + distance * (value - 0.5)) : value;
            }
            chi_cone_append(&p.cone, a);
        }
        for (int i = 0; i < M; i++) x[i] = noise * ch_random_uniform(&random);
        for (int64_t j = 0; j < K; j += 1 + ch_random_below(&random, 2)) {
            double weight = ch_random_uniform(&random);
            for (int i = 0; i < M; i++) x[i] += weight * p.cone.A[i + j * M];
        }
        problem_set_column(&p, x);
        chi_fit fit = problem_solve(&chi_nnls_active, &p, tol, b, NULL);
        check_fit(&p, &fit, b, tol, "nearly coinciding anchors");
    }
    problem_destroy(&p);
    support_finish(context, &memory);
}

/* Solves G s = c over the anchors of the mask, in long double; 0 when singular. */
static int solve_support(const problem *p, unsigned mask, long double *s) {
    int64_t k = p->cone.count, m = p->cone.rows;
    long double M[6][7];
    int list[6], n = 0;
    for (int j = 0; j < k; j++)
        if (mask >> j & 1) list[n++] = j;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= n; b++) {
            const double *y = b < n ? p->cone.A + list[b] * m : p->x;
            M[a][b] = 0;
            for (int64_t i = 0; i < m; i++)
                M[a][b] += (long double)p->cone.A[i + list[a] * m] * y[i];
        }
    }
    for (int a = 0; a < n; a++) {
        int best = a;
        for (int i = a + 1; i < n; i++)
            if (fabsl(M[i][a]) > fabsl(M[best][a])) best = i;
        for (int b = 0; b <= n; b++) {
            long double t = M[a][b];
            M[a][b] = M[best][b];
            M[best][b] = t;
        }
        if (fabsl(M[a][a]) < 1e-12L) return 0;
        for (int i = 0; i < n; i++) {
            if (i == a) continue;
            long double f = M[i][a] / M[a][a];
            for (int b = a; b <= n; b++) M[i][b] -= f * M[a][b];
        }
    }
    for (int j = 0; j < k; j++) s[j] = 0;
    for (int a = 0; a < n; a++) s[list[a]] = M[a][n] / M[a][a];
    return 1;
}

/* The least objective over all supports with a unique, non-negative minimum. */
static double least_of_all_supports(const problem *p) {
    int64_t m = p->cone.rows, k = p->cone.count;
    long double least = INFINITY, s[6];
    for (unsigned mask = 0; mask < 1u << k; mask++) {
        if (!solve_support(p, mask, s)) continue;
        int feasible = 1;
        for (int64_t j = 0; j < k; j++) feasible &= s[j] >= 0;
        if (!feasible) continue;
        long double square = 0;
        for (int64_t i = 0; i < m; i++) {
            long double r = p->x[i];
            for (int64_t j = 0; j < k; j++) r -= s[j] * p->cone.A[i + j * m];
            square += r * r;
        }
        if (square < least) least = square;
    }
    return (double)least;
}

static void tiny_problems_agree_with_all_supports(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "nnls supports", 12);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int draw = 0; draw < 1500; draw++) {
        problem_kind kind = (problem_kind)(draw % PROBLEM_KINDS);
        if (kind == PROBLEM_NEAR || kind == PROBLEM_SCALES) continue; /* the reference's pivots */
        problem p;
        problem_make(&p, context, &random, kind, 1 + ch_random_below(&random, 7),
                     1 + ch_random_below(&random, 6));
        double b[6], least = least_of_all_supports(&p);
        chi_fit fit = problem_solve(&chi_nnls_active, &p, TOL, b, NULL);
        check_fit(&p, &fit, b, TOL, problem_name(kind));
        support_check(fabs(fit.objective - least) <= 1e-13 * p.column.square,
                      "%s: %.17g, least %.17g", problem_name(kind), fit.objective, least);
        problem_destroy(&p);
    }
    support_finish(context, &memory);
}

/* x = A b + r with A'r <= 0, equal to 0 where b > 0: the answer is b. */
static void planted_multipliers_are_found(void **state) {
    (void)state;
    enum { M = 30, K = 8 };
    ch_random random;
    support_seed(&random, "nnls planted", 13);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, M, K);
    for (int draw = 0; draw < 300; draw++) {
        /* Anchors in the first half of the rows alone, except those outside the support, which also
         * meet rows where r < 0. The second half of r is free of sign there. */
        double anchors[K][M], b[K], x[M], found[K];
        for (int j = 0; j < K; j++) {
            b[j] = j % 2 ? 0 : 0.5 + ch_random_uniform(&random);
            for (int i = 0; i < M; i++)
                anchors[j][i] = i < M / 2 || (j % 2 && i < M - 5) ? ch_random_uniform(&random) : 0;
        }
        memset(x, 0, sizeof x);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < K; j++) x[i] += b[j] * anchors[j][i];
        /* Rows past the reach of every anchor hold a residual that nothing explains. */
        for (int i = M - 5; i < M; i++) x[i] += ch_random_uniform(&random);
        problem_empty_cone(&p);
        for (int j = 0; j < K; j++) chi_cone_append(&p.cone, anchors[j]);
        problem_set_column(&p, x);
        chi_fit fit = problem_solve(&chi_nnls_active, &p, TOL, found, NULL);
        check_fit(&p, &fit, found, TOL, "planted multipliers");
        support_check(support_difference(found, b, K) < 1e-9, "planted b missed by %g",
                      support_difference(found, b, K));
    }
    problem_destroy(&p);
    support_finish(context, &memory);
}

/* The two solvers share the report but not the way. */
static void coordinate_descent_agrees(void **state) {
    (void)state;
    const double tol = 1e-9;
    ch_random random;
    support_seed(&random, "nnls descent", 14);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t proven = 0, total = 0;
    for (int draw = 0; draw < 600; draw++) {
        problem_kind kind = (problem_kind)(draw % PROBLEM_KINDS);
        problem p;
        problem_make(&p, context, &random, kind, 20 + ch_random_below(&random, 60),
                     1 + ch_random_below(&random, 12));
        double b[12], w[12];
        void *active = problem_start(&chi_nnls_active, &p, TOL),
             *descent = problem_start(&chi_nnls_cd, &p, tol);
        chi_fit exact, fit;
        chi_nnls_active.solve(active, &exact, b, NULL, &p.column, 0);
        chi_nnls_cd.solve(descent, &fit, w, NULL, &p.column, 0);
        total++;
        proven += fit.proven;
        if (fit.proven) check_fit(&p, &fit, w, tol, problem_name(kind));
        support_check(fit.proven || kind == PROBLEM_NEAR, "%s: %d sweeps were not enough",
                      problem_name(kind), (int)fit.pivots);
        support_check(fit.objective - exact.objective <= (fit.gap + 1e-13) * p.column.square &&
                          exact.objective - fit.objective <= (exact.gap + 1e-13) * p.column.square,
                      "%s: descent %.17g, active %.17g", problem_name(kind), fit.objective,
                      exact.objective);
        chi_nnls_cd.solve(descent, &fit, b, NULL, &p.column, 1);
        support_check(fit.pivots == 0 || !fit.proven || fit.pivots < 10, "warm: %d sweeps",
                      (int)fit.pivots);
        problem_destroy(&p);
    }
    support_check(proven >= total * 9 / 10, "%d of %d proven", (int)proven, (int)total);
    support_finish(context, &memory);
}

static const chi_projection *const solvers[] = {&chi_nnls_active, &chi_nnls_cd};

static void check_residual(problem *p, ch_random *random, const char *kind) {
    double b[6], plain[6], d[50], r[50];
    (void)random;
    for (int s = 0; s < 2; s++) {
        void *work = problem_start(solvers[s], p, TOL);
        chi_fit fit, bare;
        solvers[s]->solve(work, &bare, plain, NULL, &p->column, 0);
        solvers[s]->solve(work, &fit, b, d, &p->column, 0);
        problem_residual(p, r, b);
        support_check(support_difference(d, r, 50) <= 1e-14 * sqrt(p->column.square),
                      "%s: d off by %g", kind, support_difference(d, r, 50));
        support_check(!memcmp(b, plain, sizeof b) && fit.objective == bare.objective,
                      "%s: asking for d changed the answer", kind);
    }
}

static void d_is_the_residual(void **state) {
    (void)state;
    problem_each("nnls residual", 15, 200, 50, 6, NULL, check_residual);
}

static void check_scale(problem *p, ch_random *random, const char *kind) {
    double b[2][8], c[8];
    chi_fit fit[2];
    for (int s = 0; s < 2; s++) fit[s] = problem_solve(solvers[s], p, TOL, b[s], NULL);
    int anchors = (int)ch_random_below(random, 201) - 100,
        column = (int)ch_random_below(random, 201) - 100;
    problem_scale(p, ldexp(1, anchors), ldexp(1, column));
    for (int s = 0; s < 2; s++) {
        chi_fit scaled = problem_solve(solvers[s], p, TOL, c, NULL);
        for (int j = 0; j < 8; j++)
            support_check(c[j] == ldexp(b[s][j], column - anchors), "%s: b[%d] = %a, %a", kind, j,
                          b[s][j], c[j]);
        support_check(scaled.objective == ldexp(fit[s].objective, 2 * column) &&
                          scaled.gap == fit[s].gap && scaled.pivots == fit[s].pivots,
                      "%s: the report changed", kind);
    }
}

/* Powers of two on the anchors and on the column change the scale of b and nothing else. */
static void powers_of_two_change_the_scale_only(void **state) {
    (void)state;
    problem_each("nnls scale", 16, 200, 40, 8, NULL, check_scale);
}

/* Whatever the start, a support that is the same gives the same bits. */
static void warm_and_cold_agree_to_the_bit(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "nnls warm", 17);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, 80, 15);
    for (int draw = 0; draw < 400; draw++) {
        problem_kind kind = draw % 2 ? PROBLEM_UNIFORM : PROBLEM_PLANTED;
        if (draw % 10 == 0) problem_draw_cone(&p, &random, kind);
        problem_draw_column(&p, &random, kind);
        double b[15], w[15];
        void *work = problem_start(&chi_nnls_active, &p, TOL);
        chi_fit fit;
        chi_nnls_active.solve(work, &fit, b, NULL, &p.column, 0);
        for (int j = 0; j < 15; j++)
            w[j] = ch_random_below(&random, 2) ? ch_random_uniform(&random) : 0;
        chi_nnls_active.solve(work, &fit, w, NULL, &p.column, 1);
        support_check(!memcmp(b, w, sizeof b), "off by %g", support_difference(b, w, 15));
        memcpy(w, b, sizeof b);
        chi_nnls_active.solve(work, &fit, w, NULL, &p.column, 1);
        support_check(!memcmp(b, w, sizeof b), "its own answer moved by %g",
                      support_difference(b, w, 15));
    }
    problem_destroy(&p);
    support_finish(context, &memory);
}

static void empty_cones_and_zero_columns_are_fine(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int s = 0; s < 2; s++) {
        problem p;
        problem_create(&p, context, 3, 2);
        double x[3] = {1, 2, 2}, zero[3] = {0, 0, 0}, b[2], d[3];
        problem_set_column(&p, x);
        void *work = problem_start(solvers[s], &p, TOL);
        chi_fit fit;
        solvers[s]->solve(work, &fit, b, d, &p.column, 0);
        assert_true(fit.proven && fit.objective == 9 && fit.gap == 0);
        assert_memory_equal(d, x, sizeof x);
        chi_cone_append(&p.cone, zero);
        chi_cone_append(&p.cone, x);
        solvers[s]->solve(work, &fit, b, d, &p.column, 0);
        assert_true(fit.proven && fit.objective == 0 && b[0] == 0 && b[1] == 1);
        problem_set_column(&p, zero);
        solvers[s]->solve(work, &fit, b, d, &p.column, 0);
        assert_true(fit.proven && fit.objective == 0 && b[0] == 0 && b[1] == 0);
        assert_memory_equal(d, zero, sizeof zero);
        problem_destroy(&p);
    }
    support_finish(context, &memory);
}

static void a_failed_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    problem_fail_allocations(&chi_nnls_active, TOL, 3);
    problem_fail_allocations(&chi_nnls_cd, TOL, 3);
}

static void the_table_knows_what_exists(void **state) {
    (void)state;
    assert_ptr_equal(chi_projection_find(CH_LOSS_L2, CH_PROJECTION_AUTO), &chi_nnls_active);
    assert_ptr_equal(chi_projection_find(CH_LOSS_L2, CH_PROJECTION_EXACT), &chi_nnls_active);
    assert_ptr_equal(chi_projection_find(CH_LOSS_L2, CH_PROJECTION_CD), &chi_nnls_cd);
    assert_null(chi_projection_find(CH_LOSS_L2, CH_PROJECTION_ADMM));
    assert_null(chi_projection_find(CH_LOSS_L1, CH_PROJECTION_CD));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_hold_at_the_tolerance_asked_for),
        cmocka_unit_test(nearly_coinciding_anchors_are_settled),
        cmocka_unit_test(tiny_problems_agree_with_all_supports),
        cmocka_unit_test(planted_multipliers_are_found),
        cmocka_unit_test(coordinate_descent_agrees),
        cmocka_unit_test(d_is_the_residual),
        cmocka_unit_test(powers_of_two_change_the_scale_only),
        cmocka_unit_test(warm_and_cold_agree_to_the_bit),
        cmocka_unit_test(empty_cones_and_zero_columns_are_fine),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(the_table_knows_what_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
