/* The anchors of a stream: selects among the stored columns, and returns numbers in the stream. */
#include "base/sized.h"
#include "stream/stream_store.h"

#include <math.h>

/* Sets the floor of a divergence from all columns seen, not only from the stored ones. */
static void settle(ch_anchors_settings *set, const ch_stream *stream) {
    *set = stream->anchors;
    set->select_only = 1;
    set->selected = NULL;
    if (set->rank > stream->info.kept) set->rank = stream->info.kept;
    if (set->floor < 0 && stream->total > 0)
        set->floor =
            CHI_FLOOR * stream->total / ((double)stream->info.rows * (double)stream->info.seen);
}

static double farthest(const double *far, int64_t count) {
    double worst = 0;
    for (int64_t k = 0; k < count; k++) worst = fmax(worst, far[k]);
    return worst;
}

static ch_status how_it_ended(const ch_stream *stream, const ch_anchors_result *result) {
    if (result->status != CH_OK && result->status != CH_STOP_COMPLETE) return result->status;
    if (stream->info.thinned > 0) return CH_STOP_INACCURATE;
    return result->rank < stream->anchors.rank ? CH_STOP_COMPLETE : result->status;
}

ch_status ch_stream_anchors(ch_stream *stream, ch_anchors_result *result, double *bound) {
    if (!stream) return CH_ERR_ARGUMENT;
    ch_context *context = stream->context;
    TRY(chi_sized_check(context, result, "ch_anchors_result"));
    if (stream->info.kept == 0)
        return chi_fail(
            context, CH_ERR_DATA,
            "no anchor has been found yet, because all %lld columns seen so far are zero",
            (long long)stream->info.seen);
    ch_anchors_settings set;
    ch_anchors_result made = {.size = sizeof made};
    ch_matrix S;
    settle(&set, stream);
    chi_stream_view(stream, &S);
    TRY(ch_anchors(context, &made, &S, &set));
    int whole = made.status != CH_STOP_CANCELLED;
    chi_arena arena = {.context = context};
    double *far = chi_arena_doubles(&arena, 2 * S.cols);
    ch_status status = chi_arena_status(&arena, "the distances of columns");
    if (status == CH_OK && whole)
        status = chi_stream_compare(stream, far, far + S.cols, made.anchors, made.rank);
    double worst = status == CH_OK && whole ? farthest(far, S.cols) : 0;
    chi_arena_free(&arena);
    if (status < 0) {
        ch_anchors_result_free(context, &made);
        return status;
    }
    if (bound) *bound = whole ? chi_stream_widen(stream->info.bound, worst) : INFINITY;
    for (int64_t k = 0; k < made.rank; k++)
        made.anchors[k] = chi_stream_numbers(stream)[made.anchors[k]];
    made.cols = stream->info.seen;
    made.status = how_it_ended(stream, &made);
    chi_result_give(result, &made, sizeof made);
    return made.status;
}
