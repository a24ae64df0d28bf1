/* The recheck of a result, from X and the result's arrays alone. No solver code is shared: it only
 * multiplies, adds and compares.
 *
 * W is X_A, anchors are distinct columns, H >= 0. Then, per column x with b = H_j, r = x - W b:
 *
 *   l1:  a dual d with -1 <= d <= 1 is -1 where x is 0, the stored value where one is stored, else
 *        the sign of r. It is made feasible (W'd <= 0) by t = max_k (W_k'd / W_k'1)_+ and
 *        d <- (d - t)/(1 + t), and then  |r|_1 - x'd  bounds the distance from the optimum.
 *   l2:  theta = r - t 1, t = max_k (W_k'r / W_k'1)_+, is feasible for the dual of the NNLS
 * problem, whose best value along theta is (x'theta)_+^2 / |theta|^2; the gap is |r|^2 minus that.
 *
 * Per step s with exterior column i and dual D (Lemmas 3.1, 3.2, Eq. 4 of the paper): D'X_A <= 0
 * for the anchors chosen before, D'X_i > 0, and the anchor taken maximises D'X_j / p'X_j.
 *
 * Cost: O(nnz k) for the columns under l1, O(m n k) under l2, and one pass over X per step. */
#include "linalg/linalg.h"
#include <conehull/anchors.h>
#include <conehull/random.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 }; /* columns checked as one piece of work */

/* Rounding that an honest result may show: sums of some thousands of terms in double. */
static const double ROUNDING = 1e-12;
/* A column whose score is within this share of the largest one counts as a maximiser. */
static const double SCORE_SLACK = 1e-9;

/* What a block of columns showed. */
typedef struct block_report {
    double gap, infeasibility, objective;
    int64_t worst;        /* column of the largest gap                           */
    int64_t bad_row, bad; /* place of the first unusable value of H; bad -1: none */
} block_report;

typedef struct scratch {
    int32_t *index;
    double *value, *y, *d; /* rows entries each     */
    double *u, *inside;    /* rank entries each     */
} scratch;

typedef struct check {
    const ch_matrix *X;
    const ch_result *result;
    int loss;
    double *sums; /* W'1 */
    scratch *scratch;
    block_report *reports;
} check;

static void refuse(ch_verification *v, const char *why) {
    v->ok = 0;
    snprintf(v->why, sizeof v->why, "%s", why);
}

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
static void apply_stored_duals(double *d, const ch_result *result, int64_t j, const int32_t *index,
                               int64_t count) {
    if (!result->dual_start) return;
    int64_t at = 0;
    for (int64_t e = result->dual_start[j]; e < result->dual_start[j + 1]; e++) {
        while (at < count && index[at] < result->dual_row[e]) at++;
        if (at < count && index[at] == result->dual_row[e])
            d[at] = fmin(1, fmax(-1, result->dual_value[e]));
    }
}

static void add_column(block_report *report, int64_t j, double objective, double gap,
                       double infeasibility) {
    report->objective += objective;
    report->infeasibility = fmax(report->infeasibility, infeasibility);
    if (!(gap <= report->gap)) {
        report->gap = gap;
        report->worst = j;
    }
}

static void check_l1(const check *c, block_report *report, const scratch *s, int64_t j) {
    const ch_result *result = c->result;
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
    const ch_result *result = c->result;
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

static int find_unusable(const ch_result *result, int64_t j, block_report *report) {
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
    for (int64_t j = low; j < high; j++) {
        if (find_unusable(c->result, j, report)) return;
        if (c->loss == CH_LOSS_L1)
            check_l1(c, report, &c->scratch[thread], j);
        else
            check_l2(c, report, &c->scratch[thread], j);
    }
}

static void judge_columns(ch_verification *v, const block_report *reports, int64_t blocks,
                          double stored, double tol, double scale) {
    int64_t worst = -1;
    for (int64_t block = 0; block < blocks; block++) {
        const block_report *report = &reports[block];
        if (report->bad >= 0) {
            v->ok = 0;
            snprintf(v->why, sizeof v->why, "H is negative or not finite at row %lld, column %lld",
                     (long long)report->bad_row, (long long)report->bad);
            return;
        }
        v->objective += report->objective;
        v->dual_infeasibility = fmax(v->dual_infeasibility, report->infeasibility);
        if (!(report->gap <= v->gap)) {
            v->gap = report->gap;
            worst = report->worst;
        }
    }
    if (!(v->gap <= tol + ROUNDING)) {
        v->ok = 0;
        snprintf(v->why, sizeof v->why, "column %lld has a gap of %.3g, above the tolerance %.3g",
                 (long long)worst, v->gap, tol);
    } else if (!(fabs(v->objective - stored) <= ROUNDING * scale + 1e-9 * v->objective)) {
        v->ok = 0;
        snprintf(v->why, sizeof v->why, "the objective is %.12g, not %.12g as stored", v->objective,
                 stored);
    }
}

static ch_status check_columns(ch_context *context, ch_verification *v, const ch_matrix *X,
                               const ch_result *result, const ch_anchors_settings *settings) {
    int threads = ch_context_threads(context);
    int64_t rows = X->rows, blocks = (X->cols + BLOCK - 1) / BLOCK;
    int64_t each = 4 * rows + 2 * result->rank;
    check c = {.X = X, .result = result, .loss = settings->loss};
    ch_status status = CH_OK;
    double scale = 0;
    c.sums = chi_alloc_zero(context, result->rank, sizeof *c.sums);
    c.scratch = chi_alloc(context, threads, sizeof *c.scratch);
    c.reports = chi_alloc(context, blocks, sizeof *c.reports);
    double *area = chi_alloc(context, each * threads, sizeof *area);
    double *norms = chi_alloc(context, X->cols, sizeof *norms);
    if (!c.sums || !c.scratch || !c.reports || !area || !norms) {
        status = chi_no_memory(context, "verification", each * threads + X->cols, sizeof *area);
        goto end;
    }
    int l1 = settings->loss == CH_LOSS_L1;
    status = chi_column_norms(context, l1 ? norms : NULL, l1 ? NULL : norms, X);
    if (status < 0) goto end;
    for (int64_t j = 0; j < X->cols; j++) scale += norms[j];
    for (int64_t k = 0; k < result->rank; k++)
        for (int64_t i = 0; i < rows; i++) c.sums[k] += result->W[i + k * rows];
    for (int t = 0; t < threads; t++) {
        double *part = area + t * each;
        c.scratch[t] = (scratch){(int32_t *)part, part + rows,     part + 2 * rows,
                                 part + 3 * rows, part + 4 * rows, part + 4 * rows + result->rank};
    }
    chi_parallel(context, blocks, check_block, &c);
    judge_columns(v, c.reports, blocks, result->objective, settings->tol, scale);
end:
    chi_free(context, norms);
    chi_free(context, area);
    chi_free(context, c.reports);
    chi_free(context, c.scratch);
    chi_free(context, c.sums);
    return status;
}

/* W is X_A, to the bit, and no column stands twice. */
static ch_status check_anchors(ch_context *context, ch_verification *v, const ch_matrix *X,
                               const ch_result *result) {
    char *seen = chi_alloc_zero(context, X->cols, 1);
    double *x = chi_alloc(context, X->rows, sizeof *x);
    ch_status status = CH_OK;
    if (!seen || !x) status = chi_no_memory(context, "verification", X->rows, sizeof *x);
    for (int64_t k = 0; status == CH_OK && v->ok && k < result->rank; k++) {
        int64_t j = result->anchors[k];
        if (j < 0 || j >= X->cols || seen[j]) {
            v->ok = 0;
            snprintf(v->why, sizeof v->why, "anchor %lld (column %lld) is not in X or listed twice",
                     (long long)k, (long long)j);
            break;
        }
        seen[j] = 1;
        chi_column_gather(x, X, j);
        for (int64_t i = 0; v->ok && i < X->rows; i++)
            if (x[i] != result->W[i + k * X->rows]) {
                v->ok = 0;
                snprintf(v->why, sizeof v->why,
                         "column %lld of W is not column %lld of X (row %lld)", (long long)k,
                         (long long)j, (long long)i);
            }
    }
    chi_free(context, x);
    chi_free(context, seen);
    return status;
}

/* Was the anchor of step s in the cone when `step` was taken? The last of rank + 1 steps is the
 * re-selection of the first anchor that was not given, which had been dropped just before. */
static int in_cone(const ch_result *result, int64_t s, int64_t step) {
    int64_t first = 0;
    while (result->step_exterior[first] < 0) first++;
    int dropped = result->steps > result->rank && step == result->steps - 1 && s == first;
    return s < step && !dropped;
}

/* scores = D'X, weights = p'X over all columns. Anchors taken in one step by Remark (2) share their
 * exterior column and dual: the earlier of them is no member of the cone that the dual is for. */
static const char *step_fault(const ch_matrix *X, const ch_result *result, int64_t step, int loss,
                              const double *scores, const double *weights) {
    const double *D = result->step_dual + step * X->rows;
    int64_t exterior = result->step_exterior[step], taken = result->step_anchor[step];
    int64_t start = step;
    double best = 0, size = 0;
    while (start > 0 && result->step_exterior[start - 1] == exterior &&
           !memcmp(D, result->step_dual + (start - 1) * X->rows, (size_t)X->rows * sizeof *D))
        start--;
    for (int64_t j = 0; j < X->cols; j++)
        if (weights[j] > 0) best = fmax(best, scores[j] / weights[j]);
    for (int64_t i = 0; i < X->rows; i++) {
        if (!(fabs(D[i]) <= DBL_MAX)) return "its dual is not finite";
        size = fmax(size, fabs(D[i]));
    }
    if (loss == CH_LOSS_L1 && start > 0 && size > 1 + ROUNDING) return "its dual leaves [-1, 1]";
    for (int64_t s = 0; s < start; s++) {
        int64_t j = result->step_anchor[s];
        if (in_cone(result, s, step) && scores[j] > SCORE_SLACK * size * weights[j])
            return "its dual is positive on an anchor chosen before (Lemma 3.1)";
    }
    if (!(scores[exterior] > 0))
        return "its dual is not positive on the exterior column (Lemma 3.2)";
    if (!(scores[taken] >= (1 - SCORE_SLACK) * best * weights[taken]))
        return "another column has a larger score (selection rule)";
    return NULL;
}

static ch_status check_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const ch_result *result, int loss) {
    ch_random random;
    ch_status status = CH_OK;
    double *p = chi_alloc(context, X->rows, sizeof *p);
    double *weights = chi_alloc(context, X->cols, sizeof *weights);
    double *scores = chi_alloc(context, X->cols, sizeof *scores);
    if (!p || !weights || !scores) {
        status = chi_no_memory(context, "verification", X->rows + 2 * X->cols, sizeof *p);
        goto end;
    }
    ch_random_seed(&random, result->p_seed);
    for (int64_t i = 0; i < X->rows; i++) p[i] = 1 + 1e-5 * ch_random_uniform(&random);
    status = chi_score(context, weights, X, p, 1);
    for (int64_t step = 0; status == CH_OK && v->ok && step < result->steps; step++) {
        if (result->step_exterior[step] < 0) continue; /* given, or a rule without such a column */
        status = chi_score(context, scores, X, result->step_dual + step * X->rows, 1);
        if (status < 0) break;
        const char *fault = step_fault(X, result, step, loss, scores, weights);
        if (!fault) continue;
        v->ok = 0;
        snprintf(v->why, sizeof v->why, "step %lld, column %lld: %s", (long long)step,
                 (long long)result->step_anchor[step], fault);
    }
end:
    chi_free(context, scores);
    chi_free(context, weights);
    chi_free(context, p);
    return status;
}

/* Every final anchor was taken in some step, and steps name columns that exist. */
static void check_step_columns(ch_verification *v, const ch_matrix *X, const ch_result *result) {
    for (int64_t s = 0; s < result->steps; s++)
        if (result->step_anchor[s] < 0 || result->step_anchor[s] >= X->cols ||
            result->step_exterior[s] >= X->cols)
            refuse(v, "a step names a column that does not exist");
    for (int64_t k = 0; v->ok && k < result->rank; k++) {
        int64_t s = 0;
        while (s < result->steps && result->step_anchor[s] != result->anchors[k]) s++;
        if (s == result->steps) refuse(v, "an anchor was taken in no step");
    }
}

/* Stored duals lie in order inside their columns. */
static int duals_in_order(const ch_result *result) {
    if (!result->dual_start) return 1;
    if (result->dual_start[0] != 0) return 0;
    for (int64_t j = 0; j < result->cols; j++)
        if (result->dual_start[j + 1] < result->dual_start[j]) return 0;
    return 1;
}

ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                    const ch_result *result, const ch_anchors_settings *settings) {
    if (!context || !verification || !X || !result || !settings) return CH_ERR_ARGUMENT;
    if (!result->anchors || !result->W || !result->H)
        return chi_fail(context, CH_ERR_ARGUMENT, "verification needs anchors, W and H");
    TRY(ch_matrix_check(context, X));
    ch_verification v = {.ok = 1};
    if (result->rows != X->rows || result->cols != X->cols)
        refuse(&v, "the result belongs to a matrix of another size");
    else if (!duals_in_order(result))
        refuse(&v, "the stored duals are not in the order of the columns");
    if (v.ok) TRY(check_anchors(context, &v, X, result));
    if (v.ok) TRY(check_columns(context, &v, X, result, settings));
    if (v.ok && result->step_dual) check_step_columns(&v, X, result);
    if (v.ok && result->step_dual) TRY(check_steps(context, &v, X, result, settings->loss));
    *verification = v;
    return CH_OK;
}
