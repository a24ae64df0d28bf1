/* SMRS: its objective against the published iteration in NumPy, planted representatives, what must
 * not change the answer (scale, shift, layout, threads), cancelling, columns that are all equal. */
#include "baseline/baseline.h"
#include "support.h"
#include "support_files.h"

#include <conehull/conehull.h>
#include <conehull/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ch_anchors_settings settings_for(int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.method = CH_METHOD_SMRS;
    set.rank = rank;
    set.select_only = 1;
    return set;
}

static ch_matrix noisy(ch_context *context, int64_t rows, int64_t cols, int64_t seed) {
    return support_planted(context, NULL, rows, cols, 5, 0.1 * (double)(1 + seed), seed);
}

/* The published iteration with its parameters and fixed penalties; it stops later than theirs does
 * (1e-7), for without the affine constraint theirs is still 1e-3 away from the optimum. */
static const char reference[] =
    "import numpy as np\n"
    "Y, affine = np.load('y.npy'), %d\n"
    "if affine: Y = Y - Y.mean(1, keepdims=True)\n"
    "n = Y.shape[1]\n"
    "P = Y.T @ Y\n"
    "mu1 = %.17g / np.linalg.norm(P, axis=1).max()\n"
    "mu2 = %.17g\n"
    "one = np.ones((n, 1))\n"
    "A = np.linalg.inv(mu1 * P + mu2 * np.eye(n) + affine * mu2 * one @ one.T)\n"
    "C, L, l = np.zeros((n, n)), np.zeros((n, n)), np.zeros((1, n))\n"
    "for k in range(20000):\n"
    "    Z = A @ (mu1 * P + mu2 * C - L + affine * one @ (mu2 * one.T - l))\n"
    "    V = Z + L / mu2\n"
    "    size = np.maximum(np.linalg.norm(V, axis=1, keepdims=True), 1e-300)\n"
    "    C = V * np.maximum(0, 1 - 1 / (mu2 * size))\n"
    "    L = L + mu2 * (Z - C)\n"
    "    l = l + affine * mu2 * (Z.sum(0, keepdims=True) - 1)\n"
    "    off = abs(Z.sum(0) - 1).mean() if affine else 0\n"
    "    if max(abs(Z - C).mean(), off) < 1e-11: break\n"
    "objective = np.linalg.norm(C, axis=1).sum() + mu1 / 2 * np.linalg.norm(Y - Y @ C)**2\n"
    "ours, gap = %.17g, %.17g\n"
    "assert abs(ours - objective) <= 1e-4 * objective, (ours, objective)\n"
    "assert ours - gap <= objective * (1 + 1e-6), (ours, gap, objective)\n"
    "first = np.argsort(-np.linalg.norm(C, axis=1), kind='stable')[0]\n"
    "assert abs(np.linalg.norm(C[first]) - %.17g) <= 0.02 * np.linalg.norm(C[first])\n";

static void the_objective_is_that_of_the_published_iteration(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int instance = 0; instance < 8; instance++) {
        ch_matrix X = noisy(context, instance % 4 < 2 ? 20 : 50, 35, instance);
        assert_int_equal(ch_matrix_write(context, support_path("y.npy"), &X), CH_OK);
        ch_anchors_settings set = settings_for(5);
        set.linear = instance % 2;
        set.alpha = instance < 4 ? 5 : 20;
        ch_anchors_result result = {.size = sizeof result};
        assert_true(ch_anchors(context, &result, &X, &set) >= 0);
        assert_true(result.select_gap <= set.gap * result.select_objective);
        char script[4096];
        snprintf(script, sizeof script, reference, !set.linear, set.alpha, set.alpha,
                 result.select_objective, result.select_gap, result.weights[0]);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
        if (support_python("numpy", script)) continue;
        print_message("skipped: no NumPy\n");
        support_finish(context, &memory);
        skip();
    }
    support_finish(context, &memory);
}

/* Groups of points around the corners of a simplex, and points between: with a rank, one of each
 * group; without, the number of groups is found too. */
static void one_representative_of_each_group(void **state) {
    (void)state;
    enum { GROUPS = 4, EACH = 6, BETWEEN = 20, ROWS = 10, COLS = GROUPS * EACH + BETWEEN };
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 10; seed++) {
        ch_random random;
        support_seed(&random, "groups", (uint64_t)seed);
        double corner[GROUPS][ROWS], X[ROWS * COLS];
        for (int g = 0; g < GROUPS; g++)
            for (int i = 0; i < ROWS; i++) corner[g][i] = 10 * ch_random_uniform(&random);
        for (int j = 0; j < COLS; j++) {
            double share[GROUPS] = {0}, total = 0;
            for (int g = 0; g < GROUPS; g++)
                total += share[g] =
                    j < GROUPS * EACH ? g == j % GROUPS : 0.5 + ch_random_uniform(&random);
            for (int i = 0; i < ROWS; i++) {
                X[i + j * ROWS] = 0.01 * ch_random_uniform(&random);
                for (int g = 0; g < GROUPS; g++) X[i + j * ROWS] += share[g] / total * corner[g][i];
            }
        }
        ch_matrix view = support_dense(context, X, ROWS, COLS);
        for (int64_t rank = 0; rank <= GROUPS; rank += GROUPS) {
            ch_anchors_settings set = settings_for(rank);
            ch_anchors_result result = {.size = sizeof result};
            int found[GROUPS] = {0};
            assert_int_equal(ch_anchors(context, &result, &view, &set), CH_OK);
            support_check(result.rank == GROUPS, "rank %d asked for, %d found", (int)rank,
                          (int)result.rank);
            for (int64_t k = 0; k < result.rank; k++) {
                support_check(result.anchors[k] < GROUPS * EACH, "%d is between the groups",
                              (int)result.anchors[k]);
                found[result.anchors[k] % GROUPS]++;
            }
            for (int g = 0; g < GROUPS; g++)
                support_check(found[g] == 1, "group %d has %d representatives", g, found[g]);
            ch_anchors_result_free(context, &result);
        }
    }
    support_finish(context, &memory);
}

static void what_must_not_change_it(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = noisy(context, 30, 150, 2);
    ch_matrix other[] = {support_reshape(context, &X, CH_COLUMN_MAJOR, CH_F64),
                         support_reshape(context, &X, CH_COLUMN_MAJOR, CH_F64),
                         support_reshape(context, &X, CH_COLUMN_MAJOR, CH_F64),
                         support_reshape(context, &X, CH_ROW_MAJOR, CH_F64),
                         support_reshape(context, &X, CH_CSC, CH_F64)};
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++) {
            ((double *)other[1].values)[i + j * other[1].stride] *= 1e140;
            ((double *)other[2].values)[i + j * other[2].stride] += 3; /* affine: no difference */
        }
    ch_anchors_settings set = settings_for(12);
    set.gap = 1e-6;
    ch_anchors_result first = {.size = sizeof first}, result = {.size = sizeof result};
    assert_true(ch_anchors(context, &first, &X, &set) >= 0);
    for (int k = 0; k < 5; k++) {
        if (k == 0) assert_int_equal(ch_context_set_threads(context, 3), CH_OK);
        assert_true(ch_anchors(context, &result, &other[k], &set) >= 0);
        if (k == 0) /* another number of threads: the same bits */
            assert_memory_equal(result.weights, first.weights, 12 * sizeof(double));
        assert_memory_equal(result.anchors, first.anchors, 12 * sizeof(int64_t));
        support_close(result.select_objective, first.select_objective,
                      2e-6 * first.select_objective);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &other[k]);
    }
    ch_anchors_result_free(context, &first);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static int stop_at(const ch_progress_event *event, void *user) {
    return strcmp(event->phase, user) == 0;
}

static void cancelling(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = noisy(context, 20, 40, 1);
    ch_anchors_settings set = settings_for(5);
    ch_anchors_result result = {.size = sizeof result};
    set.gap = 1e-9;
    ch_context_set_progress(context, stop_at, "select");
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.rank, 5);
    ch_anchors_result_free(context, &result);
    ch_context_set_progress(context, stop_at, "gram");
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.rank, 0);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void equal_columns_have_one_representative(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double values[] = {0, 0, 1, 2, 1, 2, 1, 2, 1, 2};
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    X = support_dense(context, values, 2, 5);
    ch_anchors_settings set = settings_for(2);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_COMPLETE);
    assert_int_equal(result.rank, 1);
    assert_int_equal(result.anchors[0], 1); /* the first that is not zero */
    ch_anchors_result_free(context, &result);
    set.rank = 0;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    assert_int_equal(result.rank, 1);
    ch_anchors_result_free(context, &result);
    set.alpha = 0;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    support_message(context, "alpha");
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_that_of_the_published_iteration),
        cmocka_unit_test(one_representative_of_each_group),
        cmocka_unit_test(what_must_not_change_it),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(equal_columns_have_one_representative),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
