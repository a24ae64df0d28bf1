/* The scales of columns, and columns multiplied by their scales. */
#include "baseline/variants/scaled_columns.h"
#include "linalg/linalg.h"
#include <float.h>
#include <math.h>

static ch_status check(const chi_scaled_columns *columns, const char *method,
                       const ch_anchors_settings *set) {
    ch_context *context = columns->context;
    if (set->keep_count > 0)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'keep' can be used with the methods xray and spa only, not with %s",
            method);
    if (set->rank < 1)
        return chi_fail(context, CH_ERR_SETTING,
                        "with the method %s the rank must be at least 1, got %lld", method,
                        (long long)set->rank);
    if (columns->X->rows > INT32_MAX)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the method %s supports at most 2^31 - 1 rows, got %lld", method,
                        (long long)columns->X->rows);
    if (columns->usable == 0)
        return chi_fail(context, CH_ERR_DATA,
                        "all %lld columns of the matrix are zero, so no column can be an anchor",
                        (long long)columns->X->cols);
    if (set->rank > columns->usable)
        return chi_fail(context, CH_ERR_SETTING,
                        "the rank is %lld, but the matrix has only %lld columns that are not zero",
                        (long long)set->rank, (long long)columns->usable);
    return CH_OK;
}

ch_status chi_scaled_create(chi_arena *arena, chi_scaled_columns *columns, const char *method,
                            const ch_matrix *X, const ch_anchors_settings *settings) {
    double largest = 0;
    *columns = (chi_scaled_columns){.context = arena->context, .X = X, .unit = 1};
    columns->scale = chi_arena_doubles(arena, X->cols);
    TRY(chi_arena_status(arena, method));
    TRY(chi_column_norms(arena->context, columns->scale, NULL, X));
    for (int64_t j = 0; j < X->cols; j++) {
        columns->usable += columns->scale[j] >= DBL_MIN;
        largest = fmax(largest, columns->scale[j]);
    }
    if (!(largest < INFINITY))
        return chi_fail(arena->context, CH_ERR_DATA,
                        "the sum of a column is too large for a floating-point number; multiply "
                        "the data by a small factor");
    if (settings->plain && largest > 0) columns->unit = ldexp(1.0, -ilogb(largest) - 1);
    for (int64_t j = 0; j < X->cols; j++) {
        double sum = columns->scale[j];
        columns->scale[j] = sum < DBL_MIN ? 0 : settings->plain ? columns->unit : 1 / sum;
    }
    return check(columns, method, settings);
}

int64_t chi_scaled_entries(const chi_scaled_columns *columns, int32_t *index, double *value,
                           int64_t j) {
    int64_t stored = chi_column_support(index, value, columns->X, j);
    for (int64_t e = 0; e < stored; e++) value[e] *= columns->scale[j];
    return stored;
}

void chi_scaled_column(const chi_scaled_columns *columns, double *x, int64_t j) {
    chi_column_gather(x, columns->X, j);
    for (int64_t i = 0; i < columns->X->rows; i++) x[i] *= columns->scale[j];
}
