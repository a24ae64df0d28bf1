/* The state of a projection under a divergence, shared by bregman.c (loading a column, the
 * certificate) and bregman_descent.c (the steps).
 *
 * Rows in use are those where some anchor is not zero and, for KL, x is not zero either. In the
 * other rows y equals the floor for every b, or the cost is linear in b (c'b). Anchors in use are
 * those that are not zero on all of these rows; the others have b = 0. Copied rows are padded to a
 * multiple of CHI_BREGMAN_PAD by rows with A = 0 and x = floor, which cost nothing.
 *
 * On a convex hull (docs/explanation/hulls.md) the lifted row is not in use, and 1'b = 1 is
 * eliminated: the largest b, with number `base`, is 1 minus the others. So the gradient of another
 * variable is g_q - g_base, and its column is A_q - A_base. */
#pragma once

#include "kernels/kernels.h"
#include "loss/divergence.h"
#include "project/bregman/row_classes.h"
#include "project/nnls/nnls.h"

enum { CHI_BREGMAN_PAD = 8 };
/* Under KL, columns with more entries above zero than this start with the rounds of bregman.c
 * instead of kl_weights.c. */
enum { CHI_KL_ROWS = 4096 };

/* Stationarity relative to the tolerance: the aim, and what is enough if rounding prevents more.
 * The aim is far below the tolerance for two reasons: the gap adds up what stationarity measures
 * for each variable, and an f within tol of the optimum leaves b uncertain by sqrt(tol). Newton
 * doubles the digits per step, so the extra accuracy costs one step. */
static const double CHI_BREGMAN_AIM = 1e-4, CHI_BREGMAN_ENOUGH = 1e-2;

typedef struct chi_bregman_work {
    const chi_cone *cone;
    const chi_loss *loss;
    double tol;
    double idle; /* cost of a row in which x and all anchors are zero */
    /* the current column */
    double sum, scale;    /* |x|_1; the scale of gap and stationarity            */
    double rest;          /* cost of the rows that are not in use, without c'b   */
    int64_t rows, count;  /* numbers of rows and anchors in use                  */
    int64_t held;         /* rows in use without padding                         */
    int64_t alone;        /* number of other rows in which x is not zero         */
    const double *A;      /* rows x count: the anchors in use on the rows in use */
    int64_t *place;       /* numbers of the anchors in use                       */
    int32_t *row;         /* numbers of the rows in use                          */
    const double *weight; /* per row in use: number of rows that it represents, or the weight of
                             its row; NULL for 1 each                                          */
    int grouped;          /* whether rows in use represent classes of equal rows            */
    double *b;            /* weights of the anchors in use                                  */
    int64_t base;         /* hull: the anchor with weight 1 minus the others; -1 for a cone */
    int64_t based;        /* hull: the base for which `apart` was computed; -1 for none     */
    double level;         /* hull: g_base, which was subtracted from the gradient           */
    double value;         /* f(b)                                                           */
    int64_t steps;
    int64_t together, movers; /* number of variables that Newton moves together; of all that move */
    int64_t *moving;          /* numbers of the variables that move */
    chi_weighted_gram *gram;
    const chi_newton_loops *loops;
    /* buffers */
    double *gathered;                                   /* rows x capacity                   */
    double *apart;                                      /* hull: A - A_base, rows x capacity */
    double *x, *y, *y_try, *slope, *newton, *scoring;   /* rows                              */
    double *sums, *cost, *gradient, *direction, *b_try; /* capacity                          */
    /* Capacity: columns of the moving variables. */
    const double **free;
    double *more;             /* capacity                                           */
    double *hessian, *factor; /* capacity^2                                         */
    chi_row_classes *classes; /* for losses that are not convex, else NULL          */
    double *size, *mean;      /* per class: number of rows, and mean of x over them */
    double *weights;          /* rows: memory for weight                            */
    double *unit, *free_rows; /* KL on a cone: 1 / sums, and workspace; else NULL   */
    chi_active_set *simplex;  /* for hulls, else NULL                               */
} chi_bregman_work;

static inline const double *chi_bregman_column(const chi_bregman_work *w, int64_t q) {
    return w->A + q * w->rows;
}

/* Returns the column along which variable q moves y. */
static inline const double *chi_bregman_way(const chi_bregman_work *w, int64_t q) {
    return w->base < 0 ? chi_bregman_column(w, q) : w->apart + q * w->rows;
}

/* y = A b + floor on the rows in use. */
void chi_bregman_model(const chi_bregman_work *w, double *y, const double *b);

/* chi_bregman_try() computes f at b_try, stores A b_try + floor in y_try and returns f.
 * chi_bregman_move() makes b_try the new b; `value` is f(b_try). */
double chi_bregman_try(chi_bregman_work *w);
void chi_bregman_move(chi_bregman_work *w, double value);

/* Returns the level of the gradient that the optimality conditions demand of all b_q > 0: 0, or on
 * a hull the mean g'b. */
double chi_bregman_level(const chi_bregman_work *w);
/* Returns by how much entry q of the gradient violates the optimality conditions. */
double chi_bregman_excess(const chi_bregman_work *w, double level, int64_t q);

/* For a hull and a convex loss, at the current slopes and gradient: makes a step that takes all
 * bounds into account (bregman_quadratic.c). `rounding` is the rounding error of f. Returns 0 if f
 * does not decrease along it. */
int chi_bregman_quadratic_step(chi_bregman_work *w, double armijo, double rounding);

/* The start in w->b: COLD does not depend on x's solution; WARM is the answer for one anchor less;
 * NEAR is close enough for Newton's steps. */
enum { CHI_START_COLD, CHI_START_WARM, CHI_START_NEAR };

/* Descends from w->b until it is stationary to the tolerance, or as far as rounding allows. f never
 * increases. y, slope and gradient are those of the result. Returns its stationarity: the largest
 * violation of the optimality conditions, in units where 1 is large (b_q in units of |x|_1 / A_q'1,
 * on a hull of at least 1; f in units of the column's scale). On a hull the gradient is relative to
 * that of the base. */
double chi_bregman_descend(chi_bregman_work *w, int start);
