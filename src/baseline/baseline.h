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

/* Successive projection (Araujo et al. 2001; Gillis and Vavasis 2014): settings->rank >= 1 columns,
 * each of largest l2 norm once its predecessors are projected out; columns are first scaled to sum
 * 1 unless settings->plain. One pass over X per anchor, 3 doubles per column and rank + 4 per row
 * of memory; X is neither copied nor changed. CH_STOP_COMPLETE: the columns found span all of X.
 * CH_STOP_CANCELLED leaves the anchors found so far. X must have passed ch_matrix_check(). */
ch_status chi_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                  const ch_anchors_settings *settings);

#endif
