/* Canonical projections of the columns of X onto a cone. The answer depends only on the column, the
 * anchors in their order, and the settings; it does not depend on the thread or on earlier
 * projections. The selection loop, the final H and the stream use these projections.
 *
 * A loss is defined by its projection (project/cone.h), which computes the distance of a column
 * from the cone, its dual and its weights, and by its chi_measure. */
#pragma once

#include "loss/divergence.h"
#include "project/nnls/nnls.h"
#include <conehull/anchors.h>

/* The properties of a loss that its projection does not define (column_measure.c). */
typedef struct chi_measure {
    int loss;
    int degree;    /* residual = objective^(1/degree); size of x: sum of x_i^degree */
    int all_pairs; /* whether the exterior rules dist and greedy are defined */
    /* Whether it is in loss/divergence.h; most of these are infinite without an anchor. */
    int divergence;
    int empty; /* a divergence whose residual for an empty cone is D(x, floor) */
    /* Objective <= from_l2(|r|_2^2) (1 + |skew| of the cone); NULL for divergences. */
    double (*from_l2)(double objective_l2, int64_t rows);
} chi_measure;

const chi_measure *chi_measure_find(int loss);
double chi_residual(const chi_measure *measure, double objective);
/* Returns 1 - 2 q for the quantile loss, else 0 (project/cone.h). */
double chi_skew_of(const ch_anchors_settings *settings);
/* Returns q with l(c x, c y) = c^q l(x, y), or 0 if the loss has none. */
double chi_degree_of(const ch_anchors_settings *settings);
/* Returns the row weights of the settings if the projections must apply them: the loss has no
 * degree, so factors of the rows cannot replace them, and some are neither 0 nor 1. Else NULL. */
const double *chi_row_weights_of(const ch_anchors_settings *settings);
/* Returns the divergence of a column from y = floor, with the loss and row weights of the cone. */
double chi_divergence_at_floor(const chi_cone *cone, const chi_column *x);
/* Returns CH_ERR_DATA unless the squares of the data are within the range of double, judged by the
 * column sums. Collective. */
ch_status chi_check_sizes(ch_context *context, const double *sums, int64_t cols);

/* Which entries of X are known, and the weights of entries and columns. */
typedef struct chi_trust {
    /* rows x columns of X, column-major: 1 if the entry is known, else 0. NULL means that all are
     * known and count equally. A hull has one more row, the lift, which every column has. */
    const unsigned char *known;
    /* The same shape. The entry of x and the row of A are multiplied by the factor, which is 0
     * where the entry is unknown. NULL means 1 for all known entries. */
    const double *factor;
    /* Per column, with factors: the factor of the lift, which is not below that of any row, so that
     * the lift outweighs the other rows as it does without factors. */
    const double *lift;
    int64_t rows;
    const unsigned char *whole;  /* per column: whether all its factors are 1 */
    const double *column_weight; /* weight of a column's objective in sums; NULL means 1 */
} chi_trust;

/* The first and the second solver of a cone, as work areas. */
typedef struct chi_solvers {
    const chi_cone *cone;
    void *work, *second;
} chi_solvers;

/* The workspace of one thread. */
typedef struct chi_worker {
    chi_solvers shared, own; /* for all rows; for the rows that a column has */
    chi_cone own_cone;       /* the cone on the rows of the current column */
    int32_t *own_row;        /* the rows of X that own_cone has */
    double *own_anchor;      /* workspace for one anchor */
    double *own_columns;     /* ... and for all anchors, padded */
    /* Workspace for the Gram matrix and sums; ones: `rows` numbers 1. */
    double *own_products, *own_sums, *ones;
    double *own_row_weight;        /* weights of these rows, or NULL */
    int64_t *own_list;             /* the known or the unknown rows */
    double *own_A, *own_At;        /* memory of own_cone, unless it shares A and At with the cone */
    chi_active_set *least_squares; /* for bounds of l1 and for hulls, else NULL */
    const chi_solvers *used;       /* the solvers of the last result */
    /* Which of the two gave the last result; NULL if none was needed. */
    const chi_projection *last;
    int32_t *index; /* the current column */
    double *value;
    double *b; /* 5 x capacity; the last two parts hold a point and its products */
    chi_column x;
    int64_t solves, pivots; /* totals so far */
} chi_worker;

typedef struct chi_projector {
    chi_arena arena;
    const chi_projection *solver;
    const chi_projection *second; /* tried if solver could not prove its answer; may be NULL */
    const chi_measure *measure;
    const chi_cone *cone;
    const ch_matrix *X;
    chi_loss loss;          /* for divergences */
    int chain;              /* whether the solution for k anchors starts from that for k - 1 */
    const chi_trust *trust; /* may be NULL */
    chi_worker *worker;
    int threads;
} chi_projector;

/* Prepares the projection chosen by the settings, with one workspace per thread of the context.
 * Sets the loss and the hull flag of the cone; with settings->hull, X and the cone must include the
 * lifted row. The projector must not be moved. */
ch_status chi_projector_create(ch_context *context, chi_projector *projector, chi_cone *cone,
                               const ch_matrix *X, const ch_anchors_settings *settings);
/* The same for data with unknown or weighted entries. Supports only projections without duals.
 * trust must outlive the projector; NULL means that all entries count equally. */
ch_status chi_projector_create_trusting(ch_context *context, chi_projector *projector,
                                        chi_cone *cone, const ch_matrix *X, const chi_trust *trust,
                                        const ch_anchors_settings *settings);
void chi_projector_destroy(chi_projector *projector);

/* Computes the canonical projection of column j. b has cone->count entries; d has rows entries or
 * is NULL. Without anchors R = D* = X (Algorithm 1, Initialize): the objective is the size of the
 * column, and d = x. */
void chi_project_column(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                        double *d, int64_t j);
/* The same; b holds the canonical answer for the first `known` anchors, from which chains
 * continue. */
void chi_project_further(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                         int64_t j, int64_t known);
/* chi_project_together() computes the canonical projections of a block of up to
 * chi_projects_together() columns; 0 means that columns must be projected one by one. For exact
 * blocks this also depends on the number of anchors and on the instruction set. The sums of
 * chi_project_all() keep their bits, because their blocks have the same size either way. */
int64_t chi_projects_together(const chi_projector *projector);
void chi_project_together(const chi_projector *projector, int thread,
                          const chi_column_block *block);
/* Projects column j from the feasible start b. The objective is as good as the canonical one, but b
 * may differ. */
void chi_project_warm(const chi_projector *projector, int thread, chi_fit *fit, double *b,
                      int64_t j);
/* Restricts column j and the anchors to the rows that the column has, in worker->x and
 * worker->own_cone (own_rows.c). The answer has the same bits as for a matrix without the other
 * rows; for l2 it is equal up to the rounding of the Gram matrix. */
void chi_own_rows_create(chi_projector *projector, chi_worker *worker);
void chi_own_rows_load(const chi_projector *projector, chi_worker *worker, int64_t j);
static inline int chi_has_own_rows(const chi_projector *projector, int64_t j) {
    return projector->trust && projector->trust->known && !projector->trust->whole[j];
}
/* After a canonical projection, lists the duals that the sign of the residual does not imply.
 * Returns their number. */
int64_t chi_project_exceptions(const chi_projector *projector, int thread, int32_t *row,
                               double *value);
