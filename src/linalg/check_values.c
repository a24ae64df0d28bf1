/* Is this a matrix that the methods can use? One pass, in parallel. The offender that is named is
 * the first by column, then by row, for any number of threads: blocks keep the lowest bad column
 * in one atomic number, and that column is looked at again for the message. */
#include "base/processes.h"
#include "kernels/kernels.h"
#include "linalg/view.h"
#include <math.h>
#include <stdatomic.h>

typedef int64_t (*first_bad_fn)(const void *x, int64_t count);

typedef struct check_job {
    first_bad_fn first_bad;
    _Atomic int64_t column; /* the lowest bad column so far; cols when there is none */
} check_job;

static void report(check_job *job, int64_t column) {
    int64_t lowest = atomic_load(&job->column);
    while (column < lowest && !atomic_compare_exchange_weak(&job->column, &lowest, column)) {
    }
}

static void check_dense_columns(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    check_job *job = user;
    for (int64_t j = lo; j < hi && j < atomic_load(&job->column); j++)
        if (job->first_bad(chi_value_at(X, j * X->stride), X->rows) < X->rows) report(job, j);
}

static void check_dense_rows(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    check_job *job = user;
    int64_t first = hi;
    for (int64_t i = 0; i < X->rows && lo < first; i++)
        first = lo + job->first_bad(chi_value_at(X, i * X->stride + lo), first - lo);
    if (first < hi) report(job, first);
}

/* The first entry of CSC column j whose row is out of range or not above the one before. */
static int64_t first_bad_row(const ch_matrix *X, int64_t j) {
    int64_t e = X->column_start[j], end = X->column_start[j + 1], last = -1;
    for (; e < end && X->row_index[e] > last && X->row_index[e] < X->rows; e++)
        last = X->row_index[e];
    return e;
}

static void check_sparse(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    check_job *job = user;
    for (int64_t j = lo; j < hi && j < atomic_load(&job->column); j++) {
        int64_t start = X->column_start[j], count = X->column_start[j + 1] - start;
        if (job->first_bad(chi_value_at(X, start), count) < count ||
            first_bad_row(X, j) < X->column_start[j + 1])
            report(job, j);
    }
}

static ch_status check_starts(ch_context *context, const ch_matrix *X) {
    if (X->column_start[0] != 0)
        return chi_fail(context, CH_ERR_DATA, "sparse matrix: column_start[0] is %lld, must be 0",
                        (long long)X->column_start[0]);
    for (int64_t j = 0; j < X->cols; j++)
        if (X->column_start[j] > X->column_start[j + 1])
            return chi_fail(context, CH_ERR_DATA,
                            "sparse matrix: column_start falls from %lld to %lld at column %lld",
                            (long long)X->column_start[j], (long long)X->column_start[j + 1],
                            (long long)(X->first + j));
    return CH_OK;
}

static ch_status refuse_value(ch_context *context, int64_t i, int64_t j, double value,
                              int negative_too) {
    if (isnan(value))
        return chi_fail(
            context, CH_ERR_DATA,
            "row %lld, column %lld (from 0): NaN is not a number; conehull needs a value in "
            "every place (fill the gaps or drop the column)",
            (long long)i, (long long)j);
    if (value < 0 && negative_too)
        return chi_fail(
            context, CH_ERR_DATA,
            "row %lld, column %lld (from 0): %.9g is negative; conehull needs values >= 0 (clip "
            "or shift the data)",
            (long long)i, (long long)j, value);
    return chi_fail(
        context, CH_ERR_DATA,
        "row %lld, column %lld (from 0): the value is infinite; conehull needs finite values "
        "(clip or drop the column)",
        (long long)i, (long long)j);
}

static int bad(double value, int negative_too) {
    return !(value < INFINITY && value > -INFINITY) || (negative_too && value < 0);
}

static ch_status refuse_dense(ch_context *context, const ch_matrix *X, int64_t j,
                              int negative_too) {
    int64_t i = 0;
    while (i < X->rows - 1 && !bad(ch_matrix_at(X, i, j), negative_too)) i++;
    return refuse_value(context, i, X->first + j, ch_matrix_at(X, i, j), negative_too);
}

static ch_status refuse_sparse(ch_context *context, const ch_matrix *X, int64_t j,
                               first_bad_fn first_bad, int negative_too) {
    int64_t start = X->column_start[j], end = X->column_start[j + 1];
    int64_t wrong = first_bad_row(X, j);
    int64_t value = start + first_bad(chi_value_at(X, start), end - start);
    if (value < wrong) {
        return refuse_value(context, X->row_index[value], X->first + j, chi_number_at(X, value),
                            negative_too);
    }
    if (X->row_index[wrong] < 0 || X->row_index[wrong] >= X->rows)
        return chi_fail(context, CH_ERR_DATA,
                        "sparse matrix, column %lld: row index %d is outside 0..%lld",
                        (long long)(X->first + j), X->row_index[wrong], (long long)X->rows - 1);
    return chi_fail(
        context, CH_ERR_DATA,
        "sparse matrix, column %lld: row index %d follows %d; rows must rise (sort them "
        "and add up duplicates)",
        (long long)(X->first + j), X->row_index[wrong], X->row_index[wrong - 1]);
}

static ch_status check(ch_context *context, const ch_matrix *X, first_bad_fn first_bad,
                       int negative_too, int until) {
    static const chi_columns_body bodies[] = {
        [CH_COLUMN_MAJOR] = check_dense_columns,
        [CH_ROW_MAJOR] = check_dense_rows,
        [CH_CSC] = check_sparse,
    };
    if (X->rows < 1 || (X->cols < 1 && chi_process_count(context) == 1)) /* a part may be empty */
        return chi_fail(context, CH_ERR_DATA,
                        "the matrix is empty (%lld rows, %lld columns); at least one of each is "
                        "needed",
                        (long long)X->rows, (long long)X->cols);
    if (X->rows > INT32_MAX)
        return chi_fail(context, CH_ERR_DATA,
                        "%lld rows; at most %d are supported (rows are numbered in 32 bits)",
                        (long long)X->rows, INT32_MAX);
    if (X->layout == CH_CSC) TRY(check_starts(context, X));
    if (X->layout != CH_CSC && (X->type == CH_U8 || X->type == CH_U16)) return CH_OK;
    check_job job = {.first_bad = first_bad};
    atomic_init(&job.column, X->cols);
    if (until)
        TRY(chi_for_columns_until(context, X, 0, X->rows, bodies[X->layout], &job));
    else
        chi_for_columns(context, X, bodies[X->layout], &job);
    int64_t column = atomic_load(&job.column);
    if (column == X->cols) return CH_OK;
    return X->layout == CH_CSC ? refuse_sparse(context, X, column, first_bad, negative_too)
                               : refuse_dense(context, X, column, negative_too);
}

ch_status ch_matrix_check(ch_context *context, const ch_matrix *X) {
    return check(context, X, chi_kernels_of(context)->dense->typed[X->type].first_bad, 1, 0);
}

ch_status chi_matrix_check_until(ch_context *context, const ch_matrix *X) {
    return check(context, X, chi_kernels_of(context)->dense->typed[X->type].first_bad, 1, 1);
}

#define FIRST_UNFINITE(name, T)                                       \
    static int64_t name(const void *values, int64_t count) {          \
        const T *x = values;                                          \
        int64_t i = 0;                                                \
        while (i < count && x[i] < INFINITY && x[i] > -INFINITY) i++; \
        return i;                                                     \
    }
FIRST_UNFINITE(first_unfinite_f64, double)
FIRST_UNFINITE(first_unfinite_f32, float)

ch_status chi_matrix_check_signed(ch_context *context, const ch_matrix *X) {
    if (X->type == CH_F64) return check(context, X, first_unfinite_f64, 0, 0);
    if (X->type == CH_F32) return check(context, X, first_unfinite_f32, 0, 0);
    return ch_matrix_check(context, X);
}

typedef struct count_job {
    const chi_typed_loops *typed;
    _Atomic int64_t found; /* integers: any order of adding gives the same */
} count_job;

static void count_nonzeros(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    count_job *job = user;
    int64_t found = 0;
    if (X->layout == CH_CSC)
        found = job->typed->nonzeros(chi_value_at(X, X->column_start[lo]),
                                     X->column_start[hi] - X->column_start[lo]);
    else if (X->layout == CH_COLUMN_MAJOR)
        for (int64_t j = lo; j < hi; j++)
            found += job->typed->nonzeros(chi_value_at(X, j * X->stride), X->rows);
    else
        for (int64_t i = 0; i < X->rows; i++)
            found += job->typed->nonzeros(chi_value_at(X, i * X->stride + lo), hi - lo);
    atomic_fetch_add(&job->found, found);
}

int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X) {
    count_job job = {.typed = &chi_kernels_of(context)->dense->typed[X->type]};
    atomic_init(&job.found, 0);
    if (X->rows > 0)
        chi_for_columns(context, X, count_nonzeros, &job); /* else any number of cols */
    return atomic_load(&job.found);
}
