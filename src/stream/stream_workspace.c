/* Memory of a stream for its columns and for projections onto them. It grows with the limit of the
 * store, so a stream with few columns uses little, however large the store may become. */
#include "stream/stream_store.h"

#include <string.h>

static void release(chi_stream_workspace *work) {
    chi_cone_destroy(&work->cone);
    chi_arena_free(&work->arena);
}

static ch_status allocate(ch_context *context, chi_stream_workspace *work, int64_t rows,
                          int64_t columns) {
    *work = (chi_stream_workspace){.arena = {.context = context}};
    work->numbers = chi_arena_alloc(&work->arena, columns, sizeof *work->numbers);
    work->column = chi_arena_doubles(&work->arena, rows);
    work->far = chi_arena_doubles(&work->arena, CHI_STREAM_AHEAD);
    work->size = chi_arena_doubles(&work->arena, CHI_STREAM_AHEAD);
    ch_status status = chi_arena_status(&work->arena, "the stream");
    if (status == CH_OK) status = chi_cone_create(context, &work->cone, rows, columns);
    if (status < 0) release(work);
    return status;
}

/* Moves the columns to a larger cone. Appending them again gives the same bits (chi_cone_fill). */
static ch_status grow(ch_stream *stream, int64_t columns) {
    ch_context *context = stream->context;
    int64_t count = stream->work.cone.count;
    chi_stream_workspace larger;
    TRY(allocate(context, &larger, stream->info.rows, columns));
    if (count > 0) {
        chi_cone_fill(context, &larger.cone, stream->work.cone.A, count);
        memcpy(larger.numbers, stream->work.numbers, (size_t)count * sizeof *larger.numbers);
    }
    chi_stream_release(stream);
    stream->work = larger;
    return CH_OK;
}

ch_status chi_stream_reserve(ch_stream *stream, int64_t columns) {
    ch_context *context = stream->context;
    ch_matrix view;
    if (stream->work.cone.capacity < columns) TRY(grow(stream, columns));
    if (stream->projector.threads == ch_context_threads(context)) return CH_OK;
    chi_projector_destroy(&stream->projector);
    chi_stream_view(stream, &view);
    ch_status status = chi_projector_create(context, &stream->projector, &stream->work.cone, &view,
                                            &stream->filter);
    if (status < 0) chi_projector_destroy(&stream->projector);
    return status;
}

void chi_stream_release(ch_stream *stream) {
    chi_projector_destroy(&stream->projector);
    release(&stream->work);
}
