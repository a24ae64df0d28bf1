/* Refinement (settings.refine): every loss, the same factors for dense and sparse columns and for
 * any number of threads, falling losses, and a recheck that refuses changed factors. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <string.h>

enum { ROWS = 25, COLS = 60, RANK = 4, ROUNDS = 12 };

static ch_anchors_settings settings_of(int loss, int reverse) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = RANK;
    set.loss = (ch_loss)loss;
    set.quantile = 0.3;
    set.reverse = reverse;
    set.refine = ROUNDS;
    set.keep_duals = 1;
    return set;
}

static ch_anchors_result run(ch_context *context, const ch_matrix *X,
                             const ch_anchors_settings *set) {
    ch_anchors_result result = {.size = sizeof result};
    ch_status status = ch_anchors(context, &result, X, set);
    support_check(status >= 0, "%s", ch_context_message(context));
    assert_non_null(result.refined_W);
    return result;
}

static int accepted(ch_context *context, const ch_matrix *X, const ch_anchors_result *result,
                    const ch_anchors_settings *set) {
    ch_verification v = {.size = sizeof v};
    support_check(ch_verify(context, &v, X, result, set) == CH_OK, "%s",
                  ch_context_message(context));
    return v.ok;
}

static void losses_fall_and_are_proven(void **state) {
    static const struct {
        int loss, reverse;
    } cases[] = {{CH_LOSS_L1, 0}, {CH_LOSS_L2, 0}, {CH_LOSS_KL, 0},      {CH_LOSS_KL, 1},
                 {CH_LOSS_IS, 0}, {CH_LOSS_IS, 1}, {CH_LOSS_QUANTILE, 0}};
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK + 3, 0.3, (int64_t)c);
        ch_anchors_settings set = settings_of(cases[c].loss, cases[c].reverse);
        ch_anchors_result result = run(context, &X, &set);
        double before = result.objective;
        assert_true(result.refined_rounds > 0);
        for (int64_t k = 0; k < 2 * result.refined_rounds; k++) {
            support_check(result.refined_path[k] <= before * (1 + 1e-9), "case %d: half %d rises",
                          (int)c, (int)k);
            before = result.refined_path[k];
        }
        support_check(result.refined_objective <= before * (1 + 1e-8), "case %d: the end rises",
                      (int)c);
        support_check(result.refined_objective < 0.99 * result.objective, "case %d: no gain",
                      (int)c);
        support_check(accepted(context, &X, &result, &set), "case %d: refused", (int)c);
        ch_anchors_result_free(context, &result);
        ch_matrix_free(context, &X);
    }
    support_finish(context, &memory);
}

static void same_factors(const ch_anchors_result *a, const ch_anchors_result *b, double slack) {
    assert_int_equal(a->refined_rounds, b->refined_rounds);
    for (int64_t i = 0; i < ROWS * RANK; i++)
        assert_true(fabs(a->refined_W[i] - b->refined_W[i]) <= slack);
    for (int64_t i = 0; i < COLS * RANK; i++)
        assert_true(fabs(a->refined_H[i] - b->refined_H[i]) <= slack);
}

static void threads_and_layouts_agree(void **state) {
    static const int losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_KL};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    (void)state;
    for (int c = 0; c < 3; c++) {
        ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK, 0.2, 7 + c);
        ch_matrix S = support_reshape(context, &X, CH_CSC, CH_F64);
        ch_matrix by_rows = support_reshape(context, &X, CH_ROW_MAJOR, CH_F64);
        ch_anchors_settings set = settings_of(losses[c], 0);
        ch_anchors_result one = run(context, &X, &set);
        ch_context_set_threads(context, 4);
        ch_anchors_result four = run(context, &X, &set);
        ch_anchors_result sparse = run(context, &S, &set);
        ch_anchors_result other = run(context, &by_rows, &set);
        ch_context_set_threads(context, 1);
        same_factors(&one, &four, 0);
        same_factors(&one, &sparse, 1e-6);
        same_factors(&one, &other, 1e-6);
        ch_anchors_result_free(context, &one);
        ch_anchors_result_free(context, &four);
        ch_anchors_result_free(context, &sparse);
        ch_anchors_result_free(context, &other);
        ch_matrix_free(context, &by_rows);
        ch_matrix_free(context, &X);
        ch_matrix_free(context, &S);
    }
    support_finish(context, &memory);
}

/* A single component, under losses that are convex or not. */
static void one_component_is_refined(void **state) {
    static const int losses[] = {CH_LOSS_L1, CH_LOSS_L2, CH_LOSS_KL, CH_LOSS_IS};
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK, 0.3, 5);
    (void)state;
    for (int c = 0; c < 4; c++) {
        ch_anchors_settings set = settings_of(losses[c], 0);
        set.rank = 1;
        ch_anchors_result result = run(context, &X, &set);
        support_check(result.refined_objective < 0.99 * result.objective, "loss %d: no gain", c);
        assert_true(accepted(context, &X, &result, &set));
        ch_anchors_result_free(context, &result);
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* Each change alone makes the recheck refuse. */
static void changed_factors_are_refused(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK + 2, 0.3, 3);
    ch_anchors_settings set = settings_of(CH_LOSS_L1, 0), other = set;
    ch_anchors_result result = run(context, &X, &set);
    (void)state;
    double *numbers[] = {&result.refined_W[5],     &result.refined_H[9],
                         &result.refined_path[2],  &result.refined_objective,
                         &result.refined_angle[1], &result.refined_certificate.gap};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double kept = *numbers[k];
        *numbers[k] = kept * 1.1 + 0.01;
        support_check(!accepted(context, &X, &result, &set), "change %d is accepted", (int)k);
        *numbers[k] = kept;
    }
    assert_true(accepted(context, &X, &result, &set));
    result.refined_rounds--;
    assert_false(accepted(context, &X, &result, &set));
    result.refined_rounds++;
    other.refine = ROUNDS / 4;
    assert_false(accepted(context, &X, &result, &other));
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

static int stop_in_refinement(const ch_progress_event *event, void *user) {
    (void)user;
    return strcmp(event->phase, "refine") == 0 && event->done >= 1;
}

/* W and H stay; the factors, which the last step makes, do not exist. */
static void a_cancelled_refinement_leaves_no_factors(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK, 0.3, 2);
    ch_anchors_settings set = settings_of(CH_LOSS_L2, 0);
    ch_anchors_result result = {.size = sizeof result};
    ch_context_set_progress(context, stop_in_refinement, NULL);
    assert_int_equal(ch_anchors(context, &result, &X, &set), CH_STOP_CANCELLED);
    assert_int_equal(result.status, CH_STOP_CANCELLED);
    assert_non_null(result.H);
    assert_true(!result.refined_W && !result.refined_H && !result.refined_path);
    assert_true(!result.refined_angle && result.refined_rounds == 0);
    ch_context_set_progress(context, NULL, NULL);
    ch_anchors_result_free(context, &result);
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

/* The message says what to do. */
static void hulls_are_refused_with_a_reason(void **state) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = support_planted(context, NULL, ROWS, COLS, RANK, 0.1, 4);
    ch_anchors_settings set = settings_of(CH_LOSS_L1, 0);
    (void)state;
    for (set.hull = CH_HULL_CONVEX; set.hull <= CH_HULL_CONVEX0; set.hull++) {
        ch_anchors_result result = {.size = sizeof result};
        assert_int_equal(ch_anchors(context, &result, &X, &set), CH_ERR_UNSUPPORTED);
        assert_non_null(strstr(ch_context_message(context), "leave out one of the two"));
    }
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancelled_refinement_leaves_no_factors),
        cmocka_unit_test(losses_fall_and_are_proven),
        cmocka_unit_test(threads_and_layouts_agree),
        cmocka_unit_test(one_component_is_refined),
        cmocka_unit_test(changed_factors_are_refused),
        cmocka_unit_test(hulls_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
