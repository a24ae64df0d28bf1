/* A matrix whose columns are spread over the ranks of a context: who holds which, and single
 * columns for everybody. With one process alone, the whole of it. */
#ifndef CONEHULL_SPREAD_H
#define CONEHULL_SPREAD_H

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_spread {
    ch_context *context;
    const ch_matrix *X; /* the part of this rank                                      */
    int64_t first;      /* its columns are first .. first + X->cols of the whole ...  */
    int64_t cols;       /* ... which has so many                                      */
    int64_t *counts;    /* per rank: its columns                                      */
} chi_spread;

/* Collective. Parts must follow one another and begin at multiples of CH_COMM_BLOCK. The spread is
 * good for chi_spread_destroy() whatever the status. */
ch_status chi_spread_create(ch_context *context, chi_spread *spread, const ch_matrix *X);
void chi_spread_destroy(chi_spread *spread);

/* The rank that holds column j of the whole. */
int chi_spread_owner(const chi_spread *spread, int64_t j);
/* Its number in the part of this rank, or -1. */
static inline int64_t chi_spread_local(const chi_spread *spread, int64_t j) {
    return j >= spread->first && j < spread->first + spread->X->cols ? j - spread->first : -1;
}
/* Collective: x[0..rows) = column j of the whole, in double. */
ch_status chi_spread_column(const chi_spread *spread, double *x, int64_t j);

#endif
