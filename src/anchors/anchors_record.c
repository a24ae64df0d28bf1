/* The selection as a whole, as one record: a run that finds it goes straight to H. For methods that
 * choose all anchors at once, or at a pass per anchor (spa), it is the only one of the selection.
 */
#include "anchors/anchors_record.h"
#include "base/processes.h"

typedef struct selection {
    int64_t status, rank, weighted, steps, iterations, projections, pivots;
    int64_t duals_checked, duals_valid;
    double objective, gap;
    uint64_t p_seed;
} selection;

static int64_t bytes_of(int64_t count, size_t size) {
    return count * (int64_t)size;
}

static int has_steps(const ch_anchors_settings *settings) {
    return settings->keep_duals && settings->method == CH_METHOD_XRAY;
}

ch_status chi_record_selection(ch_context *context, const ch_anchors_result *result,
                               ch_status status, const ch_anchors_settings *settings) {
    if (!settings->checkpoint) return CH_OK;
    int64_t rank = result->rank, weights = result->weights ? rank : 0;
    int64_t steps = has_steps(settings) ? result->steps : 0;
    selection s = {.status = status,
                   .rank = rank,
                   .weighted = result->weights != NULL,
                   .steps = steps,
                   .iterations = result->iterations,
                   .projections = result->projections,
                   .pivots = result->pivots,
                   .duals_checked = result->duals_checked,
                   .duals_valid = result->duals_valid,
                   .objective = result->select_objective,
                   .gap = result->select_gap,
                   .p_seed = result->p_seed};
    ch_record_piece pieces[] = {
        {&s, sizeof s},
        {result->anchors, bytes_of(rank, sizeof *result->anchors)},
        {result->max_residual, bytes_of(rank, sizeof *result->max_residual)},
        {result->weights, bytes_of(weights, sizeof *result->weights)},
        {result->step_exterior, bytes_of(steps, sizeof *result->step_exterior)},
        {result->step_anchor, bytes_of(steps, sizeof *result->step_anchor)},
        {result->step_dual, bytes_of(steps * result->rows, sizeof *result->step_dual)}};
    return chi_records_add(context, settings->checkpoint, pieces, 7, CHI_KEEP_SELECTED);
}

/* An array of the record, in memory of its own; NULL: there is none, or it is not in the record,
 * which has failed then. */
static void *load(ch_context *context, chi_record *record, int64_t count, size_t size) {
    record->failed |= !chi_record_holds(record, count, size);
    void *block = record->failed ? NULL : chi_alloc(context, count, size);
    if (block) chi_record_get(record, block, count, size);
    return block;
}

static int fits(const selection *s, const ch_anchors_result *result, int64_t cols,
                const ch_anchors_settings *settings) {
    int64_t most = settings->rank > 0 ? settings->rank : cols;
    if (s->status < 0 || s->status > CH_STOP_INACCURATE || s->status == CH_STOP_CANCELLED) return 0;
    if (!chi_record_counts(s->projections) || !chi_record_counts(s->pivots)) return 0;
    if (s->rank < 0 || s->rank > most || s->rank > cols) return 0;
    if (s->weighted !=
        (settings->method == CH_METHOD_HOTTOPIXX || settings->method == CH_METHOD_SMRS))
        return 0;
    return has_steps(settings) ? s->steps >= 0 && s->steps <= s->rank + 1 && result->rows > 0
                               : s->steps == 0;
}

static ch_status load_arrays(ch_context *context, ch_anchors_result *result, chi_record *record,
                             const selection *s, const ch_anchors_settings *settings) {
    size_t dual = (size_t)result->rows * sizeof(double);
    int whole = 1;
    whole &= (result->anchors = load(context, record, s->rank, sizeof(int64_t))) != NULL;
    whole &= (result->max_residual = load(context, record, s->rank, sizeof(double))) != NULL;
    if (s->weighted)
        whole &= (result->weights = load(context, record, s->rank, sizeof(double))) != NULL;
    if (has_steps(settings)) {
        whole &= (result->step_exterior = load(context, record, s->steps, sizeof(int64_t))) != NULL;
        whole &= (result->step_anchor = load(context, record, s->steps, sizeof(int64_t))) != NULL;
        whole &= (result->step_dual = load(context, record, s->steps, dual)) != NULL;
    }
    if (whole || record->failed) return CH_OK; /* a failed record is refused at its end */
    return chi_no_memory(context, "the selection", s->rank + s->steps, dual);
}

static ch_status read_selection(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int64_t cols, const ch_anchors_settings *settings) {
    chi_record record;
    selection s;
    TRY(chi_records_take(context, &record, settings->checkpoint, CHI_KEEP_SELECTED));
    chi_record_get(&record, &s, 1, sizeof s);
    int good = !record.failed && fits(&s, result, cols, settings);
    ch_status loaded = CH_OK;
    if (good) loaded = load_arrays(context, result, &record, &s, settings);
    TRY(ch_comm_agree(context, loaded));
    for (int64_t k = 0; good && !record.failed && k < s.rank; k++)
        good = result->anchors[k] >= 0 && result->anchors[k] < cols;
    TRY(chi_record_end(context, &record, settings->checkpoint, good));
    *status = (ch_status)s.status;
    result->rank = s.rank;
    result->steps = s.steps;
    result->iterations = s.iterations;
    result->projections = s.projections;
    result->pivots = s.pivots;
    result->duals_checked = s.duals_checked;
    result->duals_valid = s.duals_valid;
    result->select_objective = s.objective;
    result->select_gap = s.gap;
    result->p_seed = s.p_seed;
    return CH_OK;
}

ch_status chi_restore_selection(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings) {
    int64_t cols = X->cols;
    *found = 0;
    if (!settings->checkpoint) return CH_OK;
    TRY(chi_total(context, &cols, 1));
    TRY(chi_records_found(context, found, settings->checkpoint, CHI_KEEP_SELECTED));
    if (!*found) return CH_OK;
    return read_selection(context, result, status, cols, settings);
}
