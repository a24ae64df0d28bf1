/* Algorithm 1 of the paper (Section 3): selects anchors one at a time. A step finds an exterior
 * column, its D*, and the extreme ray that D* selects:
 *
 *     exterior column    exterior.c, farthest.c, all_pairs.c
 *     its D*             exterior_dual.c
 *     extreme ray        extreme_ray.c, rivals.c; ties: face.c
 *     the cone grows     anchor_list.c
 *
 * R and H are never formed. Residuals only decrease as the cone grows, so residuals from an earlier
 * cone are upper bounds, and the search for the exterior column projects only the few columns that
 * these bounds do not exclude.
 *
 * The loop starts with R = D* = X. Under noise that first choice is often no anchor, so by default
 * (first = reselect) it is dropped when all r anchors are found, and chosen again by the same rule
 * (reselect.c). With several processes, each scores and projects its own columns. For each anchor
 * they exchange D*, the new anchor and a few numbers (docs/scaling.md).
 *
 * Cost: the projections, two passes over X at the start, and at most one per anchor. (With the rule
 * max most steps need no pass, see rivals.c.) */
#include "xray/select.h"
#include "xray/xray.h"

/* ---- one step ------------------------------------------------------------------------------ */

enum { CHI_ENOUGH = 100 }; /* internal: the automatic rank needs no more anchors */

/* Finds the exterior column i by the rule, such as argmax_k |R_k|. Returns CH_STOP_COMPLETE if no
 * column is outside the cone, or CHI_ENOUGH. */
static ch_status pick_exterior(chi_run *run, int64_t *i) {
    int64_t count = run->basis.cone.count;
    int enough;
    TRY(chi_exterior_next(&run->far));
    if (count > 0 && !run->reselecting)
        run->result->max_residual[count - 1] = chi_residual(run->data.measure, run->far.distance);
    *i = run->far.exterior;
    if (*i < 0) return CH_STOP_COMPLETE;
    TRY(chi_auto_stop(run, &enough));
    return enough ? (ch_status)CHI_ENOUGH : CH_OK;
}

/* Tests whether ray j, found together with rays that are already in the cone, is inside the cone:
 * nearly equal columns tie, and the first of them explains the others. */
static ch_status is_inside(chi_run *run, int *inside, int64_t j) {
    int64_t own = chi_distribution_local(&run->data.spread, j);
    *inside = 0;
    if (own >= 0) {
        const chi_projector *projector = &run->basis.projector;
        chi_fit fit;
        chi_project_column(projector, 0, &fit, projector->worker->b, NULL, own);
        *inside = fit.objective <= chi_enough(&run->data, own);
    }
    return chi_distribution_share(&run->data.spread, inside, 1, sizeof *inside, j);
}

static int is_greedy(const chi_run *run) {
    return run->set->exterior == CH_EXTERIOR_GREEDY;
}

/* Computes D* of the exterior column, unless rays of the last D* are unused and still outside the
 * cone (Remark 2). The rule greedy has no D*. */
static ch_status certify(chi_run *run, int64_t i) {
    chi_rays *rays = &run->rays;
    int inside = 1;
    while (inside && rays->used < rays->count) {
        TRY(is_inside(run, &inside, rays->found[rays->used]));
        rays->used += inside;
    }
    return rays->used < rays->count || is_greedy(run) ? CH_OK : chi_exterior_dual(run, i);
}

/* Finds the rays of D*. If D* is too close to p (Remark 3) or no column has a positive score, the
 * next exterior column is used. If this happens for all, the first is used: p is perturbed, so the
 * maximiser for the first is still an extreme ray. */
static ch_status find_rays(chi_run *run) {
    chi_distances *far = &run->far;
    int64_t first = far->exterior;
    double distance = far->distance;
    while (far->exterior >= 0) {
        int collinear = run->set->hull == CH_HULL_CONE &&
                        chi_is_collinear(&run->basis.cone, run->rays.d, run->data.p);
        if (!collinear) TRY(chi_extreme_rays(run));
        if (!collinear && run->rays.count > 0) return CH_OK;
        int others = collinear && run->basis.cone.count == 0 && far->exterior == first;
        chi_exterior_pass(far);
        if (others) TRY(chi_pass_collinear(run));
        TRY(chi_exterior_next(far));
        if (far->exterior >= 0) TRY(chi_exterior_dual(run, far->exterior));
    }
    far->exterior = first;
    far->distance = distance;
    TRY(chi_exterior_dual(run, first));
    return chi_extreme_rays(run);
}

/* Finds j = argmax_j <D*, X_j> / <p, X_j>; each call takes one of several that tie. Returns
 * CH_STOP_COMPLETE if there is none. */
static ch_status extreme_ray(chi_run *run, int64_t *j) {
    chi_rays *rays = &run->rays;
    if (rays->used == rays->count) {
        TRY(is_greedy(run) ? chi_extreme_rays(run) : find_rays(run));
        rays->exterior = is_greedy(run) ? -1 : run->far.exterior;
    }
    if (rays->used == rays->count) return CH_STOP_COMPLETE;
    *j = rays->found[rays->used++];
    return CH_OK;
}

/* Adds the step to the checkpoint and calls the progress callback. Returns the same status on all
 * processes: CH_OK, a failure, or CH_STOP_CANCELLED. */
static ch_status finish_step(chi_run *run, int64_t j) {
    double residual = chi_residual(run->data.measure, run->far.distance);
    ch_status status = chi_step_save(run);
    if (status == CH_OK &&
        chi_notify(run->context, "select", run->basis.cone.count, run->rank, j, residual) != 0)
        status = CH_STOP_CANCELLED;
    return ch_comm_agree(run->context, status);
}

/* ---- Algorithm 1 --------------------------------------------------------------------------- */

static int wants_more(const chi_run *run) {
    return run->basis.cone.count < run->rank || chi_auto_observes(run);
}

/* Repeats steps until the rank is reached. Returns CHI_CANCELLED if interrupted in the middle of a
 * step. */
static ch_status add_anchors(chi_run *run) {
    ch_status status = CH_OK;
    while (status == CH_OK && wants_more(run)) {
        int64_t i, j;
        TRY_OK(pick_exterior(run, &i)); /* 1. i outside the cone, by the rule (Eqs. 2, 3)   */
        TRY(certify(run, i));           /*    D*_i: D*'X_A <= 0, D*'X_i > 0 (Remark 1)      */
        TRY_OK(extreme_ray(run, &j));   /*    j = argmax_j <D*_i, X_j> / <p, X_j> (Eq. 4)   */
        TRY(chi_take_anchor(run, j));   /* 2. A <- A + {j}; 3., 4. are in the next search  */
        status = finish_step(run, j);
    }
    return status;
}

ch_status chi_grow(chi_run *run) {
    ch_status status = chi_steps_restore(run);
    if (status == CH_OK) status = add_anchors(run);
    return (int)status == CHI_ENOUGH ? CH_OK : chi_outside_status(status);
}

static ch_status take_given(chi_run *run) {
    for (int64_t k = 0; k < run->set->keep_count; k++) TRY(chi_take_anchor(run, run->set->keep[k]));
    run->basis.given = run->set->keep_count;
    return CH_OK;
}

/* Writes the counts of all processes and the rank to the result. */
static ch_status add_counts(chi_run *run) {
    ch_anchors_result *result = run->result;
    int64_t counts[CHI_RUN_COUNTS];
    TRY(chi_run_counts(run, counts));
    run->basis.unproven = counts[0];
    result->duals_checked = counts[1];
    result->duals_valid = counts[2];
    result->projections = counts[3];
    result->pivots = counts[4];
    result->rank = run->basis.cone.count;
    return CH_OK;
}

static ch_status select_anchors(chi_run *run) {
    TRY(take_given(run));
    ch_status status = chi_grow(run);
    if (status == CH_OK) chi_auto_cut_back(run);
    int64_t count = run->basis.cone.count;
    int64_t alone =
        1 + (run->set->hull == CH_HULL_CONVEX0); /* the origin counts, but is no anchor */
    int again = run->set->first == CH_FIRST_RESELECT && count > run->basis.given && count > alone;
    if (status == CH_OK && again) status = chi_reselect(run);
    return status;
}

ch_status chi_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const chi_survey *survey, const ch_anchors_settings *settings) {
    chi_run run;
    chi_begin_phase(context, "select", settings->rank);
    ch_status status =
        chi_outside_status(chi_run_create(context, &run, result, X, survey, settings));
    if (status == CH_OK) status = select_anchors(&run);
    if (status >= 0) {
        ch_status counted = add_counts(&run);
        if (counted < 0) status = counted;
    }
    if (run.basis.unproven > 0 && (status == CH_OK || status == CH_STOP_COMPLETE)) {
        chi_log(context, CH_LOG_INFO,
                "%lld of the projections by which anchors were selected are not proven optimal to "
                "the requested tolerance",
                (long long)run.basis.unproven);
        status = CH_STOP_INACCURATE;
    }
    chi_run_destroy(&run);
    return status;
}
