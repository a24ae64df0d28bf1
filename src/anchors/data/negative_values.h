/* Handles data with negative values (ch_anchors_settings.negative), for example from a detector
 * that reads slightly below zero. */
#pragma once

#include "linalg/linalg.h"
#include <conehull/anchors.h>

/* X, or a view of it in which negative values are 0. */
typedef struct chi_clipped {
    const ch_matrix *X;
    ch_matrix own;
    int64_t count; /* number of negative values, over all processes */
    double mass;   /* sum of the magnitudes of the negative values, over all processes */
} chi_clipped;

/* Collective: makes *clipped from X. Without CH_NEGATIVE_CLIP, or if X has no negative values,
 * clipped->X is X itself. With CH_NEGATIVE_CLIP, NaN and infinite values are refused. If the call
 * does not return CH_OK, nothing is allocated. `ours` points to the values of X (f64 without gaps)
 * if they may be changed in place; otherwise it is NULL. X must outlive *clipped. */
ch_status chi_clip(ch_context *context, chi_clipped *clipped, const ch_matrix *X,
                   ch_negative_values negative, double *ours);
void chi_clipped_free(ch_context *context, chi_clipped *clipped);

/* Collective: called after data were refused. Returns CH_ERR_DATA and extends the message of the
 * context by advice if X has NaN or negative values. `cols` is the number of columns of all
 * processes. */
ch_status chi_advise_clipping(ch_context *context, const ch_matrix *X, int64_t cols);
