/* Logistic (Bernoulli): phi(x) = x log x + (1-x) log(1-x) for x in [0, 1],
 *
 *     D(x, y) = x log(x/y) + (1-x) log((1-x)/(1-y)),
 *
 * It is the likelihood of shares, and of 0/1 data with probability y, and convex in y. The domain
 * has two singular ends, so it is widened at both: the floor is added to x and y, and 1 becomes
 * top = 1 + 2 floor. */
#include "loss/divergence.h"
#include <math.h>

static double divergence(const chi_loss *loss, double x, double y) {
    double x_rest = loss->top - x, y_rest = loss->top - y;
    if (!(y_rest > 0)) return INFINITY;
    return fmax(0, x * log(x / y) + x_rest * log(x_rest / y_rest));
}

static double rise(const chi_loss *loss, double x, double y) {
    return log(y / x) + log((loss->top - x) / (loss->top - y));
}

static double curvature(const chi_loss *loss, double y) {
    return 1 / y + 1 / (loss->top - y);
}

static double third(const chi_loss *loss, double y) {
    double rest = loss->top - y;
    return 1 / (rest * rest) - 1 / (y * y);
}

static double size(const chi_loss *loss, double x) {
    (void)loss;
    (void)x;
    return 1;
}

const chi_generator chi_generator_logistic = {
    "logistic", divergence, rise, curvature, third, size, chi_loss_yes, chi_loss_yes, chi_loss_yes};
