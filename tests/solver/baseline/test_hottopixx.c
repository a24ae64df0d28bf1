/* Hottopixx: the projection onto its set against bisection, planted anchors with copies, refusals.
 * The gap, threads, layouts and cancelling are in test_self_dictionary.c; test_hottopixx_lp.c
 * compares with another solver of the linear program. */
#include "baseline/baseline.h"
#include "baseline/row_bounds.h"
#include "baseline/self_representation.h"
#include "support.h"

#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the projection ---------------------------------------------------------------------------
 */

/* t of one row for a given beta, by bisection. */
static double row_by_bisection(const double *q, int64_t n, int64_t i, double target) {
    double low = 0, high = 1;
    for (int step = 0; step < 80; step++) {
        double t = 0.5 * (low + high), h = t - target;
        for (int64_t j = 0; j < n; j++)
            if (j != i && q[j] > t) h -= q[j] - t;
        if (h > 0)
            high = t;
        else
            low = t;
    }
    return 0.5 * (low + high);
}

static void project_by_bisection(double *t, const double *Q, int64_t n, const double *p,
                                 double weight, int64_t rank) {
    double low = -1e4, high = 1e4;
    for (int step = 0; step < 90; step++) {
        double beta = 0.5 * (low + high), trace = 0;
        for (int64_t i = 0; i < n; i++) {
            t[i] = row_by_bisection(Q + i * n, n, i, Q[i + i * n] - weight * p[i] - beta);
            trace += t[i];
        }
        if (trace > (double)rank)
            low = beta;
        else
            high = beta;
    }
}

static void the_projection_is_that_of_bisection(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "projection", 41);
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int instance = 0; instance < 200; instance++) {
        int64_t n = 1 + ch_random_below(&random, 24), rank = 1 + ch_random_below(&random, n);
        double *Q = malloc((size_t)(n * n + 6 * n) * sizeof *Q), *p = Q + n * n, *t = p + n;
        double scale = pow(10, 4 * ch_random_uniform(&random) - 2);
        for (int64_t i = 0; i < n * n; i++) {
            Q[i] = scale * ch_random_normal(&random);
            if (instance % 3 == 0) Q[i] = floor(Q[i]); /* ties */
        }
        for (int64_t i = 0; i < n; i++) {
            p[i] = ch_random_uniform(&random);
            t[i] = ch_random_uniform(&random); /* any start will do */
        }
        chi_row_bounds rows = {.context = context,
                               .n = n,
                               .rank = rank,
                               .Q = Q,
                               .p = p,
                               .weight = 0.3,
                               .t = t,
                               .beta = ch_random_normal(&random),
                               .diagonal = t + n,
                               .empty = t + 2 * n,
                               .slope = t + 3 * n};
        chi_project_rows(&rows);
        double expected[24], trace = 0;
        project_by_bisection(expected, Q, n, p, 0.3, rank);
        for (int64_t i = 0; i < n; i++) trace += t[i];
        support_check(fabs(trace - (double)rank) <= 1e-9, "trace %.15g, not %d", trace, (int)rank);
        /* With ties of whole rows the multiplier is not unique, but the point is. */
        support_check(support_difference(t, expected, n) <= 1e-7, "instance %d, n %d: %g apart",
                      instance, (int)n, support_difference(t, expected, n));
        free(Q);
    }
    support_finish(context, &memory);
}

static void the_inverse_is_one(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "inverse", 42);
    static const int64_t sizes[] = {1, 2, 47, 48, 49, 96, 130};
    support_memory memory;
    chi_selfrep all = {.context = support_context(&memory, 1)};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], rows = n / 2 + 1; /* singular: the shift makes it definite */
        double *A = calloc((size_t)(3 * n * n + rows * n), sizeof *A);
        double *inverse = A + n * n, *work = inverse + n * n, *B = work + n * n, worst = 0;
        for (int64_t i = 0; i < rows * n; i++) B[i] = ch_random_normal(&random);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                for (int64_t k = 0; k < rows; k++)
                    A[i + j * n] += B[k + i * rows] * B[k + j * rows];
        assert_int_equal(chi_spd_invert(&all, inverse, work, A, n, 0.1), CH_OK);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double product = 0.1 * inverse[i + j * n];
                for (int64_t k = 0; k < n; k++) product += A[i + k * n] * inverse[k + j * n];
                worst = fmax(worst, fabs(product - (i == j)));
            }
        support_check(worst <= 1e-10, "size %d: off by %g", (int)n, worst);
        assert_int_equal(chi_spd_invert(&all, inverse, work, A, n, -1e6), CH_ERR_INTERNAL);
        free(A);
    }
    support_finish(all.context, &memory);
}

/* ---- the method --------------------------------------------------------------------------------
 */

static ch_anchors_settings settings_for(int64_t rank) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.method = CH_METHOD_HOTTOPIXX;
    set.rank = rank;
    set.select_only = 1;
    return set;
}

/* Columns 0 .. 19 come again as 20 .. 39, scaled: each anchor is found once, under its first
 * number, whatever share of the diagonal each copy got. */
static void copies_count_together(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 8; seed++) {
        int64_t anchors[4], first[4];
        double values[15 * 40];
        ch_matrix X = support_planted(context, anchors, 15, 20, 4, 0, seed), twice;
        for (int64_t j = 0; j < 40; j++)
            for (int64_t i = 0; i < 15; i++)
                values[i + j * 15] = ch_matrix_at(&X, i, j % 20) * (j < 20 ? 1 : 1.0 + (double)j);
        twice = support_dense(context, values, 15, 40);
        ch_anchors_settings set = settings_for(4);
        set.seed = seed;
        ch_anchors_result result = {.size = sizeof result};
        assert_int_equal(ch_anchors(context, &result, &twice, &set), CH_OK);
        for (int a = 0; a < 4; a++) first[a] = 0;
        for (int64_t k = 0; k < result.rank; k++)
            for (int a = 0; a < 4; a++) first[a] += result.anchors[k] == anchors[a];
        for (int a = 0; a < 4; a++)
            support_check(first[a] == 1, "seed %d: anchor %d is found %d times", seed,
                          (int)anchors[a], (int)first[a]);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void zero_columns_are_never_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double values[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 1, 1, 0, 0, 0, 3};
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    X = support_dense(context, values, 3, 6);
    ch_anchors_settings set = settings_for(3);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    assert_int_equal(result.anchors[0], 1);
    assert_int_equal(result.anchors[1], 2);
    assert_int_equal(result.anchors[2], 5);
    ch_anchors_result_free(context, &result);
    set.rank = 5;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    support_message(context, "only 4 columns that are not zero");
    support_finish(context, &memory);
}

static void refusals(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    double *values = calloc(40002, sizeof *values), small[4] = {1, NAN, 1, 1};
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    int64_t keep = 0;
    for (int i = 0; i < 40002; i++) values[i] = 1;
    X = support_dense(context, values, 2, 20001);
    for (int method = CH_METHOD_HOTTOPIXX; method <= CH_METHOD_SMRS; method++) {
        ch_anchors_settings set = settings_for(2);
        set.method = method;
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_UNSUPPORTED);
        support_message(context, "20000 columns, got 20001");
        support_message(context, "or use the method xray or spa");
        X.cols = 2;
        set.keep = &keep;
        set.keep_count = 1;
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
        support_message(context,
                        "the setting 'keep' can be used with the methods xray and spa only");
        set.keep_count = 0;
        set.gap = 0;
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
        set.gap = NAN;
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
        set.gap = 1e-3;
        X.values = small;
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_DATA);
        X.values = values;
        X.cols = 20001;
    }
    X.cols = 2;
    ch_anchors_settings set = settings_for(0);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    support_message(context, "cannot choose the rank");
    chi_selfrep all = {.context = context, .n = 100};
    assert_int_equal(chi_selfrep_reserve(&all, "m", 1e15, 1), CH_ERR_MEMORY);
    support_message(context, "more than 60 %");
    free(values);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_projection_is_that_of_bisection),
        cmocka_unit_test(the_inverse_is_one),
        cmocka_unit_test(copies_count_together),
        cmocka_unit_test(zero_columns_are_never_anchors),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
