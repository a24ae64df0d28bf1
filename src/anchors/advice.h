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
/* Collective: fills zero_weights, empty_anchors, unexplained and warnings of a result with H. */
ch_status chi_advise(ch_context *context, ch_anchors_result *result, const chi_scale *scale,
                     const chi_usable *usable, const ch_anchors_settings *resolved);
