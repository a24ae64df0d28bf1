/* Sparse columns that no anchor helps (l1): the shortcut of idle_columns.c, which sparse views take
 * and dense ones do not, changes nothing. Columns scaled to sum 1 tie, which is its worst and usual
 * case. */
#include "support.h"
#include <conehull/conehull.h>
#include <conehull/exemplars.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 80, COLS = 70, RANK = 25 };

/* Documents of a few words, common ones more often, some of them parts of others. */
static ch_matrix documents(ch_context *context, ch_random *random, int scale) {
    static double values[ROWS * COLS];
    ch_matrix dense, counts, X;
    ch_weighting weighting = {CH_VALUE_RAW, scale ? CH_COLUMN_L1 : CH_COLUMN_AS_IS};
    memset(values, 0, sizeof values);
    for (int64_t j = 0; j < COLS; j++) {
        int64_t words = 1 + ch_random_below(random, 12);
        for (int64_t w = 0; w < words; w++) {
            double u = ch_random_uniform(random);
            values[(int64_t)(u * u * ROWS) + j * ROWS] += 1;
        }
    }
    ch_matrix_borrow(context, &dense, &(ch_matrix){.rows = ROWS, .cols = COLS, .values = values});
    counts = support_reshape(context, &dense, CH_CSC, CH_F64);
    assert_int_equal(ch_weighting_apply(context, &X, &counts, NULL, &weighting), CH_OK);
    ch_matrix_free(context, &counts);
    return X;
}

static ch_anchors_result find(ch_context *context, const ch_matrix *X, int first, int exterior,
                              int eager) {
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.first = first;
    set.exterior = exterior;
    set.eager = eager;
    ch_status status = ch_anchors(context, &result, X, &set);
    support_check(status >= 0, "%s", ch_context_message(context));
    return result;
}

static void compare(ch_context *context, const ch_anchors_result *a, const ch_matrix *X, int first,
                    int exterior, int eager, const char *what) {
    ch_anchors_result b = find(context, X, first, exterior, eager);
    support_check(a->rank == b.rank, "%s: %d and %d anchors", what, (int)a->rank, (int)b.rank);
    for (int64_t k = 0; k < a->rank; k++) {
        support_check(a->anchors[k] == b.anchors[k], "%s: anchor %d is %d and %d", what, (int)k,
                      (int)a->anchors[k], (int)b.anchors[k]);
        support_close(a->max_residual[k], b.max_residual[k], 1e-12 * (1 + a->max_residual[k]));
    }
    support_close(a->objective, b.objective, 1e-9 * a->objective);
    ch_anchors_result_free(context, &b);
}

/* The same numbers with some zeros stored among them. */
static ch_matrix with_stored_zeros(ch_context *context, const ch_matrix *X, ch_random *random) {
    static double values[ROWS * COLS];
    static int32_t row[ROWS * COLS];
    static int64_t start[COLS + 1];
    ch_matrix view;
    int64_t end = 0;
    for (int64_t j = 0; j < COLS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            double value = ch_matrix_at(X, i, j);
            if (value == 0 && ch_random_uniform(random) > 0.1) continue;
            values[end] = value;
            row[end++] = (int32_t)i;
        }
        start[j + 1] = end;
    }
    assert_int_equal(ch_matrix_borrow(context, &view,
                                      &(ch_matrix){.rows = ROWS,
                                                   .cols = COLS,
                                                   .layout = CH_CSC,
                                                   .values = values,
                                                   .column_start = start,
                                                   .row_index = row}),
                     CH_OK);
    return view;
}

static void stored_zeros_change_nothing(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    for (int64_t seed = 0; seed < 12; seed++) {
        ch_random random;
        support_seed(&random, "idle", (uint64_t)(200 + seed));
        ch_matrix X = documents(context, &random, seed % 3 != 0);
        ch_matrix padded = with_stored_zeros(context, &X, &random);
        ch_anchors_result a = find(context, &X, 0, 0, 0);
        compare(context, &a, &padded, 0, 0, 0, "stored zeros");
        compare(context, &a, &padded, 0, 0, 1, "stored zeros and eager");
        ch_anchors_result_free(context, &a);
        ch_matrix_free(context, &X);
    }
    support_finish(context, NULL);
}

static void sparse_is_dense_and_lazy_is_eager(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1), *threads = support_context(NULL, 4);
    for (int64_t seed = 0; seed < 12; seed++) {
        ch_random random;
        support_seed(&random, "idle", (uint64_t)(100 + seed));
        ch_matrix X = documents(context, &random, seed % 3 != 0);
        ch_matrix dense = support_reshape(context, &X, CH_COLUMN_MAJOR, CH_F64);
        for (int first = 0; first < 2; first++)
            for (int rule = 0; rule < 4; rule++) {
                static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE,
                                            CH_EXTERIOR_BALANCED};
                int exterior = rules[rule];
                ch_anchors_result a = find(context, &X, first, exterior, 0);
                compare(context, &a, &X, first, exterior, 1, "eager");
                compare(context, &a, &dense, first, exterior, 0, "dense");
                compare(context, &a, &dense, first, exterior, 1, "dense and eager");
                compare(threads, &a, &X, first, exterior, 0, "four threads");
                ch_anchors_result_free(context, &a);
            }
        ch_matrix_free(context, &dense);
        ch_matrix_free(context, &X);
    }
    support_finish(threads, NULL);
    support_finish(context, NULL);
}

/* Groups of words: for each an anchor, given, whose masses on the second half of the words are
 * those on the first in another order. All other documents are of first halves: every anchor has
 * half of its mass on them or none, sums of it up to rounding. */
static void half_is_no_help(void **state) {
    (void)state;
    enum { GROUPS = 20, OTHERS = 120, MORE = 5, HALF = 6, GROUP = 2 * HALF };
    enum { WORDS = GROUPS * GROUP };
    static double values[WORDS * (GROUPS + OTHERS)];
    ch_context *context = support_context(NULL, 1);
    int64_t keep[GROUPS];
    ch_random random;
    ch_matrix dense;
    support_seed(&random, "idle", 300);
    memset(values, 0, sizeof values);
    for (int64_t g = 0; g < GROUPS; g++) {
        double *a = values + g * (GROUP + WORDS);
        keep[g] = g;
        for (int w = 0; w < HALF; w++)
            a[w] = a[HALF + (w + 2) % HALF] = 0.1 + ch_random_uniform(&random);
    }
    for (int64_t j = GROUPS; j < GROUPS + OTHERS; j++)
        for (int n = 0; n < 3; n++)
            for (int w = 0; w < HALF; w++) {
                int64_t group = (j + n * (1 + j / GROUPS)) % GROUPS;
                values[j * WORDS + group * GROUP + w] = 1 + (w + n + j) % 3;
            }
    ch_matrix_borrow(context, &dense,
                     &(ch_matrix){.rows = WORDS, .cols = GROUPS + OTHERS, .values = values});
    ch_matrix X = support_reshape(context, &dense, CH_CSC, CH_F64);
    ch_anchors_settings set;
    ch_anchors_result result = {.size = sizeof result};
    ch_anchors_defaults(&set);
    set.rank = GROUPS + MORE;
    set.keep = keep;
    set.keep_count = GROUPS;
    set.select_only = 1;
    set.first = CH_FIRST_PAPER;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    support_check(result.projections < OTHERS / 2, "%d projections for %d anchors",
                  (int)result.projections, MORE);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense_and_lazy_is_eager),
        cmocka_unit_test(stored_zeros_change_nothing),
        cmocka_unit_test(half_is_no_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
