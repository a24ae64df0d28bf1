/* What a statistician would object to in a result: warnings, from H, W and the sizes of the data.
 */
#pragma once

#include "linalg/survey.h"
#include <conehull/anchors.h>

/* Of the columns of all processes. */
typedef struct chi_scale {
    int64_t columns;       /* that are not zero                              */
    double median;         /* of their sums                                  */
    double total, squares; /* of all values, and of their squares, for l2    */
} chi_scale;

/* Collective: of the first `cols` columns of the survey. */
ch_status chi_scale_take(ch_context *context, chi_scale *scale, const chi_survey *survey,
                         int64_t cols);
/* Collective: zero_weights, empty_anchors, unexplained and warnings of a result with H. */
ch_status chi_advise(ch_context *context, ch_anchors_result *result, const chi_scale *scale,
                     const ch_anchors_settings *resolved);
