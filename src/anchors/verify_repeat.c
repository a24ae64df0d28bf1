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
        chi_refuse(v, "the settings lead to %lld anchors, not to %lld", (long long)found->rank,
                   (long long)claimed->rank);
        return;
    }
    for (int64_t k = 0; v->ok && k < claimed->rank; k++)
        if (claimed->anchors[k] != found->anchors[k])
            chi_refuse(v, "by the rule of the settings, anchor %lld is column %lld, not %lld",
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
        chi_refuse(v, "the seed of p does not follow from the seed of the settings");
    else if (claimed->steps != found->steps)
        chi_refuse(v, "the settings lead to %lld steps, not to %lld", (long long)found->steps,
                   (long long)claimed->steps);
    for (int64_t s = 0; v->ok && s < claimed->steps; s++) {
        if (claimed->step_anchor[s] != found->step_anchor[s])
            chi_refuse(v, "by the rule of the settings, step %lld takes column %lld, not %lld",
                       (long long)s, (long long)found->step_anchor[s],
                       (long long)claimed->step_anchor[s]);
        else if (claimed->step_exterior[s] != found->step_exterior[s])
            chi_refuse(v,
                       "by the rule of the settings, step %lld has the exterior column %lld, not "
                       "%lld",
                       (long long)s, (long long)found->step_exterior[s],
                       (long long)claimed->step_exterior[s]);
        else if (!same_dual(claimed->step_dual + s * claimed->dual_rows,
                            found->step_dual + s * claimed->dual_rows, claimed->dual_rows))
            chi_refuse(v, "the dual of step %lld is not the one that the settings lead to",
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
            chi_refuse(v, "the residual after anchor %lld is %.12g, not %.12g as stored",
                       (long long)k, found->max_residual[k], claimed->max_residual[k]);
}

/* Both lists, or neither, must exist. */
static void compare_list(ch_verification *v, const double *claimed, const double *found,
                         int64_t count, double slack, const char *what) {
    if (!claimed != !found)
        chi_refuse(v, "the %s %s by the settings", what, claimed ? "does not exist" : "is missing");
    for (int64_t k = 0; v->ok && claimed && k < count; k++)
        if (!same(claimed[k], found[k], slack))
            chi_refuse(v, "entry %lld of the %s is %.12g, not %.12g as stored", (long long)k, what,
                       found[k], claimed[k]);
}

static void compare_counts(ch_verification *v, const ch_anchors_result *claimed,
                           const ch_anchors_result *found) {
    ch_status status =
        claimed->unproven + claimed->refined_unproven > 0 ? CH_STOP_INACCURATE : found->status;
    if (claimed->duals_checked != found->duals_checked ||
        claimed->duals_valid != found->duals_valid)
        chi_refuse(v, "the paper's dual was checked in %lld steps and valid in %lld",
                   (long long)found->duals_checked, (long long)found->duals_valid);
    else if (claimed->faint != found->faint)
        chi_refuse(v, "%lld columns are faint, not %lld as stored", (long long)found->faint,
                   (long long)claimed->faint);
    else if (claimed->iterations != found->iterations ||
             !same(claimed->select_objective, found->select_objective, 0) ||
             !same(claimed->select_gap, found->select_gap,
                   CHI_ROUNDING * fmax(1, fabs(found->select_objective))))
        chi_refuse(v,
                   "the optimisation that selected the anchors has an objective of %.12g, a gap of "
                   "%.3g and %lld iterations, not as stored",
                   found->select_objective, found->select_gap, (long long)found->iterations);
    else if (claimed->status != status)
        chi_refuse(v, "the run ends with \"%s\", not with \"%s\" as stored", ch_status_name(status),
                   ch_status_name(claimed->status));
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
        chi_refuse(v, "the settings lead to an objective of %.12g, not of %.12g as stored",
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
        chi_refuse(v, "no run has these settings: %s", ch_context_message(context));
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
