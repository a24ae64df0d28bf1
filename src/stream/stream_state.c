/* The state of a stream in a checkpoint: a record that says what it is, and one with all that later
 * columns can meet. */
#include "stream/stream_store.h"

#include <math.h>
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
    int64_t kept = stream->room.cone.count;
    ch_record_piece pieces[] = {
        {&now, sizeof now},
        {stream->room.numbers, kept * (int64_t)sizeof *stream->room.numbers},
        {stream->room.cone.A, kept * stream->info.rows * (int64_t)sizeof *stream->room.cone.A},
    };
    ch_record_piece first = {identity, sizeof identity};
    TRY(chi_records_add(stream->context, checkpoint, &first, 1, CHI_KEEP_IDENTITY));
    return chi_records_add(stream->context, checkpoint, pieces, 3, CHI_KEEP_STREAM);
}

/* Its settings are among those that can be set. The reason is left in the context, where that of
 * the record then takes its place. */
static int has_settings(ch_context *context, const state *then) {
    ch_anchors_settings set;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.tol = then->tol;
    return ch_settings_check(context, &ch_anchors_table, &set) == CH_OK &&
           ch_settings_check(context, &ch_stream_table, &then->settings) == CH_OK;
}

/* Columns are counted once each, as zero, as kept or as let go; a store once empty stays so only
 * while all are zero. */
static int has_counts(const ch_stream_info *info) {
    return chi_record_counts(info->rows) && info->rows >= 1 && chi_record_counts(info->seen) &&
           info->zeros >= 0 && info->zeros <= info->seen && info->kept >= 0 &&
           info->kept <= info->seen - info->zeros && info->kept <= info->most &&
           info->most <= info->seen && info->reduced >= 0 && info->reduced <= info->seen &&
           info->thinned >= 0 && info->thinned <= info->seen &&
           (info->kept > 0 || info->zeros == info->seen);
}

/* What later columns are held against: reduced when the limit is reached, which is that of a new
 * store or follows a reduction to no more columns than there are. */
static int has_bounds(const state *then) {
    const ch_stream_info *info = &then->info;
    int64_t fresh = CHI_STREAM_ROOM / 2, most = info->kept > fresh ? info->kept : fresh;
    return info->most <= then->settings.store && info->kept <= then->limit &&
           then->limit >= chi_stream_limit(&then->settings, 0) &&
           then->limit <= chi_stream_limit(&then->settings, most) &&
           info->tolerance >= then->settings.tolerance && info->tolerance <= 1 &&
           info->bound >= 0 && info->bound <= 1 && then->total >= 0 && isfinite(then->total);
}

/* Whether a stream can be in this state. A checksum says nothing about it: anybody can write one,
 * so all that the arithmetic counts on is looked at, and lengths before memory is asked for. */
static int is_possible(ch_context *context, const state *then, const chi_record *record) {
    const ch_stream_info *info = &then->info;
    return then->format == FORMAT && has_settings(context, then) && has_counts(info) &&
           has_bounds(then) && chi_record_holds(record, info->kept, sizeof(int64_t)) &&
           chi_record_holds(record, info->kept, (size_t)info->rows * sizeof(double));
}

/* A column as a push would have taken it. */
static ch_status check_column(ch_context *context, const double *values, int64_t rows) {
    ch_matrix x;
    double sum;
    TRY(ch_matrix_borrow_dense(context, &x, values, rows, 1, rows, CH_COLUMN_MAJOR, CH_F64));
    TRY(ch_matrix_check(context, &x));
    TRY(chi_column_norms(context, &sum, NULL, &x));
    return sum > 0 ? chi_check_sizes(context, &sum, 1) : CH_ERR_DATA;
}

static ch_status fill(ch_stream *stream, chi_record *record, const state *then,
                      const ch_checkpoint *checkpoint) {
    chi_stream_workspace *room = &stream->room;
    int64_t rows = then->info.rows, kept = then->info.kept;
    ch_status status = CH_OK;
    stream->info = then->info;
    stream->total = then->total;
    stream->limit = then->limit;
    if (kept > 0) TRY(chi_stream_reserve(stream, kept));
    chi_record_get(record, room->numbers, kept, sizeof *room->numbers);
    for (int64_t k = 0; status == CH_OK && k < kept; k++) {
        chi_record_get(record, room->column, rows, sizeof *room->column);
        status = check_column(stream->context, room->column, rows);
        if (room->numbers[k] <= (k ? room->numbers[k - 1] : -1)) status = CH_ERR_DATA;
        if (status == CH_OK) chi_cone_append(&room->cone, room->column);
    }
    if (kept > 0 && room->numbers[kept - 1] >= then->info.seen) status = CH_ERR_DATA;
    if (status < 0 && status != CH_ERR_DATA) return status;
    return chi_record_end(stream->context, record, checkpoint, status == CH_OK);
}

ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                            const ch_anchors_settings *anchors, const ch_checkpoint *checkpoint) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!stream || !anchors || !checkpoint)
        return chi_fail(context, CH_ERR_ARGUMENT,
                        "stream, anchors and checkpoint must not be "
                        "NULL");
    if (!chi_records_has(checkpoint, CHI_KEEP_STREAM))
        return chi_fail(context, CH_ERR_FORMAT, "%s: holds no state of a stream", checkpoint->name);
    chi_record record;
    while (chi_records_has(checkpoint, CHI_KEEP_STREAM))
        TRY(chi_records_take(context, &record, checkpoint, CHI_KEEP_STREAM));
    state then;
    ch_stream *made = NULL;
    chi_record_get(&record, &then, 1, sizeof then);
    if (!is_possible(context, &then, &record))
        return chi_record_end(context, &record, checkpoint, 0);
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
