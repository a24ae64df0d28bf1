/* Functions shared by finding and measuring exemplars: selecting columns by any method, and testing
 * them. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

typedef struct chi_exemplar_columns {
    int64_t *columns; /* space for rank columns; the chosen columns, in order of choice */
    int64_t found;
    double seconds;
    double value, optimum; /* facility location: value and upper bound of its objective; else NaN */
    int64_t gains;
    /* for the method central: the greedy choice of facility location, of `start_count` columns;
     * NULL: it is computed */
    const int64_t *start;
    int64_t start_count;
} chi_exemplar_columns;

/* Selects rank columns of `weighted` by settings->method, with random numbers from `random`. Zero
 * columns are never chosen. Returns CH_STOP_COMPLETE if it chose fewer than rank columns because
 * these are enough. */
ch_status chi_select_exemplars(ch_context *context, chi_exemplar_columns *choice,
                               const ch_matrix *weighted, int64_t rank, ch_random *random,
                               const ch_exemplars_settings *settings);

/* Checks that X is usable and that rank is between 1 and `most`, the number of columns of
 * `where`. */
ch_status chi_check_exemplars(ch_context *context, const ch_matrix *X, int64_t rank, int64_t most,
                              const char *where);

/* Returns random generator `number` (0, 1, 2, ...) of this seed. */
ch_random chi_numbered_random(int64_t seed, int64_t number);

/* ---- a linear classifier, trained and tried in one call: classify_liblinear.c or classify_none.c,
 * as CMake chooses ---- */

typedef struct chi_labelled {
    const ch_matrix *X;
    const int32_t *labels; /* X->cols labels, from 0 */
} chi_labelled;

/* *accuracy = the share of `other` that a multiclass SVM trained on `training` classifies
 * correctly. If all training data have one class, that class is always predicted. The result has
 * the same bits for any number of threads. */
ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings);
