/* Scores of all columns,
 *     scores_cj = sum_i D_ic X_ij,
 * and their first two moments: the passes over X that every method is made of. Each reads X once
 * and is limited by memory, not by arithmetic, so up to CHI_SCORE_MAX vectors ride along.
 *
 * The order of summation within a column is fixed: rows in chunks (dense columns), rows in fours
 * (row-major), stored entries (CSC). Blocks of columns and threads do not change it. */
#include "linalg/kernels.h"
#include "linalg/view.h"
#include <string.h>

enum { CHUNK = 512 }; /* rows of four columns that stay in L1 while the vectors take turns */

typedef struct score_job {
    const chi_typed_kernels *typed;
    double *scores;
    const double *D;
    int count;
} score_job;

static void score_dense_columns(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    for (int64_t j = lo; j < hi; j += 4) {
        int64_t width = hi - j < 4 ? hi - j : 4;
        double sums[CHI_SCORE_MAX][4] = {{0}};
        for (int64_t i = 0; i < X->rows; i += CHUNK) {
            int64_t length = X->rows - i < CHUNK ? X->rows - i : CHUNK;
            const void *x[4];
            for (int c = 0; c < 4; c++) /* the last column stands in for missing ones */
                x[c] = chi_value_at(X, i + (j + (c < width ? c : width - 1)) * X->stride);
            for (int c = 0; c < job->count; c++)
                job->typed->dot4(sums[c], job->D + c * X->rows + i, x, length);
        }
        for (int c = 0; c < job->count; c++)
            memcpy(job->scores + c * X->cols + j, sums[c], (size_t)width * sizeof(double));
    }
}

static void score_dense_rows(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    for (int c = 0; c < job->count; c++)
        memset(job->scores + c * X->cols + lo, 0, (size_t)(hi - lo) * sizeof(double));
    for (int64_t i = 0; i < X->rows; i += 4) {
        int64_t height = X->rows - i < 4 ? X->rows - i : 4;
        const void *x[4];
        for (int r = 0; r < 4; r++) /* missing rows: the last one, with weight 0 */
            x[r] = chi_value_at(X, (i + (r < height ? r : height - 1)) * X->stride + lo);
        for (int c = 0; c < job->count; c++) {
            double d[4] = {0, 0, 0, 0};
            for (int r = 0; r < height; r++) d[r] = job->D[c * X->rows + i + r];
            job->typed->add4(job->scores + c * X->cols + lo, d, x, hi - lo);
        }
    }
}

static void score_sparse(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    for (int64_t j = lo; j < hi; j++) {
        int64_t start = X->column_start[j], stored = X->column_start[j + 1] - start;
        const void *x = chi_value_at(X, start);
        for (int c = 0; c < job->count; c++)
            job->scores[c * X->cols + j] =
                job->typed->gather(job->D + c * X->rows, X->row_index + start, x, stored);
    }
}

ch_status chi_score(ch_context *context, double *scores, const ch_matrix *X, const double *D,
                    int count) {
    static const chi_columns_body bodies[] = {
        [CH_COLUMN_MAJOR] = score_dense_columns,
        [CH_ROW_MAJOR] = score_dense_rows,
        [CH_CSC] = score_sparse,
    };
    if (count < 1 || count > CHI_SCORE_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT, "1 to %d vectors can be scored at once, not %d",
                        CHI_SCORE_MAX, count);
    score_job job = {&chi_kernels_get()->typed[X->type], scores, D, count};
    chi_for_columns(context, X, bodies[X->layout], &job);
    return CH_OK;
}

typedef struct norms_job {
    const chi_typed_kernels *typed;
    double *sums, *squares;
} norms_job;

static void norms_of_run(const norms_job *job, int64_t j, const void *x, int64_t count) {
    double sum = 0, square = 0;
    job->typed->moments(&sum, &square, x, count);
    if (job->sums) job->sums[j] = sum;
    if (job->squares) job->squares[j] = square;
}

static void norms_dense_columns(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    for (int64_t j = lo; j < hi; j++)
        norms_of_run(user, j, chi_value_at(X, j * X->stride), X->rows);
}

static void norms_sparse(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    for (int64_t j = lo; j < hi; j++) {
        int64_t start = X->column_start[j];
        norms_of_run(user, j, chi_value_at(X, start), X->column_start[j + 1] - start);
    }
}

static void norms_dense_rows(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const norms_job *job = user;
    double *sums = job->sums ? job->sums + lo : NULL;
    double *squares = job->squares ? job->squares + lo : NULL;
    if (sums) memset(sums, 0, (size_t)(hi - lo) * sizeof(double));
    if (squares) memset(squares, 0, (size_t)(hi - lo) * sizeof(double));
    for (int64_t i = 0; i < X->rows; i++)
        job->typed->add_moments(sums, squares, chi_value_at(X, i * X->stride + lo), hi - lo);
}

ch_status chi_column_norms(ch_context *context, double *sums, double *squares, const ch_matrix *X) {
    static const chi_columns_body bodies[] = {
        [CH_COLUMN_MAJOR] = norms_dense_columns,
        [CH_ROW_MAJOR] = norms_dense_rows,
        [CH_CSC] = norms_sparse,
    };
    norms_job job = {&chi_kernels_get()->typed[X->type], sums, squares};
    chi_for_columns(context, X, bodies[X->layout], &job);
    return CH_OK;
}
