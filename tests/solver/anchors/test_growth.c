/* Cost grows as the theory says, in what can be counted the same on every machine: bytes asked for,
 * columns projected, pivots. Ten times the columns, rows, stored entries or anchors may cost ten
 * times as much and not more (and 5 % for what is rounded up). Seconds are for bench_scaling.c, but
 * for inputs that once took columns^2: there four times the columns may take eight times as long,
 * where the square would be sixteen. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef struct cost {
    double bytes, projections, pivots, select_bytes;
} cost;

static ch_anchors_settings settings(int64_t rank, int select_only) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.select_only = select_only;
    return set;
}

/* X is not counted. */
static cost run(const ch_matrix *X, int64_t rank) {
    cost counted = {0};
    for (int select_only = 0; select_only < 2; select_only++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        ch_anchors_settings set = settings(rank, select_only);
        ch_anchors_result result = {.size = sizeof result};
        support_check(ch_anchors(context, &result, X, &set) >= 0, "%s",
                      ch_context_message(context));
        support_check(result.rank == rank, "%d anchors of %d", (int)result.rank, (int)rank);
        if (select_only) {
            counted.select_bytes = (double)memory.peak;
            counted.projections = (double)result.projections;
        } else {
            counted.bytes = (double)memory.peak;
            counted.pivots = (double)result.pivots;
        }
        ch_anchors_result_free(context, &result);
        support_finish(context, &memory);
    }
    return counted;
}

static cost run_dense(int64_t rows, int64_t cols, int64_t rank) {
    ch_synthetic_settings made = {sizeof made, rows, cols,   rank, CH_NOISE_SPARSE,
                                  0.1,         1,    CH_F32, 1};
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    assert_int_equal(ch_synthetic_make(context, &X, NULL, &made), CH_OK);
    cost counted = run(&X, rank);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
    return counted;
}

static void at_most(double big, double small, double times, const char *what) {
    support_check(big <= 1.05 * times * small, "%s: %.0f where %.0f was %.2f times less", what, big,
                  small, big / small);
}

static void test_columns(void **state) {
    (void)state;
    cost small = run_dense(100, 1000, 8), big = run_dense(100, 10000, 8);
    at_most(big.bytes, small.bytes, 10, "bytes");
    at_most(big.select_bytes, small.select_bytes, 10, "bytes of selection");
    at_most(big.projections, small.projections, 10, "projections");
    at_most(big.pivots, small.pivots, 10, "pivots");
}

static void test_rows(void **state) {
    (void)state;
    cost small = run_dense(100, 1000, 8), big = run_dense(1000, 1000, 8);
    at_most(big.bytes, small.bytes, 10, "bytes");
    at_most(big.select_bytes, small.select_bytes, 10, "bytes of selection");
    /* A pivot passes over the rows, so their number must not grow with them, nor that of columns
     * that are looked at. More rows tell columns apart better: both fall on these data. */
    at_most(big.projections, small.projections, 1, "projections");
}

static void test_anchors(void **state) {
    (void)state;
    cost small = run_dense(300, 1000, 4), big = run_dense(300, 1000, 40);
    at_most(big.select_bytes, small.select_bytes, 10, "bytes of selection");
    /* Per anchor no more columns are projected than there are; lazily, far fewer. */
    support_check(big.projections <= 0.5 * 40 * 1000, "%.0f of %d projections", big.projections,
                  40 * 1000);
}

/* `each` distinct rows of a column, spread over all of them. */
static cost run_sparse(int64_t rows, int64_t cols, int64_t each, int64_t rank) {
    ch_random random;
    support_seed(&random, "sparse", 7);
    double *values = malloc((size_t)(cols * each) * sizeof *values);
    int32_t *row = malloc((size_t)(cols * each) * sizeof *row);
    int64_t *start = malloc((size_t)(cols + 1) * sizeof *start);
    assert_true(values && row && start);
    for (int64_t j = 0; j <= cols; j++) start[j] = j * each;
    for (int64_t i = 0; i < cols * each; i++) {
        int64_t room = rows / each;
        row[i] = (int32_t)(i % each * room + ch_random_below(&random, room));
        values[i] = 1 + (double)ch_random_below(&random, 9);
    }
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    assert_int_equal(ch_matrix_borrow(context, &X,
                                      &(ch_matrix){.rows = rows,
                                                   .cols = cols,
                                                   .layout = CH_CSC,
                                                   .values = values,
                                                   .column_start = start,
                                                   .row_index = row}),
                     CH_OK);
    cost counted = run(&X, rank);
    ch_context_destroy(context);
    free(values);
    free(row);
    free(start);
    return counted;
}

/* Memory of a sparse run follows rows + columns + entries, never rows x columns. */
static void test_entries(void **state) {
    (void)state;
    cost small = run_sparse(20000, 1000, 10, 8), big = run_sparse(20000, 1000, 100, 8);
    at_most(big.bytes, small.bytes, 10, "bytes");
    cost tall = run_sparse(200000, 1000, 10, 8);
    at_most(tall.bytes, small.bytes, 10, "bytes, ten times the rows");
    support_check(tall.bytes < 200000.0 * 1000, "%.0f bytes is as much as a dense X", tall.bytes);
}

/* ---- inputs that once took columns^2 -------------------------------------------------------- */

enum { PATTERNS = 12, SHORT = 30 };

/* Columns j on one of few rays, their entries off by `apart`, relatively; f32, as stored. */
static void fill_rays(float *values, int64_t cols, double apart) {
    ch_random random;
    double pattern[PATTERNS][SHORT];
    support_seed(&random, "rays", 3);
    for (int k = 0; k < PATTERNS; k++)
        for (int i = 0; i < SHORT; i++) pattern[k][i] = ch_random_uniform(&random);
    for (int64_t j = 0; j < cols; j++) {
        const double *of = pattern[ch_random_below(&random, PATTERNS)];
        double scale = ch_random_uniform(&random);
        for (int i = 0; i < SHORT; i++)
            values[j * SHORT + i] =
                (float)(scale * of[i] * (1 + apart * ch_random_uniform(&random)));
    }
}

static void fill_offset(float *values, int64_t cols, double offset) {
    ch_random random;
    support_seed(&random, "offset", 4);
    for (int64_t e = 0; e < cols * SHORT; e++)
        values[e] = (float)(offset + 0.05 * ch_random_uniform(&random));
}

typedef void (*fill_columns)(float *values, int64_t cols, double how);

/* Processor time of a selection of three anchors, the least of some runs. */
static double seconds(fill_columns fill, int64_t cols, double how) {
    float *values = malloc((size_t)(cols * SHORT) * sizeof *values);
    double least = INFINITY;
    assert_non_null(values);
    fill(values, cols, how);
    ch_matrix X = {.rows = SHORT, .cols = cols, .type = CH_F32, .values = values, .stride = SHORT};
    for (int time = 0; time < 3; time++) {
        ch_context *context = support_context(NULL, 1);
        ch_anchors_settings set = settings(3, 1);
        ch_anchors_result result = {.size = sizeof result};
        clock_t start = clock();
        support_check(ch_anchors(context, &result, &X, &set) >= 0, "%s",
                      ch_context_message(context));
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
        ch_anchors_result_free(context, &result);
        ch_context_destroy(context);
    }
    free(values);
    return least;
}

static void grows_with_columns(fill_columns fill, double how, const char *what) {
    double small = seconds(fill, 20000, how), big = seconds(fill, 80000, how);
    support_check(big <= 8 * small, "%s: %.3f s, with four times the columns %.3f s", what, small,
                  big);
}

/* None is a copy of another, and all are nearly so; twice, as far apart as copies in f32 are, and
 * as those are that differ in the last digits. */
static void test_nearly_equal(void **state) {
    (void)state;
    grows_with_columns(fill_rays, 0, "columns on few rays");
    grows_with_columns(fill_rays, 1e-6, "columns near few rays");
}

/* Every column is within 1e-3 of p. */
static void test_offset(void **state) {
    (void)state;
    grows_with_columns(fill_offset, 293, "columns on a large offset");
    double high = seconds(fill_offset, 40000, 293), low = seconds(fill_offset, 40000, 0);
    support_check(high <= 4 * low, "on an offset %.3f s, without it %.3f s", high, low);
}

static double automatic_projections(int64_t rows, int64_t cols, int64_t anchors, double delta) {
    ch_synthetic_settings made = {sizeof made, rows, cols,   anchors, CH_NOISE_SPARSE,
                                  delta,       1,    CH_F32, 1};
    ch_context *context = support_context(NULL, 1);
    ch_matrix X;
    ch_anchors_settings set = settings(0, 1);
    ch_anchors_result result = {.size = sizeof result};
    assert_int_equal(ch_synthetic_make(context, &X, NULL, &made), CH_OK);
    support_check(ch_anchors(context, &result, &X, &set) >= 0, "%s", ch_context_message(context));
    double projections = (double)result.projections;
    support_check(result.rank == anchors, "rank %d, planted %d", (int)result.rank, (int)anchors);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    ch_context_destroy(context);
    return projections;
}

/* Beyond the last anchor every column is noise about the cone, and bounds must tell them apart: the
 * projections are those of the sample and few more, however many columns there are. */
static void test_automatic_rank(void **state) {
    (void)state;
    double small = automatic_projections(200, 2000, 8, 0.1);
    double big = automatic_projections(200, 20000, 8, 0.1);
    at_most(big, small, 2, "projections of an automatic rank");
}

/* Columns that repeat the anchors with other noise take little of the sample each, and do not keep
 * the run looking: it observes 256 columns, for the anchors that are planted and at most ten more,
 * and searches where bounds do not tell columns apart. */
static void test_look_ahead(void **state) {
    (void)state;
    enum { SAMPLE = 256, PLANTED = 10, COLUMNS = 2000 };
    double projections = automatic_projections(1000, COLUMNS, PLANTED, 0.2);
    at_most(projections, SAMPLE * (PLANTED + 10) + COLUMNS, 1, "projections of an automatic rank");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_anchors),        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_nearly_equal),   cmocka_unit_test(test_offset),
        cmocka_unit_test(test_automatic_rank), cmocka_unit_test(test_look_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
