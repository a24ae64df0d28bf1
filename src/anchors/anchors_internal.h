/* Declarations shared by the files of ch_anchors() and ch_project(). */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

struct chi_selection; /* baseline/baseline.h */

/* A method that selects anchors (anchor_methods.c). */
typedef struct chi_method {
    const char *name;
    /* Exactly one of the two functions is set. select fills rank, anchors, max_residual, counts and
     * steps. */
    ch_status (*select)(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                        const chi_survey *survey, const ch_anchors_settings *settings);
    ch_status (*baseline)(ch_context *context, struct chi_selection *found, const ch_matrix *X,
                          const ch_anchors_settings *settings);
    int needs_rank;    /* it cannot choose the number of anchors itself                          */
    int by_program;    /* it finds all anchors at once by a program over columns x columns numbers.
                          There are weights, but no residuals per anchor, except those of the path,
                          if there is one */
    int alone;         /* it needs all columns in one process                              */
    int last_residual; /* the last max_residual is that of H, in the loss that H minimises */
} chi_method;
const chi_method *chi_method_find(int method);
/* Returns CH_OK if the method supports the settings. */
ch_status chi_method_applies(ch_context *context, const ch_anchors_settings *settings);
/* Runs the selection by the method of the settings. */
ch_status chi_method_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const chi_survey *survey, const ch_anchors_settings *settings);

/* The arguments of a call in this process. */
typedef struct chi_call {
    const char *name; /* "ch_anchors"                                            */
    const ch_matrix *X;
    const ch_anchors_settings *settings;
    const double *W; /* for ch_project: X->rows x rank; otherwise NULL */
    int64_t rank;
} chi_call;
/* Collective, the first exchange of a call (compare_calls.c). Either all processes were called with
 * the same arguments, or all return a failure that names the process and the difference. refused is
 * CH_OK, or the status with which this process refuses; then `given` is not read, and all processes
 * return that status. *cols is the number of columns of all processes. */
ch_status chi_compare_calls(ch_context *context, int64_t *cols, const chi_call *given,
                            ch_status refused);

/* Collective: prepares settings and data that the methods and projections can use
 * (anchors_prepare.c). call->settings are the settings given. selects is true if anchors are to be
 * selected. usable is what is used of the data, with unknown entries completed unless the call is a
 * projection. pool->X is usable->X with the library; it is NULL if there is none. The survey
 * describes pool->X. Call chi_survey_free(), chi_usable_free() and chi_pool_free() whatever the
 * status. */
struct chi_pool; /* known_columns.h */
ch_status chi_survey_input(ch_context *context, chi_survey *survey, chi_usable *usable,
                           struct chi_pool *pool, ch_anchors_settings *set, const chi_call *call,
                           int selects);
/* Collective: resolves open settings: beta 2 becomes l2, and the floor becomes a number. X is the
 * matrix of the survey. */
ch_status chi_settings_resolve(ch_context *context, ch_anchors_settings *set,
                               const chi_survey *survey, const ch_matrix *X);

/* Collective: saves or restores what the selection put into the result, as a record
 * (selection_record.c). *status is the status with which the selection ended. restore sets *found
 * if there was a record; then the result is filled. */
ch_status chi_selection_save(ch_context *context, ch_anchors_result *result, ch_status status,
                             const ch_anchors_settings *settings);
ch_status chi_selection_restore(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings);

/* Computes H (rank x X->cols; NULL: only the sums) for resolved settings and checked X and W. The
 * sums are in `all`, without duals (project_new.c). */
struct chi_projected;
ch_status chi_project_onto(ch_context *context, double *H, struct chi_projected *all,
                           const ch_matrix *X, const double *W, int64_t rank,
                           const ch_anchors_settings *resolved);

/* The loss that H minimises: beta 2 is l2, quantile 1/2 is l1. */
static inline int chi_loss_of(const ch_anchors_settings *settings) {
    if (settings->loss == CH_LOSS_QUANTILE && settings->quantile == 0.5) return CH_LOSS_L1;
    return settings->loss == CH_LOSS_BETA && settings->beta == 2 ? CH_LOSS_L2 : settings->loss;
}

/* ch_project() with a checkpoint (or NULL) from which blocks of H are read and to which they are
 * added. The caller has checked the identity of the checkpoint (project_new.c). */
CHI_SHARED ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                                      const ch_matrix *X, const double *W, int64_t rank,
                                      const ch_anchors_settings *settings,
                                      const ch_checkpoint *checkpoint);
