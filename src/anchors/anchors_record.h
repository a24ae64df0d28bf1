/* A run of ch_anchors() as records for one that goes on with it. */
#ifndef CONEHULL_ANCHORS_RECORD_H
#define CONEHULL_ANCHORS_RECORD_H

#include "base/checkpoint_records.h"
#include <conehull/anchors.h>

/* Collective, like all here; without a checkpoint in the settings they do nothing. The first record
 * says what the run is of: a checkpoint of other data or settings is refused, with what differs. */
ch_status chi_record_identity(ch_context *context, const ch_matrix *X,
                              const ch_anchors_settings *settings);
/* The same of any run: settings by their table, and a list that belongs to them. */
typedef struct chi_run_of {
    const ch_checkpoint *checkpoint;
    const ch_settings_table *table;
    const void *settings;
    const char *list_name;
    const void *list;
    int64_t list_count;
    size_t list_size;
    int duals; /* kept with the result */
} chi_run_of;
ch_status chi_record_run(ch_context *context, const ch_matrix *X, const chi_run_of *run);

/* ch_project(), blocks of H being taken from the checkpoint (or NULL), or added to it. Who calls
 * has seen to what the checkpoint is of. */
ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                           const ch_matrix *X, const double *W, int64_t rank,
                           const ch_anchors_settings *settings, const ch_checkpoint *checkpoint);

/* What the method's selection put into the result; *status is how it ended. */
ch_status chi_record_selection(ch_context *context, const ch_anchors_result *result,
                               ch_status status, const ch_anchors_settings *settings);
/* *found: it was there, and the result has it. */
ch_status chi_restore_selection(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings);

/* Logistic losses are for values up to 1 (anchors_run.c). */
ch_status chi_check_shares(ch_context *context, const ch_matrix *X);

#endif
