/* Choosing columns, by any method, and trying them: what finding exemplars and measuring them
 * share. */
#pragma once

#include "base/base.h"
#include <conehull/exemplars.h>
#include <conehull/random.h>

typedef struct chi_exemplar_columns {
    int64_t *columns; /* room for rank: of the matrix, in the order chosen */
    int64_t found;
    double seconds;
    double value, optimum; /* of facility location, else NaN */
    int64_t gains;
    const int64_t *start; /* for the method central, NULL: to be found. The greedy choice of
                             facility location, of `start_count` columns                 */
    int64_t start_count;
} chi_exemplar_columns;

/* rank columns of `weighted` by settings->method. Random numbers come from `random`. Columns of
 * zeros are never chosen. CH_STOP_COMPLETE: fewer are enough. */
ch_status chi_select_exemplars(ch_context *context, chi_exemplar_columns *choice,
                               const ch_matrix *weighted, int64_t rank, ch_random *random,
                               const ch_exemplars_settings *settings);

/* X usable, and 1 <= rank <= `most` columns of `where`. */
ch_status chi_check_exemplars(ch_context *context, const ch_matrix *X, int64_t rank, int64_t most,
                              const char *where);

/* A generator for number 0, 1, 2, ... of this seed. */
ch_random chi_numbered_random(int64_t seed, int64_t number);

/* ---- a linear classifier, trained and tried in one call: classify_liblinear.c or classify_none.c,
 * as CMake chooses ---- */

typedef struct chi_labelled {
    const ch_matrix *X;
    const int32_t *labels; /* X->cols of them, from 0 */
} chi_labelled;

/* *accuracy: the share of `other` that a multiclass SVM trained on `training` gets right. Training
 * data of one class says that class always. The same bits for any number of threads. */
ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings);
