/* Every loss against its own definition: derivatives against differences, divergences against phi,
 * zeros, and the dual against a search over y. */
#include "linalg/linalg.h"
#include "loss/divergence.h"
#include "support_anchors.h"
#include <conehull/random.h>
#include <math.h>

static const chi_loss_settings choices[] = {
    {.loss = CH_LOSS_KL, .floor = 1e-6},
    {.loss = CH_LOSS_KL, .floor = 1e-6, .reverse = 1},
    {.loss = CH_LOSS_IS, .floor = 1e-6},
    {.loss = CH_LOSS_IS, .floor = 1e-6, .reverse = 1},
    {.loss = CH_LOSS_BETA, .beta = 0.5, .floor = 1e-6},
    {.loss = CH_LOSS_BETA, .beta = 0.5, .floor = 1e-6, .reverse = 1},
    {.loss = CH_LOSS_BETA, .beta = 1.5, .floor = 1e-6},
    {.loss = CH_LOSS_BETA, .beta = 1.5, .floor = 1e-6, .reverse = 1},
    {.loss = CH_LOSS_BETA, .beta = -1, .floor = 1e-6},
    {.loss = CH_LOSS_BETA, .beta = 3, .floor = 1e-6},
    {.loss = CH_LOSS_LOGISTIC, .floor = 1e-6},
    {.loss = CH_LOSS_LOGISTIC, .floor = 1e-6, .reverse = 1},
    {.loss = CH_LOSS_CUSTOM, .floor = 0}, /* support_square */
};
enum { CHOICES = sizeof choices / sizeof *choices };

static chi_loss loss_of(ch_context *context, int choice) {
    chi_loss loss;
    chi_loss_settings set = choices[choice];
    set.custom = support_square;
    assert_int_equal(chi_loss_init(context, &loss, &set), CH_OK);
    return loss;
}

static double value(const chi_loss *loss, double x, double y) {
    return chi_loss_value(loss, &x, &y, 1);
}

/* Points in the domain of every loss. */
static double draw(ch_random *random) {
    return 0.05 + 0.9 * ch_random_uniform(random);
}

static void slopes_match_differences(void **state) {
    (void)state;
    ch_context *context;
    ch_random random;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    for (int choice = 0; choice < CHOICES; choice++) {
        chi_loss loss = loss_of(context, choice);
        ch_random_seed(&random, 11);
        for (int trial = 0; trial < 200; trial++) {
            double x = draw(&random), y = draw(&random), step = 1e-5 * y;
            double slope, newton, scoring, below, above;
            chi_loss_slopes(&loss, &slope, &newton, &scoring, &x, &y, 1);
            double up = y + step, down = y - step;
            double difference = (value(&loss, x, up) - value(&loss, x, down)) / (2 * step);
            assert_true(fabs(slope - difference) <= 1e-6 * (1 + fabs(slope) + scoring));
            chi_loss_slopes(&loss, &above, NULL, NULL, &x, &up, 1);
            chi_loss_slopes(&loss, &below, NULL, NULL, &x, &down, 1);
            double bend = (above - below) / (2 * step);
            assert_true(fabs(newton - bend) <= 1e-6 * (1 + fabs(newton) + scoring));
            assert_true(scoring > 0);
            assert_true(value(&loss, x, y) >= 0);
            assert_true(value(&loss, x, x) <= 1e-14 * (1 + chi_loss_scale(&loss, &x, 1)));
            if (loss.convex) assert_true(newton >= 0);
        }
    }
    ch_context_destroy(context);
}

static void special_betas_are_the_named_losses(void **state) {
    (void)state;
    ch_context *context;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    static const struct {
        double beta;
        const chi_generator *generator;
    } cases[] = {{1, &chi_generator_kl}, {0, &chi_generator_is}, {0.5, &chi_generator_beta}};
    for (int c = 0; c < 3; c++) {
        chi_loss_settings settings = {.loss = CH_LOSS_BETA, .beta = cases[c].beta, .floor = 0};
        chi_loss loss;
        assert_int_equal(chi_loss_init(context, &loss, &settings), CH_OK);
        assert_ptr_equal(loss.generator, cases[c].generator);
    }
    /* and the family comes near them on both sides */
    for (int near = 0; near <= 1; near++)
        for (int side = -1; side <= 1; side += 2) {
            chi_loss_settings at = {.loss = CH_LOSS_BETA, .beta = near};
            chi_loss_settings beside = {.loss = CH_LOSS_BETA, .beta = near + side * 1e-5};
            chi_loss one, other;
            assert_int_equal(chi_loss_init(context, &one, &at), CH_OK);
            assert_int_equal(chi_loss_init(context, &other, &beside), CH_OK);
            assert_true(fabs(value(&one, 0.3, 0.8) - value(&other, 0.3, 0.8)) < 1e-4);
        }
    ch_context_destroy(context);
}

static void zeros_never_give_infinities(void **state) {
    (void)state;
    ch_context *context;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    for (int choice = 0; choice < CHOICES; choice++) {
        chi_loss loss = loss_of(context, choice);
        if (loss.floor == 0) continue;
        double x = loss.lifts_data ? loss.floor : 0;
        double models[] = {loss.floor, 0.4};
        for (int at = 0; at < 2; at++) {
            double slope;
            chi_loss_slopes(&loss, &slope, NULL, NULL, &x, &models[at], 1);
            assert_true(isfinite(value(&loss, x, models[at])));
            assert_true(isfinite(slope));
        }
    }
    ch_context_destroy(context);
}

/* inf_y l(x, y) - u (y - floor), by golden search, against chi_loss_dual from a poor start. */
static void duals_match_a_search(void **state) {
    (void)state;
    ch_context *context;
    ch_random random;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    for (int choice = 0; choice < CHOICES; choice++) {
        chi_loss loss = loss_of(context, choice);
        if (!loss.convex) continue;
        ch_random_seed(&random, 12);
        for (int trial = 0; trial < 50; trial++) {
            double x = draw(&random), y = draw(&random), u;
            chi_loss_slopes(&loss, &u, NULL, NULL, &x, &y, 1);
            double low = 1e-9, high = fmin(4, loss.top * (1 - 1e-12)), ratio = 0.6180339887498949;
            for (int step = 0; step < 200; step++) {
                double a = high - ratio * (high - low), b = low + ratio * (high - low);
                if (value(&loss, x, a) - u * a < value(&loss, x, b) - u * b)
                    high = b;
                else
                    low = a;
            }
            double found = value(&loss, x, low) - u * (low - loss.floor);
            double dual, start = draw(&random);
            chi_loss_duals(&loss, &dual, &u, &x, &start, 1);
            assert_true(fabs(found - dual) <= 1e-9 * (1 + fabs(found)));
            assert_true(u < chi_loss_slope_limit(&loss, x));
        }
    }
    ch_context_destroy(context);
}

/* Loops in registers against the scalar functions, for every length around a register's. */
static void loops_match_the_scalars(void **state) {
    (void)state;
    enum { MOST = 37 };
    ch_context *context;
    ch_random random;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    for (int row = 0; row < chi_kernel_set_count * 4; row++) {
        const chi_kernels *kernels = &chi_kernel_sets[row / 4];
        if (!ch_kernel_usable((int)(kernels - chi_kernel_sets))) continue;
        /* the first four choices: KL and IS, each forward and reversed */
        const chi_loss_loops *loops = (row % 4 < 2 ? kernels->kl : kernels->is) + row % 2;
        chi_loss loss = loss_of(context, row % 4), plain = loss;
        plain.loops = NULL;
        support_seed(&random, "loops", 13);
        for (int count = 0; count <= MOST; count++) {
            double x[MOST], y[MOST], a[MOST], found[3][MOST], scalar[3][MOST], pulls[4];
            for (int i = 0; i < count; i++) {
                x[i] = pow(10, 200 * ch_random_uniform(&random) - 100);
                y[i] = x[i] * pow(10, 4 * ch_random_uniform(&random) - 2);
                a[i] = x[i] * ch_random_uniform(&random);
            }
            if (loss.linear_zeros && count > 2) x[2] = 0;
            double sum = chi_loss_value(&plain, x, y, count), size = 1e-300;
            for (int i = 0; i < count; i++)
                size += loss.generator == &chi_generator_kl ? x[i] + y[i]
                                                            : 1 + x[i] / y[i] + y[i] / x[i];
            support_close(loops->value(x, y, count), sum, 1e-14 * size);
            loops->slopes(found[0], found[1], found[2], x, y, count);
            chi_loss_slopes(&plain, scalar[0], scalar[1], scalar[2], x, y, count);
            for (int i = 0; i < count; i++) {
                double slope = fabs(scalar[0][i]) + scalar[2][i] * y[i];
                support_close(found[0][i], scalar[0][i], 1e-14 * (slope + 1e-300));
                double bend = scalar[2][i] * (1 + x[i] / y[i]);
                support_close(found[1][i], scalar[1][i], 1e-14 * bend);
                support_close(found[2][i], scalar[2][i], 1e-14 * scalar[2][i]);
            }
            loops->pull(&pulls[0], &pulls[1], a, x, y, count);
            chi_loss_pull(&plain, &pulls[2], &pulls[3], a, x, y, count);
            double range = 1e-300;
            for (int i = 0; i < count; i++)
                range += a[i] * (fabs(scalar[0][i]) + scalar[2][i] * y[i]);
            support_close(pulls[0], pulls[2], 1e-13 * range);
            support_close(pulls[1], pulls[3], 1e-13 * (pulls[3] + 1e-300));
        }
    }
    ch_context_destroy(context);
}

/* Itakura-Saito by callbacks, one number at a time and over arrays; `calls` counts the latter. */
static double own_phi(double x, void *user) {
    (void)user;
    return -log(x);
}
static double own_slope(double x, void *user) {
    (void)user;
    return -1 / x;
}
static double own_curvature(double x, void *user) {
    (void)user;
    return 1 / (x * x);
}
static void each(double *out, const double *x, int64_t count, void *user,
                 double (*function)(double, void *)) {
    ++*(int *)user;
    assert_in_range(count, 1, CHI_LOSS_BLOCK);
    for (int64_t i = 0; i < count; i++) out[i] = function(x[i], NULL);
}
static void all_phi(double *out, const double *x, int64_t count, void *user) {
    each(out, x, count, user, own_phi);
}
static void all_slope(double *out, const double *x, int64_t count, void *user) {
    each(out, x, count, user, own_slope);
}
static void all_curvature(double *out, const double *x, int64_t count, void *user) {
    each(out, x, count, user, own_curvature);
}

enum { ENTRIES = 600 }; /* more than two blocks */

/* The same bits from functions of arrays, in few calls. */
static void compare_with_arrays(const chi_loss *one, const chi_loss *many, int64_t count) {
    double x[ENTRIES], y[ENTRIES], a[ENTRIES], u[ENTRIES], made[2][3][ENTRIES], pull[2][2];
    ch_random random;
    support_seed(&random, "arrays", 17);
    for (int64_t i = 0; i < count; i++) {
        x[i] = i % 7 == 3 ? 1e-6 : draw(&random);
        y[i] = draw(&random);
        a[i] = i % 5 == 0 ? 0 : draw(&random);
        u[i] = 0.1 * draw(&random);
    }
    assert_true(chi_loss_value(one, x, y, count) == chi_loss_value(many, x, y, count));
    assert_true(chi_loss_add_values(one, 3, x, y, count) ==
                chi_loss_add_values(many, 3, x, y, count));
    assert_true(chi_loss_scale(one, x, count) == chi_loss_scale(many, x, count));
    for (int k = 0; k < 2; k++) {
        const chi_loss *loss = k ? many : one;
        chi_loss_slopes(loss, made[k][0], made[k][1], made[k][2], x, y, count);
        chi_loss_pull(loss, &pull[k][0], &pull[k][1], a, x, y, count);
    }
    for (int part = 0; part < 3; part++)
        assert_memory_equal(made[0][part], made[1][part], (size_t)count * sizeof **made[0]);
    assert_memory_equal(pull[0], pull[1], sizeof pull[0]);
    for (int k = 0; k < 2; k++) {
        chi_loss_shifts(k ? many : one, made[k][0], x, count);
        chi_loss_duals(k ? many : one, made[k][1], u, x, y, count);
    }
    for (int part = 0; part < 2; part++)
        assert_memory_equal(made[0][part], made[1][part], (size_t)count * sizeof **made[0]);
}

static void arrays_match_single_numbers(void **state) {
    (void)state;
    ch_context *context;
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    for (int reverse = 0; reverse < 2; reverse++) {
        int calls = 0;
        ch_bregman_arrays arrays = {all_phi, all_slope, all_curvature, &calls};
        chi_loss_settings set = {.loss = CH_LOSS_CUSTOM,
                                 .floor = 1e-6,
                                 .reverse = reverse,
                                 .custom = {own_phi, own_slope, own_curvature, NULL, 0}};
        chi_loss one, many;
        assert_int_equal(chi_loss_init(context, &one, &set), CH_OK);
        set.arrays = &arrays;
        assert_int_equal(chi_loss_init(context, &many, &set), CH_OK);
        for (int count = 1; count <= ENTRIES; count += count < 10 ? 1 : 118)
            compare_with_arrays(&one, &many, count);
        assert_in_range(calls, 1, 5000); /* one number at a time: some 100,000 */
        arrays.slope = NULL;
        assert_int_equal(chi_loss_init(context, &many, &set), CH_ERR_ARGUMENT);
    }
    ch_context_destroy(context);
}

static void incomplete_custom_losses_are_refused(void **state) {
    (void)state;
    ch_context *context;
    chi_loss loss;
    chi_loss_settings settings = {.loss = CH_LOSS_CUSTOM, .custom = {.phi = support_square.phi}};
    assert_int_equal(ch_context_create(&context, NULL), CH_OK);
    assert_int_equal(chi_loss_init(context, &loss, &settings), CH_ERR_ARGUMENT);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_match_differences),
        cmocka_unit_test(special_betas_are_the_named_losses),
        cmocka_unit_test(zeros_never_give_infinities),
        cmocka_unit_test(duals_match_a_search),
        cmocka_unit_test(loops_match_the_scalars),
        cmocka_unit_test(arrays_match_single_numbers),
        cmocka_unit_test(incomplete_custom_losses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
