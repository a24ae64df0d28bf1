/* ch_anchors(): runs the selection of the method, then computes H for its anchors in the same way
 * for every method. The result is built separately and copied to the caller when it is complete. */
#include "anchors/advice.h"
#include "anchors/anchors_internal.h"
#include "anchors/hull_lift.h"
#include "anchors/known_columns.h"
#include "anchors/refine/refine.h"
#include "base/sized.h"
#include "checkpoint/run_identity.h"
#include "linalg/distribution.h"
#include "project/columns/project_all.h"
#include "xray/xray.h"
#include <string.h>

#include <math.h>

/* ---- H for the anchors --------------------------------------------------------------------- */

/* Fills W with the anchors: columns of the data, with completed entries but not weighted, or of the
 * library (which only runs with one process have). */
static ch_status gather_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                                const ch_anchors_settings *set) {
    chi_distribution spread;
    ch_status status = chi_distribution_create(context, &spread, X);
    result->W = chi_alloc(context, X->rows * result->rank, sizeof *result->W);
    if (status == CH_OK && !result->W)
        status = chi_no_memory(context, "W", X->rows * result->rank, sizeof(double));
    status = ch_comm_agree(context, status);
    for (int64_t k = 0; status == CH_OK && k < result->rank; k++) {
        double *w = result->W + k * X->rows;
        if (set->library)
            chi_pool_column(w, X, set, result->anchors[k]);
        else
            status = chi_distribution_column(&spread, w, result->anchors[k]);
    }
    chi_distribution_destroy(&spread);
    return status;
}

static void take_sums(ch_anchors_result *result, const chi_projected *all) {
    result->objective = all->objective;
    result->certificate = all->certificate;
    result->unproven = all->unproven;
    result->pivots += all->pivots;
    result->dual_start = all->dual_start;
    result->dual_row = all->dual_row;
    result->dual_value = all->dual_value;
}

/* Projects all columns. With `path`, anchors enter the cone one at a time, so that the objective is
 * known for each rank. */
static ch_status project_ranks(ch_context *context, ch_anchors_result *result, double *H,
                               chi_cone *cone, const chi_projector *projector,
                               const chi_spanning *c, chi_parts *parts,
                               const ch_anchors_settings *settings) {
    const chi_method *method = chi_method_find(settings->method);
    chi_weights_sink sink = {.take = settings->take_weights,
                             .user = settings->take_weights_user,
                             .origin = c->origin,
                             .sums = parts->sums,
                             .parts = parts->count};
    chi_projected all = {0};
    int64_t first = settings->path || result->rank == 0 ? 0 : result->rank - 1;
    if (!settings->path) chi_cone_fill(context, cone, c->W, c->count);
    if (settings->path && c->origin) chi_cone_append(cone, c->W);
    for (int64_t k = first; k < result->rank; k++) {
        int last = k + 1 == result->rank;
        if (settings->path) chi_cone_append(cone, c->W + (k + c->origin) * c->X->rows);
        TRY_OK(chi_project_all(context, &all, last ? H : NULL, projector,
                               last && settings->keep_duals, settings->checkpoint,
                               last && sink.take ? &sink : NULL));
        if (settings->path) result->objective_path[k] = all.objective;
        if (last ? method->last_residual : method->by_program)
            result->max_residual[k] = all.largest;
    }
    take_sums(result, &all);
    result->zero_weights = sink.zero_weights;
    return CH_OK;
}

/* Changes the lift of a selection into that of the projection of usable->X onto W. */
static ch_status lift_again(ch_context *context, chi_lift *lift, const chi_usable *usable,
                            const double *W, int64_t rank, const ch_anchors_settings *settings) {
    double unit = chi_lift_unit_of(W, usable->X->rows, rank, settings);
    if (usable->seen == usable->X) {
        chi_lift_set_unit(lift, unit);
        return CH_OK;
    }
    chi_lift_destroy(context, lift); /* the anchors were selected from another matrix */
    return chi_lift_columns(context, lift, usable->X, unit, settings);
}

/* Computes H for W, the anchors with weighted rows. On a hull, lift holds the lifted columns of the
 * selection; else it is NULL. */
static ch_status project_on(ch_context *context, ch_anchors_result *result, const double *W,
                            chi_parts *parts, const chi_usable *usable, chi_lift *lift,
                            const ch_anchors_settings *settings) {
    const ch_matrix *X = usable->X;
    chi_cone cone = {0};
    chi_projector projector = {0};
    chi_spanning c = {0};
    ch_status status = CH_OK;
    if (lift) status = lift_again(context, lift, usable, W, result->rank, settings);
    if (status == CH_OK)
        status = chi_spanning_make(context, &c, lift ? &lift->X : X, W, result->rank, lift);
    int whole = status == CH_OK && !settings->take_weights;
    double *H = whole ? chi_alloc(context, c.count * X->cols, sizeof *H) : NULL;
    if (status == CH_OK && whole && !H)
        status = chi_no_memory(context, "H", c.count * X->cols, sizeof *H);
    if (status == CH_OK && settings->path) {
        result->objective_path = chi_alloc(context, result->rank, sizeof(double));
        if (!result->objective_path)
            status = chi_no_memory(context, "path", result->rank, sizeof(double));
    }
    if (status == CH_OK) status = chi_cone_create(context, &cone, c.X->rows, c.count);
    if (status == CH_OK)
        status =
            chi_projector_create_trusting(context, &projector, &cone, c.X, usable->trust, settings);
    status = ch_comm_agree(context, status);
    if (status == CH_OK)
        status = project_ranks(context, result, H, &cone, &projector, &c, parts, settings);
    if (status == CH_OK) {
        if (c.origin && H) chi_lift_drop_origin(H, result->rank, X->cols);
        result->H = H;
        H = NULL;
    } else {
        chi_free(context, result->objective_path);
        result->objective_path = NULL;
    }
    chi_projector_destroy(&projector);
    chi_cone_destroy(&cone);
    chi_free(context, c.lifted);
    chi_free(context, H);
    return status;
}

/* Computes H, and what can be said about the result. */
static ch_status project(ch_context *context, ch_anchors_result *result, const chi_scale *scale,
                         const chi_usable *usable, chi_lift *lift,
                         const ch_anchors_settings *settings) {
    double *W = NULL;
    chi_parts parts = {0};
    ch_status status = chi_parts_make(context, &parts, result);
    if (status == CH_OK)
        status = chi_weighted_anchors(context, &W, result->W, usable, result->rank);
    status = ch_comm_agree(context, status);
    if (status == CH_OK)
        status = project_on(context, result, W ? W : result->W, &parts, usable, lift, settings);
    if (status == CH_OK) status = chi_advise(context, result, &parts, scale, usable, settings);
    chi_free(context, W);
    chi_parts_free(context, &parts);
    return status;
}

/* Marks the entries of W that were missing in the data. */
static ch_status mark_completed(ch_context *context, ch_anchors_result *result,
                                const chi_usable *usable) {
    int64_t rows = usable->data->rows, count = rows * result->rank;
    if (usable->unknown == 0) return CH_OK;
    result->completed_entries = chi_alloc_zero(context, count, 1);
    if (!result->completed_entries) return chi_no_memory(context, "completed entries", count, 1);
    for (int64_t k = 0; k < result->rank; k++) {
        if (result->anchors[k] >= usable->data->cols) continue; /* the library is complete */
        const unsigned char *known = usable->mark + result->anchors[k] * rows;
        for (int64_t i = 0; i < rows; i++) {
            result->completed_entries[i + k * rows] = !known[i];
            result->completed += !known[i];
        }
    }
    return CH_OK;
}

/* ---- the run ------------------------------------------------------------------------------- */

/* Runs the selection, or restores it from an earlier run. */
static ch_status select_or_restore(ch_context *context, ch_anchors_result *result,
                                   ch_status *status, const ch_matrix *X, const chi_survey *survey,
                                   const ch_anchors_settings *settings) {
    int found;
    TRY(chi_selection_restore(context, result, status, &found, X, settings));
    if (found) return CH_OK;
    *status = chi_outside_status(chi_method_select(context, result, X, survey, settings));
    if (*status < 0 || *status == CH_STOP_CANCELLED) return *status;
    return chi_selection_save(context, result, *status, settings);
}

/* Like select_or_restore(), for a hull: selects among the lifted columns. */
static ch_status select_lifted(ch_context *context, ch_anchors_result *result, ch_status *status,
                               chi_lift *lift, const ch_matrix *X, const chi_survey *survey,
                               const ch_anchors_settings *settings) {
    ch_anchors_settings set = *settings, plain = *settings;
    TRY(chi_lift_create(context, lift, &set, X, survey));
    result->dual_rows = lift->X.rows;
    /* spa must not rescale the columns of a hull. With the origin in it, spa works on X itself. */
    set.plain = plain.plain = 1;
    if (set.method == CH_METHOD_SPA && lift->origin)
        return select_or_restore(context, result, status, X, survey, &plain);
    ch_status done = select_or_restore(context, result, status, &lift->X, &lift->survey, &set);
    if (done >= 0) chi_lift_strip(result, lift);
    return done;
}

/* Selects anchors from the pool, then computes H for the columns of X. */
static ch_status find(ch_context *context, ch_anchors_result *result, const chi_usable *usable,
                      chi_pool *pool, chi_lift *lift, chi_survey *survey,
                      const ch_anchors_settings *settings) {
    const ch_matrix *X = pool->X;
    double start = chi_seconds(), exchanged = chi_exchange_seconds(context);
    ch_status status = CH_OK;
    if (chi_lifts(settings))
        TRY(select_lifted(context, result, &status, lift, X, survey, settings));
    else
        TRY(select_or_restore(context, result, &status, X, survey, settings));
    chi_scale scale;
    TRY(chi_scale_take(context, &scale, survey, usable->X->cols));
    chi_survey_free(survey); /* H needs the memory */
    chi_survey_free(&lift->survey);
    if (result->rank == 0 && status != CH_STOP_CANCELLED)
        return chi_fail(context, CH_ERR_DATA,
                        "no column of the data can be an anchor; all columns are zero, too faint, "
                        "too incomplete or have weight 0");
    TRY(gather_anchors(context, result, usable->data, settings));
    TRY(mark_completed(context, result, usable));
    ch_matrix_free(context, &pool->own); /* H needs the memory */
    double selected = chi_seconds();
    result->seconds_select = selected - start;
    result->exchange_select = chi_exchange_seconds(context) - exchanged;
    if (settings->selected && status != CH_STOP_CANCELLED)
        settings->selected(settings->selected_user, result);
    if (!settings->select_only && status != CH_STOP_CANCELLED) {
        ch_status projected =
            project(context, result, &scale, usable, chi_lifts(settings) ? lift : NULL, settings);
        if (projected == CH_OK && settings->refine > 0)
            projected = chi_outside_status(chi_refine(context, result, usable, settings));
        if (projected != CH_OK) status = projected;
        int ended = status >= 0 && status != CH_STOP_CANCELLED;
        if (ended && result->unproven + result->refined_unproven > 0) status = CH_STOP_INACCURATE;
        result->seconds_project = chi_seconds() - selected;
        exchanged += result->exchange_select;
        result->exchange_project = chi_exchange_seconds(context) - exchanged;
    }
    return status;
}

/* Makes the pool what anchors are selected from, and replaces the survey by a survey of it. */
static ch_status look_at_seen(ch_context *context, chi_survey *survey, chi_pool *pool,
                              const chi_usable *usable, const ch_anchors_settings *set) {
    chi_survey seen;
    double *bright;
    TRY(chi_pool_see(context, pool, set, usable));
    const ch_matrix *X = pool->X;
    if (usable->seen == usable->X)
        return chi_usable_bright(usable, &survey->arena, &survey->bright, survey->sums, X->cols);
    int wanted = CHI_SURVEY_SUMS | chi_select_wants(context, X, set);
    ch_status status = chi_survey_make(context, &seen, X, wanted);
    if (status == CH_OK)
        status = chi_usable_bright(usable, &seen.arena, &bright, survey->sums, X->cols);
    if (status < 0) {
        chi_survey_free(&seen);
        return status;
    }
    seen.bright = bright;
    seen.nonzeros = survey->nonzeros;
    chi_survey_free(survey);
    *survey = seen;
    return CH_OK;
}

/* Makes everything that the selection needs. */
static ch_status prepare(ch_context *context, ch_anchors_settings *set, chi_survey *survey,
                         chi_usable *usable, chi_pool *pool, const ch_matrix *given_X,
                         const ch_anchors_settings *given) {
    chi_call call = {"ch_anchors", given_X, given, NULL, 0};
    TRY(chi_survey_input(context, survey, usable, pool, set, &call, 1));
    const ch_matrix *X = pool->X;
    chi_run_identity run = {.table = ch_anchors_table(),
                            .settings = set,
                            .aside = "select-only",
                            .list_name = "keep",
                            .list = set->keep,
                            .list_count = set->keep_count,
                            .list_size = sizeof *set->keep,
                            .duals = set->keep_duals != 0,
                            .hash = survey->hash};
    if (set->checkpoint) run.hash = chi_usable_hash(usable, run.hash);
    if (set->method != CH_METHOD_XRAY) TRY(chi_check_sizes(context, survey->sums, X->cols));
    TRY(chi_identity_settle(context, set->checkpoint, X, &run));
    TRY(chi_settings_resolve(context, set, survey, X));
    TRY(chi_method_applies(context, set));
    TRY(chi_total(context, &survey->nonzeros, 1));
    if (usable->nonzeros >= 0) survey->nonzeros = usable->nonzeros;
    return look_at_seen(context, survey, pool, usable, set);
}

static ch_status check_arguments(ch_context *context, const ch_anchors_result *result,
                                 const ch_matrix *X, const ch_anchors_settings *settings) {
    if (!result || !X || !settings)
        return chi_fail(context, CH_ERR_ARGUMENT, "result, X and settings must not be NULL");
    return chi_sized_check(context, result, "ch_anchors_result");
}

ch_status ch_anchors(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const ch_anchors_settings *settings) {
    if (!context) return CH_ERR_ARGUMENT;
    ch_status refused = check_arguments(context, result, X, settings);
    if (refused < 0) return chi_compare_calls(context, NULL, NULL, refused);
    ch_anchors_settings resolved = {.size = sizeof resolved};
    chi_survey survey;
    chi_lift lift = {0};
    chi_usable usable;
    chi_pool pool;
    ch_status status =
        chi_outside_status(prepare(context, &resolved, &survey, &usable, &pool, X, settings));
    ch_anchors_result made = {.size = sizeof made,
                              .rows = X->rows,
                              .dual_rows = X->rows,
                              .clipped = usable.clipped.count,
                              .clipped_mass = usable.clipped.mass,
                              .unknown = usable.unknown,
                              .incomplete = usable.incomplete,
                              .cols = X->cols,
                              .objective = NAN,
                              .select_objective = NAN,
                              .select_gap = NAN,
                              .refined_objective = NAN,
                              .unexplained = NAN,
                              .nonzeros = survey.nonzeros,
                              .library = chi_library_cols(&resolved),
                              .floor = resolved.floor};
    memcpy(made.barred, usable.barred_first, sizeof made.barred);
    if (status == CH_OK) status = find(context, &made, &usable, &pool, &lift, &survey, &resolved);
    chi_lift_destroy(context, &lift);
    chi_survey_free(&survey);
    chi_pool_free(context, &pool);
    chi_usable_free(context, &usable);
    made.status = status;
    if (status < 0)
        ch_anchors_result_free(context, &made);
    else
        chi_result_give(result, &made, sizeof made);
    return status;
}

void ch_anchors_result_free(ch_context *context, ch_anchors_result *result) {
    if (!result) return;
    void *arrays[] = {result->anchors,
                      result->max_residual,
                      result->weights,
                      result->objective_path,
                      result->W,
                      result->H,
                      result->step_exterior,
                      result->step_anchor,
                      result->step_dual,
                      result->dual_start,
                      result->dual_row,
                      result->dual_value,
                      result->refined_W,
                      result->refined_H,
                      result->refined_path,
                      result->refined_angle,
                      result->completed_entries};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) chi_free(context, arrays[i]);
    chi_result_clear(result);
}
