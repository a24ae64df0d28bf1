/* Methods that select anchors in other ways than Algorithm 1 of the paper, for comparison. They
 * find the anchors only; the caller computes H. */
#pragma once

#include "base/base.h"
#include <conehull/anchors.h>
#include <conehull/matrix.h>

/* The result of a selection; the caller owns the arrays, of settings->rank entries. */
typedef struct chi_selection {
    int64_t *anchors;
    double *max_residual; /* largest column residual (l2) after each anchor; may be NULL */
    int64_t rank;         /* number of anchors found */

    /* For methods that select all anchors at once by solving an optimisation problem. With other
     * methods `weights` may be NULL. */
    double *weights;  /* the values by which the anchors were chosen, decreasing */
    double objective; /* objective of this problem at the point found            */
    double gap;       /* objective minus a rigorous lower bound                  */
    int64_t iterations;
} chi_selection;

/* Successive projection: selects settings->rank >= 1 columns, each with the largest l2 norm after
 * the earlier ones are projected out. Columns are first scaled to sum 1 unless settings->plain;
 * residuals are in that scale (the last one is accurate to 1e-7 of the norms, the others to
 * rounding). Anchors of settings->keep come first. It makes one pass over X per anchor; X is
 * neither copied nor changed. Memory: 4 doubles per column, rank + 3 per row, and 3 per row and
 * thread. Returns CH_STOP_COMPLETE if every other column depends on the anchors found (residual <=
 * stop * norm), and CH_STOP_CANCELLED with the anchors found so far. X must have passed
 * ch_matrix_check(). */
ch_status chi_spa(ch_context *context, chi_selection *found, const ch_matrix *X,
                  const ch_anchors_settings *settings);

/* Variants of successive projection, for one process and without columns to keep. Scaling of
 * columns and statuses are those of chi_spa(). Each file describes its method: successive
 * non-negative projection (variants/snpa.c), preconditioning by the least ellipsoid
 * (variants/preconditioned_spa.c), medians of settings->neighbours columns
 * (variants/smoothed_spa.c), the best of settings->tries random runs (variants/random_spa.c). */
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
 * any number of threads. Memory: 3 (rows + columns) doubles per column. Returns CH_STOP_ITER at the
 * limit of iterations and CH_STOP_CANCELLED if the caller stopped it; both return the anchors of
 * the best point. */
ch_status chi_hottopixx(ch_context *context, chi_selection *found, const ch_matrix *X,
                        const ch_anchors_settings *settings);

/* FGNSR: the settings->rank columns of largest diagonal in the problem of fgnsr.c, which is that of
 * Hottopixx with squared norms, solved by a fast gradient method until gap <= settings->gap times
 * half the sum of squares of the scaled columns. Statuses are those of chi_hottopixx(). Memory: 2
 * (rows + columns) doubles per column. */
ch_status chi_fgnsr(ch_context *context, chi_selection *found, const ch_matrix *X,
                    const ch_anchors_settings *settings);

/* SMRS: representatives by row-sparse self-representation, the program of smrs.c, solved until gap
 * <= settings->gap * objective. Returns settings->rank columns in the order of their row norms,
 * near duplicates last. With rank 0 the authors' rules choose the number (found->anchors must then
 * have X->cols entries). Uses the settings alpha and linear. Returns CH_STOP_COMPLETE if fewer than
 * rank rows are non-zero. */
ch_status chi_smrs(ch_context *context, chi_selection *found, const ch_matrix *X,
                   const ch_anchors_settings *settings);
