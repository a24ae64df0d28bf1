/* Known columns besides the data (ch_anchors_settings.library). Anchors may be chosen from them,
 * but they need not be explained (docs/explanation/libraries.md). The selection works on one
 * matrix, the data followed by the library, so column k of the library has the index cols + k. */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_pool {
    const ch_matrix *X; /* the matrix from which anchors are selected: the data, or `own` */
    ch_matrix own;      /* the data followed by the library */
    int64_t *keep;      /* indices of the library columns, then of the columns of settings->keep */
    int64_t nonzeros;   /* number of non-zero entries of the library */
} chi_pool;

/* Checks that the settings are possible: a library with as many rows as the data, one process, and
 * compatible options. */
ch_status chi_pool_check(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* Appends the library of the settings to usable->X, with the same row weights. Unless all anchors
 * are chosen from the library (library_only), its columns become the first entries of set->keep.
 * Call chi_pool_free() whatever the status. */
ch_status chi_pool_make(ch_context *context, chi_pool *pool, ch_anchors_settings *set,
                        const chi_usable *usable);
/* Replaces the data in the pool by usable->seen, from which anchors are selected. The library stays
 * as it is: its entries are known and count fully, and its columns have no weights. */
ch_status chi_pool_see(ch_context *context, chi_pool *pool, const ch_anchors_settings *set,
                       const chi_usable *usable);
/* Sets x to column j of the data followed by the library, without weights. The data must have no
 * missing entries. */
void chi_pool_column(double *x, const ch_matrix *data, const ch_anchors_settings *set, int64_t j);
void chi_pool_free(ch_context *context, chi_pool *pool);
