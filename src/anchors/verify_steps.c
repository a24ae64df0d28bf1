/* The recheck of the steps of xray (paper, Section 3): each took a legal anchor. Step s has the
 * exterior column x_i, the cone A of the anchors taken before, and a dual D:
 *
 *     D belongs to x_i:  D = x_i without any anchor (Algorithm 1, Initialize); else b >= 0 is
 *         optimal for x_i on A, up to tol, and D is minus the gradient of the loss at A b; under l1
 *         -1 <= D <= 1 and |x_i - A b|_1 - D'x_i <= tol |x_i|_1, strong duality (under quantile the
 *         loss in place of the norm, and -2 (1 - q) <= D <= 2 q), or the paper's
 *         signs (Remark 1) where the settings ask for them
 *     D'A <= 0 (Lemma 3.1), D'x_i > 0 (Lemma 3.2)
 *     the anchor maximises D'x_j / p'x_j over all columns that are not faint (Eq. 4), up to ties;
 *     neither it nor x_i is faint; where anchors come from a library alone, over that
 *
 * On a hull all of that holds for the lifted columns, p being 1 in the lifted row and 0 elsewhere,
 * and the origin, where it counts, is an anchor given in advance (docs/explanation/hulls.md).
 *
 * b is found by the projection of the solvers and believed only as far as verify_column.c proves
 * it; the rest multiplies, adds and compares. Anchors that tie share their exterior column and D,
 * which belong to the cone before the first of them (Remark 2).
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

/* A dual may be positive on an anchor by this share of its size; scores count as equal within a
 * share of the largest one, or of max_i |D_i|, which sets their rounding and the width of ties. */
static const double LEMMA_SLACK = 1e-9, SCORE_SLACK = 1e-12, TIE_SLACK = 2e-12;
/* D and the gradient made anew: shares of max_i |D_i|, and of the terms that the gradient is the
 * difference of. */
static const double DUAL_SLACK = 1e-9, TERM_SLACK = 1e-12;

typedef struct steps {
    ch_context *context;
    const ch_matrix *X;
    const ch_anchors_result *result;
    const ch_anchors_settings *set;
    int again; /* the last step chose once more, the first anchor not given having been dropped */
    chi_arena arena;
    chi_check check; /* W: the cone of the step at hand, in order */
    chi_check_space space;
    chi_cone cone;
    chi_projector projector;
    double *W, *b, *weights, *scores;
    const double *bright; /* sums of the columns without a lift */
    double *sums, faint;  /* of columns; those below are faint  */
    int64_t points;       /* columns of the data; behind them are a library and the origin      */
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

/* May the column be chosen? */
static int is_eligible(const steps *t, int64_t j) {
    return t->weights[j] >= CHI_ANCHOR_LEAST && !is_faint(t, j) &&
           (!t->set->library_only || j >= t->points);
}

/* ---- the order of the steps ---------------------------------------------------------------- */

static int same_columns(const int64_t *a, const int64_t *b, int64_t count) {
    return count <= 0 || !memcmp(a, b, (size_t)count * sizeof *a);
}

/* Are the anchors those of the steps, in order? again: but for the first that was not given, whose
 * place has the last; dropped: it is missing. */
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

/* May step s do without an exterior column? Anchors given in advance, and the rule greedy. */
static int needs_no_exterior(const steps *t, int64_t s) {
    if (s < t->set->keep_count) return t->result->step_anchor[s] == t->set->keep[s];
    return t->set->exterior == CH_EXTERIOR_GREEDY;
}

/* Steps name columns that exist, no column stands twice among those taken for good, and each has
 * the exterior column that its rule asks for. */
static void check_step_columns(ch_verification *v, const steps *t) {
    const ch_anchors_result *r = t->result;
    for (int64_t s = 0; v->ok && s < r->steps; s++) {
        if (r->step_anchor[s] < 0 || r->step_anchor[s] >= t->X->cols ||
            r->step_exterior[s] >= t->points || r->step_exterior[s] < -1)
            chi_refuse(v, "a step names a column that does not exist");
        else if (s < t->set->keep_count && r->step_anchor[s] != t->set->keep[s])
            chi_refuse(v, "step %lld took column %lld, and column %lld was given in advance",
                       (long long)s, (long long)r->step_anchor[s], (long long)t->set->keep[s]);
        else if ((r->step_exterior[s] < 0) != needs_no_exterior(t, s))
            chi_refuse(v, r->step_exterior[s] < 0
                              ? "a step has no exterior column, and its anchor was not given"
                              : "a step has an exterior column, which its rule does not use");
    }
    if (v->ok && !in_order(t, 0, 0) && !in_order(t, 1, 0) && !in_order(t, 0, 1))
        chi_refuse(v, "the anchors are not those of the steps, in their order");
}

/* ---- the dual of a step -------------------------------------------------------------------- */

/* Is the step the first with its dual? */
static int begins(const steps *t, int64_t s) {
    const int64_t *exterior = t->result->step_exterior;
    if (s == 0 || exterior[s - 1] != exterior[s]) return 1;
    if (t->again && s == t->result->steps - 1) return 1;
    return memcmp(dual_of(t, s), dual_of(t, s - 1), (size_t)t->X->rows * sizeof(double)) != 0;
}

/* On a hull the last entry of the dual is what makes it positive on no anchor, and 0 on one. */
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

/* space.d = minus the gradient at y = A b, space.v: the size of the terms it is made of. */
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
        s->d[e] = -s->d[e];
        s->v[e] *= s->value[e] + s->y[e];
    }
    if (!c->hull) return;
    s->v[rows - 1] = 0;
    for (int64_t e = 0; e < rows - 1; e++) s->v[rows - 1] = fmax(s->v[rows - 1], s->v[e]);
    add_multiplier(t);
}

/* Is D = (g - shift) / (1 + shift / max |g|), g being space.d? */
static int is_shifted(const steps *t, const double *D, double shift, double size) {
    const chi_check_space *s = &t->space;
    for (int64_t e = 0; e < t->X->rows; e++) {
        double g = (s->d[e] - shift) / (1 + shift / size);
        if (!(fabs(D[e] - g) <= DUAL_SLACK * size + TERM_SLACK * s->v[e])) return 0;
    }
    return 1;
}

/* Of losses with a gradient: D is minus that, or that made positive on no anchor by a shift. */
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
    return "its dual is not the gradient at the projection of the exterior column";
}

/* The paper's: 1 where x_i > (A b)_i, else -1. */
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

/* The dual of step s, whose cone is in place, belongs to its exterior column. */
static const char *dual_fault(steps *t, int64_t s, double inner) {
    const double *D = dual_of(t, s);
    int64_t i = t->result->step_exterior[s], rows = t->X->rows;
    if (t->check.rank == 0) {
        chi_column_gather(t->space.value, t->X, i);
        return memcmp(t->space.value, D, (size_t)rows * sizeof *D) == 0
                   ? NULL
                   : "its dual is not the exterior column, as before the first anchor";
    }
    chi_fit fit;
    chi_project_column(&t->projector, 0, &fit, t->b, NULL, i);
    chi_column_report found = chi_check_column(&t->check, &t->space, t->b, i);
    if (!chi_check_by_signs(
            &t->check)) { /* a bound can be lost to rounding where the gradient is not */
        double error = found.error;
        if (t->check.loss != CH_LOSS_L2) error = fmin(error, found.stationarity);
        if (!(error <= t->check.tol + CHI_ROUNDING))
            return "the projection of its exterior column is not proven";
        return gradient_fault(t, D, i);
    }
    if (found.objective - inner <= (t->check.tol + DUAL_SLACK) * t->weights[i]) return NULL;
    if (t->set->dual == CH_DUAL_PAPER && is_paper_dual(t, D, i)) return NULL;
    return "its dual does not prove the distance of the exterior column (strong duality)";
}

/* Of l1 and quantile: not -(1 + skew) <= D <= 1 - skew. */
static int leaves_box(const steps *t, const double *D) {
    double skew = t->check.skew;
    for (int64_t e = 0; e < t->X->rows; e++)
        if (D[e] > 1 - skew + CHI_ROUNDING || D[e] < -(1 + skew) - CHI_ROUNDING) return 1;
    return 0;
}

/* ---- a step -------------------------------------------------------------------------------- */

/* start: the cone that the dual belongs to is that before this step. */
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
        return t->check.skew == 0 ? "its dual leaves [-1, 1]" : "its dual leaves [-2 (1 - q), 2 q]";
    if (!(t->weights[taken] >= CHI_ANCHOR_LEAST)) return "the anchor is too small for one";
    if (is_faint(t, taken) || is_faint(t, exterior))
        return "a faint column was used, which the settings exclude";
    if (!is_eligible(t, taken)) return "the anchor is no column of the library";
    for (int64_t s = 0; s < start; s++) {
        int64_t j = r->step_anchor[s];
        if (t->again && step == r->steps - 1 && s == first_chosen(t)) continue;
        if (scores[j] > LEMMA_SLACK * size * t->weights[j])
            return "its dual is positive on an anchor chosen before (Lemma 3.1)";
    }
    if (!(scores[exterior] > 0))
        return "its dual is not positive on the exterior column (Lemma 3.2)";
    double least = t->set->library_only ? LEMMA_SLACK * size * t->weights[taken] : 0;
    if (!(scores[taken] > least)) return "its dual is not positive on the anchor";
    if (!(scores[taken] >= ((1 - SCORE_SLACK) * best - TIE_SLACK * size) * t->weights[taken]))
        return "another column has a larger score (selection rule)";
    return start == step ? dual_fault(t, step, scores[exterior]) : NULL;
}

/* The anchor of the step enters the cone. */
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

/* p = 1 + U(0, 1e-5) by row, on a hull the lifted one alone; p'X, and which columns are faint. */
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
            chi_refuse(v, "step %lld, column %lld: %s", (long long)s, (long long)r->step_anchor[s],
                       fault);
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
        chi_refuse(v, "the steps of the selection are not stored");
        return CH_OK;
    }
    check_step_columns(v, &t);
    if (!v->ok) return CH_OK;
    t.again = in_order(&t, 1, 0);
    int either = t.again && in_order(&t, 0, 1); /* two anchors at most were chosen */
    steps other = t;
    ch_verification first = *v;
    TRY(check_walk(&first, &t));
    other.again = 0;
    if (!first.ok && either) TRY(check_walk(v, &other));
    if (!either || first.ok) *v = first;
    return CH_OK;
}
