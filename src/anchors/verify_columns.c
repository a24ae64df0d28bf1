/* The recheck of H, column by column: is each one, up to tol, the best that its anchors allow?
 * Column x with b = H_j, r = x - W b:
 *
 *   l1:  a dual d with -1 <= d <= 1 is -1 where x is 0, the stored value where one is stored, else
 *        the sign of r. It is made feasible (W'd <= 0) by t = max_k (W_k'd / W_k'1)_+ and
 *        d <- (d - t)/(1 + t), and then  |r|_1 - x'd  bounds the distance from the optimum.
 *   l2:  theta = r - t 1, t = max_k (W_k'r / W_k'1)_+, is feasible for the dual problem, whose best
 *        value along theta is (x'theta)_+^2 / |theta|^2; the gap is |r|^2 minus that.
 *   divergences:  u_i = dl/dy_i at y = W b + floor. Convex ones: u, shifted so that W'u >= 0 and
 *        kept below the limit of the slopes, bounds the optimum by the sum over i of
 *        inf_y l(x_i, y) - u_i (y - floor). The shift is along 1, or where that does not do, as
 *        for values many powers of ten apart, along phi''(x_i) x_i. The others: the gradient W'u
 *        must be 0 where b > 0, and nowhere below 0, over W'1 or over W'v at y.
 *
 * Cost: O(nnz k) under l1 and KL, O(m n k) under the others. */
#include "anchors/anchors_internal.h"
#include "base/arena.h"
#include "linalg/linalg.h"
#include "loss/divergence.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* columns checked as one piece of work */

/* What a block of columns showed. */
typedef struct block_report {
    double error, infeasibility, stationarity, objective, largest;
    int64_t worst;        /* column of the largest error: gap or stationarity    */
    int64_t bad_row, bad; /* place of the first unusable value of H; bad -1: none */
} block_report;

typedef struct scratch {
    int32_t *index;
    double *value, *y, *d, *v; /* rows entries each     */
    double *u, *inside;        /* rank entries each     */
} scratch;

typedef struct check {
    ch_context *context;
    const ch_matrix *X;
    const ch_anchors_result *result;
    int loss;
    double tol;
    int xray; /* the residuals stored are in the loss of H */
    chi_loss divergence;
    const double *norms; /* |x|_1 of the columns; |x|_2^2 for l2 */
    double *sums;        /* W'1 */
    scratch *scratch;
    block_report *reports;
} check;

/* y_i = (W b)_i for the listed rows. */
static void multiply(double *y, const check *c, const int32_t *index, int64_t count,
                     const double *b) {
    memset(y, 0, (size_t)count * sizeof *y);
    for (int64_t k = 0; k < c->result->rank; k++) {
        const double *w = c->result->W + k * c->result->rows;
        if (b[k] != 0)
            for (int64_t i = 0; i < count; i++) y[i] += w[index[i]] * b[k];
    }
}

/* u_k = sum of W_ik d_i over the listed rows; inside_k = sum of W_ik over them, unless NULL. */
static void multiply_transposed(double *u, double *inside, const check *c, const int32_t *index,
                                int64_t count, const double *d) {
    for (int64_t k = 0; k < c->result->rank; k++) {
        const double *w = c->result->W + k * c->result->rows;
        double with_d = 0, alone = 0;
        for (int64_t i = 0; i < count; i++) {
            with_d += w[index[i]] * d[i];
            alone += w[index[i]];
        }
        u[k] = with_d;
        if (inside) inside[k] = alone;
    }
}

/* t = max_k (u_k / W_k'1)_+, the shift that makes a dual feasible. */
static double feasible_shift(const check *c, const double *u) {
    double t = 0;
    for (int64_t k = 0; k < c->result->rank; k++)
        if (c->sums[k] > 0) t = fmax(t, u[k] / c->sums[k]);
    return t;
}

/* Writes the stored duals over the signs. Clipped to [-1, 1], so that the bound holds whatever a
 * file claims. */
static void apply_stored_duals(double *d, const ch_anchors_result *result, int64_t j,
                               const int32_t *index, int64_t count) {
    if (!result->dual_start) return;
    int64_t at = 0;
    for (int64_t e = result->dual_start[j]; e < result->dual_start[j + 1]; e++) {
        while (at < count && index[at] < result->dual_row[e]) at++;
        if (at < count && index[at] == result->dual_row[e])
            d[at] = fmin(1, fmax(-1, result->dual_value[e]));
    }
}

static void add_column(block_report *report, int64_t j, double objective, double error,
                       double infeasibility) {
    report->objective += objective;
    report->largest = fmax(report->largest, objective);
    report->infeasibility = fmax(report->infeasibility, infeasibility);
    if (isnan(error)) error = INFINITY; /* what cannot be told is not proven */
    if (error > report->error) {
        report->error = error;
        report->worst = j;
    }
}

static void check_l1(const check *c, block_report *report, const scratch *s, int64_t j) {
    const ch_anchors_result *result = c->result;
    const double *b = result->H + j * result->rank;
    int64_t count = chi_column_support(s->index, s->value, c->X, j);
    int sparse = count < c->X->rows;
    double norm = 0, outside = 0, objective = 0, bound = 0;

    multiply(s->y, c, s->index, count, b);
    for (int64_t k = 0; k < result->rank; k++) outside += c->sums[k] * b[k];
    for (int64_t i = 0; i < count; i++) {
        double r = s->value[i] - s->y[i];
        objective += fabs(r);
        outside -= s->y[i];
        norm += s->value[i];
        s->d[i] = (r > 0) - (r < 0);
    }
    if (sparse) objective += fmax(0, outside);

    apply_stored_duals(s->d, result, j, s->index, count);
    multiply_transposed(s->u, s->inside, c, s->index, count, s->d);
    if (sparse) /* d = -1 where x is 0 */
        for (int64_t k = 0; k < result->rank; k++) s->u[k] -= fmax(0, c->sums[k] - s->inside[k]);
    double t = feasible_shift(c, s->u);
    for (int64_t i = 0; i < count; i++) bound += s->value[i] * (s->d[i] - t) / (1 + t);

    double gap = objective - bound;
    add_column(report, j, objective, norm > 0 ? gap / norm : gap > 0 ? INFINITY : 0, t);
}

static void check_l2(const check *c, block_report *report, const scratch *s, int64_t j) {
    const ch_anchors_result *result = c->result;
    int64_t rows = c->X->rows;
    double square = 0, objective = 0, along = 0, theta_square = 0;

    chi_column_gather(s->value, c->X, j);
    for (int64_t i = 0; i < rows; i++) s->index[i] = (int32_t)i;
    multiply(s->y, c, s->index, rows, result->H + j * result->rank);
    for (int64_t i = 0; i < rows; i++) {
        s->d[i] = s->value[i] - s->y[i];
        square += s->value[i] * s->value[i];
        objective += s->d[i] * s->d[i];
    }
    multiply_transposed(s->u, NULL, c, s->index, rows, s->d);
    double t = feasible_shift(c, s->u);
    for (int64_t i = 0; i < rows; i++) {
        double theta = s->d[i] - t;
        along += s->value[i] * theta;
        theta_square += theta * theta;
    }
    double bound = along > 0 ? along / theta_square * along : 0;

    double gap = objective - bound;
    add_column(report, j, objective,
               square > 0 ? gap / square
               : gap > 0  ? INFINITY
                          : 0,
               square > 0 ? t / sqrt(square) : 0);
}

/* W'u, with u = 1 on the zero rows that a linear loss leaves out. */
static void divergence_gradient(const check *c, const scratch *s, int64_t count) {
    multiply_transposed(s->u, s->inside, c, s->index, count, s->d);
    for (int64_t k = 0; count < c->X->rows && k < c->result->rank; k++)
        s->u[k] += fmax(0, c->sums[k] - s->inside[k]);
}

/* What the slopes d prove about the rows in play, after the shift by t v. */
static double divergence_bound(const check *c, const scratch *s, int64_t count, double t) {
    double most = 0, bound = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, s->v[i] / chi_loss_slope_limit(&c->divergence, s->value[i]));
    for (int64_t i = 0; i < count; i++)
        bound += chi_loss_dual(&c->divergence, (s->d[i] + t * s->v[i]) / (1 + t * most),
                               s->value[i], s->y[i]);
    return bound;
}

/* v_i = phi''(x_i) x_i, for most losses; inside = W'v. */
static void find_scale_direction(const check *c, const scratch *s, int64_t count, const double *x) {
    for (int64_t i = 0; i < count; i++) s->v[i] = chi_loss_shift(&c->divergence, x[i]);
    multiply_transposed(s->inside, NULL, c, s->index, count, s->v);
}

/* (objective - bound) / scale, the objective being that of the rows in play. u is W'd, t the shift
 * along 1. KL has rows out of play, and the same shift either way. */
static double divergence_gap(const check *c, const scratch *s, int64_t count, double objective,
                             double scale, double t) {
    for (int64_t i = 0; i < count; i++) s->v[i] = 1;
    double gap = (objective - divergence_bound(c, s, count, t)) / scale;
    if (gap <= c->tol || c->divergence.linear_zeros) return gap;
    find_scale_direction(c, s, count, s->value);
    t = 0;
    for (int64_t k = 0; k < c->result->rank; k++)
        if (s->u[k] < 0) t = fmax(t, -s->u[k] / s->inside[k]);
    return fmin(gap, (objective - divergence_bound(c, s, count, t)) / scale);
}

/* The entry k of the gradient that b >= 0 does not excuse. */
static double excess(const scratch *s, const double *b, int64_t k) {
    return b[k] > 0 ? fabs(s->u[k]) : fmax(0, -s->u[k]);
}

/* The largest of them, b_k being in units of norm / W_k'1; or where that does not do over W_k'v, v
 * = phi''(y) y, which makes it a weighted mean of (y - x) / y. */
static double divergence_stationarity(const check *c, const scratch *s, int64_t count,
                                      const double *b, double norm, double scale) {
    double plain = 0, in_scale = 0;
    for (int64_t k = 0; k < c->result->rank; k++)
        if (c->sums[k] > 0) plain = fmax(plain, excess(s, b, k) / c->sums[k] * norm / scale);
    if (plain <= c->tol || c->divergence.convex) return plain;
    find_scale_direction(c, s, count, s->y);
    for (int64_t k = 0; k < c->result->rank; k++)
        if (excess(s, b, k) > 0) in_scale = fmax(in_scale, excess(s, b, k) / s->inside[k]);
    return fmin(plain, in_scale);
}

/* The rows in play, lifted data and model: all rows, or the support where zeros are linear. Returns
 * their number; *outside becomes the sum of (W b)_i over the others. */
static int64_t load_divergence(const check *c, const scratch *s, double *outside, int64_t j) {
    const chi_loss *loss = &c->divergence;
    const double *b = c->result->H + j * c->result->rank;
    int64_t count = chi_column_support(s->index, s->value, c->X, j);
    if (!loss->linear_zeros) {
        chi_column_gather(s->value, c->X, j);
        for (count = 0; count < c->X->rows; count++) s->index[count] = (int32_t)count;
    }
    *outside = 0;
    multiply(s->y, c, s->index, count, b);
    for (int64_t k = 0; k < c->result->rank; k++) *outside += c->sums[k] * b[k];
    for (int64_t i = 0; i < count; i++) {
        *outside -= s->y[i];
        s->y[i] += loss->floor;
        if (loss->lifts_data) s->value[i] += loss->floor;
    }
    *outside = count < c->X->rows ? fmax(0, *outside) : 0;
    return count;
}

static void check_divergence(const check *c, block_report *report, const scratch *s, int64_t j) {
    const chi_loss *loss = &c->divergence;
    const double *b = c->result->H + j * c->result->rank;
    double outside, t = 0, norm = c->norms[j];
    int64_t count = load_divergence(c, s, &outside, j);
    double inside = chi_loss_value(loss, s->value, s->y, count) + outside;
    double zeros = loss->floor * (double)(c->X->rows - count);
    if (norm <= 0) { /* an empty column asks for nothing, and costs what the floor costs */
        add_column(report, j, inside + zeros, 0, 0);
        return;
    }
    double scale = chi_loss_scale(loss, s->value, count);
    chi_loss_slopes(loss, s->d, NULL, NULL, s->value, s->y, count);
    divergence_gradient(c, s, count);
    for (int64_t k = 0; k < c->result->rank; k++)
        if (c->sums[k] > 0) t = fmax(t, -s->u[k] / c->sums[k]);
    double stationarity = divergence_stationarity(c, s, count, b, norm, scale);
    report->stationarity = fmax(report->stationarity, stationarity);
    double error = loss->convex ? divergence_gap(c, s, count, inside, scale, t) : stationarity;
    add_column(report, j, inside + zeros, error, t * norm / scale);
}

static int find_unusable(const ch_anchors_result *result, int64_t j, block_report *report) {
    for (int64_t k = 0; k < result->rank; k++) {
        double h = result->H[j * result->rank + k];
        if (h >= 0 && h <= DBL_MAX) continue;
        report->bad = j;
        report->bad_row = k;
        return 1;
    }
    return 0;
}

static void check_block(void *user, int64_t block, int thread) {
    check *c = user;
    block_report *report = &c->reports[block];
    int64_t low = block * BLOCK, high = low + BLOCK < c->X->cols ? low + BLOCK : c->X->cols;
    *report = (block_report){.worst = low, .bad = -1};
    chi_prefetch_block(c->context, c->X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        if (find_unusable(c->result, j, report)) return;
        if (c->loss == CH_LOSS_L1)
            check_l1(c, report, &c->scratch[thread], j);
        else if (c->loss == CH_LOSS_L2)
            check_l2(c, report, &c->scratch[thread], j);
        else
            check_divergence(c, report, &c->scratch[thread], j);
    }
}

/* slack: what rounding may change in a sum over all columns. */
static void judge_sums(ch_verification *v, const check *c, double largest, double slack) {
    const ch_anchors_result *result = c->result;
    double told = result->max_residual ? result->max_residual[result->rank - 1] : NAN;
    if (c->loss == CH_LOSS_L2) told *= told; /* residuals are square roots there */
    if (!(v->objective <= DBL_MAX))
        chi_refuse(v, "the objective is not finite");
    else if (!(fabs(v->objective - result->objective) <= slack + 1e-9 * v->objective))
        chi_refuse(v, "the objective is %.12g, not %.12g as stored", v->objective,
                   result->objective);
    else if (c->xray && !isnan(told) && !(fabs(told - largest) <= slack + 1e-9 * largest))
        chi_refuse(v, "the largest residual is not the last one stored");
}

static int has_gap(const check *c) {
    return c->loss == CH_LOSS_L1 || c->loss == CH_LOSS_L2 || c->divergence.convex;
}

static void judge_columns(ch_verification *v, const check *c, int64_t blocks, double tol,
                          double slack) {
    int64_t worst = -1;
    double largest = 0, error = 0;
    for (int64_t block = 0; block < blocks; block++) {
        const block_report *report = &c->reports[block];
        if (report->bad >= 0) {
            chi_refuse(v, "H is negative or not finite at row %lld, column %lld",
                       (long long)report->bad_row, (long long)report->bad);
            return;
        }
        v->objective += report->objective;
        largest = fmax(largest, report->largest);
        v->dual_infeasibility = fmax(v->dual_infeasibility, report->infeasibility);
        v->stationarity = fmax(v->stationarity, report->stationarity);
        if (report->error > error) {
            error = report->error;
            worst = report->worst;
        }
    }
    v->gap = has_gap(c) ? error : NAN;
    if (!(error <= tol + CHI_ROUNDING))
        chi_refuse(v, "column %lld has a %s of %.3g, above the tolerance %.3g", (long long)worst,
                   has_gap(c) ? "gap" : "projected gradient", error, tol);
    else
        judge_sums(v, c, largest, slack);
}

static ch_status check_columns(check *c, chi_arena *arena, ch_verification *v) {
    const ch_anchors_result *result = c->result;
    int threads = ch_context_threads(c->context);
    int64_t rows = c->X->rows, blocks = (c->X->cols + BLOCK - 1) / BLOCK;
    double scale = 0;
    c->sums = chi_arena_alloc_zero(arena, result->rank, sizeof *c->sums);
    c->scratch = chi_arena_alloc(arena, threads, sizeof *c->scratch);
    c->reports = chi_arena_alloc(arena, blocks, sizeof *c->reports);
    for (int t = 0; t < threads && c->scratch; t++)
        c->scratch[t] = (scratch){.index = chi_arena_alloc(arena, rows, sizeof(int32_t)),
                                  .value = chi_arena_doubles(arena, rows),
                                  .y = chi_arena_doubles(arena, rows),
                                  .d = chi_arena_doubles(arena, rows),
                                  .v = chi_arena_doubles(arena, rows),
                                  .u = chi_arena_doubles(arena, result->rank),
                                  .inside = chi_arena_doubles(arena, result->rank)};
    TRY(chi_arena_status(arena, "verification"));
    for (int64_t j = 0; j < c->X->cols; j++) scale += c->norms[j];
    for (int64_t k = 0; k < result->rank; k++)
        for (int64_t i = 0; i < rows; i++) c->sums[k] += result->W[i + k * rows];
    chi_prefetch_pass(c->context, c->X, BLOCK, 0);
    TRY(chi_parallel_until(c->context, blocks, check_block, c));
    judge_columns(v, c, blocks, c->tol, CHI_ROUNDING * scale);
    return CH_OK;
}

ch_status chi_verify_columns(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const double *norms, const ch_anchors_result *result,
                             const ch_anchors_settings *settings) {
    chi_arena arena = {.context = context};
    check c = {.context = context,
               .X = X,
               .result = result,
               .loss = chi_loss_of(settings),
               .tol = settings->tol,
               .xray = settings->method == CH_METHOD_XRAY,
               .norms = norms};
    if (c.loss != CH_LOSS_L1 && c.loss != CH_LOSS_L2) {
        chi_loss_settings loss = {settings->loss, settings->beta, settings->reverse, result->floor,
                                  settings->custom};
        TRY(chi_loss_init(context, &c.divergence, &loss));
    }
    ch_status status = check_columns(&c, &arena, v);
    chi_arena_free(&arena);
    return status;
}
