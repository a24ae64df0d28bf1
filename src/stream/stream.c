/* A stream of columns, each compared with the cone of the columns S stored so far
 * (conehull/stream.h):
 *
 *     store x  if  min_{b >= 0} |x - S b|_1 > tolerance * |x|_1
 *
 * A decision depends on x and S alone, and S on the earlier decisions. To use all threads, several
 * columns are measured ahead, against the current S. If one of them is stored, the columns after it
 * are measured again. The number measured ahead doubles while columns are dropped, so the work is
 * at most about twice the minimum; in the long run, when hardly any column is stored, almost
 * nothing is measured twice. Dropping a column needs no dual: b itself shows how close the column
 * is.
 *
 * Cost: one projection onto S per column. stream_reduce.c reduces S. */
#include "base/processes.h"
#include "base/sized.h"
#include "linalg/survey.h"
#include "stream/stream_store.h"

#include <math.h>

/* ---- measuring ----------------------------------------------------------------------------- */

typedef struct measuring {
    const chi_projector *projector;
    int64_t lo;
    double *far, *size;
} measuring;

static void measure_column(void *user, int64_t block, int thread) {
    const measuring *m = user;
    chi_worker *worker = &m->projector->worker[thread];
    chi_fit fit;
    chi_project_column(m->projector, thread, &fit, worker->b, NULL, m->lo + block);
    m->size[block] = worker->x.sum;
    m->far[block] = worker->x.sum > 0 ? fit.objective / worker->x.sum : 0;
}

void chi_stream_measure(ch_context *context, double *far, double *size,
                        const chi_projector *projector, int64_t lo, int64_t hi) {
    measuring m = {projector, lo, far, size};
    chi_parallel(context, hi - lo, measure_column, &m);
}

double chi_stream_widen(double bound, double worst) {
    return fmin(1, bound + (1 + bound) * worst);
}

void chi_stream_view(const ch_stream *stream, ch_matrix *view) {
    int waits = chi_stream_waits(stream);
    *view = (ch_matrix){.rows = stream->info.rows,
                        .cols = waits ? stream->waiting.count : stream->work.cone.count,
                        .values = waits ? stream->waiting.values : stream->work.cone.A,
                        .stride = stream->info.rows};
}

/* ---- taking columns ------------------------------------------------------------------------ */

static void let_go(ch_stream *stream, double far, double size) {
    stream->info.seen++;
    stream->info.zeros += size == 0;
    stream->total += size;
    stream->info.bound = fmax(stream->info.bound, far);
}

static void keep(ch_stream *stream, const ch_matrix *chunk, int64_t j, double size) {
    chi_column_gather(stream->work.column, chunk, j);
    stream->work.numbers[stream->work.cone.count] = stream->info.seen++;
    chi_cone_append(&stream->work.cone, stream->work.column);
    stream->total += size;
    stream->info.kept = stream->work.cone.count;
    if (stream->info.most < stream->info.kept) stream->info.most = stream->info.kept;
}

int64_t chi_stream_limit(const ch_stream_settings *settings, int64_t kept) {
    int64_t limit = 2 * kept + CHI_STREAM_GROWTH;
    return limit < chi_stream_most(settings) ? limit : chi_stream_most(settings);
}

/* Raises the limit before it requests memory: if the request fails, the store is already reduced,
 * and the next call does not reduce it again. */
static ch_status make_space(ch_stream *stream) {
    if (stream->work.cone.count >= stream->limit) {
        TRY_OK(chi_stream_reduce(stream));
        stream->limit = chi_stream_limit(&stream->settings, stream->work.cone.count);
    }
    return chi_stream_reserve(stream, stream->limit);
}

static ch_status take_columns(ch_stream *stream, const ch_matrix *chunk, int64_t from) {
    int64_t store = chi_stream_most(&stream->settings), ahead = 1;
    int64_t most = store < CHI_STREAM_AHEAD ? store : CHI_STREAM_AHEAD;
    for (int64_t j = from; j < chunk->cols;) {
        TRY_OK(make_space(stream));
        stream->projector.X = chunk;
        int64_t count = ahead < chunk->cols - j ? ahead : chunk->cols - j, n = 0;
        chi_stream_measure(stream->context, stream->work.far, stream->work.size, &stream->projector,
                           j, j + count);
        for (; n < count && stream->work.far[n] <= stream->info.tolerance; n++)
            let_go(stream, stream->work.far[n], stream->work.size[n]);
        if (n < count) keep(stream, chunk, j + n, stream->work.size[n]);
        ahead = n < count ? 1 : 2 * ahead < most ? 2 * ahead : most;
        j += n < count ? n + 1 : count;
        if (chi_notify(stream->context, "stream", j, chunk->cols, -1, stream->info.bound) != 0)
            return CH_STOP_CANCELLED;
    }
    return CH_OK;
}

/* Checks that every column sum is zero or in the range where squares can be computed. Columns are
 * checked one by one, so that the refused column does not depend on how the stream is split. */
static ch_status check_sizes(ch_context *context, const ch_matrix *chunk, const double *sums) {
    for (int64_t j = 0; j < chunk->cols; j++)
        if (chi_check_sizes(context, &sums[j], 1) < 0)
            return chi_fail(context, CH_ERR_DATA,
                            "the sum of column %lld is %.3g, but in a stream it must be 0 or "
                            "between 2^-500 and 2^500; multiply the data by a power of two",
                            (long long)(chunk->first + j), sums[j]);
    return CH_OK;
}

static ch_status check_chunk(ch_stream *stream, const ch_matrix *chunk, chi_survey *survey) {
    ch_context *context = stream->context;
    int shares = stream->anchors.loss == CH_LOSS_LOGISTIC ? CHI_SURVEY_SHARES : 0;
    if (chunk->rows != stream->info.rows)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "the new columns have %lld rows, but the stream has %lld",
                        (long long)chunk->rows, (long long)stream->info.rows);
    TRY(chi_survey_make(context, survey, chunk, CHI_SURVEY_CHECK | CHI_SURVEY_SUMS | shares));
    TRY(check_sizes(context, chunk, survey->sums));
    return chi_survey_check_shares(context, survey, chunk);
}

ch_status ch_stream_push(ch_stream *stream, const ch_matrix *chunk) {
    if (!stream) return CH_ERR_ARGUMENT;
    if (!chunk)
        return chi_fail(stream->context, CH_ERR_ARGUMENT,
                        "the matrix of new columns (chunk) must not be NULL");
    ch_matrix named = *chunk; /* messages give numbers in the stream */
    named.first = stream->info.seen;
    if (chunk->rows == stream->info.rows && chunk->cols == 0) return CH_OK;
    chi_survey survey = {0};
    int64_t at = 0;
    ch_status status = check_chunk(stream, &named, &survey);
    if (status == CH_OK && chi_stream_waits(stream)) {
        status = chi_waiting_take(stream, &named, survey.sums, &at);
        if (status == CH_OK && at < named.cols) status = chi_stream_reduce(stream);
        if (status == CH_OK && at < named.cols)
            stream->limit = chi_stream_limit(&stream->settings, stream->work.cone.count);
    }
    chi_survey_free(&survey);
    if (status == CH_OK && at < named.cols) status = take_columns(stream, &named, at);
    return status;
}

ch_status ch_stream_get_info(const ch_stream *stream, ch_stream_info *info) {
    TRY(chi_sized_check(stream->context, info, "ch_stream_info"));
    chi_result_give(info, &stream->info, sizeof stream->info);
    return CH_OK;
}

void ch_stream_kept(const ch_stream *stream, ch_matrix *view, const int64_t **numbers) {
    chi_stream_view(stream, view);
    if (numbers) *numbers = chi_stream_numbers(stream);
}

/* ---- life cycle ---------------------------------------------------------------------------- */

static ch_status check_settings(ch_context *context, const ch_anchors_settings *anchors,
                                const ch_stream_settings *settings) {
    if (chi_process_count(context) > 1)
        return chi_fail(context, CH_ERR_UNSUPPORTED, "a stream can be used in one process only");
    if (anchors->method != CH_METHOD_XRAY && anchors->method != CH_METHOD_SPA)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a stream can be used with the methods xray and spa only, because other "
                        "methods need all columns at once");
    if (anchors->keep_count > 0 || anchors->path || anchors->keep_duals || anchors->checkpoint)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the settings 'keep', 'path', 'keep_duals' and 'checkpoint' cannot be used with a "
            "stream, because they need all columns at once");
    if (anchors->faint > 0)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "the setting 'faint' cannot be used with a stream, because it needs the sums "
            "of all columns");
    if (anchors->library || anchors->library_only)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a library cannot be used with a stream, which selects from its own "
                        "columns only; use ch_anchors()");
    if (anchors->negative != CH_NEGATIVE_REFUSE)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "the setting negative = clip cannot be used with a stream; clip the "
                        "columns before you pass them");
    if (anchors->missing != CH_MISSING_NONE || anchors->observed || anchors->weights ||
        anchors->row_weights || anchors->column_weights)
        return chi_fail(
            context, CH_ERR_UNSUPPORTED,
            "weights and missing entries cannot be used with a stream; collect the columns and "
            "call ch_anchors(), or, for row weights under l1, scale the rows before you pass them");
    if (anchors->hull != CH_HULL_CONE)
        return chi_fail(context, CH_ERR_UNSUPPORTED,
                        "a stream can be used with hull = cone only, because other hulls need all "
                        "columns at once");
    if (anchors->method == CH_METHOD_SPA && anchors->rank == 0)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the method spa cannot choose the rank (xray can); give a rank of 1 or more");
    if (settings->store > 0 && settings->store < CHI_STREAM_LEAST)
        return chi_fail(context, CH_ERR_SETTING,
                        "the setting 'store' must be 0 or at least %d, got %lld", CHI_STREAM_LEAST,
                        (long long)settings->store);
    if (anchors->rank > chi_stream_most(settings) / 2)
        return chi_fail(
            context, CH_ERR_SETTING,
            "the setting 'store' is %lld columns, which is too few for %lld anchors; at "
            "least %lld are needed, twice the rank",
            (long long)chi_stream_most(settings), (long long)anchors->rank,
            2 * (long long)anchors->rank);
    return CH_OK;
}

static void set_filter(ch_stream *stream) {
    ch_anchors_defaults(&stream->filter);
    stream->filter.tol = stream->anchors.tol;
    stream->filter.select_only = 1;
    stream->filter.first = CH_FIRST_PAPER; /* dropping the first would open the cone */
}

ch_status ch_stream_create(ch_context *context, ch_stream **stream, int64_t rows,
                           const ch_anchors_settings *anchors, const ch_stream_settings *settings) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!stream || !anchors || !settings || rows < 1)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "stream, anchors and settings must not be NULL, and rows must be at "
                        "least 1");
    ch_anchors_settings of_anchors;
    ch_stream_settings set;
    TRY(chi_settings_take(context, &of_anchors, ch_anchors_table(), anchors));
    TRY(chi_settings_take(context, &set, ch_stream_table(), settings));
    TRY(check_settings(context, &of_anchors, &set));
    ch_stream *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "the stream", 1, sizeof *made);
    made->context = context;
    made->anchors = of_anchors;
    made->settings = set;
    made->values = CHI_STREAM_VALUES;
    made->info =
        (ch_stream_info){.size = sizeof made->info, .rows = rows, .tolerance = set.tolerance};
    made->limit = chi_stream_limit(&set, CHI_STREAM_GROWTH / 2);
    set_filter(made);
    *stream = made;
    return CH_OK;
}

void ch_stream_destroy(ch_stream *stream) {
    if (!stream) return;
    chi_stream_release(stream);
    chi_waiting_free(stream->context, &stream->waiting);
    chi_free(stream->context, stream);
}
