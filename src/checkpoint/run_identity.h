/* The first record of a checkpoint: what it is a run of. */
#pragma once

#include "base/shared.h"
#include <conehull/checkpoint.h>
#include <conehull/matrix.h>
#include <conehull/settings.h>

/* Settings by their table, and a list that belongs to them. */
typedef struct chi_run_identity {
    const ch_settings_table *table;
    const void *settings;
    const char *list_name;
    const char *aside; /* a setting that may differ, since no record depends on it, or NULL */
    const void *list;
    int64_t list_count;
    size_t list_size;
    int duals;     /* kept with the result                           */
    uint64_t hash; /* of the data, by the process that holds them (linalg/survey.h) */
} chi_run_identity;

/* Collective; without a checkpoint it does nothing. A checkpoint of other data or settings is
 * refused with what differs; an empty one gets the record. */
CHI_SHARED ch_status chi_identity_settle(ch_context *context, const ch_checkpoint *checkpoint,
                                         const ch_matrix *X, const chi_run_identity *run);
