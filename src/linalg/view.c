/* Matrix views: making, looking, releasing. Sizes are checked before they are multiplied. */
#include "linalg/view.h"
#include "linalg/linalg.h"
#include <stdint.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [CH_F64] = {"f64", sizeof(double)},
    [CH_F32] = {"f32", sizeof(float)},
    [CH_U8] = {"u8", sizeof(uint8_t)},
    [CH_U16] = {"u16", sizeof(uint16_t)},
};

static int known_type(ch_value_type type) {
    return (unsigned)type < sizeof types / sizeof *types;
}

size_t ch_value_type_size(ch_value_type type) {
    return known_type(type) ? types[type].size : 0;
}

const char *ch_value_type_name(ch_value_type type) {
    return known_type(type) ? types[type].name : "unknown";
}

/* What dense and sparse views have in common. */
static ch_status check_shape(ch_context *context, const ch_matrix *view, int64_t rows, int64_t cols,
                             ch_value_type type) {
    if (!view) return chi_fail(context, CH_ERR_ARGUMENT, "view is NULL");
    if (!known_type(type))
        return chi_fail(context, CH_ERR_ARGUMENT, "type %d is not one of f64, f32, u8, u16",
                        (int)type);
    if (rows < 0 || cols < 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "a matrix cannot be %lld x %lld", (long long)rows,
                        (long long)cols);
    if (rows > INT32_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "%lld rows; at most %d are supported (rows are numbered in 32 bits)",
                        (long long)rows, INT32_MAX);
    return CH_OK;
}

ch_status ch_matrix_borrow_dense(ch_context *context, ch_matrix *view, const void *values,
                                 int64_t rows, int64_t cols, int64_t stride,
                                 ch_matrix_layout layout, ch_value_type type) {
    TRY(check_shape(context, view, rows, cols, type));
    if (layout != CH_COLUMN_MAJOR && layout != CH_ROW_MAJOR)
        return chi_fail(context, CH_ERR_ARGUMENT, "layout %d is not a dense one", (int)layout);
    int64_t run = layout == CH_COLUMN_MAJOR ? rows : cols;
    int64_t runs = layout == CH_COLUMN_MAJOR ? cols : rows;
    if (stride < run)
        return chi_fail(context, CH_ERR_ARGUMENT, "stride %lld is less than the %lld %s it spans",
                        (long long)stride, (long long)run,
                        layout == CH_COLUMN_MAJOR ? "rows" : "columns");
    int64_t bytes;
    if (__builtin_mul_overflow(stride, runs, &bytes) ||
        __builtin_mul_overflow(bytes, (int64_t)types[type].size, &bytes) ||
        (uint64_t)bytes > PTRDIFF_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT, "%lld x %lld values do not fit in memory",
                        (long long)rows, (long long)cols);
    if (!values && rows > 0 && cols > 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "values is NULL");
    *view = (ch_matrix){.rows = rows,
                        .cols = cols,
                        .layout = layout,
                        .type = type,
                        .values = values,
                        .stride = stride};
    return CH_OK;
}

ch_status ch_matrix_borrow_csc(ch_context *context, ch_matrix *view, const void *values,
                               const int64_t *column_start, const int32_t *row_index, int64_t rows,
                               int64_t cols, ch_value_type type) {
    TRY(check_shape(context, view, rows, cols, type));
    if (cols >= INT64_MAX / (int64_t)sizeof(int64_t))
        return chi_fail(context, CH_ERR_ARGUMENT, "%lld columns do not fit in memory",
                        (long long)cols);
    if (!column_start) return chi_fail(context, CH_ERR_ARGUMENT, "column_start is NULL");
    int64_t stored = column_start[cols];
    if (column_start[0] != 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "column_start[0] is %lld, must be 0",
                        (long long)column_start[0]);
    if (stored < 0 || stored > PTRDIFF_MAX / (int64_t)sizeof(double))
        return chi_fail(context, CH_ERR_ARGUMENT, "column_start ends with %lld stored entries",
                        (long long)stored);
    if (stored > 0 && (!values || !row_index))
        return chi_fail(context, CH_ERR_ARGUMENT, "%s is NULL", values ? "row_index" : "values");
    *view = (ch_matrix){.rows = rows,
                        .cols = cols,
                        .layout = CH_CSC,
                        .type = type,
                        .values = values,
                        .column_start = column_start,
                        .row_index = row_index};
    return CH_OK;
}

static void release_values(ch_context *context, void *values) {
    chi_free(context, values);
}

ch_matrix chi_matrix_owned(void *values, int64_t rows, int64_t cols, ch_matrix_layout layout,
                           ch_value_type type) {
    return (ch_matrix){.rows = rows,
                       .cols = cols,
                       .layout = layout,
                       .type = type,
                       .values = values,
                       .stride = layout == CH_COLUMN_MAJOR ? rows : cols,
                       .owner = values,
                       .release = release_values};
}

void ch_matrix_free(ch_context *context, ch_matrix *matrix) {
    if (!matrix) return;
    if (matrix->release) matrix->release(context, matrix->owner);
    memset(matrix, 0, sizeof *matrix);
}

int64_t ch_matrix_stored(const ch_matrix *X) {
    return X->layout == CH_CSC ? X->column_start[X->cols] : X->rows * X->cols;
}

#define VALUE(T) return (double)((const T *)X->values)[position];

double chi_number_at(const ch_matrix *X, int64_t position) {
    CHI_BY_TYPE(X->type, VALUE)
    return 0;
}

double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j) {
    if (X->layout == CH_COLUMN_MAJOR) return chi_number_at(X, i + j * X->stride);
    if (X->layout == CH_ROW_MAJOR) return chi_number_at(X, i * X->stride + j);
    int64_t low = X->column_start[j], high = X->column_start[j + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (X->row_index[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < X->column_start[j + 1] && X->row_index[low] == i ? chi_number_at(X, low) : 0;
}
