/* The film with a known answer: the same for the same seed, people where the truth says, and a
 * background of two lights. */
#include "support.h"
#include <conehull/scene.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 60, WIDTH = 96, HEIGHT = 54, PIXELS = WIDTH * HEIGHT };

static ch_scene_settings small(double noise) {
    ch_scene_settings set;
    ch_scene_defaults(&set);
    set.frames = FRAMES;
    set.width = WIDTH;
    set.height = HEIGHT;
    set.noise = noise;
    set.seed = 3;
    return set;
}

static void same_seed_same_film(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_scene_settings set = small(3), other = set;
    static uint8_t a[3 * PIXELS], b[3 * PIXELS], truth[PIXELS], alone[PIXELS];
    assert_int_equal(ch_scene_make(context, a, truth, 17, &set), CH_OK);
    assert_int_equal(ch_scene_make(context, b, NULL, 17, &set), CH_OK);
    assert_int_equal(ch_scene_make(context, NULL, alone, 17, &set), CH_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(truth, alone, sizeof truth);
    other.seed = 4;
    assert_int_equal(ch_scene_make(context, b, NULL, 17, &other), CH_OK);
    assert_true(memcmp(a, b, sizeof a) != 0);
    assert_int_equal(ch_scene_make(context, a, truth, FRAMES, &set), CH_ERR_ARGUMENT);
    other.width = 1;
    assert_int_equal(ch_scene_make(context, a, truth, 0, &other), CH_ERR_SETTING);
    support_finish(context, &memory);
}

/* Where the truth says so, nine pixels of ten differ from what they were when nobody stood there;
 * the lamp is on in the first quarter, and daylight moves little. */
static void people_are_where_the_truth_says(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_scene_settings set = small(0);
    static uint8_t film[FRAMES][3 * PIXELS], truth[FRAMES][PIXELS];
    int64_t people = 0, distinct = 0, covered = 0, frames_with = 0;
    for (int f = 0; f < FRAMES; f++) {
        assert_int_equal(ch_scene_make(context, film[f], truth[f], f, &set), CH_OK);
        int64_t here = 0;
        for (int i = 0; i < PIXELS; i++) here += truth[f][i];
        people += here;
        frames_with += here > 0;
    }
    assert_true(frames_with > FRAMES * 8 / 10);
    assert_true(people > FRAMES * PIXELS / 100 && people < FRAMES * PIXELS / 5);
    for (int i = 0; i < PIXELS; i++) {
        int empty = -1;
        for (int f = 0; f < FRAMES / 4; f++) /* the lamp is on in the first third */
            if (!truth[f][i] && empty < 0) empty = f;
        for (int f = 0; f < FRAMES / 4 && empty >= 0; f++) {
            if (!truth[f][i]) continue;
            int apart = 0;
            for (int c = 0; c < 3; c++)
                apart += abs((int)film[f][3 * i + c] - (int)film[empty][3 * i + c]);
            distinct += apart > 24;
            covered++;
        }
    }
    assert_true(covered > 1000);
    assert_true(distinct > covered * 9 / 10);
    support_finish(context, &memory);
}

/* Of the wall's empty pixels: lamp on minus lamp off is what the lamp adds, never negative. */
static void lamp_adds_light(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_scene_settings set = small(0);
    static uint8_t on[3 * PIXELS], off[3 * PIXELS], truth_on[PIXELS], truth_off[PIXELS];
    int on_frame = FRAMES / 3, off_frame = FRAMES * 6 / 10; /* of the same daylight */
    assert_int_equal(ch_scene_make(context, on, truth_on, on_frame, &set), CH_OK);
    assert_int_equal(ch_scene_make(context, off, truth_off, off_frame, &set), CH_OK);
    int brighter = 0, seen = 0;
    for (int i = 0; i < PIXELS / 3; i++) { /* the upper third: wall only */
        if (truth_on[i] || truth_off[i]) continue;
        seen++;
        brighter += on[3 * i + 1] > off[3 * i + 1] + 10;
    }
    assert_true(seen > PIXELS / 6);
    assert_true(brighter > seen / 2 &&
                brighter < seen); /* the window shows the sky, not the lamp */
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_film),
        cmocka_unit_test(people_are_where_the_truth_says),
        cmocka_unit_test(lamp_adds_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
