/* The steps of the projection under a divergence, from any start to a stationary b.
 *
 * Sweeps of coordinate descent on the second-order Taylor expansion (Li, Lebanon and Park 2012, the
 * paper's choice) find the scale and most of the support from a cold start. Newton steps on the
 * free variables, projected onto b >= 0 (Bertsekas 1982), then converge to the requested tolerance.
 * A Taylor step may overshoot, so a step is accepted only if f decreases (Armijo).
 *
 * On a convex hull the largest variable is 1 minus the others, and steps move only the others. A
 * step that would make the largest variable negative is shortened.
 *
 * A sweep costs O(rows * k). A Newton step costs O(rows * p^2), where p is the number of free
 * variables. */
#include "project/bregman/bregman.h"
#include <math.h>
#include <string.h>

enum {
    NEWTON_LIMIT = 300, /* Newton takes about 10 steps; this many means no convergence        */
    SETTLED = 30,       /* this many mean that guesses of the bounds alternate, or a saddle */
    ROUNDS = 3,         /* multiplicative updates under IS */
    HALVINGS = 40,
    DOUBLINGS = 20,
    COORDINATE_HALVINGS = 8, /* if no such step lowers f, the variable is left to Newton */
    STALLS = 3 /* steps without progress below tol, after which rounding is the cause */
};
static const double ARMIJO = 1e-4;
static const double ROUNDING = 1e-14; /* rounding error of f, relative to its terms */
/* A variable with less than this share of |x|_1 is almost zero. */
static const double TINY = 1e-10;
/* A pivot below this share of its diagonal is rounding: the anchor is a combination of the anchors
 * before it, and moves by its own curvature. */
static const double DEPENDENT = 1e-12;
static const double SAFE = 1e-8; /* minimum relative pivot for a pure Newton step */
/* Below this stationarity, Newton omits the curvature of the bounds. That curvature makes it slow
 * if a variable and its gradient are both zero at the optimum, for example if x is an anchor. */
static const double NEAR = 1e-2;

void chi_bregman_model(const chi_bregman_work *w, double *y, const double *b) {
    w->loops->model(y, w->A, b, w->count, w->loss->floor, w->rows);
}

static double value_at(const chi_bregman_work *w, const double *y, const double *b) {
    double linear = w->rest;
    for (int64_t q = 0; q < w->count; q++) linear += w->cost[q] * b[q];
    return linear + (w->weight ? chi_loss_weighted_value(w->loss, w->weight, w->x, y, w->rows)
                               : chi_loss_value(w->loss, w->x, y, w->rows));
}

/* Makes the largest b the base and computes the columns of the others relative to it. */
static void choose_base(chi_bregman_work *w) {
    w->base = 0;
    for (int64_t q = 1; q < w->count; q++)
        if (w->b[q] > w->b[w->base]) w->base = q;
    if (w->based == w->base) return;
    const double *base = chi_bregman_column(w, w->base);
    for (int64_t q = 0; q < w->count; q++) {
        const double *a = chi_bregman_column(w, q);
        double *apart = w->apart + q * w->rows;
        for (int64_t i = 0; i < w->rows; i++) apart[i] = a[i] - base[i];
    }
    w->based = w->base;
}

/* Makes the gradient relative to that of the base. */
static void eliminate(chi_bregman_work *w) {
    choose_base(w);
    w->level = w->gradient[w->base];
    for (int64_t q = 0; q < w->count; q++) w->gradient[q] -= w->level;
}

/* Computes slope and curvatures of all rows at the current y. */
static void find_slopes(chi_bregman_work *w) {
    const double *restrict weight = w->weight;
    double *restrict slope = w->slope, *restrict newton = w->newton, *restrict scoring = w->scoring;
    chi_loss_slopes(w->loss, slope, newton, scoring, w->x, w->y, w->rows);
    if (!weight) return;
#pragma omp simd
    for (int64_t i = 0; i < w->rows; i++) {
        slope[i] *= weight[i];
        newton[i] *= weight[i];
        scoring[i] *= weight[i];
    }
}

/* gradient_q = c_q + sum_i A_iq dl/dy_i at the current y. */
static void differentiate(chi_bregman_work *w) {
    find_slopes(w);
    for (int64_t q = 0; q < w->count; q++) w->gradient[q] = w->cost[q];
    w->loops->products(w->gradient, w->slope, w->A, w->count, w->rows);
    if (w->cone->hull) eliminate(w);
}

double chi_bregman_excess(const chi_bregman_work *w, double level, int64_t q) {
    double above = w->gradient[q] - level;
    return w->b[q] > 0 ? fabs(above) : fmax(0, -above);
}

double chi_bregman_level(const chi_bregman_work *w) {
    double mean = 0;
    for (int64_t q = 0; w->cone->hull && q < w->count; q++) mean += w->b[q] * w->gradient[q];
    return mean;
}

/* The weight of anchor q has the unit |x|_1 / sums[q], on a hull at least 1, which is the unit of
 * the check of verify. */
static double stationarity(const chi_bregman_work *w) {
    double worst = 0, level = chi_bregman_level(w), least = w->cone->hull ? 1 : 0;
    for (int64_t q = 0; q < w->count; q++)
        worst = fmax(worst, chi_bregman_excess(w, level, q) * fmax(least, w->sum / w->sums[q]));
    return w->scale > 0 ? worst / w->scale : 0;
}

double chi_bregman_try(chi_bregman_work *w) {
    chi_bregman_model(w, w->y_try, w->b_try);
    return value_at(w, w->y_try, w->b_try);
}

void chi_bregman_move(chi_bregman_work *w, double value) {
    double *spare = w->y;
    w->y = w->y_try;
    w->y_try = spare;
    w->value = value;
    memcpy(w->b, w->b_try, (size_t)w->count * sizeof *w->b);
}

/* Like chi_loss_pull(), with weights of rows. */
static void pull(chi_bregman_work *w, double *slope, double *bend, const double *a) {
    if (!w->weight) {
        chi_loss_pull(w->loss, slope, bend, a, w->x, w->y, w->rows);
        return;
    }
    double first = 0, second = 0;
    find_slopes(w);
#pragma omp simd reduction(+ : first, second)
    for (int64_t i = 0; i < w->rows; i++) {
        first += a[i] * w->slope[i];
        second += a[i] * a[i] * w->scoring[i];
    }
    *slope = first;
    *bend = second;
}

/* Moves variable q alone, on a hull against the base: b_q <- (b_q - f_q / f_qq)_+ with the
 * expansion at the current y, halved until f decreases. Returns whether it moved. */
static int coordinate_step(chi_bregman_work *w, int64_t q) {
    const double *a = chi_bregman_way(w, q);
    int hull = w->base >= 0;
    double slope, bend;
    pull(w, &slope, &bend, a);
    slope += w->cost[q] - (hull ? w->cost[w->base] : 0);
    if (!(bend > 0 || hull) || !(slope < 0 || w->b[q] > 0)) return 0;
    double change = fmax(-w->b[q], bend > 0 ? -slope / bend : slope < 0 ? INFINITY : -INFINITY);
    if (hull) change = fmin(change, w->b[w->base]);
    for (int halving = 0; halving < COORDINATE_HALVINGS; halving++, change /= 2) {
        memcpy(w->y_try, w->y, (size_t)w->rows * sizeof *w->y);
        chi_axpy(w->cone->kernels, w->y_try, change, a, w->rows);
        /* After a term is subtracted, rounding may leave y slightly below the floor. */
        for (int64_t i = 0; (change < 0 || hull) && i < w->rows; i++)
            w->y_try[i] = w->y_try[i] < w->loss->floor ? w->loss->floor : w->y_try[i];
        w->b_try[q] = w->b[q] + change;
        if (hull) w->b_try[w->base] = w->b[w->base] - change;
        double value = value_at(w, w->y_try, w->b_try);
        if (!(value < w->value)) continue;
        chi_bregman_move(w, value);
        return 1;
    }
    w->b_try[q] = w->b[q];
    if (hull) w->b_try[w->base] = w->b[w->base];
    return 0;
}

/* Moves one variable after another; with `risen` 0 only those at zero. Returns whether one
 * moved. */
static int sweep(chi_bregman_work *w, int risen) {
    int moved = 0;
    if (w->cone->hull) choose_base(w);
    memcpy(w->b_try, w->b, (size_t)w->count * sizeof *w->b);
    for (int64_t q = 0; q < w->count; q++)
        if (q != w->base && (risen || w->b[q] == 0)) moved |= coordinate_step(w, q);
    return moved;
}

/* Computes hessian_FF = A_F' diag(weight) A_F on the free variables: lower half, leading dimension
 * p. */
static void curve(chi_bregman_work *w, int64_t p, const double *weight) {
    for (int64_t s = 0; s < p; s++) w->free[s] = chi_bregman_way(w, w->moving[s]);
    w->gram(w->hessian, w->free, p, weight, w->rows);
}

/* Returns the extra curvature of a variable above zero that is pulled down (Coleman and Li 1996).
 * Anchors that are combinations of others, as all are if rows are few, have no other curvature that
 * limits the step. */
static double bound_curvature(const chi_bregman_work *w, int64_t q) {
    return w->gradient[q] > 0 ? w->gradient[q] / w->b[q] : 0;
}

/* Computes the Cholesky factor of the hessian, with or without the curvature of the bounds. Returns
 * 0 if there is a negative direction or, without bounds, an almost flat one. */
static int factorise(chi_bregman_work *w, int64_t p, int bounds) {
    for (int64_t s = 0; bounds && s < p; s++) w->more[s] = bound_curvature(w, w->moving[s]);
    return w->loops->factorise(w->factor, w->hessian, bounds ? w->more : NULL, p,
                               bounds ? -DEPENDENT : SAFE, DEPENDENT);
}

/* Computes direction = -hessian^-1 gradient on the free variables. */
static void back_solve(chi_bregman_work *w, int64_t p) {
    for (int64_t s = 0; s < p; s++) w->more[s] = -w->gradient[w->moving[s]];
    w->loops->solve(w->direction, w->more, w->factor, p);
}

/* Returns -gradient / curvature of variable q alone. This direction is always downhill. */
static double own_step(const chi_bregman_work *w, int64_t q) {
    const double *a = chi_bregman_way(w, q);
    double bend = 0;
#pragma omp simd reduction(+ : bend)
    for (int64_t i = 0; i < w->rows; i++) bend += a[i] * a[i] * w->scoring[i];
    return bend > 0 ? -w->gradient[q] / bend : w->gradient[q] > 0 ? -w->b[q] : 0;
}

/* Computes the directions of moving[from..to), one variable at a time. */
static void scaled_gradient(chi_bregman_work *w, int64_t from, int64_t to) {
    for (int64_t s = from; s < to; s++) w->direction[s] = own_step(w, w->moving[s]);
}

/* Computes Newton's direction. The curvature of the bounds is added far from the optimum, or if the
 * Hessian is not definite without it. If some curvature is negative, Fisher scoring is used.
 * Returns 0 if none of these is definite; then each variable has its own direction. */
static int newton_direction(chi_bregman_work *w, int64_t p, double reached) {
    curve(w, p, w->newton);
    int definite = (reached <= NEAR && factorise(w, p, 0)) || factorise(w, p, 1);
    if (!definite) {
        curve(w, p, w->scoring);
        definite = factorise(w, p, 1);
    }
    if (definite)
        back_solve(w, p);
    else
        scaled_gradient(w, 0, p);
    return definite;
}

/* Returns whether variable q is almost zero and pulled down. Where the model is near the floor, the
 * optimum of a variable may be tiny too. Steps that treat such variables one by one then alternate,
 * so after many steps only a variable that its own step would take to zero is almost zero. */
static int is_leaving(const chi_bregman_work *w, int64_t q, int step) {
    if (w->gradient[q] < 0 || w->b[q] * w->sums[q] > TINY * w->sum) return 0;
    return step < SETTLED || w->b[q] + own_step(w, q) <= 0;
}

/* Lists the variables that may move: first those that Newton moves together, which are above zero
 * or pulled up from it; then those almost at zero and pulled down. The latter would bend the arc
 * immediately, so they get their own directions (Bertsekas 1982). */
static void find_moving(chi_bregman_work *w, int step) {
    int64_t together = 0, all;
    for (int64_t q = 0; q < w->count; q++)
        if (q != w->base && !is_leaving(w, q, step)) w->moving[together++] = q;
    all = together;
    for (int64_t q = 0; q < w->count; q++)
        if (q != w->base && w->b[q] > 0 && is_leaving(w, q, step)) w->moving[all++] = q;
    w->together = together;
    w->movers = all;
}

/* Sets b_try = max(0, b + t direction). Returns the change of f that the gradient predicts, or
 * infinity if the base would become negative. */
static double step_to(chi_bregman_work *w, double t) {
    double promised = 0, others = 0;
    memcpy(w->b_try, w->b, (size_t)w->count * sizeof *w->b);
    for (int64_t s = 0; s < w->movers; s++) {
        int64_t q = w->moving[s];
        w->b_try[q] = fmax(0, w->b[q] + t * w->direction[s]);
        promised += w->gradient[q] * (w->b_try[q] - w->b[q]);
    }
    if (w->base < 0) return promised;
    for (int64_t q = 0; q < w->count; q++) others += q == w->base ? 0 : w->b_try[q];
    w->b_try[w->base] = 1 - others;
    return others <= 1 ? promised : INFINITY;
}

/* Doubles t while f, which is `value` at b_try, decreases by more than `rounding`; b_try follows.
 * Returns f there. */
static double lengthen(chi_bregman_work *w, double t, double value, double rounding) {
    for (int doubling = 0; doubling < DOUBLINGS; doubling++, t *= 2) {
        double longer = step_to(w, 2 * t) == INFINITY ? INFINITY : chi_bregman_try(w);
        if (!(longer < value - rounding)) break;
        value = longer;
    }
    step_to(w, t);
    return chi_bregman_try(w);
}

/* Moves along the arc until f decreases as predicted. Returns 0 if it never does. A predicted
 * change below the rounding of f cannot be checked by f; then the full step is taken, and the
 * descent checks whether the gradient decreased. After many steps a full step is lengthened: where
 * f has negative curvature, Fisher scoring leaves a saddle by a few percent per step. */
static int search(chi_bregman_work *w, int step) {
    double t = 1, rounding = ROUNDING * (w->value + w->scale);
    for (int halving = 0; halving < HALVINGS; halving++, t /= 2) {
        double promised = step_to(w, t);
        if (promised == INFINITY) continue;
        double value = chi_bregman_try(w);
        int fell = promised < 0 && value <= w->value + ARMIJO * promised;
        int level = fabs(promised) <= rounding && fabs(value - w->value) <= rounding;
        if (!fell && !level) continue;
        if (step >= SETTLED && t == 1 && value < w->value - rounding)
            value = lengthen(w, t, value, rounding);
        chi_bregman_move(w, value);
        return 1;
    }
    return 0;
}

/* Makes a step if Newton's step fails because f is linear along some direction or does not
 * decrease. */
static int step_on_hull(chi_bregman_work *w) {
    double rounding = ROUNDING * (w->value + w->scale);
    if (w->loss->convex && chi_bregman_quadratic_step(w, ARMIJO, rounding)) return 1;
    return sweep(w, 1);
}

static int newton_step(chi_bregman_work *w, double reached, int step) {
    if (w->cone->hull && w->loss->convex && step >= SETTLED) return step_on_hull(w);
    find_moving(w, step);
    int definite = newton_direction(w, w->together, reached);
    if (!definite && w->cone->hull) return step_on_hull(w);
    scaled_gradient(w, w->together, w->movers);
    if (search(w, step)) return 1;
    if (w->cone->hull) return step_on_hull(w);
    scaled_gradient(w, 0, w->together);
    return search(w, step);
}

/* For IS, in which zeros of x are rows in use: makes rounds of b_q <- b_q A_q'(x / y^2) / A_q'(1 /
 * y) on the weights above zero, if they decrease f (Fevotte and Idier 2011). A new weight starts
 * near the floor, which may be many powers of ten below its optimum. There a Newton step only grows
 * it by half, but a round by its whole factor. */
static void multiply(chi_bregman_work *w) {
    double *restrict slope = w->slope, *restrict data = w->newton;
    double *top = w->direction, *bottom = w->more, *held = w->y;
    memcpy(w->b_try, w->b, (size_t)w->count * sizeof *w->b);
    for (int round = 0; round < ROUNDS; round++) {
        find_slopes(w);
#pragma omp simd
        for (int64_t i = 0; i < w->rows; i++) {
            data[i] = w->scoring[i] * w->x[i]; /* x / y^2 */
            slope[i] += data[i];               /* 1 / y   */
        }
        memset(top, 0, (size_t)w->count * sizeof *top);
        memset(bottom, 0, (size_t)w->count * sizeof *bottom);
        w->loops->products(top, data, w->A, w->count, w->rows);
        w->loops->products(bottom, slope, w->A, w->count, w->rows);
        for (int64_t q = 0; q < w->count; q++)
            if (w->b_try[q] > 0) w->b_try[q] *= top[q] / bottom[q];
        chi_bregman_model(w, w->y_try, w->b_try);
        w->y = w->y_try;
    }
    w->y = held;
    double value = value_at(w, w->y_try, w->b_try);
    if (value < w->value) chi_bregman_move(w, value);
}

/* If rounding prevents the accuracy aimed at, progress ends, and the accuracy reached is
 * returned. */
double chi_bregman_descend(chi_bregman_work *w, int start) {
    double aim = CHI_BREGMAN_AIM * w->tol, close = CHI_BREGMAN_ENOUGH * w->tol, best = INFINITY,
           reached;
    chi_bregman_model(w, w->y, w->b);
    w->value = value_at(w, w->y, w->b);
    if (start != CHI_START_NEAR) sweep(w, start == CHI_START_COLD);
    if (start == CHI_START_WARM && w->loss->concave_logs && !w->cone->hull) multiply(w);
    w->steps += start == CHI_START_COLD;
    for (int step = 0, stalls = 0;; step++, w->steps++) {
        differentiate(w);
        reached = stationarity(w);
        stalls = reached < 0.5 * best ? 0 : stalls + 1;
        best = fmin(best, reached);
        int flat = reached <= w->tol && stalls > (reached <= close ? 0 : STALLS);
        if (reached <= aim || flat || step == NEWTON_LIMIT || !newton_step(w, reached, step))
            return reached;
    }
}
