/* Refinement of data with weights and missing entries: what is complete and counts alike gives the
 * bits of a run without the option; a weight of 0 is a missing entry; the loss falls from half to
 * half, and the final one is the weighted loss of the known entries, computed here by its formula;
 * weighted rows and columns are rows and columns that were multiplied before; rows in which nothing
 * counts keep the values of the anchors; missing entries of a matrix that has the rank are
 * predicted; all is rechecked, and the same for any layout and thread count. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 25, COLS = 80, RANK = 4, SIZE = ROWS * COLS };
static const char *const losses[] = {"loss=l1",
                                     "loss=l2",
                                     "loss=kl",
                                     "loss=kl reverse=1",
                                     "loss=is",
                                     "loss=is reverse=1",
                                     "loss=beta beta=1.5",
                                     "loss=quantile quantile=0.3"};
enum { WAYS = sizeof losses / sizeof *losses, L1 = 0, L2 = 1, KL = 2, QUANTILE = 7 };

/* Products of two random factors of rank RANK + more, with noise: no columns are pure. */
static void fill(double *X, int more, double noise, uint64_t seed) {
    ch_random random;
    double W[ROWS * (RANK + 3)], h[RANK + 3];
    support_seed(&random, "weights and refinement", seed);
    for (int i = 0; i < ROWS * (RANK + more); i++) W[i] = pow(ch_random_uniform(&random), 3);
    for (int64_t j = 0; j < COLS; j++) {
        support_shares(&random, h, RANK + more, RANK + more);
        for (int i = 0; i < ROWS; i++) {
            double x = noise * ch_random_uniform(&random);
            for (int k = 0; k < RANK + more; k++) x += W[i + k * ROWS] * h[k];
            X[i + j * ROWS] = x;
        }
    }
}

/* About a share of 0s; others 1, or between 0.5 and 2. */
static void draw(double *weight, double share, int shades, uint64_t seed) {
    ch_random random;
    support_seed(&random, "weights and refinement", seed);
    for (int e = 0; e < SIZE; e++) {
        double u = ch_random_uniform(&random), v = ch_random_uniform(&random);
        weight[e] = u < share ? 0 : shades ? 0.5 + 1.5 * v : 1;
    }
}

static ch_anchors_settings settings_of(ch_context *context, int way) {
    ch_anchors_settings set = support_settings(context, RANK, losses[way]);
    set.refine = 12;
    return set;
}

static void same_factors(const ch_anchors_result *a, const ch_anchors_result *b, const char *what) {
    support_same_result(a, b, what);
    assert_non_null(a->refined_W);
    assert_int_equal(a->refined_rounds, b->refined_rounds);
    assert_memory_equal(a->refined_W, b->refined_W, (size_t)(ROWS * RANK) * sizeof(double));
    assert_memory_equal(a->refined_H, b->refined_H, (size_t)(COLS * RANK) * sizeof(double));
    assert_memory_equal(a->refined_path, b->refined_path,
                        (size_t)(2 * a->refined_rounds) * sizeof(double));
    assert_true(a->refined_objective == b->refined_objective);
}

static void complete_data_keep_their_bits(void **state) {
    static double values[SIZE], ones[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 2, 0.1, 1);
    draw(ones, 0, 0, 1);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix one = support_dense(context, ones, ROWS, COLS);
    for (int w = 0; w < WAYS; w++) {
        ch_anchors_settings set = settings_of(context, w);
        ch_anchors_result plain = support_find(context, &X, &set, losses[w]);
        for (int way = 0; way < 3; way++) {
            ch_anchors_settings with = set;
            if (way == 0) with.missing = CH_MISSING_NAN;
            if (way == 1) with.observed = &one;
            if (way == 2) support_give_rows(&with, ones, ROWS);
            ch_anchors_result r = support_find(context, &X, &with, losses[w]);
            same_factors(&plain, &r, losses[w]);
            ch_anchors_result_free(context, &r);
        }
        ch_anchors_result_free(context, &plain);
    }
    ch_matrix_free(context, &one);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void weight_zero_is_missing(void **state) {
    static double values[SIZE], gaps[SIZE], known[SIZE];
    support_memory memory;
    ch_context *context = support_context(&memory, 2), *alone = support_context(NULL, 1);
    (void)state;
    fill(values, 2, 0.1, 2);
    draw(known, 0.3, 0, 3);
    for (int e = 0; e < SIZE; e++) gaps[e] = known[e] == 0 ? NAN : values[e];
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix N = support_dense(context, gaps, ROWS, COLS);
    ch_matrix K = support_dense(context, known, ROWS, COLS);
    ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
    for (int w = 0; w < WAYS; w++) {
        ch_anchors_settings set = settings_of(context, w);
        set.missing = CH_MISSING_NAN;
        ch_anchors_result nan = support_find(context, &N, &set, losses[w]);
        set.missing = CH_MISSING_NONE;
        for (int way = 0; way < 3; way++) {
            ch_anchors_settings with = set;
            if (way == 2 && w != L1 && w != L2 && w != QUANTILE) continue;
            *(way == 2 ? &with.weights : &with.observed) = &K;
            ch_anchors_result r = support_find(alone, way == 1 ? &S : &X, &with, losses[w]);
            same_factors(&nan, &r, losses[w]);
            ch_anchors_result_free(alone, &r);
        }
        ch_anchors_result_free(context, &nan);
    }
    ch_matrix *all[] = {&X, &N, &K, &S};
    for (int k = 0; k < 4; k++) ch_matrix_free(context, all[k]);
    ch_context_destroy(alone);
    support_finish(context, &memory);
}

/* The loss of an entry by its formula. */
static double loss_of(int way, double x, double y) {
    double r = x - y;
    if (way == L1) return fabs(r);
    if (way == L2) return r * r;
    if (way == QUANTILE) return 2 * (r > 0 ? 0.3 : 0.7) * fabs(r);
    return x > 0 ? x * log(x / y) - r : y; /* kl */
}

/* Weights of all kinds at once, for the losses whose formula is above. */
static void losses_fall_and_are_what_they_say(void **state) {
    static double values[SIZE], weight[SIZE], rows[ROWS], columns[COLS];
    static const int ways[] = {L1, L2, QUANTILE, KL};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int turn = 0; turn < 8; turn++) {
        int way = ways[turn % 4];
        fill(values, 2, 0.1, 4 + (uint64_t)turn);
        draw(weight, 0.2, way != KL, 5 + (uint64_t)turn);
        for (int i = 0; i < ROWS; i++) rows[i] = i % 8 == 3 ? 0 : 0.5 + i % 4;
        for (int j = 0; j < COLS; j++) columns[j] = j % 9 == 4 ? 0 : 0.2 + j % 5;
        for (int j = 0; j < COLS; j++) weight[1 + j * ROWS] = 0; /* known nowhere */
        ch_matrix X = support_dense(context, values, ROWS, COLS);
        ch_matrix K = support_dense(context, weight, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, way);
        *(way == KL ? &set.observed : &set.weights) = &K;
        support_give_rows(&set, rows, ROWS);
        support_give_columns(&set, columns, COLS);
        ch_anchors_result r = support_find(context, &X, &set, losses[way]);
        double before = r.objective * (1 + 1e-4), sum = 0; /* floors of weighted columns differ */
        for (int64_t k = 0; k < 2 * r.refined_rounds; k++) {
            support_check(r.refined_path[k] <= before * (1 + 1e-9), "%s: half %d rises",
                          losses[way], (int)k);
            before = r.refined_path[k];
        }
        support_check(r.refined_objective <= before * (1 + 1e-4), "%s: rises", losses[way]);
        support_check(r.refined_objective < 0.95 * r.objective, "%s: no gain", losses[way]);
        assert_int_equal(r.refined_unproven, 0);
        for (int e = 0; e < SIZE; e++) {
            double y = way == KL ? r.floor / fmax(rows[e % ROWS], 1e-9) : 0;
            for (int k = 0; k < RANK; k++)
                y += r.refined_W[e % ROWS + k * ROWS] * r.refined_H[k + e / ROWS * RANK];
            double w = rows[e % ROWS] * columns[e / ROWS] * weight[e];
            if (w > 0) sum += w * loss_of(way, values[e], y);
            /* a row of weight 0 is a zero of both, which costs the floor */
            if (way == KL && weight[e] > 0 && rows[e % ROWS] == 0)
                sum += columns[e / ROWS] * r.floor;
        }
        support_close(r.refined_objective, sum, 1e-9 * sum);
        for (int e = 0; e < ROWS * RANK; e++)
            if (rows[e % ROWS] == 0 || e % ROWS == 1) assert_true(r.refined_W[e] == r.W[e]);
        support_verifies(context, &X, &r, &set, losses[way]);
        ch_anchors_result_free(context, &r);
        ch_matrix_free(context, &K);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* Weights of rows are powers of 4, so that multiplying by them or by their roots is exact. Only the
 * last scaling of the components differs. */
static void weighted_rows_are_multiplied_rows(void **state) {
    static double values[SIZE], scaled[SIZE], rows[ROWS];
    static const int ways[] = {L1, L2, QUANTILE, KL, 3};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 2, 0.1, 31);
    for (int i = 0; i < ROWS; i++) rows[i] = pow(4, i % 4 - 2);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int turn = 0; turn < 5; turn++) {
        int way = ways[turn];
        for (int e = 0; e < SIZE; e++)
            scaled[e] = values[e] * (way == L2 ? sqrt(rows[e % ROWS]) : rows[e % ROWS]);
        ch_matrix S = support_dense(context, scaled, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, way);
        ch_anchors_result by_hand = support_find(context, &S, &set, losses[way]);
        support_give_rows(&set, rows, ROWS);
        ch_anchors_result r = support_find(context, &X, &set, losses[way]);
        assert_int_equal(r.refined_rounds, by_hand.refined_rounds);
        assert_memory_equal(r.refined_path, by_hand.refined_path,
                            (size_t)(2 * r.refined_rounds) * sizeof(double));
        support_close(r.refined_objective, by_hand.refined_objective, 1e-9 * r.refined_objective);
        support_verifies(context, &X, &r, &set, losses[way]);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &by_hand);
        ch_matrix_free(context, &S);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Losses without a degree weigh loss, slope and curvature: equal weights change the unit alone. */
static void equal_weights_are_a_unit(void **state) {
    static double values[SIZE], rows[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 2, 0.1, 41);
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    for (int way = 4; way <= 5; way++) {
        ch_anchors_settings set = settings_of(context, way);
        ch_anchors_result plain = support_find(context, &X, &set, losses[way]);
        for (int i = 0; i < ROWS; i++) rows[i] = 8;
        support_give_rows(&set, rows, ROWS);
        ch_anchors_result r = support_find(context, &X, &set, losses[way]);
        support_close(r.refined_objective, 8 * plain.refined_objective, 1e-3 * r.refined_objective);
        ch_anchors_result_free(context, &r);
        for (int i = 0; i < ROWS; i++) rows[i] = i % 7 == 2 ? 0 : 0.5 + i % 3;
        r = support_find(context, &X, &set, losses[way]);
        for (int64_t k = 1; k < 2 * r.refined_rounds; k++)
            support_check(r.refined_path[k] <= r.refined_path[k - 1] * (1 + 1e-9),
                          "%s: half %d rises", losses[way], (int)k);
        support_check(r.refined_objective < 0.95 * r.objective, "%s: no gain", losses[way]);
        support_verifies(context, &X, &r, &set, losses[way]);
        ch_anchors_result_free(context, &r);
        ch_anchors_result_free(context, &plain);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* A matrix of rank RANK without pure columns: the refined factors predict the missing entries, the
 * anchors do not. */
static void missing_entries_are_predicted(void **state) {
    static double values[SIZE], known[SIZE];
    static const int ways[] = {L1, L2, KL};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        int way = ways[turn];
        fill(values, 0, 0, 51);
        draw(known, 0.2, 0, 52);
        ch_matrix X = support_dense(context, values, ROWS, COLS);
        ch_matrix K = support_dense(context, known, ROWS, COLS);
        ch_anchors_settings set = settings_of(context, way);
        set.refine = 100;
        set.observed = &K;
        ch_anchors_result r = support_find(context, &X, &set, losses[way]);
        double off = 0, anchors_off = 0, size = 0;
        for (int e = 0; e < SIZE; e++) {
            double y = 0, z = 0;
            if (known[e] > 0) continue;
            for (int k = 0; k < RANK; k++) {
                y += r.refined_W[e % ROWS + k * ROWS] * r.refined_H[k + e / ROWS * RANK];
                z += r.W[e % ROWS + k * ROWS] * r.H[k + e / ROWS * RANK];
            }
            off += pow(y - values[e], 2);
            anchors_off += pow(z - values[e], 2);
            size += values[e] * values[e];
        }
        support_check(off < 0.02 * 0.02 * size && off < 0.1 * anchors_off,
                      "%s: missing entries are off by %g, with anchors by %g", losses[way],
                      sqrt(off / size), sqrt(anchors_off / size));
        ch_anchors_result_free(context, &r);
        ch_matrix_free(context, &K);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void forgeries_are_refused(void **state) {
    static double values[SIZE], known[SIZE], rows[ROWS];
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    fill(values, 2, 0.1, 61);
    draw(known, 0.3, 0, 62);
    for (int i = 0; i < ROWS; i++) rows[i] = i == 6 ? 0 : 1 + i % 2;
    ch_matrix X = support_dense(context, values, ROWS, COLS);
    ch_matrix K = support_dense(context, known, ROWS, COLS);
    ch_anchors_settings set = settings_of(context, L1);
    set.observed = &K;
    support_give_rows(&set, rows, ROWS);
    ch_anchors_result r = support_find(context, &X, &set, "honest");
    support_verifies(context, &X, &r, &set, "honest");
    double *numbers[] = {&r.refined_W[3], &r.refined_H[9], &r.refined_path[2], &r.refined_objective,
                         &r.refined_angle[1]};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double kept = *numbers[k];
        *numbers[k] = kept * 1.1 + 0.01;
        support_refutes(context, &X, &r, &set, "a changed number");
        *numbers[k] = kept;
    }
    double idle = r.refined_W[6], angle = r.refined_angle[0], along = 0, a = 0, b = 0;
    r.refined_W[6] = idle + 1; /* a row that does not count, with the angle that follows */
    for (int i = 0; i < ROWS; i++) {
        along += r.W[i] * r.refined_W[i];
        a += r.W[i] * r.W[i];
        b += r.refined_W[i] * r.refined_W[i];
    }
    r.refined_angle[0] = acos(along / sqrt(a * b)) * 180 / acos(-1);
    support_refutes(context, &X, &r, &set, "another value in a row that does not count");
    r.refined_W[6] = idle;
    r.refined_angle[0] = angle;
    support_verifies(context, &X, &r, &set, "honest again");
    ch_anchors_result_free(context, &r);
    ch_matrix_free(context, &K);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_data_keep_their_bits),
        cmocka_unit_test(weight_zero_is_missing),
        cmocka_unit_test(losses_fall_and_are_what_they_say),
        cmocka_unit_test(weighted_rows_are_multiplied_rows),
        cmocka_unit_test(equal_weights_are_a_unit),
        cmocka_unit_test(missing_entries_are_predicted),
        cmocka_unit_test(forgeries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
