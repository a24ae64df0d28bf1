/* Live separation of made films: what moves is found, what stops is absorbed when it is time, the
 * light may be switched, frozen is frozen, threads and waiting change nothing. */
#include "support.h"
#include <conehull/live.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT, WARM = 60 };

/* A patterned wall under a lamp, noise, a box that crosses; from frame `stop` on a second box
 * stands at the left; from frame `dark` on the lamp is off, and the right side darker. */
typedef struct story {
    int64_t stop, leave, dark;
    uint64_t seed;
    double fade; /* gray levels that the wall loses per frame from the end of the warm-up on */
} story;

static int in_mover(int64_t f, int64_t x, int64_t y) {
    int64_t left = (f * 3) % (WIDTH + 30) - 15;
    return x >= left && x < left + 9 && y >= 25 && y < 41;
}

static int in_stander(const story *film, int64_t f, int64_t x, int64_t y) {
    return f >= film->stop && f < film->leave && x >= 6 && x < 16 && y >= 4 && y < 18;
}

static double wall_at(const story *film, int64_t f, int64_t x, int64_t y) {
    double wall = 110 + 25 * sin((double)x * 0.8) * cos((double)y * 0.9);
    if (f > WARM && x >= WIDTH / 2) wall -= film->fade * (double)(f - WARM); /* not by a weight */
    return f >= film->dark ? wall * (0.9 - 0.6 * (double)x / WIDTH) : wall;
}

static void make_frame(uint8_t *pixels, const story *film, int64_t f) {
    ch_random random;
    ch_random_seed(&random, film->seed * 100003 + (uint64_t)f);
    for (int64_t i = 0; i < PIXELS; i++) {
        int64_t x = i % WIDTH, y = i / WIDTH;
        double value = wall_at(film, f, x, y);
        if (in_stander(film, f, x, y)) value = 215 + 10 * (double)((x / 2) % 2);
        if (in_mover(f, x, y)) value = 25 + (double)((x + y) % 3) * 8;
        value += 1.5 * ch_random_normal(&random) + 0.5;
        pixels[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static ch_live_settings defaults(void) {
    ch_live_settings set;
    ch_live_defaults(&set);
    set.warm_up = WARM;
    return set;
}

static ch_live *create(ch_context *context, const ch_live_settings *set) {
    ch_live *live = NULL;
    assert_int_equal(ch_live_create(context, &live, &(ch_frame_shape){WIDTH, HEIGHT, 1}, set),
                     CH_OK);
    return live;
}

static ch_live_result step(ch_live *live, const story *film, int64_t f, int flags) {
    static uint8_t pixels[PIXELS];
    const uint8_t *planes[] = {pixels};
    ch_live_result now = {.size = sizeof now};
    make_frame(pixels, film, f);
    assert_int_equal(ch_live_process(live, &now, planes, flags), CH_OK);
    assert_int_equal(now.frame, f);
    return now;
}

typedef struct share {
    double found, falsely; /* of the box, of the rest */
} share;

static share of_stander(const story *film, const uint8_t *mask, int64_t f) {
    share s = {0};
    double inside = 0, outside = 0;
    for (int64_t i = 0; i < PIXELS; i++) {
        int64_t x = i % WIDTH, y = i / WIDTH;
        if (in_stander(film, f, x, y)) {
            s.found += mask[i] != 0;
            inside++;
        } else if (!in_mover(f, x, y)) {
            s.falsely += mask[i] != 0;
            outside++;
        }
    }
    s.found /= inside > 0 ? inside : 1;
    s.falsely /= outside;
    return s;
}

static double mover_found(const uint8_t *mask, int64_t f) {
    double found = 0, all = 0;
    for (int64_t i = 0; i < PIXELS; i++) {
        if (!in_mover(f, i % WIDTH, i / WIDTH)) continue;
        found += mask[i] != 0;
        all++;
    }
    return all > 20 ? found / all : 1;
}

static void moving_is_found(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {1000000, 1000000, 1000000, 1, 0};
    ch_live_settings set = defaults();
    ch_live *live = create(context, &set);
    for (int64_t f = 0; f < WARM + 80; f++) {
        ch_live_result now = step(live, &film, f, CH_LIVE_SCORES);
        if (f < WARM - 1) {
            assert_int_equal(now.state, CH_LIVE_WARM_UP);
            assert_null(now.mask);
            continue;
        }
        assert_int_equal(now.state, CH_LIVE_STEADY);
        assert_non_null(now.score);
        assert_true(now.gap <= 1e-6);
        support_check(mover_found(now.mask, f) > 0.8, "frame %d: %g of the box", (int)f,
                      mover_found(now.mask, f));
        share s = of_stander(&film, now.mask, f);
        support_check(s.falsely < 0.02, "frame %d: %g falsely", (int)f, s.falsely);
    }
    ch_live_destroy(live);
    ch_context_destroy(context);
}

/* Late: the warm-up ends with a median, at once, that finds what moves; the learned background
 * takes its place when it is ready, with noise and threshold of its own. */
static void late_nobody_waits_for_the_first_background(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    story film = {1000000, 1000000, 1000000, 9, 0};
    ch_live_settings set = defaults();
    ch_live_info info = {.size = sizeof info};
    set.late = 1;
    ch_live *live = create(context, &set);
    int64_t f = 0, learned = 0;
    for (; f < 20000 && learned < 2; f++) {
        ch_live_result now = step(live, &film, f, 0);
        learned += now.learned_anew;
        assert_int_equal(now.mask != NULL, f >= WARM - 1);
        assert_int_equal(now.state, f < WARM - 1  ? CH_LIVE_WARM_UP
                                    : learned < 2 ? CH_LIVE_ADAPTING
                                                  : CH_LIVE_STEADY);
        if (!now.mask) continue;
        assert_true(mover_found(now.mask, f) > 0.8);
        assert_true(of_stander(&film, now.mask, f).falsely < 0.05);
    }
    assert_int_equal(learned, 2);
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_int_equal(info.adaptations, 0);
    assert_null(strstr(info.rank_reason, "median"));
    assert_true(info.noise > 0.5 && info.noise < 4);
    ch_live_destroy(live);
    live = create(context, &set); /* frozen, and ended, while it is learned */
    for (f = 0; f < WARM; f++) step(live, &film, f, 0);
    assert_int_equal(ch_live_freeze(live, 1), CH_OK);
    assert_int_equal(step(live, &film, f, 0).state, CH_LIVE_FROZEN);
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_null(strstr(info.rank_reason, "median"));
    ch_live_destroy(live);
    live = create(context, &set);
    for (f = 0; f < WARM; f++) step(live, &film, f, 0);
    ch_live_destroy(live);
    support_finish(context, &memory);
}

/* Hooks that note whether two of them are called at a time. */
typedef struct counted_calls {
    atomic_int inside, together, calls;
} counted_calls;

static void enter(counted_calls *c) {
    if (atomic_fetch_add(&c->inside, 1) > 0) atomic_fetch_add(&c->together, 1);
    atomic_fetch_add(&c->calls, 1);
    for (volatile int i = 0; i < 300; i++) continue; /* long enough to be met in it */
}

static void *alloc_counted(size_t bytes, void *user) {
    counted_calls *c = user;
    enter(c);
    void *block = malloc(bytes);
    atomic_fetch_sub(&c->inside, 1);
    return block;
}

static void release_counted(void *block, void *user) {
    counted_calls *c = user;
    enter(c);
    free(block);
    atomic_fetch_sub(&c->inside, 1);
}

/* The learning thread allocates while the caller does, and the limit is of both together. */
static void hooks_are_called_one_at_a_time(void **state) {
    (void)state;
    counted_calls counts = {0};
    ch_context *context;
    ch_memory_hooks hooks = {alloc_counted, release_counted, &counts};
    story film = {1000000, 1000000, 1000000, 9, 0};
    ch_live_settings set = defaults();
    ch_activity activity;
    set.late = 1;
    assert_int_equal(ch_context_create(&context, &hooks), CH_OK);
    ch_live *live = create(context, &set);
    for (int64_t f = 0, learned = 0; f < 20000 && learned < 2; f++) {
        ch_live_result now = step(live, &film, f, 0);
        learned += now.learned_anew;
        if (now.mask && f % 4 == 0)
            ch_mask_activity(context, &activity, NULL, 0, now.mask, NULL,
                             &(ch_frame_shape){WIDTH, HEIGHT, 1});
    }
    ch_live_destroy(live);
    live = create(context, &set);
    ch_context_set_memory_limit(context, 1); /* what is held already is more */
    int64_t f = 0;
    ch_live_info info = {.size = sizeof info};
    while (f < WARM) step(live, &film, f++, 0);
    assert_int_equal(ch_live_freeze(live, 1), CH_OK); /* waits for the thread, which got nothing */
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_non_null(strstr(info.rank_reason, "median"));
    ch_context_set_memory_limit(context, 0);
    ch_live_destroy(live);
    ch_context_destroy(context);
    assert_true(counts.calls > 100);
    assert_int_equal(counts.together, 0);
}

/* Half of the wall fades by 25 levels: no weight explains that, H must follow. */
static void slow_change_is_followed(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {.stop = 1000000, .leave = 1000000, .dark = 1000000, .seed = 9, .fade = 0.01};
    ch_live_settings set = defaults();
    set.rank = 1;
    set.follow = 100;
    ch_live *live = create(context, &set);
    ch_live_result now = {.size = sizeof now};
    for (int64_t f = 0; f < WARM + 2500; f++) {
        now = step(live, &film, f, 0);
        if (f < WARM) continue;
        share s = of_stander(&film, now.mask, f);
        support_check(s.falsely < 0.03, "frame %d: %g falsely", (int)f, s.falsely);
    }
    double off = 0;
    for (int64_t i = 0; i < PIXELS; i++)
        off += fabs(now.background[0][i] - wall_at(&film, WARM + 2499, i % WIDTH, i / WIDTH));
    support_check(off / PIXELS < 2, "the background is %g gray levels off", off / PIXELS);
    ch_live_info info = {.size = sizeof info};
    ch_live_get_info(live, &info);
    assert_int_equal(info.adaptations, 0);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

/* Somebody stands there for the first part of the warm-up, and goes: nobody is seen afterwards. */
static void who_leaves_in_the_warm_up_leaves_no_ghost(void **state) {
    static const int64_t leaves[] = {20, 40};
    (void)state;
    for (int k = 0; k < 2; k++) {
        ch_context *context = support_context(NULL, 0);
        story film = {0, leaves[k], 1000000, 10, 0};
        ch_live_settings set = defaults();
        ch_live *live = create(context, &set);
        for (int64_t f = 0; f < WARM + 20; f++) {
            ch_live_result now = step(live, &film, f, 0);
            if (!now.mask) continue;
            share s = of_stander(&film, now.mask, f);
            support_check(s.falsely < 0.02, "gone at %d, frame %d: %g falsely", (int)leaves[k],
                          (int)f, s.falsely);
        }
        ch_live_destroy(live);
        ch_context_destroy(context);
    }
}

static void what_stops_is_absorbed_in_time(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {100, 420, 1000000, 2, 0};
    ch_live_settings set = defaults();
    set.absorb = 200;
    ch_live *live = create(context, &set);
    for (int64_t f = 0; f < 480; f++) {
        ch_live_result now = step(live, &film, f, 0);
        if (f < film.stop) continue;
        share s = of_stander(&film, now.mask, f);
        if (f < film.stop + 200)
            support_check(s.found > 0.9, "frame %d: only %g of the box", (int)f, s.found);
        if (f >= film.stop + 220 && f < film.leave)
            support_check(s.found < 0.05, "frame %d: still %g of the box", (int)f, s.found);
        if (f >= film.leave + 2 && f < film.leave + 15)
            support_check(s.falsely > 0.02, "frame %d: nothing changed", (int)f);
        if (f >= film.leave + 30)
            support_check(s.falsely < 0.02, "frame %d: a ghost of %g", (int)f, s.falsely);
    }
    ch_live_info info = {.size = sizeof info};
    ch_live_get_info(live, &info);
    assert_true(info.absorbed >= 100);
    assert_int_equal(info.adaptations, 0);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

static void a_switched_light_is_adapted_to(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {1000000, 1000000, 150, 3, 0};
    ch_live_settings set = defaults();
    ch_live *live = create(context, &set);
    for (int64_t f = 0; f < 260; f++) {
        ch_live_result now = step(live, &film, f, 0);
        if (f < film.dark + 50) continue;
        share s = of_stander(&film, now.mask, f);
        support_check(s.falsely < 0.02, "frame %d: %g falsely", (int)f, s.falsely);
        if ((f * 3) % (WIDTH + 30) - 15 > WIDTH / 3) continue; /* as dark as the dark side */
        support_check(mover_found(now.mask, f) > 0.7, "frame %d: %g of the box", (int)f,
                      mover_found(now.mask, f));
    }
    ch_live_info info = {.size = sizeof info};
    ch_live_get_info(live, &info);
    assert_int_equal(info.adaptations, 1);
    assert_true(info.switch_frame >= film.dark && info.switch_frame < film.dark + 3);
    assert_true(info.adapted_frame <= film.dark + 50);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

/* No memory while the new background is learned: the old one stays in use, the next switch counts.
 */
static void a_background_without_memory_is_given_up(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    story film = {1000000, 1000000, 100, 3, 0};
    ch_live_settings set = defaults();
    set.rank = 1;
    ch_live *live = create(context, &set);
    ch_live_info info = {.size = sizeof info};
    for (int64_t f = 0; f < 320; f++) {
        if (f == 100) memory.fail_at = memory.requests + 1, memory.fail_on = 1;
        step(live, &film, f, 0);
        ch_live_get_info(live, &info);
        if (f < 150) assert_int_equal(info.adaptations, 0);
        if (f == 150) {
            assert_true(memory.failed > 0);
            assert_int_equal(info.rank, 1);
            memory.fail_at = 0; /* and the light is still another one */
        }
    }
    assert_int_equal(info.adaptations, 1);
    assert_int_equal(info.rank, 2);
    memory.failed = 0;
    ch_live_destroy(live);
    support_finish(context, &memory);
}

static void frozen_is_frozen(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {100, 1000000, 140, 4, 0};
    ch_live_settings set = defaults();
    set.absorb = 40;
    ch_live *live = create(context, &set);
    float before[CH_LIVE_RANK_MAX * PIXELS];
    int64_t rank = 0;
    for (int64_t f = 0; f < 90; f++) step(live, &film, f, 0);
    assert_int_equal(ch_live_freeze(live, 1), CH_OK);
    const float *H = ch_live_model(live, 0, &rank);
    memcpy(before, H, (size_t)(rank * PIXELS) * sizeof *before);
    for (int64_t f = 90; f < 240; f++) {
        ch_live_result now = step(live, &film, f, 0);
        assert_int_equal(now.state, CH_LIVE_FROZEN);
    }
    assert_memory_equal(before, ch_live_model(live, 0, NULL), (size_t)(rank * PIXELS) * 4);
    assert_int_equal(ch_live_freeze(live, 0), CH_OK);
    film.dark = 1000000;
    for (int64_t f = 240; f < 320; f++) step(live, &film, f, 0);
    assert_memory_not_equal(before, ch_live_model(live, 0, NULL), (size_t)(rank * PIXELS) * 4);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

/* Frames that are not what the camera saw, and that nobody calls damaged: noise all over, up to 7
 * of them in a row, or in the lowest fifth. Beside them, the same film without. */
static int spoiled(int64_t f) {
    int all = f == 70 || (f >= 90 && f < 97), part = f == 20 || f == 120 || f == 130;
    return all ? 2 : part;
}

static void spoil(uint8_t *pixels, int64_t f) {
    ch_random random;
    ch_random_seed(&random, (uint64_t)f);
    for (int64_t i = spoiled(f) == 2 ? 0 : PIXELS * 4 / 5; i < PIXELS; i++)
        pixels[i] = (uint8_t)ch_random_below(&random, 256);
}

static void check_damage(int64_t adapt) {
    ch_context *context = support_context(NULL, 0);
    story film = {1000000, 1000000, 1000000, 8, 0};
    ch_live_settings set = defaults();
    set.rank = 1;
    set.every = 1;
    set.adapt = adapt;
    ch_live *good = create(context, &set), *bad = create(context, &set);
    double moved = 0,
           allowed = 11 * 4.0 / (double)set.follow; /* 11 lessons, at most so much each */
    for (int64_t f = 0; f < 150; f++) {
        uint8_t pixels[PIXELS];
        const uint8_t *planes[] = {pixels};
        ch_live_result right = step(good, &film, f, 0), now = {.size = sizeof now};
        make_frame(pixels, &film, f);
        if (spoiled(f)) spoil(pixels, f);
        assert_int_equal(ch_live_process(bad, &now, planes, 0), CH_OK);
        assert_int_equal(now.state, right.state);
        if (!now.mask || spoiled(f)) continue;
        support_check(mover_found(now.mask, f) > 0.8, "frame %d: the box is lost", (int)f);
        assert_true(of_stander(&film, now.mask, f).falsely < 0.02);
        for (int64_t i = 0; i < PIXELS; i++)
            moved = fmax(moved, fabs(now.background[0][i] - right.background[0][i]));
    }
    ch_live_info info = {.size = sizeof info};
    ch_live_get_info(bad, &info);
    assert_int_equal(info.implausible, 8);
    assert_int_equal(info.switches, 0);
    support_check(moved < 1 + allowed, "the background moved by %g",
                  moved); /* 1: the warm-up's one */
    ch_live_destroy(good);
    ch_live_destroy(bad);
    ch_context_destroy(context);
}

/* A ch_live that starts with a background has had no warm-up. Once it is no longer frozen, it
 * follows slow changes and adapts to a switched light like any other. */
static void check_start(int64_t adapt) {
    support_memory memory;
    ch_context *context = support_context(&memory, 0);
    story film = {1000000, 1000000, 80, 11, 0};
    double wall[PIXELS];
    float noise[PIXELS], first[PIXELS];
    for (int64_t i = 0; i < PIXELS; i++) {
        wall[i] = wall_at(&film, 0, i % WIDTH, i / WIDTH);
        noise[i] = 2;
    }
    ch_live_start start = {.rank = 1, .H = {wall}, .noise = noise};
    ch_live_settings set = defaults();
    set.start = &start;
    set.adapt = adapt;
    ch_live *live = create(context, &set);
    ch_live_info info = {.size = sizeof info};
    ch_live_result now = {.size = sizeof now};
    const uint8_t *planes[1];
    assert_int_equal(ch_live_replay(live, &now, planes, 0, 0), CH_ERR_ARGUMENT);
    int64_t f = 0;
    for (; f < 20; f++) assert_int_equal(step(live, &film, f, 0).state, CH_LIVE_FROZEN);
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_int_equal(info.lessons, 0);
    memcpy(first, ch_live_model(live, 0, NULL), sizeof first);
    assert_int_equal(ch_live_freeze(live, 0), CH_OK);
    for (; f < film.dark; f++) {
        now = step(live, &film, f, 0);
        assert_int_equal(now.state, CH_LIVE_STEADY);
        support_check(mover_found(now.mask, f) > 0.8, "frame %d: the box is lost", (int)f);
    }
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_int_equal(info.lessons, (film.dark - 20) / set.every - 1); /* the last is under way */
    assert_memory_not_equal(ch_live_model(live, 0, NULL), first, sizeof first);
    for (; f < film.dark + 60; f++) now = step(live, &film, f, 0);
    assert_int_equal(ch_live_get_info(live, &info), CH_OK);
    assert_int_equal(info.adaptations, adapt > 0);
    if (adapt > 0) assert_int_equal(now.rank, 2);
    assert_int_equal(now.state, CH_LIVE_STEADY);
    ch_live_destroy(live);
    support_finish(context, &memory);
}

static void a_background_to_start_with_is_followed_when_unfrozen(void **state) {
    (void)state;
    check_start(30);
    check_start(0); /* the window holds the frame of an update alone */
}

static void damage_that_nobody_reports_does_no_harm(void **state) {
    (void)state;
    check_damage(30);
    check_damage(0); /* nor where no switch is looked for */
}

/* Without adapting, a light that stays is no switch and nothing implausible: seven frames of it are
 * left out, then the lessons go on. */
static void without_adapting_lessons_go_on_in_a_new_light(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {1000000, 1000000, 100, 3, 0};
    ch_live_settings set = defaults();
    set.rank = 1;
    set.every = 1;
    set.adapt = 0;
    ch_live *live = create(context, &set);
    ch_live_info info = {.size = sizeof info};
    int64_t before = 0;
    for (int64_t f = 0; f < 160; f++) {
        ch_live_result now = step(live, &film, f, 0);
        ch_live_get_info(live, &info);
        if (f >= film.dark) assert_int_equal(now.state, CH_LIVE_STEADY);
        if (f == film.dark) before = info.lessons; /* that of the frame before has taken effect */
        if (f > film.dark && f <= film.dark + 7) assert_int_equal(info.lessons, before);
    }
    assert_int_equal(info.lessons, before + 160 - 1 - (film.dark + 7));
    assert_int_equal(info.switches, 0);
    assert_int_equal(info.implausible, 0);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

/* Sums of all that comes out. */
static void run_film(uint64_t *sum, int threads, support_memory *memory) {
    ch_context *context = support_context(memory, threads);
    story film = {100, 1000000, 150, 5, 0};
    ch_live_settings set = defaults();
    set.absorb = 60;
    ch_live *live = create(context, &set);
    int64_t held = 0;
    for (int64_t f = 0; f < 280; f++) {
        ch_live_result now = step(live, &film, f, CH_LIVE_SCORES);
        for (int64_t i = 0; i < PIXELS && now.mask; i++) {
            uint32_t bits;
            memcpy(&bits, &now.background[0][i], sizeof bits);
            sum[0] = sum[0] * 31 + now.mask[i];
            sum[1] = sum[1] * 31 + bits;
        }
        if (memory && f == WARM + 1) held = memory->bytes;
    }
    if (memory) assert_int_equal(memory->bytes, held);
    ch_live_destroy(live);
    support_finish(context, memory);
}

static void threads_and_time_change_nothing(void **state) {
    (void)state;
    uint64_t one[2] = {0}, three[2] = {0};
    run_film(one, 1, NULL);
    run_film(three, 3, NULL);
    assert_memory_equal(one, three, sizeof one);
}

static void memory_is_flat_and_announced(void **state) {
    (void)state;
    support_memory memory;
    uint64_t sum[2] = {0};
    run_film(sum, 1, &memory);
    ch_context *context = support_context(NULL, 1);
    ch_live_settings set = defaults();
    int64_t held, learning;
    assert_int_equal(
        ch_live_bytes(context, &held, &learning, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), CH_OK);
    support_check(memory.peak < held + learning + (8 << 20), "%lld bytes, announced %lld",
                  (long long)memory.peak, (long long)(held + learning));
    ch_context_destroy(context);
}

/* Returns what a ch_live holds after its creation, and in *announced what it is said to hold. */
static int64_t held_at(int64_t width, int64_t height, int planes, int halves, int64_t *announced) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_frame_shape shape = {width, height, planes};
    ch_live_settings set = defaults();
    set.halves = halves;
    ch_live *live = NULL;
    assert_int_equal(ch_live_bytes(context, announced, NULL, &shape, &set), CH_OK);
    assert_int_equal(ch_live_create(context, &live, &shape, &set), CH_OK);
    int64_t held = memory.bytes;
    ch_live_destroy(live);
    support_finish(context, &memory);
    return held;
}

/* Of two pictures, so that what does not depend on the picture cancels. In pictures of up to 128
 * rows the masks examine every row. */
static void memory_grows_with_the_picture_as_announced(void **state) {
    (void)state;
    static const struct { int planes, halves; } layouts[] = {{1, 0}, {3, 0}, {3, 1}};
    for (int k = 0; k < 3; k++) {
        int planes = layouts[k].planes, halves = layouts[k].halves;
        int64_t small, large;
        int64_t held = -held_at(320, 120, planes, halves, &small);
        held += held_at(1280, 120, planes, halves, &large);
        double per = 1.0 / (960 * 120), announced = (double)(large - small) * per;
        support_check((double)held * per <= announced && (double)held * per >= 0.95 * announced,
                      "%d planes: %g bytes per pixel, announced %g", planes, (double)held * per,
                      announced);
    }
}

static void the_warm_up_can_be_replayed(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    story film = {1000000, 1000000, 1000000, 6, 0};
    ch_live_settings set = defaults();
    ch_live *live = create(context, &set);
    ch_live_result now = {.size = sizeof now};
    for (int64_t f = 0; f < WARM; f++) now = step(live, &film, f, 0);
    assert_true(now.learned_anew);
    for (int64_t f = 0; f < WARM; f++) {
        const uint8_t *planes[1];
        uint8_t pixels[PIXELS];
        make_frame(pixels, &film, f);
        assert_int_equal(ch_live_replay(live, &now, planes, f, 0), CH_OK);
        assert_int_equal(now.frame, f);
        assert_memory_equal(planes[0], pixels, PIXELS);
        support_check(mover_found(now.mask, f) > 0.8, "frame %d: %g of the box", (int)f,
                      mover_found(now.mask, f));
    }
    step(live, &film, WARM, 0);
    assert_int_equal(ch_live_replay(live, &now, NULL, 0, 0), CH_ERR_ARGUMENT);
    support_message(context, "only directly after the warm-up");
    ch_live_destroy(live);
    ch_context_destroy(context);
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 0);
    ch_live *live = NULL;
    ch_live_result now = {.size = sizeof now};
    ch_live_settings set = defaults();
    assert_int_equal(ch_live_create(context, &live, &(ch_frame_shape){0, 5, 1}, &set),
                     CH_ERR_ARGUMENT);
    assert_int_equal(ch_live_create(context, &live, &(ch_frame_shape){5, 5, 2}, &set),
                     CH_ERR_ARGUMENT);
    support_message(context, "1 or 3 planes");
    set.warm_up = 3;
    assert_int_equal(ch_live_create(context, &live, &(ch_frame_shape){5, 5, 1}, &set),
                     CH_ERR_SETTING);
    set = defaults();
    live = create(context, &set);
    const uint8_t *planes[] = {NULL};
    assert_int_equal(ch_live_process(live, &now, planes, 0), CH_ERR_ARGUMENT);
    uint8_t bytes[PIXELS];
    assert_int_equal(ch_live_background_bytes(live, bytes), CH_ERR_ARGUMENT);
    assert_null(ch_live_model(live, 0, NULL));
    ch_live_destroy(live);
    ch_live_destroy(NULL);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_is_found),
        cmocka_unit_test(late_nobody_waits_for_the_first_background),
        cmocka_unit_test(hooks_are_called_one_at_a_time),
        cmocka_unit_test(slow_change_is_followed),
        cmocka_unit_test(who_leaves_in_the_warm_up_leaves_no_ghost),
        cmocka_unit_test(what_stops_is_absorbed_in_time),
        cmocka_unit_test(a_switched_light_is_adapted_to),
        cmocka_unit_test(a_background_without_memory_is_given_up),
        cmocka_unit_test(frozen_is_frozen),
        cmocka_unit_test(a_background_to_start_with_is_followed_when_unfrozen),
        cmocka_unit_test(damage_that_nobody_reports_does_no_harm),
        cmocka_unit_test(without_adapting_lessons_go_on_in_a_new_light),
        cmocka_unit_test(threads_and_time_change_nothing),
        cmocka_unit_test(memory_is_flat_and_announced),
        cmocka_unit_test(memory_grows_with_the_picture_as_announced),
        cmocka_unit_test(the_warm_up_can_be_replayed),
        cmocka_unit_test(wrong_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
