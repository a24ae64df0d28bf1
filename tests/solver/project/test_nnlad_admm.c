/* The alternating method for l1: its gap recomputed from b and d alone, its objective against the
 * exact solver's, and many columns at once against one by one. */
#include "project/cone.h"
#include "projections.h"

#include <conehull/anchors.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOL = 1e-9;

static double objective_of(const problem *p, const double *b) {
    double *r = malloc((size_t)p->cone.rows * sizeof *r);
    problem_residual(p, r, b);
    long double sum = 0;
    for (int64_t i = 0; i < p->cone.rows; i++) sum += fabs(r[i]);
    free(r);
    return (double)sum;
}

/* The largest A_j'd / A_j'1, or 0. */
static double excess(const problem *p, const double *d) {
    int64_t m = p->cone.rows;
    double worst = 0;
    for (int64_t j = 0; j < p->cone.count; j++) {
        long double product = 0, sum = 0;
        for (int64_t i = 0; i < m; i++) {
            product += (long double)d[i] * p->cone.A[i + j * m];
            sum += p->cone.A[i + j * m];
        }
        if (sum > 0) worst = fmax(worst, (double)(product / sum));
    }
    return worst;
}

static double inner(const problem *p, const double *d) {
    long double sum = 0;
    for (int64_t i = 0; i < p->cone.rows; i++) sum += (long double)d[i] * p->x[i];
    return (double)sum;
}

/* b, d and the report against each other. Rounding is that of sums over the rows. */
static void check_proof(const problem *p, const chi_fit *fit, const double *b, const double *d,
                        const char *what) {
    double rounding = 8 * DBL_EPSILON * (double)(p->cone.rows + p->cone.count);
    double sum = p->column.sum, objective = objective_of(p, b), bound = inner(p, d);
    for (int64_t j = 0; j < p->cone.count; j++)
        support_check(b[j] >= 0, "%s: b[%d] = %g", what, (int)j, b[j]);
    for (int64_t i = 0; i < p->cone.rows; i++)
        support_check(fabs(d[i]) <= 1, "%s: d[%d] = %.17g", what, (int)i, d[i]);
    support_check(excess(p, d) <= rounding, "%s: A'd is %g", what, excess(p, d));
    support_check(fabs(fit->objective - objective) <= rounding * sum,
                  "%s: objective %.17g said %.17g", what, objective, fit->objective);
    support_check(objective - bound <= (fit->gap + rounding) * sum, "%s: gap %g said %g", what,
                  (objective - bound) / sum, fit->gap);
    support_check(fit->gap >= 0 && fit->proven == (fit->gap <= TOL), "%s: gap %g, proven %d", what,
                  fit->gap, fit->proven);
}

/* Ill-conditioned anchors may exhaust the budget: then it must say so, and its gap is still true.
 */
static int may_fail(problem_kind kind) {
    return kind == PROBLEM_NEAR || kind == PROBLEM_SCALES;
}

static void proofs_hold_and_agree_with_the_exact_solver(void **state) {
    (void)state;
    static const struct { int64_t m, k; } sizes[] = {{1, 1}, {4, 6}, {12, 3}, {40, 8}, {120, 12}};
    ch_random random;
    support_seed(&random, "admm proofs", 21);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int draw = 0; draw < 600; draw++) {
        problem_kind kind = (problem_kind)(draw % PROBLEM_KINDS);
        const char *name = problem_name(kind);
        int64_t m = sizes[draw / PROBLEM_KINDS % 5].m, k = sizes[draw / PROBLEM_KINDS % 5].k;
        if (may_fail(kind) && m > 40) continue; /* seconds, for a status */
        problem p;
        problem_make(&p, context, &random, kind, m, k);
        double *b = malloc((size_t)(2 * k + m) * sizeof *b), *w = b + k, *d = w + k;
        void *admm = problem_start(&chi_nnlad_admm, &p, TOL),
             *exact = problem_start(&chi_nnlad_exact, &p, TOL);
        chi_fit fit, best;
        chi_nnlad_admm.solve(admm, &fit, b, d, &p.column, 0);
        check_proof(&p, &fit, b, d, name);
        support_check(fit.proven || may_fail(kind), "%s %d x %d: gap %g after %d iterations", name,
                      (int)m, (int)k, fit.gap, (int)fit.pivots);
        chi_nnlad_exact.solve(exact, &best, w, NULL, &p.column, 0);
        support_check(fit.objective - best.objective <= (fit.gap + 1e-13) * p.column.sum &&
                          best.objective - fit.objective <= (best.gap + 1e-13) * p.column.sum,
                      "%s: %.17g, exact %.17g", name, fit.objective, best.objective);
        chi_nnlad_admm.solve(admm, &fit, b, NULL, &p.column, 1);
        support_check(fabs(fit.objective - best.objective) <=
                          (fit.gap + best.gap + 1e-13) * p.column.sum,
                      "%s warm: %.17g, exact %.17g", name, fit.objective, best.objective);
        free(b);
        problem_destroy(&p);
    }
    support_finish(context, &memory);
}

static void check_exceptions(problem *p, ch_random *random, const char *kind) {
    enum { M = 60, K = 7 };
    double b[K], r[M], d[M], value[M];
    int32_t row[M];
    chi_fit fit;
    (void)random;
    void *work = problem_start(&chi_nnlad_admm, p, TOL);
    chi_nnlad_admm.solve(work, &fit, b, NULL, &p->column, 0);
    int64_t count = chi_nnlad_admm.exceptions(work, row, value);
    problem_residual(p, r, b);
    for (int i = 0; i < M; i++) d[i] = p->x[i] == 0 ? -1 : r[i] > 0 ? 1 : -1;
    for (int64_t e = 0; e < count; e++) {
        support_check(p->x[row[e]] != 0 && (!e || row[e] > row[e - 1]), "row %d", (int)row[e]);
        d[row[e]] = value[e];
    }
    double shift = excess(p, d), bound = (inner(p, d) - shift * p->column.sum) / (1 + shift);
    support_check(objective_of(p, b) - bound <= (TOL + 1e-13) * p->column.sum,
                  "%s: gap %g from %d rows", kind, (objective_of(p, b) - bound) / p->column.sum,
                  (int)count);
}

/* The proof as it is stored: signs of the residual, -1 where x is zero, and the exceptions. */
static void exceptions_complete_the_signs(void **state) {
    (void)state;
    problem_each("admm exceptions", 22, 200, 60, 7, may_fail, check_exceptions);
}

static void check_scale(problem *p, ch_random *random, const char *kind) {
    enum { M = 40, K = 6 };
    double b[2][K], d[2][M];
    chi_fit fit[2];
    int power = (int)ch_random_below(random, 201) - 100;
    for (int s = 0; s < 2; s++) {
        if (s) problem_scale(p, ldexp(1, -power), ldexp(1, power));
        fit[s] = problem_solve(&chi_nnlad_admm, p, TOL, b[s], d[s]);
    }
    for (int j = 0; j < K; j++)
        support_check(b[1][j] == ldexp(b[0][j], 2 * power), "%s: b[%d]", kind, j);
    support_check(!memcmp(d[0], d[1], sizeof d[0]) && fit[1].gap == fit[0].gap &&
                      fit[1].objective == ldexp(fit[0].objective, power),
                  "%s: the report changed", kind);
}

static void powers_of_two_change_the_scale_only(void **state) {
    (void)state;
    problem_each("admm scale", 23, 100, 40, 6, may_fail, check_scale);
}

enum { BLOCK_ROWS = 50, BLOCK_COLS = 230, BLOCK_ANCHORS = 6, BLOCK_SIZE = 64 };

typedef struct blocks {
    void *work[4];
    const ch_matrix *X;
    double *H;
    chi_fit *fits;
} blocks;

static void solve_one_block(void *user, int64_t index, int thread) {
    blocks *t = user;
    int64_t lo = index * BLOCK_SIZE,
            hi = lo + BLOCK_SIZE < BLOCK_COLS ? lo + BLOCK_SIZE : BLOCK_COLS;
    chi_column_block block = {t->X, lo, hi, t->fits + lo, t->H + lo * BLOCK_ANCHORS, NULL, NULL};
    chi_nnlad_admm.solve_block(t->work[thread], &block);
}

/* Dense, sparse and zero columns in fixed blocks: the same bits on one thread and on three, the
 * answers of solve() within the tolerance. */
static void blocks_agree_with_single_columns(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "admm blocks", 24);
    double *X = calloc(BLOCK_ROWS * BLOCK_COLS, sizeof *X), *H[2];
    chi_fit *fits[2];
    for (int run = 0; run < 2; run++) {
        H[run] = calloc(BLOCK_ANCHORS * BLOCK_COLS, sizeof(double));
        fits[run] = calloc(BLOCK_COLS, sizeof(chi_fit));
    }
    uint64_t bits = ch_random_bits(&random);
    for (int run = 0; run < 2; run++) {
        support_memory memory;
        ch_context *context = support_context(&memory, run ? 3 : 1);
        ch_random_seed(&random, bits);
        problem p;
        problem_create(&p, context, BLOCK_ROWS, BLOCK_ANCHORS);
        problem_draw_cone(&p, &random, PROBLEM_UNIFORM);
        static const problem_kind kinds[] = {PROBLEM_UNIFORM, PROBLEM_PLANTED, PROBLEM_SPARSE,
                                             PROBLEM_INTEGER, PROBLEM_INSIDE};
        for (int64_t j = 0; j < BLOCK_COLS - 1; j++) { /* the last one stays zero */
            problem_draw_column(&p, &random, kinds[j % 5]);
            memcpy(X + j * BLOCK_ROWS, p.x, BLOCK_ROWS * sizeof *X);
        }
        ch_matrix view = support_dense(context, X, BLOCK_ROWS, BLOCK_COLS);
        blocks t = {.X = &view, .H = H[run], .fits = fits[run]};
        for (int s = 0; s < 3; s++) t.work[s] = problem_start(&chi_nnlad_admm, &p, TOL);
        chi_parallel(context, (BLOCK_COLS + BLOCK_SIZE - 1) / BLOCK_SIZE, solve_one_block, &t);
        for (int64_t j = 0; j < BLOCK_COLS; j++) {
            double b[BLOCK_ANCHORS];
            chi_fit fit;
            problem_set_column(&p, X + j * BLOCK_ROWS);
            chi_nnlad_admm.solve(t.work[0], &fit, b, NULL, &p.column, 0);
            double said = t.fits[j].objective, found = objective_of(&p, H[run] + j * BLOCK_ANCHORS);
            support_check(t.fits[j].proven && fit.proven, "column %d: gaps %g and %g", (int)j,
                          t.fits[j].gap, fit.gap);
            support_check(fabs(said - found) <= 1e-13 * p.column.sum, "column %d: %.17g said %.17g",
                          (int)j, found, said);
            support_check(fabs(said - fit.objective) <= TOL * p.column.sum,
                          "column %d: %.17g alone %.17g", (int)j, said, fit.objective);
        }
        problem_destroy(&p);
        support_finish(context, &memory);
    }
    assert_memory_equal(H[0], H[1], BLOCK_ANCHORS * BLOCK_COLS * sizeof(double));
    for (int64_t j = 0; j < BLOCK_COLS; j++)
        assert_true(fits[0][j].objective == fits[1][j].objective);
    for (int run = 0; run < 2; run++) {
        free(H[run]);
        free(fits[run]);
    }
    free(X);
}

static void empty_cones_and_zero_columns_are_fine(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    problem p;
    problem_create(&p, context, 3, 2);
    double x[3] = {1, 2, 2}, zero[3] = {0, 0, 0}, b[2], d[3];
    problem_set_column(&p, x);
    void *work = problem_start(&chi_nnlad_admm, &p, TOL);
    chi_fit fit;
    chi_nnlad_admm.solve(work, &fit, b, d, &p.column, 0);
    assert_true(fit.proven && fit.objective == 5 && d[0] == 1 && d[1] == 1 && d[2] == 1);
    chi_cone_append(&p.cone, zero);
    chi_cone_append(&p.cone, x);
    chi_nnlad_admm.solve(work, &fit, b, d, &p.column, 0);
    assert_true(fit.proven && b[0] == 0);
    support_close(b[1], 1, 1e-9);
    problem_set_column(&p, zero);
    chi_nnlad_admm.solve(work, &fit, b, d, &p.column, 0);
    assert_true(fit.proven && fit.objective == 0 && b[0] == 0 && b[1] == 0 && d[0] == -1);
    problem_destroy(&p);
    support_finish(context, &memory);
}

static void a_failed_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    problem_fail_allocations(&chi_nnlad_admm, TOL, 10);
}

static void the_table_knows_what_exists(void **state) {
    (void)state;
    assert_ptr_equal(chi_projection_find(CH_LOSS_L1, CH_PROJECTION_AUTO), &chi_nnlad_exact);
    assert_ptr_equal(chi_projection_find(CH_LOSS_L1, CH_PROJECTION_EXACT), &chi_nnlad_exact);
    assert_ptr_equal(chi_projection_find(CH_LOSS_L1, CH_PROJECTION_ADMM), &chi_nnlad_admm);
    assert_null(chi_projection_find(CH_LOSS_L1, CH_PROJECTION_CD));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_hold_and_agree_with_the_exact_solver),
        cmocka_unit_test(exceptions_complete_the_signs),
        cmocka_unit_test(powers_of_two_change_the_scale_only),
        cmocka_unit_test(blocks_agree_with_single_columns),
        cmocka_unit_test(empty_cones_and_zero_columns_are_fine),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
        cmocka_unit_test(the_table_knows_what_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
