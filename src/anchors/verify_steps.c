/* Checks that each step of xray took a legal anchor (paper, Section 3). Step s has an exterior
 * column x_i, the cone A of the anchors before it, and a dual D. The conditions are:
 *
 *   - D belongs to x_i. Without any anchor, D = x_i (Algorithm 1, Initialize). Otherwise some b >=
 *     0 is optimal for x_i on A, up to tol, and D is minus the gradient of the loss at A b. Under
 *     l1, -1 <= D <= 1 and |x_i - A b|_1 - D'x_i <= tol |x_i|_1 (strong duality); under quantile,
 *     the same with its loss in place of the norm and -2 (1 - q) <= D <= 2 q. With --dual paper, D
 *     may also be the paper's signs (Remark 1).
 *   - D'A <= 0 (Lemma 3.1) and D'x_i > 0 (Lemma 3.2).
 *   - The anchor maximises D'x_j / p'x_j, up to ties, over all columns that are not faint, or over
 *     the library with anchors from a library only (Eq. 4). x_i is not faint.
 *
 * On a hull the conditions hold for the lifted columns, with p = 1 in the lifted row and 0
 * elsewhere. The origin of convex0 is an anchor given in advance (docs/explanation/hulls.md).
 *
 * b comes from the solvers' projection and is used only as far as verify_column.c proves it. The
 * rest is products, sums and comparisons. Anchors that tie share an exterior column and D, which
 * belong to the cone before the first of them (Remark 2).
 *
 * Cost: a pass over X for every CHI_SCORE_MAX steps, and a projection per step. */
#include "anchors/hull_lift.h"
#include "anchors/verify.h"
#include "linalg/linalg.h"
#include "project/columns/projector.h"
#include "xray/xray.h"
#include <conehull/random.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* LEMMA_SLACK: a dual may be positive on an anchor by this share of max_i |D_i|. Scores count as
 * equal if they differ by at most SCORE_SLACK times the largest score plus TIE_SLACK times max_i
 * |D_i|, which covers rounding and the selection's own width of ties. */
static const double LEMMA_SLACK = 1e-9, SCORE_SLACK = 1e-12, TIE_SLACK = 2e-12;
/* D may differ from the recomputed gradient by DUAL_SLACK times max_i |D_i| plus TERM_SLACK times
 * the size of the terms whose difference the gradient is. */
static const double DUAL_SLACK = 1e-9, TERM_SLACK = 1e-12;

typedef struct steps {
    ch_context *context;
    const ch_matrix *X;
    const ch_anchors_result *result;
    const ch_anchors_settings *set;
    int again; /* the last step replaced the first anchor that was not given */
    chi_arena arena;
    chi_check check; /* W: the cone of the current step, in order */
    chi_check_space space;
    chi_cone cone;
    chi_projector projector;
    double *W, *b, *weights, *scores;
    const double *bright; /* sums of the columns without the lifted row; NULL: compute them */
    double *sums, faint;  /* sums of columns; columns with a sum below faint are faint */
    int64_t points;       /* columns of the data; a library and the origin follow them */
} steps;

static const double *dual_of(const steps *t, int64_t s) {
    return t->result->step_dual + s * t->X->rows;
}

static int64_t first_chosen(const steps *t) {
    return t->set->keep_count;
}

static int is_faint(const steps *t, int64_t j) {
    return j < t->points && t->sums[j] < t->faint;
}

/* Returns whether the column may be chosen as an anchor. */
static int is_eligible(const steps *t, int64_t j) {
    return t->weights[j] >= CHI_ANCHOR_LEAST && !is_faint(t, j) &&
           (!t->set->library_only || j >= t->points);
}

/* ---- the order of the steps ---------------------------------------------------------------- */

static int same_columns(const int64_t *a, const int64_t *b, int64_t count) {
    return count <= 0 || !memcmp(a, b, (size_t)count * sizeof *a);
}

/* Returns whether the anchors are those of the steps, in order. again: the first anchor that was
 * not given was replaced by that of the last step. dropped: it was dropped without replacement. */
static int in_order(const steps *t, int again, int dropped) {
    const ch_anchors_result *r = t->result;
    int64_t f = first_chosen(t), rank = r->rank;
    if (!again && !dropped)
        return r->steps == rank && same_columns(r->anchors, r->step_anchor, rank);
    if (r->steps != rank + 1 || rank < f || t->set->first != CH_FIRST_RESELECT) return 0;
    if (!same_columns(r->anchors, r->step_anchor, f)) return 0;
    if (dropped) return same_columns(r->anchors + f, r->step_anchor + f + 1, rank - f);
    return rank > f && r->anchors[f] == r->step_anchor[rank] &&
           same_columns(r->anchors + f + 1, r->step_anchor + f + 1, rank - f - 1);
}

/* Returns whether step s must have no exterior column, as for anchors given in advance and under
 * the rule greedy. */
static int needs_no_exterior(const steps *t, int64_t s) {
    if (s < t->set->keep_count) return t->result->step_anchor[s] == t->set->keep[s];
    return t->set->exterior == CH_EXTERIOR_GREEDY;
}

/* Checks that steps name existing columns, that each has an exterior column if and only if its rule
 * uses one, and that the anchors of the result are those of the steps. */
static void check_step_columns(ch_verification *v, const steps *t) {
    const ch_anchors_result *r = t->result;
    for (int64_t s = 0; v->ok && s < r->steps; s++) {
        if (r->step_anchor[s] < 0 || r->step_anchor[s] >= t->X->cols ||
            r->step_exterior[s] >= t->points || r->step_exterior[s] < -1)
            chi_refuse(v, "a stored step of the selection names a column that does not exist");
        else if (s < t->set->keep_count && r->step_anchor[s] != t->set->keep[s])
            chi_refuse(v,
                       "step %lld selected column %lld, although column %lld was given as an "
                       "anchor (keep)",
                       (long long)s, (long long)r->step_anchor[s], (long long)t->set->keep[s]);
        else if ((r->step_exterior[s] < 0) != needs_no_exterior(t, s))
            chi_refuse(v, r->step_exterior[s] < 0 ? "a stored step has no exterior column, "
                                                    "although its anchor was not given in advance"
                                                  : "a stored step has an exterior column, "
                                                    "although its selection rule uses none");
    }
    if (v->ok && !in_order(t, 0, 0) && !in_order(t, 1, 0) && !in_order(t, 0, 1))
        chi_refuse(v, "the stored list of anchors differs from the anchors of the stored steps");
}

/* ---- the dual of a step -------------------------------------------------------------------- */

/* Returns whether step s is the first one with its dual. */
static int begins(const steps *t, int64_t s) {
    const int64_t *exterior = t->result->step_exterior;
    if (s == 0 || exterior[s - 1] != exterior[s]) return 1;
    if (t->again && s == t->result->steps - 1) return 1;
    return memcmp(dual_of(t, s), dual_of(t, s - 1), (size_t)t->X->rows * sizeof(double)) != 0;
}

/* Sets the lifted entry of the dual to the largest value for which the dual is positive on no
 * anchor. */
static void add_multiplier(const steps *t) {
    const chi_check *c = &t->check;
    int64_t last = t->X->rows - 1;
    double most = -INFINITY;
    for (int64_t k = 0; k < c->rank; k++) {
        double along = 0;
        for (int64_t e = 0; e < last; e++) along += c->W[e + k * (last + 1)] * t->space.d[e];
        most = fmax(most, along);
    }
    t->space.d[last] = -most / c->W[last];
}

/* Computes space.d = minus the gradient at y = A b, and space.v = the size of the terms whose
 * difference it is. */
static void make_gradient(const steps *t, int64_t i) {
    const chi_check *c = &t->check;
    const chi_check_space *s = &t->space;
    int64_t rows = t->X->rows;
    chi_column_gather(s->value, t->X, i);
    memset(s->y, 0, (size_t)rows * sizeof *s->y);
    for (int64_t k = 0; k < c->rank; k++)
        for (int64_t e = 0; e < rows && t->b[k] != 0; e++) s->y[e] += c->W[e + k * rows] * t->b[k];
    if (c->loss == CH_LOSS_L2) {
        for (int64_t e = 0; e < rows; e++) {
            s->d[e] = s->value[e] - s->y[e];
            s->v[e] = s->value[e] + s->y[e];
        }
        if (c->hull) add_multiplier(t);
        return;
    }
    const chi_loss *loss = &c->divergence;
    for (int64_t e = 0; e < rows; e++) {
        s->y[e] += loss->floor;
        if (loss->lifts_data) s->value[e] += loss->floor;
    }
    chi_loss_slopes(loss, s->d, NULL, s->v, s->value, s->y, rows);
    for (int64_t e = 0; e < rows; e++) {
        double weight = c->row_weight && e < rows - c->hull ? c->row_weight[e] : 1;
        s->d[e] *= -weight;
        s->v[e] *= weight * (s->value[e] + s->y[e]);
    }
    if (!c->hull) return;
    s->v[rows - 1] = 0;
    for (int64_t e = 0; e < rows - 1; e++) s->v[rows - 1] = fmax(s->v[rows - 1], s->v[e]);
    add_multiplier(t);
}

/* Returns whether D = (g - shift) / (1 + shift / max |g|) with g = space.d. */
static int is_shifted(const steps *t, const double *D, double shift, double size) {
    const chi_check_space *s = &t->space;
    for (int64_t e = 0; e < t->X->rows; e++) {
        double g = (s->d[e] - shift) / (1 + shift / size);
        if (!(fabs(D[e] - g) <= DUAL_SLACK * size + TERM_SLACK * s->v[e])) return 0;
    }
    return 1;
}

/* For losses with a gradient: D must be minus the gradient, or this after a shift that makes it
 * positive on no anchor. Returns the fault, or NULL. */
static const char *gradient_fault(const steps *t, const double *D, int64_t i) {
    int64_t rows = t->X->rows;
    double shift = 0, size = 0;
    make_gradient(t, i);
    for (int64_t e = 0; e < rows; e++) size = fmax(size, fabs(t->space.d[e]));
    for (int64_t k = 0; k < t->check.rank; k++) {
        double along = 0;
        for (int64_t e = 0; e < rows; e++) along += t->check.W[e + k * rows] * t->space.d[e];
        shift = fmax(shift, along / t->check.sums[k]);
    }
    if (is_shifted(t, D, 0, size) || is_shifted(t, D, shift, size)) return NULL;
    return "its dual is not the gradient of the loss at the projection of its exterior column";
}

/* Returns whether D is the dual of the paper: 1 where x_i > (A b)_i, else -1. */
static int is_paper_dual(const steps *t, const double *D, int64_t i) {
    int64_t rows = t->X->rows;
    chi_column_gather(t->space.value, t->X, i);
    for (int64_t e = 0; e < rows; e++) {
        double y = 0, x = t->space.value[e];
        for (int64_t k = 0; k < t->check.rank; k++) y += t->check.W[e + k * rows] * t->b[k];
        if (D[e] != 1 && D[e] != -1) return 0;
        if ((x - y) * D[e] < -1e-6 * (x + y)) return 0;
    }
    return 1;
}

/* Checks that the dual of step s belongs to its exterior column; t->check must hold the cone before
 * the step. inner = D'x_i. Returns the fault, or NULL. */
static const char *dual_fault(steps *t, int64_t s, double inner) {
    const double *D = dual_of(t, s);
    int64_t i = t->result->step_exterior[s], rows = t->X->rows;
    if (t->check.rank == 0) {
        chi_column_gather(t->space.value, t->X, i);
        return memcmp(t->space.value, D, (size_t)rows * sizeof *D) == 0
                   ? NULL
                   : "its dual differs from its exterior column, although no anchor had been "
                     "selected before";
    }
    chi_fit fit;
    chi_project_column(&t->projector, 0, &fit, t->b, NULL, i);
    chi_column_report found = chi_check_column(&t->check, &t->space, t->b, i);
    if (!chi_check_by_signs(&t->check)) {
        /* Either proof suffices: rounding may spoil the bound where the gradient is accurate. */
        double error = found.error;
        if (t->check.loss != CH_LOSS_L2) error = fmin(error, found.stationarity);
        if (!(error <= t->check.tol + CHI_ROUNDING))
            return "the projection of its exterior column is not proven optimal";
        return gradient_fault(t, D, i);
    }
    if (found.objective - inner <= (t->check.tol + DUAL_SLACK) * t->weights[i]) return NULL;
    if (t->set->dual == CH_DUAL_PAPER && is_paper_dual(t, D, i)) return NULL;
    return "its dual does not prove the distance of the exterior column (strong duality)";
}

/* Returns whether D violates -(1 + skew) <= D <= 1 - skew, for l1 and quantile. */
static int leaves_box(const steps *t, const double *D) {
    double skew = t->check.skew;
    for (int64_t e = 0; e < t->X->rows; e++)
        if (D[e] > 1 - skew + CHI_ROUNDING || D[e] < -(1 + skew) - CHI_ROUNDING) return 1;
    return 0;
}

/* ---- a step -------------------------------------------------------------------------------- */

/* Returns the fault of a step, or NULL. The dual belongs to the cone before step `start`. */
static const char *step_fault(steps *t, int64_t step, int64_t start, const double *scores) {
    const ch_anchors_result *r = t->result;
    const double *D = dual_of(t, step);
    int64_t exterior = r->step_exterior[step], taken = r->step_anchor[step];
    double best = 0, size = 0;
    for (int64_t j = 0; j < t->X->cols; j++)
        if (is_eligible(t, j)) best = fmax(best, scores[j] / t->weights[j]);
    for (int64_t i = 0; i < t->X->rows; i++) {
        if (!(fabs(D[i]) <= DBL_MAX)) return "its dual is not finite";
        size = fmax(size, fabs(D[i]));
    }
    if (chi_check_by_signs(&t->check) && start > 0 && leaves_box(t, D))
        return t->check.skew == 0 ? "its dual has entries outside [-1, 1]"
                                  : "its dual has entries outside [-2 (1 - q), 2 q]";
    if (!(t->weights[taken] >= CHI_ANCHOR_LEAST))
        return "the selected column is too small to be an anchor";
    if (is_faint(t, taken) || is_faint(t, exterior))
        return "it uses a faint column, although the settings exclude faint columns";
    if (!is_eligible(t, taken)) return "the anchor is not a column of the library";
    for (int64_t s = 0; s < start; s++) {
        int64_t j = r->step_anchor[s];
        if (t->again && step == r->steps - 1 && s == first_chosen(t)) continue;
        if (scores[j] > LEMMA_SLACK * size * t->weights[j])
            return "the inner product of its dual with an anchor chosen earlier is positive (Lemma "
                   "3.1 of the "
                   "paper)";
    }
    if (!(scores[exterior] > 0))
        return "the inner product of its dual with the exterior column is not positive (Lemma 3.2 "
               "of the "
               "paper)";
    double least = t->set->library_only ? LEMMA_SLACK * size * t->weights[taken] : 0;
    if (!(scores[taken] > least)) return "its dual is not positive on the anchor";
    if (!(scores[taken] >= ((1 - SCORE_SLACK) * best - TIE_SLACK * size) * t->weights[taken]))
        return "another column has a larger score (selection rule)";
    return start == step ? dual_fault(t, step, scores[exterior]) : NULL;
}

/* Appends the column to the cone. */
static void append(steps *t, int64_t column) {
    double *a = t->W + t->check.rank * t->X->rows;
    chi_column_gather(a, t->X, column);
    chi_cone_append(&t->cone, a);
    t->check.rank++;
    chi_check_update(&t->check, t->check.rank - 1);
}

static void drop(steps *t, int64_t k) {
    int64_t rows = t->X->rows;
    memmove(t->W + k * rows, t->W + (k + 1) * rows,
            (size_t)(rows * (t->check.rank - k - 1)) * sizeof *t->W);
    chi_cone_remove(&t->cone, k);
    t->check.rank--;
    chi_check_update(&t->check, 0);
}

/* Draws p = 1 + U(0, 1e-5) (on a hull: 1 in the lifted row, else 0), computes p'X and finds which
 * columns are faint. */
static ch_status weigh_columns(steps *t) {
    ch_random random;
    double *p = t->space.value;
    ch_random_seed(&random, t->result->p_seed);
    for (int64_t i = 0; i < t->X->rows; i++)
        p[i] = t->check.hull ? i == t->X->rows - 1 : 1 + 1e-5 * ch_random_uniform(&random);
    TRY(chi_score(t->context, t->weights, t->X, p, 1));
    if (t->bright)
        memcpy(t->sums, t->bright, (size_t)t->X->cols * sizeof *t->sums);
    else
        TRY(chi_column_norms(t->context, t->sums, NULL, t->X));
    return chi_faint_limit(t->context, &t->faint, t->sums, t->points, t->set->faint);
}

static ch_status walk(steps *t, ch_verification *v) {
    const ch_anchors_result *r = t->result;
    int64_t start = 0;
    for (int64_t s = 0; v->ok && s < r->steps; s++) {
        int64_t left = r->steps - s, at = s % CHI_SCORE_MAX;
        if (at == 0)
            TRY(chi_score(t->context, t->scores, t->X, dual_of(t, s),
                          (int)(left < CHI_SCORE_MAX ? left : CHI_SCORE_MAX)));
        if (t->again && s == r->steps - 1) drop(t, first_chosen(t));
        if (begins(t, s)) start = s;
        const char *fault =
            r->step_exterior[s] < 0 ? NULL : step_fault(t, s, start, t->scores + at * t->X->cols);
        if (fault)
            chi_refuse(v, "step %lld of the selection, which selected column %lld, is wrong: %s",
                       (long long)s, (long long)r->step_anchor[s], fault);
        append(t, r->step_anchor[s]);
    }
    return CH_OK;
}

static ch_status create(steps *t) {
    chi_arena *arena = &t->arena;
    int64_t most = t->result->steps, rows = t->X->rows;
    t->W = chi_arena_doubles(arena, rows * most);
    t->b = chi_arena_doubles(arena, most);
    t->weights = chi_arena_doubles(arena, t->X->cols);
    t->sums = chi_arena_doubles(arena, t->X->cols);
    t->scores = chi_arena_doubles(arena, CHI_SCORE_MAX * t->X->cols);
    chi_check_space_create(&t->space, arena, rows, most);
    TRY(chi_check_create(t->context, &t->check, arena, t->X, t->set, most));
    TRY(chi_arena_status(arena, "verification"));
    t->check.W = t->W;
    TRY(chi_cone_create(t->context, &t->cone, rows, most));
    return chi_projector_create(t->context, &t->projector, &t->cone, t->X, t->set);
}

static ch_status check_walk(ch_verification *v, steps *t) {
    ch_status status = create(t);
    if (status == CH_OK) status = weigh_columns(t);
    if (status == CH_OK) status = walk(t, v);
    chi_projector_destroy(&t->projector);
    chi_cone_destroy(&t->cone);
    chi_arena_free(&t->arena);
    return status;
}

ch_status chi_verify_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                           const ch_anchors_result *result, const ch_anchors_settings *resolved,
                           const double *bright) {
    steps t = {.context = context, .X = X, .result = result, .set = resolved, .bright = bright};
    t.arena.context = context;
    t.points = X->cols - chi_library_cols(resolved) - (resolved->hull == CH_HULL_CONVEX0);
    if (result->steps < result->rank || !result->step_dual || !result->step_anchor ||
        !result->step_exterior) {
        chi_refuse(v, "the stored result does not contain the steps of the selection");
        return CH_OK;
    }
    check_step_columns(v, &t);
    if (!v->ok) return CH_OK;
    t.again = in_order(&t, 1, 0);
    int either = t.again && in_order(&t, 0, 1); /* both fit: at most two were chosen */
    steps other = t;
    ch_verification first = *v;
    TRY(check_walk(&first, &t));
    other.again = 0;
    if (!first.ok && either) TRY(check_walk(v, &other));
    if (!either || first.ok) *v = first;
    return CH_OK;
}
