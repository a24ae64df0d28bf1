/* Coordinate descent on both factors under squares (refine_sweeps.c). */
#pragma once

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_sweeps {
    ch_context *context;
    const ch_matrix *X, *across; /* across: X'                                  */
    int64_t rank;
    double *W, *H; /* rank x rows and rank x cols: the start, then the solution */
} chi_sweeps;

/* Runs `count` sweeps over both factors. The loss may rise. */
ch_status chi_refine_sweeps(const chi_sweeps *pair, int count);
