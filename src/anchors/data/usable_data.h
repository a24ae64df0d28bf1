/* Turns the given matrix into what the methods work on: negative values, unknown entries and
 * weights (docs/explanation/weights-and-missing.md). Row and column weights become factors of rows
 * and columns in copies: under a loss with l(c x, c y) = c^q l(x, y) a factor c is a weight c^q.
 * Under other losses the projections apply the row weights themselves. */
#pragma once

#include "anchors/data/negative_values.h"
#include "project/columns/projector.h"
#include <conehull/anchors.h>

typedef struct chi_usable {
    const ch_matrix *data;    /* as given, with unknown entries completed: W is made from it */
    const ch_matrix *X;       /* the same with weighted rows: H is fitted to it              */
    const ch_matrix *seen;    /* the same with weighted columns, and entries of lower weight moved
                               towards the model: anchors are selected from it */
    const chi_trust *trust;   /* weights of entries of X; NULL: all known and equal */
    double *row_factor;       /* X = row_factor data; NULL: X is data               */
    const double *row_weight; /* the caller's, if the projections apply them; or NULL */
    int64_t unknown;          /* number of unknown entries                          */
    int64_t nonzeros;         /* among the known entries; -1: those of X            */
    int64_t incomplete;       /* columns that must not be selected                  */
    chi_clipped clipped;

    /* storage for the fields above */
    chi_arena arena;
    chi_trust own_trust;
    ch_matrix known, by_rows, by_columns;
    double *weight;        /* rows x columns: weights of entries, 0: unknown; or NULL */
    double most;           /* the largest of these                                    */
    unsigned char *barred; /* per column: must not be selected; NULL: all may be      */
} chi_usable;

/* Returns CH_OK if loss, shape and values allow the weights that the settings request, or if they
 * request none. */
ch_status chi_weights_apply(ch_context *context, const ch_anchors_settings *settings,
                            const ch_matrix *X);
/* Returns whether any weights are requested; the second function ignores row weights. */
int chi_has_weights(const ch_anchors_settings *settings);
int chi_has_trust(const ch_anchors_settings *settings);

/* Collective. If completes, unknown entries get values and `seen` is made. Call chi_usable_free()
 * whatever the status. */
ch_status chi_usable_make(ch_context *context, chi_usable *usable, const ch_matrix *X,
                          const ch_anchors_settings *settings, int completes);
void chi_usable_free(ch_context *context, chi_usable *usable);

/* Per column the sum that decides whether it is faint, -1 if it must not be selected; NULL if the
 * sums of X decide. The arena owns it. */
ch_status chi_usable_bright(const chi_usable *usable, chi_arena *arena, double **bright,
                            const double *sums);
/* *weighted = row_factor W, W having rank columns, or NULL if it is W itself. chi_free() frees
 * it. */
ch_status chi_weighted_anchors(ch_context *context, double **weighted, const double *W,
                               const chi_usable *usable, int64_t rank);
/* Hash of everything that is not in X, for the identity of a run. */
uint64_t chi_usable_hash(const chi_usable *usable, uint64_t hash);
