/* Scores of all columns,
 *
 *     scores_cj = sum_i D_ic X_ij
 *
 * Every method is built from these passes over X. A pass reads X once and is limited by memory, not
 * by arithmetic, so it handles up to CHI_SCORE_MAX vectors together.
 *
 * The order of summation within a column is fixed: by chunks of rows (dense columns), by groups of
 * four rows (row-major), by stored entries (CSC). It does not depend on blocks of columns or
 * threads. */
#include "kernels/kernels.h"
#include "linalg/shown.h"
#include <string.h>

enum {
    PREPARED = 8192, /* doubles on the stack for vectors that a kernel needs in another order */
    LIST_BLOCK = 16, /* columns of a list that a thread takes at a time                       */
    ROW_CHUNK = 16,  /* rows of a block that stay in the cache while vectors alternate        */
    SPACE = 1 << 15  /* bytes for values of a view that is not stored as shown                */
};

typedef struct score_job {
    const chi_typed_loops *typed;
    double *scores;
    const double *D;
    int count;
    int64_t first, last; /* rows of X to sum over */
    const double
        *prepared; /* D in chunks, vectors interleaved; NULL: the kernel takes D as it is */
    int64_t slot;  /* doubles per vector and chunk in prepared */
    const ch_matrix *X;
    chi_columns_body body; /* kernel for the layout       */
    const int64_t *list;   /* columns to score; NULL: all */
    int64_t listed;
} score_job;

static const double *vector_chunk(const score_job *job, const ch_matrix *X, int64_t i, int c) {
    if (!job->prepared) return job->D + c * X->rows + i;
    return job->prepared + ((i - job->first) / job->typed->chunk * job->count + c) * job->slot;
}

static void clear_scores(const score_job *job, const ch_matrix *X, int64_t lo, int64_t hi) {
    for (int c = 0; c < job->count && job->first == 0; c++)
        memset(job->scores + c * X->cols + lo, 0, (size_t)(hi - lo) * sizeof(double));
}

/* Returns how many of `most` columns fit in the space if their values must be written there first,
 * else most. */
static int64_t columns_at_once(const ch_matrix *X, int64_t rows, int64_t most) {
    int64_t fit = SPACE / (rows * (int64_t)ch_value_type_size(X->type));
    return chi_shown_of(X) && fit < most ? fit : most;
}

/* Takes a few columns at a time, so that a chunk of them is still in the cache for the next
 * vector. */
static void score_dense_columns(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    const chi_typed_loops *typed = job->typed;
    char space[SPACE] __attribute__((aligned(64)));
    int64_t stride, group = columns_at_once(X, typed->chunk, typed->group);
    clear_scores(job, X, lo, hi);
    for (int64_t j = lo; j < hi; j += group) {
        int64_t columns = hi - j < group ? hi - j : group;
        for (int64_t i = job->first; i < job->last; i += typed->chunk) {
            int64_t length = job->last - i < typed->chunk ? job->last - i : typed->chunk;
            const chi_part part = {i, length, j, columns};
            const void *x = chi_part_values(&stride, X, space, &part);
            for (int c = 0; c < job->count; c++)
                typed->dots(job->scores + c * X->cols + j, vector_chunk(job, X, i, c), x, stride,
                            columns, length);
        }
    }
}

/* Scores the rows of the part, starting with row part->i, for the columns of the part. */
static void score_rows(const score_job *job, const ch_matrix *X, const chi_part *part) {
    char space[SPACE] __attribute__((aligned(64)));
    int64_t stride;
    const void *x = chi_part_values(&stride, X, space, part);
    for (int c = 0; c < job->count; c++)
        job->typed->row_dots(job->scores + c * X->cols + part->j, vector_chunk(job, X, part->i, c),
                             x, stride, part->cols, part->rows);
}

static void score_dense_rows(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    int64_t height = job->prepared ? job->typed->chunk : ROW_CHUNK;
    int64_t width = columns_at_once(X, height, hi - lo);
    clear_scores(job, X, lo, hi);
    for (int64_t i = job->first; i < job->last; i += height)
        for (int64_t j = lo; j < hi; j += width) {
            const chi_part part = {i, job->last - i < height ? job->last - i : height, j,
                                   hi - j < width ? hi - j : width};
            score_rows(job, X, &part);
        }
}

/* Takes one vector at a time: the entries of one vector that a block of columns uses fit in the
 * cache better than those of four, and so does the block. */
static void score_sparse(void *user, const ch_matrix *X, int64_t lo, int64_t hi) {
    const score_job *job = user;
    for (int c = 0; c < job->count; c++)
        for (int64_t j = lo; j < hi; j++) {
            int64_t start = X->column_start[j], stored = X->column_start[j + 1] - start;
            job->scores[c * X->cols + j] = job->typed->gather(
                job->D + c * X->rows, X->row_index + start, chi_value_at(X, start), stored);
        }
}

/* ---- passes -------------------------------------------------------------------------------- */

static void score_listed(void *user, int64_t block, int thread) {
    score_job *job = user;
    int64_t low = block * LIST_BLOCK, high = low + LIST_BLOCK;
    (void)thread;
    for (int64_t at = low; at < high && at < job->listed; at++)
        job->body(job, job->X, job->list[at], job->list[at] + 1);
}

static ch_status score_all(ch_context *context, score_job *job) {
    if (!job->list)
        return chi_for_columns_until(context, job->X, job->first, job->last, job->body, job);
    chi_parallel(context, (job->listed + LIST_BLOCK - 1) / LIST_BLOCK, score_listed, job);
    return CH_OK;
}

/* The vectors are reordered once, for as many rows as fit on the stack; all threads use the
 * copy. */
static ch_status score_prepared(ch_context *context, score_job *job) {
    const ch_matrix *X = job->X;
    double prepared[PREPARED + 4 * CHI_PREPARED_EXTRA] __attribute__((aligned(64)));
    int64_t chunk = job->typed->chunk, chunks = PREPARED / chunk / job->count;
    job->prepared = prepared;
    job->slot = chunk + CHI_PREPARED_EXTRA;
    for (job->first = 0; job->first < X->rows; job->first = job->last) {
        int64_t left = X->rows - job->first;
        job->last = left < chunks * chunk ? X->rows : job->first + chunks * chunk;
        for (int64_t i = job->first; i < job->last; i += chunk)
            for (int c = 0; c < job->count; c++)
                job->typed->prepare(
                    prepared + ((i - job->first) / chunk * job->count + c) * job->slot,
                    job->D + c * X->rows + i, job->last - i < chunk ? job->last - i : chunk);
        TRY(score_all(context, job));
    }
    return CH_OK;
}

static ch_status score(ch_context *context, score_job *job) {
    static const chi_columns_body bodies[] = {
        [CH_COLUMN_MAJOR] = score_dense_columns,
        [CH_ROW_MAJOR] = score_dense_rows,
        [CH_CSC] = score_sparse,
    };
    job->body = bodies[job->X->layout];
    job->typed = &chi_kernels_of(context)->dense->typed[job->X->type];
    job->last = job->X->rows;
    if (job->X->layout != CH_CSC && job->X->rows > 0 && job->typed->prepare)
        return score_prepared(context, job);
    return score_all(context, job);
}

ch_status chi_score(ch_context *context, double *scores, const ch_matrix *X, const double *D,
                    int count) {
    if (count < 1 || count > CHI_SCORE_MAX)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "from 1 to %d vectors can be scored at once, got %d", CHI_SCORE_MAX, count);
    score_job job = {.scores = scores, .X = X, .D = D, .count = count};
    return score(context, &job);
}

void chi_score_columns(ch_context *context, double *scores, const ch_matrix *X, const double *d,
                       const int64_t *list, int64_t listed) {
    for (int64_t at = 0; at < listed; at++)
        chi_prefetch_columns(context, X, list[at], list[at] + 1);
    score_job job = {.scores = scores, .X = X, .D = d, .count = 1, .list = list, .listed = listed};
    score(context, &job);
}
