/* Checks the steps on a hull: lifts X as the selection did and checks the steps on the lifted
 * columns. The origin of convex0, which a result does not list, is added as their first anchor. */
#include "anchors/hull_lift.h"
#include "anchors/verify.h"
#include "linalg/linalg.h"

#include <string.h>

/* Copies `count` entries of `width` numbers each and leaves space for one entry before them. */
#define PREPEND(to, from, count, width)                                                   \
    do {                                                                                  \
        if (to) memcpy((to) + (width), from, (size_t)((count) * (width)) * sizeof *(to)); \
    } while (0)

/* lifted = the result with one more step at the front, which takes the origin. */
static ch_status add_origin(chi_arena *arena, ch_anchors_result *lifted,
                            const ch_anchors_result *result, int64_t origin) {
    int64_t rank = result->rank, steps = result->steps, rows = result->dual_rows;
    lifted->anchors = chi_arena_alloc(arena, rank + 1, sizeof *lifted->anchors);
    lifted->step_anchor = chi_arena_alloc(arena, steps + 1, sizeof *lifted->step_anchor);
    lifted->step_exterior = chi_arena_alloc(arena, steps + 1, sizeof *lifted->step_exterior);
    lifted->step_dual = chi_arena_alloc_zero(arena, rows * (steps + 1), sizeof(double));
    TRY(chi_arena_status(arena, "verification"));
    PREPEND(lifted->anchors, result->anchors, rank, 1);
    PREPEND(lifted->step_anchor, result->step_anchor, steps, 1);
    PREPEND(lifted->step_exterior, result->step_exterior, steps, 1);
    PREPEND(lifted->step_dual, result->step_dual, steps, rows);
    lifted->anchors[0] = lifted->step_anchor[0] = origin;
    lifted->step_exterior[0] = -1;
    lifted->rank++;
    lifted->steps++;
    return CH_OK;
}

static ch_status check(ch_context *context, ch_verification *v, chi_lift *lift, chi_arena *arena,
                       const ch_matrix *X, const ch_anchors_result *result,
                       const ch_anchors_settings *resolved, double *bright) {
    ch_anchors_settings set = *resolved;
    ch_anchors_result lifted = *result;
    chi_survey norms = {.sums = chi_arena_doubles(arena, X->cols), .bright = bright};
    if (set.loss == CH_LOSS_L2) norms.squares = chi_arena_doubles(arena, X->cols);
    TRY(chi_arena_status(arena, "verification"));
    TRY(chi_column_norms(context, norms.sums, norms.squares, X));
    TRY(chi_lift_create(context, lift, &set, X, &norms));
    if (lift->origin) TRY(add_origin(arena, &lifted, result, X->cols));
    lifted.rows = lift->X.rows;
    lifted.cols = lift->X.cols;
    return chi_verify_steps(context, v, &lift->X, &lifted, &set, lift->survey.bright);
}

ch_status chi_verify_hull_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                                const ch_anchors_result *result,
                                const ch_anchors_settings *resolved, const double *bright) {
    chi_arena arena = {.context = context};
    chi_lift lift = {0};
    if (result->steps < result->rank || !result->step_dual || !result->step_anchor ||
        !result->step_exterior) {
        chi_refuse(v, "the stored result does not contain the steps of the selection");
        return CH_OK;
    }
    ch_status status =
        check(context, v, &lift, &arena, X, result, resolved, (double *)(uintptr_t)bright);
    chi_lift_destroy(context, &lift);
    chi_arena_free(&arena);
    return status;
}
