/* Facility location against the plain greedy rule and all subsets; k-means; what both do with
 * copies and columns of zeros. */
#include "support.h"
#include "text/exemplars/choose_groups.h"
#include "text/exemplars/typical_columns.h"
#include <conehull/exemplars.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 25, MOST = 60 };

static ch_exemplars_settings usual(const char *method, ch_similarity similarity) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find(method);
    set.similarity = similarity;
    set.weight = (ch_weighting){CH_VALUE_RAW, CH_COLUMN_AS_IS};
    return set;
}

/* Sparse, some columns alike, some empty. */
static ch_matrix draw(ch_context *context, ch_random *random, int64_t cols) {
    static double values[ROWS * MOST];
    memset(values, 0, sizeof values);
    for (int64_t j = 0; j < cols; j++) {
        int64_t theme = ch_random_below(random, 4);
        for (int k = 0; k < 6 && j % 17 != 16; k++) {
            int64_t row =
                k < 3 ? theme * 6 + ch_random_below(random, 6) : ch_random_below(random, ROWS);
            values[row + j * ROWS] += 0.1 + ch_random_exponential(random, 1);
        }
    }
    ch_matrix dense = support_dense(context, values, ROWS, cols);
    return support_reshape(context, &dense, CH_CSC, CH_F64);
}

/* By the definitions alone. */
static double similarity(const ch_matrix *X, ch_similarity kind, int64_t i, int64_t j) {
    double a[4] = {0}, b[4] = {0}, sum = 0;
    for (int64_t t = 0; t < ROWS; t++) {
        double x = ch_matrix_at(X, t, i), y = ch_matrix_at(X, t, j);
        a[0] += x * x, b[0] += y * y, a[1] += x, b[1] += y;
    }
    for (int64_t t = 0; t < ROWS; t++) {
        double x = ch_matrix_at(X, t, i), y = ch_matrix_at(X, t, j);
        if (x == 0 || y == 0) continue;
        if (kind == CH_SIMILARITY_HELLINGER)
            sum += sqrt(x / a[1] * (y / b[1]));
        else if (kind == CH_SIMILARITY_L1)
            sum += fmin(x / a[1], y / b[1]);
        else
            sum += x * y / sqrt(a[0] * b[0]);
    }
    return kind == CH_SIMILARITY_ROOT ? sqrt(sum) : sum;
}

static double value_of(double s[MOST][MOST], int64_t cols, const int64_t *set, int64_t count) {
    double value = 0;
    for (int64_t i = 0; i < cols; i++) {
        double most = 0;
        for (int64_t k = 0; k < count; k++) most = fmax(most, s[i][set[k]]);
        value += most;
    }
    return value;
}

static void fill(double s[MOST][MOST], const ch_matrix *X, ch_similarity kind) {
    for (int64_t i = 0; i < X->cols; i++)
        for (int64_t j = 0; j < X->cols; j++) s[i][j] = similarity(X, kind, i, j);
}

/* The plain rule, every gain in every step. Where columns tie, as two that are like each other
 * alone do, it takes the one that `found` has if that is among them. */
static void plain_greedy(int64_t *set, double s[MOST][MOST], int64_t cols, int64_t rank,
                         const int64_t *found) {
    for (int64_t k = 0; k < rank; k++) {
        double most = -1;
        for (int64_t place = -1; place < cols; place++) {
            int64_t with[MOST];
            memcpy(with, set, (size_t)k * sizeof *with);
            with[k] = place < 0 ? found[k] : place;
            double value = value_of(s, cols, with, k + 1);
            if (value > most + 1e-6) {
                most = value;
                set[k] = with[k];
            }
        }
    }
}

static void lazy_is_the_plain_rule(void **state) {
    (void)state;
    static double s[MOST][MOST];
    ch_context *one = support_context(NULL, 1), *three = support_context(NULL, 3);
    ch_random random;
    support_seed(&random, "facility", 29);
    for (int trial = 0; trial < 50; trial++) {
        int64_t cols = 20 + ch_random_below(&random, MOST - 19),
                rank = 1 + ch_random_below(&random, 12);
        ch_matrix X = draw(one, &random, cols);
        for (int kind = 0; kind < 4; kind++) {
            int64_t wanted[MOST];
            ch_exemplars found = {.size = sizeof found}, again = {.size = sizeof again};
            ch_exemplars_settings set = usual("facility", kind);
            fill(s, &X, kind);
            assert_int_equal(ch_exemplars_find(one, &found, &X, rank, &set), CH_OK);
            plain_greedy(wanted, s, cols, rank, found.columns);
            assert_int_equal(ch_exemplars_find(three, &again, &X, rank, &set), CH_OK);
            assert_int_equal(found.rank, rank);
            assert_memory_equal(found.columns, wanted, (size_t)rank * sizeof *wanted);
            assert_memory_equal(found.columns, again.columns, (size_t)rank * sizeof *wanted);
            double value = value_of(s, cols, wanted, rank);
            support_check(fabs(found.value - value) <= 1e-6 * value, "value %.9f, plain rule %.9f",
                          found.value, value);
            assert_true(found.value == again.value && found.optimum == again.optimum &&
                        found.gains == again.gains);
            assert_true(found.optimum >= found.value);
            ch_exemplars_free(one, &found);
            ch_exemplars_free(three, &again);
        }
        ch_matrix_free(one, &X);
    }
    support_finish(three, NULL);
    support_finish(one, NULL);
}

/* The certificate is above the best of all subsets, and the answer is not far below it. */
static void no_subset_beats_the_certificate(void **state) {
    (void)state;
    enum { COLS = 16, RANK = 3 };
    static double s[MOST][MOST];
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    support_seed(&random, "subsets", 31);
    for (int trial = 0; trial < 40; trial++) {
        ch_matrix X = draw(context, &random, COLS);
        ch_exemplars found = {.size = sizeof found};
        ch_exemplars_settings set = usual("facility", trial % 4);
        double best = 0;
        fill(s, &X, trial % 4);
        for (int64_t a = 0; a < COLS; a++)
            for (int64_t b = 0; b < a; b++)
                for (int64_t c = 0; c < b; c++)
                    best = fmax(best, value_of(s, COLS, (int64_t[]){a, b, c}, RANK));
        assert_int_equal(ch_exemplars_find(context, &found, &X, RANK, &set), CH_OK);
        support_check(found.optimum >= best * (1 - 1e-6), "certificate %.9f, best %.9f",
                      found.optimum, best);
        assert_true(found.value >= (1 - exp(-1)) * best);
        ch_exemplars_free(context, &found);
        ch_matrix_free(context, &X);
    }
    support_finish(context, NULL);
}

/* Of a sample: as many columns, the same for any number of threads, with the value that they have
 * for all columns, and below a bound that holds for all subsets of all columns. */
static void a_sample_is_rated_on_all_columns(void **state) {
    (void)state;
    enum { COLS = 40, RANK = 2 };
    static const char *const methods[] = {"facility", "central"};
    static double s[MOST][MOST];
    ch_context *one = support_context(NULL, 1), *three = support_context(NULL, 3);
    ch_random random;
    support_seed(&random, "sample", 47);
    for (int trial = 0; trial < 48; trial++) {
        ch_matrix X = draw(one, &random, COLS);
        ch_exemplars found = {.size = sizeof found}, again = {.size = sizeof again};
        ch_exemplars_settings set = usual(methods[trial % 2], trial / 2 % 4);
        double best = 0;
        set.sample = trial % 3 == 0 ? 1 : 12; /* at least the rank, or the groups, are examined */
        fill(s, &X, set.similarity);
        for (int64_t a = 0; a < COLS; a++)
            for (int64_t b = 0; b < a; b++)
                best = fmax(best, value_of(s, COLS, (int64_t[]){a, b}, RANK));
        assert_true(ch_exemplars_find(one, &found, &X, RANK, &set) >= 0);
        assert_true(ch_exemplars_find(three, &again, &X, RANK, &set) >= 0);
        assert_int_equal(found.rank, again.rank);
        assert_memory_equal(found.columns, again.columns,
                            (size_t)found.rank * sizeof *found.columns);
        double value = value_of(s, COLS, found.columns, found.rank);
        support_check(fabs(found.value - value) <= 1e-6 * value, "value %.9f, by hand %.9f",
                      found.value, value);
        support_check(found.optimum >= best * (1 - 1e-6), "certificate %.9f, best %.9f",
                      found.optimum, best);
        assert_true(found.optimum <= COLS && found.optimum == again.optimum);
        int64_t least = trial % 2 ? chi_groups_to_form(RANK, COLS) : RANK;
        assert_int_equal(found.sample, set.sample < least ? least : set.sample);
        ch_exemplars_free(one, &found);
        ch_exemplars_free(three, &again);
        ch_matrix_free(one, &X);
    }
    support_finish(three, NULL);
    support_finish(one, NULL);
}

/* A sample of all columns is no sample. */
static void a_large_sample_changes_nothing(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    support_seed(&random, "large sample", 53);
    ch_matrix X = draw(context, &random, MOST);
    for (int m = 0; m < 2; m++) {
        ch_exemplars found = {.size = sizeof found}, again = {.size = sizeof again};
        ch_exemplars_settings set = usual(m ? "central" : "facility", CH_SIMILARITY_ROOT);
        assert_int_equal(ch_exemplars_find(context, &found, &X, 7, &set), CH_OK);
        set.sample = MOST;
        assert_int_equal(ch_exemplars_find(context, &again, &X, 7, &set), CH_OK);
        assert_int_equal(again.sample, MOST);
        assert_memory_equal(found.columns, again.columns, 7 * sizeof *found.columns);
        assert_true(found.value == again.value && found.optimum == again.optimum);
        ch_exemplars_free(context, &found);
        ch_exemplars_free(context, &again);
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* Three columns, each several times: the copies add nothing. */
static void copies_and_zeros_are_left_out(void **state) {
    (void)state;
    enum { COLS = 20 };
    ch_context *context = support_context(NULL, 1);
    double values[4 * COLS] = {0};
    static const char *const methods[] = {"facility", "kmeans", "central"};
    for (int j = 0; j < COLS; j++)
        if (j % 4 < 3) values[4 * j + j % 4] = 1 + j;
    ch_matrix X = support_dense(context, values, 4, COLS);
    for (int m = 0; m < 3; m++) {
        ch_exemplars found = {.size = sizeof found};
        ch_exemplars_settings set = usual(methods[m], CH_SIMILARITY_COSINE);
        int seen[4] = {0};
        assert_int_equal(ch_exemplars_find(context, &found, &X, 7, &set), CH_STOP_COMPLETE);
        assert_int_equal(found.rank, 3);
        for (int k = 0; k < 3; k++) {
            seen[found.columns[k] % 4]++;
            assert_int_equal(found.stands_for[k], 5);
        }
        assert_true(seen[0] == 1 && seen[1] == 1 && seen[2] == 1);
        for (int j = 3; j < COLS; j += 4) assert_int_equal(found.stand_in[j], -1);
        support_close(found.explained, 1, 1e-12);
        if (m != 1) support_close(found.value, 15, 1e-6);
        assert_true(m != 1 || isnan(found.value));
        ch_exemplars_free(context, &found);
    }
    support_finish(context, NULL);
}

static int stop_at_once(const ch_progress_event *event, void *user) {
    (void)event, (void)user;
    return 1;
}

static void all_can_be_stopped(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    support_seed(&random, "stop", 37);
    ch_matrix X = draw(context, &random, MOST);
    ch_context_set_progress(context, stop_at_once, NULL);
    static const char *const methods[] = {"facility", "kmeans", "central"};
    for (int m = 0; m < 3; m++) {
        ch_exemplars found = {.size = sizeof found};
        ch_exemplars_settings set = usual(methods[m], CH_SIMILARITY_COSINE);
        assert_int_equal(ch_exemplars_find(context, &found, &X, 5, &set), CH_STOP_CANCELLED);
        assert_true(found.rank == 0 && !found.columns);
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* The columns of X in another order, by `places`. */
static ch_matrix reorder(ch_context *context, int64_t *places, const ch_matrix *X,
                         ch_random *random) {
    ch_matrix other;
    ch_random_shuffle(random, places, X->cols);
    assert_int_equal(ch_matrix_copy(context, &other, X, places, X->cols), CH_OK);
    return other;
}

/* Any order of the columns and any number of threads: the same exemplars, which stand for the same
 * columns. */
static void order_and_threads_make_no_difference(void **state) {
    (void)state;
    static const char *const methods[] = {"central", "facility", "kmeans", "random", "robust-xray"};
    ch_context *one = support_context(NULL, 1), *three = support_context(NULL, 3);
    ch_random random;
    support_seed(&random, "any order", 41);
    for (int trial = 0; trial < 20; trial++) {
        int64_t places[MOST], cols = 20 + ch_random_below(&random, MOST - 19), rank = 6;
        ch_matrix X = draw(one, &random, cols), other = reorder(one, places, &X, &random);
        for (int m = 0; m < 5; m++) {
            ch_exemplars found = {.size = sizeof found}, again = {.size = sizeof again};
            ch_exemplars_settings set = usual(methods[m], CH_SIMILARITY_ROOT);
            assert_int_equal(ch_exemplars_find(one, &found, &X, rank, &set), CH_OK);
            assert_int_equal(ch_exemplars_find(three, &again, &other, rank, &set), CH_OK);
            assert_int_equal(found.rank, again.rank);
            for (int64_t k = 0; k < rank; k++)
                assert_int_equal(found.columns[k], places[again.columns[k]]);
            for (int64_t j = 0; j < cols; j++)
                assert_int_equal(found.stand_in[places[j]], again.stand_in[j]);
            ch_exemplars_free(one, &found);
            ch_exemplars_free(three, &again);
        }
        ch_matrix_free(one, &X);
        ch_matrix_free(one, &other);
    }
    support_finish(three, NULL);
    support_finish(one, NULL);
}

/* Columns that differ, with a value that the bound of facility location holds for. */
static void central_columns_are_distinct_and_bounded(void **state) {
    (void)state;
    static double s[MOST][MOST];
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    support_seed(&random, "central", 43);
    for (int trial = 0; trial < 50; trial++) {
        int64_t cols = 20 + ch_random_below(&random, MOST - 19);
        int64_t rank = 1 + ch_random_below(&random, 12);
        ch_matrix X = draw(context, &random, cols);
        ch_exemplars found = {.size = sizeof found};
        ch_exemplars_settings set = usual("central", trial % 4);
        fill(s, &X, trial % 4);
        assert_int_equal(ch_exemplars_find(context, &found, &X, rank, &set), CH_OK);
        assert_int_equal(found.rank, rank);
        for (int64_t k = 0; k < rank; k++)
            for (int64_t l = 0; l < k; l++)
                assert_int_not_equal(found.columns[k], found.columns[l]);
        double value = value_of(s, cols, found.columns, rank);
        support_check(fabs(found.value - value) <= 1e-6 * value, "value %.9f, by hand %.9f",
                      found.value, value);
        assert_true(found.optimum >= found.value * (1 - 1e-9));
        ch_exemplars_free(context, &found);
        ch_matrix_free(context, &X);
    }
    support_finish(context, NULL);
}

/* Two plain groups with one typical column each: those two are chosen, whatever starts the groups.
 */
static void typical_columns_are_chosen(void **state) {
    (void)state;
    enum { LINES = 8, COLS = 6 };
    const double values[LINES * COLS] = {3, 3, 3, 3, 0, 0, 0, 0, /* typical of the first three */
                                         3, 3, 0, 1, 0, 0, 0, 0, 1, 0, 3, 3, 0, 0, 0, 0,
                                         0, 0, 0, 0, 2, 2, 2, 2, /* typical of the last three  */
                                         0, 0, 0, 0, 2, 2, 0, 1, 0, 0, 0, 0, 1, 0, 2, 2};
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = support_dense(context, values, LINES, COLS);
    ch_exemplars found = {.size = sizeof found};
    ch_exemplars_settings set = usual("central", CH_SIMILARITY_ROOT);
    assert_int_equal(ch_exemplars_find(context, &found, &X, 2, &set), CH_OK);
    assert_int_equal(found.columns[0] + found.columns[1], 3);
    assert_int_equal(found.columns[0] * found.columns[1], 0);
    assert_true(found.stands_for[0] == 3 && found.stands_for[1] == 3);
    ch_exemplars_free(context, &found);
    support_finish(context, NULL);
}

/* Column 0 is nearest to the mean of its group, but its likes are of the other group; an empty
 * group has no column. */
static void a_column_between_two_groups_is_not_typical(void **state) {
    (void)state;
    enum { LINES = 4, COLS = 8 };
    const double values[LINES * COLS] = {1, 1, 3, 3, 4, 3, 0, 0, 3, 4, 0, 1, 3, 3, 1, 0,
                                         0, 1, 3, 3, 1, 0, 3, 3, 0, 0, 4, 3, 0, 0, 3, 4};
    const int32_t group[COLS] = {0, 0, 0, 0, 1, 1, 1, 1};
    const double near[COLS] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.8, 0.1};
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = support_dense(context, values, LINES, COLS);
    chi_arena arena = {.context = context};
    chi_similarity alike;
    chi_groups groups = {3, group, near, NULL};
    int64_t columns[3];
    assert_int_equal(chi_similarity_create(&arena, &alike, &X, CH_SIMILARITY_COSINE), CH_OK);
    assert_int_equal(chi_typical_columns(context, columns, &groups, &alike), CH_OK);
    assert_int_equal(columns[0], 1);
    assert_int_equal(columns[1], 6); /* as near as 5, which column 0 is like */
    assert_int_equal(columns[2], -1);
    chi_arena_free(&arena);
    support_finish(context, NULL);
}

/* Groups 0 and 1 are large and alike, group 2 is large, group 3 is small and like nothing: of two
 * groups, 3 is not chosen although it is the least similar to 0. An empty group comes last. */
static void large_groups_are_chosen(void **state) {
    (void)state;
    enum { LINES = 3, COUNT = 5 };
    const float mean[LINES * COUNT] = {1, 0.8F, 0, 0, 0, 0, 0.6F, 1, 0, 0, 0, 0, 0, 1, 0};
    const int64_t size[COUNT] = {50, 40, 30, 2, 0};
    ch_context *context = support_context(NULL, 1);
    chi_group_means groups = {mean, size, COUNT, LINES};
    int64_t chosen[COUNT];
    assert_int_equal(chi_choose_groups(context, chosen, COUNT, &groups), CH_OK);
    /* 1 gains 50 sqrt(.8) + 40 + 30 sqrt(.6) = 107.96; then 2 gains 30 (1 - sqrt(.6)) = 6.76 and 0
     * gains 50 (1 - sqrt(.8)) = 5.28, and 3 gains 2. */
    const int64_t greedy[COUNT] = {1, 2, 0, 3, 4};
    assert_memory_equal(chosen, greedy, sizeof greedy);
    assert_int_equal(chi_groups_to_form(10, 1000), 20);
    assert_int_equal(chi_groups_to_form(10, 60), 15);
    assert_int_equal(chi_groups_to_form(10, 20), 10);
    assert_int_equal(chi_groups_to_form(29, 1000), 29);
    assert_int_equal(chi_groups_to_form(150, 1000), 150);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lazy_is_the_plain_rule),
        cmocka_unit_test(no_subset_beats_the_certificate),
        cmocka_unit_test(a_sample_is_rated_on_all_columns),
        cmocka_unit_test(a_large_sample_changes_nothing),
        cmocka_unit_test(copies_and_zeros_are_left_out),
        cmocka_unit_test(all_can_be_stopped),
        cmocka_unit_test(order_and_threads_make_no_difference),
        cmocka_unit_test(central_columns_are_distinct_and_bounded),
        cmocka_unit_test(typical_columns_are_chosen),
        cmocka_unit_test(a_column_between_two_groups_is_not_typical),
        cmocka_unit_test(large_groups_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
