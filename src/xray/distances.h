/* Internals of the search for exterior columns, shared by its files. */
#pragma once

#include "xray/select.h"
#include <math.h>
#include <string.h>

/* The amount by which a canonical objective may exceed another feasible one. */
static inline double chi_slack(const chi_distances *far, int64_t j) {
    return (far->set->tol + CHI_TIE) * far->data->size[j];
}

/* Returns whether the rule compares objectives, as they are (max) or relative to sizes (share). */
static inline int chi_by_distance(const ch_anchors_settings *set) {
    return set->exterior == CH_EXTERIOR_MAX || set->exterior == CH_EXTERIOR_SHARE;
}

/* The size to which the rule share compares a column's objective: its own size, without the lifted
 * row. On a hull, the rounding error of a black column is far from everything but black. */
static inline double chi_own_size(const chi_distances *far, int64_t j) {
    double size = far->data->size[j];
    return fmax(size - far->lift, CHI_TIE * size);
}

/* The value that max and share compare. */
static inline double chi_key(const chi_distances *far, int64_t j) {
    if (far->set->exterior != CH_EXTERIOR_SHARE) return far->bound[j];
    return far->data->size[j] > 0 ? far->bound[j] / chi_own_size(far, j) : 0;
}

/* The objective at which the key of the column would be far->need. */
static inline double chi_needed(const chi_distances *far, int64_t j) {
    return far->set->exterior == CH_EXTERIOR_SHARE ? far->need * chi_own_size(far, j) : far->need;
}

/* Returns whether the bound is the canonical objective for the current cone. */
static inline int chi_is_fresh(const chi_distances *far, int64_t j) {
    return far->tight[j] == far->basis->version && (far->stage[j] & ~CHI_PASSED) == CHI_CANONICAL;
}

static inline void chi_set_stage(chi_distances *far, int64_t j, enum chi_stage stage) {
    int passed = far->tight[j] == far->basis->version ? far->stage[j] & CHI_PASSED : 0;
    far->tight[j] = far->basis->version;
    far->stage[j] = (unsigned char)((int)stage | passed);
}

/* Once a column was passed over, the first of several columns on one ray represents all: D* of the
 * others is the same up to scale (under logistic nearly). Where all columns are on one ray, as in a
 * matrix of one row, trying each would take cols^2. */
static inline int chi_was_passed(const chi_distances *far, int64_t j) {
    if (far->passed == far->basis->version && far->data->role[j] == CHI_COPY) return 1;
    return far->tight[j] == far->basis->version && far->stage[j] >= CHI_PASSED;
}

/* Excludes the column from further searches until the cone changes. */
static inline void chi_pass_column(const chi_distances *far, int64_t j) {
    if (far->tight[j] != far->basis->version) far->stage[j] = CHI_IDLE;
    far->tight[j] = far->basis->version;
    far->stage[j] |= CHI_PASSED;
}

/* Returns whether the column, whose canonical objective is known, is outside the cone. */
static inline int chi_is_exterior(const chi_distances *far, int64_t j) {
    if (far->basis->cone.count == 0) return far->data->size[j] > 0;
    return far->bound[j] > chi_enough(far->data, j);
}

/* Returns whether the column may be the next exterior one. Anchors are in the cone whatever
 * rounding says, and columns of a library need not be explained. */
static inline int chi_is_candidate(const chi_distances *far, int64_t j) {
    int role = far->data->role[j];
    return j < far->data->points && !chi_was_passed(far, j) && role != CHI_CHOSEN &&
           role != CHI_FAINT && chi_is_exterior(far, j);
}

/* Returns whether the column's chain must restart when anchor k is removed. If the chain went
 * beyond k, its state before k is no longer known. If it had just reached k, it may be at the end
 * of the new cone: its point is the solution there, but no step is left that would give the
 * objective. */
static inline int chi_chain_ends(const chi_distances *far, int64_t j, int64_t k) {
    return far->basis->projector.chain && far->length[j] >= k;
}

/* Returns a feasible point of the column with all entries set: the stored one, or zero in the
 * thread's workspace. */
static inline double *chi_point(const chi_distances *far, int64_t j, int thread) {
    const chi_cone *cone = &far->basis->cone;
    double *b = far->point ? far->point + j * cone->capacity
                           : far->basis->projector.worker[thread].b + 3 * cone->capacity;
    for (int64_t k = far->point ? far->length[j] : 0; k < cone->count; k++) b[k] = 0;
    if (far->point) far->length[j] = (int32_t)cone->count;
    return b;
}

/* Reads column j and computes its products c = A'x with the anchors from `from` on. */
void chi_match_column(const chi_projector *projector, int thread, double *c, int64_t j,
                      int64_t from);
/* Returns an upper bound of a column's objective, using the first count anchors only. b is a
 * feasible start and result; c = A'x, square = |x|^2. Stops when the bound is below enough. For
 * losses with a from_l2 (distance_bound.c). */
double chi_bound_column(const chi_projector *projector, int thread, double *b, const double *c,
                        int64_t count, double square, double enough);

/* The same for l1: b becomes the least squares point over all anchors, and the bound is the
 * objective there. Reads the column. */
double chi_bound_residual(const chi_projector *projector, int thread, double *b, const double *c,
                          double square, int64_t j);

/* How much more a column costs when it is read alone instead of in a pass: in row-major order every
 * entry of a column is in its own cache line. */
static inline int64_t chi_advantage_of_pass(const ch_matrix *X) {
    return X->layout == CH_ROW_MAJOR ? 64 : 4;
}

/* Makes the bound of the column its canonical objective (exterior.c). */
void chi_refresh_column(chi_distances *far, int64_t j, int thread);

/* Columns for which b = 0 may be optimal (idle_columns.c). If far->idle[j] = c >= 0, none of the
 * first c anchors helps; if it is -1 - k, anchor k is the first that helps. */
static const int32_t CHI_NEVER_IDLE = INT32_MIN; /* the column is not tested */
/* Returns whether there can be such columns; depends on the kind of data and loss only. */
int chi_has_idle(const chi_distances *far);
/* Called before the first anchor, and before anchor k is removed. */
void chi_idle_begin(chi_distances *far);
void chi_idle_forget(chi_distances *far, int64_t k);
/* Returns whether b = 0 is optimal for the column. If so, its bound becomes canonical, else
 * tighter. */
int chi_try_idle(chi_distances *far, int64_t j, int thread);
/* Restores the bound from the anchor that is known to help, for a column that has lost it. */
void chi_bound_by_helper(chi_distances *far, int64_t j, int thread);

/* The heap of columns by key (distance_heap.c): push, pop, rebuild after bounds have changed, and
 * order by column index instead, so that threads with neighbouring columns do not share cache
 * lines. */
void chi_heap_push(chi_distances *far, int64_t column);
int64_t chi_heap_pop(chi_distances *far);
void chi_heap_make(chi_distances *far);
void chi_heap_order(chi_distances *far);

/* The number of anchors whose products with the column are known (anchor_products.c). */
static inline int64_t chi_products_known(const chi_products *products, int64_t j) {
    return products->known[j] > products->matched ? products->known[j] : products->matched;
}
/* Computes the missing products of all columns if passes over X would have been cheaper than the
 * columns read in this search, or are cheaper than reading those `ahead`. */
ch_status chi_products_catch_up(chi_distances *far, int64_t ahead);
void chi_products_forget(chi_distances *far, int64_t k);
/* Removes entry k of count entries and closes the gap. */
static inline void chi_drop_entry(double *entries, int64_t k, int64_t count) {
    memmove(entries + k, entries + k + 1, (size_t)(count - k - 1) * sizeof *entries);
}

/* Returns the farthest column at rest, or -1 (resting_columns.c). If the farthest was woken, all
 * are tested, once, because many more may follow. */
int64_t chi_rest_farthest(chi_distances *far);
/* Returns the lowest column at rest, before `below`, that reaches far->need, or `below` if there is
 * none. *woken is set if a woken column may be farther. */
int64_t chi_rest_lowest(chi_distances *far, int64_t below, int *woken);

/* Collective, for the rules max and share (farthest.c). Sets far->exterior to the lowest column
 * among those that tie with the farthest of all processes (-1: none), and its far->distance and
 * far->key. */
ch_status chi_farthest(chi_distances *far);
/* Puts all columns into the heap. */
void chi_farthest_begin(chi_distances *far);
/* Called before anchor k leaves the cone: discards bounds that depend on it. */
void chi_farthest_forget(chi_distances *far, int64_t k);

/* For dist and greedy (all_pairs.c): computes far->reach and far->gain of all columns, and the
 * largest objective in far->distance. */
ch_status chi_compare_all_pairs(chi_distances *far);
