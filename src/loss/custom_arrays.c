/* A custom divergence whose functions take arrays. The sums are those of divergence.c, with one
 * call of phi, phi' or phi'' for up to CHI_LOSS_BLOCK entries instead of one call per entry. If the
 * functions return the same values as those for single numbers, the results have the same bits. */
#include "loss/divergence.h"
#include <float.h>
#include <math.h>
#include <string.h>

static int64_t size_of_block(int64_t low, int64_t count) {
    return count - low < CHI_LOSS_BLOCK ? count - low : CHI_LOSS_BLOCK;
}

static void phi(const chi_loss *loss, double *out, const double *x, int64_t count) {
    if (count > 0) loss->arrays->phi(out, x, count, loss->arrays->user);
}

static void slope_at(const chi_loss *loss, double *out, const double *x, int64_t count) {
    if (count > 0) loss->arrays->slope(out, x, count, loss->arrays->user);
}

static void curvature_at(const chi_loss *loss, double *out, const double *x, int64_t count) {
    if (count > 0) loss->arrays->curvature(out, x, count, loss->arrays->user);
}

/* Computes the loss of each entry of a block. */
static void losses(const chi_loss *loss, double *out, const double *x, const double *y,
                   int64_t count) {
    double at_first[CHI_LOSS_BLOCK], at_second[CHI_LOSS_BLOCK], slope[CHI_LOSS_BLOCK];
    const double *first = loss->reverse ? y : x, *second = loss->reverse ? x : y;
    phi(loss, at_first, first, count);
    phi(loss, at_second, second, count);
    slope_at(loss, slope, second, count);
    for (int64_t i = 0; i < count; i++)
        out[i] = fmax(0, at_first[i] - at_second[i] - slope[i] * (first[i] - second[i]));
}

/* Returns sum + the sum of the numbers, each times its weight n; NULL means 1. */
static double add_up(double sum, const double *each, const double *n, int64_t count) {
    for (int64_t i = 0; i < count; i++) sum += n ? n[i] * each[i] : each[i];
    return sum;
}

double chi_arrays_value(const chi_loss *loss, double sum, const double *n, const double *x,
                        const double *y, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!(y[i] < loss->top)) return INFINITY;
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        double each[CHI_LOSS_BLOCK];
        int64_t some = size_of_block(low, count);
        losses(loss, each, x + low, y + low, some);
        sum = add_up(sum, each, n ? n + low : NULL, some);
    }
    return sum;
}

/* Computes for a block phi''(y) (y - x), or reversed phi'(y) - phi'(x). */
static void slopes_of(const chi_loss *loss, double *slope, const double *curvature, const double *x,
                      const double *y, int64_t count) {
    if (!loss->reverse) {
        for (int64_t i = 0; i < count; i++) slope[i] = curvature[i] * (y[i] - x[i]);
        return;
    }
    double at_data[CHI_LOSS_BLOCK];
    slope_at(loss, at_data, x, count);
    slope_at(loss, slope, y, count);
    for (int64_t i = 0; i < count; i++) slope[i] -= at_data[i];
}

void chi_arrays_slopes(const chi_loss *loss, double *slope, double *scoring, const double *x,
                       const double *y, int64_t count) {
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        double own[CHI_LOSS_BLOCK], *curvature = scoring ? scoring + low : own;
        int64_t some = size_of_block(low, count);
        curvature_at(loss, curvature, y + low, some);
        slopes_of(loss, slope + low, curvature, x + low, y + low, some);
    }
}

void chi_arrays_pull(const chi_loss *loss, double *slope, double *bend, const double *a,
                     const double *x, const double *y, int64_t count) {
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        double slopes[CHI_LOSS_BLOCK], curvature[CHI_LOSS_BLOCK];
        int64_t some = size_of_block(low, count);
        chi_arrays_slopes(loss, slopes, curvature, x + low, y + low, some);
        for (int64_t i = 0; i < some; i++) {
            double along = a[low + i];
            if (along == 0) continue;
            *slope += along * slopes[i];
            *bend += along * along * curvature[i];
        }
    }
}

/* Computes phi''(x) x^2 for a block, and 0 where x is not positive, because phi need not be defined
 * there. */
static void sizes_of(const chi_loss *loss, double *size, const double *x, int64_t count) {
    double positive[CHI_LOSS_BLOCK], curvature[CHI_LOSS_BLOCK];
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++)
        if (x[i] > 0) positive[held++] = x[i];
    curvature_at(loss, curvature, positive, held);
    held = 0;
    for (int64_t i = 0; i < count; i++) size[i] = x[i] > 0 ? curvature[held++] * x[i] * x[i] : 0;
}

double chi_arrays_scale(const chi_loss *loss, double sum, const double *n, const double *x,
                        int64_t count) {
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        double size[CHI_LOSS_BLOCK];
        int64_t some = size_of_block(low, count);
        sizes_of(loss, size, x + low, some);
        sum = add_up(sum, size, n ? n + low : NULL, some);
    }
    return sum;
}

void chi_arrays_shifts(const chi_loss *loss, double *shift, const double *x, int64_t count) {
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        int64_t some = size_of_block(low, count);
        sizes_of(loss, shift + low, x + low, some);
        for (int64_t i = low; i < low + some; i++)
            shift[i] = x[i] > 0 ? fmax(0, shift[i] / x[i]) : 0;
    }
}

/* Entries whose minimum over y is searched. */
typedef struct search {
    int64_t count, place[CHI_LOSS_BLOCK]; /* entries that have not converged */
    double u[CHI_LOSS_BLOCK], x[CHI_LOSS_BLOCK], y[CHI_LOSS_BLOCK];
} search;

/* Makes one Newton step for all entries, like minimiser() in divergence.c for one. Entries that
 * have converged get their y and leave the search. */
static void take_step(const chi_loss *loss, search *s, double *settled) {
    double slope[CHI_LOSS_BLOCK], curvature[CHI_LOSS_BLOCK];
    int64_t held = 0;
    curvature_at(loss, curvature, s->y, s->count);
    slopes_of(loss, slope, curvature, s->x, s->y, s->count);
    for (int64_t i = 0; i < s->count; i++) {
        double y = s->y[i], next = y + (s->u[i] - slope[i]) / curvature[i];
        if (next <= 0) next = y / 2;
        if (next >= loss->top) next = (y + loss->top) / 2;
        if (fabs(next - y) <= 1e-9 * y) {
            settled[s->place[i]] = next;
            continue;
        }
        s->place[held] = s->place[i];
        s->u[held] = s->u[i];
        s->x[held] = s->x[i];
        s->y[held++] = next;
    }
    s->count = held;
}

/* y[i] becomes the minimiser of l(x, y) - u y, or 0 if there is none. */
static void find_minima(const chi_loss *loss, double *y, const double *u, const double *x,
                        const double *start, int64_t count) {
    search s = {.count = count};
    memcpy(s.u, u, (size_t)count * sizeof *u);
    memcpy(s.x, x, (size_t)count * sizeof *x);
    memcpy(s.y, start, (size_t)count * sizeof *start);
    for (int64_t i = 0; i < count; i++) {
        s.place[i] = i;
        y[i] = 0;
    }
    for (int step = 0; step < 200 && s.count > 0; step++) take_step(loss, &s, y);
}

static void duals_of(const chi_loss *loss, double *dual, const double *u, const double *x,
                     const double *y, int64_t count) {
    double least[CHI_LOSS_BLOCK], value[CHI_LOSS_BLOCK], data[CHI_LOSS_BLOCK],
        model[CHI_LOSS_BLOCK];
    int64_t held = 0;
    find_minima(loss, least, u, x, y, count);
    for (int64_t i = 0; i < count; i++) {
        if (!(least[i] > 0)) continue;
        data[held] = x[i];
        model[held++] = least[i];
    }
    losses(loss, value, data, model, held);
    held = 0;
    for (int64_t i = 0; i < count; i++) {
        double here = least[i] > 0 && least[i] < loss->top ? value[held] : INFINITY;
        held += least[i] > 0;
        dual[i] = here <= DBL_MAX ? here - u[i] * (least[i] - loss->floor) : -INFINITY;
    }
}

void chi_arrays_duals(const chi_loss *loss, double *dual, const double *u, const double *x,
                      const double *y, int64_t count) {
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK)
        duals_of(loss, dual + low, u + low, x + low, y + low, size_of_block(low, count));
}
