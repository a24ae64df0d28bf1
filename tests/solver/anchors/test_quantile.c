/* The quantile loss in whole runs: 1/2 is l1 to the bit; one answer by every path; what is reported
 * is recomputed from X, W and H; the recheck accepts it and refuses changes; and under noise of one
 * sign it finds anchors that l1 loses. That every column is optimal is shown beside l1, in
 * test_nnlad_exact.c and test_hull_lp.c. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ch_anchors_settings settings_of(ch_context *context, const char *words) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = 7;
    set.keep_duals = 1;
    support_check(ch_settings_set_words(context, ch_anchors_table(), &set, words) == CH_OK, "%s",
                  ch_context_message(context));
    return set;
}

/* Values that every storage type holds exactly; a third of them zero. */
static ch_matrix whole_numbers(ch_context *context, int64_t seed) {
    ch_matrix X = support_planted(context, NULL, 40, 90, 7, 0.5, seed);
    double *values = (double *)(uintptr_t)X.values; /* ours, and not const */
    for (int64_t i = 0; i < X.rows * X.cols; i++)
        values[i] = i % 3 ? fmin(255, floor(60 * values[i])) : 0;
    return X;
}

static const char *const cases[] = {
    "loss=quantile:0.2",
    "loss=quantile:0.1 exterior=share",
    "loss=quantile:0.8 exterior=rand first=paper",
    "loss=quantile:0.3 rank=0",
    "loss=quantile:0.25 hull=convex0 faint=0.2",
    "loss=quantile:0.9 hull=convex exterior=share",
    "loss=quantile:0.4 path=1 refine=3",
    "loss=quantile:0.4 method=spa",
};

static double loss_of(const ch_anchors_result *r, const ch_matrix *X, double q) {
    double sum = 0;
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < X->rows; i++) {
            double rest = ch_matrix_at(X, i, j);
            for (int64_t k = 0; k < r->rank; k++)
                rest -= r->W[i + k * r->rows] * r->H[k + j * r->rank];
            sum += rest > 0 ? 2 * q * rest : (2 * q - 2) * rest;
        }
    return sum;
}

static void check_proof(ch_context *context, const ch_matrix *X, ch_anchors_result *r,
                        const ch_anchors_settings *set, const char *what) {
    ch_verification v = {.size = sizeof v};
    support_check(ch_verify(context, &v, X, r, set) == CH_OK && v.ok, "%s: %s", what, v.why);
    assert_true(v.gap <= set->tol + 1e-12 && r->certificate.gap <= set->tol);
    double *h = r->H + 5 * r->rank;
    for (int64_t k = 0; k < r->rank; k++) h[k] *= 0.99;
    support_check(ch_verify(context, &v, X, r, set) == CH_OK && !v.ok, "%s: changed weights", what);
    for (int64_t k = 0; k < r->rank; k++) h[k] /= 0.99;
    if (r->steps > 2) {
        r->step_dual[2 * r->dual_rows] += 0.5;
        support_check(ch_verify(context, &v, X, r, set) == CH_OK && !v.ok, "%s: a dual", what);
        r->step_dual[2 * r->dual_rows] -= 0.5;
    }
    ch_anchors_settings other = *set;
    other.quantile = set->quantile < 0.5 ? set->quantile + 0.05 : set->quantile - 0.05;
    support_check(ch_verify(context, &v, X, r, &other) == CH_OK && !v.ok, "%s: another quantile",
                  what);
}

static void one_answer_and_its_proof(void **state) {
    static const struct {
        ch_matrix_layout layout;
        ch_value_type type;
    } shapes[] = {{CH_ROW_MAJOR, CH_F64}, {CH_CSC, CH_F64},         {CH_COLUMN_MAJOR, CH_F32},
                  {CH_CSC, CH_U8},        {CH_COLUMN_MAJOR, CH_U8}, {CH_CSC, CH_U16}};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_matrix X = whole_numbers(context, 3 + (int64_t)c);
        ch_anchors_settings set = settings_of(context, cases[c]);
        ch_anchors_result first = support_find(context, &X, &set, cases[c]);
        support_close(loss_of(&first, &X, set.quantile) / first.objective, 1, 1e-12);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            ch_matrix Y = support_reshape(context, &X, shapes[s].layout, shapes[s].type);
            ch_context_set_threads(context, 1 + (int)s % 3);
            set.eager = s % 2;
            ch_anchors_result other = support_find(context, &Y, &set, cases[c]);
            support_same_answer(&first, &other, cases[c]);
            ch_anchors_result_free(context, &other);
            ch_matrix_free(context, &Y);
        }
        set.eager = 0;
        double *H = malloc((size_t)(first.rank * X.cols) * sizeof *H);
        assert_int_equal(ch_project(context, H, NULL, &X, first.W, first.rank, &set), CH_OK);
        assert_memory_equal(H, first.H, (size_t)(first.rank * X.cols) * sizeof *H);
        free(H);
        check_proof(context, &X, &first, &set, cases[c]);
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* Rows that count more, and entries that are not known: the loss is that of the known ones, and the
 * recheck agrees. */
static void weights_and_missing_entries(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = whole_numbers(context, 5);
    double weights[40], known[40 * 90], sum = 0;
    (void)state;
    for (int64_t i = 0; i < 40; i++) weights[i] = 1 + (double)(i % 4);
    for (int64_t i = 0; i < 40 * 90; i++) known[i] = i % 11 != 0;
    ch_matrix mask = support_dense(context, known, 40, 90);
    ch_anchors_settings set = settings_of(context, "loss=quantile:0.25");
    set.row_weights = weights;
    set.row_weight_count = 40;
    set.observed = &mask;
    ch_anchors_result r = support_find(context, &X, &set, "weights");
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++) {
            double rest = ch_matrix_at(&X, i, j);
            for (int64_t k = 0; k < r.rank; k++) rest -= r.W[i + k * r.rows] * r.H[k + j * r.rank];
            sum += known[i + j * 40] * weights[i] * (rest > 0 ? 0.5 * rest : -1.5 * rest);
        }
    support_close(sum / r.objective, 1, 1e-9);
    ch_verification v = {.size = sizeof v};
    support_check(ch_verify(context, &v, &X, &r, &set) == CH_OK && v.ok, "%s", v.why);
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &mask);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void half_is_l1(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = whole_numbers(context, 2);
    (void)state;
    ch_anchors_settings half = settings_of(context, "loss=quantile:0.5"),
                        l1 = settings_of(context, "loss=l1");
    ch_anchors_result a = support_find(context, &X, &half, "half"),
                      b = support_find(context, &X, &l1, "l1");
    support_same_result(&a, &b, "quantile 1/2 and l1");
    ch_anchors_result_free(context, &a);
    ch_anchors_result_free(context, &b);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Columns that the anchors explain exactly: the loss |r|_1 - skew 1'r is then a difference of
 * rounding errors. It is never below 0, and the recheck accepts it. */
static void nothing_unexplained(void **state) {
    enum { ROWS = 24, COLS = 60, RANK = 3 };
    static double W[ROWS * RANK], X[ROWS * COLS];
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++)
        for (int hull = CH_HULL_CONE; hull <= CH_HULL_CONVEX0; hull++) {
            ch_random random;
            ch_verification v = {.size = sizeof v};
            support_seed(&random, "exact", seed);
            for (int e = 0; e < ROWS * RANK; e++) W[e] = ch_random_gamma(&random, 1);
            for (int64_t j = 0; j < COLS; j++) {
                double h[RANK];
                support_shares(&random, h, RANK, j);
                for (int e = 0; e < ROWS; e++) X[e + j * ROWS] = 0;
                for (int e = 0; e < ROWS * RANK; e++) X[e % ROWS + j * ROWS] += W[e] * h[e / ROWS];
            }
            ch_matrix view = support_dense(context, X, ROWS, COLS);
            ch_anchors_settings set = settings_of(context, "loss=quantile:0.3");
            set.rank = RANK + 1;
            set.hull = (ch_hull)hull;
            ch_anchors_result r = support_find(context, &view, &set, "exact");
            support_check(r.objective >= 0, "seed %d, hull %d: loss %g", (int)seed, hull,
                          r.objective);
            support_check(ch_verify(context, &v, &view, &r, &set) == CH_OK && v.ok,
                          "seed %d, hull %d: %s", (int)seed, hull, v.why);
            ch_anchors_result_free(context, &r);
            ch_matrix_free(context, &view);
        }
    support_finish(context, &memory);
}

static int64_t found_of(ch_context *context, const ch_matrix *X, const int64_t *planted,
                        const char *words) {
    ch_anchors_settings set = settings_of(context, words);
    set.rank = 20;
    set.select_only = 1;
    set.keep_duals = 0;
    ch_anchors_result r = support_find(context, X, &set, words);
    int64_t found = 0;
    for (int64_t k = 0; k < r.rank; k++)
        for (int64_t l = 0; l < 20; l++) found += r.anchors[k] == planted[l];
    ch_anchors_result_free(context, &r);
    return found;
}

/* The paper's sparse noise at delta 1, which only adds: 5 draws of 20 anchors. */
static void noise_of_one_sign(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int64_t planted[20], by_l1 = 0, by_quantile = 0, by_both = 0;
    (void)state;
    for (int64_t seed = 1; seed <= 5; seed++) {
        ch_matrix X = support_planted(context, planted, 200, 210, 20, 1, seed);
        by_l1 += found_of(context, &X, planted, "loss=l1");
        by_quantile += found_of(context, &X, planted, "loss=quantile:0.2");
        by_both += found_of(context, &X, planted, "loss=quantile:0.2 exterior=share");
        ch_matrix_free(context, &X);
    }
    print_message("of 100 anchors: l1 %d, quantile %d, quantile and share %d\n", (int)by_l1,
                  (int)by_quantile, (int)by_both);
    assert_true(by_l1 <= 75);
    assert_true(by_quantile >= 95);
    assert_true(by_both >= 99);
    support_finish(context, &memory);
}

static void refusals(void **state) {
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = whole_numbers(context, 1);
    ch_anchors_settings set;
    (void)state;
    ch_anchors_defaults(&set);
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, "loss=quantile:1"),
                     CH_ERR_SETTING);
    static const char *const refused[] = {
        "loss=quantile:0.2 projection=admm", "loss=quantile:0.2 projection=cd",
        "loss=quantile:0.2 dual=paper", "loss=quantile:0.2 exterior=dist"};
    for (size_t c = 0; c < sizeof refused / sizeof *refused; c++) {
        ch_anchors_result result = {.size = sizeof result};
        set = settings_of(context, refused[c]);
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_SETTING);
    }
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_answer_and_its_proof),
                                       cmocka_unit_test(weights_and_missing_entries),
                                       cmocka_unit_test(half_is_l1),
                                       cmocka_unit_test(nothing_unexplained),
                                       cmocka_unit_test(noise_of_one_sign),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
