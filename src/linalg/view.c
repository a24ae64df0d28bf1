/* Matrix views: create, inspect, release. Sizes are checked before they are multiplied. */
#include "linalg/view.h"
#include "linalg/linalg.h"
#include "linalg/shown.h"
#include <math.h>
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

/* Checks the fields that dense and sparse views share. */
static ch_status check_shape(ch_context *context, const ch_matrix *X) {
    if (!known_type(X->type))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the field type of the matrix is %d, which is not one of f64, f32, u8 and u16",
            (int)X->type);
    if (X->rows < 0 || X->cols < 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "a matrix cannot have %lld rows and %lld columns",
                        (long long)X->rows, (long long)X->cols);
    if (X->rows > INT32_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the matrix has %lld rows, but at most %d are supported, because row "
                        "indices have 32 bits",
                        (long long)X->rows, INT32_MAX);
    return CH_OK;
}

static ch_status check_dense(ch_context *context, const ch_matrix *X) {
    int64_t run = X->layout == CH_COLUMN_MAJOR ? X->rows : X->cols;
    int64_t runs = X->layout == CH_COLUMN_MAJOR ? X->cols : X->rows;
    if (X->stride < run)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the stride of the matrix is %lld, but it must be at least %lld, the number of its %s",
            (long long)X->stride, (long long)run,
            X->layout == CH_COLUMN_MAJOR ? "rows" : "columns");
    int64_t bytes;
    if (__builtin_mul_overflow(X->stride, runs, &bytes) ||
        __builtin_mul_overflow(bytes, (int64_t)types[X->type].size, &bytes) ||
        (uint64_t)bytes > PTRDIFF_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a matrix of %lld rows and %lld columns does not fit in memory",
                        (long long)X->rows, (long long)X->cols);
    if (!X->values && X->rows > 0 && X->cols > 0)
        return chi_fail(context, CH_ERR_ARGUMENT, "the field values of the matrix is NULL");
    return CH_OK;
}

static ch_status check_sparse(ch_context *context, const ch_matrix *X) {
    if (X->cols >= INT64_MAX / (int64_t)sizeof(int64_t))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a sparse matrix of %lld columns does not fit in memory",
                        (long long)X->cols);
    if (!X->column_start)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the field column_start of the sparse matrix is NULL");
    int64_t stored = X->column_start[X->cols];
    if (X->column_start[0] != 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "column_start[0] of the sparse matrix is %lld, but it must be 0",
                        (long long)X->column_start[0]);
    if (stored < 0 || stored > PTRDIFF_MAX / (int64_t)sizeof(double))
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the last entry of column_start of the sparse matrix, its number of stored "
                        "entries, is invalid: %lld",
                        (long long)stored);
    if (stored > 0 && (!X->values || !X->row_index))
        return chi_fail(context, CH_ERR_ARGUMENT, "the field %s of the sparse matrix is NULL",
                        X->values ? "row_index" : "values");
    return CH_OK;
}

ch_status chi_check_view(ch_context *context, const ch_matrix *X) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!X) return chi_fail(context, CH_ERR_ARGUMENT, "the matrix must not be NULL");
    TRY(check_shape(context, X));
    if (X->layout == CH_CSC) return check_sparse(context, X);
    if (X->layout == CH_COLUMN_MAJOR || X->layout == CH_ROW_MAJOR) return check_dense(context, X);
    return chi_fail(context, CH_ERR_ARGUMENT,
                    "the field layout of the matrix has the unknown value %d", (int)X->layout);
}

ch_status ch_matrix_borrow(ch_context *context, ch_matrix *view, const ch_matrix *of) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!view || !of)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the arguments \"view\" and \"of\" must not be NULL");
    ch_matrix X = *of;
    X.owner = NULL;
    X.release = NULL;
    X.first = 0;
    int dense = X.layout == CH_COLUMN_MAJOR || X.layout == CH_ROW_MAJOR;
    if (dense && X.stride == 0) X.stride = X.layout == CH_COLUMN_MAJOR ? X.rows : X.cols;
    TRY(chi_check_view(context, &X));
    *view = X;
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

/* Returns whether values can be read safely. There is no context, so there is no message. */
static int can_be_read(const ch_matrix *X) {
    if (!X || X->rows < 0 || X->cols < 0 || !known_type(X->type)) return 0;
    if (X->layout == CH_CSC) return X->column_start != NULL;
    if (X->layout == CH_COLUMN_MAJOR) return X->stride >= X->rows;
    return X->layout == CH_ROW_MAJOR && X->stride >= X->cols;
}

int64_t ch_matrix_stored(const ch_matrix *X) {
    if (!can_be_read(X)) return -1;
    return X->layout == CH_CSC ? X->column_start[X->cols] : X->rows * X->cols;
}

#define VALUE(T) return (double)((const T *)X->values)[position];

double chi_number_at(const ch_matrix *X, int64_t position) {
    CHI_BY_TYPE(X->type, VALUE)
    return 0;
}

double ch_matrix_at(const ch_matrix *X, int64_t i, int64_t j) {
    if (!can_be_read(X) || i < 0 || j < 0 || i >= X->rows || j >= X->cols) return NAN;
    if (!X->values && X->layout != CH_CSC) return NAN;
    if (chi_shown_of(X)) return chi_shown_at(chi_shown_of(X), i, j);
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
