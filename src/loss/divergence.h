/* Losses sum_i l(x_i, y_i) between data x and model y = A b, built from Bregman divergences
 *
 *     D(x, y) = phi(x) - phi(y) - phi'(y) (x - y)
 *
 * (paper, Section 4). Forward: l(x, y) = D(x, y), slope dl/dy = phi''(y) (y - x). Reversed:
 * l(x, y) = D(y, x), slope phi'(y) - phi'(x). The D* of the selection step is minus the slope in
 * both directions, so nothing outside this folder asks for the direction.
 *
 * Zeros. Where phi is singular at 0 the loss would be infinite on nearly every sparse column, so
 * the model is always y = A b + floor, and where x itself meets the singularity (`lifts_data`) the
 * data is x + floor as well. */
#pragma once

#include "base/base.h"
#include "kernels/kernels.h"
#include <conehull/loss.h>

typedef struct chi_loss chi_loss;

/* A table row: the generator phi and what is known of it. Scalar functions take the loss for its
 * parameters. */
typedef struct chi_generator {
    const char *name;
    double (*divergence)(const chi_loss *loss, double x, double y); /* D(x, y), in a stable form */
    double (*rise)(const chi_loss *loss, double x, double y);       /* phi'(y) - phi'(x)         */
    double (*curvature)(const chi_loss *loss, double y);            /* phi''                     */
    double (*third)(const chi_loss *loss, double y); /* phi''', or NULL when not known           */
    double (*size)(const chi_loss *loss, double x);  /* what an entry counts in chi_loss_scale   */
    int (*convex)(const chi_loss *loss);             /* is D(x, .) convex?                       */
    int (*singular)(const chi_loss *loss);           /* is phi(0) infinite?                      */
    int (*steep)(const chi_loss *loss);              /* is phi'(0) infinite?                     */
} chi_generator;

struct chi_loss {
    const chi_generator *generator;
    const chi_loss_loops *loops; /* faster loops over entries, or NULL                  */
    double beta;      /* of beta divergences                                                   */
    double floor;     /* added to A b, and to x with lifts_data                                */
    double top;       /* upper end of the domain: 1 for Bernoulli data, else infinite          */
    int reverse;      /* l(x, y) = D(y, x)                                                     */
    int convex;       /* l(x, .) is convex: one optimum, and a duality gap                     */
    int linear_zeros; /* l(0, y) = y: zero rows only add a linear cost (KL)                   */
    int concave_logs; /* l(x, y) = x / y + log y + constant (IS): multiplicative updates      */
    int lifts_data;   /* x + floor is used in place of x                                       */
    ch_bregman custom;
    const ch_bregman_arrays *arrays; /* the functions of custom over arrays, or NULL           */
};

/* The floor where none is given, times the mean of all entries of the data: small enough to change
 * no fit that one could see, large enough that what is divided by it stays a number. */
#define CHI_FLOOR 1e-6

/* A loss with its parameters, as ch_anchors_settings has them. */
typedef struct chi_loss_settings {
    int loss;     /* ch_loss                          */
    double beta;  /* of CH_LOSS_BETA                  */
    int reverse;  /* D(W H, X) instead of D(X, W H)   */
    double floor; /* added to W H                     */
    ch_bregman custom;
    const ch_bregman_arrays *arrays; /* of custom, or NULL */
} chi_loss_settings;

/* Fills a loss from its settings, whose floor must be known. */
ch_status chi_loss_init(ch_context *context, chi_loss *loss, const chi_loss_settings *settings);

/* sum_i l(x_i, y_i); infinite when some y_i is outside the domain. */
double chi_loss_value(const chi_loss *loss, const double *x, const double *y, int64_t count);

/* The same with weights: sum_i n_i l(x_i, y_i), n_i >= 0. */
double chi_loss_weighted_value(const chi_loss *loss, const double *n, const double *x,
                               const double *y, int64_t count);
/* sum_i n_i times what x_i counts in chi_loss_scale(). */
double chi_loss_weighted_scale(const chi_loss *loss, const double *n, const double *x,
                               int64_t count);

/* Per entry: the slope dl/dy; `newton`, the true second derivative, which may be negative where l
 * is not convex; `scoring` = phi''(y), always positive. Either may be NULL. */
void chi_loss_slopes(const chi_loss *loss, double *slope, double *newton, double *scoring,
                     const double *x, const double *y, int64_t count);

/* What pulls on b for y = A b when a is a column of A: *slope = sum_i a_i dl/dy_i, *bend = sum_i
 * a_i^2 phi''(y_i). */
void chi_loss_pull(const chi_loss *loss, double *slope, double *bend, const double *a,
                   const double *x, const double *y, int64_t count);

/* The size that residuals of x are measured against: sum phi''(x) x^2, which is |x|_1 for KL, the
 * number of entries for Itakura-Saito, sum x^beta for beta divergences; for logistic losses, where
 * that is infinite at 1, the number of entries. */
double chi_loss_scale(const chi_loss *loss, const double *x, int64_t count);

/* Do numbers between the floor and `largest` stay numbers, with curvature, under the loss? */
int chi_loss_in_range(const chi_loss *loss, double largest);

/* Least upper bound of the slope over y > 0; infinite for most. */
double chi_loss_slope_limit(const chi_loss *loss, double x);

/* What entries count in the scale, over x: a shift of the slopes by t of these costs t times the
 * scale. phi''(x) x for most. */
void chi_loss_shifts(const chi_loss *loss, double *shift, const double *x, int64_t count);

/* -conjugate: inf_y  l(x, y) - u (y - floor), the dual objective of each entry for its slope u, for
 * a convex loss; y is a point near the minimum. */
void chi_loss_duals(const chi_loss *loss, double *dual, const double *u, const double *x,
                    const double *y, int64_t count);

/* How many entries callers hand over at a time, where they make them on the way. */
enum { CHI_LOSS_BLOCK = 256 };

/* sum + l(x_0, y_0) + l(x_1, y_1) + ..., and sum + scales, added one after the other: the bits do
 * not depend on how entries are handed over. */
double chi_loss_add_values(const chi_loss *loss, double sum, const double *x, const double *y,
                           int64_t count);
double chi_loss_add_scales(const chi_loss *loss, double sum, const double *x, int64_t count);

/* ---- custom_arrays.c: the same for a custom loss with functions over arrays ---- */

/* Both return sum + the losses or scales of the entries, each times its weight n; NULL means 1. */
double chi_arrays_value(const chi_loss *loss, double sum, const double *n, const double *x,
                        const double *y, int64_t count);
double chi_arrays_scale(const chi_loss *loss, double sum, const double *n, const double *x,
                        int64_t count);
void chi_arrays_slopes(const chi_loss *loss, double *slope, double *scoring, const double *x,
                       const double *y, int64_t count);
/* Adds to *slope and *bend. */
void chi_arrays_pull(const chi_loss *loss, double *slope, double *bend, const double *a,
                     const double *x, const double *y, int64_t count);
void chi_arrays_shifts(const chi_loss *loss, double *shift, const double *x, int64_t count);
void chi_arrays_duals(const chi_loss *loss, double *dual, const double *u, const double *x,
                      const double *y, int64_t count);

/* For generators of which something holds always, or never. */
int chi_loss_yes(const chi_loss *loss);
int chi_loss_no(const chi_loss *loss);

extern const chi_generator chi_generator_kl;       /* loss_kl.c       */
extern const chi_generator chi_generator_is;       /* loss_is.c       */
extern const chi_generator chi_generator_beta;     /* loss_beta.c     */
extern const chi_generator chi_generator_logistic; /* loss_logistic.c */
extern const chi_generator chi_generator_custom;   /* loss_custom.c   */
