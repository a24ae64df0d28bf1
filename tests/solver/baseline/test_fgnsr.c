/* FGNSR: objective and bound against plain projected gradients. What it shares with Hottopixx is in
 * test_self_dictionary.c, planted anchors are in test_selectors.c, and the projection onto the set
 * is tested in test_hottopixx.c. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
