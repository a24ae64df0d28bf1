/* Masks of made clips: planted objects are found, shadows are not, the score is the formula, and
 * threads, blocks and kept noise change nothing. */
#include "support.h"
#include <conehull/mask.h>
#include <conehull/metrics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT, FRAMES = 90 };

typedef struct clip {
    uint8_t *pixels, *truth, *shadow;
    float *background;
} clip;

static double clamp(double value) {
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* A patterned wall, noise, a dark and a bright box that cross it, and a shadow of 70 % beside the
 * dark one. */
static clip make_clip(uint64_t seed, double noise) {
    clip c = {malloc(FRAMES * PIXELS), calloc(FRAMES, PIXELS), calloc(FRAMES, PIXELS),
              malloc(FRAMES * PIXELS * sizeof(float))};
    ch_random random;
    support_seed(&random, "clip", seed);
    for (int64_t i = 0; i < FRAMES * PIXELS; i++) {
        int64_t f = i / PIXELS, x = i % PIXELS % WIDTH, y = i % PIXELS / WIDTH;
        double wall = 100 + 25 * sin((double)x * 0.8) * cos((double)y * 0.9);
        int64_t dark = (f * 3) % (WIDTH + 30) - 15, bright = WIDTH + 10 - (f * 2) % (WIDTH + 30);
        double value = wall;
        if (x >= dark + 10 && x < dark + 22 && y >= 10 && y < 26) {
            value = wall * 0.7;
            c.shadow[i] = 255;
        }
        if (x >= dark && x < dark + 10 && y >= 8 && y < 26) {
            value = 25 + (double)((x + y) % 3) * 8;
            c.truth[i] = 255;
        }
        if (x >= bright && x < bright + 8 && y >= 30 && y < 44) {
            value = 210;
            c.truth[i] = 255;
        }
        if (c.truth[i]) c.shadow[i] = 0;
        c.background[i] = (float)wall;
        c.pixels[i] = (uint8_t)clamp(value + noise * ch_random_normal(&random) + 0.5);
    }
    return c;
}

static void free_clip(clip *c) {
    free(c->pixels);
    free(c->truth);
    free(c->shadow);
    free(c->background);
}

static ch_mask_settings defaults(void) {
    ch_mask_settings set;
    ch_mask_defaults(&set);
    return set;
}

/* Masks and scores of a clip, read in blocks. */
static ch_mask_info run(const clip *c, uint8_t *masks, float *scores, const ch_mask_settings *set,
                        int threads, int64_t block) {
    support_memory memory;
    ch_context *context = support_context(&memory, threads);
    ch_masker *masker;
    ch_mask_info info = {.size = sizeof info};
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, set),
                     CH_OK);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t f = 0; f < FRAMES; f += block) {
            int64_t count = FRAMES - f < block ? FRAMES - f : block;
            ch_mask_plane plane = {c->pixels + f * PIXELS, PIXELS, c->background + f * PIXELS};
            ch_status status = pass == 0 ? ch_masker_learn(masker, &plane, count)
                                         : ch_masker_apply(masker, masks + f * PIXELS,
                                                           scores + f * PIXELS, &plane, count);
            assert_int_equal(status, CH_OK);
        }
        if (pass == 0) assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
    }
    ch_masker_destroy(masker);
    support_finish(context, &memory);
    return info;
}

static double share_of(const uint8_t *mask, const uint8_t *where, int64_t count) {
    int64_t on = 0, all = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!where[i]) continue;
        all++;
        on += mask[i] != 0;
    }
    return (double)on / (double)all;
}

static uint8_t *masks_room(void) {
    return malloc(FRAMES * PIXELS);
}

static void planted_objects_are_found_and_shadows_are_not(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        clip c = make_clip(10 + (uint64_t)k, 1 + k);
        uint8_t *masks = masks_room();
        float *scores = malloc(FRAMES * PIXELS * sizeof *scores);
        ch_mask_settings set = defaults();
        run(&c, masks, scores, &set, 1, FRAMES);
        ch_pixel_counts counts = {0};
        ch_pixel_counts_add(&counts, masks, c.truth, NULL, FRAMES * PIXELS);
        support_check(ch_pixel_counts_f_measure(&counts) > 0.85,
                      "F is %.3f, precision %.3f, recall %.3f", ch_pixel_counts_f_measure(&counts),
                      ch_pixel_counts_precision(&counts), ch_pixel_counts_recall(&counts));
        double found = share_of(masks, c.shadow, FRAMES * PIXELS);
        support_check(found < 0.35, "%.2f of the shadow is in the masks", found);
        set.shadow = 1;
        run(&c, masks, scores, &set, 1, FRAMES);
        double kept = share_of(masks, c.shadow, FRAMES * PIXELS);
        support_check(kept > 0.9 || k == 2, "shadows kept: only %.2f of them", kept);
        support_check(kept > found + 0.3, "shadows: %.2f kept, %.2f otherwise", kept, found);
        free(masks);
        free(scores);
        free_clip(&c);
    }
}

/* The formula of the score, in double and with libm's logarithm, pixel by pixel. */
static double naive_score(const clip *c, const float *noise, double typical, int64_t frame,
                          int64_t x, int64_t y, int64_t radius, double keep, double threshold) {
    double size = 0, mean = 0, square = 0, count = 0;
    for (int64_t v = y - radius; v <= y + radius; v++)
        for (int64_t u = x - radius; u <= x + radius; u++) {
            if (v < 0 || v >= HEIGHT || u < 0 || u >= WIDTH) continue;
            int64_t i = frame * PIXELS + v * WIDTH + u;
            double d = log((c->pixels[i] + 10.0) / (c->background[i] + 10.0));
            size += fmin(fabs(d) * typical / noise[v * WIDTH + u], 2 * threshold / 128);
            mean += d;
            square += d * d;
            count++;
        }
    size /= count;
    mean /= count;
    square = fmax(square / count - mean * mean, 0);
    double noise_there = typical / 128 * exp(-mean); /* the same noise in gray levels */
    double shadow = mean < 0 && mean > -0.7 ? fmax(0, 1 - sqrt(square) / (4 * noise_there)) : 0;
    return 128 * size * (1 - (1 - keep) * shadow);
}

static void the_score_is_the_formula(void **state) {
    (void)state;
    clip c = make_clip(20, 2);
    ch_context *context = support_context(NULL, 1);
    static const int64_t radii[] = {0, 1, 3, 70};
    float *noise = malloc(PIXELS * sizeof *noise), *scores = malloc(PIXELS * sizeof *scores);
    for (int i = 0; i < PIXELS; i++) noise[i] = 2.5f + (float)(i % 7 == 0) * (float)(i % 5);
    for (int k = 0; k < 4; k++) {
        ch_mask_settings set = defaults();
        set.score = CH_MASK_SCORE_DECISION;
        set.smooth = radii[k];
        set.shadow = 0.1 * k;
        ch_masker *masker;
        assert_int_equal(
            ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), CH_OK);
        assert_int_equal(ch_masker_settle_with(masker, NULL, noise), CH_OK);
        ch_mask_plane plane = {c.pixels + 5 * PIXELS, PIXELS, c.background + 5 * PIXELS};
        assert_int_equal(ch_masker_apply(masker, NULL, scores, &plane, 1), CH_OK);
        for (int64_t i = 0; i < PIXELS; i += k == 3 ? 97 : 1) {
            double wanted =
                naive_score(&c, noise, 2.5, 5, i % WIDTH, i / WIDTH, radii[k], 0.1 * k, 6 * 2.5);
            /* the scatter is a difference of means of squares, in single precision */
            support_check(fabs(scores[i] - wanted) <= 2e-3 * (1 + wanted),
                          "radius %d, pixel %d: %.6g instead of %.6g", (int)radii[k], (int)i,
                          (double)scores[i], wanted);
        }
        ch_masker_destroy(masker);
    }
    free(noise);
    free(scores);
    free_clip(&c);
    ch_context_destroy(context);
}

static void threads_and_blocks_change_nothing(void **state) {
    (void)state;
    clip c = make_clip(30, 2);
    uint8_t *first = masks_room(), *again = masks_room();
    size_t bytes = FRAMES * PIXELS * sizeof(float);
    float *scores = malloc(bytes), *scores_again = malloc(bytes);
    static const int threads[] = {1, 2, 3, 1};
    static const int64_t blocks[] = {FRAMES, 7, 64, 1};
    ch_mask_settings set = defaults();
    set.low = 0.6;
    set.score = CH_MASK_SCORE_DECISION;
    set.median = 1;
    for (int k = 0; k < 4; k++) {
        run(&c, k ? again : first, k ? scores_again : scores, &set, threads[k], blocks[k]);
        if (k == 0) continue;
        assert_memory_equal(again, first, FRAMES * PIXELS);
        assert_memory_equal(scores_again, scores, bytes);
    }
    free(first);
    free(again);
    free(scores);
    free(scores_again);
    free_clip(&c);
}

/* On a background of 118 the unit of the noise is a gray level: 128 log((118 + 10 + e) / 128) ~ e.
 */
static void noise_is_measured_and_told(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 2);
    ch_random random;
    support_seed(&random, "noise", 40);
    uint8_t *pixels = malloc(300 * PIXELS);
    float *background = malloc(300 * PIXELS * sizeof *background);
    static const double levels[] = {2, 4, 0};
    static const int64_t lengths[] = {300, 3, 20};
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < lengths[k] * PIXELS; i++) {
            background[i] = 118 + (float)(i % 16) / 16 - 0.5f; /* rounding is even noise then */
            pixels[i] = (uint8_t)(118.5 + levels[k] * ch_random_normal(&random));
            if (i % PIXELS < PIXELS / 5) pixels[i] = 20; /* somebody who always stands there */
        }
        ch_mask_settings set = defaults();
        ch_masker *masker;
        ch_mask_info info = {.size = sizeof info};
        assert_int_equal(
            ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), CH_OK);
        ch_mask_plane plane = {pixels, PIXELS, background};
        assert_int_equal(ch_masker_learn(masker, &plane, lengths[k]), CH_OK);
        assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
        /* 20 % of the pixels are far off: the median becomes the quantile 0.625, 1.32 times it */
        double wanted = levels[k] > 0 ? levels[k] * 0.8871 / 0.6745 : 0.5;
        support_check(fabs(info.noise - wanted) <= 0.08 * wanted + 0.02, "noise %g instead of %g",
                      info.noise, wanted);
        support_close(info.threshold, 6 * info.noise, 1e-9);
        if (k == 2)
            assert_string_equal(
                info.reason,
                "the noise is 0.5 gray levels, and the threshold is 6 times the noise: 3");
        const float *noise = ch_masker_noise(masker);
        for (int i = 0; i < PIXELS; i++) assert_true(noise[i] >= (float)info.noise);
        ch_masker_destroy(masker);
        set.threshold = 12;
        assert_int_equal(
            ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), CH_OK);
        assert_int_equal(ch_masker_learn(masker, &plane, lengths[k]), CH_OK);
        assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
        assert_true(info.threshold == 12 &&
                    strstr(info.reason, "the threshold is 12, as set") != NULL);
        ch_masker_destroy(masker);
    }
    free(pixels);
    free(background);
    ch_context_destroy(context);
}

/* A plant in the wind: it moves all the time, and is no object. */
static void flickering_pixels_count_less(void **state) {
    (void)state;
    clip c = make_clip(50, 2);
    ch_random random;
    support_seed(&random, "plant", 51);
    for (int64_t i = 0; i < FRAMES * PIXELS; i++)
        if (i % WIDTH >= WIDTH - 8 && i % PIXELS / WIDTH < 8)
            c.pixels[i] = (uint8_t)clamp(c.background[i] + 30 * ch_random_normal(&random));
    uint8_t *masks = masks_room();
    float *scores = malloc(FRAMES * PIXELS * sizeof *scores);
    ch_mask_settings set = defaults();
    run(&c, masks, scores, &set, 2, FRAMES);
    int64_t found = 0;
    for (int64_t i = 0; i < FRAMES * PIXELS; i++)
        found += i % WIDTH >= WIDTH - 7 && i % PIXELS / WIDTH < 7 && masks[i];
    support_check(found < FRAMES * 49 / 10, "%d of %d pixels of the plant are in the masks",
                  (int)found, FRAMES * 49);
    free(masks);
    free(scores);
    free_clip(&c);
}

static void kept_noise_gives_the_same_masks(void **state) {
    (void)state;
    clip c = make_clip(60, 3);
    ch_context *context = support_context(NULL, 1);
    ch_mask_settings set = defaults();
    ch_masker *one, *two;
    ch_mask_info first = {.size = sizeof first}, second = {.size = sizeof second};
    uint8_t masks[2][PIXELS];
    ch_mask_plane plane = {c.pixels, PIXELS, c.background};
    assert_int_equal(ch_masker_create(context, &one, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set),
                     CH_OK);
    assert_int_equal(ch_masker_create(context, &two, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set),
                     CH_OK);
    assert_int_equal(ch_masker_learn(one, &plane, FRAMES), CH_OK);
    assert_int_equal(ch_masker_settle(one, &first), CH_OK);
    assert_int_equal(ch_masker_settle_with(two, &second, ch_masker_noise(one)), CH_OK);
    support_close(second.threshold, first.threshold, 1e-5 * first.threshold); /* kept as f32 */
    for (int64_t f = 0; f < FRAMES; f += 10) {
        plane = (ch_mask_plane){c.pixels + f * PIXELS, PIXELS, c.background + f * PIXELS};
        assert_int_equal(ch_masker_apply(one, masks[0], NULL, &plane, 1), CH_OK);
        assert_int_equal(ch_masker_apply(two, masks[1], NULL, &plane, 1), CH_OK);
        assert_memory_equal(masks[0], masks[1], PIXELS);
    }
    ch_masker_destroy(one);
    ch_masker_destroy(two);
    free_clip(&c);
    ch_context_destroy(context);
}

/* Without clean-up a higher threshold takes in no pixel more; regions stay empty. */
static void thresholds_and_regions_only_take_away(void **state) {
    (void)state;
    clip c = make_clip(70, 2);
    ch_context *context = support_context(NULL, 1);
    uint8_t last[PIXELS], mask[PIXELS], region[PIXELS];
    for (int i = 0; i < PIXELS; i++) region[i] = i % WIDTH < 40;
    memset(last, 255, sizeof last);
    for (double threshold = 2; threshold < 200; threshold *= 1.5) {
        ch_mask_settings set = defaults();
        set.threshold = threshold;
        set.close = 0;
        set.least = set.holes = 0;
        ch_masker *masker;
        ch_mask_plane plane = {c.pixels + 12 * PIXELS, PIXELS, c.background + 12 * PIXELS};
        assert_int_equal(
            ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set), CH_OK);
        assert_int_equal(ch_masker_learn(masker, &plane, 1), CH_OK);
        assert_int_equal(ch_masker_settle(masker, NULL), CH_OK);
        assert_int_equal(ch_masker_apply(masker, mask, NULL, &plane, 1), CH_OK);
        for (int i = 0; i < PIXELS; i++) assert_true(!mask[i] || last[i]);
        memcpy(last, mask, sizeof last);
        assert_int_equal(ch_masker_set_region(masker, region), CH_OK);
        assert_int_equal(ch_masker_apply(masker, mask, NULL, &plane, 1), CH_OK);
        for (int i = 0; i < PIXELS; i++) assert_int_equal(mask[i], region[i] ? last[i] : 0);
        ch_masker_destroy(masker);
    }
    free_clip(&c);
    ch_context_destroy(context);
}

/* Settles a masker for a gray clip whose background is one picture. */
static ch_mask_info settle_clip(ch_masker **masker, ch_context *context, const uint8_t *pixels,
                                const float *background, int64_t frames, double shadow) {
    ch_mask_settings set = defaults();
    set.shadow = shadow;
    ch_mask_info info = {.size = sizeof info};
    assert_int_equal(ch_masker_create(context, masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, &set),
                     CH_OK);
    for (int64_t f = 0; f < frames; f++) {
        ch_mask_plane plane = {pixels + f * PIXELS, PIXELS, background};
        assert_int_equal(ch_masker_learn(*masker, &plane, 1), CH_OK);
    }
    assert_int_equal(ch_masker_settle(*masker, &info), CH_OK);
    return info;
}

/* Patterned things cover three fifths of the picture in every frame: the distance from the
 * background is no noise, that of the camera is found, and it is said. */
static void a_covered_picture_does_not_empty_the_masks(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    uint8_t *pixels = malloc(FRAMES * PIXELS), mask[PIXELS];
    float background[PIXELS];
    ch_masker *masker;
    ch_random random;
    support_seed(&random, "covered", 5);
    for (int i = 0; i < PIXELS; i++) background[i] = (float)(120 + i % 7);
    for (int64_t k = 0; k < FRAMES * PIXELS; k++) {
        int64_t f = k / PIXELS, x = k % WIDTH, y = k % PIXELS / WIDTH;
        int open = (x + 11 * f) % WIDTH < 2 * WIDTH / 5;
        double value = open ? background[k % PIXELS] : 50 + 15 * sin(0.3 * (double)(x + y + 5 * f));
        pixels[k] = (uint8_t)clamp(value + 2 * ch_random_normal(&random) + 0.5);
    }
    ch_mask_info info = settle_clip(&masker, context, pixels, background, FRAMES, 0.1);
    assert_true(info.warnings & CH_MASK_WARN_NOISE && info.warnings & CH_MASK_WARN_COVERED);
    assert_false(info.warnings & CH_MASK_WARN_SHORT);
    assert_true(info.camera_noise > 1 && info.camera_noise < 8);
    assert_true(info.threshold < 42);
    ch_mask_plane plane = {pixels + 30 * PIXELS, PIXELS, background};
    assert_int_equal(ch_masker_apply(masker, mask, NULL, &plane, 1), CH_OK);
    int64_t found = 0;
    for (int i = 0; i < PIXELS; i++) found += mask[i] != 0;
    assert_true(found > 4 * PIXELS / 10 && found < 8 * PIXELS / 10);
    ch_masker_destroy(masker);
    info = settle_clip(&masker, context, pixels, background, 10, 0.1);
    assert_true(info.warnings & CH_MASK_WARN_SHORT);
    for (int bit = 0; bit < CH_MASK_WARNINGS; bit++) assert_non_null(ch_mask_warning(1 << bit));
    assert_null(ch_mask_warning(1 << CH_MASK_WARNINGS));
    ch_masker_destroy(masker);
    free(pixels);
    ch_context_destroy(context);
}

/* A block of 16 x 20 pixels in the last frame of a still clip. */
typedef struct block {
    double pattern, period; /* of the ground: 110 and up to so much more or less                */
    double noise;
    double light; /* which a shadow leaves, a share; 0: an object, plain, 80                    */
    double share; /* the setting: what shadows keep                                            */
} block;

static const double SHADE = 8.0 / 11;

/* The share of the block that is in the mask; of a shadow without its outline, the two pixels
 * around in which its edge is. */
static double found_of_block(block b) {
    ch_context *context = support_context(NULL, 1);
    uint8_t *pixels = malloc(FRAMES * PIXELS), mask[PIXELS];
    float background[PIXELS];
    ch_masker *masker;
    ch_random random;
    int64_t found = 0;
    support_seed(&random, "block", (uint64_t)(b.pattern + b.period));
    for (int i = 0; i < PIXELS; i++)
        background[i] = (float)(110 + b.pattern * sin(6.2832 * (i % WIDTH) / b.period) *
                                          cos(6.2832 * (double)(i / WIDTH) / b.period));
    for (int64_t k = 0; k < FRAMES * PIXELS; k++) {
        int64_t x = k % WIDTH, y = k % PIXELS / WIDTH;
        int inside = k / PIXELS == FRAMES - 1 && x >= 30 && x < 46 && y >= 14 && y < 34;
        double ground = background[k % PIXELS], value = b.light > 0 ? ground * b.light : 80;
        pixels[k] =
            (uint8_t)clamp((inside ? value : ground) + b.noise * ch_random_normal(&random) + 0.5);
    }
    assert_int_equal(settle_clip(&masker, context, pixels, background, FRAMES, b.share).warnings,
                     0);
    ch_mask_plane plane = {pixels + (FRAMES - 1) * PIXELS, PIXELS, background};
    assert_int_equal(ch_masker_apply(masker, mask, NULL, &plane, 1), CH_OK);
    int rim = b.light > 0 ? 2 : 0;
    for (int y = 14 + rim; y < 34 - rim; y++)
        for (int x = 30 + rim; x < 46 - rim; x++) found += mask[y * WIDTH + x] != 0;
    ch_masker_destroy(masker);
    free(pixels);
    ch_context_destroy(context);
    return (double)found / ((20 - 2 * rim) * (16 - 2 * rim));
}

/* A thing of 80 on 110 +- 30 is found, however evenly it is darker than the ground: as much of it
 * as where shadows are foreground. Of a shadow, through which the pattern shows, hardly anything
 * is. On a plain ground nobody can tell, and both are found. */
static void what_hides_the_pattern_is_a_thing(void **state) {
    static const double periods[] = {6, 12, 24, 48};
    (void)state;
    for (int k = 0; k < 4; k++) {
        block b = {30, periods[k], 1, 0, 0.1};
        double thing = found_of_block(b);
        support_check(thing >= 0.95, "period %g: %.2f of a dark thing found", periods[k], thing);
        b.light = SHADE;
        double shadow = found_of_block(b);
        support_check(shadow < 0.25, "period %g: %.2f of a shadow found", periods[k], shadow);
        b = (block){30, periods[k], 2, 0, 0.1};
        thing = found_of_block(b);
        b.share = 1;
        double all = found_of_block(b);
        support_check(thing >= 0.97 * all, "period %g: %.2f of a thing found, %.2f with shadows",
                      periods[k], thing, all);
    }
    for (int shadow = 0; shadow < 2; shadow++)
        assert_true(found_of_block((block){0, 1, 2, SHADE * shadow, 0.1}) > 0.95);
}

/* Noise of the same size in gray levels is larger, as a ratio of light, in a shadow. A deep shadow
 * is recognised as well as a light one. */
static void a_deep_shadow_is_a_shadow(void **state) {
    static const double periods[] = {6, 12, 24};
    (void)state;
    for (int k = 0; k < 3; k++) {
        double light = found_of_block((block){30, periods[k], 3, SHADE, 0.1});
        double deep = found_of_block((block){30, periods[k], 3, 0.55, 0.1});
        support_check(deep <= light + 0.1,
                      "period %g: %.2f of a deep shadow found, %.2f of a light one", periods[k],
                      deep, light);
    }
}

static void a_difference_in_one_colour_suffices(void **state) {
    (void)state;
    clip c = make_clip(80, 1);
    uint8_t *flat = malloc(PIXELS), mask[PIXELS];
    float *scores = malloc(PIXELS * sizeof *scores);
    for (int i = 0; i < PIXELS; i++) flat[i] = (uint8_t)(c.background[i] + 0.5f);
    ch_context *context = support_context(NULL, 1);
    for (int score = 0; score < 2; score++) {
        ch_mask_settings set = defaults();
        set.score = score;
        ch_masker *masker;
        int64_t f = 8 * PIXELS;
        ch_mask_plane planes[] = {{flat, PIXELS, c.background + f},
                                  {c.pixels + f, PIXELS, c.background + f},
                                  {flat, PIXELS, c.background + f}};
        assert_int_equal(
            ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 3}, &set), CH_OK);
        assert_int_equal(ch_masker_learn(masker, planes, 1), CH_OK);
        assert_int_equal(ch_masker_settle(masker, NULL), CH_OK);
        assert_int_equal(ch_masker_apply(masker, mask, scores, planes, 1), CH_OK);
        ch_pixel_counts counts = {0};
        ch_pixel_counts_add(&counts, mask, c.truth + f, NULL, PIXELS);
        support_check(ch_pixel_counts_f_measure(&counts) > 0.8, "F is %.3f",
                      ch_pixel_counts_f_measure(&counts));
        for (int i = 0; i < PIXELS && score == CH_MASK_SCORE_RESIDUAL; i++) {
            double one = fabs((double)flat[i] - (double)c.background[f + i]);
            double two = fabs((double)c.pixels[f + i] - (double)c.background[f + i]);
            support_close(scores[i], fmax(one, two), 1e-4);
        }
        ch_masker_destroy(masker);
    }
    free(flat);
    free(scores);
    free_clip(&c);
    ch_context_destroy(context);
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_mask_settings set = defaults();
    ch_masker *masker = NULL;
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){0, 5, 1}, &set),
                     CH_ERR_ARGUMENT);
    support_message(context, "0 x 5");
    assert_int_equal(
        ch_masker_create(context, &masker, &(ch_frame_shape){1 << 20, 1 << 20, 1}, &set),
        CH_ERR_ARGUMENT);
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){4, 4, 5}, &set),
                     CH_ERR_ARGUMENT);
    support_message(context, "1 to 4 planes");
    set.shadow = 2;
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){4, 4, 1}, &set),
                     CH_ERR_SETTING);
    support_message(context, "'shadow' must be between 0 and 1");
    set = defaults();
    set.noises = NAN;
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){4, 4, 1}, &set),
                     CH_ERR_SETTING);
    assert_null(masker);
    set = defaults();
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){4, 4, 1}, &set), CH_OK);
    uint8_t pixels[16] = {0};
    float background[16] = {0}, noise[16] = {0};
    ch_mask_plane plane = {pixels, 16, background};
    assert_int_equal(ch_masker_settle(masker, NULL), CH_ERR_ARGUMENT);
    support_message(context, "only after at least one frame was added");
    assert_int_equal(ch_masker_apply(masker, pixels, NULL, &plane, 1), CH_ERR_ARGUMENT);
    support_message(context, "only after the threshold was set with ch_masker_settle()");
    for (int i = 0; i < 16; i++) noise[i] = 1;
    noise[3] = NAN;
    assert_int_equal(ch_masker_settle_with(masker, NULL, noise), CH_ERR_DATA);
    support_message(context, "pixel 3");
    ch_masker_destroy(masker);
    ch_masker_destroy(NULL);
    ch_context_destroy(context);
}

/* Backgrounds whose light changes keep their pattern; a plain thing that comes and goes does not.
 */
static void what_hides_the_pattern_is_told(void **state) {
    enum { SIDE = 32, ALL = SIDE * SIDE };
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        ch_context *context = support_context(NULL, 1);
        ch_masker *masker = NULL;
        ch_mask_info info = {.size = sizeof info};
        assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){SIDE, SIDE, 1}, NULL),
                         CH_OK);
        for (int f = 0; f < 30; f++) {
            uint8_t pixels[ALL];
            float background[ALL];
            for (int i = 0; i < ALL; i++) {
                float ground = (float)(80 + 60 * ((i * 7 / 3 + i / SIDE) % 2));
                if (f % 2 && i % SIDE < SIDE / 2) ground = plain ? 170 : 0.6f * ground;
                background[i] = ground;
                pixels[i] = (uint8_t)(ground + (float)((i * 5 + f * 3) % 4));
            }
            ch_mask_plane plane = {pixels, ALL, background};
            assert_int_equal(ch_masker_learn(masker, &plane, 1), CH_OK);
        }
        assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
        assert_int_equal((info.warnings & CH_MASK_WARN_PATTERN) != 0, plain);
        ch_masker_destroy(masker);
        ch_context_destroy(context);
    }
    assert_non_null(ch_mask_warning(CH_MASK_WARN_PATTERN));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hides_the_pattern_is_told),
        cmocka_unit_test(planted_objects_are_found_and_shadows_are_not),
        cmocka_unit_test(the_score_is_the_formula),
        cmocka_unit_test(threads_and_blocks_change_nothing),
        cmocka_unit_test(noise_is_measured_and_told),
        cmocka_unit_test(flickering_pixels_count_less),
        cmocka_unit_test(kept_noise_gives_the_same_masks),
        cmocka_unit_test(thresholds_and_regions_only_take_away),
        cmocka_unit_test(a_covered_picture_does_not_empty_the_masks),
        cmocka_unit_test(what_hides_the_pattern_is_a_thing),
        cmocka_unit_test(a_deep_shadow_is_a_shadow),
        cmocka_unit_test(a_difference_in_one_colour_suffices),
        cmocka_unit_test(wrong_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
