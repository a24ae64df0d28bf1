/* Converts the matrix of the caller into the matrices that the methods work on: clips negative
 * values, estimates missing entries and applies weights (docs/explanation/weights-and-missing.md).
 * Row and column weights become factors of rows and columns in copies of the matrix: for a loss
 * with l(c x, c y) = c^q l(x, y), a factor c is a weight c^q. For other losses the projections
 * apply the row weights themselves. */
#pragma once

#include "anchors/data/negative_values.h"
#include "project/columns/projector.h"
#include <conehull/anchors.h>

typedef struct chi_usable {
    /* The data of the caller with missing entries estimated; W is taken from it. */
    const ch_matrix *data;
    const ch_matrix *X; /* `data` with weighted rows; H is fitted to it */
    /* X with weighted columns, in which entries of lower weight are moved towards the model;
     * anchors are selected from it. */
    const ch_matrix *seen;
    const chi_trust *trust; /* weights of the entries of X; NULL: all are known and equal */
    double *row_factor;     /* factor of each row: X = diag(row_factor) data; NULL: X is data */
    /* Row weights of the caller, if the projections apply them; else NULL. */
    const double *row_weight;
    int64_t unknown;    /* number of missing entries */
    int64_t nonzeros;   /* number of non-zero known entries; -1: it is that of X */
    int64_t incomplete; /* number of columns that must not be selected because of missing entries */
    /* The first of them by decreasing distance from the complete columns, and these distances. */
    int64_t barred_first[CH_BARRED_MAX];
    double barred_distance[CH_BARRED_MAX];
    chi_clipped clipped;

    /* storage for the fields above */
    chi_arena arena;
    chi_trust own_trust;
    ch_matrix known, by_rows, by_columns;
    unsigned char *mark;   /* rows x cols: 1 if the entry is known, else 0; NULL: all are known */
    double *weight;        /* rows x cols: weights of entries; NULL: 1 for all known entries */
    double most;           /* the largest entry of `weight` */
    double *lift;          /* per column: its largest weight, then the factor of its lift */
    unsigned char *barred; /* per column: 1 if it must not be selected; NULL: all columns may be */
} chi_usable;

/* Column j must not be selected. distance: how far its estimates make it extreme; 0 if it has too
 * few known entries to tell. */
void chi_usable_bar(chi_usable *usable, int64_t j, double distance);

/* Returns CH_OK if the settings request no weights, or if the loss and the shape and values of the
 * weights allow them. */
ch_status chi_weights_apply(ch_context *context, const ch_anchors_settings *settings,
                            const ch_matrix *X);
/* chi_has_weights() returns whether the settings request any weights or missing entries;
 * chi_has_trust() does the same but ignores row weights. */
int chi_has_weights(const ch_anchors_settings *settings);
int chi_has_trust(const ch_anchors_settings *settings);

/* Collective: fills *usable from X. If `completes` is non-zero, missing entries are estimated and
 * usable->seen is made. Call chi_usable_free() whatever the status. */
ch_status chi_usable_make(ch_context *context, chi_usable *usable, const ch_matrix *X,
                          const ch_anchors_settings *settings, int completes);
void chi_usable_free(ch_context *context, chi_usable *usable);

/* Sets *bright to one number per column: the sum that decides whether the column is faint, or -1 if
 * the column must not be selected. *bright is NULL if the column sums of X decide. It has `cols`
 * numbers: those after the columns of X are 0 and belong to a library. The arena owns the array. */
ch_status chi_usable_bright(const chi_usable *usable, chi_arena *arena, double **bright,
                            const double *sums, int64_t cols);
/* Sets *factor to one number per column: the factor c with c^q = weight of the column. *factor is
 * NULL if columns have no weights. The arena owns the array. */
ch_status chi_column_factors(chi_arena *arena, double **factor, const ch_anchors_settings *set);
/* Sets *counts to one number per row of X: 1 if any entry of the row counts, that is, if the entry
 * is known and has positive weights, else 0. *counts is NULL if all rows count. The arena owns the
 * array. */
ch_status chi_rows_that_count(const chi_usable *usable, chi_arena *arena, unsigned char **counts);
/* Sets *weighted to W, which has `rank` columns, with its rows multiplied by usable->row_factor, or
 * to NULL if there are no such factors. Free it with chi_free(). */
ch_status chi_weighted_anchors(ch_context *context, double **weighted, const double *W,
                               const chi_usable *usable, int64_t rank);
/* Returns a hash, starting from `hash`, of all of *usable that is not in X; it is part of the
 * identity of a run. */
uint64_t chi_usable_hash(const chi_usable *usable, uint64_t hash);
