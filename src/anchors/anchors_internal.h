/* Declarations shared by the files of ch_anchors() and ch_project(). */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

struct chi_selection; /* baseline/baseline.h */

/* A method that selects anchors (anchor_methods.c). */
typedef struct chi_method {
    const char *name;
    /* Exactly one of `select` and `baseline` is set. `select` fills rank, anchors, max_residual,
     * counts and steps of the result. */
    ch_status (*select)(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                        const chi_survey *survey, const ch_anchors_settings *settings);
    ch_status (*baseline)(ch_context *context, struct chi_selection *found, const ch_matrix *X,
                          const ch_anchors_settings *settings);
    int needs_rank; /* the method cannot choose the number of anchors itself */
    /* The method finds all anchors at once, by an optimisation problem over columns x columns
     * numbers. The result has weights, but no residual per anchor except that of the path, if one
     * was requested. */
    int by_program;
    int alone; /* the method needs all columns in one process */
    /* The last max_residual is the residual with H, measured by the loss that H minimises. */
    int last_residual;
} chi_method;
const chi_method *chi_method_find(int method);
/* Returns CH_OK if the method supports the settings. */
ch_status chi_method_applies(ch_context *context, const ch_anchors_settings *settings);
/* Runs the selection by the method of the settings. */
ch_status chi_method_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const chi_survey *survey, const ch_anchors_settings *settings);

/* The arguments of a call in this process. */
typedef struct chi_call {
    const char *name; /* name of the function, such as "ch_anchors" */
    const ch_matrix *X;
    const ch_anchors_settings *settings;
    const double *W; /* ch_project(): X->rows x rank; other calls: NULL */
    int64_t rank;
} chi_call;
/* Collective: the first exchange of a call, which compares the arguments of all processes
 * (compare_calls.c). If they differ, all processes return a failure whose message names the process
 * and the difference. `refused` is CH_OK, or the negative status with which this process has
 * refused its arguments; then `given` is not read, and all processes return that status. *cols
 * receives the number of columns of all processes. */
ch_status chi_compare_calls(ch_context *context, int64_t *cols, const chi_call *given,
                            ch_status refused);

/* Collective: prepares settings and data for the methods and projections (anchors_prepare.c).
 * call->settings are the settings of the caller; *set receives the prepared settings. `selects` is
 * non-zero if anchors will be selected. *usable receives the data in the form that the methods use,
 * with missing entries estimated unless the call is a projection. pool->X is usable->X followed by
 * the library, or NULL if there is no library. The survey describes pool->X. Call
 * chi_survey_free(), chi_usable_free() and chi_pool_free() whatever the status. */
struct chi_pool; /* known_columns.h */
ch_status chi_survey_input(ch_context *context, chi_survey *survey, chi_usable *usable,
                           struct chi_pool *pool, ch_anchors_settings *set, const chi_call *call,
                           int selects);
/* Collective: replaces settings that depend on the data: beta 2 becomes l2, and a negative floor
 * becomes a number. X is the matrix that the survey describes. */
ch_status chi_settings_resolve(ch_context *context, ch_anchors_settings *set,
                               const chi_survey *survey, const ch_matrix *X);

/* Collective: saves the outcome of the selection as a record, or restores it from a record
 * (selection_record.c). `status` is the status with which the selection ended.
 * chi_selection_restore() sets *found to 1 and fills the result if the checkpoint has such a
 * record, and sets *found to 0 otherwise. */
ch_status chi_selection_save(ch_context *context, ch_anchors_result *result, ch_status status,
                             const ch_anchors_settings *settings);
ch_status chi_selection_restore(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings);

/* Projects all columns onto the cone of W, whose rows have no weights yet, for resolved settings
 * and checked data (project_new.c). *all receives the sums over all columns, such as the objective,
 * but no duals. */
struct chi_projected;
ch_status chi_project_onto(ch_context *context, struct chi_projected *all, const chi_usable *usable,
                           const double *W, int64_t rank, const ch_anchors_settings *resolved);

/* The loss that H minimises: beta 2 is l2, quantile 1/2 is l1. */
static inline int chi_loss_of(const ch_anchors_settings *settings) {
    if (settings->loss == CH_LOSS_QUANTILE && settings->quantile == 0.5) return CH_LOSS_L1;
    return settings->loss == CH_LOSS_BETA && settings->beta == 2 ? CH_LOSS_L2 : settings->loss;
}

/* Like ch_project(), but with a checkpoint, which may be NULL: blocks of H are read from the
 * checkpoint if it has them, and new blocks are added to it. The caller must have checked that the
 * checkpoint belongs to this run (project_new.c). */
CHI_SHARED ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                                      const ch_matrix *X, const double *W, int64_t rank,
                                      const ch_anchors_settings *settings,
                                      const ch_checkpoint *checkpoint);
