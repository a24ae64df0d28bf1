/* Runs and comparisons of anchors; see support_anchors.h. */
#include "support_anchors.h"
#include <math.h>
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
