/* One parallel pass over a matrix that computes all requested facts (survey.h).
 *
 * A column-major matrix is read block by block, and each column is used while it is in the cache. A
 * row-major matrix is read strip by strip, several rows at a time. The lowest column with a refused
 * value is kept in one atomic number, so the result does not depend on the number of threads; this
 * column is read again for the message.
 *
 * The hash is the sum of the hashes of blocks of columns, each seeded by its position in the whole
 * matrix. So the hashes of the parts on several processes, which start at a block, add up to the
 * hash of the whole, and threads may take blocks in any order. Mapped files and matrices in memory
 * have the same hash. */
#include "linalg/survey.h"
#include "base/processes.h"
#include "kernels/kernels.h"
#include "linalg/shown.h"

#include <math.h>
#include <stdatomic.h>

enum {
    BLOCK = CH_COMM_BLOCK, /* columns; parts of processes begin with a block       */
    STRIP = 16 * BLOCK,    /* columns of a strip, row-major: their sums stay in L1 */
    ROWS = 16              /* rows of a strip that stay in the cache meanwhile     */
};

typedef int64_t (*first_bad_fn)(const void *x, int64_t count);

typedef struct survey_job {
    ch_context *context;
    const ch_matrix *X;
    const chi_kernels *kernels;
    const chi_typed_loops *typed;
    int wanted;
    first_bad_fn first_bad; /* NULL: all values are accepted */
    chi_survey *survey;
    int32_t *index; /* for totals: rows entries per thread */
    double *value;
    char *space;           /* for a view that computes values: space of each thread ... */
    int64_t space_bytes;   /* ... and its size                                          */
    _Atomic int64_t bad;   /* the lowest refused column; cols: none                     */
    _Atomic int64_t above; /* the lowest column with a value above 1                    */
    _Atomic int64_t nonzeros;
    _Atomic uint64_t hash;
} survey_job;

static void note_lowest(_Atomic int64_t *lowest, int64_t column) {
    int64_t known = atomic_load(lowest);
    while (column < known && !atomic_compare_exchange_weak(lowest, &known, column)) {
    }
}

#define FIRST_ABOVE(T)   \
    const T *x = values; \
    while (i < count && !((double)x[i] > 1)) i++;

/* Returns the index of the first value above 1, or count. */
static int64_t first_above(ch_value_type type, const void *values, int64_t count) {
    int64_t i = 0;
    CHI_BY_TYPE(type, FIRST_ABOVE)
    return i;
}

static char *space_of(const survey_job *job, int thread) {
    return job->space ? job->space + thread * job->space_bytes : NULL;
}

static uint64_t begin_hash(const ch_matrix *X, int64_t low) {
    int64_t place = (X->first + low) / BLOCK;
    return chi_hash(0, &place, sizeof place);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Returns the first entry of CSC column j whose row is out of range or not above the previous
 * one. */
static int64_t first_bad_row(const ch_matrix *X, int64_t j) {
    int64_t e = X->column_start[j], end = X->column_start[j + 1], last = -1;
    for (; e < end && X->row_index[e] > last && X->row_index[e] < X->rows; e++)
        last = X->row_index[e];
    return e;
}

/* Returns the values of column j; *count becomes their number. */
static const void *column_values(const survey_job *job, int64_t *count, int64_t j, int thread) {
    const ch_matrix *X = job->X;
    const chi_part whole = {0, X->rows, j, 1};
    int64_t stride;
    *count = X->layout == CH_CSC ? X->column_start[j + 1] - X->column_start[j] : X->rows;
    if (X->layout == CH_CSC) return chi_value_at(X, X->column_start[j]);
    return chi_part_values(&stride, X, space_of(job, thread), &whole);
}

static int is_bad(const survey_job *job, int64_t j, const void *x, int64_t count) {
    if (job->first_bad && job->first_bad(x, count) < count) return 1;
    return job->wanted & CHI_SURVEY_CHECK && job->X->layout == CH_CSC &&
           first_bad_row(job->X, j) < job->X->column_start[j + 1];
}

static void add_total(const survey_job *job, int64_t j, int thread) {
    double *value = job->value + thread * job->X->rows;
    int64_t count = chi_column_support(job->index + thread * job->X->rows, value, job->X, j);
    job->survey->totals[j] = chi_sum_abs(job->kernels, value, count);
}

/* Computes the requested facts of column j from its values, except check, total and hash. Returns
 * the number of nonzeros, or 0 if it was not requested. */
static int64_t look_at_column(survey_job *job, int64_t j, const void *x, int64_t count) {
    chi_survey *survey = job->survey;
    double sum = 0, square = 0;
    if (survey->sums || survey->squares) job->typed->moments(&sum, &square, x, count);
    if (survey->sums) survey->sums[j] = sum;
    if (survey->squares) survey->squares[j] = square;
    if (job->wanted & CHI_SURVEY_SHARES && first_above(job->X->type, x, count) < count)
        note_lowest(&job->above, j);
    return job->wanted & CHI_SURVEY_COUNT ? job->typed->nonzeros(x, count) : 0;
}

static uint64_t hash_sparse(const ch_matrix *X, int64_t low, int64_t high, uint64_t hash) {
    int64_t length[BLOCK], first = X->column_start[low];
    size_t stored = (size_t)(X->column_start[high] - first);
    for (int64_t j = low; j < high; j++)
        length[j - low] = X->column_start[j + 1] - X->column_start[j];
    hash = chi_hash(hash, length, (size_t)(high - low) * sizeof *length);
    hash = chi_hash(hash, X->row_index + first, stored * sizeof *X->row_index);
    return chi_hash(hash, chi_value_at(X, first), stored * ch_value_type_size(X->type));
}

/* Stops at the first refused column, because nothing after it is needed. */
static void survey_columns(void *user, int64_t block, int thread) {
    survey_job *job = user;
    const ch_matrix *X = job->X;
    int64_t low = block * BLOCK, high = low + BLOCK < X->cols ? low + BLOCK : X->cols;
    int64_t nonzeros = 0;
    int hashes = job->wanted & CHI_SURVEY_HASH;
    size_t bytes = (size_t)X->rows * ch_value_type_size(X->type);
    uint64_t hash = begin_hash(X, low);
    chi_prefetch_block(job->context, X, BLOCK, block);
    for (int64_t j = low; j < high; j++) {
        if (j > atomic_load(&job->bad)) return;
        int64_t count;
        const void *x = column_values(job, &count, j, thread);
        if (is_bad(job, j, x, count)) {
            note_lowest(&job->bad, j);
            return;
        }
        nonzeros += look_at_column(job, j, x, count);
        if (job->survey->totals) add_total(job, j, thread);
        if (hashes && X->layout != CH_CSC) hash = chi_hash(hash, x, bytes);
    }
    if (hashes && X->layout == CH_CSC) hash = hash_sparse(X, low, high, hash);
    if (hashes) atomic_fetch_add(&job->hash, hash);
    atomic_fetch_add(&job->nonzeros, nonzeros);
}

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct strip {
    int64_t low, high;  /* its columns                        */
    int64_t bad, above; /* the lowest refused column, or high */
    int64_t nonzeros;
    uint64_t hash[STRIP / BLOCK];
} strip;

/* Computes the requested facts from one row within the strip, except the norms. */
static void look_at_row(const survey_job *job, strip *s, const char *x) {
    ch_value_type type = job->X->type;
    int64_t width = s->high - s->low, size = (int64_t)ch_value_type_size(type);
    if (job->first_bad) s->bad = s->low + job->first_bad(x, s->bad - s->low);
    if (job->wanted & CHI_SURVEY_COUNT) s->nonzeros += job->typed->nonzeros(x, width);
    if (job->wanted & CHI_SURVEY_SHARES)
        s->above = s->low + first_above(type, x, s->above - s->low);
    for (int64_t b = 0; job->wanted & CHI_SURVEY_HASH && b * BLOCK < width; b++) {
        int64_t columns = width - b * BLOCK < BLOCK ? width - b * BLOCK : BLOCK;
        s->hash[b] = chi_hash(s->hash[b], x + b * BLOCK * size, (size_t)(columns * size));
    }
}

static void survey_rows(void *user, int64_t number, int thread) {
    survey_job *job = user;
    const ch_matrix *X = job->X;
    strip s = {.low = number * STRIP};
    double unwanted[STRIP];
    double *sums = job->survey->sums ? job->survey->sums + s.low : unwanted;
    double *squares = job->survey->squares ? job->survey->squares + s.low : unwanted;
    int norms = sums != unwanted || squares != unwanted;
    int64_t stride, size = (int64_t)ch_value_type_size(X->type);
    s.bad = s.above = s.high = s.low + STRIP < X->cols ? s.low + STRIP : X->cols;
    chi_prefetch_block(job->context, X, STRIP, number);
    for (int64_t j = s.low; j < s.high; j += BLOCK) s.hash[(j - s.low) / BLOCK] = begin_hash(X, j);
    for (int64_t j = 0; norms && j < s.high - s.low; j++) sums[j] = squares[j] = 0;
    for (int64_t i = 0; i < X->rows && s.bad > s.low; i += ROWS) {
        const chi_part part = {i, i + ROWS < X->rows ? ROWS : X->rows - i, s.low, s.high - s.low};
        const char *x = chi_part_values(&stride, X, space_of(job, thread), &part);
        for (int64_t row = 0; row < part.rows; row++) look_at_row(job, &s, x + row * stride * size);
        if (norms) job->typed->row_moments(sums, squares, x, stride, part.cols, part.rows);
    }
    if (s.bad < s.high) note_lowest(&job->bad, s.bad);
    if (s.above < s.high) note_lowest(&job->above, s.above);
    atomic_fetch_add(&job->nonzeros, s.nonzeros);
    for (int64_t j = s.low; job->wanted & CHI_SURVEY_HASH && j < s.high; j += BLOCK)
        atomic_fetch_add(&job->hash, s.hash[(j - s.low) / BLOCK]);
}

/* Computes totals in a second pass, because they need whole columns. */
static void total_columns(void *user, int64_t block, int thread) {
    survey_job *job = user;
    chi_prefetch_block(job->context, job->X, BLOCK, block);
    for (int64_t j = block * BLOCK; j < (block + 1) * BLOCK && j < job->X->cols; j++)
        add_total(job, j, thread);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static ch_status check_starts(ch_context *context, const ch_matrix *X) {
    if (X->column_start[0] != 0)
        return chi_fail(context, CH_ERR_DATA,
                        "column_start[0] of the sparse matrix is %lld, but it must be 0",
                        (long long)X->column_start[0]);
    for (int64_t j = 0; j < X->cols; j++)
        if (X->column_start[j] > X->column_start[j + 1])
            return chi_fail(context, CH_ERR_DATA,
                            "column_start of the sparse matrix must not decrease, but it falls "
                            "from %lld to %lld at column %lld",
                            (long long)X->column_start[j], (long long)X->column_start[j + 1],
                            (long long)(X->first + j));
    return CH_OK;
}

static ch_status refuse_value(ch_context *context, int64_t i, int64_t j, double value,
                              int negative_too) {
    if (isnan(value))
        return chi_fail(
            context, CH_ERR_DATA,
            "the value at row %lld, column %lld (counted from 0) is NaN, but conehull needs a "
            "number in every entry; fill in the missing values or remove the column",
            (long long)i, (long long)j);
    if (value < 0 && negative_too)
        return chi_fail(context, CH_ERR_DATA,
                        "the value at row %lld, column %lld (counted from 0) is negative, %.9g, "
                        "but conehull needs values >= 0; clip or shift the data",
                        (long long)i, (long long)j, value);
    return chi_fail(context, CH_ERR_DATA,
                    "the value at row %lld, column %lld (counted from 0) is infinite, but conehull "
                    "needs finite values; clip the value or remove the column",
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
                        "column %lld of the sparse matrix has the row index %d, but row indices "
                        "must be from 0 to %lld",
                        (long long)(X->first + j), X->row_index[wrong], (long long)X->rows - 1);
    return chi_fail(context, CH_ERR_DATA,
                    "the row indices of column %lld of the sparse matrix must increase, but %d "
                    "follows %d; sort them and sum duplicates",
                    (long long)(X->first + j), X->row_index[wrong], X->row_index[wrong - 1]);
}

static ch_status check_shape(ch_context *context, const ch_matrix *X) {
    if (X->rows < 1 || (X->cols < 1 && chi_process_count(context) == 1)) /* a part may be empty */
        return chi_fail(context, CH_ERR_DATA,
                        "the matrix is empty; it has %lld rows and %lld columns, but at least one "
                        "of each is needed",
                        (long long)X->rows, (long long)X->cols);
    if (X->rows > INT32_MAX)
        return chi_fail(context, CH_ERR_DATA,
                        "the matrix has %lld rows, but at most %d are supported, because row "
                        "indices have 32 bits",
                        (long long)X->rows, INT32_MAX);
    return X->layout == CH_CSC ? check_starts(context, X) : CH_OK;
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

static first_bad_fn first_bad_of(const survey_job *job) {
    int whole = job->X->type == CH_U8 || job->X->type == CH_U16;
    if (!(job->wanted & CHI_SURVEY_CHECK) || (whole && job->X->layout != CH_CSC)) return NULL;
    if (!(job->wanted & CHI_SURVEY_SIGNED) || whole) return job->typed->first_bad;
    return job->X->type == CH_F64 ? first_unfinite_f64 : first_unfinite_f32;
}

/* ---- the pass ------------------------------------------------------------------------------ */

static ch_status allocate(survey_job *job, chi_arena *scratch) {
    chi_survey *survey = job->survey;
    int64_t cols = job->X->cols, whole = ch_context_threads(job->context) * job->X->rows;
    if (job->wanted & CHI_SURVEY_SUMS) survey->sums = chi_arena_doubles(&survey->arena, cols);
    if (job->wanted & CHI_SURVEY_SQUARES) survey->squares = chi_arena_doubles(&survey->arena, cols);
    if (job->wanted & CHI_SURVEY_TOTALS) {
        survey->totals = chi_arena_doubles(&survey->arena, cols);
        job->index = chi_arena_alloc(scratch, whole, sizeof *job->index);
        job->value = chi_arena_doubles(scratch, whole);
    }
    TRY(chi_arena_status(scratch, "columns"));
    return chi_arena_status(&survey->arena, "norms of the columns");
}

static ch_status allocate_space(survey_job *job, chi_arena *scratch) {
    const ch_matrix *X = job->X;
    if (!chi_shown_of(X)) return CH_OK;
    int64_t values = X->layout == CH_ROW_MAJOR ? ROWS * STRIP : X->rows;
    job->space_bytes = values * (int64_t)sizeof(double);
    job->space = (char *)chi_arena_doubles(scratch, ch_context_threads(job->context) * values);
    return chi_arena_status(scratch, "columns");
}

static ch_status pass(survey_job *job, int64_t width, chi_body body) {
    return chi_pass(job->context, job->X, width, job->wanted & CHI_SURVEY_CANCELLABLE, body, job);
}

static ch_status refuse(const survey_job *job) {
    int64_t column = atomic_load(&job->bad);
    int negative_too = !(job->wanted & CHI_SURVEY_SIGNED);
    if (job->X->layout != CH_CSC) return refuse_dense(job->context, job->X, column, negative_too);
    return refuse_sparse(job->context, job->X, column, job->first_bad, negative_too);
}

static ch_status run_passes(survey_job *job) {
    int by_row = job->X->layout == CH_ROW_MAJOR;
    TRY(pass(job, by_row ? STRIP : BLOCK, by_row ? survey_rows : survey_columns));
    if (atomic_load(&job->bad) < job->X->cols) return refuse(job);
    if (by_row && job->survey->totals) TRY(pass(job, BLOCK, total_columns));
    job->survey->nonzeros = atomic_load(&job->nonzeros);
    job->survey->above = atomic_load(&job->above);
    job->survey->hash = atomic_load(&job->hash);
    return CH_OK;
}

static survey_job job_of(ch_context *context, chi_survey *survey, const ch_matrix *X, int wanted) {
    const chi_kernels *kernels = chi_kernels_of(context);
    survey_job job = {.context = context,
                      .X = X,
                      .kernels = kernels,
                      .typed = &kernels->dense->typed[X->type],
                      .wanted = wanted,
                      .survey = survey,
                      .bad = X->cols,
                      .above = X->cols};
    job.first_bad = first_bad_of(&job);
    return job;
}

ch_status chi_survey_make(ch_context *context, chi_survey *survey, const ch_matrix *X, int wanted) {
    chi_arena scratch = {.context = context};
    int checks = CHI_SURVEY_CHECK | CHI_SURVEY_SIGNED | CHI_SURVEY_CANCELLABLE;
    *survey = (chi_survey){.arena = {.context = context}, .above = X->cols};
    if (wanted & CHI_SURVEY_CHECK) TRY(chi_check_view(context, X));
    if (wanted & CHI_SURVEY_CHECK) TRY(check_shape(context, X));
    survey_job job = job_of(context, survey, X, wanted);
    if (X->rows < 1) return CH_OK; /* there are no values to read */
    if (!job.first_bad && !(wanted & ~checks)) return CH_OK;
    ch_status status = allocate(&job, &scratch);
    if (status == CH_OK) status = allocate_space(&job, &scratch);
    if (status == CH_OK) status = run_passes(&job);
    chi_arena_free(&scratch);
    return status;
}

ch_status chi_column_norms(ch_context *context, double *sums, double *squares, const ch_matrix *X) {
    chi_survey survey = {.sums = sums, .squares = squares};
    chi_arena scratch = {.context = context};
    survey_job job = job_of(context, &survey, X, 0);
    ch_status status = allocate_space(&job, &scratch);
    if (status == CH_OK) status = run_passes(&job);
    chi_arena_free(&scratch);
    return status;
}

void chi_survey_free(chi_survey *survey) {
    chi_arena_free(&survey->arena);
}

ch_status chi_survey_check_shares(ch_context *context, const chi_survey *survey,
                                  const ch_matrix *X) {
    int64_t i = 0, j = survey->above;
    if (j == X->cols) return CH_OK;
    while (ch_matrix_at(X, i, j) <= 1) i++;
    return chi_fail(context, CH_ERR_DATA,
                    "the value at row %lld, column %lld (counted from 0) is %g, but the loss "
                    "logistic needs values from 0 to 1; scale the data",
                    (long long)i, (long long)(X->first + j), ch_matrix_at(X, i, j));
}

/* Only checks the matrix. The survey then has no arrays to free. */
ch_status ch_matrix_check(ch_context *context, const ch_matrix *X) {
    chi_survey survey;
    TRY(chi_check_view(context, X));
    return chi_survey_make(context, &survey, X, CHI_SURVEY_CHECK);
}

ch_status chi_matrix_check_signed(ch_context *context, const ch_matrix *X) {
    chi_survey survey;
    return chi_survey_make(context, &survey, X, CHI_SURVEY_CHECK | CHI_SURVEY_SIGNED);
}

int64_t ch_matrix_nonzeros(ch_context *context, const ch_matrix *X) {
    chi_survey survey;
    if (chi_check_view(context, X) < 0) return -1;
    chi_survey_make(context, &survey, X,
                    CHI_SURVEY_COUNT); /* cannot fail, because it checks nothing */
    return survey.nonzeros;
}
