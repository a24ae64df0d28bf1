/* Methods that the paper compares with. They find anchors; H is made elsewhere. */
#ifndef CONEHULL_BASELINE_H
#define CONEHULL_BASELINE_H

#include "base/base.h"
#include <conehull/anchors.h>
#include <conehull/matrix.h>

/* What a selection found; the arrays are the caller's, of settings->rank entries. */
typedef struct chi_selection {
    int64_t *anchors;
    double *max_residual; /* largest column residual (l2) after each anchor; may be NULL */
    int64_t rank;         /* anchors found                                               */
} chi_selection;

/* Successive projection: settings->rank >= 1 columns, each of largest l2 norm once its predecessors
 * are projected out; columns are first scaled to sum 1 unless settings->plain (residuals are in
 * that scale; the last one is accurate to 1e-7 of the norms, the others to rounding). Anchors of
 * settings->keep come first. One pass over X per anchor; X is neither copied nor changed; 4 doubles
 * per column, rank + 3 per row and 3 per row and thread of memory.
 * CH_STOP_COMPLETE: every other column depends on the anchors found (residual <= stop * norm).
 * CH_STOP_CANCELLED leaves the anchors found so far. X must have passed ch_matrix_check(). */
ch_status chi_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                  const ch_anchors_settings *settings);

#endif
