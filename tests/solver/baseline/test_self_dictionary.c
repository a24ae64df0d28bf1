/* What Hottopixx and FGNSR promise alike, since both solve a convex program and report a bound: the
 * claims about the gap, the same bits for threads and layouts, and usable anchors after a cancelled
 * run. */
#include "support.h"

#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

static const ch_anchors_method methods[] = {CH_METHOD_HOTTOPIXX, CH_METHOD_FGNSR};
enum { METHODS = sizeof methods / sizeof *methods };

static ch_anchors_settings settings_for(ch_anchors_method method, int64_t rank, double gap) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.method = method;
    set.rank = rank;
    set.select_only = 1;
    set.gap = gap;
    return set;
}

/* A finer run confirms objective and bound of a coarse one. The gap of Hottopixx is relative to its
 * objective, at least 1. */
static void check_gap(ch_context *context, const ch_matrix *X, ch_anchors_method method) {
    ch_anchors_settings set = settings_for(method, 5, 1e-2);
    ch_anchors_result coarse = {.size = sizeof coarse}, fine = {.size = sizeof fine};
    assert_int_equal(ch_anchors(context, &coarse, X, &set), CH_OK);
    set.gap = 1e-6;
    assert_int_equal(ch_anchors(context, &fine, X, &set), CH_OK);
    assert_true(fine.select_gap < coarse.select_gap && fine.iterations > coarse.iterations);
    assert_true(coarse.select_objective >= fine.select_objective - fine.select_gap);
    assert_true(coarse.select_objective - coarse.select_gap <= fine.select_objective + 1e-12);
    if (method == CH_METHOD_HOTTOPIXX) {
        assert_true(coarse.select_gap <= 1e-2 * fmax(coarse.select_objective, 1));
        assert_true(fine.select_gap <= 1e-6 * fmax(fine.select_objective, 1));
    }
    for (int64_t k = 0; k < 5; k++) {
        assert_true(fine.weights[k] >= 0 && fine.weights[k] <= 1);
        assert_true(k == 0 || fine.weights[k] <= fine.weights[k - 1] + 1e-11);
    }
    ch_anchors_result_free(context, &coarse);
    ch_anchors_result_free(context, &fine);
}

static void the_gap_holds(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    for (int seed = 0; seed < 4; seed++) {
        ch_matrix X = support_planted(context, NULL, seed % 2 ? 20 : 45, 30, 5, 0.2, seed);
        for (int m = 0; m < METHODS; m++) check_gap(context, &X, methods[m]);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void check_layouts(ch_anchors_method method, int64_t rows, double gap) {
    enum { RUNS = 4, RANK = 6 };
    ch_anchors_result results[RUNS];
    ch_context *context = support_context(NULL, 1);
    ch_matrix X = support_planted(context, NULL, rows, 140, RANK, 0.2, 3);
    ch_matrix shapes[RUNS] = {X, X, support_reshape(context, &X, CH_ROW_MAJOR, CH_F64),
                              support_reshape(context, &X, CH_CSC, CH_F64)};
    for (int run = 0; run < RUNS; run++) {
        ch_anchors_settings set = settings_for(method, RANK, gap);
        results[run] = (ch_anchors_result){.size = sizeof results[run]};
        assert_int_equal(ch_context_set_threads(context, run == 1 ? 3 : 1), CH_OK);
        assert_int_equal(ch_anchors(context, &results[run], &shapes[run], &set), CH_OK);
        assert_memory_equal(results[run].anchors, results[0].anchors, RANK * sizeof(int64_t));
        assert_memory_equal(results[run].weights, results[0].weights, RANK * sizeof(double));
        assert_true(results[run].select_objective == results[0].select_objective);
    }
    for (int run = 0; run < RUNS; run++) ch_anchors_result_free(context, &results[run]);
    for (int run = 1; run < RUNS; run++) ch_matrix_free(context, &shapes[run]);
    ch_context_destroy(context);
}

static void any_layout_and_threads(void **state) {
    (void)state;
    check_layouts(CH_METHOD_HOTTOPIXX, 30, 0.02);
    check_layouts(CH_METHOD_HOTTOPIXX, 200, 0.02);
    check_layouts(CH_METHOD_FGNSR, 30, 1e-4);
    check_layouts(CH_METHOD_FGNSR, 200, 1e-4);
}

static int stop_at(const ch_progress_event *event, void *user) {
    return strcmp(event->phase, "select") == 0 && event->done >= *(int *)user;
}

static void a_cancelled_run_leaves_its_best_anchors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    int at = 40;
    ch_matrix X = support_planted(context, NULL, 25, 60, 5, 0.4, 1);
    for (int m = 0; m < METHODS; m++) {
        ch_anchors_settings set = settings_for(methods[m], 5, 1e-9);
        ch_anchors_result result = {.size = sizeof result};
        ch_context_set_progress(context, stop_at, &at);
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
        assert_int_equal(result.rank, 5);
        assert_int_equal(result.iterations, at);
        assert_true(result.select_gap > 0 && isfinite(result.select_objective));
        ch_context_set_progress(context, NULL, NULL);
        ch_anchors_result_free(context, &result);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_holds),
        cmocka_unit_test(any_layout_and_threads),
        cmocka_unit_test(a_cancelled_run_leaves_its_best_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
