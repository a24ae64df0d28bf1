/* The first record of a checkpoint: the input and settings of the run. */
#pragma once

#include "base/shared.h"
#include <conehull/checkpoint.h>
#include <conehull/matrix.h>
#include <conehull/settings.h>

/* Settings with their table, and a list that belongs to them. */
typedef struct chi_run_identity {
    const ch_settings_table *table;
    const void *settings;
    const char *list_name;
    const char *aside; /* a setting that may differ because no record depends on it, or NULL */
    const void *list;
    int64_t list_count;
    size_t list_size;
    int duals;     /* 1: duals are stored with the result */
    uint64_t hash; /* hash of the data of this process (linalg/survey.h) */
} chi_run_identity;

/* Collective; does nothing without a checkpoint. A checkpoint of other data or settings is refused
 * with a message that names the difference. An empty checkpoint gets the record. */
CHI_SHARED ch_status chi_identity_settle(ch_context *context, const ch_checkpoint *checkpoint,
                                         const ch_matrix *X, const chi_run_identity *run);
