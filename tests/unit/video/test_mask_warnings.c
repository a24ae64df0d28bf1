/* Warnings of a masker about its clip: a camera that moves, and an object that the background
 * follows like a light. Clips without either are not warned about. */
#include "support.h"
#include <conehull/mask.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 112, PIXELS = WIDTH * HEIGHT, FRAMES = 90 };
enum { EDGE = 8, ACROSS = WIDTH + 2 * EDGE, SCENE = ACROSS * (HEIGHT + 2 * EDGE) };

static double clamp(double value) {
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Boxes of random gray levels with edges that are two pixels wide, on a ground that is nearly
 * plain. */
static void draw_scene(double *scene, uint64_t seed) {
    ch_random random;
    support_seed(&random, "scene", seed);
    for (int i = 0; i < SCENE; i++) scene[i] = 110 + 0.2 * (i % ACROSS);
    for (int box = 0; box < 60; box++) {
        int64_t left = ch_random_below(&random, ACROSS),
                top = ch_random_below(&random, SCENE / ACROSS);
        int64_t wide = 4 + ch_random_below(&random, 24), high = 4 + ch_random_below(&random, 24);
        double level = 40 + 160 * ch_random_uniform(&random);
        for (int64_t y = top; y < top + high && y < SCENE / ACROSS; y++)
            for (int64_t x = left; x < left + wide && x < ACROSS; x++) {
                int edge = x == left || y == top;
                double *at = &scene[y * ACROSS + x];
                *at = edge ? (*at + level) / 2 : level;
            }
    }
}

/* The scene at a place between pixels. */
static double scene_at(const double *scene, double x, double y) {
    int64_t column = (int64_t)floor(x), row = (int64_t)floor(y);
    const double *at = scene + (row + EDGE) * ACROSS + column + EDGE;
    double right = x - (double)column, below = y - (double)row;
    return (1 - below) * ((1 - right) * at[0] + right * at[1]) +
           below * ((1 - right) * at[ACROSS] + right * at[ACROSS + 1]);
}

typedef enum motion { STILL, SHAKES, SWAYS, BUMPED, LEAVES, CROSSED } motion;

/* How far the part of the picture at a pixel is moved in frame f. */
static double moved(motion how, double by, int64_t f, int64_t i, int axis, const double *shaken) {
    int64_t x = i % WIDTH, y = i / WIDTH, part = y / 12 * 20 + x / 12;
    switch (how) {
    case SHAKES:
        return by * shaken[2 * f + axis];
    case SWAYS:
        return by * sin((double)f * (axis ? 0.11 : 0.17));
    case BUMPED:
        return 3 * f > 2 * FRAMES ? by : 0;
    case LEAVES: /* every part for itself */
        return by * sin((double)f * (0.9 + 0.1 * (double)(part % 7)) + (double)(part * 5 + axis));
    default:
        return 0;
    }
}

/* Returns the warnings about a clip of the scene, with the scene as the background. */
static int warnings_of(motion how, double by, uint64_t seed) {
    ch_context *context = support_context(NULL, 2);
    double *scene = malloc(SCENE * sizeof *scene), shaken[2 * FRAMES];
    float *background = malloc(PIXELS * sizeof *background);
    uint8_t *pixels = malloc(PIXELS);
    ch_masker *masker = NULL;
    ch_mask_info info = {.size = sizeof info};
    ch_random random;
    draw_scene(scene, seed);
    support_seed(&random, "camera", seed);
    for (int k = 0; k < 2 * FRAMES; k++) shaken[k] = 2 * ch_random_uniform(&random) - 1;
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, NULL),
                     CH_OK);
    for (int64_t i = 0; i < PIXELS; i++)
        background[i] = (float)scene_at(scene, (double)(i % WIDTH), (double)(i / WIDTH));
    for (int64_t f = 0; f < FRAMES; f++) {
        for (int64_t i = 0; i < PIXELS; i++) {
            int64_t x = i % WIDTH, y = i / WIDTH, left = 4 * f % (WIDTH + 60) - 60;
            double value = scene_at(scene, (double)x + moved(how, by, f, i, 0, shaken),
                                    (double)y + moved(how, by, f, i, 1, shaken));
            if (how == CROSSED && x >= left && x < left + 60) /* with a pattern of its own */
                value = scene_at(scene, (double)(x - left), (double)(HEIGHT - 1 - y));
            value *= f % 40 < 20 ? 1 : 0.7; /* the light is switched too */
            pixels[i] = (uint8_t)clamp(value + 3 * ch_random_normal(&random) + 0.5);
        }
        ch_mask_plane plane = {pixels, PIXELS, background};
        assert_int_equal(ch_masker_learn(masker, &plane, 1), CH_OK);
    }
    assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
    ch_masker_destroy(masker);
    free(scene);
    free(background);
    free(pixels);
    ch_context_destroy(context);
    return info.warnings;
}

static void a_moving_camera_is_reported(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        for (int by = 1; by <= 3; by++)
            support_check(warnings_of(SHAKES, by, seed) & CH_MASK_WARN_SHIFT,
                          "scene %d: no warning, although the camera shakes by %d pixels",
                          (int)seed, by);
        assert_true(warnings_of(SWAYS, 2, seed) & CH_MASK_WARN_SHIFT);
        assert_true(warnings_of(BUMPED, 2, seed) & CH_MASK_WARN_SHIFT);
    }
    assert_non_null(strstr(ch_mask_warning(CH_MASK_WARN_SHIFT), "camera moves"));
}

static void a_camera_that_stands_still_is_not(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_false(warnings_of(STILL, 0, seed) & CH_MASK_WARN_SHIFT);
        assert_false(warnings_of(SHAKES, 0.2, seed) & CH_MASK_WARN_SHIFT);
        assert_false(warnings_of(LEAVES, 3, seed) & CH_MASK_WARN_SHIFT);
        assert_false(warnings_of(CROSSED, 0, seed) & CH_MASK_WARN_SHIFT);
    }
}

/* Returns the warnings about a plain scene of which every square of 8 x 8 pixels changes by itself
 * in every frame. Neighbouring pixels change alike, as in enlarged or strongly coded films. */
static int warnings_of_squares(double by) {
    enum { SIDE = 8, SQUARES = WIDTH / SIDE };
    ch_context *context = support_context(NULL, 1);
    static float background[PIXELS];
    static uint8_t pixels[PIXELS];
    double change[PIXELS / SIDE / SIDE];
    ch_masker *masker = NULL;
    ch_mask_info info = {.size = sizeof info};
    ch_random random;
    support_seed(&random, "squares", 0);
    for (int64_t i = 0; i < PIXELS; i++) background[i] = 110;
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, NULL),
                     CH_OK);
    for (int64_t f = 0; f < FRAMES; f++) {
        for (int64_t k = 0; k < PIXELS / SIDE / SIDE; k++)
            change[k] = by * ch_random_normal(&random);
        for (int64_t i = 0; i < PIXELS; i++) {
            int64_t square = i / WIDTH / SIDE * SQUARES + i % WIDTH / SIDE;
            pixels[i] = (uint8_t)clamp(110 + change[square] + 0.5);
        }
        ch_mask_plane plane = {pixels, PIXELS, background};
        assert_int_equal(ch_masker_learn(masker, &plane, 1), CH_OK);
    }
    assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
    ch_masker_destroy(masker);
    ch_context_destroy(context);
    return info.warnings;
}

static void noise_that_neighbours_share_is_no_movement(void **state) {
    (void)state;
    assert_int_equal(warnings_of_squares(4), 0);
    assert_true(warnings_of_squares(40) & CH_MASK_WARN_MOVING);
}

/* The light of the left half goes to a share and back again and again, within some frames. If it is
 * an object, its edge passes over the half in these frames instead, so that each pixel changes at
 * once; the background is the same. There is no pattern that could be compared. HIDING: frames and
 * background of the left half have a pattern, which a plain object hides again and again. */
typedef enum cause { LIGHT, OBJECT, HIDING } cause;
static int warnings_of_half(cause why, double share, int64_t fade, const uint8_t *region) {
    ch_context *context = support_context(NULL, 1);
    static float background[PIXELS];
    static uint8_t pixels[PIXELS];
    ch_masker *masker = NULL;
    ch_mask_info info = {.size = sizeof info};
    ch_random random;
    support_seed(&random, "half", (uint64_t)fade);
    assert_int_equal(ch_masker_create(context, &masker, &(ch_frame_shape){WIDTH, HEIGHT, 1}, NULL),
                     CH_OK);
    assert_int_equal(ch_masker_set_region(masker, region), CH_OK);
    for (int64_t f = 0; f < FRAMES; f++) {
        double at = (double)(f % 30) / (double)fade, back = (double)(f % 30 - 15) / (double)fade;
        double on = fmin(at, 1) - fmax(fmin(back, 1), 0);
        for (int64_t i = 0; i < PIXELS; i++) {
            int left = i % WIDTH < WIDTH / 2, covered = (double)(i % WIDTH) < on * WIDTH / 2;
            double ground = left && why == HIDING && i % 2 ? 60 : 110;
            background[i] = (float)(left ? ground + on * (110 * share - ground) : 110);
            double value = !left           ? 110
                           : why == OBJECT ? (covered ? 110 * share : 110)
                                           : background[i];
            pixels[i] = (uint8_t)clamp(value + 2 * ch_random_normal(&random) + 0.5);
        }
        ch_mask_plane plane = {pixels, PIXELS, background};
        assert_int_equal(ch_masker_learn(masker, &plane, 1), CH_OK);
    }
    assert_int_equal(ch_masker_settle(masker, &info), CH_OK);
    ch_masker_destroy(masker);
    ch_context_destroy(context);
    return info.warnings;
}

static void an_object_taken_for_light_is_reported(void **state) {
    (void)state;
    static const double shares[] = {0.2, 0.5, 1.6};
    for (int k = 0; k < 3; k++) {
        assert_true(warnings_of_half(OBJECT, shares[k], 10, NULL) & CH_MASK_WARN_PATTERN);
        assert_false(warnings_of_half(LIGHT, shares[k], 10, NULL) & CH_MASK_WARN_PATTERN);
        assert_false(warnings_of_half(LIGHT, shares[k], 1, NULL) &
                     CH_MASK_WARN_PATTERN); /* switched */
    }
}

/* Only watched pixels count: neither an object elsewhere, nor the size of the rest of the picture,
 * matters. The object covers columns 0 to WIDTH / 2. */
static void only_watched_pixels_count(void **state) {
    (void)state;
    static uint8_t strip[PIXELS], right[PIXELS];
    for (int64_t i = 0; i < PIXELS; i++) {
        strip[i] = i % WIDTH >= 20 && i % WIDTH < 22;
        right[i] = i % WIDTH >= WIDTH / 2;
    }
    assert_true(warnings_of_half(OBJECT, 0.2, 10, strip) & CH_MASK_WARN_PATTERN);
    assert_false(warnings_of_half(LIGHT, 0.2, 10, strip) & CH_MASK_WARN_PATTERN);
    assert_false(warnings_of_half(OBJECT, 0.2, 10, right) & CH_MASK_WARN_PATTERN);
    assert_true(warnings_of_half(HIDING, 2, 1, NULL) & CH_MASK_WARN_PATTERN);
    assert_false(warnings_of_half(HIDING, 2, 1, right) & CH_MASK_WARN_PATTERN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moving_camera_is_reported),
        cmocka_unit_test(a_camera_that_stands_still_is_not),
        cmocka_unit_test(noise_that_neighbours_share_is_no_movement),
        cmocka_unit_test(an_object_taken_for_light_is_reported),
        cmocka_unit_test(only_watched_pixels_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
