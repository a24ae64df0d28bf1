/* Events against a plain reference that has all frames at once: stretches of stillness between
 * moving frames, joined or not. */
#include "support.h"
#include <conehull/mask.h>
#include <math.h>
#include <string.h>

enum { FRAMES = 200 };

typedef struct course {
    ch_activity frames[FRAMES];
    double time[FRAMES + 1]; /* the last one: where the last frame ends */
    int count;
} course;

/* Frames at an uneven rate, in runs that move and runs that do not. */
static void draw(course *c, ch_random *random) {
    int moving = 0, left = 0;
    memset(c, 0, sizeof *c);
    c->count = (int)ch_random_below(random, FRAMES) + 1;
    c->time[0] = (double)ch_random_below(random, 3);
    for (int i = 0; i < c->count; i++) {
        if (left-- == 0) {
            moving = !moving;
            left = (int)ch_random_below(random, 12);
        }
        if (moving) {
            c->frames[i].share = 0.01 * (double)(1 + ch_random_below(random, 20));
            c->frames[i].objects = 1 + ch_random_below(random, 4);
        }
        c->time[i + 1] = c->time[i] + 0.125 * (double)(1 + ch_random_below(random, 4));
    }
}

static int moves(const course *c, int i, const ch_event_settings *set) {
    return c->frames[i].share > 0 && c->frames[i].share >= set->share;
}

/* The event of frames [lo, hi], or 0 when they move for too short a time. */
static int measure(ch_event *event, const course *c, int lo, int hi, const ch_event_settings *set) {
    *event = (ch_event){
        .size = sizeof *event, .from = c->time[lo], .to = c->time[hi + 1], .first = lo, .last = hi};
    for (int i = lo; i <= hi; i++) {
        if (!moves(c, i, set)) continue;
        event->moving += c->time[i + 1] - c->time[i];
        event->frames++;
        if (c->frames[i].objects > event->objects) event->objects = c->frames[i].objects;
        if (c->frames[i].share > event->share) {
            event->share = c->frames[i].share;
            event->peak = i;
            event->peak_time = c->time[i];
        }
    }
    event->start = fmax(event->from - set->margin, c->time[0]);
    event->end = fmin(event->to + set->margin, c->time[c->count]);
    return event->moving >= set->length;
}

static int reference(ch_event *events, const course *c, const ch_event_settings *set) {
    int found = 0;
    for (int lo = 0; lo < c->count;) {
        if (!moves(c, lo, set)) {
            lo++;
            continue;
        }
        int hi = lo;
        for (int next = lo + 1; next < c->count; next++)
            if (moves(c, next, set)) {
                double still = c->time[next] - c->time[hi + 1];
                if (still > set->gap && still > 2 * set->margin) break;
                hi = next;
            }
        found += measure(&events[found], c, lo, hi, set);
        lo = hi + 1;
    }
    return found;
}

static void events_are_those_of_the_reference(void **state) {
    (void)state;
    ch_random random;
    support_seed(&random, "events", 23);
    ch_context *context = support_context(NULL, 1);
    course c;
    for (int round = 0; round < 500; round++) {
        draw(&c, &random);
        ch_event_settings set;
        ch_event_defaults(&set);
        set.length = 0.125 * (double)ch_random_below(&random, 12);
        set.gap = 0.125 * (double)ch_random_below(&random, 20);
        set.margin = 0.125 * (double)ch_random_below(&random, 12);
        set.share = 0.01 * (double)ch_random_below(&random, 5);
        ch_event wanted[FRAMES], event = {.size = sizeof event};
        int count = reference(wanted, &c, &set), at = 0, found;
        ch_event_finder *finder;
        assert_int_equal(ch_event_finder_create(context, &finder, &set), CH_OK);
        for (int i = 0; i <= c.count; i++) {
            ch_status status =
                i < c.count
                    ? ch_event_finder_add(finder, &event, &found, &c.frames[i], i, c.time[i])
                    : ch_event_finder_finish(finder, &event, &found, c.time[i]);
            assert_int_equal(status, CH_OK);
            if (!found) continue;
            support_check(at < count && memcmp(&event, &wanted[at], sizeof event) == 0,
                          "round %d, event %d of %d", round, at, count);
            at++;
        }
        support_check(at == count, "round %d: %d events, not %d", round, at, count);
        ch_event_finder_destroy(finder);
    }
    ch_context_destroy(context);
}

static void times_must_rise(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_event_finder *finder;
    ch_event event = {.size = sizeof event};
    ch_activity none = {0};
    int found = 1;
    assert_int_equal(ch_event_finder_create(context, &finder, NULL), CH_OK);
    assert_int_equal(ch_event_finder_finish(finder, &event, &found, 1), CH_OK);
    assert_int_equal(found, 0);
    assert_int_equal(ch_event_finder_add(finder, &event, &found, &none, 0, 1), CH_OK);
    assert_int_equal(ch_event_finder_add(finder, &event, &found, &none, 1, 1), CH_ERR_ARGUMENT);
    assert_int_equal(ch_event_finder_add(finder, &event, &found, &none, 1, NAN), CH_ERR_ARGUMENT);
    event.size = 0;
    assert_int_equal(ch_event_finder_add(finder, &event, &found, &none, 1, 2), CH_ERR_ARGUMENT);
    ch_event_finder_destroy(finder);
    ch_event_finder_destroy(NULL);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_those_of_the_reference),
        cmocka_unit_test(times_must_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
