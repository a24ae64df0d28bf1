/* Warnings of a result: columns without weights, anchors that are nearly empty, data that are left
 * unexplained; none where all is well; and ch_verify(), which knows what they are about. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
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
    for (int bit = 1; bit <= 8; bit *= 2) {
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
    r->lonely_anchors++;
    assert_int_equal(ch_verify(context, &v, X, r, set), CH_OK);
    assert_false(v.ok);
    r->lonely_anchors--;
    r->unexplained /= 2;
    assert_int_equal(ch_verify(context, &v, X, r, set), CH_OK);
    assert_true(v.ok == (r->unexplained == 0));
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
    char text[512];
    r = find(context, &X, &set, "rank=2 loss=kl"); /* most columns get only the floor */
    assert_true(r.unexplained > 1);
    assert_true(ch_anchors_warning(text, sizeof text, &r, CH_WARN_UNEXPLAINED));
    assert_non_null(strstr(text, "times the loss without anchors"));
    ch_anchors_result_free(context, &r);
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

/* Mixtures of the first four columns, which are pure; the last `strange` columns have one value
 * that is six times too large. */
static void fill_mixtures(double *values, int strange) {
    ch_random random;
    double h[4];
    support_seed(&random, "lonely anchors", 3);
    for (int64_t j = 0; j < COLS; j++) {
        support_shares(&random, h, 4, j);
        for (int64_t i = 0; i < ROWS; i++) {
            double noise = 1 + 0.02 * ch_random_uniform(&random), x = 0;
            for (int64_t k = 0; k < 4; k++) x += h[k] * (double)(1 + (i * (k + 3) + k * k) % 11);
            values[i + j * ROWS] = x * noise;
        }
        if (j >= COLS - strange) values[(7 * j) % ROWS + j * ROWS] *= 6;
    }
}

static int keep_nothing(void *user, const double *H, int64_t first, int64_t count) {
    (void)user, (void)H, (void)first, (void)count;
    return 0;
}

static void anchors_that_no_column_shares(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static double values[ROWS * COLS];
    int64_t strange[] = {COLS - 2, COLS - 1};
    char text[400];
    ch_anchors_settings set;
    (void)state;
    fill_mixtures(values, 0);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int rank = 4; rank <= 6; rank += 2) { /* more anchors than needed are no outliers */
        ch_anchors_result r = find(context, &X, &set, rank == 4 ? "rank=4" : "rank=6");
        expect(context, &X, &set, &r, 0, "clean");
    }
    fill_mixtures(values, 2);
    X = support_dense(context, values, ROWS, COLS);
    ch_anchors_result r = find(context, &X, &set, "rank=6");
    assert_int_equal(r.lonely_anchors, 2);
    assert_true(r.lonely_column >= COLS - 2);
    assert_true(ch_anchors_warning(text, sizeof text, &r, CH_WARN_LONELY_ANCHORS));
    assert_non_null(strstr(text, "2 of 6 anchors"));
    set.take_weights = keep_nothing;
    set.keep_duals = 0;
    ch_anchors_result parts = support_find(context, &X, &set, "parts");
    assert_true(!parts.H && parts.lonely_anchors == 2 && parts.warnings == r.warnings);
    assert_true(parts.lonely_column == r.lonely_column && parts.mean_shared == r.mean_shared);
    ch_anchors_result_free(context, &parts);
    set.take_weights = NULL;
    set.keep_duals = 1;
    expect(context, &X, &set, &r, CH_WARN_LONELY_ANCHORS, "tenth");
    set.keep = strange; /* the user knows */
    set.keep_count = 2;
    r = support_find(context, &X, &set, "kept");
    expect(context, &X, &set, &r, 0, "kept");
    support_finish(context, &memory);
}

/* Mostly zeros, in places that columns hardly share: no few columns explain the others. */
static void fill_scattered(double *values, const char *what) {
    ch_random random;
    support_seed(&random, what, 7);
    for (int64_t e = 0; e < ROWS * COLS; e++)
        values[e] = ch_random_uniform(&random) < 0.1 ? 0.5 + ch_random_uniform(&random) : 0;
    for (int64_t j = 0; j < COLS; j++) values[j % ROWS + j * ROWS] = 1;
}

static double kl(double x, double y) {
    return (x > 0 ? x * log(x / y) : 0) - x + y;
}

static double is(double x, double y) {
    return x / y - log(x / y) - 1;
}

/* The loss without anchors of the entries that are known, by its definition. */
static double without_anchors(const double *values, const char *loss,
                              const ch_anchors_settings *set, double floor) {
    double sum = 0, size = 0;
    for (int64_t j = 0; j < COLS; j++) {
        double total = 0, known = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            double w = set->row_weights ? set->row_weights[i] : 1, x = values[i + j * ROWS];
            if (isnan(x)) continue;
            total += w * x;
            known += w;
        }
        for (int64_t i = 0; i < ROWS; i++) {
            double w = set->row_weights ? set->row_weights[i] : 1, x = values[i + j * ROWS];
            if (isnan(x)) continue;
            int lifted = strcmp(loss, "is") == 0; /* the floor is added to x too */
            double y = total / known + (lifted ? floor : floor / w); /* else it has no weight */
            if (set->column_weights) w *= set->column_weights[j];
            if (set->weights) w *= ((const double *)set->weights->values)[i + j * ROWS];
            if (strcmp(loss, "kl") == 0) sum += w * kl(x, y);
            if (strcmp(loss, "l2") == 0) sum += w * x * x;
            if (strcmp(loss, "l1") == 0) sum += w * x;
            if (strcmp(loss, "quantile") == 0) sum += 2 * 0.3 * w * x;
            if (lifted) sum += w * is(x + floor, y);
            size += strcmp(loss, "kl") == 0 ? w * x : lifted ? w : 0;
        }
    }
    return fmax(sum, size);
}

/* The share is that of the definition for each loss, with and without missing entries and weights,
 * and ch_verify() computes the same. */
static void the_share_is_that_of_every_loss(void **state) {
    static const char *const losses[] = {"l1", "l2", "quantile", "kl", "is"};
    static double values[ROWS * COLS], rows[ROWS], columns[COLS], weights[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    char words[100];
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) rows[i] = 0.5 + (double)(i % 3);
    for (int64_t j = 0; j < COLS; j++) columns[j] = 1 + (double)(j % 2);
    for (int64_t e = 0; e < ROWS * COLS; e++) weights[e] = 0.25 * (double)(1 + e % 5);
    ch_matrix by_entry = support_dense(context, weights, ROWS, COLS);
    for (int k = 0; k < 5 * 7; k++) {
        const char *loss = losses[k % 5];
        int way = k / 5, missing = way == 1 || way > 3, by_row = way == 2 || way > 3;
        int by_column = way == 3 || way == 5, is = k % 5 == 4;
        if ((is && by_column) || (k % 5 > 2 && way == 6)) continue; /* refused */
        fill_scattered(values, loss);
        for (int64_t e = 5; missing && e < ROWS * COLS; e += 7) values[e] = NAN;
        for (int64_t i = 0; missing && i < ROWS; i++) values[i + (COLS - 1) * ROWS] = NAN;
        ch_matrix X = support_dense(context, values, ROWS, COLS);
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        snprintf(words, sizeof words, "rank=3 quantile=0.3 loss=%s missing=%s", loss,
                 missing ? "nan" : "none");
        assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words), CH_OK);
        set.keep_duals = 1;
        if (by_row) set.row_weights = rows, set.row_weight_count = ROWS;
        if (by_column) set.column_weights = columns, set.column_weight_count = COLS;
        if (way == 6) set.weights = &by_entry;
        ch_anchors_result r = support_find(context, &X, &set, words);
        double share = r.objective / without_anchors(values, loss, &set, r.floor);
        support_check(fabs(r.unexplained - share) <= 1e-9 * share, "%s: %.12g, not %.12g", words,
                      r.unexplained, share);
        support_check(is || r.unexplained > 0.5, "%s: %g", words, r.unexplained);
        expect(context, &X, &set, &r, r.warnings, is ? "" : "unexplained");
    }
    ch_matrix_free(context, &by_entry);
    support_finish(context, &memory);
}

/* Columns that are almost constant have almost no loss under their means, and yet are explained. */
static void constant_columns_are_explained(void **state) {
    static double values[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_anchors_settings set;
    ch_random random;
    (void)state;
    support_seed(&random, "constant", 1);
    for (int64_t e = 0; e < ROWS * COLS; e++) values[e] = 1 + 0.05 * ch_random_uniform(&random);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_anchors_result r = find(context, &X, &set, "rank=3 loss=kl");
    assert_true(r.unexplained > 0 && r.unexplained < 0.01);
    expect(context, &X, &set, &r, 0, "constant");
    support_finish(context, &memory);
}

/* Columns of weight 0 are projected as the others are, so they count neither as empty nor as
 * without weights. */
static void columns_of_weight_zero(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, 5, 0.1, 3);
    double weights[COLS];
    (void)state;
    for (int64_t j = 0; j < COLS; j++) weights[j] = j % 2;
    ch_anchors_settings set = support_settings(context, 5, "loss=l1");
    set.column_weights = weights;
    set.column_weight_count = COLS;
    ch_anchors_result r = support_find(context, &X, &set, "columns of weight 0");
    assert_int_equal(r.zero_weights, 0);
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &X);
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
        assert_true(r.unexplained >= 0 && r.unexplained < 0.5);
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
        cmocka_unit_test(anchors_that_no_column_shares),
        cmocka_unit_test(the_share_is_that_of_every_loss),
        cmocka_unit_test(constant_columns_are_explained),
        cmocka_unit_test(columns_of_weight_zero),
        cmocka_unit_test(nothing_to_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
