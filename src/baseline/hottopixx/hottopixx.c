/* Hottopixx: with the columns of X scaled to sum 1, the linear program
 *
 *     min  sum_j |x_j - X c_j|_1 + p'diag(C)
 *     s.t. tr(C) = r,  0 <= C_ij <= C_ii <= 1.
 *
 * The anchors are the columns with the r largest C_ii. Reference: Bittorf, Recht, Re and Tropp,
 * Factoring nonnegative matrices with linear programs (NIPS 2012), Algorithm 3, in the form that
 * their incremental method uses (Section 4, Algorithm 5): the noise constraints |x_j - X c_j|_1 <=
 * tau are moved to the objective with multipliers 1. So no noise level need be known, and the
 * problem is always feasible. p has distinct entries, drawn from (0, settings->p), by default 1e-9.
 * A constant added to p changes nothing under tr(C) = r, and so small a p only decides between
 * equal columns. Two other forms differ in the first term alone:
 *
 *     largest:  min  max_j |x_j - X c_j|_1 + p'diag(C)
 *     tau:      min  p'diag(C)  with  |x_j - X c_j|_1 <= tau, as published; p from (0, 1)
 *
 * Departure: the authors' stochastic subgradient steps get near the optimum but do not reach it.
 * This is Peaceman-Rachford splitting with Halpern's anchoring and restarts (as in HPR-LP: Chen,
 * Sun, Yuan, Zhang and Zhao 2024) on R + X C = X and C = Z, with the prox of |R|_1 and the
 * projection of row_bounds.c, which is the authors' own step. It needs a tenth of the iterations of
 * a primal-dual gradient method with restarts, because no step here depends on the norm of X. Every
 * iterate gives a lower bound of the optimum: for any |Y| <= 1,
 *
 *     <Y, X> + (sum of the r smallest of p_i - (X'Y)_ii - sum_{j != i} (X'Y)_ij+).
 *
 * For `largest`, Y may be any matrix with sum_j max_i |Y_ij| <= 1. For tau it may be any matrix,
 * and the bound is lower by tau sum_j max_i |Y_ij|. The state is V (m x n) for R and Q (n x n, by
 * rows) for Z:
 *
 *     R_j = soft(V_j, level_j),  level = 1/rho (other forms: residual_levels.h)
 *     Z = nearest(Q - diag(p)/sigma)
 *     C = argmin rho |X - 2R + V - X C|^2 + sigma |2Z - Q - C|^2
 *     V += 2 (X - X C - R),  Q += 2 (C - Z);  both then move back towards their start by 1/(k+2)
 *
 * Cost per iteration: O(m n^2 + min(m, n)^2 max(m, n)), all in matrix products. If X is sparse and
 * has more rows than columns: O(nonzeros n + n^3 + m n). */
#include "baseline/diagonal_choice.h"
#include "baseline/hottopixx/residual_levels.h"
#include "baseline/row_bounds.h"
#include "linalg/linalg.h"
#include <cblas.h>
#include <math.h>
#include <string.h>

enum { CHECK = 20, MOST = 40000, SCALES = 12 };
static const double
    enough = 0.2,
    stalled =
        0.7; /* restart when the residual has fallen to this share, or to the second and rises */
static const double longest = 0.25; /* share of all iterations after which it restarts anyway */

typedef struct program {
    chi_selfrep all;
    int64_t m, n, rank, size; /* size = min(m, n) */
    chi_dictionary X;
    double *V, *V0;         /* m x n, column-major                                   */
    double *C, *Q, *Q0;     /* n x n, by rows                                        */
    double *gram, *inverse; /* size x size: XX' or X'X; with gamma I added, inverted */
    double *p, *t0, *best;  /* n; best: diagonal of the best point so far            */
    double *own;            /* n: (X'Y)_ii                                           */
    chi_residual_form form;
    double tau, gap;
    double *level, *level0; /* n, for the forms largest and tau: levels at V and V0; else NULL */
    double radius;          /* for largest: the bound on the norms of the columns of R         */
    double *norm;           /* n: |x_j - X z_j|_1, or slopes of the levels                     */
    chi_row_bounds rows;
    int reflected; /* whether write_rows() writes 2 Z - Q instead of Z */
    double rho, sigma;
    double weight; /* weight of the new point in Halpern's step */
    double ratio_V, ratio_Q;
    double objective, bound;
    double excess; /* for tau: relative excess of the best point's largest residual over tau */
} program;

static double clip(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Returns the soft threshold of column j, which is also the largest difference between R_j and
 * V_j. */
static double level_of(const program *run, int64_t j) {
    return run->level ? run->level[j] : 1 / run->rho;
}

/* Returns how many columns of a panel have the same level and can be processed together. */
static int64_t alike(const program *run, int64_t width) {
    return run->level ? 1 : width;
}

/* ---- one iteration ------------------------------------------------------------------------- */

/* Writes the rows of Z = nearest(Q) to C, or of 2 Z - Q if run->reflected. */
static void write_rows(void *user, int64_t panel, int thread) {
    const program *run = user;
    int64_t n = run->n, lo = panel * CHI_PANEL;
    int reflected = run->reflected;
    (void)thread;
    for (int64_t i = lo; i < lo + chi_selfrep_width(&run->all, panel); i++) {
        const double *q = run->Q + i * n;
        double *c = run->C + i * n, t = run->rows.t[i];
        if (reflected)
            for (int64_t j = 0; j < n; j++) c[j] = 2 * clip(q[j], 0, t) - q[j];
        else
            for (int64_t j = 0; j < n; j++) c[j] = clip(q[j], 0, t);
        c[i] = reflected ? 2 * t - q[i] : t;
    }
}

/* For m < n: C = B + X'F with F = (XX' + gamma)^-1 (target - X B), and X C = target - gamma F. C
 * holds B on entry. */
static void fit_wide(const program *run, double *XC, double *F, const double *target, int64_t lo,
                     int64_t w) {
    int64_t count = run->m * w;
    double gamma = run->sigma / run->rho;
    chi_dictionary_times(&run->X, XC, run->C + lo, run->n, w, F);
    for (int64_t i = 0; i < count; i++) XC[i] = target[i] - XC[i];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)run->m, (int)w, (int)run->m, 1,
                run->inverse, (int)run->m, XC, (int)run->m, 0, F, (int)run->m);
    chi_dictionary_correlate(&run->X, run->C + lo, run->n, F, w, 1, XC);
    for (int64_t i = 0; i < count; i++) XC[i] = target[i] - gamma * F[i];
}

/* For m >= n: C = (X'X + gamma)^-1 (X'target + gamma B). C holds B on entry. */
static void fit_tall(const program *run, double *XC, double *copy, const double *target, int64_t lo,
                     int64_t w) {
    chi_dictionary_correlate(&run->X, run->C + lo, run->n, target, w, run->sigma / run->rho, XC);
    for (int64_t i = 0; i < run->n; i++)
        memcpy(copy + i * w, run->C + lo + i * run->n, (size_t)w * sizeof(double));
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)w, (int)run->n, (int)run->n, 1,
                copy, (int)w, run->inverse, (int)run->n, 0, run->C + lo, (int)run->n);
    chi_dictionary_times(&run->X, XC, run->C + lo, run->n, w, copy);
}

/* Computes C for a panel of columns and makes the step of V. Stores |X - X C - R|^2 as a partial
 * sum. */
static void step_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel), count = run->m * w;
    const double *X = run->X.X + lo * run->m, *V0 = run->V0 + lo * run->m;
    double *V = run->V + lo * run->m, *target = run->all.scratch[thread];
    double *XC = target + run->m * CHI_PANEL, *more = XC + run->m * CHI_PANEL;
    double square = 0, weight = run->weight;
    int64_t block = run->m * alike(run, w);
    for (int64_t from = 0; from < count; from += block) {
        double level = level_of(run, lo + from / run->m);
        for (int64_t i = from; i < from + block; i++) /* X - 2 R + V,  R = V - clip(V) */
            target[i] = X[i] - V[i] + 2 * clip(V[i], -level, level);
    }
    if (run->m < run->n)
        fit_wide(run, XC, more, target, lo, w);
    else
        fit_tall(run, XC, more, target, lo, w);
    for (int64_t from = 0; from < count; from += block) {
        double level = level_of(run, lo + from / run->m), sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = from; i < from + block; i++) {
            double off = X[i] - XC[i] - V[i] + clip(V[i], -level, level);
            sum += off * off;
            V[i] = weight * (V[i] + 2 * off) + (1 - weight) * V0[i];
        }
        square += sum;
    }
    run->all.part[2 * panel] = square;
}

/* Makes the step of Q for a panel of rows. Stores |C - Z|^2 as a partial sum. */
static void step_rows(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t n = run->n, lo = panel * CHI_PANEL;
    double total = 0, weight = run->weight;
    (void)thread;
    for (int64_t i = lo; i < lo + chi_selfrep_width(&run->all, panel); i++) {
        const double *c = run->C + i * n, *q0 = run->Q0 + i * n;
        double *q = run->Q + i * n, t = run->rows.t[i], square = 0, diagonal = q[i];
#pragma omp simd reduction(+ : square)
        for (int64_t j = 0; j < n; j++) {
            double off = c[j] - clip(q[j], 0, t);
            square += off * off;
            q[j] = weight * (q[j] + 2 * off) + (1 - weight) * q0[j];
        }
        double wrong = c[i] - clip(diagonal, 0, t), off = c[i] - t;
        total += square - wrong * wrong + off * off;
        q[i] = weight * (diagonal + 2 * off) + (1 - weight) * q0[i];
    }
    run->all.part[2 * panel] = total;
}

/* ---- objective and bound -------------------------------------------------------------------- */

/* C must hold Z. Stores |X - X Z|_1 as a partial sum, and the norms of single columns in
 * run->norm. */
static void measure_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    const double *X = run->X.X + lo * run->m;
    double *XZ = run->all.scratch[thread], total = 0;
    chi_dictionary_times(&run->X, XZ, run->C + lo, run->n, w, XZ + run->m * CHI_PANEL);
#pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < run->m * w; i++) total += fabs(X[i] - XZ[i]);
    run->all.part[2 * panel] = total;
    for (int64_t c = 0; run->level && c < w; c++) {
        double norm = 0;
        for (int64_t i = c * run->m; i < (c + 1) * run->m; i++) norm += fabs(X[i] - XZ[i]);
        run->norm[lo + c] = norm;
    }
}

/* Computes Y = rho (V - R) for a panel. Stores <Y, X> as a partial sum, and for each row of X'Y the
 * sum of the positive entries. */
static void bound_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t m = run->m, n = run->n, lo = panel * CHI_PANEL, w = chi_selfrep_width(&run->all, panel);
    const double *X = run->X.X + lo * m, *V = run->V + lo * m;
    double *Y = run->all.scratch[thread], *XY = Y + 2 * m * CHI_PANEL, total = 0;
    double *row_sum = run->all.row_part + panel * n;
    int64_t block = m * alike(run, w);
    for (int64_t from = 0; from < m * w; from += block) {
        double price = run->level ? run->rho * run->level[lo + from / m] : 1, sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = from; i < from + block; i++) {
            Y[i] = clip(run->rho * V[i], -price, price);
            sum += Y[i] * X[i];
        }
        total += sum;
    }
    chi_dictionary_correlate(&run->X, XY, w, Y, w, 0, Y + m * CHI_PANEL);
    for (int64_t c = 0; c < w; c++) {
        run->own[lo + c] = XY[(lo + c) * w + c];
        XY[(lo + c) * w + c] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        row_sum[i] = 0;
        for (int64_t c = 0; c < w; c++) row_sum[i] += XY[i * w + c] > 0 ? XY[i * w + c] : 0;
    }
    run->all.part[2 * panel] = total;
}

/* Returns the bound from scale Y; gain = <Y, X>, and run->own holds the slopes of the rows. */
static double bound_at(program *run, double scale, double gain) {
    double *row = run->rows.slope, smallest = 0; /* scratch: the projection recomputes slope */
    for (int64_t i = 0; i < run->n; i++) row[i] = run->p[i] - scale * run->own[i];
    chi_select_value(row, run->n, run->rank - 1);
    for (int64_t i = 0; i < run->rank; i++) smallest += row[i];
    return scale * gain + smallest;
}

/* Returns the best bound over multiples of Y, which is concave in the scale. If X = X C has a
 * solution, Y = 0 is optimal except for p, and Y itself approaches it slowly. */
static double best_bound(program *run, double gain) {
    double low = 0, high = 1, prices = 0;
    for (int64_t j = 0; run->level && j < run->n; j++) prices += run->rho * run->level[j];
    if (run->form == CHI_RESIDUAL_LARGEST) high = 1 / fmax(prices, 1);
    gain -= run->tau * prices;
    double best = fmax(bound_at(run, high, gain), bound_at(run, 0, gain));
    for (int step = 0; step < SCALES; step++) {
        double left = (2 * low + high) / 3, right = (low + 2 * high) / 3;
        double at_left = bound_at(run, left, gain), at_right = bound_at(run, right, gain);
        if (at_left < at_right)
            low = left;
        else
            high = right;
        best = fmax(best, fmax(at_left, at_right));
    }
    return best;
}

static double largest_norm(const program *run) {
    double most = 0;
    for (int64_t j = 0; j < run->n; j++) most = fmax(most, run->norm[j]);
    return most;
}

/* Returns whether the point is better than the best so far. With tau, a point closer to feasibility
 * is better, until it is close enough. */
static int is_better(const program *run, double objective, double excess) {
    if (fmax(excess, run->excess) > run->gap) return excess < run->excess;
    return objective < run->objective;
}

/* Computes the objective of Z and the bound of Y, and keeps the best of each. Overwrites C. */
static void measure(program *run) {
    int64_t n = run->n;
    run->reflected = 0;
    chi_selfrep_sweep(&run->all, write_rows, run);
    double objective = chi_selfrep_sweep(&run->all, measure_columns, run);
    if (run->form == CHI_RESIDUAL_LARGEST) objective = largest_norm(run);
    if (run->form == CHI_RESIDUAL_TAU) objective = 0;
    for (int64_t i = 0; i < n; i++) objective += run->p[i] * run->rows.t[i];
    double excess =
        run->form == CHI_RESIDUAL_TAU ? fmax(largest_norm(run) - run->tau, 0) / run->tau : 0;
    if (is_better(run, objective, excess)) {
        run->objective = objective;
        run->excess = excess;
        memcpy(run->best, run->rows.t, (size_t)n * sizeof(double));
    }
    double gain = chi_selfrep_sweep(&run->all, bound_columns, run);
    for (int64_t panel = 0; panel < run->all.panels; panel++)
        for (int64_t i = 0; i < n; i++) run->own[i] += run->all.row_part[panel * n + i];
    run->bound = fmax(run->bound, best_bound(run, gain));
}

/* ---- restarts ------------------------------------------------------------------------------- */

/* Computes the squares of how far R, and its multiplier clip(V) (divided by rho), have moved since
 * the last restart. */
static void moved_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t lo = panel * CHI_PANEL * run->m, count = run->m * chi_selfrep_width(&run->all, panel);
    const double *V = run->V + lo, *V0 = run->V0 + lo;
    double points = 0, prices = 0;
    int64_t block = run->m * alike(run, chi_selfrep_width(&run->all, panel));
    (void)thread;
    for (int64_t from = 0; from < count; from += block) {
        int64_t j = panel * CHI_PANEL + from / run->m;
        double level = level_of(run, j), level0 = run->level ? run->level0[j] : level;
        double point = 0, price = 0;
#pragma omp simd reduction(+ : point, price)
        for (int64_t i = from; i < from + block; i++) {
            double u = clip(V[i], -level, level) - clip(V0[i], -level0, level0);
            double r = V[i] - V0[i] - u;
            point += r * r;
            price += u * u;
        }
        points += point;
        prices += price;
    }
    run->all.part[2 * panel] = points;
    run->all.part[2 * panel + 1] = prices;
}

/* Computes the same for Z and its multiplier Q - Z (divided by sigma). */
static void moved_rows(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t n = run->n, lo = panel * CHI_PANEL;
    double points = 0, prices = 0;
    (void)thread;
    for (int64_t i = lo; i < lo + chi_selfrep_width(&run->all, panel); i++) {
        const double *q = run->Q + i * n, *q0 = run->Q0 + i * n;
        double t = run->rows.t[i], t0 = run->t0[i], point = 0, price = 0;
#pragma omp simd reduction(+ : point, price)
        for (int64_t j = 0; j < n; j++) {
            double z = clip(q[j], 0, t) - clip(q0[j], 0, t0);
            double u = q[j] - q0[j] - z;
            point += z * z;
            price += u * u;
        }
        points += point;
        prices += price;
    }
    run->all.part[2 * panel] = points;
    run->all.part[2 * panel + 1] = prices;
}

/* Returns a penalty for which points and multipliers should move by similar amounts, within a
 * factor of 4 of the old penalty. */
static double balance(program *run, chi_body moved, double penalty) {
    double point = chi_selfrep_sweep(&run->all, moved, run), price = chi_selfrep_sum(&run->all, 1);
    if (!(point > 0) || !(price > 0)) return penalty;
    double ratio = sqrt(sqrt(price / point)); /* halfway, on a log scale, to the balanced one */
    return penalty * clip(ratio, 0.25, 4);
}

static void rescale_columns(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t lo = panel * CHI_PANEL * run->m, count = run->m * chi_selfrep_width(&run->all, panel);
    double *V = run->V + lo, *V0 = run->V0 + lo, level = run->ratio_V / run->rho;
    (void)thread; /* rho is new already; ratio_V = new / old; level is from the old rho */
    for (int64_t i = 0; i < count; i++) {
        int64_t j = panel * CHI_PANEL + i / run->m;
        if (run->level && i % run->m == 0) {
            level = run->level[j];
            run->level[j] = run->level0[j] = level / run->ratio_V;
        }
        double u = clip(V[i], -level, level);
        V[i] = V0[i] = V[i] - u + u / run->ratio_V;
    }
}

static void rescale_rows(void *user, int64_t panel, int thread) {
    program *run = user;
    int64_t n = run->n, lo = panel * CHI_PANEL;
    (void)thread;
    for (int64_t i = lo; i < lo + chi_selfrep_width(&run->all, panel); i++) {
        double *q = run->Q + i * n, *q0 = run->Q0 + i * n, t = run->rows.t[i], diagonal = q[i];
        for (int64_t j = 0; j < n; j++) {
            double z = clip(q[j], 0, t);
            q[j] = q0[j] = z + (q[j] - z) / run->ratio_Q;
        }
        q[i] = q0[i] = t + (diagonal - t) / run->ratio_Q;
    }
    memcpy(run->t0 + lo, run->rows.t + lo,
           (size_t)chi_selfrep_width(&run->all, panel) * sizeof(double));
}

/* Sets new penalties but keeps the multipliers. The next sequence of Halpern's steps starts at this
 * point. */
static ch_status restart(program *run, int first) {
    double rho = first ? run->rho : balance(run, moved_columns, run->rho);
    double sigma = first ? run->sigma : balance(run, moved_rows, run->sigma);
    run->ratio_V = rho / run->rho;
    run->ratio_Q = sigma / run->sigma;
    run->rho = rho;
    run->sigma = sigma;
    run->rows.weight = 1 / sigma;
    run->rows.beta /= run->ratio_Q;
    chi_selfrep_sweep(&run->all, rescale_columns, run);
    chi_selfrep_sweep(&run->all, rescale_rows, run);
    return chi_spd_invert(&run->all, run->inverse, run->C, run->gram, run->size, sigma / rho);
}

/* Finds the levels at V for the forms largest and tau. (For the sum all levels are 1 / rho.) */
static void find_levels(program *run) {
    chi_residual_levels levels = {run->all.context, run->V, run->level, run->norm, run->m, run->n};
    if (run->form == CHI_RESIDUAL_TAU)
        chi_levels_of_radius(&levels, run->tau);
    else
        run->radius = chi_levels_of_sum(&levels, 1 / run->rho, run->radius);
}

/* ---- the run --------------------------------------------------------------------------------- */

static ch_status solve(program *run, chi_selection *found) {
    double first = INFINITY, last = INFINITY, short_of = INFINITY;
    int64_t since = 0;
    int again = 1;
    for (int64_t iteration = 1; iteration <= MOST; iteration++) {
        chi_project_rows(&run->rows);
        if (run->level) find_levels(run);
        if (again) {
            TRY(restart(run, iteration == 1));
            since = 0;
        }
        if (iteration % CHECK == 0 && !run->all.cancelled) {
            measure(run);
            if (run->all.cancelled) return CH_STOP_CANCELLED;
            found->iterations = iteration;
            short_of = (run->objective - run->bound) / fmax(run->objective, 1);
            if (fmax(short_of, run->excess) <= run->gap) return CH_OK;
            if (run->form == CHI_RESIDUAL_TAU && run->bound > 1.000001 * (double)run->rank)
                return chi_fail(run->all.context, CH_ERR_SETTING,
                                "no choice of %lld columns explains all others with residuals up "
                                "to tau = %g (l1 norm, columns scaled to sum 1); give a larger tau",
                                (long long)run->rank, run->tau);
        }
        /* At every iteration, so that the caller can cancel: an iteration may take seconds. */
        if (run->all.cancelled ||
            chi_notify(run->all.context, "select", iteration, 0, -1, short_of))
            return CH_STOP_CANCELLED;
        run->reflected = 1;
        chi_selfrep_sweep(&run->all, write_rows, run);
        since++;
        run->weight = (double)since / (double)(since + 1);
        double square = run->rho * chi_selfrep_sweep(&run->all, step_columns, run);
        square += run->sigma * chi_selfrep_sweep(&run->all, step_rows, run);
        double residual = sqrt(square);
        if (since == 1) first = residual;
        again = residual <= enough * first || (residual <= stalled * first && residual > last) ||
                (double)since >= fmax(longest * (double)iteration, 50);
        last = since == 1 ? INFINITY : residual;
    }
    return CH_STOP_ITER;
}

static ch_status reserve(program *run) {
    chi_arena *arena = &run->all.arena;
    int64_t m = run->m, n = run->n, size = run->size;
    int64_t wide = 2 * m + (m > n ? m : n); /* fit_wide() uses m rows, the bound n */
    TRY(chi_selfrep_reserve(&run->all, "hottopixx", 3.0 * (double)n * (double)(m + n), wide));
    TRY(chi_dictionary_create(arena, &run->X, m, n));
    run->V = chi_arena_doubles(arena, m * n);
    run->V0 = chi_arena_doubles(arena, m * n);
    run->C = chi_arena_doubles(arena, n * n);
    run->Q = chi_arena_alloc_zero(arena, n * n, sizeof(double));
    run->Q0 = chi_arena_doubles(arena, n * n);
    run->gram = chi_arena_doubles(arena, size * size);
    run->inverse = chi_arena_doubles(arena, size * size);
    chi_row_bounds *rows = &run->rows;
    double **of_columns[] = {&run->p,  &run->t0,        &run->best,   &run->own,
                             &rows->t, &rows->diagonal, &rows->empty, &rows->slope};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = chi_arena_doubles(arena, n);
    if (run->form != CHI_RESIDUAL_SUM) {
        run->level = chi_arena_doubles(arena, n);
        run->level0 = chi_arena_alloc_zero(arena, n, sizeof(double));
        run->norm = chi_arena_doubles(arena, n);
    }
    rows->context = run->all.context;
    rows->n = n;
    rows->rank = run->rank;
    rows->Q = run->Q;
    rows->p = run->p;
    return chi_arena_status(arena, "hottopixx");
}

/* Computes XX' or X'X, whichever is smaller. */
static void make_gram(program *run) {
    int64_t m = run->m, n = run->n, size = run->size;
    for (int64_t lo = 0; m >= n && run->X.start && lo < n && !chi_selfrep_pause(&run->all);
         lo += CHI_PANEL)
        chi_dictionary_correlate(&run->X, run->gram + lo, n, run->X.X + lo * m,
                                 chi_selfrep_width(&run->all, lo / CHI_PANEL), 0,
                                 run->all.scratch[0]);
    if (m >= n && run->X.start) return;
    for (int64_t lo = 0; lo < size && !chi_selfrep_pause(&run->all); lo += CHI_PANEL) {
        int64_t width = size - lo < CHI_PANEL ? size - lo : CHI_PANEL; /* the lower triangle */
        const double *from = run->X.X + (m < n ? lo : lo * m);
        cblas_dgemm(CblasColMajor, m < n ? CblasNoTrans : CblasTrans,
                    m < n ? CblasTrans : CblasNoTrans, (int)(size - lo), (int)width,
                    (int)(m < n ? n : m), 1, from, (int)m, from, (int)m, 0,
                    run->gram + lo + lo * size, (int)size);
    }
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = 0; i < j; i++) run->gram[i + j * size] = run->gram[j + i * size];
}

/* Loads X with scaled columns and computes its Gram matrix on the shorter side, p and the first
 * point. */
static ch_status load(program *run, const ch_matrix *X, const ch_anchors_settings *settings) {
    int64_t m = run->m, n = run->n;
    double spread = run->form == CHI_RESIDUAL_TAU ? 1 : settings->p;
    TRY_OK(chi_load_scaled(&run->all, &run->X, X));
    chi_diagonal_costs(run->p, n, spread, settings->seed);
    for (int64_t j = 0; j < n; j++) run->rows.t[j] = (double)run->rank / (double)n;
    for (int64_t j = 0; j < n && !chi_selfrep_pause(&run->all); j++)
        memcpy(run->V + j * m, run->X.X + j * m, (size_t)m * sizeof(double));
    TRY(chi_dictionary_list(&run->all.arena, &run->X));
    make_gram(run);
    run->rho = 10 * (double)m; /* entries of X are about 1 / m, those of C up to 1 */
    run->sigma = 3;
    run->rows.weight = 1 / run->sigma;
    run->objective = INFINITY;
    run->excess = run->form == CHI_RESIDUAL_TAU ? INFINITY : 0;
    run->bound = -INFINITY;
    return run->all.cancelled ? CH_STOP_CANCELLED : CH_OK;
}

static ch_status run_program(program *run, chi_selection *found, const ch_matrix *X,
                             const ch_anchors_settings *settings) {
    TRY(reserve(run));
    TRY_OK(load(run, X, settings));
    ch_status status = solve(run, found);
    if (status < 0 || !(run->objective < INFINITY)) return status;
    found->objective = run->objective;
    found->gap = fmax(run->objective - run->bound, 0);
    chi_choose_by_diagonal(&run->all, found, &run->X, run->best, run->own, settings);
    return status;
}

ch_status chi_hottopixx(ch_context *context, chi_selection *found, const ch_matrix *X,
                        const ch_anchors_settings *settings) {
    program run = {
        .m = X->rows, .rank = settings->rank, .tau = settings->tau, .gap = settings->gap};
    run.form = settings->tau > 0   ? CHI_RESIDUAL_TAU
               : settings->largest ? CHI_RESIDUAL_LARGEST
                                   : CHI_RESIDUAL_SUM;
    found->rank = 0;
    ch_status status = chi_selfrep_create(context, &run.all, "hottopixx", X, settings, 1);
    run.n = run.all.n;
    run.size = run.m < run.n ? run.m : run.n;
    if (status == CH_OK) status = run_program(&run, found, X, settings);
    chi_arena_free(&run.all.arena);
    return status;
}
