/* X = L + S, panel by panel: the state shared by robust PCA and the local searches. The methods
 * define L; S and the multipliers are in T and advance by the steps of chi_shrink_loops. */
#pragma once

#include "base/arena.h"
#include "baseline/decompose/panels.h"
#include <conehull/decompose.h>

/* The workspace of a thread: one panel each of X, of M, to which L is fitted, and of L; and
 * coefficients. */
typedef struct chi_split_work {
    double *x, *m, *l; /* m x width                                   */
    double *v;         /* k x width, k as given to chi_split_create() */
} chi_split_work;

typedef struct chi_split {
    ch_context *context;
    chi_panels panels;
    const chi_kernels *kernels;
    int64_t m, n;         /* shape of the matrix worked on: m <= n   */
    double norm, largest; /* |X|_F and max |X_ij|, times panels.unit */
    double *T;            /* in the storage order of X               */
    /* limit and keep of the previous iteration, with which T is read */
    double limit, keep;
    double next_limit, next_keep; /* limit and keep of the current iteration */
    chi_shrink_sums group_sums[CHI_PANEL_GROUPS];
    chi_split_work *works; /* one per thread                            */
    chi_arena arena;       /* owns works and other arrays of the method */
} chi_split;

/* Divides X into panels, computes norm and largest, and reserves the workspace; T is not filled.
 * Call chi_split_destroy() whatever the status. */
ch_status chi_split_create(ch_context *context, chi_split *split, const ch_matrix *X, int64_t k);
void chi_split_destroy(chi_split *split);

/* chi_split_sweep() sets group_sums to zero and calls body(user, work, group, panel) for every
 * panel; one thread processes the panels of a group, in order. */
typedef void (*chi_split_body)(void *user, chi_split_work *w, int64_t group, int64_t panel);
void chi_split_sweep(chi_split *split, chi_split_body body, void *user);
/* Returns the total of the sums of all groups after a sweep. */
chi_shrink_sums chi_split_sums(const chi_split *split);

/* Loads the panel of X into w->x and computes M into w->m. */
void chi_split_aim(const chi_split *split, chi_split_work *w, int64_t panel);
/* Given L in w->l: computes the next T, adds to the sums of the group, and computes the next M into
 * w->m. */
void chi_split_step(chi_split *split, chi_split_work *w, int64_t group, int64_t panel);
/* Called when all panels have made their step: the next limits become the current ones. */
void chi_split_advance(chi_split *split);

/* Ends a decomposition that began at the time `begin` in seconds: sets *parts = *found unless
 * status is a failure. */
ch_status chi_split_finish(ch_decomposition *parts, ch_decomposition *found, ch_status status,
                           double begin);
