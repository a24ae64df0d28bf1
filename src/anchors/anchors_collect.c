/* Merges the results of several processes: process 0 gets H and the duals of all columns. */
#include "base/processes.h"
#include <conehull/anchors.h>

/* How much each process holds, and the merged arrays. */
typedef struct holdings {
    int64_t *cols, *values, *duals; /* per process: columns, numbers of H, duals */
    int64_t all_cols, all_values, all_duals;
    double *H;
    int64_t *start; /* per column: the length of its dual list, then its start */
    int32_t *row;
    double *value;
} holdings;

static void release(ch_context *context, holdings *held) {
    chi_free(context, held->value);
    chi_free(context, held->row);
    chi_free(context, held->start);
    chi_free(context, held->H);
    chi_free(context, held->cols);
}

static ch_status share_sizes(ch_context *context, holdings *held, const ch_anchors_result *result) {
    int processes = chi_process_count(context);
    held->cols = chi_alloc(context, 3 * processes, sizeof *held->cols);
    ch_status status = held->cols ? CH_OK : chi_no_memory(context, "processes", 3 * processes, 8);
    TRY(ch_comm_agree(context, status));
    held->values = held->cols + processes;
    held->duals = held->values + processes;
    int64_t own[2] = {result->cols, result->dual_start ? result->dual_start[result->cols] : 0};
    const int64_t *all = chi_share(context, own, sizeof own);
    if (!all) return CH_ERR_IO;
    for (int r = 0; r < processes; r++) {
        held->cols[r] = all[2 * r];
        held->values[r] = all[2 * r] * result->rank;
        held->duals[r] = all[2 * r + 1];
        held->all_cols += held->cols[r];
        held->all_duals += held->duals[r];
    }
    held->all_values = held->all_cols * result->rank;
    return CH_OK;
}

/* Allocates on process 0 the arrays of the whole result, and on all processes space for the lengths
 * of the dual lists, which are sent instead of their starts. */
static ch_status reserve(ch_context *context, holdings *held, const ch_anchors_result *result) {
    int first = chi_process_index(context) == 0;
    int64_t cols = first ? held->all_cols : result->cols;
    held->H = chi_alloc(context, first && result->H ? held->all_values : 0, sizeof *held->H);
    held->start = chi_alloc(context, result->dual_start ? cols + 1 : 0, sizeof *held->start);
    held->row = chi_alloc(context, first ? held->all_duals + 1 : 0, sizeof *held->row);
    held->value = chi_alloc(context, first ? held->all_duals + 1 : 0, sizeof *held->value);
    if (held->H && held->start && held->row && held->value) return CH_OK;
    return chi_no_memory(context, "H of all processes", held->all_values + 2 * held->all_duals,
                         sizeof(double));
}

static ch_status collect_duals(ch_context *context, holdings *held,
                               const ch_anchors_result *result) {
    int64_t *length = held->start + (chi_process_index(context) == 0);
    for (int64_t j = 0; j < result->cols; j++)
        length[j] = result->dual_start[j + 1] - result->dual_start[j];
    TRY(chi_collect(context, length, length, held->cols, sizeof *length));
    TRY(chi_collect(context, held->row, result->dual_row, held->duals, sizeof *held->row));
    TRY(chi_collect(context, held->value, result->dual_value, held->duals, sizeof *held->value));
    if (chi_process_index(context) > 0) return CH_OK;
    held->start[0] = 0;
    for (int64_t j = 0; j < held->all_cols; j++) held->start[j + 1] += held->start[j];
    return CH_OK;
}

ch_status ch_project_collect(ch_context *context, double *all, const double *H, int64_t rank,
                             int64_t cols) {
    int processes = chi_process_count(context);
    int64_t own = rank * cols, *values = chi_alloc(context, processes, sizeof *values);
    ch_status status =
        values ? CH_OK : chi_no_memory(context, "processes", processes, sizeof *values);
    status = ch_comm_agree(context, status);
    if (status == CH_OK) {
        const int64_t *shared = chi_share(context, &own, sizeof own);
        for (int r = 0; shared && r < processes; r++) values[r] = shared[r];
        status = shared ? chi_collect(context, all, H, values, sizeof *H) : CH_ERR_IO;
    }
    chi_free(context, values);
    return status;
}

#define EXCHANGE(type, a, b) \
    do {                     \
        type *kept_ = (a);   \
        (a) = (b);           \
        (b) = kept_;         \
    } while (0)

ch_status ch_anchors_result_collect(ch_context *context, ch_anchors_result *result) {
    holdings held = {0};
    if (chi_process_count(context) == 1) return CH_OK;
    ch_status status = share_sizes(context, &held, result);
    if (status == CH_OK) status = ch_comm_agree(context, reserve(context, &held, result));
    if (status == CH_OK && result->H)
        status = chi_collect(context, held.H, result->H, held.values, sizeof *held.H);
    if (status == CH_OK && result->dual_start) status = collect_duals(context, &held, result);
    if (status == CH_OK && chi_process_index(context) == 0) {
        result->cols = held.all_cols;
        if (result->H) EXCHANGE(double, result->H, held.H);
        if (result->dual_start) {
            EXCHANGE(int64_t, result->dual_start, held.start);
            EXCHANGE(int32_t, result->dual_row, held.row);
            EXCHANGE(double, result->dual_value, held.value);
        }
    }
    release(context, &held);
    return status;
}
