/* Advice on the loss (ch_advise_loss()): which settings it gives for noise of a known kind, and
 * what it refuses. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 80, COLS = 128, RANK = 8 };

static ch_status advise(ch_context *context, ch_loss_advice *advice, const ch_matrix *X,
                        int select_only) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.select_only = select_only;
    assert_int_equal(ch_anchors(context, &result, X, &set), CH_OK);
    ch_status status = ch_advise_loss(context, advice, X, &result);
    ch_anchors_result_free(context, &result);
    return status;
}

static ch_matrix make(ch_context *context, int noise, double level) {
    ch_synthetic_settings make = {.size = sizeof make,
                                  .rows = ROWS,
                                  .cols = COLS,
                                  .rank = RANK,
                                  .noise = noise,
                                  .level = level,
                                  .shuffle = 1,
                                  .seed = 5};
    ch_matrix X;
    assert_int_equal(ch_synthetic_make(context, &X, NULL, &make), CH_OK);
    return X;
}

static void noise_of_each_kind(void **state) {
    (void)state;
    static const struct {
        int noise;
        double level;
        const char *settings;
    } cases[] = {{CH_NOISE_SPARSE, 0.5, "loss=quantile:0.2 exterior=share"},
                 {CH_NOISE_TWO_SIDED, 0.3, "loss=l1 exterior=share"},
                 {CH_NOISE_OUTLIERS, 0.02, "loss=l1 exterior=share"},
                 {CH_NOISE_OUTLIERS, 0.1, "loss=quantile:0.2 exterior=share"},
                 {CH_NOISE_GAUSSIAN, 0.1, "loss=l2"},
                 {CH_NOISE_EXPONENTIAL, 1, "loss=is"},
                 {CH_NOISE_POISSON, 30, "loss=kl"},
                 {CH_NOISE_NONE, 0, ""}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_matrix X = make(context, cases[c].noise, cases[c].level);
        ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
        ch_loss_advice advice = {.size = sizeof advice}, other = {.size = sizeof other};
        assert_int_equal(advise(context, &advice, &X, 0), CH_OK);
        assert_int_equal(advise(context, &other, &S, 0), CH_OK);
        assert_string_equal(advice.settings, cases[c].settings);
        assert_string_equal(other.settings, cases[c].settings);
        assert_string_equal(other.because, advice.because);
        assert_true(strlen(advice.because) > 20);
        assert_int_equal(advice.columns, COLS - RANK);
        if (cases[c].settings[0]) { /* the words are settings of the library */
            ch_anchors_settings set;
            ch_anchors_defaults(&set);
            assert_int_equal(
                ch_settings_set_words(context, ch_anchors_table(), &set, advice.settings), CH_OK);
        }
        ch_matrix_free(context, &S);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* With a fifth as many anchors as rows, the l1 fit meets a fifth of the entries of every column
 * under any noise. These are not outliers, and Gaussian noise is still said to be one. */
static void many_anchors_are_no_outliers(void **state) {
    enum { MANY = ROWS / 5 };
    static double W[ROWS * MANY], X[ROWS * COLS];
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        ch_random random;
        ch_anchors_settings set;
        ch_anchors_result result = {.size = sizeof result};
        ch_loss_advice advice = {.size = sizeof advice};
        support_seed(&random, __func__, seed);
        for (int e = 0; e < ROWS * MANY; e++) W[e] = ch_random_uniform(&random);
        for (int64_t j = 0; j < COLS; j++) {
            double h[MANY];
            support_shares(&random, h, MANY, j);
            for (int64_t i = 0; i < ROWS; i++) {
                double x = 0.03 * ch_random_normal(&random);
                for (int64_t k = 0; k < MANY; k++) x += W[i + k * ROWS] * h[k];
                X[i + j * ROWS] = x > 0 ? x : 0;
            }
        }
        ch_matrix view = support_dense(context, X, ROWS, COLS);
        ch_anchors_defaults(&set);
        set.rank = MANY;
        assert_int_equal(ch_anchors(context, &result, &view, &set), CH_OK);
        assert_int_equal(ch_advise_loss(context, &advice, &view, &result), CH_OK);
        assert_true(advice.zeros > 0.1);
        support_check(strcmp(advice.settings, "loss=l2") == 0, "seed %d: %s, because %s", (int)seed,
                      advice.settings, advice.because);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &view);
    }
    support_finish(context, &memory);
}

/* Under l1 the best model of columns with few values is zero. The residuals then are the data, and
 * one-sided; the advice is a loss under which such columns have weights. */
static void columns_without_weights(void **state) {
    static double X[ROWS * COLS];
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int counts = 0; counts < 2; counts++) {
        ch_random random;
        ch_loss_advice advice = {.size = sizeof advice};
        support_seed(&random, __func__, 3);
        for (int e = 0; e < ROWS * COLS; e++) {
            double value =
                ch_random_uniform(&random) < 0.05 ? 1 + 3 * ch_random_uniform(&random) : 0;
            X[e] = counts ? floor(value) : value;
        }
        ch_matrix view = support_dense(context, X, ROWS, COLS);
        assert_int_equal(advise(context, &advice, &view, 0), CH_OK);
        assert_string_equal(advice.settings, counts ? "loss=kl" : "loss=l2");
        assert_non_null(strstr(advice.because, "have no weights"));
        ch_matrix_free(context, &view);
    }
    support_finish(context, &memory);
}

static void refusals(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = make(context, CH_NOISE_SPARSE, 0.5);
    ch_loss_advice advice = {.size = sizeof advice, .columns = 77}, unset = {0};
    assert_int_equal(advise(context, &advice, &X, 1), CH_ERR_ARGUMENT); /* no H */
    assert_non_null(strstr(ch_context_message(context), "select_only"));
    assert_int_equal(advise(context, &unset, &X, 0), CH_ERR_ARGUMENT); /* no size */
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = RANK;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    ch_matrix part = X;
    part.cols--;
    assert_int_equal(ch_advise_loss(context, &advice, &part, &result), CH_ERR_ARGUMENT);
    assert_int_equal(advice.columns, 77); /* untouched */
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_of_each_kind),
        cmocka_unit_test(many_anchors_are_no_outliers),
        cmocka_unit_test(columns_without_weights),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
