/* Runs and comparisons of anchors; see support_anchors.h. */
#include "support_anchors.h"
#include <conehull/conehull.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double square(double x, void *user) {
    (void)user;
    return x * x;
}

static double square_slope(double x, void *user) {
    (void)user;
    return 2 * x;
}

static double square_curvature(double x, void *user) {
    (void)x, (void)user;
    return 2;
}

const ch_bregman support_square = {square, square_slope, square_curvature, NULL, 1};

ch_anchors_result support_find(ch_context *context, const ch_matrix *X,
                               const ch_anchors_settings *set, const char *what) {
    ch_anchors_result result = {.size = sizeof result};
    ch_status status = ch_anchors(context, &result, X, set);
    support_check(status >= 0, "%s: %s", what, ch_context_message(context));
    return result;
}

ch_anchors_settings support_settings(ch_context *context, int64_t rank, const char *words) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.rank = rank;
    set.keep_duals = 1;
    assert_int_equal(ch_settings_set_words(context, ch_anchors_table(), &set, words), CH_OK);
    return set;
}

void support_give_rows(ch_anchors_settings *set, const double *weights, int64_t count) {
    set->row_weights = weights;
    set->row_weight_count = count;
}

void support_give_columns(ch_anchors_settings *set, const double *weights, int64_t count) {
    set->column_weights = weights;
    set->column_weight_count = count;
}

static ch_verification verify(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                              const ch_anchors_settings *set) {
    ch_verification found = {.size = sizeof found};
    support_check(ch_verify(context, &found, X, r, set) == CH_OK, "%s",
                  ch_context_message(context));
    return found;
}

void support_verifies(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                      const ch_anchors_settings *set, const char *what) {
    ch_verification found = verify(context, X, r, set);
    support_check(found.ok, "%s: %s", what, found.why);
}

void support_refutes(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                     const ch_anchors_settings *set, const char *what) {
    support_check(!verify(context, X, r, set).ok, "%s is accepted", what);
}

void support_refuses(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set,
                     ch_status status, const char *text) {
    ch_anchors_result r = {.size = sizeof r};
    assert_int_equal(ch_anchors(context, &r, X, set), status);
    support_message(context, text);
}

void support_projects(ch_context *context, const ch_matrix *X, const ch_anchors_result *r,
                      const ch_anchors_settings *set, const char *what) {
    size_t bytes = (size_t)(r->rank * r->cols) * sizeof(double);
    ch_anchors_settings with = *set;
    ch_project_info info = {.size = sizeof info};
    double *H = malloc(bytes);
    assert_non_null(H);
    if (r->floor > 0) with.floor = r->floor;
    assert_true(ch_project(context, H, &info, X, r->W, r->rank, &with) >= 0);
    support_check(!memcmp(H, r->H, bytes), "%s: project", what);
    support_close(info.objective, r->objective, 1e-12 * fabs(r->objective));
    assert_int_equal(info.unknown, r->unknown);
    free(H);
}

void support_shares(ch_random *random, double *h, int64_t rank, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < rank; k++) sum += h[k] = pow(ch_random_uniform(random), 2);
    for (int64_t k = 0; k < rank; k++) h[k] = j < rank ? j == k : h[k] / sum;
}

static int same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

void support_same_answer(const ch_anchors_result *a, const ch_anchors_result *b, const char *what) {
    support_check(a->rank == b->rank, "%s: rank %d and %d", what, (int)a->rank, (int)b->rank);
    for (int64_t k = 0; k < a->rank; k++)
        support_check(a->anchors[k] == b->anchors[k], "%s: anchor %d is %d and %d", what, (int)k,
                      (int)a->anchors[k], (int)b->anchors[k]);
    support_check(!a->H == !b->H, "%s: H is there in one", what);
    if (a->H)
        support_check(!memcmp(a->H, b->H, (size_t)(a->rank * a->cols) * sizeof(double)),
                      "%s: H differs", what);
    for (int64_t k = 0; k + 1 < a->rank; k++)
        support_check(same_number(a->max_residual[k], b->max_residual[k]),
                      "%s: residual %d is %.17g and %.17g", what, (int)k, a->max_residual[k],
                      b->max_residual[k]);
    support_check(same_number(a->objective, b->objective), "%s: objective %.17g and %.17g", what,
                  a->objective, b->objective);
}

static void same_array(const void *a, const void *b, int64_t count, size_t size, const char *name,
                       const char *what) {
    support_check(!a == !b, "%s: %s is there in one", what, name);
    if (a) support_check(!memcmp(a, b, (size_t)count * size), "%s: %s differs", what, name);
}

void support_same_result(const ch_anchors_result *a, const ch_anchors_result *b, const char *what) {
    int64_t rank = a->rank, duals = a->dual_start ? a->dual_start[a->cols] : 0;
    support_check(a->status == b->status, "%s: status %d, %d", what, (int)a->status,
                  (int)b->status);
    support_check(rank == b->rank && a->cols == b->cols && a->steps == b->steps, "%s: sizes", what);
#define SAME(field, count) same_array(a->field, b->field, count, sizeof *a->field, #field, what)
    SAME(anchors, rank);
    SAME(max_residual, rank);
    SAME(objective_path, rank);
    SAME(weights, rank);
    SAME(W, rank * a->rows);
    SAME(H, rank * a->cols);
    SAME(step_exterior, a->steps);
    SAME(step_anchor, a->steps);
    SAME(step_dual, a->steps * a->dual_rows);
    SAME(dual_start, a->cols + 1);
    SAME(dual_row, duals);
    SAME(dual_value, duals);
#undef SAME
#define SAME(field) same_array(&a->field, &b->field, 1, sizeof a->field, #field, what)
    SAME(objective);
    SAME(certificate);
    SAME(select_objective);
    SAME(select_gap);
    SAME(floor);
    SAME(unproven);
    SAME(p_seed);
    SAME(iterations);
    SAME(duals_checked);
    SAME(duals_valid);
#undef SAME
}
