/* Stores the whole selection as one checkpoint record. A run that finds this record continues with
 * H. Methods that choose all anchors at once, or with one pass per anchor (spa), have no other
 * record of their selection. */
#include "anchors/anchors_internal.h"
#include "base/processes.h"
#include "checkpoint/records.h"

typedef struct selection {
    ch_anchors_result *result;
    int64_t status;
    int64_t cols; /* of all processes                */
    int64_t most; /* largest number of anchors       */
    int steps;    /* the record includes the steps   */
    int weighted; /* the record includes the weights */
} selection;

static selection selection_of(ch_anchors_result *result, const ch_anchors_settings *settings,
                              int64_t cols) {
    int method = settings->method;
    return (selection){.result = result,
                       .cols = cols,
                       .most = settings->rank > 0 && settings->rank < cols ? settings->rank : cols,
                       .steps = settings->keep_duals && method == CH_METHOD_XRAY,
                       .weighted = chi_method_find(method)->by_program};
}

static void selection_fields(chi_record *record, void *user) {
    selection *s = user;
    ch_anchors_result *result = s->result;
    chi_record_number(record, &s->status, 0, CH_STOP_INACCURATE);
    chi_record_require(record, s->status != CH_STOP_CANCELLED);
    chi_record_number(record, &result->rank, 0, s->most);
    chi_record_number(record, &result->steps, 0, s->steps ? result->rank + 1 : 0);
    chi_record_number(record, &result->iterations, 0, CHI_COUNT_MAX);
    chi_record_number(record, &result->projections, 0, CHI_COUNT_MAX);
    chi_record_number(record, &result->pivots, 0, CHI_COUNT_MAX);
    chi_record_number(record, &result->duals_checked, 0, CHI_COUNT_MAX);
    chi_record_number(record, &result->duals_valid, 0, CHI_COUNT_MAX);
    chi_record_values(record, &result->select_objective, 1, sizeof(double));
    chi_record_values(record, &result->select_gap, 1, sizeof(double));
    chi_record_values(record, &result->p_seed, 1, sizeof result->p_seed);
    result->anchors = chi_record_array(record, result->anchors, result->rank, sizeof(int64_t));
    result->max_residual =
        chi_record_array(record, result->max_residual, result->rank, sizeof(double));
    if (s->weighted)
        result->weights = chi_record_array(record, result->weights, result->rank, sizeof(double));
    if (s->steps) {
        int64_t steps = result->steps;
        result->step_exterior =
            chi_record_array(record, result->step_exterior, steps, sizeof(int64_t));
        result->step_anchor = chi_record_array(record, result->step_anchor, steps, sizeof(int64_t));
        result->step_dual = chi_record_array(record, result->step_dual, steps,
                                             (size_t)result->dual_rows * sizeof(double));
    }
    for (int64_t k = 0; !record->failed && k < result->rank; k++)
        chi_record_require(record, result->anchors[k] >= 0 && result->anchors[k] < s->cols);
}

ch_status chi_selection_save(ch_context *context, ch_anchors_result *result, ch_status status,
                             const ch_anchors_settings *settings) {
    selection s = selection_of(result, settings, result->cols);
    s.status = status;
    return chi_record_save(context, settings->checkpoint, CHI_RECORD_SELECTION, selection_fields,
                           &s);
}

ch_status chi_selection_restore(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings) {
    int64_t cols = X->cols;
    *found = 0;
    if (!settings->checkpoint) return CH_OK;
    TRY(chi_total(context, &cols, 1));
    selection s = selection_of(result, settings, cols);
    TRY(chi_record_load(context, found, settings->checkpoint, CHI_RECORD_SELECTION,
                        selection_fields, &s));
    if (*found) *status = (ch_status)s.status;
    return CH_OK;
}
