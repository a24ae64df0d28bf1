/* ch_project(): projects the columns of any X onto a given W, like the last step of
 * ch_anchors(). */
#include "anchors/anchors_internal.h"
#include "anchors/hull_lift.h"
#include "base/processes.h"
#include "base/sized.h"
#include "project/columns/project_all.h"

#include <string.h>

static ch_status check_basis(ch_context *context, const double *W, int64_t rows, int64_t rank) {
    chi_survey survey;
    ch_matrix view;
    TRY(ch_matrix_borrow(context, &view, &(ch_matrix){.rows = rows, .cols = rank, .values = W}));
    ch_status status = chi_survey_make(context, &survey, &view, CHI_SURVEY_CHECK | CHI_SURVEY_SUMS);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = chi_check_sizes(context, survey.sums, rank);
    chi_survey_free(&survey);
    return status;
}

ch_status ch_project(ch_context *context, double *H, ch_project_info *info, const ch_matrix *X,
                     const double *W, int64_t rank, const ch_anchors_settings *settings) {
    return chi_project_kept(context, H, info, X, W, rank, settings, NULL);
}

/* Checks and prepares the arguments. *nonzeros becomes the number in X over all processes. */
static ch_status prepare_projection(ch_context *context, ch_anchors_settings *resolved,
                                    int64_t *nonzeros, chi_usable *usable, const chi_call *call) {
    chi_survey survey;
    ch_status status = chi_survey_input(context, &survey, usable, NULL, resolved, call, 0);
    const ch_matrix *X = usable->X;
    if (status == CH_OK) status = chi_check_sizes(context, survey.sums, X->cols);
    if (status == CH_OK) status = chi_settings_resolve(context, resolved, &survey, X);
    *nonzeros = usable->nonzeros >= 0 ? usable->nonzeros : survey.nonzeros;
    chi_survey_free(&survey);
    if (status == CH_OK) status = chi_total(context, nonzeros, 1);
    return status < 0 ? status : check_basis(context, call->W, X->rows, call->rank);
}

/* Projects X onto W. On a hull both must be lifted already. */
static ch_status project_on(ch_context *context, chi_projected *all, double *H,
                            const chi_spanning *on, const chi_trust *trust,
                            const ch_anchors_settings *resolved, const ch_checkpoint *checkpoint) {
    chi_cone cone = {0};
    chi_projector projector = {0};
    ch_status status = chi_cone_create(context, &cone, on->X->rows, on->count);
    int rows_only = !trust && chi_measure_find(resolved->loss)->divergence;
    if (status == CH_OK)
        (rows_only ? chi_cone_fill_rows : chi_cone_fill)(context, &cone, on->W, on->count);
    if (status == CH_OK)
        status = chi_projector_create_trusting(context, &projector, &cone, on->X, trust, resolved);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) status = chi_project_all(context, all, H, &projector, 0, checkpoint, NULL);
    chi_projector_destroy(&projector);
    chi_cone_destroy(&cone);
    return status;
}

/* Projects on a hull: lifts X and W, and drops the row of H that belongs to the origin. */
static ch_status project_lifted(ch_context *context, chi_projected *all, double *H,
                                const chi_spanning *plain, const chi_trust *trust,
                                const ch_anchors_settings *resolved,
                                const ch_checkpoint *checkpoint) {
    const ch_matrix *X = plain->X;
    chi_lift lift;
    chi_spanning on = {.X = X};
    double *larger = NULL, unit = chi_lift_unit_of(plain->W, X->rows, plain->count, resolved);
    ch_status status = chi_lift_columns(context, &lift, X, unit, resolved);
    if (status == CH_OK)
        status = chi_spanning_make(context, &on, &lift.X, plain->W, plain->count, &lift);
    if (status == CH_OK && on.origin) {
        larger = chi_alloc(context, on.count * X->cols, sizeof *larger);
        if (!larger) status = chi_no_memory(context, "H", on.count * X->cols, sizeof *larger);
    }
    status = ch_comm_agree(context, status);
    if (status == CH_OK)
        status = project_on(context, all, larger ? larger : H, &on, trust, resolved, checkpoint);
    if (status == CH_OK && larger) {
        chi_lift_drop_origin(larger, plain->count, X->cols);
        memcpy(H, larger, (size_t)(plain->count * X->cols) * sizeof *H);
    }
    chi_free(context, larger);
    chi_free(context, on.lifted);
    chi_lift_destroy(context, &lift);
    return status;
}

static ch_status check_arguments(ch_context *context, int complete, const ch_project_info *info) {
    if (!complete)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "H, X, W and settings must not be NULL, and rank must be at least 1");
    return info ? chi_sized_check(context, info, "ch_project_info") : CH_OK;
}

ch_status chi_project_onto(ch_context *context, chi_projected *all, const chi_usable *usable,
                           const double *W, int64_t rank, const ch_anchors_settings *resolved) {
    double *weighted;
    TRY(chi_weighted_anchors(context, &weighted, W, usable, rank));
    chi_spanning on = {.X = usable->X, .W = weighted ? weighted : W, .count = rank};
    ch_status status = project_on(context, all, NULL, &on, usable->trust, resolved, NULL);
    chi_free(context, weighted);
    return status;
}

ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                           const ch_matrix *X, const double *W, int64_t rank,
                           const ch_anchors_settings *settings, const ch_checkpoint *checkpoint) {
    if (!context) return CH_ERR_ARGUMENT;
    ch_status refused = check_arguments(context, H && X && W && settings && rank > 0, info);
    if (refused < 0) return chi_compare_calls(context, NULL, NULL, refused);
    ch_anchors_settings resolved;
    ch_project_info done = {.size = sizeof done};
    chi_projected all;
    chi_usable usable;
    double *weighted = NULL;
    chi_call call = {"ch_project", X, settings, W, rank};
    ch_status status =
        chi_outside_status(prepare_projection(context, &resolved, &done.nonzeros, &usable, &call));
    if (status == CH_OK) status = chi_weighted_anchors(context, &weighted, W, &usable, rank);
    chi_spanning on = {.X = usable.X, .W = weighted ? weighted : W, .count = rank};
    double start = chi_seconds();
    if (status == CH_OK)
        status = (chi_lifts(&resolved) ? project_lifted : project_on)(
            context, &all, H, &on, usable.trust, &resolved, checkpoint);
    if (status == CH_OK && info) {
        done.objective = all.objective;
        done.pivots = all.pivots;
        done.unproven = all.unproven;
        done.certificate = all.certificate;
        done.seconds = chi_seconds() - start;
        done.clipped = usable.clipped.count;
        done.clipped_mass = usable.clipped.mass;
        done.unknown = usable.unknown;
        chi_result_give(info, &done, sizeof done);
    }
    if (status == CH_OK && all.unproven > 0) status = CH_STOP_INACCURATE;
    chi_free(context, weighted);
    chi_usable_free(context, &usable);
    return status;
}
