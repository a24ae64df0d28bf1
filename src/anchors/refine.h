/* Free factors from the anchors (refine.c). */
#pragma once

#include "anchors/anchors_internal.h"

/* Runs up to settings->refine rounds from result->W and result->H, which are not changed, and fills
 * the refined_ fields of the result. After CHI_CANCELLED or CH_STOP_CANCELLED these are not valid.
 * For one process. */
ch_status chi_refine(ch_context *context, ch_anchors_result *result, const ch_matrix *X,
                     const ch_anchors_settings *settings);

/* The angle between two vectors, in degrees. */
double chi_angle_between(const double *a, const double *b, int64_t count);
