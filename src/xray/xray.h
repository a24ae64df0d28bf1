/* The selection of anchors (paper, Section 3, Algorithm 1; select.c).
 *
 * One loop serves all losses (project/columns/projector.h). Columns may be spread over several
 * processes (linalg/distribution.h): what is known of a column is known to the process that holds
 * it; anchors, exterior columns and rays are known to all, by their numbers in the whole. Values
 * that decide anything come from canonical projections. Whatever else is known of a column (its
 * distance from an earlier cone, a feasible point) serves as an upper bound only, so that the lazy
 * and the eager run, on any number of threads, decide the same. */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

/* What chi_select() wants to know of X (chi_survey_want). */
int chi_select_wants(const ch_context *context, const ch_matrix *X,
                     const ch_anchors_settings *settings);
/* Anchors of X by the settings; X has passed the check of the survey. Fills rank, anchors,
 * max_residual, the steps and their counts of the result, which the caller frees whatever the
 * status. CH_STOP_COMPLETE: fewer than rank anchors explain all columns. CH_STOP_INACCURATE: a
 * projection that decided is not proven. CH_STOP_CANCELLED leaves those found so far. */
ch_status chi_select(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const chi_survey *survey, const ch_anchors_settings *settings);

/* Columns of the library, which stand behind those of the data; behind them may be the origin of a
 * hull. */
static inline int64_t chi_library_cols(const ch_anchors_settings *settings) {
    return settings->library ? settings->library->cols : 0;
}

/* Collective: the smallest sum that this share of the positive ones does not exceed
 * (faint_columns.c). */
ch_status chi_sums_quantile(ch_context *context, double *quantile, const double *sums, int64_t cols,
                            double share);
/* Collective: columns whose sum is below *limit are faint, by ch_anchors_settings.faint; 0: none
 * (faint_columns.c). */
ch_status chi_faint_limit(ch_context *context, double *limit, const double *sums, int64_t cols,
                          double share);
