/* Checks refined factors W~ and H~. From the stored factors alone it checks that they are not
 * negative, that H~ is as good as the projection onto W~, and that the loss and the angles are as
 * stored. chi_compare_refined() also compares the stored rounds with repeated ones
 * (verify_repeat.c). */
#include "anchors/refine/refine.h"
#include "anchors/verify.h"
#include "project/columns/project_all.h"
#include <math.h>

/* Repeated rounds may differ by this share, because differences between kernel sets add up. */
static const double same_rounds = 1e-6;

static int has_all(const ch_anchors_result *result) {
    return result->refined_W && result->refined_H && result->refined_angle &&
           (result->refined_path || result->refined_rounds == 0);
}

static int all_usable(const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!(values[i] >= 0 && values[i] < INFINITY)) return 0;
    return 1;
}

static void check_angles(ch_verification *v, const ch_anchors_result *result) {
    for (int64_t k = 0; v->ok && k < result->rank; k++) {
        double angle = chi_angle_between(result->refined_W + k * result->rows,
                                         result->W + k * result->rows, result->rows);
        if (!(fabs(angle - result->refined_angle[k]) <= 1e-5)) /* accuracy of acos near 1 */
            chi_refuse(v,
                       "the angle between component %lld and its anchor is %.9g degrees, but the "
                       "stored result states %.9g",
                       (long long)k, angle, result->refined_angle[k]);
    }
}

/* Computes the loss of the stored factors. */
static ch_status measure(ch_context *context, double *loss, const chi_usable *usable,
                         const ch_anchors_result *result, const ch_anchors_settings *resolved) {
    ch_verification v = {.size = sizeof v, .ok = 1}; /* ignored: its verdict would need duals */
    chi_columns_verdict verdict = {0};
    ch_anchors_result refined = *result;
    refined.W = result->refined_W;
    refined.H = result->refined_H;
    refined.dual_start = NULL;
    TRY(chi_verify_columns(context, &v, &verdict, usable, &refined, resolved));
    *loss = v.objective;
    return CH_OK;
}

/* Computes the loss of the best H for the stored W~. */
static ch_status project_again(ch_context *context, double *loss, const chi_usable *usable,
                               const ch_anchors_result *result,
                               const ch_anchors_settings *resolved) {
    chi_projected best;
    ch_status status =
        chi_project_onto(context, &best, usable, result->refined_W, result->rank, resolved);
    if (status == CH_OK) *loss = best.objective;
    return status == CH_STOP_CANCELLED ? (ch_status)CHI_CANCELLED : status;
}

/* Checks that rows in which nothing counts hold the values of the anchors. */
static ch_status check_idle_rows(ch_context *context, ch_verification *v, const chi_usable *usable,
                                 const ch_anchors_result *result) {
    chi_arena arena = {.context = context};
    unsigned char *counts;
    ch_status status = chi_rows_that_count(usable, &arena, &counts);
    for (int64_t e = 0; status == CH_OK && counts && e < result->rows * result->rank; e++)
        if (!counts[e % result->rows] && result->refined_W[e] != result->W[e])
            chi_refuse(v,
                       "row %lld has no known entry of positive weight, so the refined W must keep "
                       "the values of the anchors there, but it differs from them",
                       (long long)(e % result->rows));
    chi_arena_free(&arena);
    return status;
}

ch_status chi_verify_refined(ch_context *context, ch_verification *v, const chi_usable *usable,
                             const ch_anchors_result *result, const ch_anchors_settings *resolved,
                             const chi_columns_verdict *verdict) {
    const ch_matrix *X = usable->X;
    if (!has_all(result))
        chi_refuse(v, "the stored result does not contain the refined factors");
    else if (!all_usable(result->refined_W, X->rows * result->rank) ||
             !all_usable(result->refined_H, X->cols * result->rank))
        chi_refuse(v, "a refined factor contains a value that is negative or not finite");
    else
        check_angles(v, result);
    if (v->ok) TRY(check_idle_rows(context, v, usable, result));
    if (!v->ok) return CH_OK;
    double own = NAN, best = NAN, loss = result->refined_objective,
           slack = CHI_ROUNDING * verdict->scale;
    TRY(measure(context, &own, usable, result, resolved));
    TRY(project_again(context, &best, usable, result, resolved));
    if (!(fabs(own - loss) <= slack + 1e-9 * fabs(own)))
        chi_refuse(v,
                   "the refined factors have a loss of %.12g, but the stored result states %.12g",
                   own, loss);
    else if (!(own <= best + (resolved->tol + 1e-9) * verdict->scale))
        chi_refuse(
            v, "the refined H is not optimal: its loss is %.12g, but a loss of %.12g is possible",
            own, best);
    return CH_OK;
}

static int near(double claimed, double found) {
    return fabs(claimed - found) <= same_rounds * fabs(found) || claimed == found;
}

void chi_compare_refined(ch_verification *v, const ch_anchors_result *claimed,
                         const ch_anchors_result *found, double tol) {
    if (claimed->refined_rounds != found->refined_rounds)
        chi_refuse(v,
                   "a new run with the stored settings takes %lld rounds of refinement, but the "
                   "stored result states %lld",
                   (long long)found->refined_rounds, (long long)claimed->refined_rounds);
    else if (claimed->refined_unproven != found->refined_unproven)
        chi_refuse(v,
                   "in a new run %lld projections of the refinement are not proven, but the stored "
                   "result states %lld",
                   (long long)found->refined_unproven, (long long)claimed->refined_unproven);
    else if (!chi_proofs_agree(claimed->refined_certificate.gap, found->refined_certificate.gap,
                               tol) ||
             !chi_proofs_agree(claimed->refined_certificate.dual_infeasibility,
                               found->refined_certificate.dual_infeasibility, tol) ||
             !chi_proofs_agree(claimed->refined_certificate.stationarity,
                               found->refined_certificate.stationarity, tol))
        chi_refuse(v, "the stored certificate of the refinement differs from that of a new run");
    for (int64_t k = 0; v->ok && k < 2 * claimed->refined_rounds; k++)
        if (!near(claimed->refined_path[k], found->refined_path[k]))
            chi_refuse(v,
                       "half-step %lld of the refinement has a loss of %.12g in a new run, but the "
                       "stored result states %.12g",
                       (long long)k, found->refined_path[k], claimed->refined_path[k]);
}
