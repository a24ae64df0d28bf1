/* Methods that the paper compares with. They find anchors; H is made elsewhere. */
#pragma once

#include "base/base.h"
#include <conehull/anchors.h>
#include <conehull/matrix.h>

/* What a selection found; the arrays are the caller's, of settings->rank entries. */
typedef struct chi_selection {
    int64_t *anchors;
    double *max_residual; /* largest column residual (l2) after each anchor; may be NULL */
    int64_t rank;         /* anchors found                                               */

    /* Methods that select all anchors at once, by a program; may be NULL in others. */
    double *weights;  /* what each anchor was chosen by, falling                     */
    double objective; /* of the program, at the point that was found                 */
    double gap;       /* objective minus a rigorous lower bound                      */
    int64_t iterations;
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

/* Relatives of successive projection, in one process, without columns to keep; the scale of columns
 * and the statuses are those of chi_spa(). Each file says what it does:
 * successive non-negative projection (variants/snpa.c), preconditioned by the least ellipsoid
 * (variants/preconditioned_spa.c), medians of settings->neighbours columns (variants/
 * smoothed_spa.c), the best of settings->tries random runs (variants/random_spa.c). */
ch_status chi_snpa(ch_context *context, chi_selection *found, const ch_matrix *X,
                   const ch_anchors_settings *settings);
ch_status chi_preconditioned_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                                 const ch_anchors_settings *settings);
ch_status chi_smoothed_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                           const ch_anchors_settings *settings);
ch_status chi_random_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                         const ch_anchors_settings *settings);

/* Hottopixx: the settings->rank columns of largest diagonal in the linear program of hottopixx.c,
 * solved until gap <= settings->gap * max(objective, 1). Deterministic given settings->seed, for
 * any number of threads. Memory: 3 (rows + columns) doubles per column. CH_STOP_ITER: the limit of
 * iterations came first; CH_STOP_CANCELLED: by the caller; both leave the best point's anchors. */
ch_status chi_hottopixx(ch_context *context, chi_selection *found, const ch_matrix *X,
                        const ch_anchors_settings *settings);

/* FGNSR: the same in squares, by the fast gradients of fgnsr.c, until gap <= settings->gap times
 * half the squares of the scaled columns. Memory: 2 (rows + columns) doubles per column. */
ch_status chi_fgnsr(ch_context *context, chi_selection *found, const ch_matrix *X,
                    const ch_anchors_settings *settings);

/* SMRS: representatives by row-sparse self-representation, the program of smrs.c solved until gap
 * <= settings->gap * objective. settings->rank columns in the order of their row norms, near
 * duplicates last; rank 0: as many as the authors' rules leave (found->anchors then has X->cols
 * places). Settings alpha and linear. CH_STOP_COMPLETE: fewer rows than rank are not zero. */
ch_status chi_smrs(ch_context *context, chi_selection *found, const ch_matrix *X,
                   const ch_anchors_settings *settings);
