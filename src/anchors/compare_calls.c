/* Compares the arguments of the processes in the first exchange of a call. Without this, processes
 * that call with different settings, or with data of different shapes, would wait for each other
 * for ever or mix their results. A process that refuses its arguments takes part too, so that the
 * others learn of it.
 *
 * Processes may differ in their columns, and only one may hold the checkpoint. */
#include "anchors/anchors_internal.h"
#include "base/processes.h"

#include <conehull/version.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS = 64 };

typedef struct call {
    int64_t refused; /* a status; if not CH_OK, the rest is empty */
    char version[24], name[24];
    int64_t rows, cols, layout, type;
    int64_t keep_count, duals, rank;
    uint64_t keep, W;
    double settings[SETTINGS]; /* in the order of the table */
} call;
_Static_assert(sizeof(call) <= CHI_RECORD_MAX, "fits a record");

static double value_of(const ch_setting *row, const ch_anchors_settings *set) {
    const char *field = (const char *)set + row->offset;
    if (row->kind == CH_SETTING_REAL) return *(const double *)(const void *)field;
    if (row->kind == CH_SETTING_INT) return (double)*(const int64_t *)(const void *)field;
    return *(const int *)(const void *)field;
}

static void fill(call *own, const chi_call *given) {
    const ch_settings_table *table = ch_anchors_table();
    const ch_anchors_settings *set = given->settings;
    size_t numbers;
    snprintf(own->version, sizeof own->version, "%s", ch_version());
    snprintf(own->name, sizeof own->name, "%s", given->name);
    own->rows = given->X->rows;
    own->cols = given->X->cols;
    own->layout = given->X->layout;
    own->type = given->X->type;
    own->keep_count = set->keep_count;
    own->duals = set->keep_duals != 0;
    if (set->keep && set->keep_count > 0)
        own->keep = chi_hash(0, set->keep, (size_t)set->keep_count * sizeof *set->keep);
    own->rank = given->rank;
    if (given->W && !__builtin_mul_overflow((size_t)own->rows, (size_t)given->rank, &numbers))
        own->W = chi_hash(0, given->W, numbers * sizeof *given->W);
    for (int k = 0; k < table->count && k < SETTINGS; k++)
        own->settings[k] = value_of(&table->rows[k], set);
}

static int same_value(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static const char *choice_of(const ch_setting *row, double value, char text[32]) {
    if (row->kind == CH_SETTING_CHOICE) return row->choices[(int)value];
    snprintf(text, 32, "%.17g", value);
    return text;
}

static ch_status compare_settings(ch_context *context, const call *other, const call *first,
                                  int r) {
    const ch_settings_table *table = ch_anchors_table();
    char theirs[32], firsts[32];
    for (int k = 0; k < table->count && k < SETTINGS; k++)
        if (!same_value(other->settings[k], first->settings[k]))
            return chi_fail(context, CH_ERR_SETTING,
                            "process %d has the setting %s = %s, but process 0 has %s; all "
                            "processes must have the same settings",
                            r, table->rows[k].name,
                            choice_of(&table->rows[k], other->settings[k], theirs),
                            choice_of(&table->rows[k], first->settings[k], firsts));
    if (other->keep_count != first->keep_count || other->keep != first->keep ||
        other->duals != first->duals)
        return chi_fail(context, CH_ERR_SETTING,
                        "process %d has other values of keep or keep_duals than process 0; all "
                        "processes must have the same settings",
                        r);
    return CH_OK;
}

static ch_status compare(ch_context *context, const call *other, const call *first, int r) {
    if (strcmp(other->version, first->version) != 0)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "process %d runs conehull %s, but process 0 runs %s; all processes must "
                        "run the same version",
                        r, other->version, first->version);
    if (strcmp(other->name, first->name) != 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "process %d calls the function %s, but process 0 calls %s; all processes "
                        "must call the same function",
                        r, other->name, first->name);
    if (other->rows != first->rows)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the matrix of process %d has %lld rows, but that of process 0 has %lld; "
                        "all processes must have all rows",
                        r, (long long)other->rows, (long long)first->rows);
    if (other->type != first->type || other->layout != first->layout)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "process %d stores its columns as %s in layout %d, but process 0 as %s in "
                        "layout %d; all processes must store them in the same way",
                        r, ch_value_type_name((ch_value_type)other->type), (int)other->layout,
                        ch_value_type_name((ch_value_type)first->type), (int)first->layout);
    if (other->rank != first->rank || other->W != first->W)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "process %d projects onto another W than process 0; all processes must have the same W",
            r);
    return compare_settings(context, other, first, r);
}

ch_status chi_compare_calls(ch_context *context, int64_t *cols, const chi_call *given,
                            ch_status refused) {
    int processes = chi_process_count(context), refusals = 0;
    call own = {.refused = refused};
    if (refused == CH_OK) *cols = given->X->cols;
    if (processes == 1) return refused;
    if (refused == CH_OK) fill(&own, given);
    const call *all = chi_share(context, &own, sizeof own);
    if (!all) return CH_ERR_IO;
    for (int r = 0; r < processes; r++) refusals += all[r].refused != CH_OK;
    if (refusals > 0) return ch_comm_agree(context, refused);
    *cols = 0;
    for (int r = 0; r < processes; r++) *cols += all[r].cols;
    for (int r = 1; r < processes; r++) TRY(compare(context, &all[r], &all[0], r));
    return CH_OK;
}
