/* A linear classifier, trained and tried in one call. Which file implements it is chosen by CMake:
 * classify_liblinear.c or classify_none.c. */
#ifndef CONEHULL_CLASSIFY_H
#define CONEHULL_CLASSIFY_H

#include "base/base.h"
#include <conehull/exemplars.h>

typedef struct chi_labelled {
    const ch_matrix *X;
    const int32_t *labels; /* X->cols of them, from 0 */
} chi_labelled;

/* *accuracy: the share of `other` that a multiclass SVM trained on `training` gets right. Training
 * data of one class says that class always. The same bits for any number of threads. */
ch_status chi_classify(ch_context *context, double *accuracy, const chi_labelled *training,
                       const chi_labelled *other, const ch_exemplars_settings *settings);

#endif
