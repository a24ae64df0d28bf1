/* The local search shared by robust_nmf.c and robust_lowrank.c, and the functions that each of them
 * adds. */
#pragma once

#include "linalg/linalg.h"
#include <conehull/decompose.h>
#include <conehull/random.h>

/* How one factor is fitted to M by least squares, given the other. */
typedef struct chi_factor_rule {
    ch_status (*check)(ch_context *context, const ch_matrix *X);
    int exact; /* fit_H needs no start: H may be uninitialised */
    /* Turns W (m x rank), made of columns of X, into a start of the search. */
    void (*start)(const chi_kernels *kernels, double *W, int64_t m, int64_t rank,
                  ch_random *random);
    /* Improves H (rank x width) towards argmin |M - W H|_F, given V = W'M and gram = W'W.
     * Overwrites V. */
    void (*fit_H)(double *H, double *V, const double *gram, int64_t rank, int64_t width);
    /* Improves W (m x rank) towards argmin |M - W H|_F, given P = M H' and Q = H H'; a workspace of
     * 2 rank numbers follows Q. */
    void (*fit_W)(const chi_kernels *kernels, double *W, double *P, double *Q, int64_t m,
                  int64_t rank, ch_random *random);
} chi_factor_rule;

ch_status chi_robust_factor(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                            const ch_factor_settings *settings, const chi_factor_rule *rule);
