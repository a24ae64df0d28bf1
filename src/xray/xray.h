/* The selection of anchors (paper, Section 3, Algorithm 1; select.c).
 *
 * One loop serves all losses (project/columns/projector.h). Columns may be distributed over several
 * processes (linalg/distribution.h): facts about a column are known to the process that holds it;
 * anchors, exterior columns and rays are known to all, by their numbers in the whole matrix. Only
 * values from canonical projections decide. Everything else that is known of a column (its distance
 * from an earlier cone, a feasible point) is used as an upper bound only, so that lazy and eager
 * runs, on any number of threads, make the same decisions. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

/* Returns the facts about X that chi_select() requires (chi_survey_want). */
int chi_select_wants(const ch_context *context, const ch_matrix *X,
                     const ch_anchors_settings *settings);
/* Selects anchors of X by the settings; X has passed the check of the survey. Fills rank, anchors,
 * max_residual, the steps and their counts of the result, which the caller frees whatever the
 * status. Returns CH_STOP_COMPLETE if fewer than rank anchors explain all columns,
 * CH_STOP_INACCURATE if a projection that decided is not proven, and CH_STOP_CANCELLED with the
 * anchors found so far. */
ch_status chi_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const chi_survey *survey, const ch_anchors_settings *settings);

/* Number of library columns, which follow those of the data. The origin of a hull may follow
 * them. */
static inline int64_t chi_library_cols(const ch_anchors_settings *settings) {
    return settings->library ? settings->library->cols : 0;
}

/* Collective: returns the smallest sum that this share of the positive sums does not exceed
 * (faint_columns.c). */
ch_status chi_sums_quantile(ch_context *context, double *quantile, const double *sums, int64_t cols,
                            double share);
/* Collective: columns whose sum is below *limit are faint (ch_anchors_settings.faint); 0 means none
 * (faint_columns.c). */
ch_status chi_faint_limit(ch_context *context, double *limit, const double *sums, int64_t cols,
                          double share);
