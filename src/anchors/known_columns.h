/* Known columns besides the data (settings.library). Anchors may be chosen from them, and they need
 * not be explained (docs/explanation/libraries.md). The selection sees one matrix, the data
 * followed by the library, so column k of the library has the number cols + k. */
#pragma once

#include "anchors/data/usable_data.h"
#include "linalg/survey.h"
#include <conehull/anchors.h>

typedef struct chi_pool {
    const ch_matrix *X; /* the matrix to select from: the data, or own                 */
    ch_matrix own;      /* the data followed by the library                            */
    int64_t *keep;      /* the numbers of the library columns, and the columns to keep */
    int64_t nonzeros;   /* of the library                                              */
} chi_pool;

/* Checks that the settings are possible: a library with as many rows as the data, one process, and
 * compatible options. */
ch_status chi_pool_check(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* Appends the library of the settings to X of the usable data, with the same row weights. Unless
 * anchors are chosen from the library alone, its columns become the first of those to keep. Call
 * chi_pool_free() whatever the status. */
ch_status chi_pool_make(ch_context *context, chi_pool *pool, ch_anchors_settings *set,
                        const chi_usable *usable);
/* x = column j of the data, which are complete, or of the library after them, without weights. */
void chi_pool_column(double *x, const ch_matrix *data, const ch_anchors_settings *set, int64_t j);
void chi_pool_free(ch_context *context, chi_pool *pool);
