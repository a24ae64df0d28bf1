/* Frames of a source in order, decoded by a thread some frames ahead of the caller. Log messages of
 * the thread wait until the caller takes a frame, so that only the caller's thread calls
 * callbacks. */
#include "base/thread_start.h"
#include "io/clip/feed_state.h"
#include <stdio.h>

enum { AHEAD_BYTES = 4 << 20 }; /* approximate size of the waiting frames */

/* The progress callback of the thread, called while the source is silent. Returns whether the
 * caller has closed the queue. */
static int asked(const ch_progress_event *event, void *user) {
    chi_feed_ahead *ahead = user;
    (void)event;
    pthread_mutex_lock(&ahead->queue.lock);
    int quit = ahead->queue.closed;
    pthread_mutex_unlock(&ahead->queue.lock);
    return quit;
}

/* The log callback of the thread. */
static void note(ch_log_level level, const char *message, void *user) {
    chi_feed_ahead *ahead = user;
    pthread_mutex_lock(&ahead->queue.lock);
    if (ahead->line_count < CHI_FEED_LOGGED) {
        struct chi_feed_line *line = &ahead->lines[ahead->line_count++];
        line->level = level;
        snprintf(line->text, sizeof line->text, "%s", message);
    }
    pthread_mutex_unlock(&ahead->queue.lock);
}

static void tell(chi_feed_ahead *ahead, ch_context *context) {
    struct chi_feed_line lines[CHI_FEED_LOGGED];
    pthread_mutex_lock(&ahead->queue.lock);
    int count = ahead->line_count;
    for (int i = 0; i < count; i++) lines[i] = ahead->lines[i];
    ahead->line_count = 0;
    pthread_mutex_unlock(&ahead->queue.lock);
    for (int i = 0; i < count; i++) chi_log(context, lines[i].level, "%s", lines[i].text);
}

static void *read_all(void *argument) {
    chi_feed_ahead *ahead = argument;
    ch_status status = CH_OK;
    int place;
    while ((place = chi_queue_place(&ahead->queue)) >= 0) {
        status = chi_feed_source_next(ahead->source, &ahead->slots[place]);
        if (status != CH_OK || !ahead->slots[place].filled) break;
        chi_queue_put(&ahead->queue);
    }
    ahead->status = status;
    chi_queue_close(&ahead->queue);
    return NULL;
}

ch_status chi_feed_ahead_start(chi_feed_ahead *ahead, ch_context *context,
                               chi_feed_source *source) {
    int64_t bytes = chi_feed_slot_bytes(&source->info);
    ahead->source = source;
    ahead->context = source->context;
    int64_t places = AHEAD_BYTES / bytes;
    ahead->places = places < CHI_FEED_LEAST   ? CHI_FEED_LEAST
                    : places > CHI_FEED_AHEAD ? CHI_FEED_AHEAD
                                              : (int)places;
    for (int i = 0; i < ahead->places; i++) {
        ahead->slots[i].pixels = chi_alloc(context, bytes, 1);
        if (!ahead->slots[i].pixels) return chi_no_memory(context, "a frame", bytes, 1);
    }
    chi_queue_create(&ahead->queue, ahead->places);
    ch_context_set_progress(ahead->context, asked, ahead);
    ch_context_set_log(ahead->context, note, ahead);
    ahead->started = chi_thread_start(&ahead->thread, read_all, ahead);
    if (ahead->started) return CH_OK;
    chi_queue_destroy(&ahead->queue);
    return chi_fail(
        context, CH_ERR_MEMORY,
        "another thread cannot be started, because the limit of threads or of memory is reached");
}

void chi_feed_ahead_stop(chi_feed_ahead *ahead, ch_context *context) {
    if (ahead->started) {
        chi_queue_close(&ahead->queue);
        pthread_join(ahead->thread, NULL);
        tell(ahead, context);
        chi_queue_destroy(&ahead->queue);
    }
    for (int i = 0; i < ahead->places; i++) chi_free(context, ahead->slots[i].pixels);
}

ch_status chi_feed_ahead_take(chi_feed_ahead *ahead, ch_context *context, chi_feed_slot *slot) {
    enum { SOON = 200 }; /* milliseconds between two calls of the caller's callback */
    int place;
    slot->filled = 0;
    while ((place = chi_queue_take(&ahead->queue, SOON)) == CHI_QUEUE_EMPTY)
        if (chi_notify(context, "read", slot->index, 0, -1, 0)) return CH_STOP_CANCELLED;
    tell(ahead, context);
    if (place >= 0) {
        chi_feed_slot taken = ahead->slots[place];
        ahead->slots[place] = *slot;
        *slot = taken;
        chi_queue_free(&ahead->queue);
        return CH_OK;
    }
    if (ahead->status >= 0) return CH_OK;
    return chi_fail(context, ahead->status, "%s", ch_context_message(ahead->context));
}
