/* The selection on data small enough to know the answer: planted anchors, settings refused, what a
 * result holds. */
#include "support.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

/* Columns 1 and 3 span the cone; 0 is inside, 2 twice column 1, 4 is zero, 5 inside. */
static const double small[] = {2, 2, 2, /**/ 4, 0, 2, /**/ 8, 0, 4, /**/
                               0, 4, 2, /**/ 0, 0, 0, /**/ 1, 3, 2};

static ch_matrix view_small(ch_context *context) {
    ch_matrix X = support_dense(context, small, 3, 6);
    return X;
}

static ch_anchors_settings defaults(void) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    return set;
}

static void finds_the_two_rays(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = view_small(context);
    for (int loss = CH_LOSS_L1; loss <= CH_LOSS_L2; loss++) {
        for (int exterior = CH_EXTERIOR_MAX; exterior <= CH_EXTERIOR_RAND + 2 * loss; exterior++) {
            ch_anchors_settings set = defaults();
            set.rank = 2;
            set.loss = loss;
            set.exterior = exterior;
            ch_anchors_result result = {.size = sizeof result};
            ch_status status = ch_anchors(context, &result, &X, &set);
            support_check(status == CH_OK, "loss %d exterior %d: %s %s", loss, exterior,
                          ch_status_name(status), ch_context_message(context));
            assert_int_equal(result.rank, 2);
            assert_int_equal(result.anchors[0] + result.anchors[1], 4); /* 1 and 3 */
            assert_true(result.anchors[0] == 1 || result.anchors[0] == 3);
            support_close(result.objective, 0, 1e-12);
            support_close(result.max_residual[1], 0, 1e-12);
            int a = result.anchors[0] == 1 ? 0 : 1; /* row of H of column 1 */
            support_close(result.H[0 * 2 + a], 0.5, 1e-12);
            support_close(result.H[2 * 2 + a], 2, 1e-12);
            support_close(result.H[5 * 2 + 1 - a], 0.75, 1e-12);
            support_close(result.H[4 * 2], 0, 0);
            for (int i = 0; i < 3; i++)
                assert_true(result.W[i] == small[3 * result.anchors[0] + i]);
            ch_anchors_result_free(context, &result);
        }
    }
    support_finish(context, &memory);
}

static void stops_when_complete(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = view_small(context);
    ch_anchors_settings set = defaults();
    ch_anchors_result result = {.size = sizeof result};
    set.rank = 3;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_COMPLETE);
    assert_int_equal(result.status, CH_STOP_COMPLETE);
    assert_int_equal(result.rank, 2);
    ch_anchors_result_free(context, &result);
    set.rank = 0;
    assert_true(ch_anchors(context, &result, &X, &set) >= 0);
    assert_int_equal(result.rank, 2);
    ch_anchors_result_free(context, &result);
    support_finish(context, &memory);
}

static void refuses(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                    ch_status expected, const char *text) {
    ch_anchors_result result = {.size = sizeof result}, before = {.size = sizeof before};
    memset(&result, 0x5a, sizeof result);
    result.size = sizeof result;
    before = result;
    ch_status status = ch_anchors(context, &result, X, set);
    support_check(status == expected, "%s instead of %s: %s", ch_status_name(status),
                  ch_status_name(expected), ch_context_message(context));
    support_message(context, text);
    assert_memory_equal(&result, &before, sizeof result);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = view_small(context);
    ch_anchors_settings set = defaults();
    set.rank = 5; /* six columns, one zero, one a copy */
    refuses(context, &X, &set, CH_ERR_SETTING, "rank is 5");
    refuses(context, &X, &set, CH_ERR_SETTING, "only 4");
    set.rank = 2;
    set.exterior = CH_EXTERIOR_DIST;
    refuses(context, &X, &set, CH_ERR_SETTING, "l2");
    set.exterior = CH_EXTERIOR_MAX;
    set.projection = CH_PROJECTION_CD;
    refuses(context, &X, &set, CH_ERR_SETTING, "projection");
    set.projection = CH_PROJECTION_AUTO;
    set.tol = NAN;
    refuses(context, &X, &set, CH_ERR_SETTING, "tol");
    set = defaults();
    set.rank = 2;
    int64_t keep[3] = {1, 6, 1};
    set.keep = keep;
    set.keep_count = 2;
    refuses(context, &X, &set, CH_ERR_SETTING, "keep: column 6");
    keep[1] = 4;
    refuses(context, &X, &set, CH_ERR_SETTING, "zero");
    keep[1] = 1;
    refuses(context, &X, &set, CH_ERR_SETTING, "twice");
    keep[1] = 0;
    keep[2] = 3;
    set.keep_count = 3;
    refuses(context, &X, &set, CH_ERR_SETTING, "the setting 'keep' lists 3");
    double bad[2] = {1, -1};
    set = defaults();
    set.rank = 1;
    X = support_dense(context, bad, 1, 2);
    refuses(context, &X, &set, CH_ERR_DATA, "-1");
    bad[0] = bad[1] = 0;
    refuses(context, &X, &set, CH_ERR_DATA,
            "all 2 columns of the matrix are zero"); /* whatever the rank */
    set.rank = 0;
    refuses(context, &X, &set, CH_ERR_DATA, "zero");
    support_finish(context, &memory);
}

static void keeps_given_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = view_small(context);
    ch_anchors_settings set = defaults();
    int64_t keep[] = {5, 2};
    set.rank = 3;
    set.keep = keep;
    set.keep_count = 2;
    ch_anchors_result result = {.size = sizeof result};
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    assert_int_equal(result.anchors[0], 5);
    assert_int_equal(result.anchors[1], 2);
    assert_int_equal(result.anchors[2], 3);
    support_close(result.objective, 0, 1e-12);
    ch_anchors_result_free(context, &result);
    support_finish(context, &memory);
}

static int stop_at(const ch_progress_event *event, void *user) {
    return strcmp(event->phase, user) == 0;
}

static void cancels_with_what_it_has(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = view_small(context);
    ch_anchors_settings set = defaults();
    set.rank = 2;
    ch_anchors_result result = {.size = sizeof result};
    char select[] = "select", project[] = "project";
    ch_context_set_progress(context, stop_at, select);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.rank, 1);
    assert_null(result.H);
    ch_anchors_result_free(context, &result);
    ch_context_set_progress(context, stop_at, project);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.rank, 2);
    assert_null(result.H);
    assert_true(isnan(result.objective));
    ch_anchors_result_free(context, &result);
    support_finish(context, &memory);
}

/* One find on a few columns given by hand. */
static ch_anchors_result find(ch_context *context, const double *values, int64_t rows, int64_t cols,
                              const ch_anchors_settings *set) {
    ch_matrix X;
    ch_anchors_result result = {.size = sizeof result};
    X = support_dense(context, values, rows, cols);
    ch_status status = ch_anchors(context, &result, &X, set);
    support_check(status >= 0, "%s", ch_context_message(context));
    return result;
}

/* Constant columns are collinear with p; they are passed over while there are others, and used when
 * there are not. */
static void constant_columns(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    static const double mixed[] = {9, 9, 9, /**/ 2, 1, 0, /**/ 8, 8, 8, /**/ 0, 1, 2, /**/ 1, 0, 1};
    static const double alike[] = {4, 4, /**/ 2, 2, /**/ 0, 0, /**/ 7, 7};
    ch_anchors_settings set = defaults();
    for (int first = CH_FIRST_RESELECT; first <= CH_FIRST_PAPER; first++) {
        set.first = first;
        set.rank = 3;
        ch_anchors_result result = find(context, mixed, 3, 5, &set);
        int64_t sum = 0;
        for (int k = 0; k < 3; k++) sum += result.anchors[k];
        assert_int_equal(result.rank, 3);
        assert_int_equal(sum, 1 + 3 + 4); /* (1,1,1) = ((2,1,0) + (0,1,2)) / 2 */
        ch_anchors_result_free(context, &result);
        set.rank = 1;
        result = find(context, alike, 2, 4, &set);
        assert_int_equal(result.rank, 1);
        assert_int_equal(result.anchors[0], 0);
        support_close(result.H[3], 1.75, 1e-15);
        ch_anchors_result_free(context, &result);
    }
    support_finish(context, &memory);
}

static void smallest_problem(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 4);
    static const double one[] = {3};
    ch_anchors_settings set = defaults();
    for (set.rank = 0; set.rank <= 1; set.rank++) {
        ch_anchors_result result = find(context, one, 1, 1, &set);
        assert_int_equal(result.rank, 1);
        support_close(result.H[0], 1, 1e-15);
        support_close(result.objective, 0, 0);
        ch_anchors_result_free(context, &result);
    }
    support_finish(context, &memory);
}

/* u = -1 is tried at every step but the first, and the answer stands whether it is valid or not. */
static void paper_dual_is_counted(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_anchors_settings set = defaults();
    ch_anchors_result result = {.size = sizeof result};
    int64_t planted[6];
    ch_matrix X = support_planted(context, planted, 40, 60, 6, 0, 8);
    set.rank = 6;
    set.dual = CH_DUAL_PAPER;
    set.first = CH_FIRST_PAPER;
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_OK);
    assert_int_equal(result.duals_checked, 5);
    assert_true(result.duals_valid >= 0 && result.duals_valid <= 5);
    for (int k = 0; k < 6; k++) {
        int found = 0;
        for (int i = 0; i < 6; i++) found |= result.anchors[k] == planted[i];
        assert_true(found);
    }
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_two_rays),       cmocka_unit_test(stops_when_complete),
        cmocka_unit_test(says_what_is_wrong),       cmocka_unit_test(keeps_given_anchors),
        cmocka_unit_test(cancels_with_what_it_has), cmocka_unit_test(constant_columns),
        cmocka_unit_test(smallest_problem),         cmocka_unit_test(paper_dual_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
