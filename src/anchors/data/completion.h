/* Estimates the missing entries of a matrix from its known entries. */
#pragma once

#include "base/arena.h"
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
    int64_t known;       /* number of known entries */
    double most;         /* the largest weight; entries that have it are not changed */
    int64_t rank;        /* rank of the model from which entries are estimated, ... */
    const double *start; /* ... and its vectors of the rows to begin with, rows x rank, by rows */
    int loss;            /* ch_loss */
    double beta;         /* exponent of CH_LOSS_BETA */
    uint64_t seed;
} chi_incomplete;

/* Estimates the missing entries in place. Gives the same bits for any number of threads and every
 * kernel set. */
ch_status chi_complete(ch_context *context, const chi_incomplete *given);

/* Sets given->rank to the rank of the model that estimates hidden known entries best, and
 * given->start to vectors of that model, which the arena holds. The other members are given. The
 * answer does not depend on the number of threads. */
ch_status chi_model_rank(ch_context *context, chi_arena *arena, chi_incomplete *given);

/* Relative to the mean of the known entries: smaller residuals and models weigh the same. */
#define CHI_MODEL_NEAR 1e-2

/* Returns the exponent of the curvature y^(beta - 2); 2 means constant curvature. */
double chi_model_exponent(const chi_incomplete *given);
/* Returns whether the loss is a sum of absolute values. */
int chi_model_has_corners(const chi_incomplete *given);
/* Returns the largest rank that the model can have. */
int64_t chi_model_rank_limit(const chi_incomplete *given);
