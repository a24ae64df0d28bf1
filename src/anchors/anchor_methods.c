/* The methods that choose anchors. A new method is a new row of the table. */
#include "anchors/anchors_internal.h"
#include "base/processes.h"
#include "baseline/baseline.h"
#include "project/columns/projector.h"
#include "xray/xray.h"

#include <math.h>

static ch_status xray_applies(ch_context *context, const ch_anchors_settings *set) {
    const chi_measure *measure = chi_measure_find(set->loss);
    int pairs = set->exterior == CH_EXTERIOR_DIST || set->exterior == CH_EXTERIOR_GREEDY;
    if (pairs && !measure->all_pairs)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the settings exterior = dist and exterior = greedy can be used with the loss l2 only");
    if (set->dual == CH_DUAL_PAPER && set->loss != CH_LOSS_L1)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting dual = paper can be used with the loss l1 only");
    if (set->dual == CH_DUAL_PAPER && set->hull != CH_HULL_CONE)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting dual = paper can be used with hull = cone only");
    if (pairs && set->hull != CH_HULL_CONE)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the settings exterior = dist and exterior = greedy can be used with hull = cone only");
    return CH_OK;
}

static const chi_method methods[] = {
    [CH_METHOD_XRAY] = {.name = "xray", .select = chi_select, .last_residual = 1},
    [CH_METHOD_SPA] = {.name = "spa", .baseline = chi_spa, .needs_rank = 1},
    [CH_METHOD_HOTTOPIXX] = {.name = "hottopixx",
                             .baseline = chi_hottopixx,
                             .needs_rank = 1,
                             .by_program = 1,
                             .last_residual = 1,
                             .alone = 1},
    [CH_METHOD_SMRS] =
        {.name = "smrs", .baseline = chi_smrs, .by_program = 1, .last_residual = 1, .alone = 1},
    [CH_METHOD_SNPA] = {.name = "snpa", .baseline = chi_snpa, .needs_rank = 1, .alone = 1},
    [CH_METHOD_PSPA] = {.name = "pspa",
                        .baseline = chi_preconditioned_spa,
                        .needs_rank = 1,
                        .alone = 1},
    [CH_METHOD_SMOOTHED_SPA] = {.name = "smoothed-spa",
                                .baseline = chi_smoothed_spa,
                                .needs_rank = 1,
                                .alone = 1},
    [CH_METHOD_RANDOM_SPA] = {.name = "random-spa",
                              .baseline = chi_random_spa,
                              .needs_rank = 1,
                              .alone = 1},
    [CH_METHOD_FGNSR] = {.name = "fgnsr",
                         .baseline = chi_fgnsr,
                         .needs_rank = 1,
                         .by_program = 1,
                         .last_residual = 1,
                         .alone = 1},
};

const chi_method *chi_method_find(int method) {
    return &methods[method];
}

ch_status chi_method_applies(ch_context *context, const ch_anchors_settings *settings) {
    const chi_method *method = chi_method_find(settings->method);
    if (method->alone && chi_process_count(context) > 1)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the method %s does not support several processes; use xray or spa, or one process",
            method->name);
    if (method->needs_rank && settings->rank == 0)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the method %s cannot choose the rank (xray and smrs can); give a rank of 1 or more",
            method->name);
    if (settings->refine > 0 && chi_process_count(context) > 1)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the setting 'refine' cannot be used with several processes, because it "
                        "needs all columns in one process");
    if (settings->refine > 0 && settings->hull != CH_HULL_CONE)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the setting 'refine' can be used with hull = cone only, because its rounds "
            "solve for weights whose sum is free; leave out one of the two");
    if (chi_has_trust(settings) && !method->select)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "missing entries, column_weights and weights can be used with the method "
                        "xray only, not with %s; row_weights can be used with all methods",
                        method->name);
    if (settings->refine > 0 && settings->select_only)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'refine' cannot be used with 'select_only', because 'select_only' "
            "computes no weights");
    if (settings->take_weights && (settings->refine > 0 || chi_process_count(context) > 1))
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the setting 'take_weights' cannot be used with several processes or with 'refine'");
    if (settings->tau > 0 && settings->largest)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the settings 'tau' and 'largest' cannot be used together, because 'tau' limits "
            "every residual and 'largest' minimises the largest one");
    if (settings->faint > 0 && !method->select)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'faint' can be used with the method xray only, not with %s",
                        method->name);
    if (settings->hull != CH_HULL_CONE && !method->select && settings->method != CH_METHOD_SPA)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'hull' can be used with the methods xray and spa only, not with %s",
            method->name);
    return method->select ? xray_applies(context, settings) : CH_OK;
}

/* Runs a method other than xray. With rank 0 the method chooses the number of anchors, so there may
 * be one for every column. */
static ch_status select_baseline(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                                 const ch_anchors_settings *settings, const chi_method *method) {
    int64_t most = settings->rank ? settings->rank : X->cols;
    result->anchors = chi_alloc(context, most, sizeof *result->anchors);
    result->max_residual = chi_alloc(context, most, sizeof *result->max_residual);
    if (method->by_program) result->weights = chi_alloc(context, most, sizeof *result->weights);
    ch_status status = CH_OK;
    if (!result->anchors || !result->max_residual || (method->by_program && !result->weights))
        status = chi_no_memory(context, "anchors", most, sizeof *result->anchors);
    TRY(ch_comm_agree(context, status));
    for (int64_t k = 0; k < most; k++) result->max_residual[k] = NAN;
    chi_selection found = {.anchors = result->anchors,
                           .max_residual = result->max_residual,
                           .weights = result->weights,
                           .objective = NAN,
                           .gap = NAN};
    status = method->baseline(context, &found, X, settings);
    result->rank = found.rank;
    result->select_objective = found.objective;
    result->select_gap = found.gap;
    result->iterations = found.iterations;
    return status;
}

ch_status chi_method_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const chi_survey *survey, const ch_anchors_settings *settings) {
    const chi_method *method = chi_method_find(settings->method);
    return method->select ? method->select(context, result, X, survey, settings)
                          : select_baseline(context, result, X, settings, method);
}
