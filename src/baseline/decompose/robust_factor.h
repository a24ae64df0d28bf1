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
    /* H (rank x width), warm: towards argmin |M - W H|_F; V = W'M, gram = W'W; V is overwritten. */
    void (*fit_H)(double *H, double *V, const double *gram, int64_t rank, int64_t width);
    /* W (m x rank), warm: towards argmin |M - W H|_F; P = M H', Q = H H', followed by a
     * workspace of 2 rank numbers. */
    void (*fit_W)(const chi_kernels *kernels, double *W, double *P, double *Q, int64_t m,
                  int64_t rank, ch_random *random);
} chi_factor_rule;

ch_status chi_robust_factor(ch_context *context, ch_decomposition *parts, const ch_matrix *X,
                            const ch_factor_settings *settings, const chi_factor_rule *rule);
