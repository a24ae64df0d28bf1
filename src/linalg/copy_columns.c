/* Views that own their values: copies of columns and rows, and the transpose of a CSC matrix by a
 * counting sort of its entries, O(stored + rows + cols). */
#include "linalg/matrix_store.h"
#include "linalg/shown.h"

#include <string.h>

/* Returns entry k of a list; NULL means all numbers in order. */
static int64_t listed(const int64_t *list, int64_t k) {
    return list ? list[k] : k;
}

static ch_status copy_csc(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                          const int64_t *list, int64_t count) {
    size_t size = ch_value_type_size(X->type);
    int64_t stored = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = listed(list, k);
        if (__builtin_add_overflow(stored, X->column_start[j + 1] - X->column_start[j], &stored))
            return chi_no_memory(context, "a sparse matrix", INT64_MAX, size);
    }
    TRY(chi_matrix_create_csc(context, copy, X->rows, count, stored, X->type, "a sparse matrix"));
    const chi_store *held = copy->owner;
    int64_t end = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = listed(list, k), start = X->column_start[j];
        int64_t length = X->column_start[j + 1] - start;
        held->start[k] = end;
        memcpy((char *)held->values + (size_t)end * size, chi_value_at(X, start),
               (size_t)length * size);
        memcpy(held->index + end, X->row_index + start, (size_t)length * sizeof *held->index);
        end += length;
    }
    held->start[count] = end;
    return CH_OK;
}

typedef struct copy_job {
    char *values; /* row_count x columns, column-major */
    const ch_matrix *X;
    const int64_t *rows, *cols; /* lists; NULL: all, in order */
    int64_t row_count;
} copy_job;

/* Copies columns [lo, hi) value by value; a row-major source is read along its rows. */
#define COPY_BY_ROWS(T)                                                                        \
    for (int64_t i = 0; i < job->row_count; i++) {                                             \
        const T *from = (const T *)X->values + listed(job->rows, i) * X->stride;               \
        T *to = (T *)(void *)job->values + i;                                                  \
        for (int64_t k = lo; k < hi; k++) to[k * job->row_count] = from[listed(job->cols, k)]; \
    }
#define COPY_BY_COLUMNS(T)                                                       \
    for (int64_t k = lo; k < hi; k++) {                                          \
        const T *from = (const T *)X->values + listed(job->cols, k) * X->stride; \
        T *to = (T *)(void *)job->values + k * job->row_count;                   \
        for (int64_t i = 0; i < job->row_count; i++) to[i] = from[job->rows[i]]; \
    }

static void copy_columns(void *user, const ch_matrix *shape, int64_t lo, int64_t hi) {
    const copy_job *job = user;
    const ch_matrix *X = job->X;
    size_t run = (size_t)job->row_count * ch_value_type_size(X->type);
    (void)shape;
    if (X->layout == CH_ROW_MAJOR)
        CHI_BY_TYPE(X->type, COPY_BY_ROWS)
    else if (job->rows)
        CHI_BY_TYPE(X->type, COPY_BY_COLUMNS)
    else
        for (int64_t k = lo; k < hi; k++)
            memcpy(job->values + (size_t)k * run, chi_value_at(X, listed(job->cols, k) * X->stride),
                   run);
}

ch_status chi_matrix_copy_part(ch_context *context, ch_matrix *part, const ch_matrix *X,
                               const int64_t *rows, int64_t row_count, const int64_t *cols,
                               int64_t col_count) {
    copy_job job = {.X = X, .rows = rows, .cols = cols, .row_count = row_count};
    int64_t stored;
    if (chi_shown_of(X)) /* computes its values, so it has no storage to copy */
        return chi_fail(context, CH_ERR_INTERNAL,
                        "a view with more rows or columns than are stored cannot be copied; this "
                        "is a bug in conehull, please report it");
    if (!__builtin_mul_overflow(row_count, col_count, &stored))
        job.values = chi_alloc(context, stored, ch_value_type_size(X->type));
    else
        stored = INT64_MAX;
    if (!job.values)
        return chi_no_memory(context, "a copy of the matrix", stored, ch_value_type_size(X->type));
    ch_matrix made = chi_matrix_owned(job.values, row_count, col_count, CH_COLUMN_MAJOR, X->type);
    chi_for_columns(context, &made, copy_columns, &job);
    *part = made;
    return CH_OK;
}

ch_status ch_matrix_copy(ch_context *context, ch_matrix *copy, const ch_matrix *X,
                         const int64_t *list, int64_t count) {
    TRY(chi_check_view(context, X));
    if (!list) count = X->cols;
    if (count < 0)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the number of columns to copy must not be negative, got %lld",
                        (long long)count);
    for (int64_t k = 0; list && k < count; k++)
        if (list[k] < 0 || list[k] >= X->cols)
            return chi_fail(context, CH_ERR_ARGUMENT,
                            "column %lld of the list of columns to copy does not exist; columns "
                            "are numbered from 0 to %lld",
                            (long long)list[k], (long long)X->cols - 1);
    return X->layout == CH_CSC ? copy_csc(context, copy, X, list, count)
                               : chi_matrix_copy_part(context, copy, X, NULL, X->rows, list, count);
}

#define SCATTER(T)                                                              \
    for (int64_t j = 0; j < X->cols; j++)                                       \
        for (int64_t e = X->column_start[j]; e < X->column_start[j + 1]; e++) { \
            int64_t place = next[X->row_index[e]]++;                            \
            held->index[place] = (int32_t)j;                                    \
            ((T *)held->values)[place] = ((const T *)X->values)[e];             \
        }

/* Distributes the entries to the columns of the transpose. The array of starts also serves as the
 * cursors: after the loop, the cursor of column i has reached the start of column i + 1. */
static void scatter(const chi_store *held, const ch_matrix *X) {
    int64_t *next = held->start + 1;
    memset(held->start, 0, (size_t)(X->rows + 1) * sizeof *held->start);
    for (int64_t e = 0; e < X->column_start[X->cols]; e++)
        if (X->row_index[e] + 1 < X->rows) next[X->row_index[e] + 1]++;
    for (int64_t i = 1; i < X->rows; i++) next[i] += next[i - 1];
    CHI_BY_TYPE(X->type, SCATTER)
}

static ch_status transpose_csc(ch_context *context, ch_matrix *transpose, const ch_matrix *X) {
    if (X->cols > INT32_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "a sparse matrix of %lld columns cannot be transposed, because a sparse "
                        "matrix has at most %d rows",
                        (long long)X->cols, INT32_MAX);
    ch_matrix made;
    TRY(chi_matrix_create_csc(context, &made, X->cols, X->rows, X->column_start[X->cols], X->type,
                              "a sparse matrix"));
    scatter(made.owner, X);
    *transpose = made;
    return CH_OK;
}

/* Transposes a view that clips its values; they are clipped in the transpose too. */
static ch_status transpose_shown(ch_context *context, ch_matrix *transpose, const ch_matrix *X) {
    const chi_shown *shown = chi_shown_of(X);
    const chi_showing how = {.type = X->type, .clip = shown->clip, .what = "a transposed view"};
    ch_matrix across;
    if (shown->rows > 0 || shown->cols > 0)
        return chi_fail(context, CH_ERR_INTERNAL,
                        "a view with more rows or columns than are stored cannot be transposed; "
                        "this is a bug in conehull, please report it");
    TRY(ch_matrix_transpose(context, &across, &shown->X));
    return chi_show(context, transpose, &across, &how);
}

ch_status ch_matrix_transpose(ch_context *context, ch_matrix *transpose, const ch_matrix *X) {
    TRY(chi_check_view(context, X));
    if (X->layout == CH_CSC) return transpose_csc(context, transpose, X);
    if (chi_shown_of(X)) return transpose_shown(context, transpose, X);
    return ch_matrix_borrow(
        context, transpose,
        &(ch_matrix){.rows = X->cols,
                     .cols = X->rows,
                     .layout = X->layout == CH_COLUMN_MAJOR ? CH_ROW_MAJOR : CH_COLUMN_MAJOR,
                     .type = X->type,
                     .values = X->values,
                     .stride = X->stride});
}
