/* Estimates the missing entries of a matrix from its known entries. */
#pragma once

#include "base/base.h"
#include "loss/divergence.h"

/* A matrix with missing entries: rows x cols numbers, column-major. */
typedef struct chi_incomplete {
    double *X; /* 0 where the entry is missing; estimates are written in place */
    /* A copy of X in which entries of lower weight are moved towards the model; NULL: no copy. */
    double *shrunk;
    const unsigned char *mark; /* rows x cols: 1 if the entry is known, 0 if it is missing */
    const double *weight;      /* weight of each entry, rows x cols; NULL: 1 for known entries */
    const double *row_weight;  /* weight of each row; NULL: equal weights */
    int64_t rows, cols;
    int64_t known; /* number of known entries */
    double most;   /* the largest weight; entries that have it are not changed */
    int64_t rank;  /* rank of the model from which entries are estimated */
    int loss;      /* ch_loss */
    double beta;   /* exponent of CH_LOSS_BETA */
    uint64_t seed;
} chi_incomplete;

/* Estimates the missing entries in place. Gives the same bits for any number of threads and every
 * kernel set. */
ch_status chi_complete(ch_context *context, const chi_incomplete *given);
