/* Canonical projections of the columns of X onto a cone: the answer is a function of the column,
 * the anchors in order and the settings alone, whatever was projected before and by whichever
 * thread. The selection loop, H and the stream are made of them.
 *
 * A loss enters through its projection (project/cone.h), which gives the distance of a column from
 * the cone, its dual and its weights, and through its chi_measure. */
#pragma once

#include "loss/divergence.h"
#include "project/nnls/nnls.h"
#include <conehull/anchors.h>

/* What a loss says of a column besides its projection (column_measure.c). */
typedef struct chi_measure {
    int loss;
    int degree;     /* residual = objective^(1/degree); size of x: sum of x_i^degree      */
    int all_pairs;  /* the exterior rules dist and greedy are defined                     */
    int divergence; /* of the family of loss/divergence.h: infinite without any anchor    */
    int empty;      /* ... but for this one, D(x, floor) is what an empty cone leaves     */
    double (*from_l2)(double objective_l2, int64_t rows); /* objective <= from_l2(|r|_2^2), times
                                                             1 + |skew| of the cone */
} chi_measure;

const chi_measure *chi_measure_find(int loss);
double chi_residual(const chi_measure *measure, double objective);
/* 1 - 2 q of the quantile loss, else 0 (project/cone.h). */
double chi_skew_of(const ch_anchors_settings *settings);
/* The divergence of a column from y = floor. */
double chi_divergence_at_floor(const chi_loss *loss, const chi_column *x);
/* Collective: CH_ERR_DATA unless squares of the data stay in the range of double, which the sums of
 * the columns show. */
ch_status chi_check_sizes(ch_context *context, const double *sums, int64_t cols);

/* Which entries of X are known, and how much they and the columns count. */
typedef struct chi_trust {
    const double *factor; /* rows x columns of X, column-major: 0: not known; else what the entry of
                             x and the row of A are multiplied by; NULL: 1 everywhere. The lift of a
                             hull is a row more, which every column has                       */
    int64_t rows;
    int marks;                   /* factors are 0 and 1 alone                                  */
    const unsigned char *whole;  /* per column: its factors are all 1                          */
    const double *column_weight; /* of its objective in sums; NULL: 1                         */
} chi_trust;

/* The projections, each with its work area for the cone. */
typedef struct chi_solvers {
    const chi_cone *cone;
    void *work, *second;
} chi_solvers;

/* What one thread needs to project. */
typedef struct chi_worker {
    chi_solvers shared, own; /* for all rows; for those that a column has               */
    chi_cone own_cone;       /* of own: the rows that the column at hand has ...        */
    int32_t *own_row;        /* ... which are these rows of X, ...                      */
    double *own_anchor;      /* ... and memory for an anchor, for its products, ...     */
    double *own_products, *own_sums, *ones; /* ... and as many numbers 1 as there are rows    */
    int64_t *own_list;             /* rows that are known, or those that are not              */
    double *own_A, *own_At;        /* of own_cone, unless it shares those of all rows         */
    chi_active_set *least_squares; /* for bounds of l1 and on hulls, else NULL              */
    const chi_solvers *used;       /* the last result came from these, ...                    */
    const chi_projection *last;    /* ... and which of the two gave it                        */
    int32_t *index;                /* the column at hand                                       */
    double *value;
    double *b; /* 5 x capacity; the last two: a point and its products                      */
    chi_column x;
    int64_t solves, pivots; /* so far                                                       */
} chi_worker;

typedef struct chi_projector {
    chi_arena arena;
    const chi_projection *solver;
    const chi_projection *second; /* tried where solver could not prove its answer, or NULL */
    const chi_measure *measure;
    const chi_cone *cone;
    const ch_matrix *X;
    chi_loss loss; /* divergences                                                           */
    int chain;     /* the solution for k anchors starts from that for k - 1                 */
    const chi_trust *trust; /* or NULL                                                       */
    chi_worker *worker;
    int threads;
} chi_projector;

/* The settings' projection onto the cone, one work area per thread of the context. The cone gets
 * the loss, and whether it is that of lifted columns (settings.hull): then X and the cone have the
 * lifted row. The projector must stay where it is. */
ch_status chi_projector_create(ch_context *context, chi_projector *projector, chi_cone *cone,
                               const ch_matrix *X, const ch_anchors_settings *settings);
/* The same where not all entries count alike, for canonical projections without duals. trust must
 * outlive the projector; NULL: as above. */
ch_status chi_projector_create_trusting(ch_context *context, chi_projector *projector,
                                        chi_cone *cone, const ch_matrix *X, const chi_trust *trust,
                                        const ch_anchors_settings *settings);
void chi_projector_destroy(chi_projector *projector);

/* Canonical: column j of X onto the cone. b: cone->count entries; d: rows entries or NULL. With no
 * anchor yet, R = D* = X (Algorithm 1, Initialize): the objective is the column's size, d = x. */
void chi_project_column(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                        double *d, int64_t j);
/* Canonical too: b holds the canonical answer for the first `known` anchors, from which chains go
 * on. */
void chi_project_further(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                         int64_t j, int64_t known);
/* Canonical too, a block of columns of the projector's X at once, which must depend on the sizes
 * alone; for projections that can (chi_projects_together()). */
int chi_projects_together(const chi_projector *projector);
void chi_project_together(const chi_projector *projector, int thread,
                          const chi_column_block *block);
/* The same from the feasible point b: as good an objective, but not the canonical b. */
void chi_project_warm(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                      int64_t j);
/* Column j, and the anchors, on the rows that it has: worker->x and worker->own_cone (own_rows.c).
 * The answer is that of a matrix without the other rows, to the bit (l2: up to the rounding of the
 * products of the anchors). */
void chi_own_rows_create(chi_projector *projector, chi_worker *worker);
void chi_own_rows_load(const chi_projector *projector, chi_worker *worker, int64_t j);
static inline int chi_has_own_rows(const chi_projector *projector, int64_t j) {
    return projector->trust && projector->trust->factor && !projector->trust->whole[j];
}
/* After a canonical projection: the duals that the residual's sign does not imply. */
int64_t chi_project_exceptions(const chi_projector *projector, int thread, int32_t *row,
                               double *value);
