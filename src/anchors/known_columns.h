/* Columns that are known beside the data (settings.library): anchors may be chosen from them, and
 * they are explained by nothing (docs/explanation/libraries.md). The selection sees one matrix, the
 * data and after them the library, so that a column of the library has the number cols + k. */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_pool {
    const ch_matrix *X; /* what anchors are chosen from: the data, or own                     */
    ch_matrix own;      /* the data and the library                                           */
    int64_t *keep;      /* the numbers of the library, and the columns that were to be kept   */
    int64_t nonzeros;   /* of the library                                                     */
} chi_pool;

/* Can the settings be met: a library of as many rows, in one process, and what goes with it? */
ch_status chi_pool_check(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* X of the usable data, and the library of the settings behind it, its rows weighted as those of X
 * are, which becomes the first of what is kept, unless
 * anchors are chosen from it alone. chi_pool_free() whatever the status. */
ch_status chi_pool_make(ch_context *context, chi_pool *pool, ch_anchors_settings *set,
                        const chi_usable *usable);
/* x: column j of the data, which are complete, or of the library behind them, as it was given. */
void chi_pool_column(double *x, const ch_matrix *data, const ch_anchors_settings *set, int64_t j);
void chi_pool_free(ch_context *context, chi_pool *pool);
