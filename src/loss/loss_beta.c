/* Beta divergences, beta not 0, 1 or 2 (those are IS, KL and l2): phi(x) = x^beta / (beta
 * (beta-1)),
 *
 *     D(x, y) = (x^beta + (beta - 1) y^beta - beta x y^(beta-1)) / (beta (beta - 1))
 *
 * (Basu et al. 1998; Fevotte and Idier 2011). Convex in y for 1 <= beta <= 2. */
#include "loss/divergence.h"
#include <math.h>

static double divergence(const chi_loss *loss, double x, double y) {
    double beta = loss->beta, power = pow(y, beta - 1);
    double from_x = x > 0 || beta > 0 ? pow(x, beta) : INFINITY;
    double sum = from_x + (beta - 1) * power * y - beta * x * power;
    return fmax(0, sum / (beta * (beta - 1)));
}

static double slope(const chi_loss *loss, double y) {
    return pow(y, loss->beta - 1) / (loss->beta - 1);
}

static double curvature(const chi_loss *loss, double y) {
    return pow(y, loss->beta - 2);
}

static double third(const chi_loss *loss, double y) {
    return (loss->beta - 2) * pow(y, loss->beta - 3);
}

static double size(const chi_loss *loss, double x) {
    return pow(x, loss->beta);
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

const chi_generator chi_generator_beta = {"beta", divergence, slope,    curvature, third,
                                          size,   convex,     singular, steep};
