/* From the matrix that was given to what the methods work on: negative values, unknown entries and
 * weights (docs/explanation/weights-and-missing.md). Row and column weights become factors of rows
 * and columns in copies: under a loss with l(c x, c y) = c^q l(x, y) that is the weight c^q. */
#pragma once

#include "anchors/data/negative_values.h"
#include "project/columns/projector.h"
#include <conehull/anchors.h>

typedef struct chi_usable {
    const ch_matrix *data;  /* as given, unknown entries completed: what W is made of            */
    const ch_matrix *X;     /* the same with weighted rows: what H is fitted to                  */
    const ch_matrix *seen;  /* the same with weighted columns, and entries that count less drawn to
                               the others: what anchors are chosen from                          */
    const chi_trust *trust; /* of X; NULL: everything is known and counts alike                 */
    double *row_factor;     /* X = row_factor data; NULL: X is data                             */
    int64_t unknown;        /* entries                                                          */
    int64_t nonzeros;       /* among the known ones; -1: those of X                             */
    int64_t incomplete;     /* columns that may not be chosen                                   */
    chi_clipped clipped;

    /* what the above points to */
    chi_arena arena;
    chi_trust own_trust;
    ch_matrix known, by_rows, by_columns;
    double *weight;        /* rows x columns: of entries, 0: not known; or NULL */
    double most;           /* of these                                          */
    unsigned char *barred; /* per column; or NULL: none                         */
} chi_usable;

/* Do the settings ask for any of that, with loss, shape and values that allow it? CH_OK: if so, it
 * can be done. */
ch_status chi_weights_apply(ch_context *context, const ch_anchors_settings *settings,
                            const ch_matrix *X);
/* Is anything of it asked for at all; but for row weights? */
int chi_has_weights(const ch_anchors_settings *settings);
int chi_has_trust(const ch_anchors_settings *settings);

/* Collective. completes: unknown entries get values, and `seen` is made. chi_usable_free() whatever
 * the status. */
ch_status chi_usable_make(ch_context *context, chi_usable *usable, const ch_matrix *X,
                          const ch_anchors_settings *settings, int completes);
void chi_usable_free(ch_context *context, chi_usable *usable);

/* Per column the sum by which it is faint, -1: it may not be chosen; NULL: sums do. sums: of X. The
 * arena owns it. */
ch_status chi_usable_bright(const chi_usable *usable, chi_arena *arena, double **bright,
                            const double *sums);
/* *weighted (chi_free() frees it) = row_factor W, W having rank columns; NULL: it is W itself. */
ch_status chi_weighted_anchors(ch_context *context, double **weighted, const double *W,
                               const chi_usable *usable, int64_t rank);
/* Of all that is not in X: for the identity of a run. */
uint64_t chi_usable_hash(const chi_usable *usable, uint64_t hash);
