/* Exemplars: weighting against plain loops, splits, planted classes, ties, stand-ins, errors. */
#include "support.h"
#include <conehull/exemplars.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 30, COLS = 60, CLASSES = 3 };

/* Sparse counts: column j is of class j % CLASSES and lives on its ROWS / CLASSES rows. */
static ch_matrix planted(ch_context *context, ch_random *random, int32_t *labels) {
    static double values[ROWS * COLS];
    ch_matrix dense, X;
    memset(values, 0, sizeof values);
    for (int64_t j = 0; j < COLS; j++) {
        labels[j] = (int32_t)(j % CLASSES);
        for (int k = 0; k < 6; k++) {
            int64_t row = labels[j] * (ROWS / CLASSES) + ch_random_below(random, ROWS / CLASSES);
            values[row + j * ROWS] += 1 + (double)ch_random_below(random, 4);
        }
    }
    dense = support_dense(context, values, ROWS, COLS);
    X = support_reshape(context, &dense, CH_CSC, CH_U8);
    return X;
}

/* The weighted value (i, j), by the definition alone. */
static double naive(const ch_matrix *X, const ch_matrix *seen, ch_weighting w, int64_t i,
                    int64_t j) {
    double column[ROWS], size = 0;
    for (int64_t k = 0; k < ROWS; k++) {
        double x = ch_matrix_at(X, k, j), holds = 0;
        for (int64_t c = 0; c < seen->cols; c++) holds += ch_matrix_at(seen, k, c) != 0;
        double idf = log((1.0 + (double)seen->cols) / (1 + holds)) + 1;
        if (w.values == CH_VALUE_LOG || w.values >= CH_VALUE_LOGTFIDF) x = log(1 + x);
        if (w.values == CH_VALUE_TFIDF || w.values == CH_VALUE_LOGTFIDF) x *= idf;
        if (w.values == CH_VALUE_LOGROOTIDF) x *= sqrt(idf);
        column[k] = x;
        size += w.columns == CH_COLUMN_L2 ? x * x : x;
    }
    if (w.columns == CH_COLUMN_AS_IS || size == 0) return column[i];
    return column[i] / (w.columns == CH_COLUMN_L2 ? sqrt(size) : size);
}

static void weights_are_those_of_plain_loops(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    int32_t labels[COLS];
    int64_t part[] = {3, 5, 9, 11, 20};
    support_seed(&random, "weights", 41);
    ch_matrix X = planted(context, &random, labels), seen, made;
    assert_int_equal(ch_matrix_copy(context, &seen, &X, part, 5), CH_OK);
    ch_matrix rows = support_reshape(context, &X, CH_ROW_MAJOR, CH_F32);
    for (int values = 0; values <= CH_VALUE_LOGROOTIDF; values++)
        for (int columns = 0; columns < 3; columns++) {
            ch_weighting w = {values, columns};
            const ch_matrix *from[] = {&X, &rows};
            ch_matrix first = {0};
            for (int k = 0; k < 2; k++) {
                assert_int_equal(ch_weighting_apply(context, &made, from[k], &seen, &w), CH_OK);
                for (int64_t j = 0; j < COLS; j++)
                    for (int64_t i = 0; i < ROWS; i++) {
                        support_close(ch_matrix_at(&made, i, j), naive(&X, &seen, w, i, j), 1e-13);
                        if (k) /* dense and sparse agree to the bit */
                            assert_true(ch_matrix_at(&made, i, j) == ch_matrix_at(&first, i, j));
                    }
                if (k == 0) first = made;
            }
            ch_matrix_free(context, &first);
            ch_matrix_free(context, &made);
        }
    ch_matrix_free(context, &rows);
    ch_matrix_free(context, &seen);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

static void weightings_have_names(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_matrix sparse = {.layout = CH_CSC}, dense = {.layout = CH_ROW_MAJOR};
    static const char *const good[] = {"raw",    "log",      "tfidf",       "l1",           "l2",
                                       "log+l1", "tfidf+l2", "logtfidf+l2", "logrootidf+l2"};
    static const char *const bad[] = {"", "tf", "l1+l2", "raw+", "as-is", "log+tfidf", "auto+l1"};
    ch_weighting w;
    char text[16];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(ch_weighting_parse(context, &w, good[i]), CH_OK);
        assert_string_equal(ch_weighting_name(text, &w, &sparse), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        support_check(ch_weighting_parse(context, &w, bad[i]) == CH_ERR_SETTING, "'%s'", bad[i]);
    assert_int_equal(ch_weighting_parse(context, &w, "auto"), CH_OK);
    assert_string_equal(ch_weighting_name(text, &w, &sparse), "l1");
    assert_string_equal(ch_weighting_name(text, &w, &dense), "raw");
    assert_int_equal(ch_weighting_parse(context, &w, "l2+log"), CH_OK);
    assert_string_equal(ch_weighting_name(text, &w, &sparse), "log+l2");
    support_finish(context, NULL);
}

static void top_rows_fall_and_ties_go_to_the_lower(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    const double values[] = {1, 5, 0, 5, 2, /* */ 0, 0, 3, 0, 0, /* */ 0, 0, 0, 0, 0};
    int64_t rows[9];
    const int64_t wanted[] = {1, 3, 4, 2, -1, -1, -1, -1, -1};
    ch_matrix X = support_dense(context, values, 5, 3);
    assert_int_equal(ch_matrix_top_rows(context, rows, 3, &X), CH_OK);
    assert_memory_equal(rows, wanted, sizeof wanted);
    support_finish(context, NULL);
}

static void splits_are_permutations_of_their_number(void **state) {
    (void)state;
    enum { N = 1001 };
    static int64_t a[N], b[N];
    static int seen[N];
    for (int64_t split = 0; split < 3; split++) {
        memset(seen, 0, sizeof seen);
        ch_exemplars_draw_split(a, N, 7, split);
        ch_exemplars_draw_split(b, N, 7, split);
        assert_memory_equal(a, b, sizeof a);
        for (int k = 0; k < N; k++) seen[a[k]]++;
        for (int k = 0; k < N; k++) assert_int_equal(seen[k], 1);
        ch_exemplars_draw_split(b, N, 7, split + 1);
        assert_memory_not_equal(a, b, sizeof a);
        ch_exemplars_draw_split(b, N, 8, split);
        assert_memory_not_equal(a, b, sizeof a);
        double mean = 0; /* of the training half: near the middle, sd about 9 */
        for (int k = 0; k < N / 2; k++) mean += (double)a[k] / (N / 2);
        support_check(fabs(mean - N / 2) < 60, "split %d: mean column %g", (int)split, mean);
    }
}

static ch_exemplars_settings usual(const char *method) {
    ch_exemplars_settings set;
    ch_exemplars_defaults(&set);
    set.method = ch_exemplars_method_find(method);
    set.splits = 3;
    return set;
}

static void every_method_tells_planted_classes_apart(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    int32_t labels[COLS];
    const int64_t ranks[] = {12, 18};
    support_seed(&random, "classes", 3);
    ch_matrix X = planted(context, &random, labels);
    const ch_exemplars_data data = {&X, labels};
    if (!ch_classifier_name()) skip();
    for (int m = 0; ch_exemplars_method_at(m); m++) {
        ch_exemplars_settings set = usual(ch_exemplars_method_at(m)->name);
        ch_exemplars_scores accuracy = {.size = sizeof accuracy};
        ch_status status = ch_exemplars_accuracy(context, &accuracy, &data, ranks, 2, &set);
        support_check(status == CH_OK, "%s: %s", ch_exemplars_method_at(m)->name,
                      ch_context_message(context));
        for (int k = 0; k < 2; k++)
            support_check(accuracy.mean[k] == 1 && accuracy.sd[k] == 0, "%s, rank %d: %g +- %g",
                          ch_exemplars_method_at(m)->name, (int)ranks[k], accuracy.mean[k],
                          accuracy.sd[k]);
        ch_exemplars_scores_free(context, &accuracy);
    }
    for (int svm = 0; svm < 3; svm++) {
        ch_exemplars_settings set = usual("spa");
        ch_exemplars_scores full = {.size = sizeof full};
        set.svm = svm;
        assert_int_equal(ch_exemplars_accuracy(context, &full, &data, NULL, 0, &set), CH_OK);
        assert_true(full.count == 1 && full.mean[0] == 1);
        ch_exemplars_scores_free(context, &full);
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* One class of labels at random: nothing to learn, so about half is right. */
static void random_labels_cannot_be_learned(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    int32_t labels[COLS];
    const int64_t ranks[] = {10};
    support_seed(&random, "random labels", 5);
    ch_matrix X = planted(context, &random, labels);
    const ch_exemplars_data data = {&X, labels};
    ch_exemplars_settings set = usual("random");
    ch_exemplars_scores accuracy = {.size = sizeof accuracy};
    if (!ch_classifier_name()) skip();
    set.splits = 40;
    for (int j = 0; j < COLS; j++) labels[j] = (int32_t)ch_random_below(&random, 2);
    assert_int_equal(ch_exemplars_accuracy(context, &accuracy, &data, ranks, 1, &set), CH_OK);
    support_check(fabs(accuracy.mean[0] - 0.5) < 0.12, "mean %g", accuracy.mean[0]);
    assert_true(accuracy.sd[0] > 0);
    ch_exemplars_scores_free(context, &accuracy);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

/* Sums of two columns: when two are found the cone is complete, in every split, and the call says
 * so with its figures. */
static void how_selections_ended_is_told(void **state) {
    (void)state;
    enum { SIDES = 24 };
    static double values[6 * SIDES];
    static int32_t labels[SIDES];
    const int64_t ranks[] = {1, 6};
    int64_t columns[6];
    double each[2];
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    const ch_exemplars_data data = {&X, labels};
    ch_exemplars_scores accuracy = {.size = sizeof accuracy};
    ch_exemplars_trial trial = {.size = sizeof trial, .accuracy = each, .columns = columns};
    if (!ch_classifier_name()) skip();
    for (int j = 0; j < SIDES; j++) {
        labels[j] = j < SIDES / 2;
        for (int i = 0; i < 6; i++)
            values[i + j * 6] = i < 3 ? (j + 1) * (1 + i) : (SIDES - j) * (7 - i);
    }
    ch_matrix_borrow(context, &X, &(ch_matrix){.rows = 6, .cols = SIDES, .values = values});
    ch_exemplars_settings set = usual("robust-xray");
    ch_status status = ch_exemplars_accuracy(context, &accuracy, &data, ranks, 2, &set);
    assert_int_equal(status, CH_STOP_COMPLETE);
    assert_int_equal(accuracy.status, CH_STOP_COMPLETE);
    assert_int_equal(accuracy.found, 2);
    assert_true(accuracy.mean[1] > accuracy.mean[0]);
    assert_int_equal(ch_exemplars_try_split(context, &trial, &data, 0, ranks, 2, &set), CH_OK);
    assert_int_equal(trial.status, CH_STOP_COMPLETE);
    ch_exemplars_scores_free(context, &accuracy);
    support_finish(context, NULL);
}

/* A trial is a split of ch_exemplars_accuracy() with its columns; trained on the same columns the
 * classifier says the same, and on all of the half what the benchmark says. */
static void one_split_is_one_of_all(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    int32_t labels[COLS];
    const int64_t ranks[] = {4, 9};
    int64_t columns[9], order[COLS], other;
    double accuracy[2], again, whole;
    ch_exemplars_scores all = {.size = sizeof all}, full = {.size = sizeof full};
    ch_exemplars_trial trial = {.size = sizeof trial, .accuracy = accuracy, .columns = columns};
    support_seed(&random, "trial", 7);
    ch_matrix X = planted(context, &random, labels);
    const ch_exemplars_data data = {&X, labels};
    for (int j = 0; j < COLS; j += 3)
        labels[j] = (labels[j] + 1) % 3; /* so that not all is right */
    if (!ch_classifier_name()) skip();
    ch_exemplars_settings set = usual("robust-xray");
    assert_int_equal(ch_exemplars_accuracy(context, &all, &data, ranks, 2, &set), CH_OK);
    assert_int_equal(ch_exemplars_accuracy(context, &full, &data, NULL, 0, &set), CH_OK);
    for (int64_t split = 0; split < 3; split++) {
        assert_int_equal(ch_exemplars_try_split(context, &trial, &data, split, ranks, 2, &set),
                         CH_OK);
        assert_int_equal(trial.found, 9);
        assert_true(accuracy[0] == all.each[2 * split] && accuracy[1] == all.each[2 * split + 1]);
        assert_int_equal(ch_exemplars_try_columns(context, &again, &data, split, columns, 9, &set),
                         CH_OK);
        assert_true(again == accuracy[1]);
        assert_int_equal(ch_exemplars_try_columns(context, &whole, &data, split, NULL, 0, &set),
                         CH_OK);
        assert_true(whole == full.each[split]);
        ch_exemplars_draw_split(order, COLS, set.seed, split);
        for (int k = 0; k < 9; k++) {
            int64_t place = 0;
            while (order[place] != columns[k]) place++;
            assert_true(place < COLS / 2);
        }
    }
    other = order[COLS - 1];
    assert_int_equal(ch_exemplars_try_columns(context, &again, &data, 2, &other, 1, &set),
                     CH_ERR_ARGUMENT);
    support_check(strstr(ch_context_message(context), "not in the training half") != NULL, "%s",
                  ch_context_message(context));
    assert_int_equal(ch_exemplars_try_split(context, &trial, &data, 0, ranks, 0, &set),
                     CH_ERR_ARGUMENT);
    ch_exemplars_scores_free(context, &all);
    ch_exemplars_scores_free(context, &full);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

static ch_exemplars find(ch_context *context, const ch_matrix *X, int64_t rank,
                         const ch_exemplars_settings *set) {
    ch_exemplars found = {.size = sizeof found};
    ch_status status = ch_exemplars_find(context, &found, X, rank, set);
    support_check(status >= 0, "%s", ch_context_message(context));
    return found;
}

static void stand_ins_account_for_every_column(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    int32_t labels[COLS];
    support_seed(&random, "stand-ins", 9);
    ch_matrix X = planted(context, &random, labels);
    for (int m = 0; ch_exemplars_method_at(m); m++) {
        ch_exemplars_settings set = usual(ch_exemplars_method_at(m)->name);
        ch_exemplars found = find(context, &X, 15, &set);
        int64_t total = 0, count[COLS] = {0};
        double least = ch_exemplars_stand_alone(m) ? 0.2 : 0.3; /* by one exemplar, or by all */
        assert_true(found.explained > least && found.explained <= 1);
        for (int64_t k = 0; k < found.rank; k++) {
            total += found.stands_for[k];
            assert_int_equal(found.stand_in[found.columns[k]], k); /* itself, before all others */
            for (int64_t l = 0; l < k; l++) assert_true(found.columns[l] != found.columns[k]);
        }
        for (int64_t j = 0; j < COLS; j++) {
            assert_in_range(found.stand_in[j] + 1, 0, found.rank);
            if (found.stand_in[j] < 0) continue;
            count[found.stand_in[j]]++;
            assert_int_equal(labels[found.columns[found.stand_in[j]]], labels[j]);
        }
        for (int64_t k = 0; k < found.rank; k++) assert_int_equal(count[k], found.stands_for[k]);
        assert_in_range(total, found.rank, COLS);
        ch_exemplars_free(context, &found);
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

static void seeds_and_not_threads_decide(void **state) {
    (void)state;
    ch_random random;
    int32_t labels[COLS];
    support_seed(&random, "threads", 13);
    ch_context *one = support_context(NULL, 1), *four = support_context(NULL, 4);
    ch_matrix X = planted(one, &random, labels);
    for (int m = 0; ch_exemplars_method_at(m); m++) {
        ch_exemplars_settings set = usual(ch_exemplars_method_at(m)->name);
        ch_exemplars a = find(one, &X, 10, &set), b = find(four, &X, 10, &set);
        assert_int_equal(a.rank, b.rank);
        assert_memory_equal(a.columns, b.columns, (size_t)a.rank * sizeof(int64_t));
        assert_memory_equal(a.stand_in, b.stand_in, COLS * sizeof(int64_t));
        assert_true(a.explained == b.explained);
        ch_exemplars_free(four, &b);
        set.seed = 1;
        b = find(one, &X, 10, &set);
        if (ch_exemplars_method_at(m)->method ==
            CH_EXEMPLARS_RANDOM) /* drawn: others may well agree */
            assert_memory_not_equal(a.columns, b.columns, 10 * sizeof(int64_t));
        ch_exemplars_free(one, &b);
        ch_exemplars_free(one, &a);
    }
    ch_matrix_free(one, &X);
    support_finish(four, NULL);
    support_finish(one, NULL);
}

/* Documents sorted by class, all equally far from any cone: without a random order of the columns
 * the first class would get all exemplars. */
static void ties_do_not_go_by_the_order_of_the_file(void **state) {
    (void)state;
    enum { N = 200 };
    ch_context *context = support_context(NULL, 1);
    int64_t start[N + 1];
    int32_t index[2 * N];
    uint8_t values[2 * N];
    int classes[2] = {0};
    for (int j = 0; j < N; j++) {
        start[j] = 2 * j;
        index[2 * j] = 2 * j;
        index[2 * j + 1] = 2 * j + 1;
        values[2 * j] = 3;
        values[2 * j + 1] = 1;
    }
    start[N] = 2 * N;
    ch_matrix X;
    assert_int_equal(ch_matrix_borrow(context, &X,
                                      &(ch_matrix){.rows = 2 * N,
                                                   .cols = N,
                                                   .layout = CH_CSC,
                                                   .type = CH_U8,
                                                   .values = values,
                                                   .column_start = start,
                                                   .row_index = index}),
                     CH_OK);
    ch_exemplars_settings set = usual("robust-xray");
    ch_exemplars found = find(context, &X, 40, &set);
    for (int64_t k = 0; k < found.rank; k++) classes[found.columns[k] >= N / 2]++;
    support_check(classes[0] > 8 && classes[1] > 8, "%d and %d exemplars of two equal halves",
                  classes[0], classes[1]);
    ch_exemplars_free(context, &found);
    support_finish(context, NULL);
}

static void empty_columns_are_never_exemplars(void **state) {
    (void)state;
    enum { N = 20 };
    ch_context *context = support_context(NULL, 1);
    double values[3 * N] = {0};
    ch_matrix X;
    for (int j = 0; j < N; j += 2) values[3 * j + j % 3] = 1 + j;
    X = support_dense(context, values, 3, N);
    ch_exemplars_settings set = usual("random");
    ch_exemplars found = find(context, &X, 15, &set);
    assert_int_equal(found.status, CH_STOP_COMPLETE);
    assert_int_equal(found.rank, N / 2);
    for (int64_t k = 0; k < found.rank; k++) assert_int_equal(found.columns[k] % 2, 0);
    for (int j = 1; j < N; j += 2) assert_int_equal(found.stand_in[j], -1);
    ch_exemplars_free(context, &found);
    support_finish(context, NULL);
}

/* A column with all rows is similar to every column by its size alone. */
static void very_long_columns_are_no_exemplars(void **state) {
    (void)state;
    enum { EACH = 30, KINDS = 10, LINES = EACH * KINDS, N = 201, LONG = N / 2, WORDS = 6 };
    ch_context *context = support_context(NULL, 2);
    static double values[LINES * N];
    const char *const methods[] = {"facility", "central"};
    ch_random random;
    support_seed(&random, "long columns", 17);
    memset(values, 0, sizeof values);
    for (int j = 0; j < N; j++)
        for (int k = 0; k < WORDS; k++)
            values[j * LINES + j % KINDS * EACH + ch_random_below(&random, EACH)] = 1;
    for (int i = 0; i < LINES; i++) values[LONG * LINES + i] = 3;
    ch_matrix dense = support_dense(context, values, LINES, N);
    ch_matrix X = support_reshape(context, &dense, CH_CSC, CH_F64);
    for (int m = 0; m < 2; m++) {
        ch_exemplars_settings set = usual(methods[m]);
        int chosen[2] = {0};
        for (int limited = 0; limited < 2; limited++) {
            if (!limited) set.longest = 0;
            ch_exemplars found = find(context, &X, 5, &set);
            for (int64_t k = 0; k < found.rank; k++) chosen[limited] |= found.columns[k] == LONG;
            assert_true(found.stand_in[LONG] >= 0); /* it is represented nevertheless */
            assert_true(found.value <= found.optimum);
            ch_exemplars_free(context, &found);
            set = usual(methods[m]);
        }
        support_check(chosen[0] && !chosen[1], "%s: %d without the limit, %d with it", methods[m],
                      chosen[0], chosen[1]);
        ch_exemplars found = find(context, &X, N, &set); /* too few others */
        assert_int_equal(found.rank, N);
        ch_exemplars_free(context, &found);
    }
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

static void wrong_use_is_explained(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_random random;
    int32_t labels[COLS], same[COLS] = {0};
    const int64_t many[] = {COLS / 2 + 1}, falling[] = {5, 3}, few[] = {2};
    support_seed(&random, "wrong use", 17);
    ch_matrix X = planted(context, &random, labels);
    const ch_exemplars_data data = {&X, labels};
    ch_exemplars_settings set = usual("spa");
    ch_exemplars found = {.size = sizeof found};
    ch_exemplars_scores accuracy = {.size = sizeof accuracy};
    assert_int_equal(ch_exemplars_find(context, &found, &X, 0, &set), CH_ERR_SETTING);
    assert_int_equal(ch_exemplars_find(context, &found, &X, COLS + 1, &set), CH_ERR_SETTING);
    support_message(context, "but the matrix has only 60 columns");
    assert_int_equal(ch_exemplars_accuracy(context, &accuracy, &data, many, 1, &set),
                     CH_ERR_SETTING);
    support_message(context, "but the training half has only 30 columns");
    assert_int_equal(ch_exemplars_accuracy(context, &accuracy, &data, falling, 2, &set),
                     CH_ERR_ARGUMENT);
    support_message(context, "the numbers of exemplars must increase");
    assert_int_equal(
        ch_exemplars_accuracy(context, &accuracy, &(ch_exemplars_data){&X, same}, few, 1, &set),
        CH_ERR_DATA);
    support_message(context, "all 60 labels are the same");
    set.cost = NAN;
    assert_int_equal(ch_exemplars_find(context, &found, &X, 2, &set), CH_ERR_SETTING);
    support_message(context, "cost");
    assert_int_equal(ch_exemplars_method_find("xray"), -1);
    ch_matrix_free(context, &X);
    support_finish(context, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_plain_loops),
        cmocka_unit_test(weightings_have_names),
        cmocka_unit_test(top_rows_fall_and_ties_go_to_the_lower),
        cmocka_unit_test(splits_are_permutations_of_their_number),
        cmocka_unit_test(every_method_tells_planted_classes_apart),
        cmocka_unit_test(random_labels_cannot_be_learned),
        cmocka_unit_test(how_selections_ended_is_told),
        cmocka_unit_test(one_split_is_one_of_all),
        cmocka_unit_test(stand_ins_account_for_every_column),
        cmocka_unit_test(seeds_and_not_threads_decide),
        cmocka_unit_test(ties_do_not_go_by_the_order_of_the_file),
        cmocka_unit_test(empty_columns_are_never_exemplars),
        cmocka_unit_test(very_long_columns_are_no_exemplars),
        cmocka_unit_test(wrong_use_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
