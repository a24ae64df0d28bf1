/* A model of low rank that is fitted to the known entries of a matrix, by alternating weighted
 * least squares:
 *
 *     min  sum over known entries of  w_ij l(x_ij, u_i'v_j),      u_i, v_j of `rank` numbers
 *
 * The weights of the least squares are recomputed from the residuals (l1 and quantile: 1 / |r|) or
 * from the model (divergences: y^(beta - 2), the curvature of the loss), so that the fit treats
 * outliers as the loss does.
 *
 * The rank grows: new components are leading directions of what the model leaves, so that the fit
 * of a larger rank begins where that of the smaller one ended. Begun from random numbers, fits of
 * larger ranks often end in local minima.
 *
 * Loops have a fixed order (kernels/low_rank_loops.c), because a verification must find the same
 * numbers. */
#pragma once

#include "anchors/data/completion.h"
#include "base/arena.h"
#include "kernels/kernels.h"

/* One side of the model: the vectors of the columns, or of the rows. */
typedef struct chi_model_side {
    int64_t count;  /* vectors                                 */
    double *vector; /* chi_model.width numbers each, zero beyond the rank */
} chi_model_side;

/* The entries of one row or column, and workspace of one thread. */
typedef struct chi_model_space {
    double *x, *weight, *y, *model, *G, *v;
    int64_t *at, *gone; /* known entries, unknown ones */
    int64_t count, missing;
    /* All entries, 0 where unknown, if x does not hold the known ones; else NULL. */
    const double *dense;
} chi_model_space;

typedef struct chi_model {
    ch_context *context;
    const chi_incomplete *given;
    chi_arena arena;
    const chi_model_loops *loops;
    int64_t rank;
    int64_t width;          /* rank, rounded up to a multiple of CHI_MODEL_PAD   */
    int64_t *sample;        /* columns that the model is fitted to, ...          */
    int64_t *offset;        /* ... and where they begin                          */
    chi_model_side U, V;    /* for the rows; for the columns of the sample       */
    int count_squares;      /* the next fit of the columns must compute squares  */
    double *squares;        /* per column of the sample: weighted squares left   */
    double *left;           /* weighted residuals, rows x sample; NULL: not kept */
    double *all;            /* products of the other side over all entries       */
    double scale;           /* mean of the known entries                         */
    int plain;              /* the fit is least squares without own weights      */
    int even;               /* ... which is all that the loss needs              */
    int alike;              /* all known entries have the same weight            */
    chi_model_space *space; /* one per thread */
} chi_model;

/* Makes a model of rank 0 for `columns` evenly spaced columns. most: the largest rank; scale: the
 * mean of the known entries; grows: chi_model_grow() is used. Free the model with chi_model_free(),
 * also after a failure. */
ch_status chi_model_create(ch_context *context, chi_model *model, const chi_incomplete *given,
                           int64_t most, int64_t columns, double scale, int grows);
void chi_model_free(chi_model *model);

/* Raises the rank: adds leading directions of the residuals to U, and zeros to V. */
ch_status chi_model_grow(chi_model *model, int64_t rank);
/* Returns the allocated length of vectors. */
int64_t chi_model_width(int64_t rank);
/* Sets the rank, and U to `start`, rows x rank, by rows; NULL: U and V must then be filled. */
void chi_model_start(chi_model *model, const double *start, int64_t rank);

/* Fits V to the sample, given U, and sets *squares, unless it is NULL, to what is left. */
ch_status chi_model_fit_columns(chi_model *model, double *squares);
/* Fits U to the sample, given V. */
ch_status chi_model_fit_rows(chi_model *model);

/* Loads column j of the matrix into *s. */
void chi_model_load_column(const chi_model *model, chi_model_space *s, int64_t j);
/* Fits v to the loaded entries, given the vectors of the other side, starting from v. */
void chi_model_fit_vector(const chi_model *model, chi_model_space *s, double *v,
                          const chi_model_side *other);
/* Computes what all plain fits to `other` share. */
void chi_model_prepare(const chi_model *model, const chi_model_side *other);
/* Returns a model value as an estimate: limited to 0 .. twice the largest known entry of the row,
 * so that with few known entries the model cannot invent a column far from all measured ones. */
double chi_model_estimate(const chi_incomplete *given, double y, double largest);
