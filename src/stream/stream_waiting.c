/* Waiting columns: while all columns fit in memory, none is dropped. A stream with store 0 keeps
 * every column until there are CHI_STREAM_VALUES numbers. Until then its answer is that of
 * ch_anchors() on all columns, at the cost of a copy. The next column ends this phase: the
 * selection loop chooses, in l1, columns whose cone holds the others, as in stream_reduce.c, and
 * the stream continues with a store of CHI_STREAM_STORE columns. */
#include "stream/stream_store.h"

#include <string.h>

int chi_stream_waits(const ch_stream *stream) {
    return stream->settings.store == 0 && stream->info.reduced == 0;
}

static int64_t most_waiting(const ch_stream *stream) {
    int64_t most = stream->values / stream->info.rows;
    return most > CHI_STREAM_STORE ? most : CHI_STREAM_STORE;
}

void chi_waiting_free(ch_context *context, chi_waiting *waiting) {
    chi_free(context, waiting->values);
    chi_free(context, waiting->numbers);
    *waiting = (chi_waiting){0};
}

ch_status chi_waiting_reserve(ch_stream *stream, int64_t columns) {
    ch_context *context = stream->context;
    chi_waiting *old = &stream->waiting;
    int64_t rows = stream->info.rows, most = most_waiting(stream), space = 2 * old->space;
    if (columns <= old->space) return CH_OK;
    if (space < columns) space = columns;
    if (space > most) space = most;
    chi_waiting larger = {.values = chi_alloc(context, space * rows, sizeof(double)),
                          .numbers = chi_alloc(context, space, sizeof(int64_t)),
                          .space = space};
    if (!larger.values || !larger.numbers) {
        chi_waiting_free(context, &larger);
        return chi_no_memory(context, "the stream", space * rows, sizeof(double));
    }
    if (old->count > 0) {
        memcpy(larger.values, old->values, (size_t)(old->count * rows) * sizeof(double));
        memcpy(larger.numbers, old->numbers, (size_t)old->count * sizeof(int64_t));
    }
    larger.count = old->count;
    chi_waiting_free(context, old);
    *old = larger;
    return CH_OK;
}

/* Takes columns from *at on, up to the first that does not fit. Calls the progress callback
 * regularly. */
ch_status chi_waiting_take(ch_stream *stream, const ch_matrix *chunk, const double *sums,
                           int64_t *at) {
    enum { ASK = 1024 };
    chi_waiting *waiting = &stream->waiting;
    ch_stream_info *info = &stream->info;
    for (int64_t j = *at; j < chunk->cols; j++, *at = j) {
        if (sums[j] > 0) {
            if (waiting->count == most_waiting(stream)) return CH_OK;
            int64_t wanted = waiting->count + chunk->cols - j;
            int64_t most = most_waiting(stream);
            TRY(chi_waiting_reserve(stream, wanted < most ? wanted : most));
            chi_column_gather(waiting->values + waiting->count * info->rows, chunk, j);
            waiting->numbers[waiting->count++] = info->seen;
            stream->total += sums[j];
            info->kept = waiting->count;
            if (info->most < info->kept) info->most = info->kept;
        }
        info->zeros += sums[j] == 0;
        info->seen++;
        if (j % ASK == 0 && chi_notify(stream->context, "stream", j + 1, chunk->cols, -1, 0) != 0) {
            *at = j + 1;
            return CH_STOP_CANCELLED;
        }
    }
    return CH_OK;
}
