/* The recheck of a result, from X and the result's arrays alone. No solver code is shared: it only
 * multiplies, adds and compares.
 *
 * W is X_A, anchors are distinct columns, H >= 0 and optimal for its anchors (verify_columns.c).
 * Per step s with exterior column i and dual D (Lemmas 3.1, 3.2 and the selection rule of the
 * paper): D'X_A <= 0 for the anchors chosen before, D'X_i > 0, and the anchor taken maximises D'X_j
 * / p'X_j.
 *
 * Cost: one pass over X per step, besides the columns. */
#include "anchors/anchors_internal.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include "linalg/survey.h"
#include <conehull/random.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A column counts as a maximiser whose score is within this share of the largest one, or within
 * that share of max_i |D_i|, the scale by which scores are rounded and ties are told. */
static const double SCORE_SLACK = 1e-9, TIE_SLACK = 2e-12;
/* Columns of a smaller sum are no anchors. */
static const double ANCHOR_LEAST = 0x1p-500;

void chi_refuse(ch_verification *v, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    v->ok = 0;
    vsnprintf(v->why, sizeof v->why, format, rest);
    va_end(rest);
}

/* W is X_A, to the bit, and no column stands twice. */
static ch_status check_anchors(ch_context *context, ch_verification *v, const ch_matrix *X,
                               const ch_anchors_result *result) {
    chi_arena arena = {.context = context};
    char *seen = chi_arena_alloc_zero(&arena, X->cols, 1);
    double *x = chi_arena_doubles(&arena, X->rows);
    ch_status status = chi_arena_status(&arena, "verification");
    for (int64_t k = 0; status == CH_OK && v->ok && k < result->rank; k++) {
        int64_t j = result->anchors[k];
        if (j < 0 || j >= X->cols || seen[j]) {
            chi_refuse(v, "anchor %lld (column %lld) is not in X or listed twice", (long long)k,
                       (long long)j);
            break;
        }
        seen[j] = 1;
        chi_column_gather(x, X, j);
        for (int64_t i = 0; v->ok && i < X->rows; i++)
            if (x[i] != result->W[i + k * X->rows])
                chi_refuse(v, "column %lld of W is not column %lld of X (row %lld)", (long long)k,
                           (long long)j, (long long)i);
    }
    chi_arena_free(&arena);
    return status;
}

/* Was the anchor of step s in the cone when `step` was taken? The last of rank + 1 steps is the
 * re-selection of the first anchor that was not given, which had been dropped just before. */
static int in_cone(const ch_anchors_result *result, int64_t s, int64_t step) {
    int64_t first = 0;
    while (result->step_exterior[first] < 0) first++;
    int dropped = result->steps > result->rank && step == result->steps - 1 && s == first;
    return s < step && !dropped;
}

/* scores = D'X, weights = p'X over all columns. Anchors taken in one step by Remark (2) share their
 * exterior column and dual: the earlier of them is no member of the cone that the dual is for. */
static const char *step_fault(const ch_matrix *X, const ch_anchors_result *result, int64_t step,
                              int loss, const double *scores, const double *weights) {
    const double *D = result->step_dual + step * X->rows;
    int64_t exterior = result->step_exterior[step], taken = result->step_anchor[step];
    int64_t start = step;
    double best = 0, size = 0;
    while (start > 0 && result->step_exterior[start - 1] == exterior &&
           !memcmp(D, result->step_dual + (start - 1) * X->rows, (size_t)X->rows * sizeof *D))
        start--;
    for (int64_t j = 0; j < X->cols; j++)
        if (weights[j] >= ANCHOR_LEAST) best = fmax(best, scores[j] / weights[j]);
    for (int64_t i = 0; i < X->rows; i++) {
        if (!(fabs(D[i]) <= DBL_MAX)) return "its dual is not finite";
        size = fmax(size, fabs(D[i]));
    }
    if (loss == CH_LOSS_L1 && start > 0 && size > 1 + CHI_ROUNDING)
        return "its dual leaves [-1, 1]";
    for (int64_t s = 0; s < start; s++) {
        int64_t j = result->step_anchor[s];
        if (in_cone(result, s, step) && scores[j] > SCORE_SLACK * size * weights[j])
            return "its dual is positive on an anchor chosen before (Lemma 3.1)";
    }
    if (!(scores[exterior] > 0))
        return "its dual is not positive on the exterior column (Lemma 3.2)";
    if (!(scores[taken] > 0)) return "its dual is not positive on the anchor";
    if (!(scores[taken] >= ((1 - SCORE_SLACK) * best - TIE_SLACK * size) * weights[taken]))
        return "another column has a larger score (selection rule)";
    return NULL;
}

static ch_status check_steps(ch_context *context, ch_verification *v, const ch_matrix *X,
                             const ch_anchors_result *result, int loss) {
    ch_random random;
    chi_arena arena = {.context = context};
    double *p = chi_arena_doubles(&arena, X->rows);
    double *weights = chi_arena_doubles(&arena, X->cols);
    double *scores = chi_arena_doubles(&arena, X->cols);
    ch_status status = chi_arena_status(&arena, "verification");
    ch_random_seed(&random, result->p_seed);
    for (int64_t i = 0; status == CH_OK && i < X->rows; i++)
        p[i] = 1 + 1e-5 * ch_random_uniform(&random);
    if (status == CH_OK) status = chi_score(context, weights, X, p, 1);
    for (int64_t step = 0; status == CH_OK && v->ok && step < result->steps; step++) {
        if (result->step_exterior[step] < 0) continue; /* given, or a rule without such a column */
        status = chi_score(context, scores, X, result->step_dual + step * X->rows, 1);
        if (status < 0) break;
        const char *fault = step_fault(X, result, step, loss, scores, weights);
        if (fault)
            chi_refuse(v, "step %lld, column %lld: %s", (long long)step,
                       (long long)result->step_anchor[step], fault);
    }
    chi_arena_free(&arena);
    return status;
}

/* May step s do without an exterior column? Anchors given in advance, and the greedy rule, whose
 * criterion over all residuals is not rechecked. */
static int needs_no_exterior(const ch_anchors_result *result, const ch_anchors_settings *settings,
                             int64_t s) {
    if (s < settings->keep_count) return result->step_anchor[s] == settings->keep[s];
    return settings->exterior == CH_EXTERIOR_GREEDY;
}

/* Every final anchor was taken in some step, steps name columns that exist, and each has the
 * exterior column that its rule asks for. */
static void check_step_columns(ch_verification *v, const ch_matrix *X,
                               const ch_anchors_result *result,
                               const ch_anchors_settings *settings) {
    if (result->steps < result->rank || !result->step_dual)
        chi_refuse(v, "the steps of the selection are not stored");
    for (int64_t s = 0; v->ok && s < result->steps; s++) {
        if (result->step_anchor[s] < 0 || result->step_anchor[s] >= X->cols ||
            result->step_exterior[s] >= X->cols)
            chi_refuse(v, "a step names a column that does not exist");
        else if (result->step_exterior[s] < 0 && !needs_no_exterior(result, settings, s))
            chi_refuse(v, "a step has no exterior column, and its anchor was not given");
    }
    for (int64_t k = 0; v->ok && k < result->rank; k++) {
        int64_t s = 0;
        while (s < result->steps && result->step_anchor[s] != result->anchors[k]) s++;
        if (s == result->steps) chi_refuse(v, "an anchor was taken in no step");
    }
}

/* Stored duals lie in order inside their columns. */
static int duals_in_order(const ch_anchors_result *result) {
    if (!result->dual_start) return 1;
    if (result->dual_start[0] != 0) return 0;
    for (int64_t j = 0; j < result->cols; j++)
        if (result->dual_start[j + 1] < result->dual_start[j]) return 0;
    return 1;
}

static ch_status verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                        const double *norms, const ch_anchors_result *result,
                        const ch_anchors_settings *settings) {
    ch_verification v = {.size = sizeof v, .ok = 1};
    if (result->rows != X->rows || result->cols != X->cols)
        chi_refuse(&v, "the result belongs to a matrix of another size");
    else if (!duals_in_order(result))
        chi_refuse(&v, "the stored duals are not in the order of the columns");
    if (v.ok) TRY(check_anchors(context, &v, X, result));
    if (v.ok) TRY(chi_verify_columns(context, &v, X, norms, result, settings));
    if (settings->method == CH_METHOD_XRAY) {
        if (v.ok) check_step_columns(&v, X, result, settings);
        if (v.ok) TRY(check_steps(context, &v, X, result, settings->loss));
    }
    chi_result_give(verification, &v, sizeof v);
    return CH_OK;
}

ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                    const ch_anchors_result *result, const ch_anchors_settings *settings) {
    if (!context || !verification || !X || !result || !settings) return CH_ERR_ARGUMENT;
    ch_anchors_result own = {.size = sizeof own};
    ch_anchors_settings set;
    TRY(chi_sized_check(context, verification, "ch_verification"));
    TRY(chi_sized_take(context, &own, sizeof own, result, "ch_anchors_result"));
    TRY(chi_settings_take(context, &set, ch_anchors_table(), settings));
    if (!own.anchors || !own.W || !own.H)
        return chi_fail(context, CH_ERR_ARGUMENT, "verification needs anchors, W and H");
    int l2 = chi_loss_of(&set) == CH_LOSS_L2;
    chi_survey survey;
    chi_begin_phase(context, "verify", 0);
    ch_status status = chi_survey_make(context, &survey, X,
                                       CHI_SURVEY_CHECK | CHI_SURVEY_CANCELLABLE |
                                           (l2 ? CHI_SURVEY_SQUARES : CHI_SURVEY_SUMS));
    if (status == CH_OK)
        status = verify(context, verification, X, l2 ? survey.squares : survey.sums, &own, &set);
    chi_survey_free(&survey);
    return chi_outside_status(status);
}
