/* Losses: what is minimised between X and Y = W H, summed over all entries.
 *
 *     l1         |x - y|                                       sparse noise, moving objects
 *     quantile   |x - y| + (2 q - 1) (x - y)                   one-sided sparse noise
 *     l2         (x - y)^2                                     Gaussian noise
 *     kl         x log(x/y) - x + y                            counts (Poisson)
 *     is         x/y - log(x/y) - 1                            multiplicative noise (gamma)
 *     beta       the family between them: 2 is l2, 1 is kl, 0 is is
 *     logistic   x log(x/y) + (1-x) log((1-x)/(1-y))           shares and probabilities in [0, 1]
 *     custom     any Bregman divergence, given by callbacks
 *
 * quantile is twice the check loss, so that q = 1/2 is l1. Use q < 1/2 when noise makes values too
 * large and q > 1/2 when it makes them too small. */
#ifndef CONEHULL_LOSS_H
#define CONEHULL_LOSS_H

#include <conehull/context.h>

CH_BEGIN_DECLS

typedef enum ch_loss {
    CH_LOSS_L1 = 0,
    CH_LOSS_L2 = 1,
    CH_LOSS_KL = 2,
    CH_LOSS_IS = 3,
    CH_LOSS_BETA = 4,
    CH_LOSS_LOGISTIC = 5,
    CH_LOSS_CUSTOM = 6,
    CH_LOSS_QUANTILE = 7
} ch_loss;

/** A strictly convex phi on the positive numbers and its derivatives. The functions are called from
 *  several threads at once. Set convex to 1 only if D(x, y) is known to be
 *  convex in y. */
typedef struct ch_bregman {
    double (*phi)(double x, void *user);
    double (*slope)(double x, void *user);     /**< phi'                                       */
    double (*curvature)(double x, void *user); /**< phi'' > 0                                  */
    void *user;
    int convex;
} ch_bregman;

/** The same three functions over arrays, out[i] = f(x[i]) for i < count: for callers to whom a call
 *  costs much more than a value, such as interpreters. At most 256 values at a time. */
typedef struct ch_bregman_arrays {
    void (*phi)(double *out, const double *x, int64_t count, void *user);
    void (*slope)(double *out, const double *x, int64_t count, void *user);
    void (*curvature)(double *out, const double *x, int64_t count, void *user);
    void *user;
} ch_bregman_arrays;

CH_END_DECLS
#endif
