/* Repeats the selection with the given settings and compares the results. This covers what the
 * steps do not prove: the exterior rule, the choice between columns that tie, the rank, and the
 * criteria of methods other than xray. It uses the solvers' own code, so it shows that X and the
 * settings lead to this result, not that the solvers are right; their answers are proven elsewhere.
 *
 * If the loss is not convex, it has several stationary points. Then H is computed again too, and
 * its objective must be the stored one.
 *
 * Cost: that of the selection; with `path`, `refine` or a loss that is not convex, that of the
 * whole run. */
#include "anchors/verify.h"
#include <math.h>

/* Relative difference that may come from the rounding of another kernel set. */
static const double SAME = 1e-9;

static int same(double claimed, double found, double slack) {
    if (isnan(claimed) || isnan(found)) return isnan(claimed) && isnan(found);
    return claimed == found || fabs(claimed - found) <= slack + SAME * fabs(found);
}

static void compare_anchors(ch_verification *v, const ch_anchors_result *claimed,
                            const ch_anchors_result *found) {
    if (claimed->rank != found->rank) {
        chi_refuse(v,
                   "a new run with the stored settings selects %lld anchors, but the stored result "
                   "has %lld",
                   (long long)found->rank, (long long)claimed->rank);
        return;
    }
    for (int64_t k = 0; v->ok && k < claimed->rank; k++)
        if (claimed->anchors[k] != found->anchors[k])
            chi_refuse(v,
                       "anchor %lld is column %lld in a new run with the stored settings, but "
                       "column %lld in the stored result",
                       (long long)k, (long long)found->anchors[k], (long long)claimed->anchors[k]);
}

static int same_dual(const double *claimed, const double *found, int64_t rows) {
    double size = 0;
    for (int64_t i = 0; i < rows; i++) size = fmax(size, fabs(found[i]));
    for (int64_t i = 0; i < rows; i++)
        if (!(fabs(claimed[i] - found[i]) <= SAME * size)) return 0;
    return 1;
}

static void compare_steps(ch_verification *v, const ch_anchors_result *claimed,
                          const ch_anchors_result *found) {
    if (claimed->p_seed != found->p_seed)
        chi_refuse(v, "the stored seed of the random vector p does not belong to the seed in the "
                      "stored settings");
    else if (claimed->steps != found->steps)
        chi_refuse(
            v,
            "a new run with the stored settings takes %lld steps, but the stored result has %lld",
            (long long)found->steps, (long long)claimed->steps);
    for (int64_t s = 0; v->ok && s < claimed->steps; s++) {
        if (claimed->step_anchor[s] != found->step_anchor[s])
            chi_refuse(v,
                       "step %lld selects column %lld in a new run with the stored settings, but "
                       "column %lld in the stored result",
                       (long long)s, (long long)found->step_anchor[s],
                       (long long)claimed->step_anchor[s]);
        else if (claimed->step_exterior[s] != found->step_exterior[s])
            chi_refuse(v,
                       "step %lld has the exterior column %lld in a new run with the stored "
                       "settings, but %lld in the stored result",
                       (long long)s, (long long)found->step_exterior[s],
                       (long long)claimed->step_exterior[s]);
        else if (!same_dual(claimed->step_dual + s * claimed->dual_rows,
                            found->step_dual + s * claimed->dual_rows, claimed->dual_rows))
            chi_refuse(v,
                       "the stored dual of step %lld differs from that of a new run with the "
                       "stored settings",
                       (long long)s);
    }
}

/* Compares residuals as objectives, that is, raised to the power degree; slack is that of an
 * objective. count leaves out the last residual if the method takes it from H. */
static void compare_residuals(ch_verification *v, const ch_anchors_result *claimed,
                              const ch_anchors_result *found, int64_t count, double slack,
                              int degree) {
    for (int64_t k = 0; v->ok && k < count; k++)
        if (claimed->max_residual[k] < 0 || !same(pow(claimed->max_residual[k], degree),
                                                  pow(found->max_residual[k], degree), slack))
            chi_refuse(v,
                       "the residual after anchor %lld is %.12g in a new run, but the stored "
                       "result states %.12g",
                       (long long)k, found->max_residual[k], claimed->max_residual[k]);
}

/* Both lists, or neither, must exist. */
static void compare_list(ch_verification *v, const double *claimed, const double *found,
                         int64_t count, double slack, const char *what) {
    if (claimed && !found)
        chi_refuse(v, "the stored result has a %s, but a run with the stored settings has none",
                   what);
    if (!claimed && found)
        chi_refuse(v, "the stored result has no %s, but a run with the stored settings has one",
                   what);
    for (int64_t k = 0; v->ok && claimed && k < count; k++)
        if (!same(claimed[k], found[k], slack))
            chi_refuse(
                v, "entry %lld of the %s is %.12g in a new run, but the stored result states %.12g",
                (long long)k, what, found[k], claimed[k]);
}

static void compare_counts(ch_verification *v, const ch_anchors_result *claimed,
                           const ch_anchors_result *found) {
    ch_status status =
        claimed->unproven + claimed->refined_unproven > 0 ? CH_STOP_INACCURATE : found->status;
    if (claimed->duals_checked != found->duals_checked ||
        claimed->duals_valid != found->duals_valid)
        chi_refuse(v,
                   "in a new run the dual of the paper is checked in %lld steps and valid in %lld, "
                   "but the stored result states other numbers",
                   (long long)found->duals_checked, (long long)found->duals_valid);
    else if (claimed->faint != found->faint)
        chi_refuse(v, "%lld columns are faint, but the stored result states %lld",
                   (long long)found->faint, (long long)claimed->faint);
    else if (claimed->iterations != found->iterations ||
             !same(claimed->select_objective, found->select_objective, 0) ||
             !same(claimed->select_gap, found->select_gap,
                   CHI_ROUNDING * fmax(1, fabs(found->select_objective))))
        chi_refuse(
            v,
            "in a new run the optimisation that selects the anchors has an objective of %.12g, a "
            "gap of %.3g and %lld iterations, but the stored result states other numbers",
            found->select_objective, found->select_gap, (long long)found->iterations);
    else if (claimed->status != status)
        chi_refuse(v, "a new run ends with the status \"%s\", but the stored result states \"%s\"",
                   ch_status_name(status), ch_status_name(claimed->status));
}

static void compare(ch_verification *v, const ch_anchors_result *claimed,
                    const ch_anchors_result *found, const ch_anchors_settings *set, double scale) {
    const chi_method *method = chi_method_find(set->method);
    double slack = CHI_ROUNDING * scale;
    /* Methods of the spa family have their own scale of residuals, so the slack does not apply. */
    int own = !method->last_residual, squared = !own && chi_loss_of(set) == CH_LOSS_L2;
    compare_anchors(v, claimed, found);
    if (v->ok && set->method == CH_METHOD_XRAY) compare_steps(v, claimed, found);
    if (v->ok)
        compare_residuals(v, claimed, found, claimed->rank - method->last_residual, own ? 0 : slack,
                          1 + squared);
    if (v->ok)
        compare_list(v, claimed->weights, found->weights, claimed->rank, 0, "list of weights");
    if (v->ok)
        compare_list(v, claimed->objective_path, found->objective_path, claimed->rank, slack,
                     "path of objectives");
    if (v->ok && found->H && !same(claimed->objective, found->objective, slack))
        chi_refuse(v,
                   "a new run with the stored settings has an objective of %.12g, but the stored "
                   "result states %.12g",
                   found->objective, claimed->objective);
    if (v->ok && set->refine > 0) chi_compare_refined(v, claimed, found, set->tol);
    if (v->ok) compare_counts(v, claimed, found);
}

ch_status chi_verify_repeat(ch_context *context, ch_verification *v, const ch_matrix *X,
                            const ch_anchors_result *result, const ch_anchors_settings *settings,
                            const chi_columns_verdict *verdict) {
    ch_anchors_settings set = *settings;
    ch_anchors_result found = {.size = sizeof found};
    set.select_only = !set.path && !set.refine && verdict->has_gap;
    set.keep_duals = 1;
    set.checkpoint = NULL;
    ch_status status = ch_anchors(context, &found, X, &set);
    if (status == CH_ERR_SETTING || status == CH_ERR_DATA) {
        chi_refuse(v, "the stored settings are invalid, so no run can have used them: %s",
                   ch_context_message(context));
        return CH_OK;
    }
    if (status < 0) return status;
    if (status == CH_STOP_CANCELLED) {
        ch_anchors_result_free(context, &found);
        return (ch_status)CHI_CANCELLED;
    }
    compare(v, result, &found, settings, verdict->scale);
    ch_anchors_result_free(context, &found);
    return CH_OK;
}
