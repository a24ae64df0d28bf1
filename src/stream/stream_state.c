/* The state of a stream in a checkpoint: one record that identifies it, and one with everything
 * that affects later columns. */
#include "base/sized.h"
#include "checkpoint/records.h"
#include "stream/stream_store.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 2 };

typedef struct state {
    int64_t format;
    double tol; /* tolerance of the projections */
    ch_stream_settings settings;
    ch_stream_info info;
    double total;
    int64_t limit;
    int64_t *numbers;                 /* numbers of the stored columns ... */
    const unsigned char *kept_values; /* ... and their values              */
} state;

static void identity_fields(chi_record *record, void *user) {
    static char identity[] = "stream of columns\n";
    (void)user;
    chi_record_values(record, identity, sizeof identity, 1);
}

static void state_fields(chi_record *record, void *user) {
    state *s = user;
    ch_stream_info *info = &s->info;
    chi_record_number(record, &s->format, FORMAT, FORMAT);
    chi_record_values(record, &s->tol, 1, sizeof s->tol);
    chi_record_number(record, &s->settings.store, 0, CHI_COUNT_MAX);
    chi_record_values(record, &s->settings.tolerance, 1, sizeof s->settings.tolerance);
    chi_record_number(record, &info->rows, 1, CHI_COUNT_MAX);
    chi_record_number(record, &info->seen, 0, CHI_COUNT_MAX);
    chi_record_number(record, &info->zeros, 0, info->seen);
    chi_record_number(record, &info->kept, 0, info->seen - info->zeros);
    chi_record_number(record, &info->most, info->kept, info->seen);
    chi_record_number(record, &info->reduced, 0, info->seen);
    chi_record_number(record, &info->thinned, 0, info->seen);
    chi_record_values(record, &info->tolerance, 1, sizeof info->tolerance);
    chi_record_values(record, &info->bound, 1, sizeof info->bound);
    chi_record_values(record, &s->total, 1, sizeof s->total);
    chi_record_number(record, &s->limit, 0, CHI_COUNT_MAX);
    s->numbers = chi_record_array(record, s->numbers, info->kept, sizeof *s->numbers);
    s->kept_values =
        chi_record_part(record, s->kept_values, info->kept, (size_t)info->rows * sizeof(double));
}

ch_status ch_stream_save(ch_stream *stream, const ch_checkpoint *checkpoint) {
    if (!stream) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(stream->context, checkpoint, "ch_checkpoint"));
    state now = {.format = FORMAT,
                 .tol = stream->filter.tol,
                 .settings = stream->settings,
                 .info = stream->info,
                 .total = stream->total,
                 .limit = stream->limit,
                 .numbers = (int64_t *)chi_stream_numbers(stream)}; /* the record only reads it */
    ch_matrix S;
    chi_stream_view(stream, &S);
    now.kept_values = S.values;
    TRY(chi_record_save(stream->context, checkpoint, CHI_RECORD_IDENTITY, identity_fields, NULL));
    return chi_record_save(stream->context, checkpoint, CHI_RECORD_STREAM, state_fields, &now);
}

/* Returns whether the settings are valid. If not, the context has a message, which the message
 * about the record replaces later. */
static int has_settings(ch_context *context, const state *then) {
    ch_anchors_settings set;
    ch_anchors_defaults(&set);
    set.tol = then->tol;
    return ch_settings_check(context, ch_anchors_table(), &set) == CH_OK &&
           ch_settings_check(context, ch_stream_table(), &then->settings) == CH_OK &&
           (then->settings.store == 0 || then->settings.store >= CHI_STREAM_LEAST);
}

/* Returns whether the state is valid while all columns wait: none was dropped, and the limit is
 * that of a new store. */
static int has_all(const state *then) {
    const ch_stream_info *info = &then->info;
    return info->kept == info->seen - info->zeros && info->most == info->kept &&
           info->thinned == 0 && info->bound == 0 && info->tolerance == then->settings.tolerance &&
           then->limit == chi_stream_limit(&then->settings, CHI_STREAM_GROWTH / 2);
}

/* Returns whether the state of a store is valid. Its limit is that of a new store, or follows from
 * a reduction to at most the present number of columns. */
static int has_store(const state *then) {
    const ch_stream_info *info = &then->info;
    int64_t fresh = CHI_STREAM_GROWTH / 2, most = info->kept > fresh ? info->kept : fresh;
    return (then->settings.store == 0 || info->most <= then->settings.store) &&
           info->kept <= then->limit && then->limit >= chi_stream_limit(&then->settings, 0) &&
           then->limit <= chi_stream_limit(&then->settings, most) &&
           info->tolerance >= then->settings.tolerance && info->tolerance <= 1 &&
           info->bound >= 0 && info->bound <= 1;
}

/* Checks the numbers to which later columns are compared. */
static int has_bounds(const state *then) {
    int waits = then->settings.store == 0 && then->info.reduced == 0;
    return (waits ? has_all(then) : has_store(then)) && then->total >= 0 && isfinite(then->total);
}

/* Returns whether a stream can be in this state. A correct checksum proves nothing, because anyone
 * can write one, so every value on which the arithmetic depends is checked. A store is empty only
 * while all columns so far are zero. */
static int is_possible(ch_context *context, const state *then) {
    const ch_stream_info *info = &then->info;
    return has_settings(context, then) && has_bounds(then) &&
           (info->kept > 0 || info->zeros == info->seen);
}

/* Checks a column as a push would have done. */
static ch_status check_column(ch_context *context, const double *values, int64_t rows) {
    ch_matrix x;
    double sum;
    TRY(ch_matrix_borrow(context, &x, &(ch_matrix){.rows = rows, .cols = 1, .values = values}));
    TRY(ch_matrix_check(context, &x));
    TRY(chi_column_norms(context, &sum, NULL, &x));
    return sum > 0 ? chi_check_sizes(context, &sum, 1) : CH_ERR_DATA;
}

/* Restores the columns. Returns CH_ERR_DATA if their numbers do not increase or a push would refuse
 * one. */
static ch_status fill(ch_stream *stream, const state *then) {
    chi_stream_workspace *work = &stream->work;
    int64_t rows = then->info.rows, kept = then->info.kept, last = -1;
    size_t bytes = (size_t)rows * sizeof *work->column;
    stream->info = then->info;
    stream->total = then->total;
    stream->limit = then->limit;
    int waits = chi_stream_waits(stream);
    double *column = NULL;
    if (kept > 0) TRY(waits ? chi_waiting_reserve(stream, kept) : chi_stream_reserve(stream, kept));
    if (waits && kept > stream->waiting.space) return CH_ERR_DATA;
    for (int64_t k = 0; k < kept; k++) {
        column = waits ? stream->waiting.values + k * rows : work->column;
        memcpy(column, then->kept_values + (size_t)k * bytes, bytes);
        TRY(check_column(stream->context, column, rows));
        if (then->numbers[k] <= last || then->numbers[k] >= then->info.seen) return CH_ERR_DATA;
        last = then->numbers[k];
        (waits ? stream->waiting.numbers : work->numbers)[k] = last;
        if (waits)
            stream->waiting.count = k + 1;
        else
            chi_cone_append(&work->cone, column);
    }
    return CH_OK;
}

/* Reads the last of the saved states. */
static ch_status take_last(ch_context *context, chi_record *record,
                           const ch_checkpoint *checkpoint) {
    int found = 0;
    TRY(chi_record_find(context, &found, checkpoint, CHI_RECORD_STREAM));
    if (!found)
        return chi_fail(context, CH_ERR_FORMAT,
                        "%s: the file does not contain the state of a stream", checkpoint->name);
    while (found) {
        TRY(chi_record_take(context, record, checkpoint, CHI_RECORD_STREAM));
        TRY(chi_record_find(context, &found, checkpoint, CHI_RECORD_STREAM));
    }
    return CH_OK;
}

/* Creates a stream in the state of the record. Returns CH_ERR_DATA if that state is impossible. */
static ch_status make_stream(ch_context *context, ch_stream **made, chi_record *record,
                             const state *then, const ch_anchors_settings *anchors) {
    ch_anchors_settings set;
    TRY(chi_settings_take(context, &set, ch_anchors_table(), anchors));
    if (record->no_memory) return chi_no_memory(context, "a record", then->info.kept, 8);
    if (record->failed || !is_possible(context, then)) return CH_ERR_DATA;
    set.tol = then->tol;
    TRY(ch_stream_create(context, made, then->info.rows, &set, &then->settings));
    return fill(*made, then);
}

ch_status ch_stream_restore(ch_context *context, ch_stream **stream,
                            const ch_anchors_settings *anchors, const ch_checkpoint *checkpoint) {
    if (!context) return CH_ERR_ARGUMENT;
    if (!stream || !anchors)
        return chi_fail(context, CH_ERR_ARGUMENT, "stream and anchors must not be NULL");
    TRY(chi_sized_check(context, checkpoint, "ch_checkpoint"));
    chi_record record;
    state then = {.settings.size = sizeof then.settings, .info.size = sizeof then.info};
    ch_stream *made = NULL;
    TRY(take_last(context, &record, checkpoint));
    state_fields(&record, &then);
    ch_status status = make_stream(context, &made, &record, &then, anchors);
    record.failed |= status == CH_ERR_DATA;
    ch_status ended =
        status < 0 && status != CH_ERR_DATA ? status : chi_record_end(&record, checkpoint);
    chi_free(context, then.numbers);
    if (ended < 0)
        ch_stream_destroy(made);
    else
        *stream = made;
    return ended;
}
