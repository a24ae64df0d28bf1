/* The lifted X, which has one more row with the same number in all columns. For a dense X it is a
 * view (linalg/shown.h), so that X may be a file larger than memory. Bytes are shown in single
 * precision, which holds them and the power of two in the new row. A sparse X is copied. */
#include "anchors/hull_lift.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"
#include "linalg/matrix_store.h"
#include "linalg/shown.h"
#include "project/columns/projector.h"
#include "xray/xray.h"

#include <math.h>
#include <string.h>

enum { SINGLE = 120 }; /* largest exponent used in single precision */

double chi_lift_unit(double largest) {
    int exponent;
    if (!(largest > 0)) return 1;
    frexp(largest, &exponent);
    return ldexp(1, exponent);
}

/* Returns the ratio of the largest to the smallest loss of a residual of the same size, over both
 * signs. The lifted row must outweigh the others by that much. */
static double lopsided(const ch_anchors_settings *settings) {
    double skew = fabs(chi_skew_of(settings));
    return (1 + skew) / (1 - skew);
}

double chi_lift_unit_of(const double *W, int64_t rows, int64_t rank,
                        const ch_anchors_settings *settings) {
    int loss = settings->loss;
    double most = 0;
    for (int64_t k = 0; k < rank; k++) {
        double norm = 0;
        for (int64_t i = 0; i < rows; i++)
            norm += loss == CH_LOSS_L2 ? W[i + k * rows] * W[i + k * rows] : W[i + k * rows];
        most = fmax(most, loss == CH_LOSS_L2 ? sqrt(norm) : norm);
    }
    return chi_lift_unit(most * lopsided(settings));
}

void chi_lift_column(double *to, const double *a, int64_t rows, double unit) {
    memcpy(to, a, (size_t)rows * sizeof *a);
    to[rows] = unit;
}

/* ---- the matrix ---------------------------------------------------------------------------- */

static ch_value_type lifted_type(const ch_matrix *X, double unit) {
    int exponent;
    frexp(unit, &exponent);
    return X->type == CH_F64 || exponent > SINGLE || exponent < -SINGLE ? CH_F64 : CH_F32;
}

/* Appends the origin as the last column of a sparse L. Its only entry is in the lifted row. */
static void add_origin(ch_matrix *L) {
    chi_store *store = L->owner;
    int64_t stored = store->start[L->cols - 1] + 1;
    store->start[L->cols] = stored;
    store->index[stored - 1] = (int32_t)L->rows - 1;
}

static ch_status copy_sparse(ch_context *context, chi_lift *lift, const ch_matrix *X, int origin) {
    chi_larger how = {.type = lifted_type(X, lift->unit),
                      .rows = 1,
                      .cols = origin,
                      .stored = origin,
                      .what = "the data with one more row for the hull"};
    TRY(chi_copy_larger(context, &lift->X, X, &how));
    if (origin) add_origin(&lift->X);
    return CH_OK;
}

static void write_unit(chi_lift *lift) {
    ch_matrix *L = &lift->X;
    if (L->layout != CH_CSC) {
        chi_shown_set_unit(L, lift->unit);
        return;
    }
    for (int64_t j = 0; j < L->cols; j++) {
        int64_t at = L->column_start[j + 1] - 1;
        if (L->type == CH_F64)
            ((double *)L->values)[at] = lift->unit;
        else
            ((float *)L->values)[at] = (float)lift->unit;
    }
}

static ch_status lift_matrix(ch_context *context, chi_lift *lift, const ch_matrix *X, int origin) {
    chi_showing how = {.type = lifted_type(X, lift->unit),
                       .rows = 1,
                       .cols = origin,
                       .what = "the data with one more row for the hull"};
    lift->first = X->first;
    lift->holds_origin = origin;
    TRY(X->layout == CH_CSC ? copy_sparse(context, lift, X, origin)
                            : chi_show(context, &lift->X, X, &how));
    write_unit(lift);
    return CH_OK;
}

ch_status chi_lift_columns(ch_context *context, chi_lift *lift, const ch_matrix *X, double unit,
                           const ch_anchors_settings *settings) {
    *lift = (chi_lift){.unit = unit, .origin = settings->hull == CH_HULL_CONVEX0};
    return lift_matrix(context, lift, X, 0);
}

void chi_lift_set_unit(chi_lift *lift, double unit) {
    lift->unit = unit;
    lift->X.cols -= lift->holds_origin + lift->library;
    lift->X.first = lift->first;
    lift->holds_origin = 0;
    lift->library = 0;
    write_unit(lift);
}

void chi_lift_destroy(ch_context *context, chi_lift *lift) {
    chi_free(context, lift->keep);
    chi_survey_free(&lift->survey);
    ch_matrix_free(context, &lift->X);
    *lift = (chi_lift){0};
}

ch_status chi_spanning_make(ch_context *context, chi_spanning *c, const ch_matrix *X,
                            const double *W, int64_t rank, const chi_lift *lift) {
    *c = (chi_spanning){.X = X, .W = W, .count = rank};
    if (!lift) return CH_OK;
    int64_t rows = X->rows;
    c->origin = lift->origin;
    c->count = rank + c->origin;
    c->W = c->lifted = chi_alloc_zero(context, rows * c->count, sizeof *c->lifted);
    if (!c->lifted)
        return chi_no_memory(context, "the anchors with one more row for the hull", rows * c->count,
                             sizeof *c->lifted);
    if (c->origin) c->lifted[rows - 1] = lift->unit;
    for (int64_t k = 0; k < rank; k++)
        chi_lift_column(c->lifted + (k + c->origin) * rows, W + k * (rows - 1), rows - 1,
                        lift->unit);
    return CH_OK;
}

/* ---- for the selection --------------------------------------------------------------------- */

/* Collective: the largest norm of a column. The squares are available if the loss is l2. */
static ch_status largest_norm(ch_context *context, double *most, const chi_survey *survey,
                              int64_t cols, int squares) {
    *most = 0;
    for (int64_t j = 0; j < cols; j++)
        *most = fmax(*most, squares ? sqrt(survey->squares[j]) : survey->sums[j]);
    TRY(chi_largest(context, most, 1));
    if (*most > 0) return CH_OK;
    return chi_fail(context, CH_ERR_DATA,
                    "all columns of the matrix are zero, so no column can be an anchor");
}

static double *lifted_numbers(chi_arena *arena, const double *numbers, int64_t cols, int64_t all,
                              double more) {
    double *lifted = numbers ? chi_arena_doubles(arena, all) : NULL;
    for (int64_t j = 0; lifted && j < all; j++) lifted[j] = (j < cols ? numbers[j] : 0) + more;
    return lifted;
}

static ch_status lift_survey(ch_context *context, chi_lift *lift, const ch_matrix *X,
                             const chi_survey *survey) {
    int64_t cols = X->cols, all = lift->X.cols;
    double unit = lift->unit;
    chi_survey *lifted = &lift->survey;
    *lifted = (chi_survey){.arena = {.context = context}, .nonzeros = survey->nonzeros};
    const double *bright = survey->bright ? survey->bright : survey->sums;
    lifted->bright = lifted_numbers(&lifted->arena, bright, cols, all, 0);
    lifted->sums = lifted_numbers(&lifted->arena, survey->sums, cols, all, unit);
    lifted->squares = lifted_numbers(&lifted->arena, survey->squares, cols, all, unit * unit);
    return chi_arena_status(&lifted->arena, "the data with one more row for the hull");
}

/* Appends the origin after the last column and makes it the first anchor. */
static ch_status keep_origin(ch_context *context, chi_lift *lift, ch_anchors_settings *set,
                             int64_t cols) {
    lift->keep = chi_alloc(context, set->keep_count + 1, sizeof *lift->keep);
    if (!lift->keep)
        return chi_no_memory(context, "anchors", set->keep_count + 1, sizeof *lift->keep);
    lift->keep[0] = cols;
    for (int64_t k = 0; k < set->keep_count; k++) lift->keep[k + 1] = set->keep[k];
    set->keep = lift->keep;
    set->keep_count++;
    set->rank += set->rank > 0;
    return CH_OK;
}

/* Lifts the columns of this process; makes no collective call. */
static ch_status create_part(ch_context *context, chi_lift *lift, ch_anchors_settings *set,
                             const ch_matrix *X, const chi_survey *survey, int64_t cols) {
    int alone = chi_process_count(context) == 1, behind = !alone && X->first == cols;
    int last = alone || (!behind && X->first + X->cols == cols); /* holds the last column */
    for (int64_t k = 0; k < set->keep_count; k++)
        if (set->keep[k] < 0 || set->keep[k] >= cols)
            return chi_fail(context, CH_ERR_SETTING,
                            "keep: column %lld does not exist; columns are numbered from 0 to %lld",
                            (long long)set->keep[k], (long long)cols - 1);
    TRY(lift_matrix(context, lift, X, lift->origin && last));
    if (lift->origin && behind) lift->X.first++; /* this process is empty, after the origin */
    TRY(lift_survey(context, lift, X, survey));
    return lift->origin ? keep_origin(context, lift, set, cols) : CH_OK;
}

ch_status chi_lift_create(ch_context *context, chi_lift *lift, ch_anchors_settings *set,
                          const ch_matrix *X, const chi_survey *survey) {
    double most;
    int64_t cols = X->cols;
    *lift = (chi_lift){.origin = set->hull == CH_HULL_CONVEX0, .library = chi_library_cols(set)};
    int squares = set->loss == CH_LOSS_L2 && survey->squares != NULL;
    TRY(largest_norm(context, &most, survey, cols, squares));
    TRY(chi_total(context, &cols, 1));
    lift->unit = chi_lift_unit(most * lopsided(set));
    return ch_comm_agree(context, create_part(context, lift, set, X, survey, cols));
}

/* ---- removing the origin ------------------------------------------------------------------- */

#define DROP_FIRST(list, count, width)                                                           \
    do {                                                                                         \
        if (list) memmove(list, (list) + (width), (size_t)((count) * (width)) * sizeof *(list)); \
    } while (0)

void chi_lift_strip(ch_anchors_result *result, const chi_lift *lift) {
    if (!lift->origin || result->rank == 0) return;
    result->rank--;
    DROP_FIRST(result->anchors, result->rank, 1);
    DROP_FIRST(result->max_residual, result->rank, 1);
    if (result->steps == 0) return;
    result->steps--;
    DROP_FIRST(result->step_exterior, result->steps, 1);
    DROP_FIRST(result->step_anchor, result->steps, 1);
    DROP_FIRST(result->step_dual, result->steps, result->dual_rows);
}

void chi_lift_drop_origin(double *H, int64_t rank, int64_t cols) {
    for (int64_t j = 0; j < cols; j++)
        memmove(H + j * rank, H + j * (rank + 1) + 1, (size_t)rank * sizeof *H);
}
