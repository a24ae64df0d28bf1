/* Pictures cut at every length, and pictures and videos with bytes changed: they end with a status,
 * and what is held is given back. */
#include "support_clip.h"
#include <conehull/feed.h>
#include <conehull/live.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 20, HEIGHT = 14 };

static int make_samples(void **state) {
    uint8_t pixels[3 * WIDTH * HEIGHT];
    ch_context *context;
    if (support_folder_make(state) || ch_context_create(&context, NULL)) return -1;
    int failed = 0;
    for (int f = 0; f < 2; f++) {
        support_clip_paint(pixels, f, WIDTH, HEIGHT, 1 + f % 2 * 2);
        ch_picture picture = {WIDTH, HEIGHT, 1 + f % 2 * 2, pixels};
        failed |= ch_picture_write(context, support_path("%d.png", f), &picture);
    }
    support_file_write(support_path("picture.pgm"), "P5 2 2 255\n1234", 15);
    if (ch_video_library()) support_clip_write(context, "clip.mkv", 40, WIDTH, HEIGHT, 3, NULL);
    ch_context_destroy(context);
    return failed ? -1 : 0;
}

/* An output is complete or untouched. */
static ch_status read_picture(ch_context *context, const char *path) {
    ch_picture picture = {-7, 0, 0, NULL};
    ch_status status = ch_picture_read(context, &picture, path);
    if (status == CH_OK)
        ch_picture_free(context, &picture);
    else
        assert_int_equal(picture.width, -7);
    return status;
}

static ch_status read_clip(ch_context *context, const char *path) {
    ch_clip clip = {.size = sizeof clip, .frames = -7};
    ch_status status = ch_clip_read(context, &clip, path, NULL);
    if (status == CH_OK)
        ch_clip_free(context, &clip);
    else
        assert_int_equal(clip.frames, -7);
    return status;
}

/* Pictures cut at every length, and with bytes changed. */
static void test_damaged_pictures(void **state) {
    static const char *const names[] = {"0.png", "1.png", "picture.pgm"};
    ch_random random;
    (void)state;
    support_seed(&random, "damaged_pictures", 77);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        size_t count;
        unsigned char *bytes = support_file_read(support_path("%s", names[n]), &count);
        for (size_t round = 0; round < count + 500; round++) {
            support_memory memory;
            ch_context *context = support_context(&memory, 1);
            size_t place = (size_t)ch_random_below(&random, (int64_t)count);
            unsigned char before = bytes[place];
            if (round >= count) bytes[place] = (unsigned char)ch_random_bits(&random);
            support_file_write(support_path("damaged"), bytes, round < count ? round : count);
            ch_status status = read_picture(context, support_path("damaged"));
            if (round < count)
                support_check(status == CH_ERR_FORMAT ||
                                  (round == 1 && status == CH_ERR_UNSUPPORTED),
                              "%s cut to %zu: %d", names[n], round, status);
            support_check(status <= 0 && status != CH_ERR_INTERNAL, "%s: %d", names[n], status);
            support_check(memory.peak < 8 << 20, "%lld bytes", (long long)memory.peak);
            bytes[place] = before;
            support_finish(context, &memory);
        }
        free(bytes);
    }
    remove(support_path("damaged"));
}

/* All frames of a file, by either pace, through live separation. */
static ch_status separate_live(ch_context *context, const char *path, int pace) {
    ch_feed *feed = NULL;
    ch_live *live = NULL;
    ch_live_result now = {.size = sizeof now};
    ch_feed_info info = {.size = sizeof info};
    ch_feed_settings set;
    ch_live_settings how;
    ch_feed_defaults(&set);
    ch_live_defaults(&how);
    set.pace = pace;
    how.warm_up = 20;
    how.rank = 1;
    how.late = pace == CH_FEED_NEWEST;
    ch_status status = ch_feed_open(context, &feed, path, &set);
    if (status != CH_OK) return status;
    ch_feed_get_info(feed, &info);
    status = ch_live_create(context, &live, &(ch_frame_shape){info.width, info.height, info.planes},
                            &how);
    while (status == CH_OK) {
        ch_feed_frame frame = {.size = sizeof frame};
        status = ch_feed_next(feed, &frame);
        if (status != CH_OK || !frame.planes[0]) break;
        status = ch_live_process(live, &now, frame.planes, frame.damaged ? CH_LIVE_DAMAGED : 0);
    }
    ch_live_destroy(live);
    ch_feed_close(feed);
    return status;
}

/* Videos with bytes changed: whatever libav makes of them, it ends with a status. */
static void test_damaged_videos(void **state) {
    ch_random random;
    size_t count;
    (void)state;
    support_need_video();
    support_seed(&random, "damaged_videos", 78);
    unsigned char *bytes = support_file_read(support_path("clip.mkv"), &count);
    for (int round = 0; round < 150; round++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        size_t place[4];
        unsigned char before[4];
        for (int k = 0; k < 4; k++) {
            place[k] = (size_t)ch_random_below(&random, (int64_t)(round % 2 ? count : 400));
            before[k] = bytes[place[k]];
            bytes[place[k]] = (unsigned char)ch_random_bits(&random);
        }
        support_file_write(support_path("damaged.mkv"), bytes, count);
        ch_status status = read_clip(context, support_path("damaged.mkv"));
        support_check(status <= 0 && status != CH_ERR_INTERNAL && status != CH_ERR_IO, "%d: %s",
                      status, ch_context_message(context));
        status = separate_live(context, support_path("damaged.mkv"),
                               round % 3 ? CH_FEED_EVERY : CH_FEED_NEWEST);
        support_check(status <= 0 && status != CH_ERR_INTERNAL && status != CH_ERR_IO, "%d: %s",
                      status, ch_context_message(context));
        for (int k = 3; k >= 0; k--) bytes[place[k]] = before[k];
        support_finish(context, &memory);
    }
    free(bytes);
    remove(support_path("damaged.mkv"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_pictures),
        cmocka_unit_test(test_damaged_videos),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
