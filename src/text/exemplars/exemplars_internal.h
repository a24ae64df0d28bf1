/* Functions shared by finding and measuring exemplars: selecting columns by any method, and testing
 * them. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

typedef struct chi_exemplar_columns {
    int64_t *columns; /* space for rank: columns of the matrix, in the order chosen */
    int64_t found;
    double seconds;
    double value, optimum; /* for facility location, else NaN */
    int64_t gains;
    int64_t sample;       /* columns among which facility location chose */
    const int64_t *start; /* for the method central: the greedy choice of facility location, of
                             `start_count` columns; NULL: to be computed */
    int64_t start_count;
} chi_exemplar_columns;

/* Selects rank columns of `weighted` by settings->method, with random numbers from `random`. Zero
 * columns are never chosen. Returns CH_STOP_COMPLETE if fewer are enough. */
ch_status chi_select_exemplars(ch_context *context, chi_exemplar_columns *choice,
                               const ch_matrix *weighted, int64_t rank, ch_random *random,
                               const ch_exemplars_settings *settings);

/* Checks that X is usable and that rank is between 1 and `most`, the number of columns of
 * `where`. */
ch_status chi_check_exemplars(ch_context *context, const ch_matrix *X, int64_t rank, int64_t most,
                              const char *where);

/* Returns generator number 0, 1, 2, ... of this seed. */
ch_random chi_numbered_random(int64_t seed, int64_t number);

/* ---- a linear classifier, trained and tried in one call: classify_liblinear.c or classify_none.c,
 * as CMake chooses ---- */

typedef struct chi_labelled {
    const ch_matrix *X;
    const int32_t *labels; /* X->cols of them, from 0 */
} chi_labelled;

/* *accuracy = the share of `other` that a multiclass SVM trained on `training` classifies
 * correctly. With training data of one class it always predicts that class. The same bits for any
 * number of threads. */
ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings);
