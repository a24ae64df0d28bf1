/* One answer, whatever the path: lazy = eager, dense = CSC = row-major = narrower storage, 1 = 2 =
 * 4 threads, transform = training, all to the bit; and scaling by powers of two changes neither
 * anchors nor H's pattern; nor does a limit on memory. Synthetic data always; Reuters and BBC where
 * they are at hand. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ch_anchors_settings settings(int64_t rank, int loss, int exterior) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.loss = loss;
    set.exterior = exterior;
    return set;
}

/* Values that every storage type holds exactly: noisy, rounded to whole numbers below 256. */
static ch_matrix whole_numbers(ch_context *context, double level, int64_t seed) {
    ch_matrix X = support_planted(context, NULL, 60, 150, 8, level, seed);
    double *values = (double *)(uintptr_t)X.values; /* ours, and not const */
    for (int64_t i = 0; i < X.rows * X.cols; i++) values[i] = fmin(255, floor(100 * values[i]));
    return X;
}

static const struct shape {
    ch_matrix_layout layout;
    ch_value_type type;
    const char *name;
} shapes[] = {
    {CH_COLUMN_MAJOR, CH_F64, "column-major f64"},
    {CH_ROW_MAJOR, CH_F64, "row-major f64"},
    {CH_CSC, CH_F64, "CSC f64"},
    {CH_COLUMN_MAJOR, CH_F32, "column-major f32"},
    {CH_CSC, CH_F32, "CSC f32"},
    {CH_COLUMN_MAJOR, CH_U8, "column-major u8"},
    {CH_ROW_MAJOR, CH_U8, "row-major u8"},
    {CH_CSC, CH_U8, "CSC u8"},
    {CH_COLUMN_MAJOR, CH_U16, "column-major u16"},
};

static void any_storage_any_threads_lazy_or_not(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    for (int64_t seed = 1; seed <= 6; seed++) {
        static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_RAND, CH_EXTERIOR_BALANCED};
        int loss = (int)(seed % 2), exterior = rules[seed / 2 % 3];
        ch_matrix X = whole_numbers(context, seed < 4 ? 0.3 : 1.0, seed);
        ch_anchors_settings set = settings(8, loss, exterior);
        ch_anchors_result first = support_find(context, &X, &set, __func__);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            ch_matrix Y = support_reshape(context, &X, shapes[s].layout, shapes[s].type);
            for (int threads = 1; threads <= 4; threads *= 2)
                for (int eager = 0; eager < 2; eager++) {
                    char what[120];
                    snprintf(what, sizeof what, "seed %d, %s, %d threads, eager %d", (int)seed,
                             shapes[s].name, threads, eager);
                    set.eager = eager;
                    ch_context_set_threads(context, threads);
                    ch_anchors_result other = support_find(context, &Y, &set, __func__);
                    support_same_answer(&first, &other, what);
                    ch_anchors_result_free(context, &other);
                }
            ch_matrix_free(context, &Y);
        }
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
        ch_context_set_threads(context, 1);
    }
    support_finish(context, &memory);
}

static ch_matrix paper_data(ch_context *context, double level, int64_t seed) {
    return support_planted(context, NULL, 200, 210, 20, level, seed);
}

/* Under a limit on memory, short columns are read again instead of kept in parts. 60 bytes each: a
 * quarter of that, what H takes, and 24 more that are reserved but hardly used (lists of columns).
 * A run over half of the columns shows what does not grow with them. */
static void little_memory(void **state) {
    enum { RANK = 4, ROWS = 60, COLUMNS = 40000 };
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    uint8_t *values = malloc((size_t)ROWS * COLUMNS);
    ch_random random;
    support_seed(&random, "little_memory", 11);
    assert_non_null(values);
    for (int64_t i = 0; i < (int64_t)ROWS * COLUMNS; i++)
        values[i] = (uint8_t)(256 * ch_random_uniform(&random));
    static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_RAND, CH_EXTERIOR_SHARE,
                                CH_EXTERIOR_BALANCED};
    for (int rule = 0; rule < 4; rule++)
        for (int loss = CH_LOSS_L1; loss <= CH_LOSS_L2; loss++) {
            int exterior = rules[rule];
            ch_anchors_settings set = settings(RANK, loss, exterior);
            ch_anchors_result found[2];
            int64_t peak[2];
            set.select_only = 1;
            for (int64_t limited = 0; limited < 2; limited++) {
                ch_matrix X;
                found[limited].size = sizeof *found;
                ch_context_set_memory_limit(context, limited << 30);
                for (int half = 1; half >= 0; half--) {
                    assert_int_equal(ch_matrix_borrow(context, &X,
                                                      &(ch_matrix){.rows = ROWS,
                                                                   .cols = COLUMNS >> half,
                                                                   .type = CH_U8,
                                                                   .values = values}),
                                     CH_OK);
                    int64_t before = memory.peak = memory.bytes;
                    found[limited] = support_find(context, &X, &set, __func__);
                    peak[half] = memory.peak - before;
                    if (half) ch_anchors_result_free(context, &found[limited]);
                    ch_matrix_free(context, &X);
                }
                double each = (double)(peak[0] - peak[1]) / (COLUMNS / 2);
                support_check(!limited || each <= ROWS / 4 + 8 * RANK + 24,
                              "loss %d rule %d: %g bytes a column", loss, exterior, each);
            }
            support_same_answer(&found[0], &found[1], "little memory");
            for (int k = 0; k < 2; k++) ch_anchors_result_free(context, &found[k]);
        }
    free(values);
    support_finish(context, &memory);
}

static void lazy_is_eager(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const double levels[] = {0, 0.1, 0.4, 0.7, 1.5};
    for (int64_t k = 0; k < 5; k++)
        for (int way = 0; way < 6; way++) {
            static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_SHARE, CH_EXTERIOR_BALANCED};
            int loss = way % 2 ? CH_LOSS_L2 : CH_LOSS_L1;
            int rule = rules[way / 2];
            char what[80];
            snprintf(what, sizeof what, "level %g loss %d rule %d", levels[k], loss, rule);
            ch_matrix X = paper_data(context, levels[k], 40 + k);
            ch_anchors_settings set = settings(20, loss, rule);
            ch_anchors_result lazy = support_find(context, &X, &set, __func__);
            set.eager = 1;
            ch_anchors_result eager = support_find(context, &X, &set, __func__);
            support_same_answer(&lazy, &eager, what);
            support_check(lazy.projections < eager.projections / 2, "%s: %d against %d projections",
                          what, (int)lazy.projections, (int)eager.projections);
            ch_anchors_result_free(context, &lazy);
            ch_anchors_result_free(context, &eager);
            ch_matrix_free(context, &X);
        }
    support_finish(context, &memory);
}

static void powers_of_two_change_nothing(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const int ways[][2] = {
        {CH_LOSS_L1, CH_EXTERIOR_MAX},      {CH_LOSS_L2, CH_EXTERIOR_MAX},
        {CH_LOSS_L2, CH_EXTERIOR_DIST},     {CH_LOSS_L2, CH_EXTERIOR_GREEDY},
        {CH_LOSS_L1, CH_EXTERIOR_SHARE},    {CH_LOSS_L2, CH_EXTERIOR_SHARE},
        {CH_LOSS_L1, CH_EXTERIOR_BALANCED}, {CH_LOSS_L2, CH_EXTERIOR_BALANCED}};
    for (int way = 0; way < 8; way++) {
        ch_anchors_settings set = settings(20, ways[way][0], ways[way][1]);
        ch_matrix X = paper_data(context, 0.5, 3);
        ch_anchors_result first = support_find(context, &X, &set, __func__);
        double *values = (double *)(uintptr_t)X.values;
        int64_t entries = X.rows * X.cols;
        double *before = malloc((size_t)entries * sizeof *before);
        memcpy(before, values, (size_t)entries * sizeof *before);
        static const int exponents[] = {-400, -60, -20, 20, 60, 400};
        for (int e = 0; e < 6; e++) {
            int exponent = exponents[e];
            for (int64_t i = 0; i < entries; i++) values[i] = ldexp(before[i], exponent);
            ch_anchors_result other = support_find(context, &X, &set, __func__);
            for (int64_t k = 0; k < 20; k++)
                support_check(first.anchors[k] == other.anchors[k], "2^%d: anchor %d", exponent,
                              (int)k);
            for (int64_t i = 0; i < 20 * X.cols; i++)
                support_check((first.H[i] > 0) == (other.H[i] > 0), "2^%d: H's pattern at %d",
                              exponent, (int)i);
            ch_anchors_result_free(context, &other);
        }
        free(before);
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* By the rule share the anchors are those of the columns scaled anyhow, where max finds others; and
 * they are what max finds when all columns have the same size. */
static void scale_of_columns(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int others = 0;
    for (int way = 0; way < 4; way++) {
        int loss = way % 2 ? CH_LOSS_L2 : CH_LOSS_L1;
        ch_matrix X = paper_data(context, 0.3 + 0.2 * way, 70 + way);
        double *values = (double *)(uintptr_t)X.values;
        ch_anchors_settings share = settings(20, loss, CH_EXTERIOR_SHARE), max = share;
        max.exterior = CH_EXTERIOR_MAX;
        ch_anchors_result first = support_find(context, &X, &share, __func__);
        for (int64_t j = 0; j < X.cols; j++)
            for (int64_t i = 0; i < X.rows; i++)
                values[i + j * X.rows] = ldexp(values[i + j * X.rows], (int)(j * j % 7) - 3);
        ch_anchors_result scaled = support_find(context, &X, &share, __func__);
        ch_anchors_result farthest = support_find(context, &X, &max, __func__);
        for (int64_t j = 0; j < X.cols; j++) {
            double size = 0;
            for (int64_t i = 0; i < X.rows; i++)
                size +=
                    loss == CH_LOSS_L2 ? pow(values[i + j * X.rows], 2) : values[i + j * X.rows];
            for (int64_t i = 0; i < X.rows; i++)
                values[i + j * X.rows] /= loss == CH_LOSS_L2 ? sqrt(size) : size;
        }
        ch_anchors_result equal = support_find(context, &X, &max, __func__);
        for (int64_t k = 0; k < 20; k++) {
            support_check(first.anchors[k] == scaled.anchors[k], "loss %d: anchor %d", loss,
                          (int)k);
            support_check(first.anchors[k] == equal.anchors[k], "loss %d: anchor %d", loss, (int)k);
            others += first.anchors[k] != farthest.anchors[k];
        }
        ch_anchors_result *all[] = {&first, &scaled, &farthest, &equal};
        for (int k = 0; k < 4; k++) ch_anchors_result_free(context, all[k]);
        ch_matrix_free(context, &X);
    }
    support_check(others > 20, "max finds %d others", others);
    support_finish(context, &memory);
}

/* Exact data, of which every fifth column is replaced by noise a thousandth as large. Under share
 * the noise has the largest relative distance; under balanced, as under max, the data come first.
 * Of columns of one size all three rules take the same. */
static void dark_columns_come_last(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static const int rules[] = {CH_EXTERIOR_MAX, CH_EXTERIOR_SHARE, CH_EXTERIOR_BALANCED};
    for (int way = 0; way < 4; way++) {
        int dark[3] = {0}, loss = way % 2 ? CH_LOSS_L2 : CH_LOSS_L1;
        ch_random random;
        support_seed(&random, __func__, (uint64_t)way);
        ch_matrix X = paper_data(context, 0, 80 + way);
        double *values = (double *)(uintptr_t)X.values;
        for (int64_t e = 0; e < X.rows * X.cols; e++)
            if (e / X.rows % 5 == 0) values[e] = 1e-3 * ch_random_uniform(&random);
        for (int r = 0; r < 3; r++) {
            ch_anchors_settings set = settings(10, loss, rules[r]);
            set.keep_duals = 1;
            set.first = CH_FIRST_PAPER;
            ch_anchors_result found = support_find(context, &X, &set, __func__);
            for (int64_t s = 1; s < found.steps; s++) dark[r] += found.step_exterior[s] % 5 == 0;
            ch_anchors_result_free(context, &found);
        }
        support_check(dark[0] == 0 && dark[1] > 5 && dark[2] == 0,
                      "loss %d: %d, %d and %d steps start from dark columns", loss, dark[0],
                      dark[1], dark[2]);
        for (int64_t j = 0; j < X.cols; j++) {
            double sum = 0;
            for (int64_t i = 0; i < X.rows; i++)
                sum += pow(values[i + j * X.rows], 2 - (way % 2 == 0));
            for (int64_t i = 0; i < X.rows; i++)
                values[i + j * X.rows] /= way % 2 ? sqrt(sum) : sum;
        }
        ch_anchors_result first = {.size = sizeof first};
        for (int r = 0; r < 3; r++) {
            ch_anchors_settings set = settings(10, loss, rules[r]);
            ch_anchors_result found = support_find(context, &X, &set, __func__);
            for (int64_t k = 0; r > 0 && k < 10; k++)
                support_check(found.anchors[k] == first.anchors[k], "rule %d: anchor %d", rules[r],
                              (int)k);
            if (r > 0)
                ch_anchors_result_free(context, &found);
            else
                first = found;
        }
        ch_anchors_result_free(context, &first);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void transform_is_training(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int loss = CH_LOSS_L1; loss <= CH_LOSS_L2; loss++) {
        ch_anchors_settings set = settings(20, loss, CH_EXTERIOR_MAX);
        ch_matrix X = paper_data(context, 0.4, 9), some;
        ch_anchors_result result = support_find(context, &X, &set, __func__);
        int64_t list[5] = {200, 3, 77, 78, 0};
        assert_int_equal(ch_matrix_copy(context, &some, &X, list, 5), CH_OK);
        double H[20 * 5];
        ch_project_info info = {.size = sizeof info};
        assert_int_equal(ch_project(context, H, &info, &some, result.W, result.rank, &set), CH_OK);
        for (int k = 0; k < 5; k++)
            assert_memory_equal(H + 20 * k, result.H + 20 * list[k], 20 * sizeof(double));
        support_check(info.unproven == 0 && info.certificate.gap <= set.tol, "gap %g",
                      info.certificate.gap);
        ch_matrix_free(context, &some);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void verifies(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    static const int64_t keep[] = {17, 4};
    for (int k = 0; k < 16; k++) {
        ch_anchors_settings set = settings(20, k % 2, k / 2 % 2);
        set.keep_duals = 1;
        set.first = k / 4 % 2;
        set.keep = keep;
        set.keep_count = k / 8 * 2;
        ch_matrix X = paper_data(context, k == 5 ? 0 : 0.1 * k, 60 + k);
        ch_anchors_result result = support_find(context, &X, &set, __func__);
        ch_verification v = {.size = sizeof v};
        assert_int_equal(ch_verify(context, &v, &X, &result, &set), CH_OK);
        support_check(v.ok, "case %d: %s", k, v.why);
        support_check(result.steps >= result.rank, "case %d: %d steps", k, (int)result.steps);
        for (int64_t g = 0; g < set.keep_count; g++)
            support_check(result.anchors[g] == keep[g], "case %d: kept anchor moved", k);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

/* Blocks of columns through the alternating method: their edges, sparse and zero columns, any
 * threads, any storage, `project` too; and with the duals that prove them. */
static void blocks_of_the_alternating_method(void **state) {
    (void)state;
    static const int64_t keep[] = {3, 40, 77};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = whole_numbers(context, 0.3, 9);
    double *values = (double *)(uintptr_t)X.values; /* ours, and not const */
    for (int64_t i = 0; i < X.rows; i++) {
        values[i + 5 * X.rows] = 0;
        for (int64_t j = 20; j < 24 && i % 7 != j - 20; j++) values[i + j * X.rows] = 0;
    }
    ch_anchors_settings set = settings(3, CH_LOSS_L1, CH_EXTERIOR_MAX);
    set.projection = CH_PROJECTION_ADMM;
    set.keep = keep;
    set.keep_count = 3;
    set.tol = 1e-6;
    ch_anchors_result first = support_find(context, &X, &set, __func__);
    double *H = calloc((size_t)(first.rank * X.cols), sizeof *H);
    for (int threads = 1; threads <= 4; threads *= 2)
        for (size_t s = 0; s < 3; s++) {
            ch_matrix Y = support_reshape(context, &X, shapes[s].layout, shapes[s].type);
            ch_context_set_threads(context, threads);
            set.keep_duals = threads > 1;
            ch_anchors_result other = support_find(context, &Y, &set, __func__);
            assert_memory_equal(other.H, first.H, (size_t)(first.rank * X.cols) * sizeof *H);
            assert_true(other.objective == first.objective);
            ch_verification v = {.size = sizeof v, .ok = 1};
            if (set.keep_duals) ch_verify(context, &v, &Y, &other, &set);
            support_check(v.ok, "%s, %d threads: %s", shapes[s].name, threads, v.why);
            assert_true(ch_project(context, H, NULL, &Y, first.W, first.rank, &set) >= 0);
            assert_memory_equal(H, first.H, (size_t)(first.rank * X.cols) * sizeof *H);
            ch_anchors_result_free(context, &other);
            ch_matrix_free(context, &Y);
        }
    free(H);
    ch_anchors_result_free(context, &first);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_storage_any_threads_lazy_or_not),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(lazy_is_eager),
        cmocka_unit_test(powers_of_two_change_nothing),
        cmocka_unit_test(scale_of_columns),
        cmocka_unit_test(dark_columns_come_last),
        cmocka_unit_test(transform_is_training),
        cmocka_unit_test(verifies),
        cmocka_unit_test(blocks_of_the_alternating_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
