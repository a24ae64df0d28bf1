/* Data with negative values (settings.negative): a detector that reads slightly below zero. */
#pragma once

#include "linalg/linalg.h"
#include <conehull/anchors.h>

/* X, or a view of it in which negative values are 0. */
typedef struct chi_clipped {
    const ch_matrix *X;
    ch_matrix own;
    int64_t count; /* values that were negative, and ... */
    double mass;   /* ... the sum of their sizes; of all processes */
} chi_clipped;

/* Collective. Without CH_NEGATIVE_CLIP, and without negative
 * values, X as it is. NaN and infinite values are refused with CH_NEGATIVE_CLIP. Unless CH_OK,
 * nothing is held. ours: the values of X, f64 without gaps, if they may be clipped where they are;
 * else NULL. X must outlive the view. */
ch_status chi_clip(ch_context *context, chi_clipped *clipped, const ch_matrix *X,
                   ch_negative_values negative, double *ours);
void chi_clipped_free(ch_context *context, chi_clipped *clipped);

/* Collective, when data were refused: CH_ERR_DATA with the message of the context, and what can be
 * done about NaN or negative values, if there are some. cols: of all processes. */
ch_status chi_advise_clipping(ch_context *context, const ch_matrix *X, int64_t cols);
