/* The newest frame of a source that does not wait. A thread decodes continuously, and a decoded
 * frame that was not taken is replaced. Two slots are used in turn; a third one belongs to the
 * caller. */
#include "base/thread_start.h"
#include "io/clip/feed_state.h"
#include <errno.h>
#include <time.h>

/* The progress callback of the thread, called while the source is silent. */
static int asked(const ch_progress_event *event, void *user) {
    chi_feed_newest *newest = user;
    (void)event;
    pthread_mutex_lock(&newest->lock);
    int quit = newest->quit;
    pthread_mutex_unlock(&newest->lock);
    return quit;
}

static void swap(chi_feed_slot *a, chi_feed_slot *b) {
    chi_feed_slot other = *a;
    *a = *b;
    *b = other;
}

static void *read_all(void *argument) {
    chi_feed_newest *newest = argument;
    for (;;) {
        ch_status status = chi_feed_source_next(newest->source, &newest->spare);
        pthread_mutex_lock(&newest->lock);
        if (status != CH_OK || !newest->spare.filled) {
            newest->status = status;
            newest->ended = 1;
        } else {
            newest->dropped += newest->waiting.filled;
            swap(&newest->spare, &newest->waiting);
        }
        int over = newest->ended || newest->quit;
        pthread_cond_signal(&newest->news);
        pthread_mutex_unlock(&newest->lock);
        if (over) return NULL;
    }
}

ch_status chi_feed_newest_start(chi_feed_newest *newest, ch_context *context,
                                chi_feed_source *source) {
    int64_t bytes = chi_feed_slot_bytes(&source->info);
    newest->source = source;
    newest->context = source->context;
    newest->waiting.pixels = chi_alloc(context, bytes, 1);
    newest->spare.pixels = chi_alloc(context, bytes, 1);
    if (!newest->waiting.pixels || !newest->spare.pixels)
        return chi_no_memory(context, "a frame", 2 * bytes, 1);
    pthread_mutex_init(&newest->lock, NULL);
    pthread_cond_init(&newest->news, NULL);
    ch_context_set_progress(newest->context, asked, newest);
    newest->started = chi_thread_start(&newest->thread, read_all, newest);
    if (newest->started) return CH_OK;
    pthread_cond_destroy(&newest->news);
    pthread_mutex_destroy(&newest->lock);
    return chi_fail(
        context, CH_ERR_MEMORY,
        "another thread cannot be started, because the limit of threads or of memory is reached");
}

void chi_feed_newest_stop(chi_feed_newest *newest, ch_context *context) {
    if (newest->started) {
        pthread_mutex_lock(&newest->lock);
        newest->quit = 1;
        pthread_mutex_unlock(&newest->lock);
        pthread_join(newest->thread, NULL);
        pthread_cond_destroy(&newest->news);
        pthread_mutex_destroy(&newest->lock);
    }
    chi_free(context, newest->waiting.pixels);
    chi_free(context, newest->spare.pixels);
}

int64_t chi_feed_newest_dropped(chi_feed_newest *newest) {
    pthread_mutex_lock(&newest->lock);
    int64_t dropped = newest->dropped;
    pthread_mutex_unlock(&newest->lock);
    return dropped;
}

/* Returns the time in a fifth of a second, by the clock of the condition variable. */
static struct timespec soon(void) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += 200000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

ch_status chi_feed_newest_take(chi_feed_newest *newest, ch_context *context, chi_feed_slot *slot) {
    ch_status status = CH_OK;
    int cancelled = 0;
    slot->filled = 0;
    pthread_mutex_lock(&newest->lock);
    while (!newest->waiting.filled && !newest->ended && !cancelled) {
        struct timespec at = soon();
        if (pthread_cond_timedwait(&newest->news, &newest->lock, &at) != ETIMEDOUT) continue;
        pthread_mutex_unlock(&newest->lock); /* the callback may take long */
        cancelled = chi_notify(context, "read", slot->index, 0, -1, 0);
        pthread_mutex_lock(&newest->lock);
    }
    if (newest->waiting.filled && !cancelled) {
        swap(slot, &newest->waiting);
        newest->waiting.filled = 0;
    } else if (!cancelled && newest->status < 0) {
        status = chi_fail(context, newest->status, "%s", ch_context_message(newest->context));
    }
    pthread_mutex_unlock(&newest->lock);
    return cancelled ? CH_STOP_CANCELLED : status;
}
