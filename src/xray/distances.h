/* Inside the search for exterior columns: what its files share. */
#ifndef CONEHULL_DISTANCES_H
#define CONEHULL_DISTANCES_H

#include "xray/xray.h"
#include <string.h>

/* By how much a canonical objective may exceed another feasible one. */
static inline double chi_slack(const chi_run *run, int64_t j) {
    return (run->set->tol + CHI_TIE) * run->size[j];
}

/* The bound is the canonical objective in the cone as it is. */
static inline int chi_is_fresh(const chi_run *run, int64_t j) {
    return run->far.tight[j] == run->version && (run->far.stage[j] & ~CHI_PASSED) == CHI_CANONICAL;
}

static inline void chi_set_stage(chi_run *run, int64_t j, enum chi_stage stage) {
    chi_distances *far = &run->far;
    int passed = far->tight[j] == run->version ? far->stage[j] & CHI_PASSED : 0;
    far->tight[j] = run->version;
    far->stage[j] = (unsigned char)((int)stage | passed);
}

/* Once one was passed over, of columns on one ray the first stands for all: D* of the others is the
 * same up to scale (under logistic nearly), and where all are on one, as in a matrix of one row,
 * trying each would take cols^2. */
static inline int chi_was_passed(const chi_run *run, int64_t j) {
    if (run->passed == run->version && run->role[j] == CHI_COPY) return 1;
    return run->far.tight[j] == run->version && run->far.stage[j] >= CHI_PASSED;
}

/* Is the column, its canonical objective being known, outside the cone? */
static inline int chi_is_exterior(const chi_run *run, int64_t j) {
    return run->count == 0 ? run->size[j] > 0 : run->far.bound[j] > chi_enough(run, j);
}

/* May the column be the next exterior one? Anchors are in the cone whatever rounding says. */
static inline int chi_is_candidate(const chi_run *run, int64_t j) {
    return !chi_was_passed(run, j) && run->role[j] != CHI_CHOSEN && chi_is_exterior(run, j);
}

/* Must the column's chain begin anew when anchor k goes? Of one that went further, what it was
 * before k is not known any more. One that had just come to k may be at the end of the new cone:
 * its point is the answer there, but no step is left to tell the objective. */
static inline int chi_chain_ends(const chi_run *run, int64_t j, int64_t k) {
    return run->projector.chain && run->far.length[j] >= k;
}

/* A feasible point of the column, all its entries set: the one that is kept, or zero in the
 * thread's memory. */
static inline double *chi_point(chi_run *run, int64_t j, int thread) {
    chi_distances *far = &run->far;
    double *b = run->lean ? run->projector.worker[thread].b + 3 * run->capacity
                          : far->guess + j * run->capacity;
    for (int64_t k = run->lean ? 0 : far->length[j]; k < run->count; k++) b[k] = 0;
    if (!run->lean) far->length[j] = (int32_t)run->count;
    return b;
}

/* Products c = A'x of column j with the anchors from `from` on, for which the column is read. */
void chi_match_column(const chi_projector *projector, int thread, double *c, int64_t j,
                      int64_t from);
/* An upper bound of a column's objective, and b, feasible as start and result, by the first count
 * anchors alone. c = A'x, square = |x|^2. Stops when the bound is below enough. For losses with a
 * spread (distance_bound.c). */
double chi_bound_column(const chi_projector *projector, int thread, double *b, const double *c,
                        int64_t count, double square, double enough);

/* How much dearer it is to read a column by itself than in a pass: where rows lie side by side,
 * every entry of a column is in a cache line of its own. */
static inline int64_t chi_advantage_of_pass(const ch_matrix *X) {
    return X->layout == CH_ROW_MAJOR ? 64 : 4;
}

/* Canonical: the column's bound becomes its objective (exterior.c). */
void chi_refresh_column(chi_run *run, int64_t j, int thread);
/* Can b = 0 be optimal? Decided by the kind of data and loss alone (idle_columns.c). */
int chi_may_be_idle(const chi_run *run);
/* far.idle[j] >= 0: of so many leading anchors none helps; -1 - k: anchor k does, and none before.
 */
static const int32_t CHI_NEVER_IDLE = INT32_MIN; /* the column is not tested */
/* Before the first anchor; and when anchor k is about to leave. */
void chi_idle_begin(chi_run *run);
void chi_idle_forget(chi_run *run, int64_t k);
/* Whether b = 0 is optimal for the column; its bound is canonical then, and
 * tighter otherwise. */
int chi_try_idle(chi_run *run, int64_t j, int thread);
/* The bound by the anchor that is known to help, for those who have lost it. */
void chi_bound_by_helper(chi_run *run, int64_t j, int thread);
/* Canonical for all columns, unless that was done for this cone. */
ch_status chi_refresh_all(chi_run *run);
/* The heap of columns by bound (distance_heap.c): one more, the top, after bounds have changed, and
 * its columns by index instead, so that threads that take neighbours keep off each other's cache
 * lines.
 */
void chi_heap_push(chi_distances *far, int64_t column);
int64_t chi_heap_pop(chi_distances *far);
void chi_heap_make(chi_distances *far);
void chi_heap_order(chi_run *run);

/* Products with the anchors that the column has (anchor_products.c). */
static inline int64_t chi_products_known(const chi_distances *far, int64_t j) {
    return far->known[j] > far->matched ? far->known[j] : far->matched;
}
/* All columns get them, if passes over X would have been cheaper than the columns read in this
 * search, or are cheaper than reading those `ahead`. */
ch_status chi_products_catch_up(chi_run *run, int64_t ahead);
void chi_products_forget(chi_run *run, int64_t k);
/* Takes entry k out of count, and closes the gap. */
static inline void chi_drop_entry(double *entries, int64_t k, int64_t count) {
    memmove(entries + k, entries + k + 1, (size_t)(count - k - 1) * sizeof *entries);
}

/* The farthest column at rest, -1: none (resting_columns.c). If the farthest has been woken, all
 * are tested, once: there may be many to come. */
int64_t chi_rest_farthest(chi_run *run);
/* The lowest column at rest that reaches far->need, or below; *woken |= one may be farther. */
int64_t chi_rest_lowest(chi_run *run, int64_t below, int *woken);

/* Collective, for the rule max by bounds (farthest.c): run->exterior, the lowest column of those
 * that tie with the farthest of any rank (-1: none), and run->distance. */
ch_status chi_farthest(chi_run *run);
/* All columns into the heap. */
void chi_farthest_begin(chi_run *run);
/* The cone is about to lose anchor k: bounds that rest on it go. */
void chi_farthest_forget(chi_run *run, int64_t k);

/* dist and greedy (all_pairs.c): values of the rule for all columns; greedy's criterion in
 * run->score, the largest objective in run->distance. */
ch_status chi_compare_all_pairs(chi_run *run);

#endif
