/* Inside the search for exterior columns: what its files share. */
#pragma once

#include "xray/select.h"
#include <math.h>
#include <string.h>

/* By how much a canonical objective may exceed another feasible one. */
static inline double chi_slack(const chi_distances *far, int64_t j) {
    return (far->set->tol + CHI_TIE) * far->data->size[j];
}

/* Do the columns' objectives decide, as they are (max) or over their sizes (share)? */
static inline int chi_by_distance(const ch_anchors_settings *set) {
    return set->exterior == CH_EXTERIOR_MAX || set->exterior == CH_EXTERIOR_SHARE;
}

/* What the rule share measures a column's objective against: its own size, without the lifted row.
 * What rounding leaves of a black column of a hull is far from everything but black. */
static inline double chi_own_size(const chi_distances *far, int64_t j) {
    double size = far->data->size[j];
    return fmax(size - far->lift, CHI_TIE * size);
}

/* What max and share compare. */
static inline double chi_key(const chi_distances *far, int64_t j) {
    if (far->set->exterior != CH_EXTERIOR_SHARE) return far->bound[j];
    return far->data->size[j] > 0 ? far->bound[j] / chi_own_size(far, j) : 0;
}

/* The objective at which the column's key would be far->need. */
static inline double chi_needed(const chi_distances *far, int64_t j) {
    return far->set->exterior == CH_EXTERIOR_SHARE ? far->need * chi_own_size(far, j) : far->need;
}

/* The bound is the canonical objective in the cone as it is. */
static inline int chi_is_fresh(const chi_distances *far, int64_t j) {
    return far->tight[j] == far->basis->version && (far->stage[j] & ~CHI_PASSED) == CHI_CANONICAL;
}

static inline void chi_set_stage(chi_distances *far, int64_t j, enum chi_stage stage) {
    int passed = far->tight[j] == far->basis->version ? far->stage[j] & CHI_PASSED : 0;
    far->tight[j] = far->basis->version;
    far->stage[j] = (unsigned char)((int)stage | passed);
}

/* Once one was passed over, of columns on one ray the first stands for all: D* of the others is the
 * same up to scale (under logistic nearly), and where all are on one, as in a matrix of one row,
 * trying each would take cols^2. */
static inline int chi_was_passed(const chi_distances *far, int64_t j) {
    if (far->passed == far->basis->version && far->data->role[j] == CHI_COPY) return 1;
    return far->tight[j] == far->basis->version && far->stage[j] >= CHI_PASSED;
}

/* The next searches leave the column out, while the cone is as it is. */
static inline void chi_pass_column(const chi_distances *far, int64_t j) {
    if (far->tight[j] != far->basis->version) far->stage[j] = CHI_IDLE;
    far->tight[j] = far->basis->version;
    far->stage[j] |= CHI_PASSED;
}

/* Is the column, its canonical objective being known, outside the cone? */
static inline int chi_is_exterior(const chi_distances *far, int64_t j) {
    if (far->basis->cone.count == 0) return far->data->size[j] > 0;
    return far->bound[j] > chi_enough(far->data, j);
}

/* May the column be the next exterior one? Anchors are in the cone whatever rounding says, and a
 * library is explained by nothing. */
static inline int chi_is_candidate(const chi_distances *far, int64_t j) {
    int role = far->data->role[j];
    return j < far->data->points && !chi_was_passed(far, j) && role != CHI_CHOSEN &&
           role != CHI_FAINT && chi_is_exterior(far, j);
}

/* Must the column's chain begin anew when anchor k goes? Of one that went further, what it was
 * before k is not known any more. One that had just come to k may be at the end of the new cone:
 * its point is the answer there, but no step is left that would give the objective. */
static inline int chi_chain_ends(const chi_distances *far, int64_t j, int64_t k) {
    return far->basis->projector.chain && far->length[j] >= k;
}

/* A feasible point of the column, all its entries set: the one that is kept, or zero in the
 * thread's memory. */
static inline double *chi_point(const chi_distances *far, int64_t j, int thread) {
    const chi_cone *cone = &far->basis->cone;
    double *b = far->point ? far->point + j * cone->capacity
                           : far->basis->projector.worker[thread].b + 3 * cone->capacity;
    for (int64_t k = far->point ? far->length[j] : 0; k < cone->count; k++) b[k] = 0;
    if (far->point) far->length[j] = (int32_t)cone->count;
    return b;
}

/* Products c = A'x of column j with the anchors from `from` on, for which the column is read. */
void chi_match_column(const chi_projector *projector, int thread, double *c, int64_t j,
                      int64_t from);
/* An upper bound of a column's objective, and b, feasible as start and result, by the first count
 * anchors alone. c = A'x, square = |x|^2. Stops when the bound is below enough. For losses with a
 * from_l2 (distance_bound.c). */
double chi_bound_column(const chi_projector *projector, int thread, double *b, const double *c,
                        int64_t count, double square, double enough);

/* Another one, of l1: b becomes the point of least squares, by all anchors, and the bound is the
 * objective there. Reads the column. */
double chi_bound_residual(const chi_projector *projector, int thread, double *b, const double *c,
                          double square, int64_t j);

/* How much dearer it is to read a column by itself than in a pass: where rows lie side by side,
 * every entry of a column is in a cache line of its own. */
static inline int64_t chi_advantage_of_pass(const ch_matrix *X) {
    return X->layout == CH_ROW_MAJOR ? 64 : 4;
}

/* Canonical: the column's bound becomes its objective (exterior.c). */
void chi_refresh_column(chi_distances *far, int64_t j, int thread);

/* Columns for which b = 0 may be optimal (idle_columns.c). far->idle[j] >= 0: of so many leading
 * anchors none helps; -1 - k: anchor k does, and none before. */
static const int32_t CHI_NEVER_IDLE = INT32_MIN; /* the column is not tested */
/* Can there be such columns? Decided by the kind of data and loss alone. */
int chi_has_idle(const chi_distances *far);
/* Before the first anchor; and when anchor k is about to leave. */
void chi_idle_begin(chi_distances *far);
void chi_idle_forget(chi_distances *far, int64_t k);
/* Whether b = 0 is optimal for the column; its bound is canonical then, and tighter otherwise. */
int chi_try_idle(chi_distances *far, int64_t j, int thread);
/* The bound by the anchor that is known to help, for those who have lost it. */
void chi_bound_by_helper(chi_distances *far, int64_t j, int thread);

/* The heap of columns by key (distance_heap.c): one more; the top; after bounds have changed; and
 * its columns by index instead, so that threads that take neighbours keep off each other's cache
 * lines. */
void chi_heap_push(chi_distances *far, int64_t column);
int64_t chi_heap_pop(chi_distances *far);
void chi_heap_make(chi_distances *far);
void chi_heap_order(chi_distances *far);

/* Products with the anchors that the column has (anchor_products.c). */
static inline int64_t chi_products_known(const chi_products *products, int64_t j) {
    return products->known[j] > products->matched ? products->known[j] : products->matched;
}
/* All columns get them, if passes over X would have been cheaper than the columns read in this
 * search, or are cheaper than reading those `ahead`. */
ch_status chi_products_catch_up(chi_distances *far, int64_t ahead);
void chi_products_forget(chi_distances *far, int64_t k);
/* Takes entry k out of count, and closes the gap. */
static inline void chi_drop_entry(double *entries, int64_t k, int64_t count) {
    memmove(entries + k, entries + k + 1, (size_t)(count - k - 1) * sizeof *entries);
}

/* The farthest column at rest, -1: none (resting_columns.c). If the farthest has been woken, all
 * are tested, once: there may be many to come. */
int64_t chi_rest_farthest(chi_distances *far);
/* The lowest column at rest that reaches far->need, or below; *woken |= one may be farther. */
int64_t chi_rest_lowest(chi_distances *far, int64_t below, int *woken);

/* Collective, for the rules max and share by bounds (farthest.c): far->exterior, the lowest column
 * of those that tie with the farthest of any process (-1: none), its far->distance and far->key. */
ch_status chi_farthest(chi_distances *far);
/* All columns into the heap. */
void chi_farthest_begin(chi_distances *far);
/* The cone is about to lose anchor k: bounds that rest on it go. */
void chi_farthest_forget(chi_distances *far, int64_t k);

/* dist and greedy (all_pairs.c): far->reach and far->gain of all columns, the largest objective in
 * far->distance. */
ch_status chi_compare_all_pairs(chi_distances *far);
