/* The feasible set of the programs of Hottopixx and FGNSR, and the nearest point in it.
 *
 *     Phi = { C : 0 <= C_ij <= C_ii <= 1, tr(C) = r }            (Bittorf et al. 2012, Section 4)
 *
 * C is stored by rows: row i at C + i * n. */
#pragma once

#include "base/base.h"

typedef struct chi_row_bounds {
    ch_context *context;
    int64_t n, rank;
    const double *Q; /* n x n: the point to project                     */
    const double *p; /* subtracted from the diagonal of Q, times weight */
    double weight;
    double *t;        /* n: diagonal of the projection; on entry that of a similar projection */
    double beta;      /* multiplier of the trace; on entry that of a similar projection */
    double *diagonal; /* n: workspace */
    double *empty;    /* n: workspace; row i is zero if beta is at least this */
    double *slope;    /* n: workspace; -dt_i/dbeta */
} chi_row_bounds;

/* Finds t and beta, so that C_ii = t_i and C_ij = min(max(Q_ij, 0), t_i) is the point of Phi
 * nearest to Q - weight diag(p). Allocates nothing. The result has the same bits for any number of
 * threads. */
void chi_project_rows(chi_row_bounds *rows);
