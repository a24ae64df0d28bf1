/* Checks a result from X, the settings and the arrays of the result. In this order:
 *
 *     the floor and the number of non-zeros follow from X
 *     W is X_A, to the bit, and anchors are distinct columns
 *     H >= 0, every column is optimal for W up to tol, and the objective, the last residual, the
 *         certificate and the number of unproven columns are as stored (verify_columns.c)
 *     every step of xray is a legal choice                              (verify_steps.c)
 *     a run with the same settings gives the same result                (verify_repeat.c)
 *
 * The first four do not rely on the solvers: what a solver computes there is proven before it is
 * used. docs/explanation/certificates.md states what they prove. */
#include "anchors/verify.h"
#include "anchors/advice.h"
#include "anchors/known_columns.h"
#include "base/sized.h"
#include "linalg/linalg.h"
#include "linalg/survey.h"
#include "xray/xray.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void chi_refuse(ch_verification *v, const char *format, ...) {
    va_list rest;
    if (!v->ok) return;
    va_start(rest, format);
    v->ok = 0;
    vsnprintf(v->why, sizeof v->why, format, rest);
    va_end(rest);
}

/* Returns whether entry (i, k) of W is marked as completed exactly if it was not known. */
static int marked(const ch_anchors_result *result, const chi_usable *usable, int64_t i, int64_t k) {
    int64_t rows = usable->data->rows, j = result->anchors[k];
    int unknown = usable->unknown > 0 && j < usable->data->cols && !usable->mark[i + j * rows];
    int claimed = result->completed_entries && result->completed_entries[i + k * rows] != 0;
    return unknown == claimed;
}

/* Checks that W is X_A, to the bit, that exactly the unknown entries are marked as completed, and
 * that no column is listed twice. The columns of a library are numbered after those of X. */
static ch_status check_anchors(ch_context *context, ch_verification *v, const chi_usable *usable,
                               const ch_anchors_result *result, const ch_anchors_settings *set) {
    const ch_matrix *X = usable->data;
    int64_t completed = 0, cols = X->cols + chi_library_cols(set);
    chi_arena arena = {.context = context};
    char *seen = chi_arena_alloc_zero(&arena, cols, 1);
    double *x = chi_arena_doubles(&arena, X->rows);
    ch_status status = chi_arena_status(&arena, "verification");
    for (int64_t k = 0; status == CH_OK && v->ok && k < result->rank; k++) {
        int64_t j = result->anchors[k];
        if (j < 0 || j >= cols || seen[j]) {
            chi_refuse(v, "anchor %lld (column %lld) is not a column of X, or it is listed twice",
                       (long long)k, (long long)j);
            break;
        }
        seen[j] = 1;
        chi_pool_column(x, X, set, j);
        for (int64_t i = 0; v->ok && i < X->rows; i++)
            if (x[i] != result->W[i + k * X->rows])
                chi_refuse(v, "column %lld of W is not column %lld of X (row %lld)", (long long)k,
                           (long long)j, (long long)i);
            else if (!marked(result, usable, i, k))
                chi_refuse(v, "row %lld of column %lld of W is marked as %s, but it is not",
                           (long long)i, (long long)k,
                           result->completed_entries ? "completed" : "known");
            else
                completed +=
                    result->completed_entries && result->completed_entries[i + k * X->rows];
    }
    if (v->ok && status == CH_OK && completed != result->completed)
        chi_refuse(
            v, "%lld entries of W were unknown and filled in, but the stored result states %lld",
            (long long)completed, (long long)result->completed);
    chi_arena_free(&arena);
    return status;
}

/* Returns whether the starts of the stored duals increase with the columns. */
static int duals_in_order(const ch_anchors_result *result) {
    if (!result->dual_start) return 1;
    if (result->dual_start[0] != 0) return 0;
    for (int64_t j = 0; j < result->cols; j++)
        if (result->dual_start[j + 1] < result->dual_start[j]) return 0;
    return 1;
}

/* Checks what follows from X and the settings alone. */
static void check_plain(ch_verification *v, const chi_usable *usable,
                        const ch_anchors_result *result, const ch_anchors_settings *resolved,
                        int64_t nonzeros) {
    const ch_matrix *X = usable->X;
    const chi_clipped *clipped = &usable->clipped;
    if (result->rows != X->rows || result->cols != X->cols)
        chi_refuse(
            v,
            "the stored result belongs to a matrix with another number of rows or columns than X");
    else if (result->library != chi_library_cols(resolved))
        chi_refuse(v, "the library has %lld columns, but the stored result states %lld",
                   (long long)chi_library_cols(resolved), (long long)result->library);
    else if (result->rank < 1 || result->rank > X->cols + result->library)
        chi_refuse(v,
                   "the stored result states %lld anchors, which is not possible with %lld columns",
                   (long long)result->rank, (long long)(X->cols + result->library));
    else if (!(fabs(result->floor - resolved->floor) <= CHI_ROUNDING * resolved->floor))
        chi_refuse(
            v,
            "the data and the settings give a floor of %.15g, but the stored result states %.15g",
            resolved->floor, result->floor);
    else if (result->nonzeros != nonzeros)
        chi_refuse(v, "the matrix has %lld nonzero values, but the stored result states %lld",
                   (long long)nonzeros, (long long)result->nonzeros);
    else if (result->clipped != clipped->count ||
             !(fabs(result->clipped_mass - clipped->mass) <= CHI_ROUNDING * clipped->mass))
        chi_refuse(v,
                   "the matrix has %lld negative values with a sum of %.12g, but the stored result "
                   "states other numbers",
                   (long long)clipped->count, clipped->mass);
    else if (result->unknown != usable->unknown || result->incomplete != usable->incomplete)
        chi_refuse(v,
                   "the matrix has %lld missing entries, and %lld columns are too incomplete to be "
                   "anchors, but the stored result states other numbers",
                   (long long)usable->unknown, (long long)usable->incomplete);
    else if (result->dual_rows != X->rows + (resolved->hull != CH_HULL_CONE))
        chi_refuse(v,
                   "the stored duals of the steps have %lld rows, which does not fit the %lld rows "
                   "of the matrix",
                   (long long)result->dual_rows, (long long)X->rows);
    else if (!duals_in_order(result))
        chi_refuse(v, "the stored duals must be sorted by column number, but are not");
}

/* Checks that the numbers behind the warnings follow from X, W and H. */
static ch_status check_warnings(ch_context *context, ch_verification *v,
                                const ch_anchors_result *result, const chi_scale *scale,
                                const chi_usable *usable, const ch_anchors_settings *resolved) {
    ch_anchors_result own = *result;
    if (!v->ok || !result->measured) return CH_OK; /* stored by an earlier version */
    chi_parts parts = {0};
    ch_status status = chi_parts_make(context, &parts, result);
    if (status == CH_OK) status = chi_advise(context, &own, &parts, scale, usable, resolved);
    chi_parts_free(context, &parts);
    TRY(status);
    int same = isnan(own.unexplained)
                   ? isnan(result->unexplained)
                   : fabs(own.unexplained - result->unexplained) <= 1e-9 * own.unexplained;
    if (!own.measured || own.zero_weights != result->zero_weights ||
        own.empty_anchors != result->empty_anchors || own.warnings != result->warnings || !same ||
        own.lonely_anchors != result->lonely_anchors ||
        own.lonely_column != result->lonely_column ||
        fabs(own.mean_shared - result->mean_shared) > 1e-9 * own.mean_shared)
        chi_refuse(v,
                   "%lld columns have only zero weights, %lld anchors are nearly empty, %lld are "
                   "parts of at most two columns and a share of %.9g of the data is unexplained, "
                   "but the stored result states other numbers",
                   (long long)own.zero_weights, (long long)own.empty_anchors,
                   (long long)own.lonely_anchors, own.unexplained);
    return CH_OK;
}

/* Checks the steps on X, the matrix from which anchors are chosen. */
static ch_status check_steps(ch_context *context, ch_verification *v, const chi_usable *usable,
                             const ch_matrix *X, const ch_anchors_result *result,
                             const ch_anchors_settings *resolved) {
    chi_arena arena = {.context = context};
    double *sums = NULL, *bright = NULL;
    int own = usable->seen != usable->X || usable->incomplete > 0;
    if (own) sums = chi_arena_doubles(&arena, usable->X->cols);
    ch_status status = chi_arena_status(&arena, "verification");
    if (status == CH_OK && own) status = chi_column_norms(context, sums, NULL, usable->X);
    if (status == CH_OK && own) status = chi_usable_bright(usable, &arena, &bright, sums, X->cols);
    if (status == CH_OK)
        status = (resolved->hull == CH_HULL_CONE ? chi_verify_steps : chi_verify_hull_steps)(
            context, v, X, result, resolved, bright);
    chi_arena_free(&arena);
    return status;
}

/* The facts with which a result is compared. */
typedef struct known {
    const ch_matrix *given;
    const chi_usable *usable;
    const ch_matrix *pool; /* what anchors are selected from */
    const ch_anchors_settings *settings, *resolved;
} known;

/* Runs the checks that follow check_plain(), until one fails. */
static ch_status check(ch_context *context, ch_verification *v, const known *from,
                       const ch_anchors_result *result) {
    const chi_usable *usable = from->usable;
    const ch_anchors_settings *settings = from->settings, *resolved = from->resolved;
    chi_columns_verdict verdict = {0};
    if (v->ok) TRY(check_anchors(context, v, usable, result, settings));
    if (v->ok) TRY(chi_verify_columns(context, v, &verdict, usable, result, resolved));
    if (v->ok) chi_verify_numbers(v, &verdict, result, resolved);
    if (v->ok && settings->method == CH_METHOD_XRAY)
        TRY(check_steps(context, v, usable, from->pool, result, resolved));
    if (v->ok && settings->refine > 0)
        TRY(chi_verify_refined(context, v, usable, result, resolved, &verdict));
    if (v->ok) TRY(chi_verify_repeat(context, v, from->given, result, settings, &verdict));
    return CH_OK;
}

ch_status ch_verify(ch_context *context, ch_verification *verification, const ch_matrix *X,
                    const ch_anchors_result *result, const ch_anchors_settings *settings) {
    if (!context || !verification || !X || !result || !settings) return CH_ERR_ARGUMENT;
    ch_anchors_result own = {.size = sizeof own};
    ch_anchors_settings set = {.size = sizeof set}, given = {.size = sizeof given};
    ch_verification v = {.size = sizeof v, .ok = 1};
    TRY(chi_sized_check(context, verification, "ch_verification"));
    TRY(chi_sized_take(context, &own, sizeof own, result, "ch_anchors_result"));
    TRY(chi_settings_take(context, &given, ch_anchors_table(), settings));
    if (!own.anchors || !own.W || !own.H || !own.max_residual)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the result cannot be verified, because it does not contain anchors, "
                        "residuals, W and H");
    given.checkpoint = NULL;
    given.selected = NULL;
    given.take_weights = NULL;
    if (own.dual_rows == 0) own.dual_rows = own.rows; /* written before hulls existed */
    chi_survey survey;
    chi_usable usable;
    chi_pool pool;
    chi_call call = {"ch_verify", X, &given, NULL, 0};
    ch_status status = chi_survey_input(context, &survey, &usable, &pool, &set, &call, 0);
    if (status == CH_OK) status = chi_settings_resolve(context, &set, &survey, pool.X);
    if (status == CH_OK) status = chi_pool_see(context, &pool, &set, &usable);
    int64_t nonzeros = usable.nonzeros >= 0 ? usable.nonzeros : survey.nonzeros;
    chi_scale scale = {0};
    if (status == CH_OK) status = chi_scale_take(context, &scale, &survey, usable.X->cols);
    chi_survey_free(&survey);
    chi_begin_phase(context, "verify", 0);
    known from = {X, &usable, pool.X, &given, &set};
    if (status == CH_OK) check_plain(&v, &usable, &own, &set, nonzeros);
    if (status == CH_OK) status = check(context, &v, &from, &own);
    if (status == CH_OK) status = check_warnings(context, &v, &own, &scale, &usable, &set);
    chi_pool_free(context, &pool);
    chi_usable_free(context, &usable);
    if (status == CH_OK) chi_result_give(verification, &v, sizeof v);
    return chi_outside_status(status);
}
