/* The state of a stream in a checkpoint: a record that says what it is, and one with all that later
 * columns can meet. */
#include "app/stream_store.h"

#include <string.h>

/* Numbers are part of the format. */
enum { FORMAT = 1 };
static const char identity[] = "stream of columns\n";

typedef struct state {
    int64_t format;
    double tol; /* of the projections */
    ch_stream_settings settings;
    ch_stream_info info;
    double total;
    int64_t limit;
} state;

ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint) {
    if (!stream) return CH_ERR_ARGUMENT;
    if (!checkpoint) return chi_fail(stream->context, CH_ERR_ARGUMENT, "checkpoint is NULL");
    state now;
    memset(&now, 0, sizeof now); /* the same state, the same bytes */
    now.format = FORMAT;
    now.tol = stream->filter.tol;
    now.settings = stream->settings;
    now.info = stream->info;
    now.total = stream->total;
    now.limit = stream->limit;
    int64_t kept = stream->cone.count;
    ch_piece pieces[] = {
        {&now, sizeof now},
        {stream->numbers, kept * (int64_t)sizeof *stream->numbers},
        {stream->cone.A, kept * stream->info.rows * (int64_t)sizeof *stream->cone.A},
    };
    ch_piece first = {identity, sizeof identity};
    TRY(chi_keep_add(stream->context, checkpoint, &first, 1, CHI_KEEP_IDENTITY));
    return chi_keep_add(stream->context, checkpoint, pieces, 3, CHI_KEEP_STREAM);
}

/* Whether a stream can be in this state; the checksum was right, so most of it is. */
static int is_possible(const state *then, const chi_record *record) {
    const ch_stream_info *info = &then->info;
    return then->format == FORMAT && info->rows >= 1 && chi_record_counts(info->rows) &&
           info->kept >= 0 && info->kept <= info->most && info->most <= then->settings.store &&
           info->kept <= then->limit && then->limit <= then->settings.store &&
           info->kept <= info->seen && info->tolerance >= then->settings.tolerance &&
           info->tolerance <= 1 && info->bound >= 0 && info->bound <= 1 &&
           chi_record_holds(record, info->kept, sizeof(int64_t)) &&
           chi_record_holds(record, info->kept, (size_t)info->rows * sizeof(double));
}

static ch_status fill(ch_stream *stream, chi_record *record, const state *then,
                      const ch_checkpoint *checkpoint) {
    stream->info = then->info;
    stream->total = then->total;
    stream->limit = then->limit;
    chi_record_get(record, stream->numbers, then->info.kept, sizeof *stream->numbers);
    for (int64_t k = 0; k < then->info.kept; k++) {
        chi_record_get(record, stream->column, then->info.rows, sizeof *stream->column);
        chi_cone_append(&stream->cone, stream->column);
    }
    return chi_record_end(stream->context, record, checkpoint, 1);
}

ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                            const ch_anchors_settings *anchors, const ch_checkpoint *checkpoint) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!stream || !anchors || !checkpoint)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "stream, anchors and checkpoint must not be "
                        "NULL");
    if (!chi_keep_has(checkpoint, CHI_KEEP_STREAM))
        return chi_fail(context, CH_ERR_FORMAT, "%s: holds no state of a stream", checkpoint->name);
    chi_record record;
    while (chi_keep_has(checkpoint, CHI_KEEP_STREAM))
        TRY(chi_keep_take(context, &record, checkpoint, CHI_KEEP_STREAM));
    state then;
    ch_stream *made = NULL;
    chi_record_get(&record, &then, 1, sizeof then);
    if (!is_possible(&then, &record)) return chi_record_end(context, &record, checkpoint, 0);
    ch_anchors_settings set = *anchors;
    set.tol = then.tol;
    TRY(ch_stream_create(context, &made, then.info.rows, &set, &then.settings));
    ch_status status = fill(made, &record, &then, checkpoint);
    if (status < 0)
        ch_stream_destroy(made);
    else
        *stream = made;
    return status;
}
