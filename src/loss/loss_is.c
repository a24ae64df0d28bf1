/* Itakura-Saito: phi(x) = -log x,  D(x, y) = x/y - log(x/y) - 1.
 * It is the likelihood of exponential or gamma noise, whose size is proportional to the signal. It
 * does not depend on scale: D(c x, c y) = D(x, y). It is not convex in y beyond y = 2x. */
#include "loss/divergence.h"
#include <math.h>

static double divergence(const chi_loss *loss, double x, double y) {
    (void)loss;
    double ratio = (x - y) / y;
    return fabs(ratio) < 0.5 ? ratio - log1p(ratio) : x / y - log(x / y) - 1;
}

static double rise(const chi_loss *loss, double x, double y) {
    (void)loss;
    return 1 / x - 1 / y;
}

static double curvature(const chi_loss *loss, double y) {
    (void)loss;
    return 1 / (y * y);
}

static double third(const chi_loss *loss, double y) {
    (void)loss;
    return -2 / (y * y * y);
}

static double size(const chi_loss *loss, double x) {
    (void)loss;
    (void)x;
    return 1;
}

const chi_generator chi_generator_is = {"is", divergence,  rise,         curvature,   third,
                                        size, chi_loss_no, chi_loss_yes, chi_loss_yes};
