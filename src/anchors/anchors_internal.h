/* What the files of ch_anchors() and ch_project() share. */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

struct chi_selection; /* baseline/baseline.h */

/* A way to choose anchors (anchor_methods.c). */
typedef struct chi_method {
    const char *name;
    /* One of the two. select fills rank, anchors, max_residual, counts and steps. */
    ch_status (*select)(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                        const chi_survey *survey, const ch_anchors_settings *settings);
    ch_status (*baseline)(ch_context *context, struct chi_selection *found, const ch_matrix *X,
                          const ch_anchors_settings *settings);
    int needs_rank;    /* it cannot choose the number of anchors                                 */
    int by_program;    /* all anchors at once, by a program over columns x columns numbers: there
                          are weights, and no residuals on the way, but those of the path, if there
                          is one                                                                 */
    int alone;         /* one process holds all columns                                          */
    int last_residual; /* the last max_residual is that of H, in the loss that H minimises       */
} chi_method;
const chi_method *chi_method_find(int method);
/* Whether the method can do what the settings ask for. */
ch_status chi_method_applies(ch_context *context, const ch_anchors_settings *settings);
/* The selection by the method of the settings. */
ch_status chi_method_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                            const chi_survey *survey, const ch_anchors_settings *settings);

/* What a process was called with. */
typedef struct chi_call {
    const char *name; /* "ch_anchors"                                            */
    const ch_matrix *X;
    const ch_anchors_settings *settings;
    const double *W; /* of ch_project, as many rows as X has, `rank` columns; otherwise NULL */
    int64_t rank;
} chi_call;
/* Collective, the first exchange of a call (compare_calls.c): all processes were called with the
 * same, or all return a failure that names the process and the difference. refused: CH_OK, or why
 * this process cannot go on; then `given` is not looked at, and all get that status. *cols: of all
 * processes. */
ch_status chi_compare_calls(ch_context *context, int64_t *cols, const chi_call *given,
                            ch_status refused);

/* Collective: settings and data that the methods and projections can use, set being the settings
 * given, and what the pass over the data that shows it tells of them; selects: anchors are to be
 * chosen (anchors_prepare.c). call->settings are those given; usable is what is used of the data,
 * complete unless the call is a projection. pool->X: usable->X with the library, which is what the
 * survey tells of; NULL: there is none, whatever the settings say. chi_survey_free(),
 * chi_usable_free() and chi_pool_free() whatever the status. */
struct chi_pool; /* known_columns.h */
ch_status chi_survey_input(ch_context *context, chi_survey *survey, chi_usable *usable,
                           struct chi_pool *pool, ch_anchors_settings *set, const chi_call *call,
                           int selects);
/* Collective: decides what settings leave open: beta 2 is l2, and the floor becomes a number. X is
 * that of the survey. */
ch_status chi_settings_resolve(ch_context *context, ch_anchors_settings *set,
                               const chi_survey *survey, const ch_matrix *X);

/* Collective: what the method's selection put into the result, as a record; *status is how it ended
 * (selection_record.c). restore: *found: it was there, and the result has it. */
ch_status chi_selection_save(ch_context *context, ch_anchors_result *result, ch_status status,
                             const ch_anchors_settings *settings);
ch_status chi_selection_restore(ch_context *context, ch_anchors_result *result, ch_status *status,
                                int *found, const ch_matrix *X,
                                const ch_anchors_settings *settings);

/* H (rank x X->cols; NULL: the sums alone) by settings that are resolved, for X and W that were
 * checked; the sums in `all`, without duals (project_new.c). */
struct chi_projected;
ch_status chi_project_onto(ch_context *context, double *H, struct chi_projected *all,
                           const ch_matrix *X, const double *W, int64_t rank,
                           const ch_anchors_settings *resolved);

/* The loss of H: beta 2 is l2, quantile 1/2 is l1. */
static inline int chi_loss_of(const ch_anchors_settings *settings) {
    if (settings->loss == CH_LOSS_QUANTILE && settings->quantile == 0.5) return CH_LOSS_L1;
    return settings->loss == CH_LOSS_BETA && settings->beta == 2 ? CH_LOSS_L2 : settings->loss;
}

/* ch_project(), blocks of H being taken from the checkpoint (or NULL), or added to it. The caller
 * has settled what the checkpoint is of (project_new.c). */
CHI_SHARED ch_status chi_project_kept(ch_context *context, double *H, ch_project_info *info,
                                      const ch_matrix *X, const double *W, int64_t rank,
                                      const ch_anchors_settings *settings,
                                      const ch_checkpoint *checkpoint);
