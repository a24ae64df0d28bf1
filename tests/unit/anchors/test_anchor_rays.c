/* Remark (2) of the paper: what a direction selects when one, two or more columns tie. p being
 * random, data hardly ever tie; so the direction is made to: d = p on the rows of a face gives
 * every column of that face the score 1. */
#include "support.h"
#include "xray/select.h"
#include <string.h>

enum { ROWS = 6, COLS = 10 };

/* Columns 1, 4, 7 are the anchors of the face of rows 0..2; 0, 2, 5, 8 lie in it. */
static const double data[COLS][ROWS] = {
    {3, 3, 3, 0, 0, 0}, {4, 1, 0, 0, 0, 0}, {5, 2, 3, 0, 0, 0}, {0, 0, 0, 5, 1, 1},
    {0, 4, 1, 0, 0, 0}, {4, 5, 1, 0, 0, 0}, {1, 2, 1, 3, 1, 1}, {1, 0, 4, 0, 0, 0},
    {5, 5, 5, 0, 0, 0}, {0, 0, 0, 1, 1, 7},
};

/* A run that has chosen nothing, with the direction that ties the given rows. */
typedef struct begun {
    chi_run run;
    ch_anchors_result result;
    ch_anchors_settings set;
    ch_matrix X;
} begun;

static void begin(ch_context *context, begun *b, int face_rows) {
    *b = (begun){0};
    ch_settings_defaults(&ch_anchors_table, &b->set);
    b->set.rank = 5;
    assert_int_equal(
        ch_matrix_borrow_dense(context, &b->X, data, ROWS, COLS, ROWS, CH_COLUMN_MAJOR, CH_F64),
        CH_OK);
    assert_int_equal(chi_run_create(context, &b->run, &b->result, &b->X, &b->set), CH_OK);
    for (int i = 0; i < ROWS; i++)
        b->run.rays.d[i] = i < face_rows ? b->run.data.p[i] : -b->run.data.p[i];
}

static void end(ch_context *context, begun *b) {
    chi_run_destroy(&b->run);
    ch_anchors_result_free(context, &b->result);
}

static int holds(const chi_rays *rays, int64_t j) {
    for (int64_t k = 0; k < rays->count; k++)
        if (rays->found[k] == j) return 1;
    return 0;
}

static void more_than_two_are_searched(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    begun b;
    begin(context, &b, 3);
    b.run.rank = 5;
    assert_int_equal(chi_extreme_rays(&b.run), CH_OK);
    assert_int_equal(b.run.rays.count, 3);
    assert_true(holds(&b.run.rays, 1) && holds(&b.run.rays, 4) && holds(&b.run.rays, 7));
    b.run.rank = 2;
    assert_int_equal(chi_extreme_rays(&b.run), CH_OK); /* never more than there is room for */
    assert_int_equal(b.run.rays.count, 2);
    for (int64_t k = 0; k < 2; k++)
        assert_true(b.run.rays.found[k] == 1 || b.run.rays.found[k] == 4 ||
                    b.run.rays.found[k] == 7);
    for (int64_t j = 0; j < COLS; j++) assert_int_not_equal(b.run.data.role[j], CHI_CHOSEN);
    end(context, &b);
    support_finish(context, &memory);
}

static void two_are_both_taken(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    begun b;
    begin(context, &b, 3);
    static const int64_t inside[] = {0, 2, 5, 7, 8};
    for (int k = 0; k < 5; k++) b.run.data.role[inside[k]] = CHI_CHOSEN; /* leaves 1 and 4 */
    b.run.rank = 5;
    assert_int_equal(chi_extreme_rays(&b.run), CH_OK);
    assert_int_equal(b.run.rays.count, 2);
    assert_true(b.run.rays.found[0] == 1 && b.run.rays.found[1] == 4);
    b.run.rank = 1;
    assert_int_equal(chi_extreme_rays(&b.run), CH_OK); /* the lower index */
    assert_int_equal(b.run.rays.count, 1);
    assert_int_equal(b.run.rays.found[0], 1);
    end(context, &b);
    support_finish(context, &memory);
}

static void nothing_scores_above_zero(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    begun b;
    begin(context, &b, 0);
    b.run.rank = 5;
    assert_int_equal(chi_extreme_rays(&b.run), CH_OK);
    assert_int_equal(b.run.rays.count, 0);
    end(context, &b);
    support_finish(context, &memory);
}

/* A face allocates while it is searched: every such allocation failing is said and leaks nothing.
 */
static void a_face_without_memory(void **state) {
    (void)state;
    for (int64_t k = 1; k < 200; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        begun b;
        begin(context, &b, 3);
        memory.fail_at = memory.requests + k;
        ch_status status = chi_extreme_rays(&b.run);
        memory.fail_at = 0;
        end(context, &b);
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
