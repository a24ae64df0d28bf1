/* Weighted copies of a matrix: values first, then columns.
 *
 *     log     x <- log(1 + x)
 *     tfidf   x_ij <- x_ij (log((1 + n) / (1 + n_i)) + 1),  n columns seen, n_i of them with row i
 *     logtfidf  the same of log(1 + x_ij)
 *     logrootidf  log(1 + x_ij) (log((1 + n) / (1 + n_i)) + 1)^(1/2): a product of two columns then
 *                 has the idf of a row once, where tfidf has its square
 *     l1, l2  x_j <- x_j / |x_j|
 *
 * The smooth form of idf is never infinite or zero, so rows that are zero in `seen`, and rows that
 * all columns have, are kept. Sums run over the non-zero values of a column in order, so dense and
 * sparse copies of the same numbers agree to the bit. O(stored values). */
#include "base/arena.h"
#include "linalg/linalg.h"
#include "linalg/matrix_store.h"
#include <conehull/exemplars.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static const char *const value_names[] = {"raw", "log", "tfidf", "logtfidf", "logrootidf"};
enum { VALUE_NAMES = sizeof value_names / sizeof *value_names };
static const char *const column_names[] = {"as-is", "l1", "l2"};

static int find_name(const char *const *names, int count, const char *text, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) return i;
    return -1;
}

ch_status ch_weighting_parse(ch_context *context, ch_weighting *weighting, const char *text) {
    ch_weighting made = {CH_VALUE_DEFAULT, CH_COLUMN_DEFAULT};
    const char *part = text;
    while (strcmp(text, "auto") != 0) {
        size_t length = strcspn(part, "+");
        int values = find_name(value_names, VALUE_NAMES, part, length);
        int columns = find_name(column_names, 3, part, length);
        if ((values < 0 && columns < 1) || (values >= 0 && made.values >= 0) ||
            (columns >= 0 && made.columns >= 0))
            return chi_fail(context, CH_ERR_SETTING,
                            "the weighting must be auto, raw, log, tfidf, logtfidf, logrootidf, l1 "
                            "or l2, or one of raw, log, tfidf, logtfidf and logrootidf joined with "
                            "l1 or l2, as in tfidf+l2; got '%s'",
                            text);
        if (values >= 0) made.values = values;
        if (columns >= 0) made.columns = columns;
        if (!part[length]) {
            if (made.values < 0) made.values = CH_VALUE_RAW;
            if (made.columns < 0) made.columns = CH_COLUMN_AS_IS;
            break;
        }
        part += length + 1;
    }
    *weighting = made;
    return CH_OK;
}

static ch_weighting settled(const ch_weighting *weighting, const ch_matrix *X) {
    ch_weighting choice = *weighting;
    if (choice.values < 0) choice.values = CH_VALUE_RAW;
    if (choice.columns < 0) choice.columns = X->layout == CH_CSC ? CH_COLUMN_L1 : CH_COLUMN_AS_IS;
    return choice;
}

const char *ch_weighting_name(char *buffer, const ch_weighting *weighting, const ch_matrix *X) {
    ch_weighting choice = settled(weighting, X);
    const char *values = value_names[choice.values], *columns = column_names[choice.columns];
    if (choice.columns == CH_COLUMN_AS_IS)
        snprintf(buffer, 16, "%s", values);
    else if (choice.values == CH_VALUE_RAW)
        snprintf(buffer, 16, "%s", columns);
    else
        snprintf(buffer, 16, "%s+%s", values, columns);
    return buffer;
}

/* ---- the copy ---- */

enum { BLOCK = 64 }; /* columns that a thread weighs at a time */

typedef struct copying {
    const ch_matrix *X;
    ch_weighting choice;
    int logarithm;
    double *idf;    /* rows, or NULL                               */
    int32_t *index; /* rows entries per thread: the current column */
    double *value;
    double *values; /* of the copy, stored like X: dense column by column     */
    int32_t *row_index;
    int64_t *start;
} copying;

/* Computes idf from the columns seen; the current column is in the workspace of job. */
static void count_columns(const copying *job, const ch_matrix *seen) {
    double *idf = job->idf;
    memset(idf, 0, (size_t)seen->rows * sizeof *idf);
    for (int64_t j = 0; j < seen->cols; j++) {
        int64_t count = chi_column_support(job->index, job->value, seen, j);
        for (int64_t k = 0; k < count; k++) idf[job->index[k]] += 1;
    }
    for (int64_t i = 0; i < seen->rows; i++)
        idf[i] = log((1.0 + (double)seen->cols) / (1.0 + idf[i])) + 1;
    for (int64_t i = 0; i < seen->rows && job->choice.values == CH_VALUE_LOGROOTIDF; i++)
        idf[i] = sqrt(idf[i]);
}

static void scale_column(const copying *job, double *value, int64_t count) {
    double size = 0;
    if (job->choice.columns == CH_COLUMN_L1)
        for (int64_t k = 0; k < count; k++) size += value[k];
    if (job->choice.columns == CH_COLUMN_L2) {
        for (int64_t k = 0; k < count; k++) size += value[k] * value[k];
        size = sqrt(size);
    }
    if (!(size > 0)) return; /* unscaled, or without values */
    for (int64_t k = 0; k < count; k++) value[k] /= size;
}

static void weigh_block(void *user, int64_t block, int thread) {
    const copying *job = user;
    const ch_matrix *X = job->X;
    int32_t *index = job->index + thread * X->rows;
    double *value = job->value + thread * X->rows;
    int64_t high = (block + 1) * BLOCK < X->cols ? (block + 1) * BLOCK : X->cols;
    for (int64_t j = block * BLOCK; j < high; j++) {
        int64_t count = chi_column_support(index, value, X, j);
        for (int64_t k = 0; k < count && job->logarithm; k++) value[k] = log1p(value[k]);
        for (int64_t k = 0; k < count && job->idf; k++) value[k] *= job->idf[index[k]];
        scale_column(job, value, count);
        double *to = job->values + (job->start ? job->start[j] : j * X->rows);
        if (job->start) {
            memcpy(to, value, (size_t)count * sizeof *to);
            memcpy(job->row_index + job->start[j], index, (size_t)count * sizeof *index);
        } else {
            memset(to, 0, (size_t)X->rows * sizeof *to);
            for (int64_t k = 0; k < count; k++) to[index[k]] = value[k];
        }
    }
}

/* Creates the copy, not yet filled. */
static ch_status create_copy(ch_context *context, ch_matrix *copy, copying *job) {
    const ch_matrix *X = job->X;
    int64_t stored = ch_matrix_stored(X);
    if (X->layout == CH_CSC) {
        TRY(chi_matrix_create_csc(context, copy, X->rows, X->cols, stored, CH_F64,
                                  "weighted columns"));
        const chi_store *store = copy->owner;
        job->values = store->values;
        job->start = store->start;
        job->row_index = store->index;
        return CH_OK;
    }
    job->values = chi_alloc(context, stored, sizeof *job->values);
    if (!job->values) return chi_no_memory(context, "weighted columns", stored, sizeof(double));
    *copy = chi_matrix_owned(job->values, X->rows, X->cols, CH_COLUMN_MAJOR, CH_F64);
    return CH_OK;
}

ch_status ch_weighting_apply(ch_context *context, ch_matrix *weighted, const ch_matrix *X,
                             const ch_matrix *seen, const ch_weighting *weighting) {
    TRY(chi_check_view(context, X));
    copying job = {.X = X, .choice = settled(weighting, X)};
    if (job.choice.values == CH_VALUE_RAW && job.choice.columns == CH_COLUMN_AS_IS)
        return ch_matrix_copy(context, weighted, X, NULL, 0);
    if (!seen) seen = X;
    if (seen->rows != X->rows)
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "the matrix seen has %lld rows, but X has %lld; both must have the same terms",
            (long long)seen->rows, (long long)X->rows);
    chi_arena arena = {.context = context};
    int64_t room = ch_context_threads(context) * X->rows;
    job.index = chi_arena_alloc(&arena, room, sizeof *job.index);
    job.value = chi_arena_doubles(&arena, room);
    job.logarithm = job.choice.values != CH_VALUE_RAW && job.choice.values != CH_VALUE_TFIDF;
    if (job.choice.values >= CH_VALUE_TFIDF) job.idf = chi_arena_doubles(&arena, X->rows);
    ch_status status = chi_arena_status(&arena, "weighted columns");
    if (status == CH_OK) status = create_copy(context, weighted, &job);
    if (status == CH_OK) {
        if (job.idf) count_columns(&job, seen);
        if (job.start) job.start[0] = 0; /* stored zeros of X are dropped */
        for (int64_t j = 0; j < X->cols && job.start; j++)
            job.start[j + 1] = job.start[j] + chi_column_support(job.index, job.value, X, j);
        chi_parallel(context, (X->cols + BLOCK - 1) / BLOCK, weigh_block, &job);
    }
    chi_arena_free(&arena);
    return status;
}

/* ---- the largest values of a column ---- */

/* Inserts into a short list, by decreasing value, then by row. */
static void keep_largest(int64_t *rows, double *best, int64_t count, int64_t row, double value) {
    int64_t at = count;
    while (at > 0 && (rows[at - 1] < 0 || value > best[at - 1])) {
        at--;
        if (at + 1 < count) {
            rows[at + 1] = rows[at];
            best[at + 1] = best[at];
        }
    }
    if (at == count) return;
    rows[at] = row;
    best[at] = value;
}

ch_status ch_matrix_top_rows(ch_context *context, int64_t *rows, int64_t count,
                             const ch_matrix *X) {
    TRY(chi_check_view(context, X));
    chi_arena arena = {.context = context};
    int32_t *index = chi_arena_alloc(&arena, X->rows, sizeof *index);
    double *value = chi_arena_doubles(&arena, X->rows), *best = chi_arena_doubles(&arena, count);
    ch_status status = chi_arena_status(&arena, "a column");
    for (int64_t j = 0; j < X->cols && status == CH_OK; j++) {
        int64_t *of_column = rows + j * count, stored;
        for (int64_t k = 0; k < count; k++) of_column[k] = -1;
        stored = chi_column_support(index, value, X, j);
        for (int64_t k = 0; k < stored; k++)
            keep_largest(of_column, best, count, index[k], value[k]);
    }
    chi_arena_free(&arena);
    return status;
}
