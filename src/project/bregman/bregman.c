/* Projection onto the cone under a divergence:
 *
 *     min_{b >= 0}  f(b) = sum_i l(x_i, y_i),   y = A b + floor        (paper, Section 4)
 *
 * The steps are in bregman_descent.c. They never increase f; lazy selection relies on this bound.
 *
 * A convex loss has one optimum and a certificate: u_i = dl/dy_i, shifted and scaled so that A'u >=
 * 0, gives the lower bound sum_i inf_y l(x_i, y) - u_i (y - floor). The other losses (IS, beta
 * outside [1, 2]) report the stationarity of b. For them the answer for k anchors is defined as the
 * end of a chain of descents on the first 1, 2, ..., k anchors, each of which starts where the
 * previous one ended.
 *
 * For KL a zero of x costs (A b)_i, so all zero rows together are one linear cost c'b. Rows where
 * all anchors are zero are constant under every loss. Both kinds of rows are left out of the steps.
 * Under losses that are not convex, rows that are equal in all anchors are merged into one row
 * (row_classes.h). So a step for a sparse column and k anchors costs O(nonzeros * k) for KL,
 * O(classes * k) for losses that are not convex, and O(rows that anchors use * k) for the
 * others. */
#include "project/bregman/bregman.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 4 }; /* multiplicative updates at the start of long columns under KL */
/* A weight that the last update reduces below this share is set to 0. */
static const double SHRINKS = 0.7;

/* ---- rows and anchors in use --------------------------------------------------------------- */

/* Adds a row with data x (not lifted) to the rows in use, or its constant cost to rest. Entries
 * above zero of rows that are zero in all these anchors are collected in w->newton, which
 * is not in use yet. */
static void load_row(chi_bregman_work *w, int64_t i, double x, int64_t count) {
    double lifted = x + (w->loss->lifts_data ? w->loss->floor : 0);
    if (w->cone->first[i] < count) {
        w->row[w->rows] = (int32_t)i;
        w->x[w->rows++] = lifted;
    } else if (w->cone->row_weight) {
        double loss = x > 0 ? chi_loss_value(w->loss, &lifted, &w->loss->floor, 1) : w->idle;
        w->rest += w->cone->row_weight[i] * loss;
    } else if (x > 0) {
        w->newton[w->alone++] = lifted;
    } else {
        w->rest += w->idle;
    }
}

/* Adds the cost of the collected entries, all at once. */
static void add_alone(chi_bregman_work *w) {
    double *floors = w->scoring;
    for (int64_t i = 0; i < w->alone; i++) floors[i] = w->loss->floor;
    if (w->alone > 0) w->rest += chi_loss_value(w->loss, w->newton, floors, w->alone);
}

/* load_row() for all non-zero entries under KL without row weights. Which rows are in use is
 * random, so each entry is written to both lists, and only one of them grows. */
static void load_counts(chi_bregman_work *w, const chi_column *x, int64_t entries, int64_t count) {
    const int32_t *first = w->cone->first;
    int64_t rows = 0, alone = 0;
    for (int64_t e = 0; e < entries; e++) {
        int64_t i = x->index ? x->index[e] : e;
        int used = first[i] < count;
        w->row[rows] = (int32_t)i;
        w->x[rows] = w->newton[alone] = x->value[e];
        rows += used;
        alone += !used;
    }
    w->rows = rows;
    w->alone = alone;
}

/* Lists the rows in use with their x, and sums the cost of the others in rest. */
static void load_rows(chi_bregman_work *w, const chi_column *x, int64_t count) {
    int64_t lift = w->cone->hull; /* the lift is the last row, and no column is zero there */
    w->rows = w->alone = 0;
    w->rest = 0;
    if (w->loss->linear_zeros) {
        w->rest = w->loss->floor * (double)(x->rows - x->count);
        load_counts(w, x, x->count - lift, count);
    } else {
        for (int64_t i = 0, e = 0; i < x->rows - lift; i++) {
            int here = !x->index || (e < x->count && x->index[e] == i);
            load_row(w, i, here ? x->value[e++] : 0, count);
        }
    }
    add_alone(w);
}

/* Selects the anchors in use among the first `count`, whose sums over the rows in use are `here`.
 * Anchors with tiny sums are left out, because their weights could overflow. */
static void keep_anchors(chi_bregman_work *w, const double *here, int64_t count) {
    int hull = w->cone->hull; /* on a hull all anchors are in use, in units of 1 */
    double lift = hull ? w->cone->A[w->cone->rows - 1] : 0;
    w->count = 0;
    for (int64_t j = 0; j < count; j++) {
        if (!hull && here[j] < CHI_ANCHOR_LEAST) continue;
        double sum = w->cone->sums[j] - lift;
        w->sums[w->count] = hull ? 1 : sum;
        w->cost[w->count] = w->loss->linear_zeros ? fmax(0, sum - here[j]) : 0;
        w->place[w->count++] = j;
    }
}

/* Copies the anchors in use on the rows in use to contiguous, padded columns. */
static void gather(chi_bregman_work *w, int64_t count) {
    const chi_cone *cone = w->cone;
    double *here = w->gradient; /* not in use yet */
    memset(here, 0, (size_t)count * sizeof *here);
    for (int64_t i = 0; i < w->held; i++) {
        const double *row = cone->At + w->row[i] * cone->At_stride;
        for (int64_t j = 0; j < count; j++) here[j] += row[j];
    }
    keep_anchors(w, here, count);
    for (; w->rows % CHI_BREGMAN_PAD; w->rows++) w->x[w->rows] = w->loss->floor;
    for (int64_t i = 0; i < w->held; i++) {
        const double *row = cone->At + w->row[i] * cone->At_stride;
        for (int64_t q = 0; q < w->count; q++) w->gathered[i + q * w->rows] = row[w->place[q]];
    }
    for (int64_t i = w->held; i < w->rows; i++)
        for (int64_t q = 0; q < w->count; q++) w->gathered[i + q * w->rows] = 0;
    w->A = w->gathered;
}

/* ---- classes of equal rows ------------------------------------------------------------------ */

static double lift_of(const chi_loss *loss) {
    return loss->lifts_data ? loss->floor : 0;
}

/* Computes w->size and w->mean of every class. In class 0 y is the floor, which is stored as its
 * mean. */
static void find_means(chi_bregman_work *w, const chi_column *x, int64_t count) {
    int64_t classes = chi_row_classes_count(w->classes, count);
    chi_row_classes_sizes(w->classes, w->size, count);
    memset(w->mean, 0, (size_t)classes * sizeof *w->mean);
    for (int64_t e = 0; e < x->count - w->cone->hull; e++)
        w->mean[chi_row_classes_of(w->classes, x->index ? x->index[e] : e, count)] += x->value[e];
    for (int64_t n = 0; n < classes; n++) w->mean[n] = w->mean[n] / w->size[n] + lift_of(w->loss);
    w->mean[0] = w->loss->floor;
}

/* Adds to w->rest the cost of the differences between the data and the class means. There are at
 * most as many such entries as rows: a class that has zeros contributes one entry for all of
 * them. */
static void add_differences(chi_bregman_work *w, const chi_column *x, int64_t count) {
    double lift = lift_of(w->loss), *zeros = w->weights;              /* these buffers      */
    double *weight = w->scoring, *data = w->slope, *mean = w->newton; /* are not in use yet */
    int64_t classes = chi_row_classes_count(w->classes, count), entries = 0;
    memcpy(zeros, w->size, (size_t)classes * sizeof *zeros);
    for (int64_t e = 0; e < x->count - w->cone->hull; e++) {
        int64_t n = chi_row_classes_of(w->classes, x->index ? x->index[e] : e, count);
        zeros[n]--;
        if (n > 0 && w->size[n] == 1) continue;
        weight[entries] = 1;
        data[entries] = x->value[e] + lift;
        mean[entries++] = w->mean[n];
    }
    for (int64_t n = 0; n < classes; n++) {
        if (zeros[n] == 0 || (n > 0 && zeros[n] == w->size[n])) continue;
        weight[entries] = zeros[n];
        data[entries] = lift;
        mean[entries++] = w->mean[n];
    }
    w->rest = chi_loss_weighted_value(w->loss, weight, data, mean, entries);
}

/* Makes the classes the rows in use, padded. No class is empty. */
static void load_classes(chi_bregman_work *w, const chi_column *x, int64_t count) {
    find_means(w, x, count);
    add_differences(w, x, count);
    w->rows = w->held = chi_row_classes_count(w->classes, count) - 1;
    memcpy(w->x, w->mean + 1, (size_t)w->held * sizeof *w->x);
    memcpy(w->weights, w->size + 1, (size_t)w->held * sizeof *w->weights);
    for (; w->rows % CHI_BREGMAN_PAD; w->rows++) {
        w->x[w->rows] = w->loss->floor;
        w->weights[w->rows] = 0;
    }
    w->weight = w->weights;
    w->grouped = 1;
    keep_anchors(w, w->cone->sums, count);
    for (int64_t q = 0; q < w->count; q++) {
        const double *from = chi_row_classes_column(w->classes, w->place[q]);
        double *to = w->gathered + q * w->rows;
        memcpy(to, from + 1, (size_t)w->held * sizeof *to);
        for (int64_t i = w->held; i < w->rows; i++) to[i] = 0;
    }
    w->A = w->gathered;
}

/* Returns whether the first `count` anchors have so few classes that they save more than the copy
 * costs. */
static int has_classes(const chi_bregman_work *w, int64_t count) {
    return w->classes && 4 * chi_row_classes_count(w->classes, count) <=
                             3 * chi_row_classes_used(w->classes, count);
}

/* Sets the weights of the rows in use. The padding costs nothing with any weight. */
static void weigh_rows(chi_bregman_work *w) {
    for (int64_t i = 0; i < w->rows; i++)
        w->weights[i] = i < w->held ? w->cone->row_weight[w->row[i]] : 1;
    w->weight = w->weights;
}

/* Prepares the column for the first `count` anchors. */
static void load(chi_bregman_work *w, const chi_column *x, int64_t count) {
    const chi_cone *cone = w->cone;
    w->base = w->based = -1;
    w->weight = NULL;
    w->grouped = 0;
    if (has_classes(w, count)) {
        load_classes(w, x, count);
        return;
    }
    load_rows(w, x, count);
    w->held = w->rows;
    w->A = cone->A;
    if (w->rows == cone->rows) keep_anchors(w, cone->sums, count);
    if (w->rows < cone->rows || w->count < count) gather(w, count);
    if (cone->row_weight) weigh_rows(w);
}

static double weighted_scale_of(const chi_cone *cone, const chi_column *x) {
    double value[CHI_LOSS_BLOCK], weight[CHI_LOSS_BLOCK], sum = 0;
    for (int64_t low = 0, at = 0; low < x->rows; low += CHI_LOSS_BLOCK) {
        int64_t some = chi_column_rows(cone, x, low, &at, lift_of(cone->loss), value, weight);
        sum += chi_loss_weighted_scale(cone->loss, weight, value, some);
    }
    return sum;
}

/* Returns the scale of the column, to which the gap and the stationarity are relative. The lifted
 * row counts as a row. */
static double scale_of(const chi_cone *cone, const chi_column *x) {
    const chi_loss *loss = cone->loss;
    double lift = loss->lifts_data ? loss->floor : 0, sum = 0;
    if (loss->linear_zeros) return x->sum;
    if (cone->row_weight) return weighted_scale_of(cone, x);
    for (int64_t low = 0; low < x->count; low += CHI_LOSS_BLOCK) {
        double lifted[CHI_LOSS_BLOCK];
        int64_t some = x->count - low < CHI_LOSS_BLOCK ? x->count - low : CHI_LOSS_BLOCK;
        for (int64_t e = 0; e < some; e++) lifted[e] = x->value[low + e] + lift;
        sum = chi_loss_add_scales(loss, sum, lifted, some);
    }
    return sum + (double)(x->rows - x->count) * chi_loss_scale(loss, &lift, 1);
}

/* ---- the start ----------------------------------------------------------------------------- */

/* Starts with the same share of |x|_1 for every anchor, reduced if y would leave the domain. */
static void spread(chi_bregman_work *w) {
    double most = 0;
    for (int64_t q = 0; q < w->count; q++) w->b[q] = w->sum / ((double)w->count * w->sums[q]);
    chi_bregman_model(w, w->y, w->b);
    for (int64_t i = 0; i < w->rows; i++) most = fmax(most, w->y[i]);
    if (most < w->loss->top) return;
    for (int64_t q = 0; q < w->count; q++) w->b[q] *= 0.5 * w->loss->top / most;
}

/* KL: makes rounds of b_q <- b_q (A_q'(x / y)) / A_q'1 (Lee and Seung 2001). These never increase
 * f, cost two products with A each, and find the scale and most of the support. Weights that tend
 * to zero would take ever more rounds, so weights that still shrink fast are set to zero. Newton's
 * steps raise them again if that was wrong. */
static void multiply(chi_bregman_work *w) {
    double *ratio = w->slope, *factor = w->gradient; /* not in use yet */
    int64_t kept = 0;
    for (int round = 0; round < ROUNDS; round++) {
        chi_bregman_model(w, w->y, w->b);
#pragma omp simd
        for (int64_t i = 0; i < w->rows; i++) ratio[i] = w->x[i] / w->y[i];
        memset(factor, 0, (size_t)w->count * sizeof *factor);
        w->loops->products(factor, ratio, w->A, w->count, w->rows);
        for (int64_t q = 0; q < w->count; q++) w->b[q] *= factor[q] /= w->sums[q];
    }
    for (int64_t q = 0; q < w->count; q++) kept += factor[q] >= SHRINKS;
    for (int64_t q = 0; kept > 0 && q < w->count; q++)
        if (factor[q] < SHRINKS) w->b[q] = 0;
}

/* Copies b to the anchors in use. On a hull rescales it to 1'b = 1, which may have been lost
 * together with an anchor. */
static void take(chi_bregman_work *w, const double *b) {
    double total = 0;
    for (int64_t q = 0; q < w->count; q++) total += w->b[q] = b[w->place[q]];
    if (!w->cone->hull) return;
    for (int64_t q = 0; q < w->count; q++)
        w->b[q] = total > 0 ? w->b[q] / total : 1 / (double)w->count;
}

static void give(const chi_bregman_work *w, double *b, int64_t count) {
    memset(b, 0, (size_t)count * sizeof *b);
    for (int64_t q = 0; q < w->count; q++) b[w->place[q]] = w->b[q];
}

/* ---- the certificate ----------------------------------------------------------------------- */

/* Returns t = max_q (-gradient_q / A_q'v)_+, the shift along v that makes the slopes feasible. */
static double feasible_shift(const chi_bregman_work *w, const double *along) {
    double t = 0;
    for (int64_t q = 0; q < w->count; q++)
        if (w->gradient[q] < 0 && -w->gradient[q] > t * along[q]) t = -w->gradient[q] / along[q];
    return t;
}

static double weight_of(const chi_bregman_work *w, int64_t i) {
    return w->weight ? w->weight[i] : 1;
}

/* Returns the lower bound that the slopes at y prove. As for l1, u <- (u + t v) / (1 + t max_i v_i
 * / limit_i) is feasible and stays below the limits of the slopes; v is 1 if NULL. Rows where A is
 * zero may have any u, so their bound equals their cost. Zeros of KL keep the slope 1, which is
 * their limit. A row of weight n has n times the loss, so u / n is a slope of the loss. */
static double lower_bound(const chi_bregman_work *w, const double *v, double t) {
    double most = 0, bound = w->rest;
    for (int64_t i = 0; i < w->rows; i++)
        most =
            fmax(most, (v ? v[i] : 1) / (chi_loss_slope_limit(w->loss, w->x[i]) * weight_of(w, i)));
    for (int64_t low = 0; low < w->rows; low += CHI_LOSS_BLOCK) {
        double u[CHI_LOSS_BLOCK], dual[CHI_LOSS_BLOCK];
        int64_t some = w->rows - low < CHI_LOSS_BLOCK ? w->rows - low : CHI_LOSS_BLOCK;
        for (int64_t i = 0; i < some; i++)
            u[i] = (w->slope[low + i] + t * (v ? v[low + i] : 1)) /
                   ((1 + t * most) * weight_of(w, low + i));
        chi_loss_duals(w->loss, dual, u, w->x + low, w->y + low, some);
        for (int64_t i = 0; i < some; i++) bound += weight_of(w, low + i) * dual[i];
    }
    return bound;
}

/* Returns the gap f(b) - bound for KL with v = 1. The shifted slope is 1 - x / z with z = (1 + t)
 * y. With A b = y - floor the gap is
 *
 *     b'gradient + sum_i x_i (log(1 + t) - t floor / z_i)
 *
 * It is computed in this form because f(b) and the bound both contain y and the floor, which may be
 * far larger than x, so that their difference would lose all digits. */
static double gap_of_kl(const chi_bregman_work *w, double t) {
    double floor = w->loss->floor, sum = 0, below = 0, along = 0;
#pragma omp simd reduction(+ : sum, below)
    for (int64_t i = 0; i < w->held; i++) {
        sum += w->x[i];
        below += w->x[i] * (floor / w->y[i]);
    }
    for (int64_t q = 0; q < w->count; q++) along += w->b[q] * w->gradient[q];
    return along + sum * log1p(t) - below * (t / (1 + t));
}

/* Computes v, the direction in which a shift by t costs t times the scale, and along = A'v. If the
 * values of x differ by many powers of ten, a shift along 1 costs far more. */
static void find_scale_direction(const chi_bregman_work *w, double *v, double *along,
                                 const double *x) {
    chi_loss_shifts(w->loss, v, x, w->rows);
    for (int64_t i = 0; w->weight && i < w->rows; i++) v[i] *= w->weight[i];
    memset(along, 0, (size_t)w->count * sizeof *along);
    w->loops->products(along, v, w->A, w->count, w->rows);
}

/* Returns the bound of a shift along v. For KL v would be 1, which gap_of_kl() covers; returns
 * -infinity. */
static double bound_in_scale(const chi_bregman_work *w) {
    double *v = w->y_try, *along = w->direction; /* no longer in use */
    if (w->loss->linear_zeros) return -INFINITY;
    find_scale_direction(w, v, along, w->x);
    return lower_bound(w, v, feasible_shift(w, along));
}

/* Returns the stationarity of b with gradients relative to A_q'v, v = phi''(y) y. The slope is
 * phi''(y) (y - x), so this is a weighted mean of (y - x) / y. With v at x instead of y, zeros of x
 * would hide any gradient. On a hull, gradients are differences, and the other term of each is of
 * the size of the scale. */
static double stationarity_in_scale(const chi_bregman_work *w) {
    double *v = w->y_try, *along = w->direction, worst = 0, least = w->cone->hull ? w->scale : 0;
    double level = chi_bregman_level(w);
    find_scale_direction(w, v, along, w->y);
    for (int64_t q = 0; q < w->count; q++) {
        double excess = chi_bregman_excess(w, level, q);
        if (excess > 0) worst = fmax(worst, excess / fmax(along[q], least));
    }
    return worst;
}

/* Returns an upper bound of f(b) - f(b') over all b' with 1'b' = 1: f is convex, so f(b') >= f(b) +
 * g'(b' - b) >= f(b) + min_q g_q - g'b. */
static double hull_gap(const chi_bregman_work *w) {
    double least = INFINITY, along = 0;
    for (int64_t q = 0; q < w->count; q++) least = fmin(least, w->gradient[q]);
    for (int64_t q = 0; q < w->count; q++) along += w->b[q] * (w->gradient[q] - least);
    return along;
}

static void certify(chi_bregman_work *w, chi_fit *fit, double reached) {
    memset(fit, 0, sizeof *fit);
    fit->objective = w->value;
    fit->stationarity = reached;
    fit->pivots = w->steps;
    if (w->cone->hull && w->loss->convex) {
        fit->gap = w->scale > 0 ? hull_gap(w) / w->scale : 0;
        fit->proven = fit->gap <= w->tol;
    } else if (w->loss->convex) {
        double t = feasible_shift(w, w->sums);
        double gap = w->loss->linear_zeros ? gap_of_kl(w, t) : w->value - lower_bound(w, NULL, t);
        if (!(gap <= w->tol * w->scale)) gap = fmin(gap, w->value - bound_in_scale(w));
        fit->infeasibility = w->scale > 0 ? t * w->sum / w->scale : 0;
        /* A NaN is kept, so that it proves nothing. */
        fit->gap = !(w->scale > 0) || gap <= 0 ? 0 : gap / w->scale;
        fit->proven = fit->gap <= w->tol;
    } else {
        if (!(reached <= w->tol)) fit->stationarity = fmin(reached, stationarity_in_scale(w));
        fit->proven = fit->stationarity <= w->tol;
    }
}

static double slope_of(const chi_loss *loss, double x, double y) {
    double lifted = x + lift_of(loss), slope;
    chi_loss_slopes(loss, &slope, NULL, NULL, &lifted, &y, 1);
    return slope;
}

/* Writes d = -dl/dy if the rows in use represent classes. */
static void write_classes_dual(const chi_bregman_work *w, double *d, const chi_column *x) {
    int64_t count = w->cone->count, rows = x->rows - w->cone->hull;
    double *zero = w->mean; /* mean is no longer in use; zero: slopes where x is zero */
    for (int64_t n = 0; n <= w->held; n++)
        zero[n] = slope_of(w->loss, 0, n > 0 ? w->y[n - 1] : w->loss->floor);
    for (int64_t i = 0; i < rows; i++) d[i] = -zero[chi_row_classes_of(w->classes, i, count)];
    for (int64_t e = 0; e < x->count - w->cone->hull; e++) {
        int64_t i = x->index ? x->index[e] : e, n = chi_row_classes_of(w->classes, i, count);
        d[i] = -slope_of(w->loss, x->value[e], n > 0 ? w->y[n - 1] : w->loss->floor);
    }
}

/* The same if they represent single rows. In other rows y is the floor, or for KL the slope of a
 * zero is 1. */
static void write_rows_dual(const chi_bregman_work *w, double *d, const chi_column *x) {
    int all = w->held == x->rows;
    double empty = all ? 0 : slope_of(w->loss, 0, w->loss->floor);
    const double *weight = w->cone->row_weight;
    for (int64_t i = 0; !all && i < x->rows; i++) d[i] = -empty;
    for (int64_t e = 0; !all && e < x->count; e++)
        d[x->index ? x->index[e] : e] = -slope_of(w->loss, x->value[e], w->loss->floor);
    for (int64_t i = 0; !all && weight && i < x->rows - w->cone->hull; i++) d[i] *= weight[i];
    for (int64_t i = 0; i < w->held; i++) d[w->row[i]] = -w->slope[i];
}

/* Writes D* = -dl/dy on all rows. */
static void write_dual(const chi_bregman_work *w, double *d, const chi_column *x) {
    if (w->grouped)
        write_classes_dual(w, d, x);
    else
        write_rows_dual(w, d, x);
    if (!w->cone->hull) return;
    /* On a hull D'A = -g + d_m u <= 0, where u is the number in the lifted row m. */
    double least = INFINITY;
    for (int64_t q = 0; q < w->count; q++) least = fmin(least, w->gradient[q]);
    d[x->rows - 1] = (w->level + least) / w->cone->A[x->rows - 1];
}

/* ---- KL ------------------------------------------------------------------------------------ */

/* Solves a column under KL on a cone from a cold start, with loops of their own (kl_weights.c).
 * Leaves b, y, x / y in slope, the gradient and the cost. Returns the stationarity; if it is not
 * small enough, b is a start for the other steps. */
static double solve_short(chi_bregman_work *w, const chi_column *x, int64_t count) {
    const chi_cone *cone = w->cone;
    int64_t width = (count + CHI_BREGMAN_PAD - 1) / CHI_BREGMAN_PAD * CHI_BREGMAN_PAD;
    w->base = w->based = -1;
    w->weight = NULL;
    w->grouped = 0;
    load_rows(w, x, count);
    w->held = w->rows;
    w->count = count;
    for (int64_t q = 0; q < width; q++) {
        w->sums[q] = q < count ? cone->sums[q] : 0;
        w->unit[q] = w->sums[q] > 0 ? 1 / w->sums[q] : 0;
        w->place[q] = q;
    }
    for (; w->rows % CHI_BREGMAN_PAD; w->rows++) w->x[w->rows] = w->loss->floor;
    chi_kl_column c = {.At = cone->At,
                       .At_stride = cone->At_stride,
                       .row = w->row,
                       .rows = w->held,
                       .count = count,
                       .blocks = width / CHI_BREGMAN_PAD,
                       .stride = width,
                       .x = w->x,
                       .sums = w->sums,
                       .unit = w->unit,
                       .floor = w->loss->floor,
                       .mass = w->sum,
                       .aim = CHI_BREGMAN_AIM * w->tol,
                       .enough = CHI_BREGMAN_ENOUGH * w->tol,
                       .b = w->b,
                       .gradient = w->gradient,
                       .y = w->y,
                       .here = w->cost,
                       .ratio = w->slope,
                       .A = w->gathered,
                       .before = w->b_try,
                       .weight = w->newton,
                       .free = w->free_rows};
    double reached = cone->kernels->kl_weights(&c);
    w->steps = c.steps;
    for (int64_t q = 0; q < count; q++) w->cost[q] = fmax(0, w->sums[q] - w->cost[q]);
    for (int64_t i = w->held; i < w->rows; i++) w->y[i] = w->loss->floor;
    return reached;
}

/* Computes the value and the slopes at the answer of solve_short(). */
static void finish_short(chi_bregman_work *w) {
    w->value = w->rest + chi_loss_value(w->loss, w->x, w->y, w->rows);
    for (int64_t q = 0; q < w->count; q++) w->value += w->cost[q] * w->b[q];
    for (int64_t i = 0; i < w->rows; i++) w->slope[i] = 1 - w->slope[i];
}

/* ---- the projection ------------------------------------------------------------------------ */

static double solve_convex(chi_bregman_work *w, double *b, const chi_column *x, int warm) {
    int64_t count = w->cone->count;
    int start = warm ? CHI_START_WARM : CHI_START_COLD, kl = !warm && w->unit;
    if (kl && x->count <= CHI_KL_ROWS) {
        double reached = solve_short(w, x, count);
        give(w, b, count);
        if (reached <= CHI_BREGMAN_ENOUGH * w->tol) {
            finish_short(w);
            return reached;
        }
        start = CHI_START_NEAR;
    }
    load(w, x, count);
    if (start == CHI_START_COLD)
        spread(w);
    else
        take(w, b);
    if (kl && start == CHI_START_COLD) {
        multiply(w);
        start = CHI_START_NEAR;
    }
    double reached = chi_bregman_descend(w, start);
    give(w, b, count);
    return reached;
}

/* Rows in use are chosen for the anchors so far, so that the first steps of the chain do not depend
 * on later anchors. A continued chain therefore has the same bits as a new one. */
static double follow_chain(chi_bregman_work *w, double *b, const chi_column *x, int64_t known) {
    int64_t count = w->cone->count;
    double reached = 0;
    assert(known < count); /* callers never ask for an answer that they know */
    for (int64_t k = known + 1; k <= count; k++) {
        load(w, x, k);
        b[k - 1] = 0;
        if (k == 1)
            spread(w);
        else
            take(w, b);
        reached = chi_bregman_descend(w, k == 1 ? CHI_START_COLD : CHI_START_WARM);
        give(w, b, k);
    }
    return reached;
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    chi_bregman_work *w = work;
    w->steps = 0;
    w->sum = w->cone->hull ? 1 : x->sum;
    w->scale = scale_of(w->cone, x);
    if (w->classes) chi_row_classes_follow(w->classes, w->cone);
    double reached = w->loss->convex ? solve_convex(w, b, x, warm) : follow_chain(w, b, x, warm);
    certify(w, fit, reached);
    if (d) write_dual(w, d, x);
}

static void reserve(chi_bregman_work *w, chi_arena *arena, int64_t m, int64_t k) {
    double **of_rows[] = {&w->x, &w->y, &w->y_try, &w->slope, &w->newton, &w->scoring};
    double **of_anchors[] = {&w->b,         &w->sums,  &w->cost, &w->gradient,
                             &w->direction, &w->b_try, &w->more};
    for (int n = 0; n < 6; n++) *of_rows[n] = chi_arena_doubles(arena, m);
    for (int n = 0; n < 7; n++) *of_anchors[n] = chi_arena_doubles(arena, k + CHI_BREGMAN_PAD);
    w->gathered = chi_arena_doubles(arena, m * (k + CHI_BREGMAN_PAD - 1));
    if (w->loss->linear_zeros && !w->cone->hull) {
        int64_t some = m < CHI_KL_ROWS ? m : CHI_KL_ROWS;
        w->unit = chi_arena_doubles(arena, k + CHI_BREGMAN_PAD);
        int64_t wide = k < CHI_KL_FREE ? k + CHI_BREGMAN_PAD - 1 : CHI_KL_FREE;
        w->free_rows = chi_arena_doubles(arena, some * wide);
    }
    if (w->cone->hull) {
        w->apart = chi_arena_doubles(arena, m * k);
        w->simplex = chi_active_set_create(arena, w->cone->kernels, k);
    }
    if (w->cone->row_weight) {
        w->weights = chi_arena_doubles(arena, m + 1);
    } else if (!w->loss->convex && !w->loss->arrays) { /* chains: zeros of x are rows in use */
        w->classes = chi_row_classes_create(arena, m, k);
        w->size = chi_arena_doubles(arena, m + 1);
        w->mean = chi_arena_doubles(arena, m + 1);
        w->weights = chi_arena_doubles(arena, m + 1);
    }
    w->hessian = chi_arena_doubles(arena, k * k);
    w->factor = chi_arena_doubles(arena, k * (k + CHI_FACTOR_PAD));
    w->free = chi_arena_alloc(arena, k, sizeof *w->free);
    w->place = chi_arena_alloc(arena, k + CHI_BREGMAN_PAD, sizeof *w->place);
    w->moving = chi_arena_alloc(arena, k, sizeof *w->moving);
    w->row = chi_arena_alloc(arena, m, sizeof *w->row);
}

static void *create(chi_arena *arena, const chi_cone *cone, double tol) {
    chi_bregman_work *w = chi_arena_alloc_zero(arena, 1, sizeof *w);
    if (!w) return NULL;
    w->cone = cone;
    w->loss = cone->loss;
    w->tol = tol;
    double lifted = w->loss->lifts_data ? w->loss->floor : 0;
    w->idle = chi_loss_value(w->loss, &lifted, &w->loss->floor, 1);
    w->gram = cone->kernels->gram;
    w->loops = cone->kernels->newton;
    reserve(w, arena, cone->rows + CHI_BREGMAN_PAD, cone->capacity);
    return arena->failed ? NULL : w;
}

const chi_projection chi_bregman = {.create = create, .solve = solve};
