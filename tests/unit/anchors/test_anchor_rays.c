/* Remark (2) of the paper: what a direction selects when one, two or more columns tie. p being
 * random, data hardly ever tie; so the direction is made to: d = p on the rows of a face gives
 * every column of that face the score 1. */
#include "support.h"
#include "xray/xray.h"
#include <string.h>

enum { ROWS = 6, COLS = 10 };

/* Columns 1, 4, 7 are the anchors of the face of rows 0..2; 0, 2, 5, 8 lie in it. */
static const double data[COLS][ROWS] = {
    {3, 3, 3, 0, 0, 0}, {4, 1, 0, 0, 0, 0}, {5, 2, 3, 0, 0, 0}, {0, 0, 0, 5, 1, 1},
    {0, 4, 1, 0, 0, 0}, {4, 5, 1, 0, 0, 0}, {1, 2, 1, 3, 1, 1}, {1, 0, 4, 0, 0, 0},
    {5, 5, 5, 0, 0, 0}, {0, 0, 0, 1, 1, 7},
};

/* A run that has chosen nothing, with the direction that ties the given rows. */
static ch_status begin(ch_context *context, chi_run *run, ch_matrix *X, ch_anchors_settings *set,
                       int face_rows) {
    ch_settings_defaults(&ch_anchors_table, set);
    set->rank = 5;
    assert_int_equal(
        ch_matrix_borrow_dense(context, X, data, ROWS, COLS, ROWS, CH_COLUMN_MAJOR, CH_F64), CH_OK);
    ch_status status = chi_select(context, run, X, set);
    if (status < 0) return status;
    for (int64_t j = 0; j < COLS; j++)
        if (run->role[j] == CHI_CHOSEN) run->role[j] = CHI_FREE;
    run->count = 0;
    for (int i = 0; i < ROWS; i++) run->d[i] = i < face_rows ? run->p[i] : -run->p[i];
    return CH_OK;
}

static int holds(const chi_run *run, int64_t j) {
    for (int64_t k = 0; k < run->ray_count; k++)
        if (run->rays[k] == j) return 1;
    return 0;
}

static void more_than_two_are_searched(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_run run;
    ch_matrix X;
    ch_anchors_settings set;
    assert_int_equal(begin(context, &run, &X, &set, 3), CH_OK);
    assert_int_equal(chi_extreme_rays(&run, 5), CH_OK);
    assert_int_equal(run.ray_count, 3);
    assert_true(holds(&run, 1) && holds(&run, 4) && holds(&run, 7));
    assert_int_equal(chi_extreme_rays(&run, 2), CH_OK); /* never more than there is room for */
    assert_int_equal(run.ray_count, 2);
    for (int64_t k = 0; k < 2; k++)
        assert_true(run.rays[k] == 1 || run.rays[k] == 4 || run.rays[k] == 7);
    for (int64_t j = 0; j < COLS; j++) assert_int_not_equal(run.role[j], CHI_CHOSEN);
    chi_run_destroy(&run);
    support_finish(context, &memory);
}

static void two_are_both_taken(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_run run;
    ch_matrix X;
    ch_anchors_settings set;
    assert_int_equal(begin(context, &run, &X, &set, 3), CH_OK);
    static const int64_t inside[] = {0, 2, 5, 7, 8};
    for (int k = 0; k < 5; k++) run.role[inside[k]] = CHI_CHOSEN; /* leaves 1 and 4 */
    assert_int_equal(chi_extreme_rays(&run, 5), CH_OK);
    assert_int_equal(run.ray_count, 2);
    assert_true(run.rays[0] == 1 && run.rays[1] == 4);
    assert_int_equal(chi_extreme_rays(&run, 1), CH_OK); /* the lower index */
    assert_int_equal(run.ray_count, 1);
    assert_int_equal(run.rays[0], 1);
    chi_run_destroy(&run);
    support_finish(context, &memory);
}

static void nothing_scores_above_zero(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    chi_run run;
    ch_matrix X;
    ch_anchors_settings set;
    assert_int_equal(begin(context, &run, &X, &set, 0), CH_OK);
    assert_int_equal(chi_extreme_rays(&run, 5), CH_OK);
    assert_int_equal(run.ray_count, 0);
    chi_run_destroy(&run);
    support_finish(context, &memory);
}

/* A face allocates while it is searched: every such allocation failing is said and leaks nothing.
 */
static void a_face_without_memory(void **state) {
    (void)state;
    for (int64_t k = 1; k < 200; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        chi_run run;
        ch_matrix X;
        ch_anchors_settings set;
        assert_int_equal(begin(context, &run, &X, &set, 3), CH_OK);
        memory.fail_at = memory.requests + k;
        ch_status status = chi_extreme_rays(&run, 5);
        memory.fail_at = 0;
        chi_run_destroy(&run);
        support_finish(context, &memory);
        if (status == CH_OK) return;
        assert_int_equal(status, CH_ERR_MEMORY);
    }
    fail();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_two_are_searched),
        cmocka_unit_test(two_are_both_taken),
        cmocka_unit_test(nothing_scores_above_zero),
        cmocka_unit_test(a_face_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
