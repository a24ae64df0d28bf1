/* Entries that are not known, completed from the others. */
#pragma once

#include "base/base.h"
#include "loss/divergence.h"

/* What is completed: rows x cols numbers, column-major. */
typedef struct chi_incomplete {
    double *X;                /* 0 where nothing is known; completed in place                    */
    double *shrunk;           /* a copy in which entries that count less are drawn to the model; or
                                 NULL                                                             */
    const double *weight;     /* of the same shape, 0: not known                                  */
    const double *row_weight; /* or NULL                                                          */
    int64_t rows, cols;
    int64_t known; /* entries */
    double most;   /* the largest weight: entries that have it stay as they are */
    int64_t rank;  /* of the model                                                               */
    int loss;      /* ch_loss                                                                    */
    double beta;   /* of CH_LOSS_BETA                                                            */
    uint64_t seed;
} chi_incomplete;

/* The same bits for any number of threads and every kernel set. */
ch_status chi_complete(ch_context *context, const chi_incomplete *given);
