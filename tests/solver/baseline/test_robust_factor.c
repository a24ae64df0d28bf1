/* Local search in l1, with signs and without: planted factors under outliers, everything that is
 * reported recomputed, restarts, and refusals. */
#include "support.h"
#include <conehull/decompose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ch_status (*method_fn)(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                               const ch_factor_settings *settings);
typedef struct method {
    const char *name;
    method_fn run;
    int signs;
} method;
static const method methods[] = {{"robust NMF", ch_robust_nmf, 0},
                                 {"robust low rank", ch_robust_lowrank, 1}};

static ch_factor_settings defaults(int64_t rank) {
    ch_factor_settings set;
    ch_factor_defaults(&set);
    set.rank = rank;
    return set;
}

static ch_matrix view(const double *values, int64_t rows, int64_t cols) {
    return (ch_matrix){
        .rows = rows, .cols = cols, .type = CH_F64, .values = values, .stride = rows};
}

/* X = W H + outliers of size up to 5 in a share of the places; *noise is their l1 norm. */
static double *plant(ch_random *random, int64_t rows, int64_t cols, int64_t rank, int signs,
                     double share, double *noise) {
    double *W = calloc((size_t)(rows * rank), 8), *H = calloc((size_t)(rank * cols), 8);
    double *X = calloc((size_t)(rows * cols), 8);
    for (int64_t i = 0; i < rows * rank; i++)
        W[i] = signs ? ch_random_normal(random) : ch_random_uniform(random);
    for (int64_t i = 0; i < rank * cols; i++)
        H[i] = signs                             ? ch_random_normal(random)
               : ch_random_uniform(random) < 0.5 ? ch_random_uniform(random)
                                                 : 0;
    *noise = 0;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            double outlier = 5 * (ch_random_uniform(random) - (signs ? 0.5 : 0));
            if (ch_random_uniform(random) >= share) outlier = 0;
            *noise += fabs(outlier);
            X[i + j * rows] = outlier;
            for (int64_t k = 0; k < rank; k++) X[i + j * rows] += W[i + k * rows] * H[k + j * rank];
        }
    free(W);
    free(H);
    return X;
}

static double product_at(const ch_decomposition *d, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < d->rank; k++) sum += d->W[i + k * d->rows] * d->H[k + j * d->rank];
    return sum;
}

/* What was reported, from X, W and H alone. */
static void recheck(const ch_decomposition *d, const ch_matrix *X, const method *it,
                    const ch_factor_settings *set) {
    double objective = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < d->rows; i++)
            objective += fabs(ch_matrix_at(X, i, j) - product_at(d, i, j));
    support_check(fabs(objective - d->objective) <= 1e-9 * objective + 1e-300,
                  "%s: objective %.15g, not %.15g", it->name, d->objective, objective);
    assert_int_equal(d->rank, set->rank);
    if (d->status == CH_OK)
        support_check(d->residual <= set->tol, "%s: primal residual %g", it->name, d->residual);
    if (it->signs) return;
    for (int64_t i = 0; i < d->rows * d->rank; i++) assert_true(d->W[i] >= 0);
    for (int64_t i = 0; i < d->rank * d->cols; i++) assert_true(d->H[i] >= 0);
}

static void planted_factors_are_found_under_outliers(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, planted", 21);
    for (int round = 0; round < 8; round++) {
        const method *it = &methods[round % 2];
        int64_t rank = 2 + round / 2, rows = 50, cols = 300;
        double noise, *values = plant(&random, rows, cols, rank, it->signs, 0.1, &noise);
        ch_matrix X = view(values, rows, cols);
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        ch_factor_settings set = defaults(rank);
        ch_decomposition d = {.size = sizeof d};
        assert_int_equal(it->run(context, &d, &X, &set), CH_OK);
        recheck(&d, &X, it, &set);
        support_check(d.objective <= 1.001 * noise, "%s, rank %d: objective %g, planted %g",
                      it->name, (int)rank, d.objective, noise);
        ch_decomposition_free(context, &d);
        support_finish(context, &memory);
        free(values);
    }
}

/* The tolerance asked for is the one reached. */
static void the_primal_residual_goes_to_zero(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, tolerance", 22);
    double noise, *values = plant(&random, 30, 120, 4, 0, 0.3, &noise);
    ch_matrix X = view(values, 30, 120);
    ch_context *context = support_context(NULL, 1);
    for (int m = 0; m < 2; m++)
        for (double tol = 1e-3; tol > 1e-10; tol /= 100) {
            ch_factor_settings set = defaults(3);
            set.tol = tol;
            set.iterations = 3000;
            ch_decomposition d = {.size = sizeof d};
            assert_int_equal(methods[m].run(context, &d, &X, &set), CH_OK);
            recheck(&d, &X, &methods[m], &set);
            ch_decomposition_free(context, &d);
        }
    ch_context_destroy(context);
    free(values);
}

/* The rank is too small and outliers abound: many local minima. */
static void defaults_end_near_the_best_of_ten_restarts(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, restarts", 23);
    for (int round = 0; round < 6; round++) {
        const method *it = &methods[round % 2];
        int64_t planted = 4 + round, rank = round < 4 ? planted : planted - 3;
        double noise, *values = plant(&random, 40, 200, planted, it->signs, 0.15, &noise);
        ch_matrix X = view(values, 40, 200);
        ch_context *context = support_context(NULL, 2);
        ch_factor_settings set = defaults(rank), ten = set;
        ch_decomposition d = {.size = sizeof d}, best = {.size = sizeof best};
        ten.restarts = 10;
        ten.seed = 1000;
        assert_int_equal(it->run(context, &d, &X, &set), CH_OK);
        assert_int_equal(it->run(context, &best, &X, &ten), CH_OK);
        recheck(&d, &X, it, &set);
        recheck(&best, &X, it, &ten);
        print_message("%s, planted %d, rank %d: %.6g, best of ten %.6g\n", it->name, (int)planted,
                      (int)rank, d.objective, best.objective);
        support_check(d.objective <= 1.05 * best.objective, "%s: %g, best of ten %g", it->name,
                      d.objective, best.objective);
        ch_decomposition_free(context, &best);
        ch_decomposition_free(context, &d);
        ch_context_destroy(context);
        free(values);
    }
}

/* More restarts of the same seed only improve, and name the one that was best. */
static void the_best_restart_is_returned(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, best", 24);
    double noise, *values = plant(&random, 30, 90, 8, 0, 0.2, &noise), last = INFINITY;
    ch_matrix X = view(values, 30, 90);
    ch_context *context = support_context(NULL, 1);
    for (int restarts = 1; restarts <= 6; restarts++) {
        ch_factor_settings set = defaults(6);
        set.restarts = restarts;
        ch_decomposition d = {.size = sizeof d};
        assert_int_equal(ch_robust_nmf(context, &d, &X, &set), CH_OK);
        recheck(&d, &X, &methods[0], &set);
        support_check(d.objective <= last, "restart %d made it worse: %g after %g", restarts,
                      d.objective, last);
        assert_int_equal(d.restart == restarts - 1, d.objective < last);
        last = d.objective;
        ch_decomposition_free(context, &d);
    }
    ch_context_destroy(context);
    free(values);
}

static void threads_layouts_and_both_ways_round_agree(void **state) {
    (void)state;
    enum { ROWS = 25, COLS = 1500 };
    static const ch_matrix_layout layouts[] = {CH_COLUMN_MAJOR, CH_ROW_MAJOR, CH_CSC};
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U8};
    ch_random random;
    support_seed(&random, "local search, layouts", 25);
    double noise, *values = plant(&random, ROWS, COLS, 2, 0, 0.1, &noise);
    for (int i = 0; i < ROWS * COLS; i++) values[i] = floor(30 * values[i]);
    ch_matrix X = view(values, ROWS, COLS);
    for (int m = 0; m < 2; m++) {
        ch_factor_settings set = defaults(2);
        set.iterations = 40;
        ch_context *first = support_context(NULL, 1);
        ch_decomposition one = {.size = sizeof one};
        assert_true(methods[m].run(first, &one, &X, &set) >= CH_OK);
        for (int k = 0; k < 9; k++)
            for (int tall = 0; tall < 2; tall++) {
                ch_context *context = support_context(NULL, 1 + k % 3);
                ch_matrix Y = support_reshape(context, &X, layouts[k / 3], types[k % 3]), Yt;
                assert_int_equal(ch_matrix_transpose(context, &Yt, &Y), CH_OK);
                ch_decomposition d = {.size = sizeof d};
                assert_true(methods[m].run(context, &d, tall ? &Yt : &Y, &set) >= CH_OK);
                recheck(&d, tall ? &Yt : &Y, &methods[m], &set);
                support_close(d.objective, one.objective, 1e-6 * one.objective);
                if (k == 0 && !tall) {
                    assert_memory_equal(d.W, one.W, (size_t)(ROWS * 2) * sizeof(double));
                    assert_memory_equal(d.H, one.H, (size_t)(2 * COLS) * sizeof(double));
                }
                ch_decomposition_free(context, &d);
                ch_matrix_free(context, &Yt);
                ch_matrix_free(context, &Y);
                ch_context_destroy(context);
            }
        for (int threads = 2; threads <= 4; threads++) {
            ch_context *context = support_context(NULL, threads);
            ch_decomposition d = {.size = sizeof d};
            assert_true(methods[m].run(context, &d, &X, &set) >= CH_OK);
            assert_memory_equal(d.W, one.W, (size_t)(ROWS * 2) * sizeof(double));
            assert_memory_equal(d.H, one.H, (size_t)(2 * COLS) * sizeof(double));
            ch_decomposition_free(context, &d);
            ch_context_destroy(context);
        }
        ch_decomposition_free(first, &one);
        ch_context_destroy(first);
    }
    free(values);
}

static void any_scale_and_nothing_at_all(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, scales", 26);
    double noise, *values = plant(&random, 12, 40, 2, 0, 0.1, &noise), scaled[12 * 40] = {0};
    ch_matrix X = view(values, 12, 40), Z = view(scaled, 12, 40);
    ch_context *context = support_context(NULL, 1);
    for (int m = 0; m < 2; m++) {
        ch_factor_settings set = defaults(2);
        ch_decomposition one = {.size = sizeof one}, d = {.size = sizeof d};
        memset(scaled, 0, sizeof scaled);
        assert_int_equal(methods[m].run(context, &d, &Z, &set), CH_OK);
        assert_true(d.objective == 0);
        recheck(&d, &Z, &methods[m], &set);
        ch_decomposition_free(context, &d);
        assert_int_equal(methods[m].run(context, &one, &X, &set), CH_OK);
        for (int k = -1; k <= 1; k += 2) {
            double scale = ldexp(1, 700 * k);
            for (int i = 0; i < 12 * 40; i++) scaled[i] = values[i] * scale;
            assert_int_equal(methods[m].run(context, &d, &Z, &set), CH_OK);
            recheck(&d, &Z, &methods[m], &set);
            support_close(d.objective / scale, one.objective, 1e-6 * one.objective);
            ch_decomposition_free(context, &d);
        }
        ch_decomposition_free(context, &one);
    }
    ch_context_destroy(context);
    free(values);
}

static int stop_at_four(const ch_progress_event *event, void *user) {
    *(int64_t *)user = event->done;
    return event->done == 4;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "local search, stopped", 27);
    double noise, *values = plant(&random, 20, 60, 3, 0, 0.1, &noise);
    ch_matrix X = view(values, 20, 60);
    for (int m = 0; m < 2; m++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        ch_factor_settings set = defaults(3);
        ch_decomposition d = {.size = sizeof d};
        int64_t seen = 0;
        ch_context_set_progress(context, stop_at_four, &seen);
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_STOP_CANCELLED);
        assert_int_equal(d.iterations, 4);
        recheck(&d, &X, &methods[m], &set);
        ch_decomposition_free(context, &d);
        ch_context_set_progress(context, NULL, NULL);
        set.iterations = 6;
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_STOP_ITER);
        recheck(&d, &X, &methods[m], &set);
        ch_decomposition_free(context, &d);
        support_finish(context, &memory);
    }
    free(values);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    double values[6] = {1, 2, 3, 4, 5, 6};
    ch_matrix X = view(values, 2, 3);
    ch_context *context = support_context(NULL, 1);
    ch_decomposition d = {.size = sizeof d}, before = {.size = sizeof before};
    memset(&d, 0x5A, sizeof d);
    d.size = sizeof d;
    before = d;
    for (int m = 0; m < 2; m++) {
        ch_factor_settings set = defaults(0);
        values[4] = 5;
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_ERR_SETTING);
        support_message(context, "'rank' must be between 1");
        set = defaults(3);
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_ERR_SETTING);
        support_message(context, "the rank is 3, but it must not exceed the number of rows or "
                                 "columns of the 2 x 3 matrix");
        set = defaults(1);
        set.tol = NAN;
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_ERR_SETTING);
        set = defaults(1);
        values[4] = INFINITY;
        assert_int_equal(methods[m].run(context, &d, &X, &set), CH_ERR_DATA);
        support_message(context, "row 0, column 2 (counted from 0) is infinite");
        assert_memory_equal(&d, &before, sizeof d);
    }
    values[4] = -5;
    ch_factor_settings set = defaults(1);
    assert_int_equal(ch_robust_nmf(context, &d, &X, &set), CH_ERR_DATA);
    support_message(context, "row 0, column 2 (counted from 0) is negative, -5,");
    assert_int_equal(ch_robust_lowrank(context, &d, &X, &set), CH_OK);
    ch_decomposition_free(context, &d);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_factors_are_found_under_outliers),
        cmocka_unit_test(the_primal_residual_goes_to_zero),
        cmocka_unit_test(defaults_end_near_the_best_of_ten_restarts),
        cmocka_unit_test(the_best_restart_is_returned),
        cmocka_unit_test(threads_layouts_and_both_ways_round_agree),
        cmocka_unit_test(any_scale_and_nothing_at_all),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
