/* FGNSR: objective and bound against plain projected gradients, the claims about the gap, the same
 * bits for threads and layouts, cancelling. Planted anchors are in test_selectors.c; the projection
 * onto the set is tested in test_hottopixx.c. */
#include "baseline/row_bounds.h"
#include "support.h"

#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ch_anchors_settings settings_for(int64_t rank, double gap) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.method = CH_METHOD_FGNSR;
    set.rank = rank;
    set.select_only = 1;
    set.gap = gap;
    return set;
}

/* Columns scaled to sum 1, and half their squares. */
static double scale_columns(double *S, const ch_matrix *X) {
    double squares = 0;
    for (int64_t j = 0; j < X->cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < X->rows; i++) sum += ch_matrix_at(X, i, j);
        for (int64_t i = 0; i < X->rows; i++) {
            S[i + j * X->rows] = ch_matrix_at(X, i, j) / sum;
            squares += 0.5 * S[i + j * X->rows] * S[i + j * X->rows];
        }
    }
    return squares;
}

/* 1/2 |S - S C|^2, and its gradient into G; C and G by rows. */
static double gradient(double *G, const double *S, const double *C, int64_t m, int64_t n) {
    double half_squares = 0;
    memset(G, 0, (size_t)(n * n) * sizeof *G);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double off = -S[i + j * m];
            for (int64_t k = 0; k < n; k++) off += S[i + k * m] * C[k * n + j];
            half_squares += 0.5 * off * off;
            for (int64_t k = 0; k < n; k++) G[k * n + j] += S[i + k * m] * off;
        }
    return half_squares;
}

/* The least value by gradient steps of length 1 / |S|_F^2 without momentum. */
static double least_by_plain_steps(ch_context *context, const double *S, int64_t m, int64_t n,
                                   int64_t rank, double squares) {
    enum { STEPS = 20000 };
    double *C = calloc((size_t)(2 * n * n + 5 * n), sizeof *C), *G = C + n * n, *p = G + n * n;
    chi_row_bounds rows = {.context = context,
                           .n = n,
                           .rank = rank,
                           .Q = C,
                           .p = p,
                           .t = p + n,
                           .diagonal = p + 2 * n,
                           .empty = p + 3 * n,
                           .slope = p + 4 * n};
    for (int step = 0; step < STEPS; step++) {
        gradient(G, S, C, m, n);
        for (int64_t i = 0; i < n * n; i++) C[i] -= G[i] / (2 * squares);
        chi_project_rows(&rows);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                C[i * n + j] = i == j ? rows.t[i] : fmin(fmax(C[i * n + j], 0), rows.t[i]);
    }
    double least = gradient(G, S, C, m, n);
    free(C);
    return least;
}

static void the_program_is_solved(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 6; seed++) {
        int64_t m = seed % 2 ? 6 : 15, n = 10, rank = 2 + seed % 3;
        double S[150];
        ch_matrix X = support_planted(context, NULL, m, n, rank, 0.3, seed);
        double squares = scale_columns(S, &X);
        double least = least_by_plain_steps(context, S, m, n, rank, squares);
        ch_anchors_settings set = settings_for(rank, 1e-7);
        ch_anchors_result result = {.size = sizeof result};
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
        double objective = result.select_objective, bound = objective - result.select_gap;
        double slack = 1e-7 * squares;
        support_check(result.select_gap <= slack, "seed %d: gap %g", seed, result.select_gap);
        support_check(objective <= least + slack + 1e-8 && bound <= least + 1e-8,
                      "seed %d: %.12g with bound %.12g, plain steps reach %.12g", seed, objective,
                      bound, least);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* A finer run confirms objective and bound of a coarse one. */
static void the_gap_holds(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 4; seed++) {
        ch_matrix X = support_planted(context, NULL, seed % 2 ? 20 : 45, 30, 5, 0.2, seed);
        ch_anchors_settings set = settings_for(5, 1e-2);
        ch_anchors_result coarse = {.size = sizeof coarse}, fine = {.size = sizeof fine};
        assert_int_equal(ch_anchors(context, &coarse, &X, &set), CH_OK);
        set.gap = 1e-6;
        assert_int_equal(ch_anchors(context, &fine, &X, &set), CH_OK);
        assert_true(fine.select_gap < coarse.select_gap && fine.iterations > coarse.iterations);
        assert_true(coarse.select_objective >= fine.select_objective - fine.select_gap);
        assert_true(coarse.select_objective - coarse.select_gap <= fine.select_objective + 1e-12);
        for (int64_t k = 0; k < 5; k++) {
            assert_true(fine.weights[k] >= 0 && fine.weights[k] <= 1);
            assert_true(k == 0 || fine.weights[k] <= fine.weights[k - 1] + 1e-11);
        }
        ch_anchors_result_free(context, &coarse);
        ch_anchors_result_free(context, &fine);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void any_layout_and_threads(void **state) {
    (void)state;
    ch_anchors_result results[4];
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = support_planted(context, NULL, 30, 140, 6, 0.2, 3);
    ch_matrix shapes[4] = {X, X, support_reshape(context, &X, CH_ROW_MAJOR, CH_F64),
                           support_reshape(context, &X, CH_CSC, CH_F64)};
    for (int run = 0; run < 4; run++) {
        ch_anchors_settings set = settings_for(6, 1e-4);
        results[run] = (ch_anchors_result){.size = sizeof results[run]};
        assert_int_equal(ch_context_set_threads(context, run == 1 ? 3 : 1), CH_OK);
        assert_int_equal(ch_anchors(context, &results[run], &shapes[run], &set), CH_OK);
        assert_memory_equal(results[run].anchors, results[0].anchors, 6 * sizeof(int64_t));
        assert_memory_equal(results[run].weights, results[0].weights, 6 * sizeof(double));
    }
    for (int run = 0; run < 4; run++) ch_anchors_result_free(context, &results[run]);
    ch_matrix_free(context, &shapes[2]);
    ch_matrix_free(context, &shapes[3]);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

static int stop_late(const ch_progress_event *event, void *user) {
    (void)user;
    return event->done >= 15;
}

static void a_cancelled_run_leaves_its_best_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, 20, 40, 4, 0.2, 1);
    ch_anchors_settings set = settings_for(4, 1e-9);
    ch_anchors_result result = {.size = sizeof result};
    ch_context_set_progress(context, stop_late, NULL);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.rank, 4);
    assert_true(result.select_gap > 0 && isfinite(result.select_objective));
    ch_context_set_progress(context, NULL, NULL);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_solved),
        cmocka_unit_test(the_gap_holds),
        cmocka_unit_test(any_layout_and_threads),
        cmocka_unit_test(a_cancelled_run_leaves_its_best_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
