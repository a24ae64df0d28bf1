/* Free factors from the anchors (refine.c). */
#pragma once

#include "anchors/anchors_internal.h"

/* Up to settings->refine rounds from result->W and result->H, which stay; fills the refined_ fields
 * of the result. CHI_CANCELLED or CH_STOP_CANCELLED: they are of no use. One process. */
ch_status chi_refine(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const ch_anchors_settings *settings);

/* Between two vectors, in degrees. */
double chi_angle_between(const double *a, const double *b, int64_t count);
