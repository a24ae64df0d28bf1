/* Data with negative values (settings.negative), for example from a detector that reads slightly
 * below zero. */
#pragma once

#include "linalg/linalg.h"
#include <conehull/anchors.h>

/* X, or a view of it in which negative values are 0. */
typedef struct chi_clipped {
    const ch_matrix *X;
    ch_matrix own;
    int64_t count; /* number of negative values ... */
    double mass;   /* ... and the sum of their sizes, over all processes */
} chi_clipped;

/* Collective. Without CH_NEGATIVE_CLIP or without negative values, X is used as it is. With
 * CH_NEGATIVE_CLIP, NaN and infinite values are refused. Unless it returns CH_OK, nothing is
 * allocated. ours points to the values of X, f64 without gaps, if they may be clipped in place;
 * else NULL. X must outlive the view. */
ch_status chi_clip(ch_context *context, chi_clipped *clipped, const ch_matrix *X,
                   ch_negative_values negative, double *ours);
void chi_clipped_free(ch_context *context, chi_clipped *clipped);

/* Collective, called when data were refused: returns CH_ERR_DATA with the message of the context,
 * extended by advice if there are NaN or negative values. cols is the number over all processes. */
ch_status chi_advise_clipping(ch_context *context, const ch_matrix *X, int64_t cols);
