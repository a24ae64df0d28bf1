/* X = L + S, panel by panel: the state shared by robust PCA and the local searches. The methods
 * define L; S and the multipliers are in T and advance by the steps of chi_shrink_loops. */
#pragma once

#include "base/arena.h"
#include "baseline/decompose/panels.h"
#include <conehull/decompose.h>

/* The workspace of a thread, one panel each: X, M (to which L is fitted), L; and coefficients. */
typedef struct chi_split_work {
    double *x, *m, *l; /* m x width                                   */
    double *v;         /* k x width, k as given to chi_split_create() */
} chi_split_work;

typedef struct chi_split {
    ch_context *context;
    chi_panels panels;
    const chi_kernels *kernels;
    int64_t m, n;                 /* shape of the matrix worked on: m <= n           */
    double norm, largest;         /* |X|_F and max |X_ij|, times panels.unit         */
    double *T;                    /* stored as X is                                  */
    double limit, keep;           /* of the previous iteration: T is read with these */
    double next_limit, next_keep; /* of the current iteration                        */
    chi_shrink_sums group_sums[CHI_PANEL_GROUPS];
    chi_split_work *works; /* one per thread                            */
    chi_arena arena;       /* owns works and other arrays of the method */
} chi_split;

/* Cuts and measures X and reserves the workspace; T is not filled yet. Call chi_split_destroy()
 * also when it fails. */
ch_status chi_split_create(ch_context *context, chi_split *split, const ch_matrix *X, int64_t k);
void chi_split_destroy(chi_split *split);

/* Calls body(user, work, group, panel) for every panel; those of a group in order, by one thread.
 * group_sums are zero before. */
typedef void (*chi_split_body)(void *user, chi_split_work *w, int64_t group, int64_t panel);
void chi_split_sweep(chi_split *split, chi_split_body body, void *user);
/* The sums of all groups after a sweep. */
chi_shrink_sums chi_split_sums(const chi_split *split);

/* Loads a panel: w->x, and M in w->m. */
void chi_split_aim(const chi_split *split, chi_split_work *w, int64_t panel);
/* With L in w->l: the next T, the sums of the group, and the next M in w->m. */
void chi_split_step(chi_split *split, chi_split_work *w, int64_t group, int64_t panel);
/* Called when all panels have made their step: the next limits become the current ones. */
void chi_split_advance(chi_split *split);

/* Ends a decomposition that began at second `begin`: *parts = *found unless it failed. */
ch_status chi_split_finish(ch_decomposition *parts, ch_decomposition *found, ch_status status,
                           double begin);
