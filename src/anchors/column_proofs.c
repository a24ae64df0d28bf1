/* The loss and gap of every column, for maps. This is the check of H in ch_verify(), with numbers
 * per column instead of the worst one. */
#include "anchors/verify.h"
#include "base/sized.h"
#include <float.h>

static ch_status check_result(ch_context *context, const ch_matrix *X,
                              const ch_anchors_result *result) {
    if (!result->W || !result->H || result->rank < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the proofs of columns cannot be computed, because the result contains no "
                        "anchors, W or H");
    if (result->rows != X->rows || result->cols != X->cols)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the result belongs to a matrix with another number of rows or columns than X");
    for (int64_t e = 0; e < result->rank * result->cols; e++)
        if (!(result->H[e] >= 0 && result->H[e] <= DBL_MAX))
            return chi_fail(
                context, CH_ERR_DATA,
                "H has an entry that is negative or not finite at row %lld, column %lld",
                (long long)(e % result->rank), (long long)(e / result->rank));
    return CH_OK;
}

static ch_status prove(ch_context *context, chi_columns_verdict *verdict, const chi_usable *usable,
                       const ch_anchors_result *result, const ch_anchors_settings *resolved) {
    ch_verification v = {.size = sizeof v, .ok = 1}; /* its verdict is ignored */
    TRY(check_result(context, usable->X, result));
    chi_begin_phase(context, "prove", 0);
    return chi_verify_columns(context, &v, verdict, usable, result, resolved);
}

ch_status ch_column_proofs(ch_context *context, double *losses, double *gaps, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *settings) {
    if (!context || !X || !result || !settings) return CH_ERR_ARGUMENT;
    ch_anchors_result own = {.size = sizeof own};
    ch_anchors_settings set = {.size = sizeof set}, given = {.size = sizeof given};
    chi_columns_verdict verdict = {.losses = losses, .errors = gaps};
    TRY(chi_sized_take(context, &own, sizeof own, result, "ch_anchors_result"));
    TRY(chi_settings_take(context, &given, ch_anchors_table(), settings));
    given.checkpoint = NULL;
    chi_survey survey;
    chi_usable usable;
    chi_call call = {"ch_column_proofs", X, &given, NULL, 0};
    ch_status status = chi_survey_input(context, &survey, &usable, NULL, &set, &call, 0);
    if (status == CH_OK) status = chi_settings_resolve(context, &set, &survey, usable.X);
    chi_survey_free(&survey);
    if (status == CH_OK) status = prove(context, &verdict, &usable, &own, &set);
    chi_usable_free(context, &usable);
    return chi_outside_status(status);
}
