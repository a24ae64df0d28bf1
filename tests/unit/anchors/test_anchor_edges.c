/* The selection at its edges: columns that are equal up to rounding, exact data to the last anchor,
 * data near the ends of the number range, projections without proof. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 20, COLS = 60 };

static ch_anchors_settings settings(int64_t rank, int loss) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.loss = loss;
    set.keep_duals = 1;
    return set;
}

static ch_matrix view(ch_context *context, const double *values, int64_t rows, int64_t cols) {
    ch_matrix X = support_dense(context, values, rows, cols);
    return X;
}

/* A result that ch_verify() agrees with. */
static ch_anchors_result find_and_verify(ch_context *context, const ch_matrix *X,
                                         const ch_anchors_settings *set, const char *what) {
    ch_anchors_result result = {.size = sizeof result};
    ch_verification v = {.size = sizeof v};
    ch_status status = ch_anchors(context, &result, X, set);
    support_check(status >= 0, "%s: %s", what, ch_context_message(context));
    assert_int_equal(ch_verify(context, &v, X, &result, set), CH_OK);
    support_check(v.ok, "%s: %s", what, v.why);
    return result;
}

/* Random rays, then `copies` more of each with entries off by up to `off`. Remark 2 of the paper
 * takes both columns of a tie; two columns of one ray are not two anchors, whichever is taken. */
static void near_copies_are_one_ray(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    enum { RAYS = 4 };
    ch_random random;
    support_seed(&random, "near_copies_are_one_ray", 5);
    for (int c = 0; c < 96; c++) {
        double X[3 * RAYS * ROWS], off = ldexp(1e-13, c / 8);
        int copies = 1 + c % 2;
        for (int i = 0; i < RAYS * ROWS; i++) X[i] = ch_random_uniform(&random);
        for (int i = RAYS * ROWS; i < (1 + copies) * RAYS * ROWS; i++)
            X[i] = 2 * X[i % (RAYS * ROWS)] * (1 + off * (2 * ch_random_uniform(&random) - 1));
        ch_matrix view_of_X = view(context, X, ROWS, (1 + copies) * RAYS);
        ch_anchors_settings set = settings(RAYS, c / 2 % 2);
        set.exterior = c / 4 % 2;
        char what[80];
        snprintf(what, sizeof what, "case %d", c);
        ch_anchors_result result = find_and_verify(context, &view_of_X, &set, what);
        int seen[RAYS] = {0};
        assert_int_equal(result.rank, RAYS);
        for (int k = 0; k < RAYS; k++) seen[result.anchors[k] % RAYS]++;
        for (int k = 0; k < RAYS; k++) support_check(seen[k] == 1, "%s: ray %d", what, k);
        ch_anchors_result_free(context, &result);
    }
    support_finish(context, &memory);
}

/* COLS columns of a cone whose anchors are the first `rank`. */
static void exact(double *X, int64_t rows, int64_t rank, uint64_t seed) {
    ch_random random;
    ch_random_seed(&random, seed);
    for (int64_t i = 0; i < rows * rank; i++) X[i] = ch_random_uniform(&random);
    for (int64_t j = rank; j < COLS; j++) {
        double h[ROWS];
        for (int64_t k = 0; k < rank; k++) h[k] = ch_random_uniform(&random);
        for (int64_t i = 0; i < rows; i++) {
            X[j * rows + i] = 0;
            for (int64_t k = 0; k < rank; k++) X[j * rows + i] += X[k * rows + i] * h[k];
        }
    }
}

/* As many anchors as rows: the last one is the last that the automatic rank looks at. */
static void automatic_rank_of_exact_data(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double X[COLS * ROWS], unit[36] = {0};
    for (int i = 0; i < 6; i++) unit[7 * i] = 1;
    for (int c = 0; c < 4; c++) {
        ch_anchors_settings set = settings(0, c % 2);
        set.exterior = c / 2;
        ch_matrix columns = view(context, unit, 6, 6);
        ch_anchors_result result = find_and_verify(context, &columns, &set, "unit vectors");
        assert_int_equal(result.rank, 6);
        ch_anchors_result_free(context, &result);
        for (int64_t rank = 3; rank <= 8; rank++) {
            exact(X, rank, rank, 20 + (uint64_t)rank);
            columns = view(context, X, rank, COLS);
            result = find_and_verify(context, &columns, &set, "exact data");
            support_check(result.rank == rank, "case %d: %d anchors, not %d", c, (int)result.rank,
                          (int)rank);
            for (int64_t k = 0; k < rank; k++) assert_true(result.anchors[k] < rank);
            ch_anchors_result_free(context, &result);
        }
    }
    support_finish(context, &memory);
}

/* What is left of columns of the cone is rounding, and no reason for more anchors. */
static void stop_zero_takes_no_rounding(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const int losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_KL, CH_LOSS_IS};
    double X[COLS * ROWS];
    for (int c = 0; c < 40; c++) {
        int64_t rows = c % 8 < 4 ? 5 : ROWS;
        exact(X, rows, 5, (uint64_t)c);
        ch_matrix columns = view(context, X, rows, COLS);
        ch_anchors_settings set = settings(12, losses[c % 4]);
        set.stop = 0;
        char what[80];
        snprintf(what, sizeof what, "case %d", c);
        ch_anchors_result result = find_and_verify(context, &columns, &set, what);
        support_check(result.rank == 5, "%s: %d anchors", what, (int)result.rank);
        assert_int_equal(result.status, CH_STOP_COMPLETE);
        ch_anchors_result_free(context, &result);
    }
    support_finish(context, &memory);
}

static void too_large_or_small_is_refused(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double X[COLS * ROWS], Y[COLS * ROWS], H[5 * COLS];
    exact(X, ROWS, 5, 3);
    static const int exponents[] = {-900, 900, -530, 530};
    for (int c = 0; c < 24; c++) {
        for (int i = 0; i < COLS * ROWS; i++) Y[i] = ldexp(X[i], exponents[c % 4]);
        ch_matrix columns = view(context, Y, ROWS, COLS), fine = view(context, X, ROWS, COLS);
        ch_anchors_settings set = settings(5, c / 4 < 3 ? c / 4 : 0);
        set.method = c / 4 < 3 ? CH_METHOD_XRAY : c / 4 - 2;
        if (set.loss == CH_LOSS_L2) set.exterior = CH_EXTERIOR_GREEDY;
        ch_anchors_result result = {.size = sizeof result}, before = {.size = sizeof before};
        memset(&result, 0x5a, sizeof result);
        result.size = sizeof result;
        before = result;
        assert_int_equal(ch_anchors(context, &result, &columns, &set), CH_ERR_DATA);
        support_message(context, "between 2^-500 and 2^500");
        assert_memory_equal(&result, &before, sizeof result);
        assert_int_equal(ch_project(context, H, NULL, &columns, X, 5, &set), CH_ERR_DATA);
        support_message(context, "between 2^-500 and 2^500");
        assert_int_equal(ch_project(context, H, NULL, &fine, Y, 5, &set), CH_ERR_DATA);
    }
    support_finish(context, &memory);
}

/* phi = x^2 with a curvature that is not its own and jumps about: no gradient comes to zero, so
 * nothing can be proven. */
static double value(double x, void *user) {
    (void)user;
    return x * x;
}
static double slope(double x, void *user) {
    (void)user;
    return 2 * x;
}
static double curvature(double x, void *user) {
    return 2 + *(const double *)user * sin(1e12 * x);
}

/* A D* that is not proven may have pointed at a wrong column: the run says so, H or not. */
static void unproven_steps_are_said(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, 30, 40, 6, 1, 2);
    for (int c = 0; c < 8; c++) {
        double wrong = c % 2 ? 0.5 : 0;
        ch_anchors_result result = {.size = sizeof result};
        ch_anchors_settings set = settings(6, CH_LOSS_CUSTOM);
        set.custom = (ch_bregman){value, slope, curvature, &wrong, 0};
        set.select_only = 1;
        set.eager = c / 2 % 2;
        set.exterior = c / 4;
        ch_status status = ch_anchors(context, &result, &X, &set);
        support_check(status == (c % 2 ? CH_STOP_INACCURATE : CH_OK), "case %d: %s %s", c,
                      ch_status_name(status), ch_context_message(context));
        assert_int_equal(result.rank, 6);
        ch_anchors_result_free(context, &result);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_copies_are_one_ray),
        cmocka_unit_test(automatic_rank_of_exact_data),
        cmocka_unit_test(stop_zero_takes_no_rounding),
        cmocka_unit_test(too_large_or_small_is_refused),
        cmocka_unit_test(unproven_steps_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
