/* Views that show more than is stored, against plain matrices that hold the same numbers: scores,
 * surveys, columns and single values, to the bit, in both dense layouts and all types. */
#include "linalg/larger_copy.h"
#include "linalg/shown.h"
#include "linalg/survey.h"
#include "support_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix with gaps between its lines. */
static ch_matrix make(int64_t rows, int64_t cols, ch_matrix_layout layout, ch_value_type type,
                      int64_t gap) {
    int by_rows = layout == CH_ROW_MAJOR;
    int64_t stride = (by_rows ? cols : rows) + gap;
    void *values = calloc((size_t)(stride * (by_rows ? rows : cols) + 1), ch_value_type_size(type));
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .layout = layout,
                       .type = type,
                       .values = values,
                       .stride = stride};
}

static void put(const ch_matrix *X, int64_t i, int64_t j, double value) {
    int64_t at = X->layout == CH_ROW_MAJOR ? i * X->stride + j : i + j * X->stride;
    support_store((void *)(uintptr_t)X->values, at, X->type, value);
}

typedef struct pair {
    ch_matrix stored, view, plain; /* the view of what is stored, and what it should show */
} pair;

static const double UNIT = 200; /* a byte holds it */

/* Two columns behind the data, the second of them zero. */
static double behind(int64_t i, int64_t k) {
    return k == 0 ? (double)(i % 7) : 0;
}

/* Clipped, lifted and with two columns more, by one view of another, whose type is `shown`. */
static pair make_pair(int64_t rows, int64_t cols, ch_matrix_layout layout, ch_value_type type,
                      ch_value_type shown) {
    int is_signed = type == CH_F64 || type == CH_F32;
    pair p = {make(rows, cols, layout, type, 3), {0}, make(rows + 1, cols + 2, layout, shown, 0)};
    uint64_t seed = 11;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            double value = (double)(seed >> 56) - (is_signed ? 100 : 0);
            if (value == 200) value = 0;
            put(&p.stored, i, j, value);
            put(&p.plain, i, j, value < 0 ? 0 : value);
        }
    for (int64_t k = 0; k < 2; k++)
        for (int64_t i = 0; i < rows; i++) put(&p.plain, i, cols + k, behind(i, k));
    for (int64_t j = 0; j < cols + 2; j++) put(&p.plain, rows, j, UNIT);
    ch_matrix clipped, joined;
    chi_showing clip = {.type = type, .clip = is_signed, .what = "a view"};
    chi_showing join = {.type = type, .cols = 1, .what = "a view"};
    chi_showing lift = {.type = shown, .rows = 1, .cols = 1, .what = "a view"};
    assert_int_equal(chi_show(context, &clipped, &p.stored, &clip), CH_OK);
    assert_int_equal(chi_show(context, &joined, &clipped, &join), CH_OK);
    for (int64_t i = 0; i < rows; i++) chi_shown_more(&joined)[i] = behind(i, 0);
    assert_int_equal(chi_show(context, &p.view, &joined, &lift), CH_OK);
    chi_shown_set_unit(&p.view, UNIT);
    ch_matrix_free(context, &joined); /* views of views need them no more */
    ch_matrix_free(context, &clipped);
    return p;
}

static void discard(pair *p) {
    ch_matrix_free(context, &p->view);
    free((void *)(uintptr_t)p->stored.values);
    free((void *)(uintptr_t)p->plain.values);
}

static void for_pairs(void (*body)(const pair *p)) {
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {7, 700}, {2100, 9}, {33, 5000}};
    static const ch_value_type types[][2] = {{CH_F64, CH_F64}, {CH_F32, CH_F32}, {CH_F32, CH_F64},
                                             {CH_U8, CH_U8},   {CH_U8, CH_F32},  {CH_U8, CH_F64},
                                             {CH_U16, CH_U16}, {CH_U16, CH_F32}, {CH_U16, CH_F64}};
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_ROW_MAJOR; layout++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                pair p = make_pair(shapes[k][0], shapes[k][1], layout, types[t][0], types[t][1]);
                body(&p);
                discard(&p);
            }
}

static void same_columns(const pair *p) {
    int64_t rows = p->plain.rows;
    double *x = calloc((size_t)rows, sizeof *x), *y = calloc((size_t)rows, sizeof *y);
    double *a = calloc((size_t)rows, 3 * sizeof *a), *b = calloc((size_t)rows, 3 * sizeof *b);
    int32_t *at = calloc((size_t)rows, sizeof *at), *bt = calloc((size_t)rows, sizeof *bt);
    assert_int_equal(p->view.rows, rows);
    assert_int_equal(p->view.cols, p->plain.cols);
    for (int64_t j = 0; j < p->plain.cols; j++) {
        chi_column_gather(x, &p->view, j);
        chi_column_gather(y, &p->plain, j);
        assert_memory_equal(x, y, (size_t)rows * sizeof *x);
        assert_true(ch_matrix_at(&p->view, j % rows, j) == y[j % rows]);
        int64_t count = chi_column_support(at, x, &p->view, j);
        assert_int_equal(count, chi_column_support(bt, y, &p->plain, j));
        assert_memory_equal(x, y, (size_t)count * sizeof *x);
        assert_memory_equal(at, bt, (size_t)count * sizeof *at);
    }
    int64_t width = p->plain.cols < 3 ? p->plain.cols : 3, low = p->plain.cols - width;
    chi_block_gather(a, &p->view, low, p->plain.cols); /* the last ones are not stored */
    chi_block_gather(b, &p->plain, low, p->plain.cols);
    assert_memory_equal(a, b, (size_t)(rows * width) * sizeof *a);
    free(x);
    free(y);
    free(a);
    free(b);
    free(at);
    free(bt);
}

static void test_columns(void **state) {
    (void)state;
    for_pairs(same_columns);
}

static void same_scores(const pair *p) {
    int64_t rows = p->plain.rows, cols = p->plain.cols;
    double *D = calloc((size_t)rows * CHI_SCORE_MAX, sizeof *D);
    double *x = calloc((size_t)cols * CHI_SCORE_MAX, sizeof *x);
    double *y = calloc((size_t)cols * CHI_SCORE_MAX, sizeof *y);
    int64_t list[3] = {0, cols / 2, cols - 1};
    for (int64_t i = 0; i < rows * CHI_SCORE_MAX; i++) D[i] = 1 / (double)(i + 3) - 0.01;
    assert_int_equal(chi_score(context, x, &p->view, D, CHI_SCORE_MAX), CH_OK);
    assert_int_equal(chi_score(context, y, &p->plain, D, CHI_SCORE_MAX), CH_OK);
    assert_memory_equal(x, y, (size_t)(cols * CHI_SCORE_MAX) * sizeof *x);
    memset(x, 0, (size_t)cols * sizeof *x);
    chi_score_columns(context, x, &p->view, D, list, 3);
    for (int k = 0; k < 3; k++) assert_true(x[list[k]] == y[list[k]]);
    free(D);
    free(x);
    free(y);
}

static void test_scores(void **state) {
    (void)state;
    for_pairs(same_scores);
}

static void same_surveys(const pair *p) {
    chi_survey x, y;
    size_t bytes = (size_t)p->plain.cols * sizeof(double);
    int wanted = CHI_SURVEY_CHECK | CHI_SURVEY_COUNT | CHI_SURVEY_SUMS | CHI_SURVEY_SQUARES |
                 CHI_SURVEY_TOTALS | CHI_SURVEY_SHARES | CHI_SURVEY_HASH;
    assert_int_equal(chi_survey_make(context, &x, &p->view, wanted), CH_OK);
    assert_int_equal(chi_survey_make(context, &y, &p->plain, wanted), CH_OK);
    assert_int_equal(x.nonzeros, y.nonzeros);
    assert_int_equal(x.above, y.above);
    assert_true(x.hash == y.hash);
    assert_memory_equal(x.sums, y.sums, bytes);
    assert_memory_equal(x.squares, y.squares, bytes);
    assert_memory_equal(x.totals, y.totals, bytes);
    assert_int_equal(chi_column_norms(context, x.sums, x.squares, &p->view), CH_OK);
    assert_memory_equal(x.sums, y.sums, bytes);
    assert_memory_equal(x.squares, y.squares, bytes);
    chi_survey_free(&x);
    chi_survey_free(&y);
}

static void test_surveys(void **state) {
    (void)state;
    for_pairs(same_surveys);
}

/* Of clipped data alone: the transpose, which is a view too, and a weighted copy. */
static void clipped_otherwise(const pair *p) {
    int64_t rows = p->stored.rows, cols = p->stored.cols;
    if (p->stored.type != CH_F64 && p->stored.type != CH_F32) return;
    ch_matrix clipped, across, copy;
    chi_showing clip = {.type = p->stored.type, .clip = 1, .what = "a view"};
    double *factor = calloc((size_t)rows, sizeof *factor);
    for (int64_t i = 0; i < rows; i++) factor[i] = 1 + (double)(i % 3);
    chi_larger how = {.type = CH_F64, .row_factor = factor, .what = "a copy"};
    assert_int_equal(chi_show(context, &clipped, &p->stored, &clip), CH_OK);
    assert_int_equal(ch_matrix_transpose(context, &across, &clipped), CH_OK);
    assert_int_equal(chi_copy_larger(context, &copy, &clipped, &how), CH_OK);
    assert_int_equal(across.rows, cols);
    assert_int_equal(across.cols, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j += 1 + cols / 10) {
            double value = ch_matrix_at(&p->plain, i, j);
            assert_true(ch_matrix_at(&across, j, i) == value);
            assert_true(ch_matrix_at(&copy, i, j) == value * factor[i]);
        }
    ch_matrix_free(context, &copy);
    ch_matrix_free(context, &across);
    ch_matrix_free(context, &clipped);
    free(factor);
}

static void test_clipped_otherwise(void **state) {
    (void)state;
    for_pairs(clipped_otherwise);
}

/* Scores of bytes are added up in stretches of rows: each reads its own rows, so that all of them
 * are one pass over what is stored. */
static void test_bytes_read(void **state) {
    (void)state;
    for (int layout = CH_COLUMN_MAJOR; layout <= CH_ROW_MAJOR; layout++) {
        pair p = make_pair(20000, 70, layout, CH_U8, CH_U8);
        double *D = calloc((size_t)p.view.rows, sizeof *D), *x = calloc(72, sizeof *x);
        double before = ch_context_data_read(context);
        assert_int_equal(chi_score(context, x, &p.view, D, 1), CH_OK);
        assert_true(ch_context_data_read(context) - before == 20000. * 70);
        free(D);
        free(x);
        discard(&p);
    }
}

/* What no view can show, and what no copy can be made of: refused, the output untouched. */
static void test_refused(void **state) {
    (void)state;
    pair p = make_pair(5, 3, CH_COLUMN_MAJOR, CH_U8, CH_U8);
    ch_matrix made = {.rows = -7}, sparse = {.layout = CH_CSC, .type = CH_U8};
    chi_showing clip = {.type = CH_U8, .clip = 1, .what = "a view"};
    chi_showing narrow = {.type = CH_U8, .what = "a view"},
                wide = {.type = CH_U16, .what = "a view"};
    chi_larger larger = {.type = CH_F64, .what = "a copy"};
    assert_int_equal(chi_show(context, &made, &p.stored, &clip), CH_ERR_INTERNAL);
    support_message(context, "cannot clip or convert a matrix of whole numbers");
    assert_int_equal(chi_show(context, &made, &p.stored, &wide), CH_ERR_INTERNAL);
    assert_int_equal(chi_show(context, &made, &sparse, &narrow), CH_ERR_INTERNAL);
    assert_int_equal(chi_copy_larger(context, &made, &p.view, &larger), CH_ERR_INTERNAL);
    support_message(context, "a copy cannot be made from a view");
    assert_int_equal(ch_matrix_transpose(context, &made, &p.view), CH_ERR_INTERNAL);
    assert_int_equal(ch_matrix_copy(context, &made, &p.view, NULL, 0), CH_ERR_INTERNAL);
    assert_int_equal(made.rows, -7);
    discard(&p);
    p = make_pair(5, 3, CH_COLUMN_MAJOR, CH_F32, CH_F32); /* its view clips */
    assert_int_equal(chi_show(context, &made, &p.view, &narrow), CH_ERR_INTERNAL);
    discard(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, support_set_up, support_tear_down),
        cmocka_unit_test_setup_teardown(test_scores, support_set_up, support_tear_down),
        cmocka_unit_test_setup_teardown(test_surveys, support_set_up, support_tear_down),
        cmocka_unit_test_setup_teardown(test_clipped_otherwise, support_set_up, support_tear_down),
        cmocka_unit_test_setup_teardown(test_bytes_read, support_set_up, support_tear_down),
        cmocka_unit_test_setup_teardown(test_refused, support_set_up, support_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
