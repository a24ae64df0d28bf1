/* Masks of tiles that may hold something are those of whole frames, to the bit, and so is the
 * background, where it is wanted: gray, colour, colour at half the resolution; on any threads. */
#include "support.h"
#include <conehull/live.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 330, HEIGHT = 90, PIXELS = WIDTH * HEIGHT, WARM = 24, FRAMES = 60 };

typedef struct kind {
    int planes, halves, threads;
    double threshold; /* 0: by the noise */
} kind;

static int64_t values_of(const kind *k, int plane) {
    return k->halves && plane > 0 ? PIXELS / 4 : PIXELS;
}

/* A wall with a flickering corner; a thing and its shadow pass, another one jumps about, as small
 * as a pixel and as large as a tile. */
static double value_at(int64_t f, int64_t x, int64_t y, int plane, ch_random *random) {
    double wall = 110 + 20 * plane + 30 * sin((double)x * 0.4) * cos((double)y * 0.5);
    int64_t left = (f * 7) % (WIDTH + 60) - 30, size = f % 5 == 0 ? 1 : 4 * (f % 17);
    int64_t jump = f * 53 % WIDTH, fall = f * 31 % HEIGHT;
    if (x > 280 && y < 20) wall += 40 * ch_random_uniform(random);
    if (x >= left && x < left + 40 && y >= 40 && y < 70) wall *= 0.65;
    if (x >= left && x < left + 20 && y >= 30 && y < 70) wall = plane == 1 ? 60 : 80;
    if (x >= jump && x < jump + size && y >= fall && y < fall + size) wall = 200 - 60 * plane;
    return wall + 2 * ch_random_normal(random);
}

static void make_frame(uint8_t *const *planes, const kind *k, int64_t f) {
    ch_random random;
    ch_random_seed(&random, 7000 + (uint64_t)f);
    for (int p = 0; p < k->planes; p++) {
        int64_t by = k->halves && p > 0 ? 2 : 1, width = WIDTH / by;
        for (int64_t i = 0; i < values_of(k, p); i++) {
            double value = value_at(f, i % width * by, i / width * by, p, &random) + 0.5;
            planes[p][i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}

static ch_live *create(ch_context *context, const kind *k) {
    ch_live *live = NULL;
    ch_live_settings set;
    ch_mask_settings mask;
    ch_live_defaults(&set);
    ch_mask_defaults(&mask);
    mask.threshold = k->threshold;
    mask.least = 0;
    set.mask = &mask;
    set.warm_up = WARM;
    set.halves = k->halves;
    assert_int_equal(
        ch_live_create(context, &live, &(ch_frame_shape){WIDTH, HEIGHT, k->planes}, &set), CH_OK);
    return live;
}

enum { WHOLE, TILES, MASK_ONLY, WAYS };

static void check_kind(const kind *k) {
    static const int flags[WAYS] = {CH_LIVE_SCORES, 0, CH_LIVE_MASK_ALONE};
    ch_context *context[WAYS];
    ch_live *live[WAYS];
    uint8_t *planes[3], *bytes[WAYS];
    int64_t found = 0;
    for (int way = 0; way < WAYS; way++) {
        context[way] = support_context(NULL, k->threads);
        live[way] = create(context[way], k);
        bytes[way] = malloc(3 * PIXELS);
    }
    for (int p = 0; p < 3; p++) planes[p] = malloc(PIXELS);
    for (int64_t f = 0; f < FRAMES; f++) {
        ch_live_result now[WAYS];
        make_frame(planes, k, f);
        for (int way = 0; way < WAYS; way++) {
            now[way] = (ch_live_result){.size = sizeof now[way]};
            /* now and then all ways go the first one: what it leaves must not be seen later */
            int as = f % 11 == 0 ? flags[WHOLE] : flags[way];
            assert_int_equal(
                ch_live_process(live[way], &now[way], (const uint8_t *const *)planes, as), CH_OK);
        }
        if (!now[WHOLE].mask) continue;
        for (int way = TILES; way < WAYS; way++)
            assert_memory_equal(now[WHOLE].mask, now[way].mask, PIXELS);
        for (int p = 0; p < k->planes; p++) {
            assert_memory_equal(now[WHOLE].background[p], now[TILES].background[p],
                                (size_t)values_of(k, p) * sizeof(float));
            assert_true((now[MASK_ONLY].background[p] == NULL) == (f % 11 != 0));
        }
        for (int i = 0; i < PIXELS; i++) found += now[WHOLE].mask[i] != 0;
        for (int way = 0; way < WAYS && f % 7 == 0; way++) {
            assert_int_equal(ch_live_background_bytes(live[way], bytes[way]), CH_OK);
            assert_memory_equal(bytes[way], bytes[WHOLE], (size_t)(k->planes * PIXELS));
        }
    }
    assert_true(found > FRAMES * PIXELS / 100 && found < FRAMES * PIXELS / 2);
    for (int p = 0; p < 3; p++) free(planes[p]);
    for (int way = 0; way < WAYS; way++) {
        ch_live_destroy(live[way]);
        ch_context_destroy(context[way]);
        free(bytes[way]);
    }
}

static void tiles_are_as_whole_frames(void **state) {
    static const kind kinds[] = {{1, 0, 1, 0}, {3, 0, 1, 0},   {3, 1, 1, 0}, {1, 0, 3, 0},
                                 {3, 1, 3, 0}, {1, 0, 1, 4.5}, {3, 1, 2, 9}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) check_kind(&kinds[i]);
}

/* Pixels side by side give what planes give, with and without a background, and if both kinds of
 * frames take turns; gray and halves are refused. */
static void packed_frames_are_as_planes(void **state) {
    const kind colour = {3, 0, 2, 0}, gray = {1, 0, 1, 0}, halves = {3, 1, 1, 0};
    ch_context *context = support_context(NULL, 2);
    ch_live *live[] = {create(context, &colour), create(context, &colour),
                       create(context, &colour)};
    uint8_t *planes[3], *packed = malloc(3 * PIXELS);
    (void)state;
    for (int p = 0; p < 3; p++) planes[p] = malloc(PIXELS);
    for (int64_t f = 0; f < FRAMES; f++) {
        ch_live_result one = {.size = sizeof one}, other = {.size = sizeof other};
        ch_live_result alone = {.size = sizeof alone};
        const uint8_t *given[] = {packed, NULL, NULL};
        int turns = f % 5 < 3 ? CH_LIVE_PACKED | CH_LIVE_MASK_ALONE : CH_LIVE_MASK_ALONE;
        make_frame(planes, &colour, f);
        for (int64_t i = 0; i < 3 * (int64_t)PIXELS; i++) packed[i] = planes[i % 3][i / 3];
        assert_int_equal(ch_live_process(live[0], &one, (const uint8_t *const *)planes, 0), CH_OK);
        assert_int_equal(
            ch_live_process(live[1], &other, (const uint8_t *[]){packed}, CH_LIVE_PACKED), CH_OK);
        assert_int_equal(
            ch_live_process(live[2], &alone,
                            turns & CH_LIVE_PACKED ? given : (const uint8_t *const *)planes, turns),
            CH_OK);
        assert_int_equal(one.state, other.state);
        if (!one.mask) continue;
        assert_memory_equal(one.mask, other.mask, PIXELS);
        assert_memory_equal(one.mask, alone.mask, PIXELS);
        for (int p = 0; p < 3; p++)
            assert_memory_equal(one.background[p], other.background[p], PIXELS * sizeof(float));
    }
    for (int k = 0; k < 2; k++) {
        ch_live *refuses = create(context, k ? &gray : &halves);
        ch_live_result now = {.size = sizeof now};
        assert_int_equal(
            ch_live_process(refuses, &now, (const uint8_t *[]){packed}, CH_LIVE_PACKED),
            CH_ERR_ARGUMENT);
        ch_live_destroy(refuses);
    }
    for (int k = 0; k < 3; k++) ch_live_destroy(live[k]);
    for (int p = 0; p < 3; p++) free(planes[p]);
    free(packed);
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_are_as_whole_frames),
                                       cmocka_unit_test(packed_frames_are_as_planes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
