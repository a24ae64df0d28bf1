/* The data and the library as one matrix, the pool. For dense data it is a view that shows the
 * library after the data (linalg/shown.h); a sparse matrix is copied. Its type is the smallest of
 * the data's own type, single and double precision that holds all numbers of both exactly. */
#include "anchors/known_columns.h"
#include "base/processes.h"
#include "linalg/larger_copy.h"
#include "linalg/matrix_store.h"
#include "linalg/shown.h"
#include "project/columns/projector.h"
#include "xray/xray.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ch_status chi_pool_check(ch_context *context, const ch_matrix *X, const ch_anchors_settings *set) {
    const ch_matrix *L = set->library;
    if (!L && set->library_only)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'library-only' needs a library, but none was given");
    if (!L) return CH_OK;
    if (chi_process_count(context) > 1)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a library of known components can be used in one process only, not in "
                        "several; use threads instead");
    TRY(chi_check_view(context, L));
    if (L->rows != X->rows)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the library has %lld rows, but the data have %lld; both must have the same rows",
            (long long)L->rows, (long long)X->rows);
    if (L->cols < 1) return chi_fail(context, CH_ERR_ARGUMENT, "the library has no columns");
    if (set->method != CH_METHOD_XRAY)
        return chi_fail(context, CH_ERR_SETTING,
                        "a library of known components can be used with the method xray only");
    if (set->library_only && set->exterior == CH_EXTERIOR_GREEDY)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting exterior = greedy cannot be used with 'library-only', because "
                        "it cannot detect that the library is exhausted; use another rule");
    if (set->library_only && set->keep_count > 0)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'keep' cannot be used with 'library-only', because columns of "
                        "the data cannot "
                        "be anchors then");
    for (int64_t k = 0; k < set->keep_count; k++)
        if (set->keep[k] < 0 || set->keep[k] >= X->cols)
            return chi_fail(context, CH_ERR_SETTING,
                            "keep: column %lld does not exist; columns are numbered from 0 to %lld",
                            (long long)set->keep[k], (long long)X->cols - 1);
    if (!set->library_only && set->rank > 0 && set->rank < L->cols + set->keep_count)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the rank is %lld, but %lld anchors are already given: %lld columns of the "
            "library and %lld columns listed in the setting 'keep'; give a larger rank, or use "
            "library-only to choose among the columns of the library",
            (long long)set->rank, (long long)(L->cols + set->keep_count), (long long)L->cols,
            (long long)set->keep_count);
    return CH_OK;
}

/* ---- the library --------------------------------------------------------------------------- */

static ch_status check_columns(ch_context *context, const chi_survey *survey, const ch_matrix *L,
                               int kept) {
    int64_t usable = 0;
    for (int64_t k = 0; k < L->cols; k++) {
        int zero = !(survey->sums[k] >= CHI_ANCHOR_LEAST);
        usable += !zero;
        if (zero && kept)
            return chi_fail(context, CH_ERR_DATA,
                            "library: column %lld is zero, so it cannot be an anchor",
                            (long long)k);
    }
    if (usable > 0) return CH_OK;
    return chi_fail(context, CH_ERR_DATA, "all columns of the library are zero");
}

/* Checks the library. Error messages about it begin with "library:". */
static ch_status survey_library(ch_context *context, chi_pool *pool,
                                const ch_anchors_settings *set) {
    chi_survey survey;
    char why[256];
    ch_status status = chi_survey_make(context, &survey, set->library,
                                       CHI_SURVEY_CHECK | CHI_SURVEY_COUNT | CHI_SURVEY_SUMS);
    if (status == CH_ERR_DATA) {
        snprintf(why, sizeof why, "%s", ch_context_message(context));
        status = chi_fail(context, CH_ERR_DATA, "library: %s", why);
    }
    if (status == CH_OK) status = check_columns(context, &survey, set->library, !set->library_only);
    pool->nonzeros = survey.nonzeros;
    chi_survey_free(&survey);
    return status;
}

/* ---- the matrix ---------------------------------------------------------------------------- */

static int holds(ch_value_type type, double value) {
    switch (type) {
    case CH_U8:
        return value == (double)(uint8_t)fmin(fmax(value, 0), 255);
    case CH_U16:
        return value == (double)(uint16_t)fmin(fmax(value, 0), 65535);
    case CH_F32:
        return value == (double)(float)value;
    default:
        return 1;
    }
}

/* Returns `type`, or the smallest larger one that also holds the library's column x. */
static ch_value_type type_for(ch_value_type type, const double *x, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) {
        if (type != CH_F32 && !holds(type, x[i])) type = CH_F32; /* F32 holds all u8 and u16 */
        if (!holds(type, x[i])) return CH_F64;
    }
    return type;
}

static void write_value(ch_matrix *to, int64_t at, double value) {
#define WRITE(T) ((T *)to->values)[at] = (T)value;
    CHI_BY_TYPE(to->type, WRITE)
#undef WRITE
}

/* Writes x, column k of the library, after the data. */
static void write_column(ch_matrix *to, int64_t cols, int64_t k, const double *x) {
    int64_t j = cols + k;
    if (to->layout != CH_CSC) {
        memcpy(chi_shown_more(to) + k * to->rows, x, (size_t)to->rows * sizeof *x);
        return;
    }
    chi_store *store = to->owner;
    int64_t at = store->start[j];
    for (int64_t i = 0; i < to->rows; i++) {
        if (x[i] == 0) continue;
        store->index[at] = (int32_t)i;
        write_value(to, at++, x[i]);
    }
    store->start[j + 1] = at;
}

/* Reads column k of the library with weighted rows, as the selection sees it. Returns its sum. */
static double weighted_column(double *x, const ch_matrix *L, int64_t k, const double *row_factor) {
    double sum = 0;
    chi_column_gather(x, L, k);
    for (int64_t i = 0; i < L->rows; i++) {
        if (row_factor) x[i] *= row_factor[i];
        sum += x[i];
    }
    return sum;
}

static ch_status join(ch_context *context, chi_pool *pool, const ch_matrix *X,
                      const ch_anchors_settings *set, const double *row_factor) {
    const ch_matrix *L = set->library;
    double *x = chi_alloc(context, X->rows, sizeof *x);
    if (!x) return chi_no_memory(context, "the library", X->rows, sizeof *x);
    ch_value_type type = X->type;
    for (int64_t k = 0; k < L->cols && type != CH_F64; k++) {
        weighted_column(x, L, k, row_factor);
        type = type_for(type, x, X->rows);
    }
    const char *what = "the data and the library";
    chi_larger how = {.type = type, .cols = L->cols, .stored = pool->nonzeros, .what = what};
    chi_showing shown = {.type = type, .cols = L->cols, .what = what};
    ch_status status = X->layout == CH_CSC ? chi_copy_larger(context, &pool->own, X, &how)
                                           : chi_show(context, &pool->own, X, &shown);
    if (status == CH_OK) pool->X = &pool->own;
    pool->nonzeros = 0;
    for (int64_t k = 0; status == CH_OK && k < L->cols; k++) {
        if (weighted_column(x, L, k, row_factor) < CHI_ANCHOR_LEAST && !set->library_only)
            status = chi_fail(context, CH_ERR_DATA,
                              "library: column %lld is zero in all rows with positive weight, so "
                              "it cannot be an anchor",
                              (long long)k);
        write_column(&pool->own, X->cols, k, x);
        for (int64_t i = 0; i < X->rows; i++) pool->nonzeros += x[i] != 0;
    }
    chi_free(context, x);
    return status;
}

/* ---- the pool ------------------------------------------------------------------------------ */

static ch_status keep_library(ch_context *context, chi_pool *pool, ch_anchors_settings *set,
                              int64_t cols) {
    int64_t known = set->library->cols, count = known + set->keep_count;
    pool->keep = chi_alloc(context, count, sizeof *pool->keep);
    if (!pool->keep) return chi_no_memory(context, "anchors", count, sizeof *pool->keep);
    for (int64_t k = 0; k < known; k++) pool->keep[k] = cols + k;
    for (int64_t k = 0; k < set->keep_count; k++) pool->keep[known + k] = set->keep[k];
    set->keep = pool->keep;
    set->keep_count = count;
    return CH_OK;
}

ch_status chi_pool_make(ch_context *context, chi_pool *pool, ch_anchors_settings *set,
                        const chi_usable *usable) {
    const ch_matrix *X = usable->X;
    *pool = (chi_pool){.X = X};
    if (!set->library) return CH_OK;
    TRY(survey_library(context, pool, set));
    TRY(join(context, pool, X, set, usable->row_factor));
    return set->library_only ? CH_OK : keep_library(context, pool, set, X->cols);
}

ch_status chi_pool_see(ch_context *context, chi_pool *pool, const ch_anchors_settings *set,
                       const chi_usable *usable) {
    if (!set->library) pool->X = usable->seen;
    if (!set->library || usable->seen == usable->X) return CH_OK;
    ch_matrix_free(context, &pool->own);
    return join(context, pool, usable->seen, set, usable->row_factor);
}

void chi_pool_column(double *x, const ch_matrix *data, const ch_anchors_settings *set, int64_t j) {
    if (set->library && j >= data->cols)
        chi_column_gather(x, set->library, j - data->cols);
    else
        chi_column_gather(x, data, j);
}

void chi_pool_free(ch_context *context, chi_pool *pool) {
    chi_free(context, pool->keep);
    ch_matrix_free(context, &pool->own);
    *pool = (chi_pool){0};
}
