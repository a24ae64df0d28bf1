/* Internals of the selection: the parts of a run and the functions of its steps. */
#pragma once

#include "base/arena.h"
#include "linalg/distribution.h"
#include "linalg/survey.h"
#include "project/columns/projector.h"
#include <conehull/random.h>

/* Values whose relative difference is at most this count as equal (ties): some thousand rounding
 * errors of a sum. */
static const double CHI_TIE = 1e-12;

/* What a column may still become. Faint columns become neither anchors nor exterior columns
 * (faint_columns.c). If anchors come only from a library, the columns of the data are points, which
 * never become anchors. */
enum chi_role {
    CHI_FREE = 0,
    CHI_CHOSEN = 1,
    CHI_COPY = 2,
    CHI_EMPTY = 3,
    CHI_FAINT = 4,
    CHI_POINT = 5
};

/* The data, and facts about columns that do not depend on the cone. Arrays have one entry per
 * column of this process, except p, which has one per row. */
typedef struct chi_data {
    chi_distribution spread; /* X, and which process holds which columns */
    const chi_measure *measure;
    const chi_survey *survey; /* sums and squares of the columns */
    /* The positive vector p (on a hull it is 1 in the lifted row only), and p'X, by which scores
     * are divided. */
    double *p, *weight;
    /* The size of a column, to which its objective is compared: its sum, its sum of squares, or
     * own_size. */
    const double *size;
    double *own_size; /* divergences: the sizes of the columns; other losses: NULL */
    double at_zero;   /* l1, l2, quantile: objective of a column at b = 0, divided by its size */
    /* A column counts as inside the cone if its objective is at most least + share * size. */
    double share;
    double *least;       /* NULL, which means 0, except for divergences; see `share` */
    unsigned char *role; /* a chi_role */
    /* Number of columns of the data; those of a library and the origin of a hull follow them. */
    int64_t points;
} chi_data;

/* Returns the largest objective at which column j counts as inside the cone. */
static inline double chi_enough(const chi_data *data, int64_t j) {
    return (data->least ? data->least[j] : 0) + data->share * data->size[j];
}

/* Returns the objective of column j at b = 0, for losses that are not divergences. */
static inline double chi_at_zero(const chi_data *data, int64_t j) {
    return data->at_zero * data->size[j];
}

/* The cone of the anchors found so far, and projections onto it. */
typedef struct chi_basis {
    chi_cone cone; /* its count is the number of anchors found, its capacity their maximum */
    chi_projector projector;
    int64_t given; /* number of anchors that were given in advance; they come first */
    /* Number of changes of the cone so far; measurements of older versions are outdated. */
    int32_t version;
    /* Number of projections that decided on an anchor but are not proven; until the run ends, those
     * of this process only. */
    _Atomic int64_t unproven;
    double *column; /* `rows` entries: the current column or dual */
} chi_basis;

enum { CHI_LARGEST_BATCH = 256 }; /* columns projected together in a search */

/* How the upper bound of a column's objective was computed, cheapest way first (farthest.c).
 * CHI_CANONICAL: the bound is the objective itself, from a canonical projection. */
enum chi_stage { CHI_IDLE, CHI_LEAST_SQUARES, CHI_RESIDUAL, CHI_WARM, CHI_CANONICAL, CHI_STAGES };
enum {
    CHI_PASSED = 16, /* added to the stage of columns that were passed over */
    CHI_MARKED = 32  /* added to the stage of columns while they are sorted (distance_heap.c) */
};

/* A heap of columns by decreasing key (chi_key()), and a list of columns that were removed from it
 * because their objective is known (aside). */
typedef struct chi_heap {
    int64_t *column, count;
    int64_t *aside, aside_count;
} chi_heap;

/* Inner products of the columns with the anchors (anchor_products.c). */
typedef struct chi_products {
    double *match;   /* `capacity` products per column; NULL: products are not stored */
    int32_t *known;  /* per column: number of products that are known */
    int64_t matched; /* number of products that are known for every column */
    int64_t read;    /* number of columns read one by one for missing products in this search */
} chi_products;

/* The distances of columns from the cone, and the search for the next exterior column by the rule
 * of the settings (exterior.c, farthest.c, all_pairs.c). Arrays have one entry per column unless
 * stated otherwise; arrays that the rule does not use are NULL. "max, share", ... in a comment are
 * the rules that use the member; balanced uses all members of share. */
typedef struct chi_distances {
    ch_context *context;
    const ch_anchors_settings *set;
    const chi_data *data;
    chi_basis *basis;

    int64_t exterior; /* index of the column that the last search found; -1: none */
    /* Objective of the exterior column; dist, greedy: the largest objective of all columns. */
    double distance;
    double key;  /* max, share: the key (chi_key()) of the exterior column */
    double lift; /* share: number that the lifted row of a hull adds to the size of a column */
    double least_size; /* balanced: smaller columns count as of this size; share: 0 */

    double *bound;  /* upper bound of the objective; if chi_is_fresh(), the objective itself */
    int32_t *tight; /* version of the cone for which `bound` was last computed */
    /* How `bound` was computed (chi_stage), and whether the column was passed over (CHI_PASSED). */
    unsigned char *stage;
    int32_t version; /* version of the cone in the current search */
    int32_t passed;  /* version of the cone at which a column was last passed over */
    int64_t *batch;  /* indices of the columns that are being projected */

    double *point;   /* `capacity` entries per column: a feasible point; NULL: not stored */
    int32_t *length; /* number of entries of `point` that are set; the rest are zero */
    /* Number of leading anchors that do not lower the objective; negative: -1 - k, where anchor k
     * is the first that does; NULL: not used (idle_columns.c). */
    int32_t *idle;
    /* 1: the column was idle when it was last tested and is not in the heap (resting_columns.c). */
    unsigned char *resting;
    chi_products products; /* max, share */
    chi_heap heap;         /* max, share */
    double need;           /* max, share: columns with a smaller key cannot decide any more */
    double least; /* max: only columns with at least this objective are searched; 0: all columns */
    int64_t *sequence; /* rand: indices of all columns of the whole matrix, in random order */
    int64_t next;      /* rand: position in `sequence` at which the next search continues */
    double *pass;      /* CHI_SCORE_MAX entries per column, from one pass over X */
    double *residuals; /* dist, greedy: CHI_SCORE_MAX columns of the residual R */
    double *reach;     /* dist: |(R_k'X)_+|^2 of each column k */
    double *gain;      /* greedy: |(R'X_j)_+|^2 / |X_j|^2 of each column j */
} chi_distances;

/* The dual D* of the exterior column, and the extreme rays that it selects. */
typedef struct chi_rays {
    double *d;      /* `rows` entries: D* */
    double *score;  /* per column: <d, X_j> / <p, X_j> */
    int64_t *list;  /* indices of the columns of this process that may have the largest score */
    int64_t *found; /* the rays found: indices in the whole matrix, at most `capacity` */
    int64_t count, used; /* number of rays found, and number of these already in the cone */
    int64_t exterior;    /* index of the exterior column whose D* found the rays; -1: none */
} chi_rays;

/* A sample of columns that the automatic choice of the rank observes (auto_rank.c). */
typedef struct chi_sample {
    int64_t *list;     /* indices of the columns of the sample */
    double *objective; /* objective of each column of the sample after the last anchor */
    int64_t count;     /* number of columns of the sample */
    double distance;   /* largest residual after the last anchor */
    double taken; /* sum of the shares of the sample's objective that the anchors removed, without
                          the first anchor */
    double mean;  /* mean of these shares up to the anchor last_fall; 0: unknown */
    /* Numbers of anchors when `distance` and when `objective` last fell by enough. */
    int64_t last_fall, last_gain;
} chi_sample;

typedef struct chi_run {
    ch_context *context;
    const ch_anchors_settings *set;
    ch_anchors_result *result; /* receives anchors, residuals and steps as they are found */
    chi_arena arena;           /* owns all arrays that live as long as the run */
    ch_random random;
    int64_t rank;    /* number of anchors to find; with automatic rank, the maximum to try */
    int reselecting; /* 1: all anchors were found, and the first one was dropped */
    chi_data data;
    chi_basis basis;
    chi_distances far;
    chi_rays rays;
    chi_sample sample;
} chi_run;

/* Prepares a run: inspects the data and allocates all memory, but selects no anchor yet
 * (select_begin.c). The survey must hold the facts that chi_select_wants() returns. Call
 * chi_run_destroy() whatever the status. */
ch_status chi_run_create(ch_context *context, chi_run *run, ch_anchors_result *result,
                         const ch_matrix *X, const chi_survey *survey,
                         const ch_anchors_settings *settings);
void chi_run_destroy(chi_run *run);

/* Returns whether the run saves memory by not storing feasible points and products of columns
 * (select_begin.c). */
int chi_is_lean(const ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* Computes the members size, least and share of *data for the loss of the projector, and sets
 * `first` to the distance of each column from the empty cone (column_sizes.c). */
ch_status chi_measure_columns(const chi_run *run, chi_data *data, double *first);
/* Returns the number that the lifted row of a hull adds to the size of every column. */
double chi_size_of_lift(const chi_run *run);
/* Numbers by which columns are compared: scores = g'X for a random vector g > 0 (the call
 * overwrites them) and sums = 1'X. `others` holds two more random vectors g, one after the
 * other. */
typedef struct chi_merge_keys {
    double *scores;
    const double *sums, *others;
} chi_merge_keys;
/* Collective: marks copies of free columns (merge_copies.c). */
ch_status chi_merge_columns(ch_context *context, unsigned char *role,
                            const chi_distribution *spread, const chi_merge_keys *keys);

/* Collective: marks free columns whose sum is below `share` times a high quantile of all column
 * sums as faint; *count receives their number over all processes. Columns with a sum below 0, which
 * must not be selected, are marked too (faint_columns.c). */
ch_status chi_mark_faint(ch_context *context, unsigned char *role, int64_t *count,
                         const double *sums, int64_t cols, double share);

/* Allocates and initialises the search (exterior.c). */
ch_status chi_exterior_create(chi_run *run);
/* Finds the next exterior column by the rule of the settings and sets far->exterior and
 * far->distance. Columns that were passed over since the cone last changed are left out. */
ch_status chi_exterior_next(chi_distances *far);
/* Passes over the exterior column that was found last, because it gives no ray; the next search
 * finds another column. */
void chi_exterior_pass(chi_distances *far);
/* Must be called before anchor k is removed from the cone: discards distances that are no longer
 * bounds. */
void chi_exterior_forget(chi_distances *far, int64_t k);

/* Computes the dual D* of column i from its projection, or the D* of the paper if it is requested
 * and valid. The process that holds the column sends D* to all processes (exterior_dual.c). */
ch_status chi_exterior_dual(chi_run *run, int64_t i);
/* Returns whether D* and p are collinear: the sine of their angle is so small that the scores no
 * longer distinguish columns. */
int chi_is_collinear(const chi_cone *cone, const double *d, const double *p);
/* For a run that has no anchors yet: passes over every column whose D*, which is the column itself,
 * is collinear with p (chi_is_collinear()). */
ch_status chi_pass_collinear(chi_run *run);

/* Finds the extreme rays that maximise <d, X_j> / <p, X_j> and stores them in run->rays, at most as
 * many as anchors are still needed (extreme_ray.c). There are none if no column has a score above
 * zero. */
ch_status chi_extreme_rays(chi_run *run);
/* Finds the extreme rays of the face that the columns list[0 .. count) span (face.c). At most
 * `most` of these columns are written to `found`; *found_count receives their number. */
ch_status chi_face_anchors(chi_run *run, int64_t *found, int64_t *found_count, const int64_t *list,
                           int64_t count, int64_t most);
/* Reduces list[0 .. count) to the columns whose score ties with the largest score, which must be
 * positive, and returns their number. scale is max |d_i|; rounding errors of scores are relative to
 * it. */
int64_t chi_keep_maximisers(int64_t *list, int64_t count, const double *score, double scale);
/* Sets rays->score[j] to <d, X_j> for all columns that may maximise <d, X_j> / <p, X_j>. For other
 * columns it may be left 0 (rivals.c). */
ch_status chi_score_rivals(chi_rays *rays, const chi_distances *far);
/* Returns max |d_i| (rivals.c). */
double chi_largest_entry(const double *d, int64_t count);
/* products = A'd (exterior_dual.c). */
void chi_multiply_anchors(double *products, const chi_cone *cone, const double *d);

/* Appends column j of the whole matrix to the anchors (anchor_list.c). chi_take_anchor() also
 * records the step, with run->rays.exterior and D*, for ch_verify(). */
ch_status chi_append_anchor(chi_run *run, int64_t j);
ch_status chi_take_anchor(chi_run *run, int64_t j);
/* Removes the anchor with index k, from 0, and the rays that are not used yet. */
void chi_remove_anchor(chi_run *run, int64_t k);

/* Adds anchors until there are run->rank (select.c). Returns CH_STOP_COMPLETE if every column is in
 * the cone. */
ch_status chi_grow(chi_run *run);
/* Drops the first anchor that was not given in advance and chooses another one, which takes its
 * place (reselect.c). */
ch_status chi_reselect(chi_run *run);

/* The automatic choice of the rank (auto_rank.c). chi_auto_limit() returns the maximum number of
 * anchors to try. chi_auto_stop() is called once per anchor, when far->distance is known, until it
 * sets *stop to 1; if the rank is given, it never does. chi_auto_cut_back() removes the anchors
 * beyond the rank that was chosen. */
int64_t chi_auto_limit(const ch_matrix *X, const ch_anchors_settings *set, int64_t usable);
ch_status chi_auto_create(chi_run *run);
int chi_auto_observes(const chi_run *run);
ch_status chi_auto_stop(chi_run *run, int *stop);
void chi_auto_cut_back(chi_run *run);
/* chi_auto_watch() is called before the first anchor is dropped. After that chi_auto_missed() sets
 * *missed to whether an anchor is missing; if the rank is given, one always is. */
ch_status chi_auto_watch(chi_run *run);
ch_status chi_auto_missed(chi_run *run, int *missed);

/* Records of steps, from which a later run resumes (step_record.c). chi_step_save() stores the last
 * step, whose anchor is in the cone already. chi_steps_restore() repeats the steps that an earlier
 * run stored. */
ch_status chi_step_save(chi_run *run);
ch_status chi_steps_restore(chi_run *run);
/* Collective: sets counts[0 .. CHI_RUN_COUNTS) to totals over all processes so far: projections
 * without proof, duals checked, duals valid, projections and pivots. */
enum { CHI_RUN_COUNTS = 5 };
ch_status chi_run_counts(const chi_run *run, int64_t *counts);
