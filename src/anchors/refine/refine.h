/* Refines W and H after the selection, without requiring that W consists of columns of X
 * (refine.c). */
#pragma once

#include "anchors/anchors_internal.h"

/* Runs up to settings->refine rounds that start from result->W and result->H, which are not
 * changed, and fills the members refined_... of the result. If the call returns CHI_CANCELLED or
 * CH_STOP_CANCELLED, these members are not valid. Works in one process only. */
ch_status chi_refine(ch_context *context, ch_anchors_result *result, const chi_usable *usable,
                     const ch_anchors_settings *settings);

/* Returns the angle between two vectors of `count` entries, in degrees. */
double chi_angle_between(const double *a, const double *b, int64_t count);
