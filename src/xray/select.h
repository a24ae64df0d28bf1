/* Inside the selection: the parts of a run, each with one job, and its steps. */
#pragma once

#include "base/arena.h"
#include "linalg/distribution.h"
#include "linalg/survey.h"
#include "project/columns/projector.h"
#include <conehull/random.h>

/* Values this close, relative to their scale, are ties: some thousand roundings of a sum. */
static const double CHI_TIE = 1e-12;

/* What a column may still become. Faint ones become neither anchor nor exterior column
 * (faint_columns.c); points, columns of the data where anchors come from a library alone, become no
 * anchor. */
enum chi_role {
    CHI_FREE = 0,
    CHI_CHOSEN = 1,
    CHI_COPY = 2,
    CHI_EMPTY = 3,
    CHI_FAINT = 4,
    CHI_POINT = 5
};

/* The data, and what is known of the columns whatever the cone. Arrays are per column of this
 * process; p is per row. */
typedef struct chi_data {
    chi_distribution spread; /* X, and which process holds which columns                       */
    const chi_measure *measure;
    const chi_survey *survey; /* sums and squares of the columns                               */
    double *p, *weight;       /* p'X; on a hull p is 1 in the lifted row alone                 */
    const double *size;       /* what a column's objective is measured against: its sum, square, or
                                 own_size                                                      */
    double *own_size;         /* divergences, else NULL                                        */
    double at_zero;           /* l1, l2, quantile: the objective at b = 0 over the size         */
    double share;             /* with an objective up to this share of its size, ...           */
    double *least; /* ... and this for divergences, else NULL, a column is in the cone         */
    unsigned char *role; /* chi_role                                                           */
    int64_t points; /* columns of the data: behind them are a library and the origin of a hull */
} chi_data;

/* With an objective up to this, the column is in the cone. */
static inline double chi_enough(const chi_data *data, int64_t j) {
    return (data->least ? data->least[j] : 0) + data->share * data->size[j];
}

/* The objective at b = 0, of losses that are no divergences. */
static inline double chi_at_zero(const chi_data *data, int64_t j) {
    return data->at_zero * data->size[j];
}

/* The cone of the anchors found so far, and projections onto it. */
typedef struct chi_basis {
    chi_cone cone; /* count: anchors found; capacity: anchors that it can hold               */
    chi_projector projector;
    int64_t given;            /* leading anchors that were given in advance                   */
    int32_t version;          /* counts changes: what was measured at another one is old      */
    _Atomic int64_t unproven; /* projections that decided on anchors, without proof; of this
                                 process until the run ends                                   */
    double *column;           /* rows: a column or dual at hand                               */
} chi_basis;

enum { CHI_LARGEST_BATCH = 256 }; /* columns projected together in a search */

/* How a column's bound was made, the cheapest way first (farthest.c); canonical: it is the
 * objective. */
enum chi_stage { CHI_IDLE, CHI_LEAST_SQUARES, CHI_RESIDUAL, CHI_WARM, CHI_CANONICAL, CHI_STAGES };
enum {
    CHI_PASSED = 16, /* added to the stage of columns that were passed over    */
    CHI_MARKED = 32  /* ... and while they are sorted (distance_heap.c)        */
};

/* Columns by falling key (chi_key), and those taken off because their objective is known. */
typedef struct chi_heap {
    int64_t *column, count;
    int64_t *aside, aside_count;
} chi_heap;

/* Products of the columns with the anchors (anchor_products.c). */
typedef struct chi_products {
    double *match;   /* capacity entries a column, or NULL: they are not kept               */
    int32_t *known;  /* of which there are so many, ...                                     */
    int64_t matched; /* ... and at least so many for every column                           */
    int64_t read;    /* columns read one by one for want of products, in this search        */
} chi_products;

/* The columns' distances from the cone, and the search for the next exterior one by the rule of the
 * settings (exterior.c, farthest.c, all_pairs.c). Arrays are per column unless stated; those that
 * the rule does not use are NULL. */
typedef struct chi_distances {
    ch_context *context;
    const ch_anchors_settings *set;
    const chi_data *data;
    chi_basis *basis;

    int64_t exterior; /* the column that the last search found, -1: none                     */
    double distance;  /* its objective; for dist and greedy the largest of all columns       */
    double key;       /* max, share: what the rule compared, of that column                  */
    double lift;      /* share: what the lifted row of a hull adds to the size of a column   */

    double *bound;        /* of the objective: exact where fresh, elsewhere from above       */
    int32_t *tight;       /* version of the cone for which bound was last tightened, ...     */
    unsigned char *stage; /* ... how (chi_stage), and whether the column was passed over     */
    int32_t version;      /* of the cone that the search is at                               */
    int32_t passed;       /* version at which a column was last passed over                  */
    int64_t *batch;       /* columns being projected                                         */

    double *point;   /* capacity entries a column: a feasible point, or NULL: none are kept  */
    int32_t *length; /* of which so many entries are set, the rest being zero                */
    int32_t *idle;   /* of so many leading anchors none helps; negative: one does; NULL:
                        nobody asks (idle_columns.c)                                         */
    unsigned char *resting; /* idle when last tested, and not in the heap (resting_columns.c) */
    chi_products products;  /* max, share                                                    */
    chi_heap heap;          /* max, share                                                    */
    double need;            /* max, share: keys below this decide nothing any more           */
    double least;      /* max: the search is for columns at least so far; 0: for the farthest */
    int64_t *sequence; /* rand: columns of the whole in random order ...                */
    int64_t next;      /* ... and the place to go on from                               */
    double *pass;      /* CHI_SCORE_MAX entries a column, of one pass over X            */
    double *residuals; /* dist, greedy: CHI_SCORE_MAX columns of R                      */
    double *reach;     /* dist: |(R_k'X)_+|^2                                           */
    double *gain;      /* greedy: |(R'X_j)_+|^2 / |X_j|^2                               */
} chi_distances;

/* The direction D*, and the extreme rays that it points at. */
typedef struct chi_rays {
    double *d;           /* rows: D*                                                      */
    double *score;       /* per column: <d, X_j> / <p, X_j>                               */
    int64_t *list;       /* per column: those of this process that may have the largest   */
    int64_t *found;      /* capacity: columns of the whole, ...                           */
    int64_t count, used; /* ... some of which are in the cone already                     */
    int64_t exterior;    /* the column whose D* found them; -1: none                      */
} chi_rays;

/* Columns that the automatic rank observes (auto_rank.c). */
typedef struct chi_sample {
    int64_t *list;
    double *objective; /* after the last anchor                                              */
    int64_t count;
    double distance; /* the largest residual after the last anchor              */
    double taken;    /* shares of the sample that the anchors took, the first apart         */
    double mean;     /* of those up to last_fall; 0: that is the first, or there is none    */
    int64_t last_fall, last_gain; /* anchors when the one or the other last fell enough      */
} chi_sample;

typedef struct chi_run {
    ch_context *context;
    const ch_anchors_settings *set;
    ch_anchors_result *result; /* anchors, residuals and steps are written there as they come */
    chi_arena arena;           /* of all arrays that end with the run                         */
    ch_random random;
    int64_t rank;    /* anchors wanted; of the automatic rank, how far to look               */
    int reselecting; /* all anchors were there, and the first was dropped                    */
    chi_data data;
    chi_basis basis;
    chi_distances far;
    chi_rays rays;
    chi_sample sample;
} chi_run;

/* The data looked at and all memory there, no anchor chosen (select_begin.c). The survey has what
 * chi_select_wants(). chi_run_destroy() whatever the status. */
ch_status chi_run_create(ch_context *context, chi_run *run, ch_anchors_result *result,
                         const ch_matrix *X, const chi_survey *survey,
                         const ch_anchors_settings *settings);
void chi_run_destroy(chi_run *run);

/* Are points and products of columns given up, for want of memory (select_begin.c)? */
int chi_is_lean(const ch_context *context, const ch_matrix *X, const ch_anchors_settings *set);
/* size, least and share for the loss of the projector; first: distances from the empty cone
 * (column_sizes.c). */
ch_status chi_measure_columns(const chi_run *run, chi_data *data, double *first);
/* What the lifted row of a hull, which is the same in all columns, adds to their sizes. */
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

/* Collective: marks free columns whose sum is below the share of a high quantile of all sums,
 * *count in all processes, and those with a sum below 0, which may not be chosen (faint_columns.c).
 */
ch_status chi_mark_faint(ch_context *context, unsigned char *role, int64_t *count,
                         const double *sums, int64_t cols, double share);

/* Memory and start of the search (exterior.c). */
ch_status chi_exterior_create(chi_run *run);
/* The next exterior column by the rule, leaving out those passed over since the cone last changed:
 * far->exterior, far->distance. */
ch_status chi_exterior_next(chi_distances *far);
/* The exterior column just found gives no ray: the next search finds another. */
void chi_exterior_pass(chi_distances *far);
/* The cone is about to lose anchor k: what was known of distances no longer bounds them. */
void chi_exterior_forget(chi_distances *far, int64_t k);

/* D* of column i: of its projection, or the paper's where asked for and valid; from the process
 * that holds the column to all (exterior_dual.c). */
ch_status chi_exterior_dual(chi_run *run, int64_t i);
/* |sin| of the angle between D* and p is so small that p tells the columns apart no longer. */
int chi_is_collinear(const chi_cone *cone, const double *d, const double *p);
/* The same of every column's D* while there is no anchor: those are passed over, all at once. */
ch_status chi_pass_collinear(chi_run *run);

/* Extreme rays that maximise <d, X_j> / <p, X_j> into run->rays, at most as many as anchors are
 * wanted still (extreme_ray.c). None: no column scores above zero. */
ch_status chi_extreme_rays(chi_run *run);
/* The same on a subset of columns, the face that they span (face.c): at most `most` of
 * list[0..count) into found. */
ch_status chi_face_anchors(chi_run *run, int64_t *found, int64_t *found_count, const int64_t *list,
                           int64_t count, int64_t most);
/* Of list[0..count), whose scores stand beside it, those that tie with the largest, which must be
 * positive; returns how many. scale: max |d_i|, by which scores are rounded. */
int64_t chi_keep_maximisers(int64_t *list, int64_t count, const double *score, double scale);
/* rays->score: <d, X_j> for all columns that may maximise <d, X_j> / <p, X_j>, for others 0 or that
 * (rivals.c). */
ch_status chi_score_rivals(chi_rays *rays, const chi_distances *far);
/* max |d_i| (rivals.c). */
double chi_largest_entry(const double *d, int64_t count);

/* Column j of the whole becomes the last anchor (anchor_list.c); take: as a step of the proof, by
 * rays.exterior and D*. */
ch_status chi_append_anchor(chi_run *run, int64_t j);
ch_status chi_take_anchor(chi_run *run, int64_t j);
/* Anchor number k goes, and the rays that waited. */
void chi_remove_anchor(chi_run *run, int64_t k);

/* Anchors until there are run->rank (select.c). CH_STOP_COMPLETE: every column is in the cone. */
ch_status chi_grow(chi_run *run);
/* The first anchor that was not given is dropped, and chosen once more; the new one takes its place
 * (reselect.c). */
ch_status chi_reselect(chi_run *run);

/* The automatic rank (auto_rank.c). limit: how far to look. stop: called once per anchor, when
 * far->distance is known, until it says so; without an automatic rank it never does. cut_back: to
 * the rank that it then chose. */
int64_t chi_auto_limit(const ch_matrix *X, const ch_anchors_settings *set, int64_t usable);
ch_status chi_auto_create(chi_run *run);
int chi_auto_observes(const chi_run *run);
ch_status chi_auto_stop(chi_run *run, int *stop);
void chi_auto_cut_back(chi_run *run);
/* Before the first anchor is dropped; and after it: is it missed? Without an automatic rank it
 * is. */
ch_status chi_auto_watch(chi_run *run);
ch_status chi_auto_missed(chi_run *run, int *missed);

/* Steps for a run that goes on with this one (step_record.c). save: the step just made, its anchor
 * being in the cone. restore: makes the steps that an earlier run has made. */
ch_status chi_step_save(chi_run *run);
ch_status chi_steps_restore(chi_run *run);
/* Collective: of all processes, projections without proof, duals checked and valid, columns
 * projected and pivots so far. */
enum { CHI_RUN_COUNTS = 5 };
ch_status chi_run_counts(const chi_run *run, int64_t *counts);
