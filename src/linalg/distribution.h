/* A matrix whose columns are distributed over the processes of a context: which process holds which
 * columns, and access to single columns for all. With one process it is the whole matrix. */
#pragma once

#include "base/processes.h"
#include "linalg/linalg.h"

typedef struct chi_distribution {
    ch_context *context;
    const ch_matrix *X; /* the part of this process                           */
    int64_t first;      /* index of the first column of X in the whole matrix */
    int64_t cols;       /* number of columns of the whole matrix              */
    int64_t *counts;    /* per process: number of columns                     */
} chi_distribution;

/* Collective: finds out which process holds which columns. The parts must follow one another and
 * begin at multiples of CH_COMM_BLOCK. Call chi_distribution_destroy() whatever the status. */
ch_status chi_distribution_create(ch_context *context, chi_distribution *spread,
                                  const ch_matrix *X);
void chi_distribution_destroy(chi_distribution *spread);

/* Returns the process that holds column j of the whole matrix. */
int chi_distribution_owner(const chi_distribution *spread, int64_t j);
/* Returns the index, in the part of this process, of column j of the whole matrix, or -1 if another
 * process holds it. */
static inline int64_t chi_distribution_local(const chi_distribution *spread, int64_t j) {
    return j >= spread->first && j < spread->first + spread->X->cols ? j - spread->first : -1;
}
/* Collective: sends the items of the process that holds column j to all processes. */
ch_status chi_distribution_share(const chi_distribution *spread, void *items, int64_t count,
                                 size_t size, int64_t j);
/* Collective: x[0..rows) = column j of the whole, in double. */
ch_status chi_distribution_column(const chi_distribution *spread, double *x, int64_t j);
