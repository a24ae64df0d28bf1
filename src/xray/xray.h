/* The selection of anchors (paper, Section 3, Algorithm 1; select.c).
 *
 * One loop serves all losses (project/columns/projector.h). Columns may be distributed over several
 * processes (linalg/distribution.h): only the process that holds a column knows facts about it; all
 * processes know anchors, exterior columns and rays, by their indices in the whole matrix. Only
 * values from canonical projections (projections from a fixed start) decide. Everything else that
 * is known of a column (its distance from an earlier cone, a feasible point) is used only as an
 * upper bound, so that lazy and eager runs, on any number of threads, make the same decisions. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

/* Returns the facts about X that chi_select() requires (chi_survey_want). */
int chi_select_wants(const ch_context *context, const ch_matrix *X,
                     const ch_anchors_settings *settings);
/* Selects anchors of X according to the settings; the survey must have checked X already. Fills
 * rank, anchors, max_residual, the steps and their counts in the result, which the caller frees
 * whatever the status. Returns CH_STOP_COMPLETE if fewer than settings->rank anchors explain all
 * columns, CH_STOP_INACCURATE if a projection that decided on an anchor is not proven, and
 * CH_STOP_CANCELLED with the anchors found so far. */
ch_status chi_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const chi_survey *survey, const ch_anchors_settings *settings);

/* Returns the number of library columns, which follow the columns of the data. The origin of a hull
 * may follow the library. */
static inline int64_t chi_library_cols(const ch_anchors_settings *settings) {
    return settings->library ? settings->library->cols : 0;
}

/* Collective: sets *quantile to the smallest number such that the share `share` of the positive
 * column sums does not exceed it (faint_columns.c). */
ch_status chi_sums_quantile(ch_context *context, double *quantile, const double *sums, int64_t cols,
                            double share);
/* Collective: sets *limit so that columns whose sum is below it are faint
 * (ch_anchors_settings.faint); 0 means that no column is faint (faint_columns.c). */
ch_status chi_faint_limit(ch_context *context, double *limit, const double *sums, int64_t cols,
                          double share);
