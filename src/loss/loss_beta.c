/* Beta divergences for beta other than 0, 1 and 2 (which are IS, KL and l2):
 * phi(x) = x^beta / (beta (beta - 1)),
 *
 *     D(x, y) = (x^beta + (beta - 1) y^beta - beta x y^(beta-1)) / (beta (beta - 1))
 *
 * (Basu et al. 1998; Fevotte and Idier 2011). Convex in y for 1 <= beta <= 2. */
#include "loss/divergence.h"
#include <math.h>

/* Returns y^e, by roots and products if 2 e is a small whole number, as for the usual betas. */
static double power(double y, double e) {
    if (fabs(e) > 3 || 2 * e != floor(2 * e)) return pow(y, e);
    int halves = (int)fabs(2 * e);
    double result = halves % 2 ? sqrt(y) : 1;
    for (; halves >= 2; halves -= 2) result *= y;
    return e < 0 ? 1 / result : result;
}

/* Returns y^beta (r^beta - 1 - beta (r - 1)) / (beta (beta - 1)) with r = x / y. The difference is
 * written so that nothing cancels if beta is near 0 or 1, where the divergence becomes IS or KL. */
static double divergence(const chi_loss *loss, double x, double y) {
    double beta = loss->beta, ratio = x / y, share;
    if (x <= 0) return beta > 0 ? power(y, beta) / beta : INFINITY;
    if (y <= 0) return beta > 1 ? power(x, beta) / (beta * (beta - 1)) : INFINITY;
    if (beta > 0.5)
        share = (ratio * expm1((beta - 1) * log(ratio)) / (beta - 1) - (ratio - 1)) / beta;
    else
        share = (expm1(beta * log(ratio)) / beta - (ratio - 1)) / (beta - 1);
    return fmax(0, power(y, beta) * share);
}

static double rise(const chi_loss *loss, double x, double y) {
    double less = loss->beta - 1;
    if (x <= 0) return less > 0 ? power(y, less) / less : INFINITY;
    return power(x, less) * expm1(less * log(y / x)) / less;
}

static double curvature(const chi_loss *loss, double y) {
    return power(y, loss->beta - 2);
}

static double third(const chi_loss *loss, double y) {
    return (loss->beta - 2) * power(y, loss->beta - 3);
}

static double size(const chi_loss *loss, double x) {
    return power(x, loss->beta);
}

static int convex(const chi_loss *loss) {
    return loss->beta >= 1 && loss->beta <= 2;
}

static int singular(const chi_loss *loss) {
    return loss->beta <= 0;
}

static int steep(const chi_loss *loss) {
    return loss->beta <= 1;
}

const chi_generator chi_generator_beta = {"beta", divergence, rise,     curvature, third,
                                          size,   convex,     singular, steep};
