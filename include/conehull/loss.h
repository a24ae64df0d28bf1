/* Losses: what is minimised between X and W H.
 *
 *     l1   sum |x - y|                         sparse noise, outliers, moving objects
 *     quantile  sum |x - y| + (2 q - 1) (x - y)     one-sided sparse noise (q < 1/2: values that
 * are too large; q > 1/2: too small). Twice the check loss, so that q = 1/2 is l1 l2   sum (x -
 * y)^2                       Gaussian noise kl   sum x log(x/y) - x + y              counts
 * (Poisson) is   sum x/y - log(x/y) - 1              multiplicative noise (exponential, gamma) beta
 * the family between them: beta 2 is l2, 1 is kl, 0 is is logistic  x log(x/y) + (1-x)
 * log((1-x)/(1-y))   shares and probabilities in [0, 1] custom    any Bregman divergence, by
 * callbacks */
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
 *  several threads at once. convex: is D(x, y) convex in y? Say 0 when in doubt. */
typedef struct ch_bregman {
    double (*phi)(double x, void *user);
    double (*slope)(double x, void *user);     /**< phi'                                       */
    double (*curvature)(double x, void *user); /**< phi'' > 0                                  */
    void *user;
    int convex;
} ch_bregman;

CH_END_DECLS
#endif
