/* Generalised Kullback-Leibler: phi(x) = x log x - x,  D(x, y) = x log(x/y) - x + y.
 * It is the likelihood of Poisson counts with mean y, and convex in y. For x = 0 it is y, which is
 * linear. */
#include "loss/divergence.h"
#include <math.h>

static double divergence(const chi_loss *loss, double x, double y) {
    (void)loss;
    if (x <= 0) return y;
    double ratio = (y - x) / x; /* log1p avoids the cancellation in y - x + x log(x/y) */
    return fabs(ratio) < 0.5 ? x * (ratio - log1p(ratio)) : x * log(x / y) - x + y;
}

static double rise(const chi_loss *loss, double x, double y) {
    (void)loss;
    return log(y / x);
}

static double curvature(const chi_loss *loss, double y) {
    (void)loss;
    return 1 / y;
}

static double third(const chi_loss *loss, double y) {
    (void)loss;
    return -1 / (y * y);
}

static double size(const chi_loss *loss, double x) {
    (void)loss;
    return x;
}

const chi_generator chi_generator_kl = {"kl", divergence,   rise,        curvature,   third,
                                        size, chi_loss_yes, chi_loss_no, chi_loss_yes};
