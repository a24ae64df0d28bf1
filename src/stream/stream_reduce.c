/* Reduces the store of a stream. The selection loop, in l1, chooses columns K of S until every
 * other column is within the tolerance of their cone or, if the store is full, until half of it is
 * chosen.
 *
 * In the first case the promise of the filter holds: a dropped column is within the tolerance of
 * the cone of others. In the second case the store is too small for the data. Columns outside the
 * cone are dropped ("thinned"), and the tolerance rises to the distance of the nearest of them, so
 * that similar columns are not collected again (as the threshold rises in the doubling algorithm
 * for streaming k-center: Charikar, Chekuri, Feder and Motwani 2004, Section 3.2). Raising it to
 * the distance of the farthest would give a smaller bound, but lost true anchors in trials. In both
 * cases the bound grows by the measured distance. */
#include "stream/stream_store.h"
#include "xray/xray.h"

#include <math.h>
#include <string.h>

ch_status chi_stream_compare(ch_stream *stream, double *far, double *size, const int64_t *list,
                             int64_t count) {
    ch_context *context = stream->context;
    int64_t rows = stream->info.rows;
    chi_cone cone = {0};
    chi_projector projector = {0};
    ch_matrix S;
    chi_stream_view(stream, &S);
    ch_status status = chi_cone_create(context, &cone, rows, count);
    for (int64_t k = 0; status == CH_OK && k < count; k++)
        chi_cone_append(&cone, (const double *)S.values + list[k] * rows);
    if (status == CH_OK)
        status = chi_projector_create(context, &projector, &cone, &S, &stream->filter);
    if (status == CH_OK) chi_stream_measure(context, far, size, &projector, 0, S.cols);
    chi_projector_destroy(&projector);
    chi_cone_destroy(&cone);
    return status;
}

/* What a reduction loses: the largest distance of a dropped column, and the dropped columns outside
 * the tolerance. */
typedef struct loss {
    double farthest, nearest_outside;
    int64_t outside;
} loss;

/* Marks the columns that stay. A column outside the cone of the chosen ones stays while there is
 * space, up to `most` columns in all. */
static loss choose(const ch_stream *stream, char *stays, const double *far, const int64_t *list,
                   int64_t chosen, int64_t most) {
    loss lost = {.nearest_outside = INFINITY};
    memset(stays, 0, (size_t)stream->info.kept);
    for (int64_t k = 0; k < chosen; k++) stays[list[k]] = 1;
    for (int64_t k = 0; k < stream->info.kept; k++) {
        if (stays[k]) continue;
        int is_outside = far[k] > stream->info.tolerance;
        if (is_outside && chosen < most) {
            stays[k] = 1;
            chosen++;
            continue;
        }
        lost.farthest = fmax(lost.farthest, far[k]);
        lost.outside += is_outside;
        if (is_outside) lost.nearest_outside = fmin(lost.nearest_outside, far[k]);
    }
    return lost;
}

static void remove_others(ch_stream *stream, const char *stays) {
    int64_t kept = 0;
    for (int64_t k = stream->work.cone.count - 1; k >= 0; k--)
        if (!stays[k]) chi_cone_remove(&stream->work.cone, k);
    for (int64_t k = 0; kept < stream->work.cone.count; k++)
        if (stays[k]) stream->work.numbers[kept++] = stream->work.numbers[k];
    stream->info.kept = kept;
}

/* Moves waiting columns to the store; memory for them was reserved. */
static void move_waiting(ch_stream *stream, const char *stays) {
    chi_waiting *waiting = &stream->waiting;
    for (int64_t k = 0; k < waiting->count; k++) {
        if (!stays[k]) continue;
        stream->work.numbers[stream->work.cone.count] = waiting->numbers[k];
        chi_cone_append(&stream->work.cone, waiting->values + k * stream->info.rows);
    }
    stream->info.kept = stream->work.cone.count;
    chi_waiting_free(stream->context, waiting);
}

/* Keeps the chosen columns of S, and others as choose() decides. */
static ch_status keep_chosen(ch_stream *stream, const ch_anchors_result *chosen, int64_t cols,
                             int64_t most) {
    chi_arena arena = {.context = stream->context};
    double *far = chi_arena_doubles(&arena, 2 * cols);
    char *stays = chi_arena_alloc(&arena, cols, 1);
    int waits = chi_stream_waits(stream);
    ch_status status = chi_arena_status(&arena, "the distances of columns");
    if (status == CH_OK && waits) status = chi_stream_reserve(stream, most);
    if (status == CH_OK)
        status = chi_stream_compare(stream, far, far + cols, chosen->anchors, chosen->rank);
    if (status == CH_OK) {
        loss lost = choose(stream, stays, far, chosen->anchors, chosen->rank, most);
        (waits ? move_waiting : remove_others)(stream, stays);
        stream->info.bound = chi_stream_widen(stream->info.bound, lost.farthest);
        if (lost.outside > 0) stream->info.tolerance = lost.nearest_outside;
        stream->info.thinned += lost.outside;
        stream->info.reduced++;
    }
    chi_arena_free(&arena);
    return status;
}

ch_status chi_stream_reduce(ch_stream *stream) {
    ch_anchors_settings set = stream->filter;
    ch_anchors_result chosen = {.size = sizeof chosen};
    ch_matrix S;
    chi_stream_view(stream, &S);
    int64_t store = chi_stream_most(&stream->settings), most = S.cols < store ? S.cols : store / 2;
    set.rank = most;
    set.stop = stream->info.tolerance;
    chi_survey survey;
    ch_status status =
        chi_survey_make(stream->context, &survey, &S, chi_select_wants(stream->context, &S, &set));
    if (status == CH_OK) status = chi_select(stream->context, &chosen, &S, &survey, &set);
    chi_survey_free(&survey);
    if (status >= 0 && status != CH_STOP_CANCELLED)
        status = keep_chosen(stream, &chosen, S.cols, most);
    ch_anchors_result_free(stream->context, &chosen);
    return status;
}
