/* Coordinate descent on both factors for the losses l2 and KL (refine_sweeps.c). */
#pragma once

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_sweeps {
    ch_context *context;
    const ch_matrix *X, *across; /* across is X' */
    int64_t rank;
    double *W, *H; /* W': rank x rows, and H: rank x cols; first the start, then the solution */
    int kl;        /* the loss: KL, or else l2 */
    double floor;  /* of KL: the model is W H + floor */
    double loss;   /* at the start                    */
} chi_sweeps;

/* Runs up to `count` sweeps over both factors, fewer if they hardly change the loss any more. A
 * sweep may increase the loss. */
ch_status chi_refine_sweeps(const chi_sweeps *pair, int count);

/* Makes one sweep over the columns of X: updates b (rank x columns) while the other factor, rank
 * numbers per row of X, is fixed. *loss becomes the loss of the new b, for l2 less |X|_F^2, unless
 * loss is NULL. X is pair->X or pair->across; W, H and loss of the pair are not used. */
typedef ch_status chi_sweep_side(const chi_sweeps *pair, double *b, const double *fixed,
                                 const ch_matrix *X, double *loss);
chi_sweep_side chi_sweep_squares, chi_sweep_kl;
