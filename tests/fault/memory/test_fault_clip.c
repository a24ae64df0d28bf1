/* Clips, videos, pictures and masks when the k-th request for memory fails, for every k: a status
 * and a message, outputs untouched, nothing held, no half file. */
#include "support_clip.h"
#include <conehull/feed.h>
#include <conehull/live.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 20, HEIGHT = 14 };

static int make_samples(void **state) {
    uint8_t pixels[3 * WIDTH * HEIGHT];
    ch_context *context;
    if (support_folder_make(state)) return -1;
    if (ch_context_create(&context, NULL)) return -1;
    mkdir(support_path("folder"), 0777);
    int failed = 0;
    for (int f = 0; f < 3; f++) {
        support_clip_paint(pixels, f, WIDTH, HEIGHT, 1 + f % 2 * 2);
        ch_picture picture = {WIDTH, HEIGHT, 1 + f % 2 * 2, pixels};
        failed |= ch_picture_write(context, support_path("folder/%d.png", f), &picture);
    }
    support_file_write(support_path("picture.pgm"), "P5 2 2 255\n1234", 15);
    if (ch_video_library()) support_clip_write(context, "clip.mkv", 40, WIDTH, HEIGHT, 3, NULL);
    ch_context_destroy(context);
    return failed ? -1 : 0;
}

/* One call of each kind; it frees what it made when it did well. */
typedef ch_status (*call_fn)(ch_context *context);

static ch_status read_with(ch_context *context, const char *path, int64_t width, const char *roi) {
    ch_clip clip = {.frames = -7};
    ch_clip_settings set;
    ch_settings_defaults(&ch_clip_table, &set);
    set.width = width;
    if (roi && ch_clip_set_roi(context, &set, roi)) return CH_ERR_INTERNAL;
    ch_status status = ch_clip_read(context, &clip, path, &set);
    if (status == CH_OK)
        ch_clip_free(context, &clip);
    else
        assert_int_equal(clip.frames, -7);
    return status;
}

static ch_status read_file(ch_context *context) {
    return read_with(context, support_path("clip.mkv"), 7, "1,1,18,12");
}

static ch_status read_folder(ch_context *context) {
    return read_with(context, support_path("folder"), 0, NULL);
}

/* Opened, a frame taken; the thread that decodes ends with it. */
static ch_status feed_at(ch_context *context, ch_feed_pace pace) {
    ch_feed *feed = NULL;
    ch_feed_frame frame;
    ch_feed_settings set;
    ch_settings_defaults(&ch_feed_table, &set);
    set.width = 7;
    set.pace = pace;
    ch_status status = ch_feed_set_roi(context, &set, "1,1,8,6");
    if (status < 0) return status;
    status = ch_feed_open(context, &feed, support_path("clip.mkv"), &set);
    if (status < 0) return status;
    status = ch_feed_next(feed, &frame);
    ch_feed_close(feed);
    return status;
}

static ch_status feed_file(ch_context *context) {
    return feed_at(context, CH_FEED_EVERY);
}

static ch_status feed_newest(ch_context *context) {
    return feed_at(context, CH_FEED_NEWEST);
}

static ch_status read_pattern(ch_context *context) {
    return read_with(context, support_path("folder/%%d.png"), 5, NULL);
}

static ch_status write_video(ch_context *context) {
    uint8_t pixels[3 * WIDTH * HEIGHT] = {0};
    ch_video_writer *writer = NULL;
    ch_status status = ch_video_writer_open(context, &writer, support_path("out.mkv"), WIDTH,
                                            HEIGHT, CH_PIXELS_RGB24, 25, NULL);
    if (status != CH_OK) {
        assert_null(writer);
        return status;
    }
    for (int f = 0; f < 3 && status == CH_OK; f++) status = ch_video_writer_add(writer, pixels, f);
    if (status == CH_OK) return ch_video_writer_commit(writer);
    ch_video_writer_discard(writer);
    return status;
}

static ch_status read_picture(ch_context *context, const char *path) {
    ch_picture picture = {-7, 0, 0, NULL};
    ch_status status = ch_picture_read(context, &picture, path);
    if (status == CH_OK)
        ch_picture_free(context, &picture);
    else
        assert_int_equal(picture.width, -7);
    return status;
}

static ch_status read_png(ch_context *context) {
    return read_picture(context, support_path("folder/1.png"));
}

static ch_status read_pgm(ch_context *context) {
    return read_picture(context, support_path("picture.pgm"));
}

static ch_status write_png(ch_context *context) {
    uint8_t pixels[WIDTH * HEIGHT] = {0};
    ch_picture picture = {WIDTH, HEIGHT, 1, pixels};
    return ch_picture_write(context, support_path("out.png"), &picture);
}

static ch_status encode_jpeg(ch_context *context) {
    uint8_t pixels[WIDTH * HEIGHT] = {0}, *bytes = NULL;
    size_t count;
    ch_picture picture = {WIDTH, HEIGHT, 1, pixels};
    ch_status status = ch_picture_encode_jpeg(context, &bytes, &count, &picture, 80);
    ch_bytes_free(context, bytes);
    return status;
}

static ch_status read_masks(ch_context *context) {
    ch_clip clip = {.width = 5,
                    .height = 3,
                    .source_width = WIDTH,
                    .source_height = HEIGHT,
                    .roi_x = 4,
                    .roi_y = 3,
                    .roi_width = 10,
                    .roi_height = 6};
    ch_masks masks = {-7, 0, 0, NULL, NULL};
    ch_status status = ch_masks_read(context, &masks, support_path("folder"));
    if (status != CH_OK) {
        assert_int_equal(masks.count, -7);
        return status;
    }
    status = ch_clip_fit_masks(context, &masks, &clip);
    assert_int_equal(masks.width, status == CH_OK ? 5 : WIDTH);
    ch_masks_free(context, &masks);
    return status;
}

static ch_status fit_picture(ch_context *context) {
    ch_clip clip = {.width = 5,
                    .height = 3,
                    .source_width = WIDTH,
                    .source_height = HEIGHT,
                    .roi_x = 4,
                    .roi_y = 3,
                    .roi_width = 10,
                    .roi_height = 6};
    ch_picture picture;
    ch_status status = ch_picture_read(context, &picture, support_path("folder/1.png"));
    if (status != CH_OK) return status;
    status = ch_clip_fit_picture(context, &picture, &clip);
    assert_int_equal(picture.width, status == CH_OK ? 5 : WIDTH);
    ch_picture_free(context, &picture);
    return status;
}

static const struct {
    const char *name;
    call_fn call;
    int video;         /* needs it                                                           */
    const char *makes; /* a file, or NULL                                                    */
} faults[] = {
    {"clip from a file", read_file, 1, NULL},
    {"feed from a file", feed_file, 1, NULL},
    {"feed by a thread", feed_newest, 1, NULL},
    {"clip from a folder", read_folder, 1, NULL},
    {"clip by pattern", read_pattern, 1, NULL},
    {"video", write_video, 1, "out.mkv"},
    {"PNG", read_png, 0, NULL},
    {"PGM", read_pgm, 0, NULL},
    {"PNG written", write_png, 0, "out.png"},
    {"JPEG", encode_jpeg, 1, NULL},
    {"masks", read_masks, 0, NULL},
    {"picture that fits", fit_picture, 0, NULL},
};

static void test_no_memory(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof faults / sizeof *faults; c++) {
        if (faults[c].video && !ch_video_library()) continue;
        for (int go_on = 0; go_on < 2; go_on++)
            for (int64_t k = 1;; k++) {
                support_memory memory;
                int files = support_folder_count();
                ch_context *context = support_context(&memory, 1);
                memory.requests = 0;
                memory.fail_at = k;
                memory.fail_on = go_on;
                ch_status status = faults[c].call(context);
                int64_t failed = memory.failed;
                support_check(status == (failed ? CH_ERR_MEMORY : CH_OK),
                              "%s, request %lld: %d, %s", faults[c].name, (long long)k, status,
                              ch_context_message(context));
                if (failed) support_message(context, "memory");
                support_finish(context, &memory);
                if (!failed) {
                    assert_int_equal(support_folder_count(), files + (faults[c].makes != NULL));
                    if (faults[c].makes) remove(support_path("%s", faults[c].makes));
                    break;
                }
                assert_int_equal(support_folder_count(), files);
            }
    }
}

/* Pictures cut at every length, and with bytes changed. */
static void test_damaged_pictures(void **state) {
    static const char *const names[] = {"folder/0.png", "folder/1.png", "picture.pgm"};
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
    ch_live_result now;
    ch_feed_info info;
    ch_feed_settings set;
    ch_live_settings how;
    ch_settings_defaults(&ch_feed_table, &set);
    ch_live_defaults(&how);
    set.pace = pace;
    how.warm_up = 20;
    how.rank = 1;
    how.late = pace == CH_FEED_NEWEST;
    ch_status status = ch_feed_open(context, &feed, path, &set);
    if (status != CH_OK) return status;
    ch_feed_get_info(feed, &info);
    status = ch_live_create(context, &live, info.width, info.height, info.planes, &how);
    while (status == CH_OK) {
        ch_feed_frame frame;
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
        ch_status status = read_with(context, support_path("damaged.mkv"), 0, NULL);
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
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_damaged_pictures),
        cmocka_unit_test(test_damaged_videos),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
