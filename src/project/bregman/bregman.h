/* The state of a projection under a divergence, shared by bregman.c (what a column is made of, the
 * certificate) and bregman_descent.c (the steps).
 *
 * Rows in play are those where some anchor is not zero and, for KL, x is not zero either: of the
 * others y is the floor, whatever b, or they cost c'b. Anchors in play are those that are not zero
 * on all of these rows; of the others b is 0. Rows that are gathered are filled up to a multiple of
 * CHI_BREGMAN_PAD by rows with A = 0 and x = floor, which cost nothing.
 *
 * On a convex hull (docs/explanation/hulls.md) the lifted row is out of play, and 1'b = 1 is kept
 * by elimination: the largest b, number `base`, is 1 minus the others, so that the gradient of
 * another is g_q - g_base, and its column A_q - A_base. */
#pragma once

#include "kernels/kernels.h"
#include "loss/divergence.h"
#include "project/bregman/row_classes.h"
#include "project/nnls/nnls.h"

enum { CHI_BREGMAN_PAD = 8 };

typedef struct chi_bregman_work {
    const chi_cone *cone;
    const chi_loss *loss;
    double tol;
    double idle; /* what a row adds to f where x and all anchors are zero                      */
    /* the column at hand */
    double sum, scale;    /* |x|_1, and what residuals are measured against                     */
    double rest;          /* what rows out of play add to f, c'b aside                          */
    int64_t rows, count;  /* in play: rows and anchors                                          */
    int64_t held;         /* rows without those filled up                                       */
    const double *A;      /* rows x count: the anchors in play on the rows in play              */
    int64_t *place;       /* the anchors in play                                                */
    int32_t *row;         /* the rows in play                                                   */
    const double *weight; /* number of rows that each row in play represents; NULL: one         */
    double *b;            /* of the anchors in play                                             */
    int64_t base;         /* hull: the anchor that takes what others leave; -1: a cone          */
    int64_t based;        /* hull: the base that `apart` belongs to; -1: none                   */
    double level;         /* hull: g_base, by which the gradient was lowered                    */
    double value;         /* f(b)                                                               */
    int64_t steps;
    int64_t together, movers; /* variables that a step moves                                   */
    int64_t *moving;          /* which                                                         */
    chi_weighted_gram *gram;
    const chi_newton_loops *loops;
    /* buffers */
    double *gathered;                                   /* rows x capacity             */
    double *apart;                                      /* the same, of hulls: A - A_base */
    double *x, *y, *y_try, *slope, *newton, *scoring;   /* rows                        */
    double *sums, *cost, *gradient, *direction, *b_try; /* capacity                    */
    const double **free;                                /* capacity: those that move   */
    double *more;                                       /* capacity                    */
    double *hessian, *factor;                           /* capacity^2                  */
    chi_row_classes *classes; /* losses that are not convex, else NULL                         */
    double *size, *mean;      /* of every class: its rows, and their x                         */
    double *weights;          /* rows: memory for weight                                       */
    chi_active_set *simplex;  /* hulls, else NULL            */
} chi_bregman_work;

static inline const double *chi_bregman_column(const chi_bregman_work *w, int64_t q) {
    return w->A + q * w->rows;
}

/* The column along which variable q moves y. */
static inline const double *chi_bregman_way(const chi_bregman_work *w, int64_t q) {
    return w->base < 0 ? chi_bregman_column(w, q) : w->apart + q * w->rows;
}

/* y = A b + floor on the rows in play. */
void chi_bregman_model(const chi_bregman_work *w, double *y, const double *b);

/* f at b_try, with its y in y_try; and b_try, of that value, becomes b. */
double chi_bregman_try(chi_bregman_work *w);
void chi_bregman_move(chi_bregman_work *w, double value);

/* On a hull, for a convex loss, at the present slopes and gradient: a step that knows all bounds
 * (bregman_quadratic.c). rounding: of f. 0: f does not fall along it. */
int chi_bregman_quadratic_step(chi_bregman_work *w, double armijo, double rounding);

/* What w->b is at the start: nothing that knows of x; the answer for one anchor less; near enough for
 * Newton's steps. */
enum { CHI_START_COLD, CHI_START_WARM, CHI_START_NEAR };

/* Descends from w->b until it is stationary to the tolerance, or to what rounding allows; f never
 * rises. y, slope and gradient are those of the result. Returns its stationarity: the largest
 * gradient entry that b >= 0 does not excuse, in units where 1 is large (b_q counts in units of
 * |x|_1 / A_q'1, on a hull in units of 1; f in units of the column's scale). On a hull the gradient
 * is relative to that of the base. */
double chi_bregman_descend(chi_bregman_work *w, int start);
