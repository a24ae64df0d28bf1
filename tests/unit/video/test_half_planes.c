/* Colour at half the resolution has the detail of brightness. Where brightness has none, within
 * squares of 2 x 2 pixels, it is the same as every value of it four times, at full resolution:
 * masks, weights and backgrounds are equal. Of any frames they are equal for any number of threads
 * and each set of kernels, and a frame whose background nobody keeps has the same mask. */
#include "support.h"
#include <conehull/live.h>
#include <conehull/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 70, HEIGHT = 54, PIXELS = WIDTH * HEIGHT, QUARTER = PIXELS / 4, FRAMES = 12 };

/* Brightness, red and blue of a frame, at both resolutions. */
typedef struct frame {
    uint8_t y[PIXELS], half[2][QUARTER], whole[2][PIXELS];
} frame;

typedef struct scene {
    frame frames[FRAMES];
    double y[2 * PIXELS], half[2][2 * QUARTER], whole[2][2 * PIXELS]; /* H of rank 2 */
    float noise[PIXELS];
} scene;

static int64_t square_of(int64_t i) {
    return i / WIDTH / 2 * (WIDTH / 2) + i % WIDTH / 2;
}

/* The upper left pixel of the square that pixel i is in. */
static int64_t corner_of(int64_t i) {
    return i / WIDTH / 2 * 2 * WIDTH + i % WIDTH / 2 * 2;
}

/* Brightness loses its detail. */
static void flatten(scene *s) {
    for (int64_t i = 0; i < PIXELS; i++) {
        memcpy(&s->y[2 * i], &s->y[2 * corner_of(i)], 2 * sizeof(double));
        for (int f = 0; f < FRAMES; f++) s->frames[f].y[i] = s->frames[f].y[corner_of(i)];
    }
}

/* A ground in two lights, noise, and a block that moves, of another colour. */
static scene *make_scene(uint64_t seed) {
    scene *s = malloc(sizeof *s);
    ch_random random;
    support_seed(&random, "halves", seed);
    for (int64_t i = 0; i < 2 * PIXELS; i++) s->y[i] = 20 + 80 * ch_random_uniform(&random);
    for (int c = 0; c < 2; c++) {
        for (int64_t i = 0; i < 2 * QUARTER; i++)
            s->half[c][i] = 20 + 80 * ch_random_uniform(&random);
        for (int64_t i = 0; i < PIXELS; i++)
            memcpy(&s->whole[c][2 * i], &s->half[c][2 * square_of(i)], 2 * sizeof(double));
    }
    for (int64_t i = 0; i < PIXELS; i++) s->noise[i] = i % 97 ? 2 : 5;
    for (int f = 0; f < FRAMES; f++) {
        frame *now = &s->frames[f];
        double w[2] = {1, f % 3 ? 1 : 0.2};
        for (int64_t i = 0; i < PIXELS; i++) {
            int64_t x = i % WIDTH, y = i / WIDTH;
            int moving = x > 3 * f && x < 3 * f + 14 && y > 10 && y < 31;
            double b = w[0] * s->y[2 * i] + w[1] * s->y[2 * i + 1] + 3 * ch_random_uniform(&random);
            now->y[i] = (uint8_t)fmin(moving ? 0.6 * b : b, 255);
        }
        for (int c = 0; c < 2; c++) {
            for (int64_t j = 0; j < QUARTER; j++) {
                double b = w[0] * s->half[c][2 * j] + w[1] * s->half[c][2 * j + 1];
                now->half[c][j] =
                    (uint8_t)fmin(b + 3 * ch_random_uniform(&random) + (j % 611 < 9 ? 60 : 0), 255);
            }
            for (int64_t i = 0; i < PIXELS; i++) now->whole[c][i] = now->half[c][square_of(i)];
        }
    }
    return s;
}

typedef struct answer {
    uint8_t mask[FRAMES][PIXELS];
    double weights[FRAMES][2];
    uint8_t background[3 * PIXELS];
} answer;

typedef struct how {
    int halves, threads, no_shadows, flags;
    const char *kernel;
} how;

static void run(answer *got, const scene *s, how given) {
    int halves = given.halves;
    ch_context *context = support_context(NULL, given.threads);
    if (given.kernel) assert_int_equal(ch_context_set_kernel(context, given.kernel), CH_OK);
    ch_mask_settings mask;
    ch_mask_defaults(&mask);
    if (given.no_shadows) mask.shadow = 1;
    ch_live_settings set;
    ch_live_defaults(&set);
    ch_live_start start = {.rank = 2, .noise = s->noise, .H = {s->y}};
    for (int c = 0; c < 2; c++) start.H[c + 1] = halves ? s->half[c] : s->whole[c];
    set.start = &start;
    set.halves = halves;
    set.mask = &mask;
    set.sample = 500;
    ch_live *live;
    support_check(ch_live_create(context, &live, &(ch_frame_shape){WIDTH, HEIGHT, 3}, &set) ==
                      CH_OK,
                  "%s", ch_context_message(context));
    int64_t moving = 0;
    for (int f = 0; f < FRAMES; f++) {
        const frame *now = &s->frames[f];
        const uint8_t *planes[3] = {now->y, halves ? now->half[0] : now->whole[0],
                                    halves ? now->half[1] : now->whole[1]};
        ch_live_result result = {.size = sizeof result};
        assert_int_equal(ch_live_process(live, &result, planes, given.flags), CH_OK);
        assert_true((result.background[0] == NULL) == (given.flags == CH_LIVE_MASK_ALONE));
        memcpy(got->mask[f], result.mask, PIXELS);
        memcpy(got->weights[f], result.weights, sizeof got->weights[f]);
        for (int64_t i = 0; i < PIXELS; i++) moving += result.mask[i] != 0;
    }
    assert_true(moving > 20 * FRAMES && moving < PIXELS * FRAMES / 2);
    assert_int_equal(ch_live_background_bytes(live, got->background), CH_OK);
    ch_live_destroy(live);
    ch_context_destroy(context);
}

static void check_equal(const answer *a, const answer *b, const char *what) {
    support_check(memcmp(a->mask, b->mask, sizeof a->mask) == 0, "masks differ: %s", what);
    support_check(memcmp(a->weights, b->weights, sizeof a->weights) == 0, "weights differ: %s",
                  what);
    support_check(memcmp(a->background, b->background, sizeof a->background) == 0,
                  "backgrounds differ: %s", what);
}

static void halves_are_squares(void **state) {
    (void)state;
    scene *s = make_scene(7);
    answer *whole = malloc(sizeof *whole), *half = malloc(sizeof *half);
    run(whole, s, (how){.halves = 1, .threads = 1});
    for (int threads = 2; threads <= 3; threads++) {
        run(half, s, (how){.halves = 1, .threads = threads});
        check_equal(whole, half, "threads");
        run(half, s, (how){.halves = 1, .threads = threads, .flags = CH_LIVE_MASK_ALONE});
        check_equal(whole, half, "background not kept");
    }
    run(half, s,
        (how){.halves = 1, .threads = 1, .kernel = "portable", .flags = CH_LIVE_MASK_ALONE});
    support_check(memcmp(whole->mask, half->mask, sizeof whole->mask) == 0,
                  "masks differ: kernels");
    flatten(s); /* shadows are detected in green, or where there is none in brightness */
    run(whole, s, (how){.threads = 1, .no_shadows = 1});
    run(half, s, (how){.halves = 1, .threads = 1, .no_shadows = 1});
    check_equal(whole, half, "half and full resolution");
    free(whole);
    free(half);
    free(s);
}

static void odd_sides_are_refused(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    ch_live_settings set;
    ch_live *live = NULL;
    ch_live_defaults(&set);
    set.halves = 1;
    static const ch_frame_shape wrong[] = {{71, 54, 3}, {70, 53, 3}, {70, 54, 1}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(ch_live_create(context, &live, &wrong[k], &set), CH_ERR_ARGUMENT);
        support_message(context, "3 planes and an even width and height");
    }
    ch_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_squares),
        cmocka_unit_test(odd_sides_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
