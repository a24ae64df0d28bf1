/* Internals of the selection: the parts of a run, each with one job, and the steps. */
#pragma once

#include "base/arena.h"
#include "linalg/distribution.h"
#include "linalg/survey.h"
#include "project/columns/projector.h"
#include <conehull/random.h>

/* Values this close, relative to their scale, count as ties: some thousand rounding errors of a
 * sum. */
static const double CHI_TIE = 1e-12;

/* What a column may still become. Faint columns become neither anchor nor exterior column
 * (faint_columns.c). Points, which are data columns when anchors come from a library only, never
 * become anchors. */
enum chi_role {
    CHI_FREE = 0,
    CHI_CHOSEN = 1,
    CHI_COPY = 2,
    CHI_EMPTY = 3,
    CHI_FAINT = 4,
    CHI_POINT = 5
};

/* The data, and facts about columns that do not depend on the cone. Arrays are per column of this
 * process; p is per row. */
typedef struct chi_data {
    chi_distribution spread; /* X, and which process holds which columns                       */
    const chi_measure *measure;
    const chi_survey *survey; /* sums and squares of the columns              */
    double *p, *weight;       /* p'X; on a hull p is 1 in the lifted row only */
    const double *size;       /* to which a column's objective is compared: its sum, square, or
                                 own_size */
    double *own_size;         /* for divergences, else NULL                             */
    double at_zero;           /* l1, l2, quantile: the objective at b = 0 over the size */
    double share;             /* a column is in the cone if its objective is at most    */
    double *least; /* least + share * size; least is NULL but for divergences                  */
    unsigned char *role; /* chi_role                                                           */
    int64_t points;      /* columns of the data; a library and the origin of a hull follow them */
} chi_data;

/* The largest objective at which the column counts as inside the cone. */
static inline double chi_enough(const chi_data *data, int64_t j) {
    return (data->least ? data->least[j] : 0) + data->share * data->size[j];
}

/* The objective at b = 0, for losses that are not divergences. */
static inline double chi_at_zero(const chi_data *data, int64_t j) {
    return data->at_zero * data->size[j];
}

/* The cone of the anchors found so far, and projections onto it. */
typedef struct chi_basis {
    chi_cone cone; /* count: anchors found; capacity: anchors that it can hold               */
    chi_projector projector;
    int64_t given;            /* leading anchors that were given in advance                  */
    int32_t version;          /* counts changes of the cone; older measurements are outdated */
    _Atomic int64_t unproven; /* projections without proof that decided on anchors; of this process
                                 until the run ends */
    double *column;           /* rows: the current column or dual                             */
} chi_basis;

enum { CHI_LARGEST_BATCH = 256 }; /* columns projected together in a search */

/* How a column's bound was computed, cheapest way first (farthest.c). Canonical: it is the
 * objective. */
enum chi_stage { CHI_IDLE, CHI_LEAST_SQUARES, CHI_RESIDUAL, CHI_WARM, CHI_CANONICAL, CHI_STAGES };
enum {
    CHI_PASSED = 16, /* added to the stage of columns that were passed over */
    CHI_MARKED = 32  /* ... and while they are sorted (distance_heap.c)     */
};

/* Columns by decreasing key (chi_key), and those removed because their objective is known. */
typedef struct chi_heap {
    int64_t *column, count;
    int64_t *aside, aside_count;
} chi_heap;

/* Products of the columns with the anchors (anchor_products.c). */
typedef struct chi_products {
    double *match;   /* capacity entries per column, or NULL: not stored            */
    int32_t *known;  /* number of entries known, per column                         */
    int64_t matched; /* ... and at least this many for every column                 */
    int64_t read;    /* columns read one by one for missing products in this search */
} chi_products;

/* The distances of columns from the cone, and the search for the next exterior one by the rule of
 * the settings (exterior.c, farthest.c, all_pairs.c). Arrays are per column unless stated; those
 * that the rule does not use are NULL. */
typedef struct chi_distances {
    ch_context *context;
    const ch_anchors_settings *set;
    const chi_data *data;
    chi_basis *basis;

    int64_t exterior; /* the column that the last search found, -1: none                   */
    double distance;  /* its objective; for dist and greedy the largest of all columns     */
    double key;       /* max, share: the value compared for that column                    */
    double lift;      /* share: what the lifted row of a hull adds to the size of a column */

    double *bound;        /* upper bound of the objective; exact where fresh             */
    int32_t *tight;       /* version of the cone for which bound was last tightened, ... */
    unsigned char *stage; /* ... how (chi_stage), and whether the column was passed over */
    int32_t version;      /* version of the cone in the current search                   */
    int32_t passed;       /* version at which a column was last passed over              */
    int64_t *batch;       /* columns being projected                                     */

    double *point;          /* capacity entries per column: a feasible point; NULL: not stored */
    int32_t *length;        /* number of entries set; the rest are zero                        */
    int32_t *idle;          /* how many leading anchors do not help; negative: one does; NULL: not
                        used (idle_columns.c) */
    unsigned char *resting; /* idle when last tested, and not in the heap (resting_columns.c) */
    chi_products products;  /* max, share                                                     */
    chi_heap heap;          /* max, share                                                     */
    double need;            /* max, share: keys below this cannot decide any more             */
    double least;           /* max: search only for columns at least this far; 0: the farthest */
    int64_t *sequence;      /* rand: columns of the whole matrix in random order ...           */
    int64_t next;           /* ... and the place to continue from                              */
    double *pass;           /* CHI_SCORE_MAX entries per column, from one pass over X          */
    double *residuals;      /* dist, greedy: CHI_SCORE_MAX columns of R                        */
    double *reach;          /* dist: |(R_k'X)_+|^2                                             */
    double *gain;           /* greedy: |(R'X_j)_+|^2 / |X_j|^2                                 */
} chi_distances;

/* The direction D*, and the extreme rays that it selects. */
typedef struct chi_rays {
    double *d;           /* rows: D*                                                          */
    double *score;       /* per column: <d, X_j> / <p, X_j>                                   */
    int64_t *list;       /* per column: those of this process that may have the largest score */
    int64_t *found;      /* capacity: columns of the whole matrix                             */
    int64_t count, used; /* number found, and number already added to the cone                */
    int64_t exterior;    /* the column whose D* found them; -1: none                          */
} chi_rays;

/* Columns that the automatic rank observes (auto_rank.c). */
typedef struct chi_sample {
    int64_t *list;
    double *objective; /* after the last anchor                                              */
    int64_t count;
    double distance; /* the largest residual after the last anchor                       */
    double taken;    /* shares of the sample that the anchors removed, without the first */
    double mean;     /* mean of those up to last_fall; 0: unknown                        */
    int64_t last_fall, last_gain; /* number of anchors when distance or objective last fell
                                     enough */
} chi_sample;

typedef struct chi_run {
    ch_context *context;
    const ch_anchors_settings *set;
    ch_anchors_result *result; /* anchors, residuals and steps are written there as found */
    chi_arena arena;           /* owns all arrays that end with the run                   */
    ch_random random;
    int64_t rank;    /* anchors wanted; for the automatic rank, how far to look */
    int reselecting; /* all anchors were found, and the first was dropped       */
    chi_data data;
    chi_basis basis;
    chi_distances far;
    chi_rays rays;
    chi_sample sample;
} chi_run;

/* Inspects the data and allocates all memory; no anchor is selected yet (select_begin.c). The
 * survey must have what chi_select_wants() returns. Call chi_run_destroy() whatever the status. */
ch_status chi_run_create(ch_context *context, chi_run *run, ch_anchors_result *result,
                         const ch_matrix *X, const chi_survey *survey,
                         const ch_anchors_settings *settings);
void chi_run_destroy(chi_run *run);

/* Returns whether points and products of columns are not stored, to save memory
 * (select_begin.c). */
int chi_is_lean(const ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* Computes size, least and share for the loss of the projector; first = distances from the empty
 * cone (column_sizes.c). */
ch_status chi_measure_columns(const chi_run *run, chi_data *data, double *first);
/* Returns what the lifted row of a hull, the same in all columns, adds to their sizes. */
double chi_size_of_lift(const chi_run *run);
/* Keys that distinguish columns: scores = g'X for a random g > 0, which is overwritten, sums =
 * 1'X, and two more vectors g. */
typedef struct chi_merge_keys {
    double *scores;
    const double *sums, *others;
} chi_merge_keys;
/* Collective: marks copies of free columns (merge_copies.c). */
ch_status chi_merge_columns(ch_context *context, unsigned char *role,
                            const chi_distribution *spread, const chi_merge_keys *keys);

/* Collective: marks free columns whose sum is below the share of a high quantile of all sums;
 * *count is their number over all processes. Also marks those with a sum below 0, which must not be
 * selected (faint_columns.c). */
ch_status chi_mark_faint(ch_context *context, unsigned char *role, int64_t *count,
                         const double *sums, int64_t cols, double share);

/* Allocates and initialises the search (exterior.c). */
ch_status chi_exterior_create(chi_run *run);
/* Finds the next exterior column by the rule, except those passed over since the cone last changed:
 * sets far->exterior and far->distance. */
ch_status chi_exterior_next(chi_distances *far);
/* Called when the exterior column just found gives no ray; the next search finds another. */
void chi_exterior_pass(chi_distances *far);
/* Called before anchor k leaves the cone: known distances are no longer bounds. */
void chi_exterior_forget(chi_distances *far, int64_t k);

/* Computes D* of column i, from its projection, or the paper's D* where requested and valid, and
 * sends it from the process that holds the column to all (exterior_dual.c). */
ch_status chi_exterior_dual(chi_run *run, int64_t i);
/* Returns whether |sin| of the angle between D* and p is so small that p no longer distinguishes
 * columns. */
int chi_is_collinear(const chi_cone *cone, const double *d, const double *p);
/* For a run without anchors: passes over every column whose D* (the column itself) is collinear
 * with p by chi_is_collinear(). */
ch_status chi_pass_collinear(chi_run *run);

/* Finds extreme rays that maximise <d, X_j> / <p, X_j>, at most as many as anchors are still
 * wanted, in run->rays (extreme_ray.c). There are none if no column scores above zero. */
ch_status chi_extreme_rays(chi_run *run);
/* The same on a subset of columns, the face that they span (face.c): at most `most` of
 * list[0..count) into found. */
ch_status chi_face_anchors(chi_run *run, int64_t *found, int64_t *found_count, const int64_t *list,
                           int64_t count, int64_t most);
/* Keeps of list[0..count), with their scores, those that tie with the largest, which must be
 * positive. Returns their number. scale is max |d_i|, to which rounding errors of scores are
 * relative. */
int64_t chi_keep_maximisers(int64_t *list, int64_t count, const double *score, double scale);
/* Fills rays->score with <d, X_j> for all columns that may maximise <d, X_j> / <p, X_j>; for others
 * it is 0 or that value (rivals.c). */
ch_status chi_score_rivals(chi_rays *rays, const chi_distances *far);
/* max |d_i| (rivals.c). */
double chi_largest_entry(const double *d, int64_t count);

/* Makes column j of the whole matrix the last anchor (anchor_list.c). chi_take_anchor() also
 * records a step of the proof, from rays.exterior and D*. */
ch_status chi_append_anchor(chi_run *run, int64_t j);
ch_status chi_take_anchor(chi_run *run, int64_t j);
/* Removes anchor number k and the unused rays. */
void chi_remove_anchor(chi_run *run, int64_t k);

/* Adds anchors until there are run->rank (select.c). Returns CH_STOP_COMPLETE if every column is in
 * the cone. */
ch_status chi_grow(chi_run *run);
/* Drops the first anchor that was not given and chooses it again; the new one takes its place
 * (reselect.c). */
ch_status chi_reselect(chi_run *run);

/* The automatic rank (auto_rank.c). limit: how far to look ahead. stop: called once per anchor when
 * far->distance is known, until it returns true; without an automatic rank it never does. cut_back:
 * removes the anchors beyond the rank that it chose. */
int64_t chi_auto_limit(const ch_matrix *X, const ch_anchors_settings *set, int64_t usable);
ch_status chi_auto_create(chi_run *run);
int chi_auto_observes(const chi_run *run);
ch_status chi_auto_stop(chi_run *run, int *stop);
void chi_auto_cut_back(chi_run *run);
/* watch is called before the first anchor is dropped; missed returns, after that, whether an anchor
 * is missing. Without an automatic rank it always is. */
ch_status chi_auto_watch(chi_run *run);
ch_status chi_auto_missed(chi_run *run, int *missed);

/* Steps stored for a run that resumes this one (step_record.c). save: stores the step just made,
 * whose anchor is in the cone. restore: repeats the steps that an earlier run stored. */
ch_status chi_step_save(chi_run *run);
ch_status chi_steps_restore(chi_run *run);
/* Collective: totals over all processes of projections without proof, duals checked and valid,
 * columns projected and pivots so far. */
enum { CHI_RUN_COUNTS = 5 };
ch_status chi_run_counts(const chi_run *run, int64_t *counts);
