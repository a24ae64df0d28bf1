/* Losses: measures of the difference between the data X and the model Y = W H, which the methods
 * minimise. A loss is a sum over all entries x of X, where y is the entry of Y in the same row and
 * column. The term of one entry is:
 *
 *     l1         |x - y|                                       sparse noise, moving objects
 *     quantile   |x - y| + (2 q - 1) (x - y)                   one-sided sparse noise
 *     l2         (x - y)^2                                     Gaussian noise
 *     kl         x log(x/y) - x + y                            counts (Poisson)
 *     is         x/y - log(x/y) - 1                            multiplicative noise (gamma)
 *     beta       equals l2 for beta = 2, kl for 1 and is for 0
 *     logistic   x log(x/y) + (1-x) log((1-x)/(1-y))           shares and probabilities in [0, 1]
 *     custom     any Bregman divergence, given by callbacks
 *
 * quantile is twice the check (pinball) loss, so that q = 1/2 gives l1. Use q < 1/2 if noise makes
 * values too large and q > 1/2 if noise makes values too small. */
#ifndef CONEHULL_LOSS_H
#define CONEHULL_LOSS_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** The loss between an entry x of X and the entry y of W H that approximates it. */
typedef enum ch_loss {
    CH_LOSS_L1 = 0,       /**< |x - y| */
    CH_LOSS_L2 = 1,       /**< (x - y)^2 */
    CH_LOSS_KL = 2,       /**< Kullback-Leibler divergence, x log(x/y) - x + y */
    CH_LOSS_IS = 3,       /**< Itakura-Saito divergence, x/y - log(x/y) - 1 */
    CH_LOSS_BETA = 4,     /**< beta divergence; ch_anchors_settings.beta is its exponent */
    CH_LOSS_LOGISTIC = 5, /**< x log(x/y) + (1-x) log((1-x)/(1-y)) */
    CH_LOSS_CUSTOM = 6,   /**< the Bregman divergence of ch_anchors_settings.custom */
    /** |x - y| + (2 q - 1) (x - y), where q is ch_anchors_settings.quantile. */
    CH_LOSS_QUANTILE = 7
} ch_loss;

/** CH_LOSS_CUSTOM: the functions that define a Bregman divergence D(x, y) = phi(x) - phi(y) -
 *  phi'(y) (x - y), where phi is a strictly convex function on the positive numbers. Several
 *  threads call the functions at the same time. */
typedef struct ch_bregman {
    double (*phi)(double x, void *user);       /**< phi(x) */
    double (*slope)(double x, void *user);     /**< the derivative phi'(x) */
    double (*curvature)(double x, void *user); /**< the second derivative phi''(x) > 0 */
    void *user;                                /**< last argument of the three functions */
    /** 1 if D(x, y) is known to be convex in y, else 0. With 0 no gap is computed, because lower
     *  bounds of the loss need convexity. */
    int convex;
} ch_bregman;

/** The functions of a ch_bregman for whole arrays: each sets out[i] = f(x[i]) for all i < count,
 *  where count is at most 256. They save time if calling a function takes much longer than
 *  computing one value, as in an interpreter. */
typedef struct ch_bregman_arrays {
    /** Sets out[i] = phi(x[i]) for all i < count. */
    void (*phi)(double *out, const double *x, int64_t count, void *user);
    /** Sets out[i] = phi'(x[i]) for all i < count. */
    void (*slope)(double *out, const double *x, int64_t count, void *user);
    /** Sets out[i] = phi''(x[i]) for all i < count. */
    void (*curvature)(double *out, const double *x, int64_t count, void *user);
    void *user; /**< last argument of the three functions */
} ch_bregman_arrays;

CH_END_DECLS
#endif
