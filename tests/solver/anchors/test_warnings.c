/* Warnings of a result: columns without weights, anchors that are nearly empty, data that are left
 * unexplained; none where all is well; and ch_verify(), which knows what they are about. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 40, COLS = 60 };

static ch_anchors_result find(ch_context *context, const ch_matrix *X, ch_anchors_settings *set,
                              const char *words) {
    ch_anchors_defaults(set);
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), set, words), CH_OK);
    set->keep_duals = 1;
    return support_find(context, X, set, words);
}

/* The text is there, with this in it, and no other. */
static void expect(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                   ch_anchors_result *r, int bits, const char *part) {
    char text[400];
    ch_verification v = {.size = sizeof v};
    support_check(r->measured && r->warnings == bits, "%s: warnings %d, not %d", part, r->warnings,
                  bits);
    for (int bit = 1; bit <= 4; bit *= 2) {
        assert_int_equal(ch_anchors_warning(text, sizeof text, r, bit), (bits & bit) != 0);
        assert_true(strlen(text) < sizeof text - 1);
        if (bits & bit) support_check(strstr(text, part) || bits != bit, "%s: %s", part, text);
    }
    assert_int_equal(ch_verify(context, &v, X, r, set), CH_OK);
    support_check(v.ok, "%s: %s", part, v.why);
    r->zero_weights++;
    assert_int_equal(ch_verify(context, &v, X, r, set), CH_OK);
    assert_false(v.ok);
    r->zero_weights--;
    r->unexplained /= 2;
    assert_int_equal(ch_verify(context, &v, X, r, set), CH_OK);
    assert_true(v.ok == (isnan(r->unexplained) || r->unexplained == 0));
    ch_anchors_result_free(context, r);
}

/* Columns that have one row each in common with nobody: two anchors explain two of them. */
static void columns_without_weights(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static double values[ROWS * COLS];
    ch_anchors_settings set;
    (void)state;
    for (int64_t j = 0; j < COLS; j++) values[j % ROWS + j * ROWS] = 1 + (double)j;
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_result r = find(context, &X, &set, "rank=2");
    assert_int_equal(r.zero_weights, COLS - 4); /* rows are shared by two columns */
    expect(context, &X, &set, &r, CH_WARN_ZERO_WEIGHTS | CH_WARN_UNEXPLAINED, "no weights");
    r = find(context, &X, &set, "rank=2 hull=convex0");
    expect(context, &X, &set, &r, CH_WARN_UNEXPLAINED, "unexplained");
    support_finish(context, &memory);
}

/* Every other column is noise of a hundredth of the others, which all are mixtures of two. */
static void anchors_that_are_nearly_empty(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static double values[ROWS * COLS];
    ch_anchors_settings set;
    ch_random random;
    (void)state;
    support_seed(&random, "warnings", 1);
    for (int64_t j = 0; j < COLS; j++) {
        double share = ch_random_uniform(&random);
        for (int64_t i = 0; i < ROWS; i++) {
            double u = ch_random_uniform(&random), line = (double)i / ROWS;
            values[i + j * ROWS] =
                j % 3 == 0 ? (u < 0.9 ? 0 : 0.01) : 1 + share * line + (1 - share) * (1 - line);
        }
    }
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_result r = find(context, &X, &set, "rank=8 loss=l2");
    assert_true(r.empty_anchors >= 2);
    expect(context, &X, &set, &r, CH_WARN_EMPTY_ANCHORS, "nearly empty");
    r = find(context, &X, &set, "rank=2 loss=l2 faint=0.05");
    expect(context, &X, &set, &r, 0, "without faint ones");
    support_finish(context, &memory);
}

static void nothing_to_say(void **state) {
    static const char *const words[] = {"rank=5", "rank=5 loss=l2", "rank=5 loss=kl",
                                        "rank=5 hull=convex", "rank=5 method=spa loss=l2"};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, 5, 0.1, 3);
    ch_anchors_settings set;
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        ch_anchors_result r = find(context, &X, &set, words[w]);
        assert_true(isnan(r.unexplained) == (set.loss == CH_LOSS_KL));
        expect(context, &X, &set, &r, 0, words[w]);
    }
    ch_anchors_result r = find(context, &X, &set, "rank=5 select-only=1");
    assert_int_equal(r.measured, 0); /* there is no H */
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_without_weights),
        cmocka_unit_test(anchors_that_are_nearly_empty),
        cmocka_unit_test(nothing_to_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
