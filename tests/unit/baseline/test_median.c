/* The median filter against sorting, and against the l1 projection it is a special case of. */
#include "baseline/median/median.h"
#include "linalg/linalg.h"
#include "support.h"
#include <conehull/anchors.h>
#include <conehull/decompose.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lower median of column j over rows lo..hi. */
static double naive(const ch_matrix *X, int64_t j, int64_t lo, int64_t hi) {
    int64_t count = hi - lo + 1;
    double *x = malloc((size_t)count * sizeof *x);
    for (int64_t i = lo; i <= hi; i++) x[i - lo] = ch_matrix_at(X, i, j);
    qsort(x, (size_t)count, sizeof *x, rising);
    double median = x[(count - 1) / 2];
    free(x);
    return median;
}

static void check(ch_context *context, const ch_matrix *X, int64_t radius, const char *what) {
    ch_median_settings set = {sizeof set, radius};
    ch_matrix Y;
    support_check(ch_median_filter(context, &Y, X, &set) == CH_OK, "%s: %s", what,
                  ch_context_message(context));
    assert_int_equal(Y.rows, radius ? X->rows : 1);
    assert_int_equal(Y.cols, X->cols);
    assert_int_equal(Y.type, X->type);
    for (int64_t j = 0; j < X->cols; j++)
        for (int64_t i = 0; i < Y.rows; i++) {
            int64_t lo = radius && i > radius ? i - radius : 0, hi = X->rows - 1;
            if (radius && i + radius < hi) hi = i + radius;
            double got = ch_matrix_at(&Y, i, j), wanted = naive(X, j, lo, hi);
            support_check(got == wanted, "%s, radius %d: (%d, %d) is %g, not %g", what, (int)radius,
                          (int)i, (int)j, got, wanted);
        }
    ch_matrix_free(context, &Y);
}

/* Columns of several kinds: noise, two values far apart by turns, a slow ramp, constant. */
static double *draw(ch_random *random, int64_t rows, int64_t cols) {
    double *values = calloc((size_t)(rows * cols), sizeof *values);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            double noise = (double)ch_random_below(random, 256);
            double kinds[] = {noise, ch_random_uniform(random) < 0.5 ? 0 : 255,
                              (double)(i * 255 / rows), (double)(j % 256)};
            values[i + j * rows] = kinds[j % 4];
        }
    return values;
}

static ch_matrix view(const double *values, int64_t rows, int64_t cols) {
    return (ch_matrix){
        .rows = rows, .cols = cols, .type = CH_F64, .values = values, .stride = rows};
}

static void sorting_agrees(void **state) {
    (void)state;
    static const ch_matrix_layout layouts[] = {CH_COLUMN_MAJOR, CH_ROW_MAJOR, CH_CSC};
    static const ch_value_type types[] = {CH_F64, CH_F32, CH_U8, CH_U16};
    static const int shapes[][2] = {{1, 5}, {2, 3}, {7, 300}, {64, 70}, {65, 20}, {300, 40}};
    static const int radii[] = {0, 1, 2, 16, 127, 1000};
    ch_random random;
    support_seed(&random, "median filter", 4);
    for (int s = 0; s < 6; s++) {
        int64_t rows = shapes[s][0], cols = shapes[s][1];
        double *values = draw(&random, rows, cols);
        ch_matrix X = view(values, rows, cols);
        for (int k = 0; k < 12; k++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1 + k % 3);
            ch_matrix Y = support_reshape(context, &X, layouts[k / 4], types[k % 4]);
            for (int r = 0; r < 6; r++)
                if (rows <= 70 || r == 0 || (k + r) % 5 == 0)
                    check(context, &Y, radii[r], ch_value_type_name(Y.type));
            ch_matrix_free(context, &Y);
            support_finish(context, &memory);
        }
        free(values);
    }
}

static void negative_numbers_and_fractions(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "median filter, signs", 8);
    double values[40 * 11];
    for (int i = 0; i < 40 * 11; i++) values[i] = ch_random_normal(&random);
    ch_matrix X = view(values, 40, 11);
    ch_context *context = support_context(NULL, 1);
    check(context, &X, 0, "normal");
    check(context, &X, 5, "normal");
    ch_context_destroy(context);
}

static void every_kind_of_loop_counts_the_same(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "counting below", 6);
    enum { LINES = 700 };
    uint8_t *x = malloc(LINES * CHI_COUNTED_AT_ONCE), bound[CHI_COUNTED_AT_ONCE];
    for (int i = 0; i < LINES * CHI_COUNTED_AT_ONCE; i++)
        x[i] = (uint8_t)ch_random_below(&random, 256);
    for (int l = 0; l < CHI_COUNTED_AT_ONCE; l++) bound[l] = (uint8_t)ch_random_below(&random, 256);
    bound[0] = 0;
    bound[1] = 255;
    for (int lines = 0; lines <= LINES; lines += lines < 3 ? 1 : 83) {
        uint32_t naive_count[CHI_COUNTED_AT_ONCE] = {5};
        for (int i = 0; i < lines * CHI_COUNTED_AT_ONCE; i++)
            naive_count[i % CHI_COUNTED_AT_ONCE] += x[i] < bound[i % CHI_COUNTED_AT_ONCE];
        for (int set = 0; set < chi_kernel_set_count; set++) {
            uint32_t count[CHI_COUNTED_AT_ONCE] = {5};
            if (!ch_kernel_usable(set)) continue;
            chi_kernel_sets[set].count_below(count, x, bound, lines);
            assert_memory_equal(count, naive_count, sizeof count);
        }
    }
    free(x);
}

/* min_h sum_i |x_i - h|, h >= 0: RobustXray's projection on w = 1 is the global lower median, for
 * an even number of frames too, where every h between the two in the middle is as good. */
static void rank_one_with_ones_is_the_median(void **state) {
    (void)state;
    static const int frames[] = {1, 2, 3, 4, 10, 63, 64, 95, 96, 97, 200, 255, 256};
    ch_random random;
    support_seed(&random, "l1 projection on ones", 12);
    for (int f = 0; f < 13; f++) {
        int64_t rows = frames[f], cols = 160;
        double *values = draw(&random, rows, cols), ones[256], h[160];
        for (int64_t j = 3; j < cols; j += 4) /* few values, zero among them: ties everywhere */
            for (int64_t i = 0; i < rows; i++)
                values[i + j * rows] = (double)ch_random_below(&random, 3) * (double)(j % 8);
        for (int i = 0; i < 256; i++) ones[i] = 1;
        ch_matrix X = view(values, rows, cols), Y;
        ch_context *context = support_context(NULL, 2);
        ch_matrix bytes = support_reshape(context, &X, CH_ROW_MAJOR, CH_U8);
        ch_anchors_settings set;
        ch_anchors_defaults(&set);
        ch_project_info info = {.size = sizeof info};
        ch_median_settings whole = {.size = sizeof whole};
        assert_int_equal(ch_project(context, h, &info, &bytes, ones, 1, &set), CH_OK);
        assert_int_equal(info.unproven, 0);
        assert_int_equal(ch_median_filter(context, &Y, &bytes, &whole), CH_OK);
        for (int64_t j = 0; j < cols; j++)
            support_check(h[j] == ch_matrix_at(&Y, 0, j), "%d frames, column %d: h = %.17g, not %g",
                          (int)rows, (int)j, h[j], ch_matrix_at(&Y, 0, j));
        ch_matrix_free(context, &Y);
        ch_matrix_free(context, &bytes);
        ch_context_destroy(context);
        free(values);
    }
}

static int stop(const ch_progress_event *event, void *user) {
    *(int64_t *)user += 1;
    assert_string_equal(event->phase, "median");
    return 1;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    enum { COLS = 40000 };
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    uint8_t *values = calloc(3, COLS);
    ch_matrix X = {.rows = 3, .cols = COLS, .type = CH_U8, .values = values, .stride = 3}, Y;
    int64_t events = 0;
    ch_median_settings set = {sizeof set, 1};
    ch_context_set_progress(context, stop, &events);
    assert_int_equal(ch_median_filter(context, &Y, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(events, 1);
    assert_null(Y.values);
    free(values);
    support_finish(context, &memory);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    double values[4] = {1, 2, NAN, 4};
    ch_matrix X = view(values, 2, 2), Y, before;
    ch_context *context = support_context(NULL, 1);
    ch_median_settings set = {sizeof set, -1};
    memset(&Y, 0x5A, sizeof Y);
    before = Y;
    assert_int_equal(ch_median_filter(context, &Y, &X, &set), CH_ERR_SETTING);
    support_message(context, "'radius' must be between");
    set.radius = 1;
    assert_int_equal(ch_median_filter(context, &Y, &X, &set), CH_ERR_DATA);
    support_message(context, "row 0, column 1 (counted from 0) is NaN");
    assert_memory_equal(&Y, &before, sizeof Y);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_agrees),
        cmocka_unit_test(negative_numbers_and_fractions),
        cmocka_unit_test(every_kind_of_loop_counts_the_same),
        cmocka_unit_test(rank_one_with_ones_is_the_median),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
