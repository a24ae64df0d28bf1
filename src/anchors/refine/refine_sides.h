/* The two problems that a refinement solves in turn (refine_sides.c). */
#pragma once

#include "anchors/data/usable_data.h"

/* One half: every column of X is projected on the other factor. */
typedef struct chi_side {
    const ch_matrix *X;
    const chi_trust *trust; /* which entries of X count; NULL: all, equally       */
    const double *weight;   /* of the objectives of columns in a sum; NULL: 1     */
    const ch_anchors_settings *settings;
} chi_side;

/* The data with weighted rows and columns. Factors W and H of the data become
 * diag(row_factor) W and H diag(column_factor). */
typedef struct chi_sides {
    chi_side columns; /* for H */
    chi_side rows;    /* for W */
    chi_side last; /* for the final H: columns have their own length, and the sum their weights */
    const double *row_factor;    /* NULL: 1                       */
    double *column_factor;       /* NULL: 1                       */
    const unsigned char *counts; /* per row; NULL: all rows count */
    int plain;                   /* all entries of X count equally */

    /* storage for the fields above */
    chi_arena arena;
    ch_matrix weighted, across;
    chi_trust trust, trust_across;
    ch_anchors_settings by_rows;
} chi_sides;

/* usable and settings must outlive the sides, which must not be moved. Call chi_sides_free()
 * whatever the status. */
ch_status chi_sides_make(ch_context *context, chi_sides *sides, const chi_usable *usable,
                         const ch_anchors_settings *settings);
void chi_sides_free(ch_context *context, chi_sides *sides);
