/* The table of divergences, and sums over the entries of a column under any of them. */
#include "loss/divergence.h"
#include "linalg/linalg.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const chi_generator *const table[] = {
    [CH_LOSS_KL] = &chi_generator_kl,         [CH_LOSS_IS] = &chi_generator_is,
    [CH_LOSS_BETA] = &chi_generator_beta,     [CH_LOSS_LOGISTIC] = &chi_generator_logistic,
    [CH_LOSS_CUSTOM] = &chi_generator_custom,
};

int chi_loss_yes(const chi_loss *loss) {
    (void)loss;
    return 1;
}

int chi_loss_no(const chi_loss *loss) {
    (void)loss;
    return 0;
}

/* beta 1 and 0 use KL and IS themselves, with the same bits. (beta 2 is l2 and does not get
 * here.) */
static int resolve(const chi_loss_settings *settings) {
    if (settings->loss == CH_LOSS_BETA && settings->beta == 1) return CH_LOSS_KL;
    if (settings->loss == CH_LOSS_BETA && settings->beta == 0) return CH_LOSS_IS;
    return settings->loss;
}

/* KL and IS have special loops; other divergences have none. */
static const chi_loss_loops *find_loops(const chi_kernels *kernels, int row, int reverse) {
    return row == CH_LOSS_KL   ? &kernels->kl[reverse != 0]
           : row == CH_LOSS_IS ? &kernels->is[reverse != 0]
                               : NULL;
}

ch_status chi_loss_init(ch_context *context, chi_loss *loss, const chi_loss_settings *settings) {
    int row = resolve(settings);
    chi_loss made = {.beta = settings->beta, .custom = settings->custom};
    const ch_bregman_arrays *arrays = row == CH_LOSS_CUSTOM ? settings->arrays : NULL;
    if (row < CH_LOSS_KL || row > CH_LOSS_CUSTOM)
        return chi_fail(context, CH_ERR_INTERNAL,
                        "loss %d is not a divergence; this is a bug in conehull, please report it",
                        row);
    if (!(settings->floor >= 0))
        return chi_fail(
            context, CH_ERR_INTERNAL,
            "the floor of the loss is not set; this is a bug in conehull, please report it");
    made.generator = table[row];
    if (row == CH_LOSS_CUSTOM && (!made.custom.phi || !made.custom.slope || !made.custom.curvature))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the loss custom can be used only by programs that call the library, "
                        "because it needs the functions phi, phi' and phi'' (settings.custom)");
    if (arrays && (!arrays->phi || !arrays->slope || !arrays->curvature))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "settings.custom_arrays needs the functions phi, phi' and phi''");
    made.arrays = arrays;
    made.reverse = settings->reverse;
    made.floor = settings->floor;
    made.top = row == CH_LOSS_LOGISTIC ? 1 + 2 * made.floor : INFINITY;
    made.convex = made.reverse || made.generator->convex(&made);
    made.linear_zeros = row == CH_LOSS_KL && !made.reverse;
    made.concave_logs = row == CH_LOSS_IS && !made.reverse;
    made.lifts_data =
        made.generator->singular(&made) || (made.reverse && made.generator->steep(&made));
    made.loops = find_loops(chi_kernels_of(context), row, made.reverse);
    *loss = made;
    return CH_OK;
}

double chi_loss_value(const chi_loss *loss, const double *x, const double *y, int64_t count) {
    double sum = 0;
    if (loss->loops) return loss->loops->value(x, y, count);
    if (loss->arrays) return chi_arrays_value(loss, 0, NULL, x, y, count);
    for (int64_t i = 0; i < count; i++) {
        if (!(y[i] < loss->top)) return INFINITY;
        sum += loss->reverse ? loss->generator->divergence(loss, y[i], x[i])
                             : loss->generator->divergence(loss, x[i], y[i]);
    }
    return sum;
}

double chi_loss_weighted_value(const chi_loss *loss, const double *n, const double *x,
                               const double *y, int64_t count) {
    double sum = 0;
    if (loss->loops && loss->loops->weighted_value)
        return loss->loops->weighted_value(n, x, y, count);
    if (loss->arrays) return chi_arrays_value(loss, 0, n, x, y, count);
    for (int64_t i = 0; i < count; i++)
        if (n[i] > 0) sum += n[i] * chi_loss_value(loss, x + i, y + i, 1);
    return sum;
}

static double entry_slope(const chi_loss *loss, double x, double y, double curvature) {
    return loss->reverse ? loss->generator->rise(loss, x, y) : curvature * (y - x);
}

static double entry_newton(const chi_loss *loss, double x, double y, double scoring) {
    return loss->reverse || !loss->generator->third
               ? scoring
               : scoring + loss->generator->third(loss, y) * (y - x);
}

void chi_loss_slopes(const chi_loss *loss, double *slope, double *newton, double *scoring,
                     const double *x, const double *y, int64_t count) {
    if (loss->loops && newton && scoring) {
        loss->loops->slopes(slope, newton, scoring, x, y, count);
        return;
    }
    if (loss->arrays) {
        double *curvature = scoring ? scoring : newton;
        chi_arrays_slopes(loss, slope, curvature, x, y, count);
        if (newton && newton != curvature)
            memcpy(newton, curvature, (size_t)count * sizeof *newton);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double curvature = loss->generator->curvature(loss, y[i]);
        slope[i] = entry_slope(loss, x[i], y[i], curvature);
        if (newton) newton[i] = entry_newton(loss, x[i], y[i], curvature);
        if (scoring) scoring[i] = curvature;
    }
}

void chi_loss_pull(const chi_loss *loss, double *slope, double *bend, const double *a,
                   const double *x, const double *y, int64_t count) {
    if (loss->loops) {
        loss->loops->pull(slope, bend, a, x, y, count);
        return;
    }
    *slope = *bend = 0;
    if (loss->arrays) {
        chi_arrays_pull(loss, slope, bend, a, x, y, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        if (a[i] == 0) continue;
        double curvature = loss->generator->curvature(loss, y[i]);
        *slope += a[i] * entry_slope(loss, x[i], y[i], curvature);
        *bend += a[i] * a[i] * curvature;
    }
}

double chi_loss_add_values(const chi_loss *loss, double sum, const double *x, const double *y,
                           int64_t count) {
    if (loss->arrays) return chi_arrays_value(loss, sum, NULL, x, y, count);
    for (int64_t i = 0; i < count; i++) sum += chi_loss_value(loss, x + i, y + i, 1);
    return sum;
}

double chi_loss_add_scales(const chi_loss *loss, double sum, const double *x, int64_t count) {
    if (loss->arrays) return chi_arrays_scale(loss, sum, NULL, x, count);
    for (int64_t i = 0; i < count; i++)
        if (x[i] > 0) sum += loss->generator->size(loss, x[i]);
    return sum;
}

double chi_loss_scale(const chi_loss *loss, const double *x, int64_t count) {
    return chi_loss_add_scales(loss, 0, x, count);
}

double chi_loss_weighted_scale(const chi_loss *loss, const double *n, const double *x,
                               int64_t count) {
    double sum = 0;
    if (loss->arrays) return chi_arrays_scale(loss, 0, n, x, count);
    for (int64_t i = 0; i < count; i++)
        if (x[i] > 0) sum += n[i] * loss->generator->size(loss, x[i]);
    return sum;
}

double chi_loss_slope_limit(const chi_loss *loss, double x) {
    if (loss->generator == &chi_generator_kl) return loss->reverse ? INFINITY : 1;
    if (loss->generator == &chi_generator_is) return loss->reverse ? 1 / x : INFINITY;
    if (loss->generator == &chi_generator_beta && loss->reverse && loss->beta < 1)
        return pow(x, loss->beta - 1) / (1 - loss->beta);
    return INFINITY;
}

void chi_loss_shifts(const chi_loss *loss, double *shift, const double *x, int64_t count) {
    if (loss->arrays) {
        chi_arrays_shifts(loss, shift, x, count);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        shift[i] = x[i] > 0 ? fmax(0, loss->generator->size(loss, x[i]) / x[i]) : 0;
}

/* Outside this range a product of two such numbers, or of one with a count, might overflow. */
static const double LARGEST = 1e150, LEAST = 1e-290;

static int is_fine(const chi_loss *loss, double x, double y) {
    double slope, newton, scoring, value = chi_loss_value(loss, &x, &y, 1);
    chi_loss_slopes(loss, &slope, &newton, &scoring, &x, &y, 1);
    double size = x > 0 ? loss->generator->size(loss, x) : 1;
    return value < LARGEST && fabs(slope) < LARGEST && fabs(newton) < INFINITY && scoring > LEAST &&
           scoring < 1 / LEAST && size > LEAST && size < LARGEST;
}

int chi_loss_in_range(const chi_loss *loss, double largest) {
    double lift = loss->lifts_data ? loss->floor : 0;
    if (!(loss->floor > LEAST && largest < 1 / LEAST)) return 0;
    if (loss->top < INFINITY) largest = fmin(largest, 1);
    double low = loss->floor, high = largest + loss->floor;
    return is_fine(loss, lift, low) && is_fine(loss, lift, high) &&
           is_fine(loss, largest + lift, low) && is_fine(loss, largest + lift, high);
}

/* Returns the minimiser of l(x, y) - u y over y, where slope(y) = u, or 0 if there is none.
 * Newton's method from a nearby y; a step that would leave the domain goes half of the way to its
 * end. The last step is below 1e-9 y, so the remaining error is about its square. */
static double minimiser(const chi_loss *loss, double u, double x, double y) {
    for (int step = 0; step < 200; step++) {
        double scoring = loss->generator->curvature(loss, y);
        double bend = entry_newton(loss, x, y, scoring);
        double change = (u - entry_slope(loss, x, y, scoring)) / (bend > 0 ? bend : scoring);
        double next = y + change;
        if (next <= 0) next = y / 2;
        if (next >= loss->top) next = (y + loss->top) / 2;
        if (fabs(next - y) <= 1e-9 * y) return next;
        y = next;
    }
    return 0;
}

static double entry_dual(const chi_loss *loss, double u, double x, double y) {
    if (loss->linear_zeros) /* the minimiser is x / (1 - u) */
        return u > 1 || (u == 1 && x > 0) ? -INFINITY
                                          : u * loss->floor + (x > 0 ? x * log1p(-u) : 0);
    y = minimiser(loss, u, x, y);
    double value = y > 0 ? chi_loss_value(loss, &x, &y, 1) : INFINITY;
    return value <= DBL_MAX ? value - u * (y - loss->floor) : -INFINITY;
}

void chi_loss_duals(const chi_loss *loss, double *dual, const double *u, const double *x,
                    const double *y, int64_t count) {
    if (loss->arrays) {
        chi_arrays_duals(loss, dual, u, x, y, count);
        return;
    }
    for (int64_t i = 0; i < count; i++) dual[i] = entry_dual(loss, u[i], x[i], y[i]);
}
