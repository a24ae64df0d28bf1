/* Columns that are faint (settings.faint) are projected and never chosen: dark columns of noise,
 * which own extreme directions, no longer hide the planted anchors; under every loss and rule, lazy
 * or eager, dense or sparse; and ch_verify() knows the rule. */
#include "support_anchors.h"
#include <conehull/conehull.h>

enum { ROWS = 30, BRIGHT = 90, DARK = 40, RANK = 6 };

/* Separable columns, among which every so many is noise of a hundredth of their size. */
static ch_matrix make(ch_context *context, uint64_t seed) {
    ch_random random;
    ch_matrix planted = support_planted(context, NULL, ROWS, BRIGHT, RANK, 0, (int64_t)seed);
    const double *bright = planted.values;
    static double values[ROWS * (BRIGHT + DARK)];
    ch_random_seed(&random, seed);
    for (int64_t j = 0, from = 0, dark = 0; j < BRIGHT + DARK; j++) {
        int is_dark = j % 3 == 2 && dark < DARK;
        dark += is_dark;
        for (int64_t i = 0; i < ROWS; i++)
            values[i + j * ROWS] =
                is_dark ? 0.01 * ch_random_uniform(&random) * ch_random_uniform(&random)
                        : bright[i + from * ROWS];
        from += !is_dark;
    }
    ch_matrix X = support_dense(context, values, ROWS, BRIGHT + DARK);
    ch_matrix_free(context, &planted);
    return X;
}

static int is_dark(int64_t j) {
    return j % 3 == 2 && j / 3 < DARK;
}

static int64_t count_dark(const ch_anchors_result *result) {
    int64_t count = 0;
    for (int64_t k = 0; k < result->rank; k++) count += is_dark(result->anchors[k]);
    return count;
}

static void dark_columns_are_not_chosen(void **state) {
    static const struct {
        int loss, reverse, exterior;
    } cases[] = {{CH_LOSS_L1, 0, CH_EXTERIOR_MAX},    {CH_LOSS_L1, 0, CH_EXTERIOR_RAND},
                 {CH_LOSS_L2, 0, CH_EXTERIOR_MAX},    {CH_LOSS_L2, 0, CH_EXTERIOR_DIST},
                 {CH_LOSS_L2, 0, CH_EXTERIOR_GREEDY}, {CH_LOSS_KL, 0, CH_EXTERIOR_MAX},
                 {CH_LOSS_IS, 1, CH_EXTERIOR_MAX},    {CH_LOSS_L1, 0, CH_EXTERIOR_SHARE},
                 {CH_LOSS_KL, 0, CH_EXTERIOR_SHARE},  {CH_LOSS_L1, 0, CH_EXTERIOR_BALANCED}};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t without = 0;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_matrix X = make(context, 1 + c);
        ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        set.rank = RANK + 2; /* more than the bright columns need */
        set.loss = cases[c].loss;
        set.reverse = cases[c].reverse;
        set.exterior = cases[c].exterior;
        set.keep_duals = 1;
        ch_anchors_result plain = support_find(context, &X, &set, __func__);
        assert_int_equal(plain.faint, 0);
        without += count_dark(&plain);
        set.faint = 0.05;
        ch_anchors_result first = support_find(context, &X, &set, __func__);
        assert_int_equal(first.faint, DARK);
        assert_true(first.rank >= RANK);
        assert_int_equal(count_dark(&first), 0);
        for (int eager = 0; eager < 2; eager++) {
            set.eager = eager;
            ch_anchors_result other = support_find(context, eager ? &X : &S, &set, __func__);
            support_same_answer(&first, &other, eager ? "eager" : "sparse");
            ch_anchors_result_free(context, &other);
        }
        set.eager = 0;
        ch_verification v = {.size = sizeof v};
        assert_int_equal(ch_verify(context, &v, &X, &first, &set), CH_OK);
        support_check(v.ok, "case %zu: %s", c, v.why);
        if (count_dark(&plain) > 0 && set.exterior != CH_EXTERIOR_GREEDY) {
            assert_int_equal(ch_verify(context, &v, &X, &plain, &set), CH_OK);
            support_check(!v.ok, "case %zu: a faint anchor is accepted", c);
        }
        ch_anchors_result_free(context, &first);
        ch_anchors_result_free(context, &plain);
        ch_matrix_free(context, &S);
        ch_matrix_free(context, &X);
    }
    assert_true(without > 0); /* else nothing was shown */
    support_finish(context, &memory);
}

static void refusals(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = make(context, 1);
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    (void)state;
    ch_anchors_defaults(&set);
    set.faint = 0.05;
    set.rank = RANK;
    set.method = CH_METHOD_SPA;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    support_message(context, "faint");
    set.method = CH_METHOD_XRAY;
    set.rank = BRIGHT + 1;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    support_message(context, "columns that are zero, faint or");
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dark_columns_are_not_chosen),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
