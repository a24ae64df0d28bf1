/* Coordinate descent on both factors for the loss l2 (refine_sweeps.c). */
#pragma once

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_sweeps {
    ch_context *context;
    const ch_matrix *X, *across; /* across is X' */
    int64_t rank;
    double *W, *H; /* W': rank x rows, and H: rank x cols; first the start, then the solution */
} chi_sweeps;

/* Runs `count` sweeps over both factors. A sweep may increase the loss. */
ch_status chi_refine_sweeps(const chi_sweeps *pair, int count);
