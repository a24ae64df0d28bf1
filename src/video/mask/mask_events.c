/* Events: periods of movement, found from the activity of frames that arrive one by one.
 *
 * A frame lasts from its time to the time of the next frame, so the frame rate may vary and frames
 * may be missing. Moving frames are joined if the time between them is at most `gap`, or so short
 * that their margins would meet. A joined period is an event if its moving frames last at least
 * `length` in total.
 *
 * Defaults. length 0.5 s: a person who walks through a narrow door is visible for a second, but a
 * flash, an insect at the lens or the jump of a key frame only for a few frames. gap 2 s: a person
 * who pauses or passes behind a pillar is still the same visit. margin 1 s: a clip shows the place
 * before and after, and with gap 2 s margins never meet. share 0: masks have no specks any more
 * (setting `least` of masks). */
#include "base/settings_rows.h"
#include "base/sized.h"
#include <conehull/mask.h>
#include <math.h>

#define AT(field) offsetof(ch_event_settings, field)
static const ch_setting rows[] = {
    {"length", CH_SETTING_REAL, AT(length), 0.5, 0, 1e6, NULL, "S",
     "minimum seconds of movement in an event"},
    {"gap", CH_SETTING_REAL, AT(gap), 2, 0, 1e6, NULL, "S",
     "maximum seconds without movement inside an event"},
    {"margin", CH_SETTING_REAL, AT(margin), 1, 0, 1e6, NULL, "S",
     "seconds added before and after the movement of an event"},
    {"share", CH_SETTING_REAL, AT(share), 0, 0, 1, NULL, "S",
     "minimum share of the picture that moves; 0: any object in the mask"},
};
#undef AT
CHI_SETTINGS_TABLE(ch_event_table, "event", rows, ch_event_settings)

struct ch_event_finder {
    ch_context *context;
    ch_event_settings set;
    ch_event now;     /* the current event                                      */
    int open, moves;  /* whether there is one; whether the previous frame moved */
    int64_t frames;   /* number of frames so far                                */
    double begin, at; /* times of the first and the previous frame              */
};

ch_status ch_event_finder_create(ch_context *context, ch_event_finder **finder,
                                 const ch_event_settings *settings) {
    ch_event_settings set;
    if (!context || !finder) return CH_ERR_ARGUMENT;
    TRY(chi_settings_take(context, &set, ch_event_table(), settings));
    ch_event_finder *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "events", 1, sizeof *made);
    made->context = context;
    made->set = set;
    *finder = made;
    return CH_OK;
}

void ch_event_finder_destroy(ch_event_finder *finder) {
    if (finder) chi_free(finder->context, finder);
}

/* Ends the previous frame at `time`. */
static void settle_frame(ch_event_finder *finder, double time) {
    if (!finder->moves) return;
    finder->now.moving += time - finder->at;
    finder->now.to = time;
}

/* Ends the current event. `seen` is the time up to which there are frames. */
static void close_event(ch_event_finder *finder, ch_event *event, int *found, double seen) {
    ch_event *now = &finder->now;
    /* Times are sums of a few hundred numbers, so differences below a tenth of a microsecond are
     * rounding. */
    *found = finder->open && now->moving >= finder->set.length - 1e-7;
    finder->open = 0;
    if (!*found) return;
    now->start = fmax(now->from - finder->set.margin, finder->begin);
    now->end = fmin(now->to + finder->set.margin, seen);
    chi_result_give(event, now, sizeof *now);
}

static void include_frame(ch_event_finder *finder, const ch_activity *activity, int64_t index,
                          double time) {
    ch_event *now = &finder->now;
    if (!finder->open)
        *now = (ch_event){
            .size = sizeof *now, .from = time, .first = index, .peak = index, .peak_time = time};
    finder->open = 1;
    now->last = index;
    now->frames++;
    if (activity->objects > now->objects) now->objects = activity->objects;
    if (activity->share <= now->share) return;
    now->share = activity->share;
    now->peak = index;
    now->peak_time = time;
}

ch_status ch_event_finder_add(ch_event_finder *finder, ch_event *event, int *found,
                              const ch_activity *activity, int64_t index, double time) {
    if (!finder || !found || !activity) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(finder->context, event, "ch_event"));
    *found = 0;
    if (!(finder->frames == 0 || time > finder->at) || !isfinite(time))
        return chi_fail(finder->context, CH_ERR_ARGUMENT,
                        "the time of a frame is %g seconds, but the time of the frame before is %g "
                        "seconds; times must increase",
                        time, finder->at);
    const ch_event_settings *set = &finder->set;
    if (finder->frames++ == 0) finder->begin = time;
    settle_frame(finder, time);
    finder->moves = activity->share > 0 && activity->share >= set->share;
    if (finder->open && time - finder->now.to > fmax(set->gap, 2 * set->margin))
        close_event(finder, event, found, time);
    if (finder->moves) include_frame(finder, activity, index, time);
    finder->at = time;
    return CH_OK;
}

ch_status ch_event_finder_finish(ch_event_finder *finder, ch_event *event, int *found, double end) {
    if (!finder || !found) return CH_ERR_ARGUMENT;
    TRY(chi_sized_check(finder->context, event, "ch_event"));
    *found = 0;
    if (finder->frames == 0) return CH_OK;
    /* False for NaN: then the time of the last frame is used. */
    double seen = fmax(end, finder->at);
    settle_frame(finder, seen);
    finder->moves = 0;
    close_event(finder, event, found, seen);
    return CH_OK;
}
