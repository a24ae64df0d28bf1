/* A matrix whose columns are spread over the processes of a context: which process holds which, and
 * single columns for all of them. With one process alone, the whole of it. */
#pragma once

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_distribution {
    ch_context *context;
    const ch_matrix *X; /* the part of this process                                   */
    int64_t first;      /* its columns are first .. first + X->cols of the whole ...  */
    int64_t cols;       /* ... which has so many                                      */
    int64_t *counts;    /* per process: its columns                                   */
} chi_distribution;

/* Collective. Parts must follow one another and begin at multiples of CH_COMM_BLOCK. The spread is
 * good for chi_distribution_destroy() whatever the status. */
ch_status chi_distribution_create(ch_context *context, chi_distribution *spread,
                                  const ch_matrix *X);
void chi_distribution_destroy(chi_distribution *spread);

/* The process that holds column j of the whole. */
int chi_distribution_owner(const chi_distribution *spread, int64_t j);
/* Its number in the part of this process, or -1. */
static inline int64_t chi_distribution_local(const chi_distribution *spread, int64_t j) {
    return j >= spread->first && j < spread->first + spread->X->cols ? j - spread->first : -1;
}
/* Collective: the items of the process that holds column j of the whole become those of all. */
ch_status chi_distribution_share(const chi_distribution *spread, void *items, int64_t count,
                                 size_t size, int64_t j);
/* Collective: x[0..rows) = column j of the whole, in double. */
ch_status chi_distribution_column(const chi_distribution *spread, double *x, int64_t j);
