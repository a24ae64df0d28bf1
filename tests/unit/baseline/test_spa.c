/* Successive projection against a reference that really projects the matrix, in long double. */
#include "baseline/baseline.h"
#include "support.h"
#include <conehull/synthetic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 64 };

typedef struct outcome {
    ch_status status;
    int64_t rank, anchors[MAX_RANK];
    double residual[MAX_RANK];
} outcome;

static outcome spa(ch_context *context, const ch_matrix *X, int64_t rank, int plain) {
    ch_anchors_settings set = {
        .size = sizeof set, .rank = rank, .plain = plain, .method = CH_METHOD_SPA};
    outcome out = {.rank = 0};
    chi_selection found = {.anchors = out.anchors, .max_residual = out.residual};
    out.status = chi_spa(context, &found, X, &set);
    out.rank = found.rank;
    return out;
}

/* The definition: normalise, take the largest, project it out of the whole matrix. */
static outcome reference(const ch_matrix *X, int64_t rank, int plain) {
    int64_t rows = X->rows, cols = X->cols;
    long double *R = malloc((size_t)(rows * cols) * sizeof *R);
    outcome out = {.status = CH_OK, .rank = rank};
    for (int64_t j = 0; j < cols; j++) {
        long double sum = 0.0L;
        for (int64_t i = 0; i < rows; i++) sum += R[i + j * rows] = ch_matrix_at(X, i, j);
        for (int64_t i = 0; i < rows && sum > 0.0L && !plain; i++) R[i + j * rows] /= sum;
    }
    for (int64_t k = 0; k <= rank; k++) {
        long double largest = 0.0L;
        int64_t best = 0;
        for (int64_t j = 0; j < cols; j++) {
            long double square = 0.0L;
            for (int64_t i = 0; i < rows; i++) square += R[i + j * rows] * R[i + j * rows];
            if (square > largest * (1.0L + 1e-12L)) largest = square, best = j;
        }
        if (k > 0) out.residual[k - 1] = (double)sqrtl(largest);
        if (k == rank) break;
        out.anchors[k] = best;
        long double *u = malloc((size_t)rows * sizeof *u);
        for (int64_t i = 0; i < rows; i++) u[i] = R[i + best * rows] / sqrtl(largest);
        for (int64_t j = 0; j < cols; j++) {
            long double along = 0.0L;
            for (int64_t i = 0; i < rows; i++) along += u[i] * R[i + j * rows];
            for (int64_t i = 0; i < rows; i++) R[i + j * rows] -= along * u[i];
        }
        free(u);
    }
    free(R);
    return out;
}

static void same_anchors(const outcome *a, const outcome *b) {
    support_check(a->rank == b->rank, "%d anchors, not %d", (int)a->rank, (int)b->rank);
    for (int64_t k = 0; k < a->rank; k++)
        support_check(a->anchors[k] == b->anchors[k], "anchor %d is column %d, not %d", (int)k,
                      (int)a->anchors[k], (int)b->anchors[k]);
}

/* A dense f64 matrix of the caller's; freed with free((void *)X.values). */
static ch_matrix blank(int64_t rows, int64_t cols) {
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .stride = rows,
                       .layout = CH_COLUMN_MAJOR,
                       .type = CH_F64,
                       .values = calloc((size_t)(rows * cols), sizeof(double))};
}

static double *at(ch_matrix *X, int64_t i, int64_t j) {
    return (double *)X->values + i + j * X->rows;
}

static void random_data_matches_the_reference(void **state) {
    (void)state;
    static const int shapes[][3] = {{5, 7, 4},   {30, 200, 12}, {64, 64, 20},
                                    {3, 900, 3}, {150, 40, 25}, {40, 2100, 9}};
    ch_random random;
    uint64_t seed = support_seed(&random, "spa on random data", 7);
    for (int round = 0; round < 24; round++) {
        const int *shape = shapes[round % 6];
        int plain = round / 6 % 2;
        ch_matrix X = blank(shape[0], shape[1]);
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t i = 0; i < X.rows; i++)
                if (ch_random_uniform(&random) < 0.6)
                    *at(&X, i, j) = ch_random_exponential(&random, 1.0);
        ch_context *context = support_context(NULL, 1 + round % 3);
        outcome got = spa(context, &X, shape[2], plain);
        outcome expected = reference(&X, shape[2], plain);
        support_check(got.status == CH_OK, "round %d, seed %d: %s", round, (int)seed,
                      ch_context_message(context));
        same_anchors(&got, &expected);
        for (int k = 0; k < shape[2] - 1; k++)
            support_close(got.residual[k], expected.residual[k], 1e-12 * expected.residual[0]);
        support_close(got.residual[shape[2] - 1], expected.residual[shape[2] - 1],
                      1e-6 * expected.residual[0]);
        ch_context_destroy(context);
        free((void *)X.values);
    }
}

static int rising(const void *a, const void *b) {
    return (*(const int64_t *)a > *(const int64_t *)b) -
           (*(const int64_t *)a < *(const int64_t *)b);
}

static void planted_anchors_are_found_whatever_their_scale(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "spa on planted data", 3);
    for (int round = 0; round < 10; round++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 2);
        int64_t planted[12];
        ch_matrix X = support_planted(context, planted, 50, 400, 12, 0, round);
        for (int64_t j = 0; j < X.cols; j++) {
            double scale = exp(12.0 * (ch_random_uniform(&random) - 0.5));
            for (int64_t i = 0; i < X.rows; i++) *at(&X, i, j) *= scale;
        }
        outcome got = spa(context, &X, 12, 0);
        assert_int_equal(got.status, CH_OK);
        qsort(got.anchors, 12, sizeof(int64_t), rising);
        qsort(planted, 12, sizeof(int64_t), rising);
        assert_memory_equal(got.anchors, planted, sizeof planted);
        assert_true(got.residual[11] < 1e-7);

        got = spa(context, &X, 20, 0); /* twelve is all there is */
        assert_int_equal(got.status, CH_STOP_COMPLETE);
        assert_int_equal(got.rank, 12);
        assert_true(got.residual[11] < 1e-12);
        ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
}

static void layouts_types_and_threads_agree(void **state) {
    (void)state;
    static const ch_matrix_layout layouts[] = {CH_COLUMN_MAJOR, CH_ROW_MAJOR, CH_CSC};
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U8, CH_U16};
    ch_random random;
    support_seed(&random, "spa on integers", 5);
    ch_matrix X = blank(60, 9000);
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++)
            if (ch_random_uniform(&random) < 0.3) *at(&X, i, j) = ch_random_below(&random, 256);
    for (int plain = 0; plain < 2; plain++) {
        ch_context *first = support_context(NULL, 1);
        outcome expected = spa(first, &X, 12, plain);
        assert_int_equal(expected.status, CH_OK);
        ch_context_destroy(first);
        for (int layout = 0; layout < 3; layout++)
            for (int type = 0; type < 4; type++) {
                outcome one = expected;
                ch_matrix Y = support_reshape(NULL, &X, layouts[layout], types[type]);
                for (int threads = 1; threads <= (type == layout ? 4 : 1); threads *= 2) {
                    ch_context *context = support_context(NULL, threads);
                    outcome got = spa(context, &Y, 12, plain);
                    same_anchors(&got, &expected);
                    if (threads == 1) one = got;
                    assert_memory_equal(&got, &one, sizeof got);
                    ch_context_destroy(context);
                }
                ch_matrix_free(NULL, &Y);
            }
    }
    free((void *)X.values);
}

/* A large common part leaves residuals of `small` times the norm: their squares are lost in those
 * of the columns, and only columns computed anew can tell them apart. */
static void small_residuals_are_told_apart(void **state) {
    (void)state;
    static const double smalls[] = {1e-4, 1e-6, 1e-7, 1e-8};
    ch_random random;
    support_seed(&random, "spa with cancellation", 9);
    for (int c = 0; c < 4; c++) {
        ch_matrix X = blank(40, 300);
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t i = 0; i < X.rows; i++)
                *at(&X, i, j) = 1.0 + i % 3 + smalls[c] * ch_random_exponential(&random, 1.0);
        for (int plain = 0; plain < 2; plain++) {
            ch_context *context = support_context(NULL, 2);
            outcome got = spa(context, &X, 10, plain), expected = reference(&X, 10, plain);
            assert_int_equal(got.status, CH_OK);
            same_anchors(&got, &expected);
            for (int k = 0; k < 9; k++)
                support_close(got.residual[k], expected.residual[k], 1e-6 * expected.residual[k]);
            ch_context_destroy(context);
        }
        free((void *)X.values);
    }
}

static void ties_go_to_the_lowest_column(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_matrix X = blank(4, 3000);
    for (int64_t j = 0; j < X.cols; j++) /* scaled copies of three columns, and their mixtures */
        for (int64_t i = 0; i < 3; i++)
            *at(&X, i, j) =
                j % 7 < 3 ? (i == j % 7) * (1.0 + (double)j / 3) : 1.0 + (double)(i * j % 5);
    outcome got = spa(context, &X, 3, 0);
    assert_int_equal(got.status, CH_OK);
    for (int k = 0; k < 3; k++) assert_int_equal(got.anchors[k], k);
    free((void *)X.values);
    ch_context_destroy(context);
}

static void powers_of_two_change_nothing(void **state) {
    (void)state;
    static const int powers[] = {-1000, -600, -3, 5, 600, 1000};
    ch_random random;
    support_seed(&random, "spa scaled", 21);
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = blank(20, 100), Y = blank(20, 100);
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++) *at(&X, i, j) = ch_random_uniform(&random);
    for (int plain = 0; plain < 2; plain++) {
        outcome expected = spa(context, &X, 15, plain);
        for (int c = 0; c < 6; c++) {
            for (int64_t e = 0; e < X.rows * X.cols; e++)
                *at(&Y, e, 0) = ldexp(*at(&X, e, 0), powers[c]);
            outcome got = spa(context, &Y, 15, plain);
            assert_int_equal(got.status, CH_OK);
            same_anchors(&got, &expected);
            for (int k = 0; k < 15; k++)
                support_close(plain ? ldexp(got.residual[k], -powers[c]) : got.residual[k],
                              expected.residual[k], 1e-12);
        }
    }
    free((void *)X.values);
    free((void *)Y.values);
    ch_context_destroy(context);
}

static void refuse(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                   ch_status status, const char *message) {
    int64_t anchors[MAX_RANK];
    chi_selection found = {.anchors = anchors};
    assert_int_equal(chi_spa(context, &found, X, set), status);
    support_message(context, message);
}

static void unusable_data_and_settings_are_refused(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = blank(6, 10);
    ch_anchors_settings set = {.size = sizeof set, .rank = 2};
    refuse(context, &X, &set, CH_ERR_DATA, "all 10 columns of the matrix are zero");
    *at(&X, 1, 3) = 1.0;
    *at(&X, 2, 5) = 2.0;
    set.rank = 3;
    refuse(context, &X, &set, CH_ERR_SETTING,
           "the rank is 3, but the matrix has only 2 columns that are not zero");
    set.rank = 7;
    refuse(context, &X, &set, CH_ERR_SETTING,
           "the rank is 7, but for this matrix the method spa can select at most 6 columns");
    set.rank = 0;
    refuse(context, &X, &set, CH_ERR_SETTING, "rank must be at least 1");
    *at(&X, 3, 6) = *at(&X, 4, 6) = 1.7e308;
    set.rank = 2;
    refuse(context, &X, &set, CH_ERR_DATA,
           "the sum of column 6 is too large for a floating-point number");
    free((void *)X.values);
    support_finish(context, &memory);
}

static void zero_columns_are_never_anchors(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = blank(6, 10);
    *at(&X, 1, 3) = 1.0;
    *at(&X, 2, 5) = 2.0;
    *at(&X, 2, 7) = 5e-324; /* cannot be scaled to sum 1: counts as zero */
    outcome got = spa(context, &X, 2, 0);
    assert_int_equal(got.status, CH_OK);
    assert_int_equal(got.anchors[0], 3);
    assert_int_equal(got.anchors[1], 5);
    assert_true(got.residual[1] == 0.0);
    free((void *)X.values);
    ch_context_destroy(context);
}

static void kept_anchors_come_first(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "spa keep", 2);
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = blank(12, 50);
    for (int64_t j = 0; j < X.cols; j++)
        for (int64_t i = 0; i < X.rows; i++) *at(&X, i, j) = ch_random_uniform(&random);
    for (int64_t i = 0; i < X.rows; i++) *at(&X, i, 9) = *at(&X, i, 8) + *at(&X, i, 7);
    int64_t keep[3] = {7, 8, 9}, anchors[MAX_RANK];
    chi_selection found = {.anchors = anchors};
    ch_anchors_settings set = {.size = sizeof set, .rank = 6, .keep = keep, .keep_count = 2};
    assert_int_equal(chi_spa(context, &found, &X, &set), CH_OK);
    assert_int_equal(anchors[0], 7);
    assert_int_equal(anchors[1], 8);
    for (int k = 2; k < 6; k++) assert_true(anchors[k] < 7 || anchors[k] > 9);
    set.keep_count = 3;
    refuse(context, &X, &set, CH_ERR_SETTING,
           "the setting 'keep' lists column 9, which is zero or linearly dependent");
    keep[2] = 50;
    refuse(context, &X, &set, CH_ERR_SETTING, "between 0 and 49, got 50");
    set.rank = 2;
    refuse(context, &X, &set, CH_ERR_SETTING,
           "the setting 'keep' lists 3 columns, but the rank is 2");
    free((void *)X.values);
    support_finish(context, &memory);
}

static int stop_at(const ch_progress_event *event, void *user) {
    assert_string_equal(event->phase, "select");
    assert_int_equal(event->total, 10);
    return event->done == *(int64_t *)user;
}

static void cancelling_keeps_what_was_found(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, 30, 100, 10, 0, 0);
    outcome whole = spa(context, &X, 10, 0);
    for (int64_t k = 1; k <= 10; k++) {
        ch_context_set_progress(context, stop_at, &k);
        outcome part = spa(context, &X, 10, 0);
        assert_int_equal(part.status, CH_STOP_CANCELLED);
        assert_int_equal(part.rank, k);
        assert_memory_equal(part.anchors, whole.anchors, (size_t)k * sizeof(int64_t));
        assert_memory_equal(part.residual, whole.residual, (size_t)k * sizeof(double));
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static void the_matrix_is_not_copied(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_random random;
    support_seed(&random, "spa memory", 4);
    int64_t rows = 500, cols = 4000, rank = 5;
    uint8_t *values = malloc((size_t)(rows * cols));
    for (int64_t e = 0; e < rows * cols; e++) values[e] = (uint8_t)ch_random_bits(&random);
    ch_matrix X = {.rows = rows, .cols = cols, .stride = rows, .type = CH_U8, .values = values};
    int64_t before = memory.bytes;
    memory.peak = before;
    outcome got = spa(context, &X, rank, 0);
    assert_int_equal(got.status, CH_OK);
    int64_t promised = 8 * (4 * cols + (rank + 6) * rows);
    support_check(memory.peak - before < promised + 8192, "%lld bytes, not %lld",
                  (long long)(memory.peak - before), (long long)promised);
    free(values);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_data_matches_the_reference),
        cmocka_unit_test(planted_anchors_are_found_whatever_their_scale),
        cmocka_unit_test(layouts_types_and_threads_agree),
        cmocka_unit_test(small_residuals_are_told_apart),
        cmocka_unit_test(ties_go_to_the_lowest_column),
        cmocka_unit_test(powers_of_two_change_nothing),
        cmocka_unit_test(unusable_data_and_settings_are_refused),
        cmocka_unit_test(zero_columns_are_never_anchors),
        cmocka_unit_test(kept_anchors_come_first),
        cmocka_unit_test(cancelling_keeps_what_was_found),
        cmocka_unit_test(the_matrix_is_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
