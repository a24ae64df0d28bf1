/* Warnings about a result that may not be useful, computed from H, W and the sizes of the data. */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

/* Sizes of the columns of all processes. */
typedef struct chi_scale {
    int64_t columns;       /* number of non-zero columns */
    double median;         /* median of the sums of the non-zero columns */
    double total, squares; /* sums of all values and, for l2, of their squares */
} chi_scale;

/* Collective: computes the sizes from the first `cols` columns of the survey. */
ch_status chi_scale_take(ch_context *context, chi_scale *scale, const chi_survey *survey,
                         int64_t cols);
/* Of how many columns of this process each anchor is a part (project/columns/weights_sink.h). */
typedef struct chi_parts {
    double *sums;   /* sum of each anchor              */
    int64_t *count; /* number of columns of the anchor */
} chi_parts;

/* Makes the sums of the anchors of a result, and counts of 0. Call chi_parts_free() whatever the
 * status. */
ch_status chi_parts_make(ch_context *context, chi_parts *parts, const ch_anchors_result *result);
void chi_parts_free(ch_context *context, chi_parts *parts);

/* Collective: fills the members of a result that belong to `measured` or name one of its figures.
 * parts->count is used if the result has no H, else counted from H. */
ch_status chi_advise(ch_context *context, ch_anchors_result *result, chi_parts *parts,
                     const chi_scale *scale, const chi_usable *usable,
                     const ch_anchors_settings *resolved);
