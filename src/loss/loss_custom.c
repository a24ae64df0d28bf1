/* Any Bregman divergence, given by the caller's phi, phi' and phi''. There is no phi''', so Newton
 * steps use phi''(y) as the curvature. phi may have any value at 0, because the floor is always
 * added to the data. */
#include "loss/divergence.h"
#include <math.h>

static double divergence(const chi_loss *loss, double x, double y) {
    const ch_bregman *c = &loss->custom;
    double apart = c->phi(x, c->user) - c->phi(y, c->user) - c->slope(y, c->user) * (x - y);
    return fmax(0, apart);
}

static double rise(const chi_loss *loss, double x, double y) {
    return loss->custom.slope(y, loss->custom.user) - loss->custom.slope(x, loss->custom.user);
}

static double curvature(const chi_loss *loss, double y) {
    return loss->custom.curvature(y, loss->custom.user);
}

static double size(const chi_loss *loss, double x) {
    return curvature(loss, x) * x * x;
}

static int convex(const chi_loss *loss) {
    return loss->custom.convex;
}

const chi_generator chi_generator_custom = {"custom", divergence, rise,         curvature,   NULL,
                                            size,     convex,     chi_loss_yes, chi_loss_yes};
