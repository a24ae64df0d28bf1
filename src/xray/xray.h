/* The selection loop and what it is made of (paper, Section 3, Algorithm 1).
 *
 * One loop serves all losses. A loss enters through its projection (project/cone.h), which gives
 * the distance of a column from the cone, the D* of the selection step and H, and through its
 * chi_measure. The columns may be spread over ranks (linalg/distribution.h): what is kept per
 * column is kept by its owner, and local numbers count it; anchors, exterior columns and rays are
 * known to all, as columns of the whole. Values that decide anything come from canonical solves:
 * functions of the column, the anchors in order and the settings alone. Whatever else a run knows
 * about a column (its distance from an earlier cone, a feasible point) serves as an upper bound
 * only, so the lazy and the eager run, on any number of threads, decide the same. */
#ifndef CONEHULL_XRAY_H
#define CONEHULL_XRAY_H

#include "linalg/distribution.h"
#include "project/columns/project_all.h"
#include <conehull/anchors.h>
#include <conehull/random.h>

/* Values this close, relative to their scale, are ties: some thousand roundings of a sum. */
static const double CHI_TIE = 1e-12;

/* ---- the run (select.c) -------------------------------------------------------------------- */

/* What a column may still become. */
enum chi_role { CHI_FREE = 0, CHI_CHOSEN = 1, CHI_COPY = 2, CHI_EMPTY = 3 };

enum { CHI_LARGEST_BATCH = 256 }; /* columns projected together in a search */

/* How a column's bound was made, the cheapest way first (farthest.c); canonical: it is the
 * objective. */
enum chi_stage { CHI_IDLE, CHI_LEAST_SQUARES, CHI_WARM, CHI_CANONICAL, CHI_STAGES };
enum { CHI_PASSED = 16 }; /* added to the stage of columns that were passed over */

/* What is known of the columns' distances from the cone (exterior.c, farthest.c, all_pairs.c).
 * Arrays are per column unless said; those that a rule does not use are empty. */
typedef struct chi_distances {
    double *bound; /* of the objective: exact where fresh, elsewhere from above             */
    double *value; /* what the exterior rule compares; the same array as bound for max, rand */
    int32_t *idle; /* of so many leading anchors none helps; negative: one does (idle_columns.c) */
    unsigned char *resting; /* idle when last tested, and not in the heap (resting_columns.c) */
    int32_t *tight;         /* version of the cone for which bound was last tightened, ...     */
    unsigned char *stage;   /* ... how (chi_stage), and whether the column was passed over     */
    double *guess;   /* capacity entries a column: a feasible point ...                       */
    int32_t *length; /* ... of which so many entries are set, the rest being zero             */
    int matches;     /* products with anchors are kept                                        */
    double *match;   /* capacity entries a column: its products with the anchors ...          */
    int32_t *known;  /* ... of which there are so many, ...                                   */
    int64_t matched; /* ... and at least so many for every column                             */
    int64_t read;    /* columns read one by one for want of products, in this search          */
    int64_t *heap;   /* columns by falling bound, then by index                               */
    int64_t *aside;  /* fresh columns, off the heap                                           */
    int64_t heap_count, aside_count;
    double need;       /* bounds below this decide nothing any more                           */
    int64_t *batch;    /* columns being projected                                             */
    int64_t *sequence; /* rand: columns of the whole in random order ...                      */
    int64_t next;      /* ... and the place to go on from                                     */
    double *residuals; /* dist, greedy: CHI_SCORE_MAX columns of R                            */
    double *products;  /* CHI_SCORE_MAX entries a column, of one pass over X                  */
    int32_t version;   /* of the cone that the search is at                                   */
} chi_distances;

/* Columns that the automatic rank watches (auto_rank.c). */
typedef struct chi_sample {
    int64_t *list;
    double *objective; /* after the last anchor                                               */
    int64_t count;
    double distance;              /* the largest residual after the last anchor */
    int64_t last_fall, last_gain; /* anchors when the one or the other last fell enough */
} chi_sample;

typedef struct chi_run {
    ch_context *context;
    const ch_matrix *X; /* the columns of this rank                                            */
    chi_distribution spread;
    const ch_anchors_settings *set;
    const chi_measure *measure;
    chi_cone cone;
    chi_projector projector;

    int64_t rank, count; /* anchors wanted and found                                            */
    int64_t capacity;    /* anchors there is room for                                           */
    int64_t *anchors;    /* in the order in which the cone holds them                           */
    double *residual;    /* of the exterior rule after each anchor; NaN where it was not asked  */
    int64_t given;       /* anchors given in advance                                            */
    int32_t version;     /* counts changes of the cone                                          */
    int32_t passed;      /* version at which an exterior column was last passed over            */
    int reselecting;

    int lean;            /* points and products of columns are not kept (select.c)              */
    double *size;        /* per column: what its objective is measured against                  */
    double share;        /* with an objective up to this share of its size, ...                 */
    double *least;       /* ... and this for divergences, else NULL, a column is in the cone    */
    double *norm;        /* per column: what the first exterior column is chosen by; the same
                            array as size unless the loss is a divergence                       */
    double *square;      /* per column: |x|_2^2; the same array as size for l2; or NULL         */
    double *weight;      /* p'X; followed by score                                              */
    unsigned char *role; /* chi_role                                                            */
    chi_distances far;

    int64_t exterior; /* the exterior column of this step; -1: none, or greedy                 */
    double distance;  /* largest objective, or that of the exterior column                     */
    double *spare;    /* rows: a column or dual at hand                                        */
    double *p, *d;    /* rows; d = D* of the rays                                              */
    double *score;    /* cols                                                                  */
    int64_t *list;    /* cols: the maximisers of this rank                                     */
    int64_t *rays;    /* anchors found by the last selection, ...                              */
    int64_t ray_count, rays_used; /* ... some of them already in the cone                      */
    int64_t ray_exterior;         /* the exterior column they are by                           */
    _Atomic int64_t unproven;     /* projections that decided on anchors, without proof; of this
                                     rank until the run ends, like the counts of duals          */

    chi_sample sample;

    ch_random random;
    uint64_t p_seed;
    int64_t duals_checked, duals_valid;
    int64_t earlier_solves, earlier_pivots; /* of the run that this one goes on with            */
    int64_t steps;
    int64_t *step_exterior, *step_anchor; /* NULL unless the proof is kept                     */
    double *step_dual;
} chi_run;

/* With an objective up to this, the column is in the cone. */
static inline double chi_enough(const chi_run *run, int64_t j) {
    return (run->least ? run->least[j] : 0) + run->share * run->size[j];
}

/* run->size under the divergence of the projector, if it is one, and what is enough
 * (column_sizes.c). */
ch_status chi_measure_columns(chi_run *run);

/* Anchors of X by the settings; X has passed ch_matrix_check(). CH_STOP_COMPLETE: fewer than rank
 * anchors explain all columns. CH_STOP_INACCURATE: a projection that decided is not proven.
 * CH_STOP_CANCELLED leaves those found so far. Call
 * chi_run_destroy() whatever the status. */
ch_status chi_select(ch_context *context, chi_run *run, const ch_matrix *X,
                     const ch_anchors_settings *settings);
void chi_run_destroy(chi_run *run);

/* ---- its steps ----------------------------------------------------------------------------- */

/* Collective: marks copies of free columns; g_scores = g'X for a random g > 0, sums = 1'X
 * (merge_copies.c). */
ch_status chi_merge_columns(ch_context *context, unsigned char *role,
                            const chi_distribution *spread, const double *g_scores,
                            const double *sums);

/* Memory and start of the search for exterior columns (exterior.c). */
ch_status chi_exterior_create(chi_run *run);
void chi_exterior_destroy(chi_run *run);
/* Next exterior column by the rule, leaving out those passed over since the cone last changed:
 * run->exterior (-1: none), run->distance. */
ch_status chi_exterior_next(chi_run *run);
void chi_exterior_pass(chi_run *run);
/* The cone is about to lose anchor k: what was known of distances no longer bounds them. */
void chi_exterior_forget(chi_run *run, int64_t k);

/* Steps for a run that goes on with this one (step_record.c). save: the step just made, its anchor
 * being in the cone. restore: the step that comes next, if an earlier run has made it, all but the
 * anchor in the cone; *j: the anchor, else -1. */
ch_status chi_step_save(const chi_run *run);
ch_status chi_step_restore(chi_run *run, int64_t *j);
/* Columns projected and pivots so far, of this rank. */
void chi_run_work(const chi_run *run, int64_t *solves, int64_t *pivots);

/* Extreme rays that maximise <d, X_j> / <p, X_j> into run->rays (extreme_ray.c). None: no column
 * scores above zero. At most `room`. */
ch_status chi_extreme_rays(chi_run *run, int64_t room);

/* run->score: <d, X_j> for all columns that may maximise <d, X_j> / <p, X_j>, for others 0 or that
 * (rivals.c). */
ch_status chi_score_rivals(chi_run *run);
/* max |d_i| (extreme_ray.c). */
double chi_largest_entry(const double *d, int64_t count);

/* The automatic rank (auto_rank.c). limit: how far to look. enough: called once per anchor, when
 * run->distance is known, until it says so; rank: the answer then. */
int64_t chi_auto_limit(const chi_run *run, int64_t usable);
ch_status chi_auto_create(chi_run *run);
void chi_auto_destroy(chi_run *run);
ch_status chi_auto_enough(chi_run *run, int *enough);
int64_t chi_auto_rank(chi_run *run);
/* Before the first anchor is dropped; and, when run->distance is known after it: was it needed? */
ch_status chi_auto_watch(chi_run *run);
ch_status chi_auto_missed(chi_run *run, int *missed);

#endif
