/* Projection on the cone under a divergence:
 *
 *     min_{b >= 0}  f(b) = sum_i l(x_i, y_i),   y = A b + floor        (paper, Section 4)
 *
 * First, sweeps of coordinate descent on the second-order Taylor expansion (Li, Lebanon and Park
 * 2012, the paper's choice), which find the scale and most of the support; then Newton steps on
 * the free variables, projected on b >= 0 (Bertsekas 1982), which converge to the tolerance asked
 * for. Every step is accepted only if f falls (Armijo), so f never rises: the bound that lazy
 * selection needs.
 *
 * Convex losses have one optimum and a certificate: u_i = dl/dy_i, shifted and scaled so that
 * A'u >= 0, gives the lower bound sum_i inf_y l(x_i, y) - u_i (y - floor). The others (IS, beta
 * outside [1, 2]) have the stationarity of b, and the answer for k anchors is defined as the end of
 * the chain of descents on the first 1, 2, ..., k anchors, each from where the last one ended.
 *
 * For KL a zero of x costs (A b)_i: the zero rows are one linear cost c'b, and a column costs
 * O(nonzeros * k) a sweep and O(nonzeros * p^2) a Newton step, p being the number of free
 * variables. Other losses use all rows. */
#include "loss/divergence.h"
#include "project/cone.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    SWEEPS = 3,         /* of coordinate descent before the first Newton step                    */
    NEWTON_LIMIT = 200, /* Newton takes about 10 steps; this many means no convergence           */
    HALVINGS = 40,
    STALLS = 3 /* steps without progress, below tol, after which rounding is to blame */
};
static const double ARMIJO = 1e-4;
static const double ROUNDING = 1e-14; /* of f, relative to its terms */
static const double TINY = 1e-10;     /* share of |x|_1 below which a variable is almost zero */
/* Relative to the diagonal: keeps Cholesky alive when anchors are multiples of each other. */
static const double RIDGE = 1e-13;

typedef struct bregman {
    const chi_cone *cone;
    const chi_loss *loss;
    double tol;
    /* the column at hand */
    int64_t rows;      /* in play: the support, or all          */
    const double *A;   /* rows x count, column-major             */
    int64_t zeros;     /* rows left out because x is 0 (KL)      */
    double sum, scale; /* |x|_1, and what residuals are measured against */
    int64_t count;     /* anchors in play (a prefix, in chains)  */
    double value;      /* f(b)                                   */
    int64_t steps;
    int64_t together, movers; /* variables that a step moves; see find_moving() */
    /* buffers */
    double *row_block;                                           /* holds those of rows entries */
    double *gathered;                                            /* rows x capacity */
    double *x, *y, *y_try, *slope, *newton, *scoring, *weighted; /* rows         */
    double *cost, *gradient, *direction, *b_try;                 /* capacity        */
    double *hessian, *factor;                                    /* capacity^2      */
    int64_t *moving;                                             /* capacity        */
} bregman;

static const double *column(const bregman *w, int64_t j) {
    return w->A + j * w->rows;
}

/* Brings the rows in play together: x lifted, the matching rows of A, and the cost of the rest. */
static void load(bregman *w, const chi_column *x) {
    const chi_cone *cone = w->cone;
    double lift = w->loss->lifts_data ? w->loss->floor : 0;
    int sparse = w->loss->linear_zeros && x->index;
    w->rows = sparse ? x->count : x->rows;
    w->zeros = x->rows - w->rows;
    w->sum = x->sum;
    w->A = sparse ? w->gathered : cone->A;
    if (sparse || !x->index) {
        for (int64_t i = 0; i < w->rows; i++) w->x[i] = x->value[i] + lift;
    } else {
        for (int64_t i = 0; i < w->rows; i++) w->x[i] = lift;
        for (int64_t e = 0; e < x->count; e++) w->x[x->index[e]] += x->value[e];
    }
    w->scale = chi_loss_scale(w->loss, w->x, w->rows);
    memset(w->cost, 0, (size_t)cone->count * sizeof *w->cost);
    if (!sparse) return;
    for (int64_t i = 0; i < w->rows; i++) {
        const double *row = cone->At + x->index[i] * cone->At_stride;
        for (int64_t j = 0; j < cone->count; j++) w->gathered[i + j * w->rows] = row[j];
    }
    for (int64_t j = 0; j < cone->count; j++)
        w->cost[j] = fmax(0, cone->sums[j] - chi_sum_abs(column(w, j), w->rows));
}

static void model(const bregman *w, double *y, const double *b) {
    for (int64_t i = 0; i < w->rows; i++) y[i] = w->loss->floor;
    for (int64_t j = 0; j < w->count; j++)
        if (b[j] > 0) chi_axpy(y, b[j], column(w, j), w->rows);
}

static double value_at(const bregman *w, const double *y, const double *b) {
    double linear = w->loss->floor * (double)w->zeros;
    for (int64_t j = 0; j < w->count; j++) linear += w->cost[j] * b[j];
    return linear + chi_loss_value(w->loss, w->x, y, w->rows);
}

/* gradient_j = c_j + sum_i A_ij dl/dy_i at the current y. */
static void differentiate(bregman *w) {
    chi_loss_slopes(w->loss, w->slope, w->newton, w->scoring, w->x, w->y, w->rows);
    for (int64_t j = 0; j < w->count; j++)
        w->gradient[j] = w->cost[j] + chi_dot(column(w, j), w->slope, w->rows);
}

/* The largest gradient entry that b >= 0 does not excuse, in units where 1 is large: b_j counts in
 * units of |x|_1 / A_j'1, f in units of the column's scale. */
static double stationarity(const bregman *w, const double *b) {
    double worst = 0;
    for (int64_t j = 0; j < w->count; j++) {
        if (!(w->cone->sums[j] > 0)) continue;
        double excess = b[j] > 0 ? fabs(w->gradient[j]) : -w->gradient[j];
        worst = fmax(worst, excess * w->sum / w->cone->sums[j]);
    }
    return w->scale > 0 ? worst / w->scale : 0;
}

/* f(b_try), with its y in y_try. */
static double value_of_try(bregman *w) {
    model(w, w->y_try, w->b_try);
    return value_at(w, w->y_try, w->b_try);
}

/* b_try becomes b; y and value follow. */
static void move(bregman *w, double *b, double value) {
    double *spare = w->y;
    w->y = w->y_try;
    w->y_try = spare;
    w->value = value;
    memcpy(b, w->b_try, (size_t)w->count * sizeof *b);
}

/* One sweep: b_j <- (b_j - f_j / f_jj)_+ with the expansion at the current y, one j after the
 * other. Kept only if f falls: a Taylor step may overshoot. */
static int sweep(bregman *w, double *b) {
    memcpy(w->b_try, b, (size_t)w->count * sizeof *b);
    memcpy(w->y_try, w->y, (size_t)w->rows * sizeof *w->y);
    for (int64_t j = 0; j < w->count; j++) {
        const double *a = column(w, j);
        double slope = w->cost[j], bend = 0;
        chi_loss_slopes(w->loss, w->slope, NULL, w->scoring, w->x, w->y_try, w->rows);
        for (int64_t i = 0; i < w->rows; i++) {
            slope += a[i] * w->slope[i];
            bend += a[i] * a[i] * w->scoring[i];
        }
        if (!(bend > 0)) continue;
        double change = fmax(-w->b_try[j], -slope / bend);
        w->b_try[j] += change;
        for (int64_t i = 0; i < w->rows; i++)
            w->y_try[i] = fmax(w->loss->floor, w->y_try[i] + change * a[i]);
    }
    double value = value_of_try(w);
    if (!(value < w->value)) return 0;
    move(w, b, value);
    return 1;
}

/* hessian_FF = A_F' diag(weight) A_F on the free variables, packed with leading dimension p. */
static void curve(bregman *w, int64_t p, const double *weight) {
    for (int64_t s = 0; s < p; s++) {
        const double *a = column(w, w->moving[s]);
        for (int64_t i = 0; i < w->rows; i++) w->weighted[i] = weight[i] * a[i];
        for (int64_t t = 0; t <= s; t++)
            w->hessian[s * p + t] = chi_dot(w->weighted, column(w, w->moving[t]), w->rows);
    }
}

/* factor = lower Cholesky factor of the hessian; 0 when it is not positive definite. */
static int factorise(bregman *w, int64_t p) {
    double *L = w->factor;
    memcpy(L, w->hessian, (size_t)(p * p) * sizeof *L);
    for (int64_t s = 0; s < p; s++) {
        double diagonal = L[s * p + s] * (1 + RIDGE);
        for (int64_t t = 0; t < s; t++) {
            double sum = L[s * p + t] - chi_dot(L + s * p, L + t * p, t);
            L[s * p + t] = sum / L[t * p + t];
        }
        double pivot = diagonal - chi_dot(L + s * p, L + s * p, s);
        if (!(pivot > RIDGE * diagonal) || !(diagonal > 0)) return 0;
        L[s * p + s] = sqrt(pivot);
    }
    return 1;
}

/* direction = -hessian^-1 gradient on the free variables. */
static void back_solve(bregman *w, int64_t p) {
    const double *L = w->factor;
    double *v = w->direction;
    for (int64_t s = 0; s < p; s++) {
        double sum = -w->gradient[w->moving[s]] - chi_dot(L + s * p, v, s);
        v[s] = sum / L[s * p + s];
    }
    for (int64_t s = p - 1; s >= 0; s--) {
        for (int64_t t = s + 1; t < p; t++) v[s] -= L[t * p + s] * v[t];
        v[s] /= L[s * p + s];
    }
}

/* direction = -gradient over curvature for moving[from..to): one variable at a time, always
 * downhill. */
static void scaled_gradient(bregman *w, int64_t from, int64_t to) {
    for (int64_t s = from; s < to; s++) {
        const double *a = column(w, w->moving[s]);
        double bend = 0;
        for (int64_t i = 0; i < w->rows; i++) bend += a[i] * a[i] * w->scoring[i];
        w->direction[s] = bend > 0 ? -w->gradient[w->moving[s]] / bend : 0;
    }
}

/* Newton's direction where the curvature is positive definite, else Fisher scoring's. */
static void newton_direction(bregman *w, int64_t p) {
    curve(w, p, w->newton);
    int definite = factorise(w, p);
    if (!definite) {
        curve(w, p, w->scoring);
        definite = factorise(w, p);
    }
    if (definite)
        back_solve(w, p);
    else
        scaled_gradient(w, 0, p);
}

/* Lists the variables that may move: first those that Newton moves together, above zero or pulled
 * up from it; then those almost at zero and pulled down. The latter would bend the arc at once, so
 * they get a direction of their own (Bertsekas 1982). */
static void find_moving(bregman *w, const double *b) {
    int64_t together = 0, all;
    for (int64_t j = 0; j < w->count; j++)
        if (w->cone->sums[j] > 0 && (w->gradient[j] < 0 || b[j] * w->cone->sums[j] > TINY * w->sum))
            w->moving[together++] = j;
    all = together;
    for (int64_t j = 0; j < w->count; j++)
        if (w->gradient[j] >= 0 && b[j] > 0 && b[j] * w->cone->sums[j] <= TINY * w->sum)
            w->moving[all++] = j;
    w->together = together;
    w->movers = all;
}

/* b_try = max(0, b + t direction); returns the change of f that the gradient promises. */
static double step_to(bregman *w, const double *b, double t) {
    double promised = 0;
    memcpy(w->b_try, b, (size_t)w->count * sizeof *b);
    for (int64_t s = 0; s < w->movers; s++) {
        int64_t j = w->moving[s];
        w->b_try[j] = fmax(0, b[j] + t * w->direction[s]);
        promised += w->gradient[j] * (w->b_try[j] - b[j]);
    }
    return promised;
}

/* Moves along the arc until f falls as promised; 0 when it never does. A promise below the rounding
 * of f cannot be checked by f: then the full step is taken, and descend() looks whether the
 * gradient fell. */
static int search(bregman *w, double *b) {
    double t = 1, rounding = ROUNDING * (w->value + w->scale);
    for (int halving = 0; halving < HALVINGS; halving++, t /= 2) {
        double promised = step_to(w, b, t), value = value_of_try(w);
        int fell = promised < 0 && value <= w->value + ARMIJO * promised;
        int level = fabs(promised) <= rounding && fabs(value - w->value) <= rounding;
        if (!fell && !level) continue;
        move(w, b, value);
        return 1;
    }
    return 0;
}

static int newton_step(bregman *w, double *b) {
    find_moving(w, b);
    newton_direction(w, w->together);
    scaled_gradient(w, w->together, w->movers);
    if (search(w, b)) return 1;
    scaled_gradient(w, 0, w->together);
    return search(w, b);
}

/* Descends from b on the first `count` anchors until b is stationary to the tolerance, or to what
 * rounding allows. The target is below tol because the gap adds
 * up what stationarity shows one variable at a time. */
static double descend(bregman *w, double *b, int64_t count) {
    double target = 0.01 * w->tol, best = INFINITY, reached;
    w->count = count;
    model(w, w->y, b);
    w->value = value_at(w, w->y, b);
    for (int s = 0; s < SWEEPS; s++, w->steps++)
        if (!sweep(w, b)) break;
    for (int step = 0, stalls = 0;; step++, w->steps++) {
        differentiate(w);
        reached = stationarity(w, b);
        stalls = reached < 0.5 * best ? 0 : stalls + 1;
        best = fmin(best, reached);
        int flat = stalls > STALLS && reached <= w->tol;
        if (reached <= target || flat || step == NEWTON_LIMIT || !newton_step(w, b)) return reached;
    }
}

/* Every anchor carries the same share of |x|_1; less where y would leave the domain. */
static void spread(bregman *w, double *b, int64_t count) {
    double most = 0;
    for (int64_t j = 0; j < count; j++)
        b[j] = w->cone->sums[j] > 0 ? w->sum / ((double)count * w->cone->sums[j]) : 0;
    w->count = count;
    model(w, w->y, b);
    for (int64_t i = 0; i < w->rows; i++) most = fmax(most, w->y[i]);
    if (most < w->loss->top) return;
    for (int64_t j = 0; j < count; j++) b[j] *= 0.5 * w->loss->top / most;
}

/* An anchor that is zero wherever x is not zero explains nothing and costs: it has no part in the
 * optimum, and no curvature that a step could use. */
static void drop_idle(const bregman *w, double *b, int64_t count) {
    for (int64_t j = 0; w->zeros > 0 && j < count; j++)
        if (!(chi_sum_abs(column(w, j), w->rows) > 0)) b[j] = 0;
}

/* The lower bound that the slopes at y prove, made rigorous as for l1: u <- (u + t) / (1 + t /
 * limit) is feasible and stays below the limit of the slopes. */
static double lower_bound(bregman *w, double *infeasibility) {
    double t = 0, limit = INFINITY, bound = w->loss->floor * (double)w->zeros;
    for (int64_t j = 0; j < w->count; j++)
        if (w->cone->sums[j] > 0) t = fmax(t, -w->gradient[j] / w->cone->sums[j]);
    for (int64_t i = 0; i < w->rows; i++)
        limit = fmin(limit, chi_loss_slope_limit(w->loss, w->x[i]));
    for (int64_t i = 0; i < w->rows; i++) {
        double u = (w->slope[i] + t) / (1 + t / limit);
        bound += chi_loss_dual(w->loss, u, w->x[i], w->y[i]);
    }
    *infeasibility = w->scale > 0 ? t * w->sum / w->scale : 0;
    return bound;
}

static void certify(bregman *w, chi_fit *fit, double reached) {
    memset(fit, 0, sizeof *fit);
    fit->objective = w->value;
    fit->stationarity = reached;
    fit->pivots = w->steps;
    if (w->loss->convex) {
        double gap = w->value - lower_bound(w, &fit->infeasibility);
        fit->gap = w->scale > 0 ? fmax(0, gap) / w->scale : 0;
        fit->proven = fit->gap <= w->tol;
    } else {
        fit->proven = reached <= w->tol;
    }
}

/* D* = -dl/dy on all rows; the zero rows left out have slope 1. */
static void write_dual(const bregman *w, double *d, const chi_column *x) {
    if (w->zeros == 0) {
        for (int64_t i = 0; i < w->rows; i++) d[i] = -w->slope[i];
        return;
    }
    for (int64_t i = 0; i < x->rows; i++) d[i] = -1;
    for (int64_t e = 0; e < x->count; e++) d[x->index[e]] = -w->slope[e];
}

static void solve(void *work, chi_fit *fit, double *b, double *d, const chi_column *x, int warm) {
    bregman *w = work;
    int64_t count = w->cone->count;
    double reached = 0;
    w->steps = 0;
    load(w, x);
    if (w->loss->convex) {
        if (!warm) spread(w, b, count);
        drop_idle(w, b, count);
        reached = descend(w, b, count);
    } else {
        int64_t known = warm;
        memset(b + known, 0, (size_t)(count - known) * sizeof *b);
        if (!known) spread(w, b, 1);
        assert(known < count); /* an answer that is known already is not asked for */
        for (int64_t k = known + 1; k <= count; k++) reached = descend(w, b, k);
    }
    certify(w, fit, reached);
    if (d) write_dual(w, d, x);
}

static void destroy(ch_context *context, void *work) {
    bregman *w = work;
    if (!w) return;
    chi_free(context, w->moving);
    chi_free(context, w->hessian);
    chi_free(context, w->cost);
    chi_free(context, w->row_block);
    chi_free(context, w->gathered);
    chi_free(context, w);
}

static ch_status create(ch_context *context, void **work, const chi_cone *cone, double tol) {
    int64_t m = cone->rows, k = cone->capacity;
    bregman *w = chi_alloc_zero(context, 1, sizeof *w);
    if (!w) return chi_no_memory(context, "a projection", 1, sizeof *w);
    w->cone = cone;
    w->loss = cone->loss;
    w->tol = tol;
    /* Only losses with linear zeros gather. */
    int64_t gathered = w->loss->linear_zeros ? m * k : 0;
    w->gathered = chi_alloc(context, gathered, sizeof(double));
    double *rows = w->row_block = chi_alloc(context, 7 * m, sizeof(double));
    w->cost = chi_alloc(context, 4 * k, sizeof(double));
    w->hessian = chi_alloc(context, 2 * k * k, sizeof(double));
    w->moving = chi_alloc(context, k, sizeof *w->moving);
    if (!w->gathered || !rows || !w->cost || !w->hessian || !w->moving) {
        destroy(context, w);
        return chi_no_memory(context, "a projection", gathered + 7 * m + 2 * k * k, sizeof(double));
    }
    w->y = rows;
    w->y_try = rows + m;
    w->x = rows + 2 * m;
    w->slope = rows + 3 * m;
    w->newton = rows + 4 * m;
    w->scoring = rows + 5 * m;
    w->weighted = rows + 6 * m;
    w->gradient = w->cost + k;
    w->direction = w->cost + 2 * k;
    w->b_try = w->cost + 3 * k;
    w->factor = w->hessian + k * k;
    *work = w;
    return CH_OK;
}

const chi_projection chi_bregman = {"bregman", create, destroy, solve, NULL, NULL};
