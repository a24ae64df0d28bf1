/* Checks one column: are its weights b, up to tol, the best that the anchors W allow? With the
 * column x and the residual r = x - W b:
 *
 *   l1:  The dual d is -1 where x is 0, the stored value where one is stored, and the sign of r
 *        elsewhere. It is made feasible (W'd <= 0) by t = max_k (W_k'd / W_k'1)_+ and
 *        d <- (d - t) / (1 + t). Then |r|_1 - x'd bounds the distance from the optimum.
 *   quantile:  The loss is |r|_1 - skew 1'r with skew = 1 - 2 q. The dual of l1 minus skew has
 *        -(1 + skew) <= d <= 1 - skew and is made feasible by d <- (d - t) / (1 + t / (1 + skew)).
 *   l2:  theta = r - t 1 with t = max_k (W_k'r / W_k'1)_+ is feasible for the dual problem. The
 *        best dual value along theta is (x'theta)_+^2 / |theta|^2, and the gap is |r|^2 minus that.
 *        All terms follow from W'x, (W'W) b and |x|^2, up to the rounding of |x|^2.
 *   convex divergences:  u_i = dl/dy_i at y = W b + floor is shifted so that W'u >= 0 and scaled so
 *        that it stays below the limit of the slopes. Then the sum over i of
 *        inf_y l(x_i, y) - u_i (y - floor) is a lower bound of the optimum. The shift is along 1,
 *        or, if that bound is too weak (values many powers of ten apart), along phi''(x_i) x_i.
 *   other divergences:  The gradient W'u must be 0 where b > 0 and nowhere negative, up to tol,
 *        relative to W'1 or to W'v with v = phi''(y) y.
 *   hulls (docs/explanation/hulls.md):  l1 checks the lifted columns as above. Any other convex f
 *        satisfies f(b') >= f(b) + g'(b' - b) for all b' that sum to 1, so g'b - min_k g_k with
 *        g = W'u bounds the distance from the optimum. b must sum to 1, up to rounding. If f is
 *        not convex, g_k may deviate from g'b, if b_k > 0 to either side and otherwise only
 *        upwards. The deviation is relative to the scale of x or to W_k'v, whichever is larger.
 *   x = 0:  Only b = 0 is optimal, under every loss, because the loss rises with every entry of W b
 *        and no column of W is zero.
 *
 * Cost: O(nnz k) under l1 and KL, O(nnz k + k^2) under l2, O(m k) under the others. */
#include "anchors/verify.h"
#include "linalg/linalg.h"
#include "project/columns/projector.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* ---- W ------------------------------------------------------------------------------------- */

ch_status chi_check_create(ch_context *context, chi_check *c, chi_arena *arena, const ch_matrix *X,
                           const ch_anchors_settings *resolved, int64_t most) {
    *c = (chi_check){
        .X = X, .loss = resolved->loss, .tol = resolved->tol, .kernels = chi_kernels_of(context)};
    c->hull = resolved->hull != CH_HULL_CONE;
    c->skew = chi_skew_of(resolved);
    c->sums = chi_arena_doubles(arena, most);
    if (c->loss == CH_LOSS_L2) c->gram = chi_arena_doubles(arena, most * most);
    if (chi_check_by_signs(c) || c->loss == CH_LOSS_L2) return CH_OK;
    c->row_sums = chi_arena_doubles(arena, X->rows);
    c->row_weight = chi_row_weights_of(resolved);
    chi_loss_settings loss = {resolved->loss,  resolved->beta,   resolved->reverse,
                              resolved->floor, resolved->custom, resolved->custom_arrays};
    return chi_loss_init(context, &c->divergence, &loss);
}

void chi_check_space_create(chi_check_space *s, chi_arena *arena, int64_t rows, int64_t rank) {
    *s = (chi_check_space){.index = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                           .value = chi_arena_doubles(arena, rows),
                           .y = chi_arena_doubles(arena, rows),
                           .d = chi_arena_doubles(arena, rows),
                           .v = chi_arena_doubles(arena, rows),
                           .u = chi_arena_doubles(arena, rank),
                           .inside = chi_arena_doubles(arena, rank),
                           .b = chi_arena_doubles(arena, rank)};
}

void chi_check_update(chi_check *c, int64_t known) {
    int64_t rows = c->X->rows;
    if (c->row_sums && known == 0) memset(c->row_sums, 0, (size_t)rows * sizeof *c->row_sums);
    for (int64_t k = known; k < c->rank; k++) {
        const double *w = c->W + k * rows;
        c->sums[k] = 0;
        for (int64_t i = 0; i < rows; i++) c->sums[k] += w[i];
        for (int64_t i = 0; c->row_sums && i < rows; i++) c->row_sums[i] += w[i];
    }
    if (!c->gram) return;
    for (int64_t k = 0; k < c->rank; k++) /* packed by columns, so that W may gain a column */
        for (int64_t e = 0; e <= k; e++)
            c->gram[e + k * (k + 1) / 2] =
                k < known ? c->gram[e + k * (k + 1) / 2]
                          : chi_dot(c->kernels, c->W + e * rows, c->W + k * rows, rows);
}

int chi_check_by_signs(const chi_check *c) {
    return c->loss == CH_LOSS_L1 || c->loss == CH_LOSS_QUANTILE;
}

int chi_check_has_gap(const chi_check *c) {
    return chi_check_by_signs(c) || c->loss == CH_LOSS_L2 || c->divergence.convex;
}

/* Computes y_i = (W b)_i for the listed rows. */
static void multiply(double *y, const chi_check *c, const int32_t *index, int64_t count,
                     const double *b) {
    memset(y, 0, (size_t)count * sizeof *y);
    for (int64_t k = 0; k < c->rank; k++) {
        const double *w = c->W + k * c->X->rows;
        if (b[k] == 0) continue;
        if (count == c->X->rows)
            chi_axpy(c->kernels, y, b[k], w, count);
        else
            for (int64_t i = 0; i < count; i++) y[i] += w[index[i]] * b[k];
    }
}

/* Computes u_k = sum of W_ik d_i over the listed rows and, unless inside is NULL, inside_k = sum of
 * W_ik over these rows. */
static void multiply_transposed(double *u, double *inside, const chi_check *c, const int32_t *index,
                                int64_t count, const double *d) {
    for (int64_t k = 0; k < c->rank; k++) {
        const double *w = c->W + k * c->X->rows;
        double with_d = 0, alone = 0;
        if (count == c->X->rows) {
            with_d = chi_dot(c->kernels, w, d, count);
            alone = c->sums[k];
        }
        for (int64_t i = 0; count < c->X->rows && i < count; i++) {
            with_d += w[index[i]] * d[i];
            alone += w[index[i]];
        }
        u[k] = with_d;
        if (inside) inside[k] = alone;
    }
}

/* Returns t = max_k (u_k / W_k'1)_+, the shift that makes a dual feasible. */
static double feasible_shift(const chi_check *c, const double *u) {
    double t = 0;
    for (int64_t k = 0; k < c->rank; k++)
        if (c->sums[k] > 0) t = fmax(t, u[k] / c->sums[k]);
    return t;
}

/* ---- l1 and quantile ----------------------------------------------------------------------- */

/* Replaces signs by the stored duals, clipped to [-1, 1], so that the bound holds whatever values a
 * file contains. */
static void apply_stored_duals(double *d, const chi_check *c, int64_t j, const int32_t *index,
                               int64_t count) {
    const ch_anchors_result *result = c->duals;
    if (!result || !result->dual_start) return;
    int64_t at = 0;
#define ROW(at) (c->own_row ? c->own_row[index[at]] : index[at])
    for (int64_t e = result->dual_start[j]; e < result->dual_start[j + 1]; e++) {
        while (at < count && ROW(at) < result->dual_row[e]) at++;
        if (at < count && ROW(at) == result->dual_row[e])
            d[at] = fmin(1, fmax(-1, result->dual_value[e]));
    }
#undef ROW
}

/* Checks a column under l1 or quantile. Here and below, s holds the `count` loaded entries of x. */
static chi_column_report check_signs(const chi_check *c, const chi_check_space *s, const double *b,
                                     int64_t j, int64_t count) {
    int sparse = count < c->X->rows;
    double norm = 0, model = 0, objective = 0, bound = 0;

    multiply(s->y, c, s->index, count, b);
    for (int64_t k = 0; k < c->rank; k++) model += c->sums[k] * b[k];
    double outside = model;
    for (int64_t i = 0; i < count; i++) {
        double r = s->value[i] - s->y[i];
        objective += fabs(r);
        outside -= s->y[i];
        norm += s->value[i];
        s->d[i] = (r > 0) - (r < 0);
    }
    if (sparse) objective += fmax(0, outside);
    objective -= c->skew * (norm - model);

    apply_stored_duals(s->d, c, j, s->index, count);
    multiply_transposed(s->u, s->inside, c, s->index, count, s->d);
    if (sparse) /* d = -1 where x is 0 */
        for (int64_t k = 0; k < c->rank; k++) s->u[k] -= fmax(0, c->sums[k] - s->inside[k]);
    for (int64_t k = 0; k < c->rank; k++) s->u[k] -= c->skew * c->sums[k];
    double t = feasible_shift(c, s->u), scale = 1 + t / (1 + c->skew);
    for (int64_t i = 0; i < count; i++) bound += s->value[i] * (s->d[i] - c->skew - t) / scale;
    return (chi_column_report){.objective = objective,
                               .error = (objective - bound) / norm,
                               .infeasibility = t,
                               .size = norm};
}

/* ---- l2 ------------------------------------------------------------------------------------ */

/* Rounding error of sums of products, relative to |x|^2. */
static const double PRODUCT_ROUNDING = 1e-15;

/* Computes inside = W'x and u = (W'W) b. */
static void make_products(const chi_check *c, const chi_check_space *s, int64_t count,
                          const double *b) {
    multiply_transposed(s->inside, NULL, c, s->index, count, s->value);
    memset(s->u, 0, (size_t)c->rank * sizeof *s->u);
    for (int64_t k = 0; k < c->rank; k++)
        for (int64_t e = 0; b[k] != 0 && e < c->rank; e++)
            s->u[e] +=
                b[k] * (e <= k ? c->gram[e + k * (k + 1) / 2] : c->gram[k + e * (e + 1) / 2]);
}

/* Uses four partial sums, which the compiler may not introduce itself. */
static double add_up(const double *x, int64_t count) {
    double sum[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k];
    for (; i < count; i++) sum[0] += x[i];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

static chi_column_report check_l2(const chi_check *c, const chi_check_space *s, const double *b,
                                  int64_t count) {
    double square = chi_dot(c->kernels, s->value, s->value, count);
    double sum = add_up(s->value, count), fitted = 0, model = 0, model_sum = 0;
    make_products(c, s, count, b);
    for (int64_t k = 0; k < c->rank; k++) {
        fitted += b[k] * s->inside[k];    /* x'W b   */
        model += b[k] * s->u[k];          /* |W b|^2 */
        model_sum += b[k] * c->sums[k];   /* 1'W b   */
        s->u[k] = s->inside[k] - s->u[k]; /* W'r     */
    }
    double objective = fmax(0, square - 2 * fitted + model);
    double t = feasible_shift(c, s->u);
    /* x'theta and |theta|^2, moved by their possible rounding error to the safe side. */
    double along = square - fitted - t * sum - PRODUCT_ROUNDING * square;
    double theta = objective - 2 * t * (sum - model_sum) + t * t * (double)c->X->rows;
    double bound = along > 0 ? along / (fmax(0, theta) + PRODUCT_ROUNDING * square) * along : 0;
    return (chi_column_report){.objective = objective,
                               .error = square > 0      ? (objective - bound) / square
                                        : objective > 0 ? INFINITY
                                                        : 0,
                               .infeasibility = square > 0 ? t / sqrt(square) : 0,
                               .size = square};
}

/* ---- divergences --------------------------------------------------------------------------- */

/* Row weights are for losses that load all rows, so entry i of the space is row i. */
static double weight_of(const chi_check *c, int64_t i) {
    return c->row_weight ? c->row_weight[i] : 1;
}

static double weighted_value(const chi_check *c, const chi_check_space *s, int64_t count) {
    return c->row_weight
               ? chi_loss_weighted_value(&c->divergence, c->row_weight, s->value, s->y, count)
               : chi_loss_value(&c->divergence, s->value, s->y, count);
}

static double weighted_scale(const chi_check *c, const chi_check_space *s, int64_t count) {
    return c->row_weight ? chi_loss_weighted_scale(&c->divergence, c->row_weight, s->value, count)
                         : chi_loss_scale(&c->divergence, s->value, count);
}

/* Computes s->d = the slopes of the weighted loss. */
static void find_slopes(const chi_check *c, const chi_check_space *s, int64_t count) {
    chi_loss_slopes(&c->divergence, s->d, NULL, NULL, s->value, s->y, count);
    for (int64_t i = 0; c->row_weight && i < count; i++) s->d[i] *= c->row_weight[i];
}

/* Computes the gradient W'u; u = 1 on the zero rows that a loss with linear zeros leaves out. */
static void divergence_gradient(const chi_check *c, const chi_check_space *s, int64_t count) {
    multiply_transposed(s->u, s->inside, c, s->index, count, s->d);
    for (int64_t k = 0; count < c->X->rows && k < c->rank; k++)
        s->u[k] += fmax(0, c->sums[k] - s->inside[k]);
}

/* Returns objective - bound for KL after a shift by t, which makes the slopes 1 - x / z with
 * z = (1 + t) y. With y = W b + floor the difference is (W'd)'b, where s->u is W'd, plus
 * x (log(1 + t) - t floor / z) for every row that W reaches. It is computed in this form because
 * objective and bound both contain the floor, which may exceed x by many powers of ten. */
static double kl_gap(const chi_check *c, const chi_check_space *s, int64_t count, const double *b,
                     double t) {
    double gap = 0, floor = c->divergence.floor;
    for (int64_t k = 0; k < c->rank; k++) gap += b[k] * s->u[k];
    for (int64_t i = 0; i < count; i++)
        if (c->row_sums[s->index[i]] > 0)
            gap += s->value[i] * (log1p(t) - floor / s->y[i] * (t / (1 + t)));
    return gap;
}

/* Returns the lower bound over the loaded rows from the slopes d, shifted by t v. Rows where W is
 * zero have a fixed loss, which is their part of the bound. A row of weight n has n times the loss,
 * so its slope over n is one of the loss. */
static double divergence_bound(const chi_check *c, const chi_check_space *s, int64_t count,
                               double t) {
    double most = 0, bound = 0;
    for (int64_t i = 0; i < count; i++)
        if (c->row_sums[s->index[i]] > 0)
            most = fmax(most, s->v[i] / weight_of(c, i) /
                                  chi_loss_slope_limit(&c->divergence, s->value[i]));
    for (int64_t low = 0; low < count; low += CHI_LOSS_BLOCK) {
        double u[CHI_LOSS_BLOCK], dual[CHI_LOSS_BLOCK];
        const double *x = s->value + low, *y = s->y + low;
        int64_t some = count - low < CHI_LOSS_BLOCK ? count - low : CHI_LOSS_BLOCK;
        for (int64_t i = 0; i < some; i++)
            u[i] = (s->d[low + i] + t * s->v[low + i]) / ((1 + t * most) * weight_of(c, low + i));
        chi_loss_duals(&c->divergence, dual, u, x, y, some);
        for (int64_t i = 0; i < some; i++)
            bound +=
                weight_of(c, low + i) * (c->row_sums[s->index[low + i]] > 0
                                             ? dual[i]
                                             : chi_loss_value(&c->divergence, x + i, y + i, 1));
    }
    return bound;
}

/* Computes v_i = phi''(x_i) x_i (for most losses) and inside = W'v. */
static void find_scale_direction(const chi_check *c, const chi_check_space *s, int64_t count,
                                 const double *x) {
    chi_loss_shifts(&c->divergence, s->v, x, count);
    for (int64_t i = 0; c->row_weight && i < count; i++) s->v[i] *= c->row_weight[i];
    multiply_transposed(s->inside, NULL, c, s->index, count, s->v);
}

/* Returns (objective - bound) / scale, where the objective is that of the loaded rows. s->u is W'd,
 * and t is the shift along 1. KL does not load zero rows and only uses this shift. */
static double divergence_gap(const chi_check *c, const chi_check_space *s, int64_t count,
                             const double *b, double objective, double scale, double t) {
    if (c->divergence.linear_zeros) return kl_gap(c, s, count, b, t) / scale;
    for (int64_t i = 0; i < count; i++) s->v[i] = 1;
    double gap = (objective - divergence_bound(c, s, count, t)) / scale;
    if (gap <= c->tol) return gap;
    find_scale_direction(c, s, count, s->value);
    t = 0;
    for (int64_t k = 0; k < c->rank; k++)
        if (s->u[k] < 0) t = fmax(t, -s->u[k] / s->inside[k]);
    return fmin(gap, (objective - divergence_bound(c, s, count, t)) / scale);
}

/* Returns by how much entry k of the gradient violates the optimality conditions for b >= 0. */
static double excess(const chi_check_space *s, const double *b, int64_t k) {
    return b[k] > 0 ? fabs(s->u[k]) : fmax(0, -s->u[k]);
}

/* Returns the largest violation. Entry k is divided by W_k'1, for b_k in units of norm / W_k'1. For
 * losses that are not convex, if that exceeds tol, it may be divided by W_k'v with v = phi''(y) y
 * instead, which makes it a weighted mean of (y - x) / y. */
static double divergence_stationarity(const chi_check *c, const chi_check_space *s, int64_t count,
                                      const double *b, double norm, double scale) {
    double plain = 0, in_scale = 0;
    for (int64_t k = 0; k < c->rank; k++)
        if (c->sums[k] > 0) plain = fmax(plain, excess(s, b, k) / c->sums[k] * norm / scale);
    if (plain <= c->tol || c->divergence.convex) return plain;
    find_scale_direction(c, s, count, s->y);
    for (int64_t k = 0; k < c->rank; k++)
        if (excess(s, b, k) > 0) in_scale = fmax(in_scale, excess(s, b, k) / s->inside[k]);
    return fmin(plain, in_scale);
}

/* Loads the rows that count, with the floor added: the support if the loss is linear at zeros, else
 * all rows. Returns their number; *outside becomes the sum of (W b)_i over the other rows. */
static int64_t load_divergence(const chi_check *c, const chi_check_space *s, double *outside,
                               const double *b, int64_t j, int64_t count) {
    const chi_loss *loss = &c->divergence;
    *outside = 0;
    if (!loss->linear_zeros) {
        chi_column_gather(s->value, c->X, j);
        for (count = 0; count < c->X->rows; count++) s->index[count] = (int32_t)count;
    }
    multiply(s->y, c, s->index, count, b);
    for (int64_t k = 0; k < c->rank; k++) *outside += c->sums[k] * b[k];
    for (int64_t i = 0; i < count; i++) {
        *outside -= s->y[i];
        s->y[i] += loss->floor;
        if (loss->lifts_data) s->value[i] += loss->floor;
    }
    *outside = count < c->X->rows ? fmax(0, *outside) : 0;
    return count;
}

static chi_column_report check_divergence(const chi_check *c, const chi_check_space *s,
                                          const double *b, int64_t j, int64_t count) {
    const chi_loss *loss = &c->divergence;
    double outside, norm = 0, t = 0;
    for (int64_t i = 0; i < count; i++) norm += s->value[i];
    count = load_divergence(c, s, &outside, b, j, count);
    double inside = weighted_value(c, s, count) + outside;
    double zeros = loss->floor * (double)(c->X->rows - count);
    double scale = weighted_scale(c, s, count);
    find_slopes(c, s, count);
    divergence_gradient(c, s, count);
    for (int64_t k = 0; k < c->rank; k++)
        if (c->sums[k] > 0) t = fmax(t, -s->u[k] / c->sums[k]);
    double stationarity = divergence_stationarity(c, s, count, b, norm, scale);
    return (chi_column_report){
        .objective = inside + zeros,
        .error = loss->convex ? divergence_gap(c, s, count, b, inside, scale, t) : stationarity,
        .infeasibility = loss->convex ? t * norm / scale : 0, /* no dual otherwise */
        .stationarity = stationarity,
        .size = norm};
}

/* ---- hulls --------------------------------------------------------------------------------- */

/* Returns g'b - min_k g_k with g in s->u. *stationarity becomes the largest deviation of an entry
 * of g from its mean g'b that violates the optimality conditions. Both are infinite unless b sums
 * to 1. */
static double hull_gap(const chi_check *c, const chi_check_space *s, const double *b,
                       double *stationarity) {
    double total = 0, mean = 0, least = INFINITY, gap = 0;
    for (int64_t k = 0; k < c->rank; k++) {
        total += b[k];
        mean += b[k] * s->u[k];
        least = fmin(least, s->u[k]);
    }
    *stationarity = 0;
    if (!(fabs(total - 1) <= CHI_ROUNDING)) return *stationarity = INFINITY;
    for (int64_t k = 0; k < c->rank; k++) {
        double apart = s->u[k] - mean;
        gap += b[k] * (s->u[k] - least);
        *stationarity = fmax(*stationarity, b[k] > 0 ? fabs(apart) : -apart);
    }
    return gap;
}

static chi_column_report check_l2_on_hull(const chi_check *c, const chi_check_space *s,
                                          const double *b, int64_t count) {
    double square = chi_dot(c->kernels, s->value, s->value, count), stationarity;
    double objective = square;
    make_products(c, s, count, b);
    for (int64_t k = 0; k < c->rank; k++) {
        objective += b[k] * (s->u[k] - 2 * s->inside[k]);
        s->u[k] = 2 * (s->u[k] - s->inside[k]);
    }
    return (chi_column_report){.objective = fmax(0, objective),
                               .error = hull_gap(c, s, b, &stationarity) / square,
                               .size = square};
}

/* Loads like load_divergence(), but without the lifted row, which is the last. */
static int64_t load_on_hull(const chi_check *c, const chi_check_space *s, double *outside,
                            const double *b, int64_t j, int64_t count) {
    const chi_loss *loss = &c->divergence;
    int64_t rows = c->X->rows - 1;
    count--;
    if (!loss->linear_zeros) {
        chi_column_gather(s->value, c->X, j);
        for (count = 0; count < rows; count++) s->index[count] = (int32_t)count;
    }
    multiply(s->y, c, s->index, count, b);
    *outside = 0;
    for (int64_t k = 0; k < c->rank; k++) *outside += (c->sums[k] - c->W[rows]) * b[k];
    for (int64_t i = 0; i < count; i++) {
        *outside -= s->y[i];
        s->y[i] += loss->floor;
        if (loss->lifts_data) s->value[i] += loss->floor;
    }
    *outside = count < rows ? fmax(0, *outside) : 0;
    return count;
}

/* Returns the stationarity with the deviation of g_k relative to W_k'v, v = phi''(y) y, where that
 * exceeds the scale. g_k is known only up to the rounding of terms of this size. */
static double hull_stationarity_in_scale(const chi_check *c, const chi_check_space *s,
                                         const double *b, int64_t count, double scale) {
    double mean = 0, worst = 0;
    find_scale_direction(c, s, count, s->y);
    for (int64_t k = 0; k < c->rank; k++) mean += b[k] * s->u[k];
    for (int64_t k = 0; k < c->rank; k++) {
        double apart = s->u[k] - mean, violation = b[k] > 0 ? fabs(apart) : -apart;
        worst = fmax(worst, violation / fmax(s->inside[k], scale));
    }
    return worst;
}

static chi_column_report check_divergence_on_hull(const chi_check *c, const chi_check_space *s,
                                                  const double *b, int64_t j, int64_t count) {
    const chi_loss *loss = &c->divergence;
    int64_t rows = c->X->rows - 1;
    double unit = c->W[rows], outside, norm = 0, stationarity;
    for (int64_t i = 0; i < count; i++) norm += s->value[i];
    count = load_on_hull(c, s, &outside, b, j, count);
    double objective = weighted_value(c, s, count) + outside;
    double scale = weighted_scale(c, s, count) + chi_loss_scale(loss, &unit, 1);
    find_slopes(c, s, count);
    multiply_transposed(s->u, s->inside, c, s->index, count, s->d);
    for (int64_t k = 0; count < rows && k < c->rank; k++)
        s->u[k] += fmax(0, c->sums[k] - unit - s->inside[k]);
    double gap = hull_gap(c, s, b, &stationarity) / scale;
    stationarity /= scale;
    if (!loss->convex && stationarity > c->tol && stationarity < INFINITY)
        stationarity = hull_stationarity_in_scale(c, s, b, count, scale);
    return (chi_column_report){.objective = objective + loss->floor * (double)(rows - count),
                               .error = loss->convex ? gap : stationarity,
                               .stationarity = stationarity,
                               .size = norm};
}

/* ---- a column ------------------------------------------------------------------------------ */

/* Checks a zero column. Its objective under a divergence is that of the floor. */
static chi_column_report check_empty(const chi_check *c, const double *b) {
    chi_column_report report = {0};
    for (int64_t k = 0; k < c->rank; k++)
        if (b[k] != 0) report.error = INFINITY;
    if (chi_check_by_signs(c) || c->loss == CH_LOSS_L2) return report;
    const chi_loss *loss = &c->divergence;
    double lift = loss->lifts_data ? loss->floor : 0;
    double rows = (double)c->X->rows; /* or their weights */
    if (c->row_weight) rows = add_up(c->row_weight, c->X->rows);
    report.objective = rows * chi_loss_value(loss, &lift, &loss->floor, 1);
    return report;
}

/* Loads the entries of x that count into s and returns their number. Under l2 all rows of a dense
 * column are loaded: zeros are harmless, and finding them takes longer than using them. */
static int64_t load(const chi_check *c, const chi_check_space *s, int64_t j) {
    if (c->loss != CH_LOSS_L2 || c->X->layout == CH_CSC)
        return chi_column_support(s->index, s->value, c->X, j);
    chi_column_gather(s->value, c->X, j);
    return add_up(s->value, c->X->rows) > 0 ? c->X->rows : 0;
}

chi_column_report chi_check_column(const chi_check *c, const chi_check_space *s, const double *b,
                                   int64_t j) {
    int64_t count = load(c, s, j);
    chi_column_report report;
    if (count == 0)
        report = check_empty(c, b);
    else if (chi_check_by_signs(c))
        report = check_signs(c, s, b, j, count);
    else if (c->loss == CH_LOSS_L2)
        report = c->hull ? check_l2_on_hull(c, s, b, count) : check_l2(c, s, b, count);
    else
        report = c->hull ? check_divergence_on_hull(c, s, b, j, count)
                         : check_divergence(c, s, b, j, count);
    if (isnan(report.error)) report.error = INFINITY; /* undefined counts as unproven */
    return report;
}
