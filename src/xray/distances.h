/* Internals of the search for exterior columns, shared by its files. */
#pragma once

#include "xray/select.h"
#include <math.h>
#include <string.h>

/* Returns the amount by which the canonical objective of column j may exceed the objective of
 * another feasible point, because of tolerance and rounding. */
static inline double chi_slack(const chi_distances *far, int64_t j) {
    return (far->set->tol + CHI_TIE) * far->data->size[j];
}

/* Returns whether the exterior rule compares objectives relative to the sizes of the columns. */
static inline int chi_by_share(const ch_anchors_settings *set) {
    return set->exterior == CH_EXTERIOR_SHARE || set->exterior == CH_EXTERIOR_BALANCED;
}

/* Returns whether the exterior rule compares objectives, either as they are (max) or relative to
 * the sizes of the columns (share, balanced). */
static inline int chi_by_distance(const ch_anchors_settings *set) {
    return set->exterior == CH_EXTERIOR_MAX || chi_by_share(set);
}

/* Returns the own size of column j, without the lifted row of a hull, but at least CHI_TIE times
 * the lifted size. Without this limit the rounding errors of a black (nearly zero) column would
 * count as a large relative distance. */
static inline double chi_own_size(const chi_distances *far, int64_t j) {
    double size = far->data->size[j];
    return fmax(size - far->lift, CHI_TIE * size);
}

/* Returns the size to which the rules share and balanced compare the objective of column j. It does
 * not change during a run, so an upper bound of the objective gives one of the key. */
static inline double chi_compared_size(const chi_distances *far, int64_t j) {
    return fmax(chi_own_size(far, j), far->least_size);
}

/* Returns the key of column j: the value that the rules max, share and balanced compare. */
static inline double chi_key(const chi_distances *far, int64_t j) {
    if (!chi_by_share(far->set)) return far->bound[j];
    return far->data->size[j] > 0 ? far->bound[j] / chi_compared_size(far, j) : 0;
}

/* Returns the objective at which the key of column j would be far->need. */
static inline double chi_needed(const chi_distances *far, int64_t j) {
    return chi_by_share(far->set) ? far->need * chi_compared_size(far, j) : far->need;
}

/* Returns whether the bound of column j is its canonical objective for the current cone. */
static inline int chi_is_fresh(const chi_distances *far, int64_t j) {
    return far->tight[j] == far->basis->version && (far->stage[j] & ~CHI_PASSED) == CHI_CANONICAL;
}

static inline void chi_set_stage(chi_distances *far, int64_t j, enum chi_stage stage) {
    int passed = far->tight[j] == far->basis->version ? far->stage[j] & CHI_PASSED : 0;
    far->tight[j] = far->basis->version;
    far->stage[j] = (unsigned char)((int)stage | passed);
}

/* Returns whether column j was passed over in this version of the cone. Once any column was passed
 * over, copies count as passed over too: of several columns on one ray, the first represents all,
 * because D* of the others is the same up to scale (nearly so under logistic). If all columns are
 * on one ray, as in a matrix of one row, trying each would take cols^2 time. */
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

/* Returns whether column j, whose canonical objective must be known, is outside the cone. */
static inline int chi_is_exterior(const chi_distances *far, int64_t j) {
    if (far->basis->cone.count == 0) return far->data->size[j] > 0;
    return far->bound[j] > chi_enough(far->data, j);
}

/* Returns whether column j may be the next exterior column. Anchors are in the cone even if
 * rounding errors suggest otherwise, and columns of a library need not be explained. */
static inline int chi_is_candidate(const chi_distances *far, int64_t j) {
    int role = far->data->role[j];
    return j < far->data->points && !chi_was_passed(far, j) && role != CHI_CHOSEN &&
           role != CHI_FAINT && chi_is_exterior(far, j);
}

/* Returns whether the chain of warm starts of column j must restart when anchor k is removed. If
 * the chain went beyond k, its state before k is no longer known. If it had just reached k, it may
 * be at the end of the new cone: its point is the solution there, but no step is left that would
 * compute the objective. */
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
/* Returns an upper bound of the objective of a column x, using only the first `count` anchors. b is
 * a feasible start and receives the result; c = A'x and square = |x|^2. The call stops when the
 * bound is below `enough`. Only for losses that have from_l2 (distance_bound.c). */
double chi_bound_column(const chi_projector *projector, int thread, double *b, const double *c,
                        int64_t count, double square, double enough);

/* Returns an upper bound of the l1 objective of column j: b becomes the least squares solution over
 * all anchors, and the bound is the objective at this point. The call reads the column. */
double chi_bound_residual(const chi_projector *projector, int thread, double *b, const double *c,
                          double square, int64_t j);

/* Returns how many times longer it takes to read a column alone than as part of a pass over X: in
 * row-major order every entry of a column is in its own cache line. */
static inline int64_t chi_advantage_of_pass(const ch_matrix *X) {
    return X->layout == CH_ROW_MAJOR ? 64 : 4;
}

/* Makes the bound of the column its canonical objective (exterior.c). */
void chi_refresh_column(chi_distances *far, int64_t j, int thread);

/* Idle columns are those for which b = 0 is optimal (idle_columns.c). If far->idle[j] = c >= 0,
 * none of the first c anchors lowers the objective of column j; if it is -1 - k, anchor k is the
 * first that does. */
static const int32_t CHI_NEVER_IDLE = INT32_MIN; /* the column is not tested */
/* Returns whether there can be idle columns; this depends only on the kind of data and on the
 * loss. */
int chi_has_idle(const chi_distances *far);
/* chi_idle_begin() is called before the first anchor is chosen, chi_idle_forget() before anchor k
 * is removed. */
void chi_idle_begin(chi_distances *far);
void chi_idle_forget(chi_distances *far, int64_t k);
/* Returns whether column j is idle, so that b = 0 is optimal. If so, its bound becomes the
 * canonical objective, otherwise it becomes tighter. */
int chi_try_idle(chi_distances *far, int64_t j, int thread);
/* Computes the bound of a column that has lost its bound from the one anchor that is known to lower
 * its objective. */
void chi_bound_by_helper(chi_distances *far, int64_t j, int thread);

/* The heap of columns by key (distance_heap.c): push, pop, rebuild after bounds have changed, and
 * order by column index instead, so that threads with neighbouring columns do not share cache
 * lines. */
void chi_heap_push(chi_distances *far, int64_t column);
int64_t chi_heap_pop(chi_distances *far);
void chi_heap_make(chi_distances *far);
void chi_heap_order(chi_distances *far);

/* Returns the number of anchors whose products with column j are known (anchor_products.c). */
static inline int64_t chi_products_known(const chi_products *products, int64_t j) {
    return products->known[j] > products->matched ? products->known[j] : products->matched;
}
/* Computes the missing products of all columns by passes over X, if these would have been cheaper
 * than the columns that were read one by one in this search, or are cheaper than reading `ahead`
 * more columns. */
ch_status chi_products_catch_up(chi_distances *far, int64_t ahead);
void chi_products_forget(chi_distances *far, int64_t k);
/* Removes entry k of an array of `count` entries and closes the gap. */
static inline void chi_drop_entry(double *entries, int64_t k, int64_t count) {
    memmove(entries + k, entries + k + 1, (size_t)(count - k - 1) * sizeof *entries);
}

/* Returns the index of the farthest resting column, or -1 if there is none (resting_columns.c). If
 * the farthest column is no longer idle and is woken, all resting columns are tested once, because
 * many more may follow. */
int64_t chi_rest_farthest(chi_distances *far);
/* Returns the lowest index below `below` of a resting column whose key reaches far->need, or
 * `below` if there is none. *woken is set if a column that was woken may be farther. */
int64_t chi_rest_lowest(chi_distances *far, int64_t below, int *woken);

/* Collective: the search of the rules max, share and balanced. Sets far->exterior to the lowest
 * index of the columns that tie with the farthest column of all processes, or to -1 if there is
 * none, and sets far->distance and far->key to those of this column. */
ch_status chi_farthest(chi_distances *far);
/* Puts all columns into the heap, before the first search. */
void chi_farthest_begin(chi_distances *far);
/* Must be called before anchor k is removed from the cone: discards bounds that depend on this
 * anchor. */
void chi_farthest_forget(chi_distances *far, int64_t k);

/* The search of the rules dist and greedy (all_pairs.c): computes far->reach and far->gain of all
 * columns, and sets far->distance to the largest objective. */
ch_status chi_compare_all_pairs(chi_distances *far);
