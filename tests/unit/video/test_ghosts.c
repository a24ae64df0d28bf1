/* Ghosts: a thing that stands for most of a clip leaves the background, one that stands for a while
 * or passes again and again does not enter it, be it plainer than the ground or not, clips without
 * any stay as they are, and a light that is switched is no ghost. */
#include "support.h"
#include <conehull/separate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 60, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };

typedef struct box {
    int64_t left, top, right, bottom;
} box;

static const box ghost = {20, 10, 32, 30}, visitor = {42, 8, 52, 30};

static int in(box b, int64_t i) {
    int64_t x = i % WIDTH, y = i / WIDTH;
    return x >= b.left && x < b.right && y >= b.top && y < b.bottom;
}

/* A wall with soft light and a few lines. */
static double wall(int64_t i) {
    int64_t x = i % WIDTH, y = i / WIDTH;
    return 90 + 30 * sin((double)x * 0.05) + (y % 13 == 0 ? -20 : 0);
}

/* The ghost is there in the frames before share * frames, the visitor in the middle fifth. A light
 * goes up and down; the background is what is there most of the time: W the light, H one picture.
 */
typedef struct clip {
    int64_t frames;
    uint8_t *pixels;
    ch_matrix X;
    ch_separation parts;
} clip;

static double light(int64_t f, int64_t frames) {
    return 1 + 0.2 * sin((double)f * 6.3 / (double)frames);
}

static clip make(int64_t frames, double share, double scale, uint64_t seed) {
    clip c = {.frames = frames, .pixels = malloc((size_t)(frames * PIXELS))};
    ch_random random;
    support_seed(&random, "ghosts", seed);
    for (int64_t i = 0; i < frames * PIXELS; i++) {
        int64_t f = i / PIXELS, j = i % PIXELS;
        double value = wall(j) * scale;
        if (in(ghost, j) && (double)f < share * (double)frames) value = 30 + (double)(j % 5) * 8;
        if (in(visitor, j) && 5 * f >= 2 * frames && 5 * f < 3 * frames) value = 200;
        value = value * light(f, frames) + 2 * ch_random_normal(&random) + 0.5;
        c.pixels[i] = (uint8_t)fmin(fmax(value, 0), 255);
    }
    c.X = (ch_matrix){.rows = frames,
                      .cols = PIXELS,
                      .type = CH_U8,
                      .layout = CH_ROW_MAJOR,
                      .values = c.pixels,
                      .stride = PIXELS};
    c.parts =
        (ch_separation){.size = sizeof c.parts, .frames = frames, .pixels = PIXELS, .rank = 1};
    c.parts.W = malloc((size_t)frames * sizeof(double));
    c.parts.H = malloc(PIXELS * sizeof(double));
    for (int64_t f = 0; f < frames; f++) c.parts.W[f] = light(f, frames);
    for (int64_t j = 0; j < PIXELS; j++)
        c.parts.H[j] = in(ghost, j) && share > 0.5 ? 30 + (double)(j % 5) * 8 : wall(j) * scale;
    return c;
}

static void free_clip(clip *c) {
    free(c->pixels);
    free(c->parts.W);
    free(c->parts.H);
}

static double worst(const clip *c, double scale) {
    double most = 0;
    for (int64_t j = 0; j < PIXELS; j++) most = fmax(most, fabs(c->parts.H[j] - wall(j) * scale));
    return most;
}

static void what_stood_for_most_of_the_clip_goes(void **state) {
    (void)state;
    static const int64_t lengths[] = {64, 200, 1000};
    static const double shares[] = {0.7, 0.6, 0.55};
    for (int k = 0; k < 3; k++) {
        double *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            clip c = make(lengths[k], shares[k], 1, 5 + (uint64_t)k);
            support_memory memory;
            ch_context *context = support_context(&memory, threads);
            ch_separation *parts[] = {&c.parts};
            const ch_matrix *X[] = {&c.X};
            ch_ghosts found = {.size = sizeof found};
            support_check(worst(&c, 1) > 20, "no ghost was planted");
            assert_int_equal(
                ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}),
                CH_OK);
            assert_int_equal(found.removed, 1);
            support_check(worst(&c, 1) < 4, "%d frames: background off by %.1f", (int)lengths[k],
                          worst(&c, 1));
            assert_true(strstr(found.reason, "stood still") != NULL);
            if (first)
                assert_memory_equal(first, c.parts.H, PIXELS * sizeof *first);
            else
                memcpy(first = malloc(PIXELS * sizeof *first), c.parts.H, PIXELS * sizeof *first);
            support_finish(context, &memory);
            free_clip(&c);
        }
        free(first);
    }
}

/* There for less than half: not in the background, and it must not be put there. */
static void what_is_right_stays(void **state) {
    (void)state;
    static const double shares[] = {0, 0.25, 0.45};
    for (int k = 0; k < 3; k++) {
        clip c = make(300, shares[k], 1, 15);
        double before[PIXELS];
        memcpy(before, c.parts.H, sizeof before);
        ch_context *context = support_context(NULL, 2);
        ch_separation *parts[] = {&c.parts};
        const ch_matrix *X[] = {&c.X};
        ch_ghosts found = {.size = sizeof found};
        assert_int_equal(
            ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}),
            CH_OK);
        assert_int_equal(found.removed, 0);
        assert_true(found.looked_at >= 1); /* the visitor's place */
        assert_memory_equal(before, c.parts.H, sizeof before);
        ch_context_destroy(context);
        free_clip(&c);
    }
}

/* A plain thing before fine dots, which have far more differences of neighbours than it has: it
 * passes again and again, half as wide as the picture, or stands there from the start. */
typedef struct plain_thing {
    int64_t cycle; /* frames from one passage to the next; 0: it stands  */
    double share;  /* of the clip that it stands for                     */
    double level;
    int64_t lowest, highest; /* dots */
} plain_thing;

static int covers(const plain_thing *thing, double at, int64_t f, int64_t j) {
    if (!thing->cycle) return in(ghost, j) && at < thing->share;
    int64_t wide = WIDTH / 2, left = f % thing->cycle * (WIDTH + wide) / thing->cycle - wide;
    return in((box){left, ghost.top, left + wide, ghost.bottom}, j);
}

static clip make_dotted(double *dots, const plain_thing *thing, uint64_t seed) {
    clip c = make(200, 0, 1, seed);
    ch_random random;
    support_seed(&random, "dots", seed);
    for (int64_t j = 0; j < PIXELS; j++)
        dots[j] =
            (double)(thing->lowest + ch_random_below(&random, thing->highest - thing->lowest));
    for (int64_t f = 0; f < c.frames; f++) {
        double at = (double)f / (double)c.frames;
        for (int64_t j = 0; j < PIXELS; j++) {
            double value = covers(thing, at, f, j) ? thing->level : dots[j];
            value += 2 * ch_random_normal(&random) + 0.5;
            c.pixels[f * PIXELS + j] = (uint8_t)fmin(fmax(value, 0), 255);
        }
        c.parts.W[f] = 1;
    }
    for (int64_t j = 0; j < PIXELS; j++)
        c.parts.H[j] = thing->share > 0.5 && in(ghost, j) ? thing->level : dots[j];
    return c;
}

static void plain_things_before_fine_patterns(void **state) {
    (void)state;
    static const plain_thing cases[] = {
        {72, 0, 220, 60, 140},   /* brighter than all dots                */
        {72, 0, 125, 20, 235},   /* between them                          */
        {0, 0.4, 220, 60, 140},  /* stands for a while                    */
        {0, 0.4, 125, 20, 235},  /* the same between them                 */
        {0, 0.65, 220, 60, 140}, /* for most of the clip: a ghost         */
        {0, 0.65, 30, 60, 140},  /* the same, dark                        */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double dots[PIXELS], most = 0;
        clip c = make_dotted(dots, &cases[k], 65 + k);
        ch_context *context = support_context(NULL, 2);
        ch_separation *parts[] = {&c.parts};
        const ch_matrix *X[] = {&c.X};
        ch_ghosts found = {.size = sizeof found};
        assert_int_equal(
            ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}),
            CH_OK);
        for (int64_t j = 0; j < PIXELS; j++) most = fmax(most, fabs(c.parts.H[j] - dots[j]));
        support_check(found.looked_at >= 1, "case %d: nothing changes", (int)k);
        support_check(found.removed == (cases[k].share > 0.5), "case %d: %s", (int)k, found.reason);
        support_check(most < 4, "case %d: background off by %.1f", (int)k, most);
        ch_context_destroy(context);
        free_clip(&c);
    }
}

/* A lamp that is on but for some stretches, and gives its region a third of its light. Its own
 * tubes show as stripes when it is on and are dark and even when it is off: the background, which
 * has them at half their brightness then, or all of it, is wrong there, and the other look has
 * fewer outlines. */
typedef struct lamp {
    box region, tubes;
    double from, to; /* off, as shares of the clip                           */
    double known;    /* share of the tubes' light that the lamp's factor has */
} lamp;

static double tube(int64_t j) {
    return j % 4 < 2 ? 230 : 140;
}

/* The clip of make() without its slow light, under this lamp; two factors, the room and the lamp.
 */
static clip make_lit(double share, const lamp *by, uint64_t seed) {
    clip c = make(320, share, 1, seed);
    double *H = malloc(2 * PIXELS * sizeof *H), *W = calloc(2 * (size_t)c.frames, sizeof *W);
    ch_random random;
    support_seed(&random, "lamp", seed);
    for (int64_t j = 0; j < PIXELS; j++) {
        double all = in(by->tubes, j) ? tube(j) : c.parts.H[j];
        H[2 * j + 1] = !in(by->region, j) ? 0 : in(by->tubes, j) ? all * by->known : all / 3;
        H[2 * j] = all - H[2 * j + 1];
    }
    for (int64_t f = 0; f < c.frames; f++) {
        double at = (double)f / (double)c.frames;
        int on = at < by->from || at >= by->to;
        W[f] = 1;
        W[f + c.frames] = on;
        for (int64_t j = 0; j < PIXELS; j++) {
            double all = in(ghost, j) && at < share ? 30 + (double)(j % 5) * 8 : wall(j);
            double value = on || !in(by->region, j) ? all : all * 2 / 3;
            if (in(by->tubes, j)) value = on ? tube(j) : 40;
            value += 2 * ch_random_normal(&random) + 0.5;
            c.pixels[f * PIXELS + j] = (uint8_t)fmin(fmax(value, 0), 255);
        }
    }
    free(c.parts.W);
    free(c.parts.H);
    c.parts.rank = 2;
    c.parts.W = W;
    c.parts.H = H;
    return c;
}

/* Nothing stood there: the tubes change when the light does and never otherwise, be it the light of
 * the room or of a corner. A ghost that leaves in one light goes, and the tubes stay. */
static void what_the_light_changes_stays(void **state) {
    (void)state;
    static const struct {
        double share;
        lamp by;
    } cases[] = {
        {0, {{0, 0, WIDTH, HEIGHT}, {4, 2, 16, 8}, 0.3, 0.7, 0.5}},
        {0, {{0, 0, 18, 10}, {4, 2, 16, 8}, 0.3, 0.7, 0.5}},
        {0, {{0, 0, WIDTH, HEIGHT}, {4, 2, 16, 8}, 0.6, 1, 0}},
        {0.7, {{0, 0, WIDTH, HEIGHT}, {4, 2, 16, 8}, 0.2, 0.5, 0.5}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const lamp *by = &cases[k].by;
        clip c = make_lit(cases[k].share, by, 55 + k);
        double before[2 * PIXELS];
        memcpy(before, c.parts.H, sizeof before);
        ch_context *context = support_context(NULL, 2);
        ch_separation *parts[] = {&c.parts};
        const ch_matrix *X[] = {&c.X};
        ch_ghosts found = {.size = sizeof found};
        assert_int_equal(
            ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}),
            CH_OK);
        support_check(found.removed == (cases[k].share > 0.5), "case %d: %s", (int)k, found.reason);
        support_check(found.looked_at > found.removed, "case %d: the tubes do not change", (int)k);
        for (int64_t j = 0; j < PIXELS; j++) {
            double now = c.parts.H[2 * j] + c.parts.H[2 * j + 1];
            if (in(by->tubes, j))
                assert_memory_equal(&c.parts.H[2 * j], &before[2 * j], 2 * sizeof(double));
            else
                support_check(fabs(now - wall(j)) < 4, "case %d: background off by %.1f", (int)k,
                              fabs(now - wall(j)));
        }
        ch_context_destroy(context);
        free_clip(&c);
    }
}

/* The first plane decides, the others follow with their own numbers. */
static void all_planes_are_changed(void **state) {
    (void)state;
    clip luma = make(160, 0.7, 1, 25), red = make(160, 0.7, 1.3, 26);
    ch_context *context = support_context(NULL, 1);
    ch_separation *parts[] = {&luma.parts, &red.parts};
    const ch_matrix *X[] = {&luma.X, &red.X};
    assert_int_equal(ch_ghosts_remove(context, NULL, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 2}),
                     CH_OK);
    support_check(worst(&luma, 1) < 4, "luma off by %.1f", worst(&luma, 1));
    support_check(worst(&red, 1.3) < 5, "red off by %.1f", worst(&red, 1.3));
    free_clip(&luma);
    free_clip(&red);
    ch_context_destroy(context);
}

static void too_little_to_tell(void **state) {
    (void)state;
    clip c = make(19, 0.7, 1, 35);
    double *H = c.parts.H, first = H[0];
    ch_context *context = support_context(NULL, 1);
    ch_separation *parts[] = {&c.parts};
    const ch_matrix *X[] = {&c.X};
    ch_ghosts found = {.size = sizeof found};
    assert_int_equal(
        ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}), CH_OK);
    assert_true(found.removed == 0 && strstr(found.reason, "too few frames") != NULL);
    assert_true(H[0] == first);
    c.parts.H = NULL; /* as the median over a window leaves it */
    assert_int_equal(
        ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1}), CH_OK);
    c.parts.H = H;
    assert_int_equal(
        ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT + 1, 1}),
        CH_ERR_ARGUMENT);
    support_message(context, "plane 0 of the clip has 2400 pixels");
    assert_int_equal(
        ch_ghosts_remove(context, &found, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 0}),
        CH_ERR_ARGUMENT);
    free_clip(&c);
    ch_context_destroy(context);
}

static int stop_at_event(const ch_progress_event *event, void *user) {
    int64_t *left = user;
    (void)event;
    return --*left == 0;
}

/* Cancelled at any event: that status, the background as it was, nothing held. */
static void cancelled_at_any_event(void **state) {
    (void)state;
    clip c = make(64, 0.7, 1, 45);
    double before[PIXELS];
    memcpy(before, c.parts.H, sizeof before);
    ch_separation *parts[] = {&c.parts};
    const ch_matrix *X[] = {&c.X};
    int64_t event = 0;
    for (ch_status status = CH_STOP_CANCELLED; status == CH_STOP_CANCELLED;) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        int64_t left = ++event;
        ch_context_set_progress(context, stop_at_event, &left);
        status = ch_ghosts_remove(context, NULL, parts, X, &(ch_frame_shape){WIDTH, HEIGHT, 1});
        if (status != CH_OK) assert_memory_equal(before, c.parts.H, sizeof before);
        support_finish(context, &memory);
    }
    support_check(event > 3, "only %d events", (int)event - 1);
    support_check(worst(&c, 1) < 4, "background off by %.1f", worst(&c, 1));
    free_clip(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stood_for_most_of_the_clip_goes),
        cmocka_unit_test(what_is_right_stays),
        cmocka_unit_test(plain_things_before_fine_patterns),
        cmocka_unit_test(what_the_light_changes_stays),
        cmocka_unit_test(all_planes_are_changed),
        cmocka_unit_test(too_little_to_tell),
        cmocka_unit_test(cancelled_at_any_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
