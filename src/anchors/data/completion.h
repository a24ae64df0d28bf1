/* Completes unknown entries from the known ones. */
#pragma once

#include "base/base.h"
#include "loss/divergence.h"

/* The matrix to complete: rows x cols numbers, column-major. */
typedef struct chi_incomplete {
    double *X;                /* 0 where unknown; completed in place                             */
    double *shrunk;           /* a copy in which entries of lower weight are moved towards the
                                 model; or NULL */
    const double *weight;     /* of the same shape, 0: unknown */
    const double *row_weight; /* or NULL                       */
    int64_t rows, cols;
    int64_t known; /* number of known entries                                  */
    double most;   /* the largest weight: entries that have it are not changed */
    int64_t rank;  /* of the model                                             */
    int loss;      /* ch_loss                                                  */
    double beta;   /* of CH_LOSS_BETA                                          */
    uint64_t seed;
} chi_incomplete;

/* Gives the same bits for any number of threads and every kernel set. */
ch_status chi_complete(ch_context *context, const chi_incomplete *given);
