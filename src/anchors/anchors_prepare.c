/* Prepares a selection or a projection: checks settings and data, and computes the floor of a
 * divergence. */
#include "anchors/anchors_internal.h"
#include "anchors/known_columns.h"
#include "base/processes.h"
#include "base/sized.h"
#include "project/columns/projector.h"
#include "xray/xray.h"

#include <math.h>

/* Returns which facts about the data the survey must collect, besides checking them. */
static int wants(const ch_context *context, const ch_anchors_settings *set, const ch_matrix *X,
                 int selects) {
    ch_anchors_settings plain = *set;
    plain.loss = chi_loss_of(set);
    int wanted = CHI_SURVEY_COUNT | CHI_SURVEY_SUMS;
    if (chi_measure_find(plain.loss)->divergence) wanted |= CHI_SURVEY_TOTALS;
    if (plain.loss == CH_LOSS_LOGISTIC) wanted |= CHI_SURVEY_SHARES;
    if (plain.loss == CH_LOSS_L2) wanted |= CHI_SURVEY_SQUARES; /* for the unexplained share */
    if (selects && set->checkpoint) wanted |= CHI_SURVEY_HASH;
    if (selects && set->method == CH_METHOD_XRAY) wanted |= chi_select_wants(context, X, &plain);
    return wanted;
}

static ch_status take_settings(ch_context *context, ch_anchors_settings *set,
                               const chi_call *call) {
    TRY(chi_settings_take(context, set, ch_anchors_table(), call->settings));
    TRY(chi_check_view(context, call->X)); /* wants() uses its sizes */
    if (set->checkpoint) TRY(chi_sized_check(context, set->checkpoint, "ch_checkpoint"));
    if (!chi_projection_find(set->loss, set->projection))
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'projection' does not fit the loss: exact supports l1, quantile and l2; "
            "admm supports l1; cd supports l2, kl, is, beta, logistic and custom");
    if (set->hull != CH_HULL_CONE &&
        (set->projection == CH_PROJECTION_ADMM ||
         (chi_loss_of(set) == CH_LOSS_L2 && set->projection == CH_PROJECTION_CD)))
        return chi_fail(context, CH_ERR_SETTING,
                        "with hull = convex or convex0, the losses l1, quantile and l2 can be used "
                        "with projection = exact only");
    return chi_weights_apply(context, set, call->X);
}

ch_status chi_survey_input(ch_context *context, chi_survey *survey, chi_usable *usable,
                           chi_pool *pool, ch_anchors_settings *set, const chi_call *call,
                           int selects) {
    const ch_matrix *X = call->X;
    int64_t cols = 0;
    *usable = (chi_usable){.data = X, .X = X, .seen = X};
    *survey = (chi_survey){0};
    if (pool) *pool = (chi_pool){.X = X};
    ch_status status = take_settings(context, set, call);
    if (!pool) set->library = NULL;
    if (status == CH_OK && pool) status = chi_pool_check(context, X, set);
    chi_call taken = *call;
    taken.settings = set;
    TRY(chi_compare_calls(context, &cols, &taken, status));
    if (X->rows < 1 || cols < 1)
        return chi_fail(context, CH_ERR_DATA,
                        "the matrix is empty; it has %lld rows and %lld columns",
                        (long long)X->rows, (long long)cols);
    chi_begin_phase(context, "check", 0);
    TRY(chi_usable_make(context, usable, X, set, call->W == NULL));
    X = usable->X;
    if (pool) TRY(chi_pool_make(context, pool, set, usable));
    if (pool) X = pool->X;
    status = chi_survey_make(context, survey, X,
                             CHI_SURVEY_CHECK | CHI_SURVEY_CANCELLABLE |
                                 wants(context, set, X, selects));
    status = ch_comm_agree(context, status);
    if (pool) survey->nonzeros -= pool->nonzeros;
    return status == CH_ERR_DATA ? chi_advise_clipping(context, X, cols) : status;
}

/* Computes the largest column sum of X and the default floor: CHI_FLOOR times the mean of the data,
 * or CHI_FLOOR if all data are zero. */
static ch_status add_up(ch_context *context, double *largest, double *floor,
                        const chi_survey *survey, const ch_matrix *X, int64_t cols) {
    double total;
    for (int64_t j = 0; j < X->cols; j++) *largest = fmax(*largest, survey->totals[j]);
    TRY(chi_largest(context, largest, 1));
    TRY(chi_sum(context, &total, survey->totals, cols));
    TRY(chi_check_sizes(context, survey->totals, X->cols));
    TRY(chi_total(context, &cols, 1));
    *floor = CHI_FLOOR * (total > 0 ? total / ((double)X->rows * (double)cols) : 1);
    return CH_OK;
}

/* Sets the floor, and checks that the loss stays within the range of numbers on these data. */
static ch_status settle_floor(ch_context *context, ch_anchors_settings *set,
                              const chi_survey *survey, const ch_matrix *X) {
    double largest = 0, usual = 0;
    chi_loss loss;
    if (set->floor == 0)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'floor' must be positive, or negative for 1e-6 times the mean "
                        "of X; it cannot be 0");
    TRY(add_up(context, &largest, &usual, survey, X, X->cols - chi_library_cols(set)));
    if (set->floor < 0) set->floor = usual;
    chi_loss_settings choice = {set->loss,  set->beta,   set->reverse,
                                set->floor, set->custom, set->custom_arrays};
    TRY(chi_loss_init(context, &loss, &choice));
    if (chi_loss_in_range(&loss, largest)) return CH_OK;
    return chi_fail(context, CH_ERR_SETTING,
                    "the loss '%s' of columns that sum to %g, with a floor of %g, exceeds the "
                    "range of floating-point numbers; scale the data or set another floor%s",
                    loss.generator->name, largest, set->floor,
                    set->loss == CH_LOSS_CUSTOM ? " (or phi'' of the custom loss is not positive)"
                                                : "");
}

ch_status chi_settings_resolve(ch_context *context, ch_anchors_settings *set,
                               const chi_survey *survey, const ch_matrix *X) {
    set->loss = chi_loss_of(set);
    if (!chi_measure_find(set->loss)->divergence) {
        set->floor = 0;
        return CH_OK;
    }
    TRY(settle_floor(context, set, survey, X));
    if (set->loss != CH_LOSS_LOGISTIC) return CH_OK;
    return ch_comm_agree(context, chi_survey_check_shares(context, survey, X));
}
