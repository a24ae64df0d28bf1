/* Frames of a source: all frames in order, or the newest one. */
#include "base/settings_rows.h"
#include "base/sized.h"
#include "io/clip/feed_state.h"
#include <string.h>

struct ch_feed {
    ch_context *context, *beside; /* of the caller; of the reading thread, or NULL */
    chi_feed_source source;
    chi_feed_newest newest;
    chi_feed_ahead ahead;
    int64_t *keep;
    char **more; /* with more_count names */
    int64_t more_count;
    chi_feed_slot slot; /* the frame given to the caller */
    int64_t damaged;
    char *path;
};

static const char *const paces[] = {"auto", "every", "newest", NULL};

#define AT(field) offsetof(ch_feed_settings, field)
static const ch_setting rows[] = {
    {"frames", CH_SETTING_INT, AT(frames), 0, 0, 1e12, NULL, "N",
     "end after N frames; 0: at the end of the source"},
    {"width", CH_SETTING_INT, AT(width), 0, 0, 65536, NULL, "W",
     "reduce pictures to a width of W pixels, with the height in proportion. Narrower pictures are "
     "not enlarged. 0: keep their size"},
    {"gray", CH_SETTING_FLAG, AT(gray), 0, 0, 1, NULL, NULL,
     "use only the brightness of a colour source, which reduces the work to a third"},
    {"pace", CH_SETTING_CHOICE, AT(pace), CH_FEED_AUTO, 0, 2, paces, NULL,
     "which frames are processed. every: all frames. newest: always the newest frame; older "
     "frames that are waiting are dropped. auto: newest for network addresses and cameras, every "
     "for files and pipes"},
    {"silence", CH_SETTING_INT, AT(silence), 30, 1, 86400, NULL, "S",
     "network addresses: end the run after this many seconds without data"},
    {"from", CH_SETTING_INT, AT(from), 0, 0, 1e12, NULL, "F", "first frame to use, counted from 0"},
    {"step", CH_SETTING_INT, AT(step), 1, 1, 1e9, NULL, "N",
     "use only every N-th frame, for example of a long recording"},
    {"graphs", CH_SETTING_FLAG, AT(graphs), 0, 0, 1, NULL, NULL,
     "allow sources of the form lavfi:GRAPH (filter graphs of FFmpeg). Their filters may write "
     "files and open network addresses"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_feed_table, "feed", rows, ch_feed_settings)

ch_status ch_feed_set_roi(ch_context *context, ch_feed_settings *settings, const char *text) {
    if (!context || !settings || !text) return CH_ERR_ARGUMENT;
    return chi_part_parse(context, &settings->roi_x, &settings->roi_y, &settings->roi_width,
                          &settings->roi_height, text);
}

/* Calls the caller's progress callback on behalf of the other context. */
static int ask_caller(const ch_progress_event *event, void *user) {
    return chi_notify(user, event->phase, event->done, event->total, event->column, event->value);
}

static void tell_caller(ch_log_level level, const char *message, void *user) {
    chi_log(user, level, "%s", message);
}

/* The reading thread needs its own context. Until the thread runs, and after it has ended, the
 * caller's callbacks are called. */
static ch_status open_source(ch_feed *feed, const ch_feed_settings *set) {
    if (chi_context_beside(&feed->beside, feed->context) < 0)
        return chi_no_memory(feed->context, "the context of a thread", 1, 1);
    ch_context_set_progress(feed->beside, ask_caller, feed->context);
    ch_context_set_log(feed->beside, tell_caller, feed->context);
    ch_status status = chi_feed_source_open(feed->beside, &feed->source, feed->path, set);
    if (status < 0) return chi_fail(feed->context, status, "%s", ch_context_message(feed->beside));
    return status;
}

static ch_status copy_keep(ch_feed *feed, ch_feed_settings *set) {
    if (!set->keep_count) return CH_OK;
    feed->keep = chi_alloc(feed->context, set->keep_count, sizeof *feed->keep);
    if (!feed->keep) return chi_no_memory(feed->context, "numbers of frames", set->keep_count, 8);
    memcpy(feed->keep, set->keep, (size_t)set->keep_count * sizeof *feed->keep);
    set->keep = feed->keep;
    return CH_OK;
}

static ch_status copy_more(ch_feed *feed, ch_feed_settings *set) {
    if (set->more_count <= 0) return CH_OK;
    if (!set->more)
        return chi_fail(feed->context, CH_ERR_ARGUMENT,
                        "ch_feed_settings: more_count is %lld, but more is NULL",
                        (long long)set->more_count);
    feed->more = chi_alloc_zero(feed->context, set->more_count, sizeof *feed->more);
    if (!feed->more)
        return chi_no_memory(feed->context, "names of files", set->more_count, sizeof *feed->more);
    for (; feed->more_count < set->more_count; feed->more_count++) {
        TRY(chi_check_name(feed->context, set->more[feed->more_count], "a file of a recording"));
        feed->more[feed->more_count] = chi_text_copy(feed->context, set->more[feed->more_count]);
        if (!feed->more[feed->more_count]) return CH_ERR_MEMORY;
    }
    set->more = (const char *const *)feed->more;
    return CH_OK;
}

static ch_status open_feed(ch_feed *feed, const char *path, ch_feed_settings *set) {
    feed->path = chi_text_copy(feed->context, path);
    if (!feed->path) return CH_ERR_MEMORY;
    int newest = set->pace == CH_FEED_AUTO ? chi_is_live(path) : set->pace == CH_FEED_NEWEST;
    TRY(copy_keep(feed, set));
    TRY(copy_more(feed, set));
    TRY_OK(open_source(feed, set));
    int64_t bytes = chi_feed_slot_bytes(&feed->source.info);
    feed->source.info.newest = newest;
    feed->slot.pixels = chi_alloc(feed->context, bytes, 1);
    if (!feed->slot.pixels) return chi_no_memory(feed->context, "a frame", bytes, 1);
    return newest ? chi_feed_newest_start(&feed->newest, feed->context, &feed->source)
                  : chi_feed_ahead_start(&feed->ahead, feed->context, &feed->source);
}

ch_status ch_feed_open(ch_context *context, ch_feed **feed, const char *source,
                       const ch_feed_settings *settings) {
    ch_feed_settings set;
    if (!context || !feed) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, source, "a source"));
    TRY(chi_settings_take(context, &set, ch_feed_table(), settings));
    ch_feed *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "a source", 1, sizeof *made);
    made->context = context;
    ch_status status = open_feed(made, source, &set);
    if (status == CH_OK)
        *feed = made;
    else
        ch_feed_close(made);
    return status;
}

ch_status ch_feed_next(ch_feed *feed, ch_feed_frame *frame) {
    if (!feed) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(feed->context, frame, "ch_feed_frame"));
    const ch_feed_info *info = &feed->source.info;
    TRY_OK(info->newest ? chi_feed_newest_take(&feed->newest, feed->context, &feed->slot)
                        : chi_feed_ahead_take(&feed->ahead, feed->context, &feed->slot));
    ch_feed_frame now = {.size = sizeof now, .index = feed->slot.index};
    if (feed->slot.filled) {
        feed->damaged += feed->slot.damaged;
        for (int p = 0; p < info->planes; p++)
            now.planes[p] = feed->slot.pixels + chi_feed_plane_at(info, p);
        if (info->yuv) now.yuv = feed->slot.pixels + chi_feed_plane_at(info, info->planes);
        now.time = feed->slot.time;
        now.damaged = feed->slot.damaged;
        now.file = feed->slot.file;
        now.file_start = feed->slot.starts;
        now.waited = chi_seconds() - feed->slot.decoded;
    }
    chi_result_give(frame, &now, sizeof now);
    return CH_OK;
}

ch_status ch_feed_get_info(ch_feed *feed, ch_feed_info *info) {
    ch_feed_info now = feed->source.info;
    TRY(chi_sized_check(feed->context, info, "ch_feed_info"));
    now.dropped = now.newest ? chi_feed_newest_dropped(&feed->newest) : 0;
    now.damaged = feed->damaged;
    chi_result_give(info, &now, sizeof now);
    return CH_OK;
}

void ch_feed_close(ch_feed *feed) {
    if (!feed) return;
    ch_context *context = feed->context;
    chi_feed_newest_stop(&feed->newest, context);
    chi_feed_ahead_stop(&feed->ahead, context);
    if (feed->beside) ch_context_set_log(feed->beside, tell_caller, context);
    if (feed->source.context) chi_feed_source_close(&feed->source);
    ch_context_destroy(feed->beside);
    chi_free(context, feed->slot.pixels);
    chi_free(context, feed->keep);
    for (int64_t k = 0; k < feed->more_count; k++) chi_free(context, feed->more[k]);
    chi_free(context, feed->more);
    chi_free(context, feed->path);
    chi_free(context, feed);
}
