/* Clips, feeds, videos, pictures and masks with their k-th allocation failing, for every k. */
#include "support_clip.h"
#include "support_faults.h"
#include <conehull/feed.h>
#include <stdio.h>
#include <sys/stat.h>

enum { WIDTH = 20, HEIGHT = 14 };

RELEASE(ch_clip)
RELEASE(ch_picture)
RELEASE(ch_masks)

static int make_samples(void) {
    uint8_t pixels[3 * WIDTH * HEIGHT];
    mkdir(support_path("folder"), 0777);
    int failed = 0;
    for (int f = 0; f < 3; f++) {
        support_clip_paint(pixels, f, WIDTH, HEIGHT, 1 + f % 2 * 2);
        ch_picture picture = {WIDTH, HEIGHT, 1 + f % 2 * 2, pixels};
        failed |= ch_picture_write(given.context, support_path("folder/%d.png", f), &picture);
    }
    support_file_write(support_path("picture.pgm"), "P5 2 2 255\n1234", 15);
    if (ch_video_library())
        support_clip_write(given.context, "clip.mkv", 40, WIDTH, HEIGHT, 3, NULL);
    return failed;
}

static int has_video(const void *with) {
    (void)with;
    return ch_video_library() != NULL;
}

/* A clip, and which part of it is wanted, in which size. */
typedef struct clip_part {
    const char *name;
    int64_t width;
    const char *roi;
} clip_part;

static ch_status call_clip(ch_context *context, void *output, const void *with) {
    const clip_part *it = with;
    ch_clip_settings set;
    ch_clip_defaults(&set);
    set.width = it->width;
    if (it->roi && ch_clip_set_roi(context, &set, it->roi)) return CH_ERR_INTERNAL;
    return ch_clip_read(context, output, support_path("%s", it->name), &set);
}

/* Opened, a frame taken; the thread that decodes ends with it. */
static ch_status call_feed(ch_context *context, void *output, const void *with) {
    ch_feed *feed;
    ch_feed_frame frame = {.size = sizeof frame};
    ch_feed_settings set;
    (void)output;
    ch_feed_defaults(&set);
    set.width = 7;
    set.pace = *(const ch_feed_pace *)with;
    ch_status status = ch_feed_set_roi(context, &set, "1,1,8,6");
    if (status < 0) return status;
    status = ch_feed_open(context, &feed, support_path("clip.mkv"), &set);
    if (status < 0) return status;
    status = ch_feed_next(feed, &frame);
    ch_feed_close(feed);
    return status;
}

static ch_status call_write_video(ch_context *context, void *output, const void *with) {
    uint8_t pixels[3 * WIDTH * HEIGHT] = {0};
    ch_video_writer *writer = NULL;
    (void)output;
    ch_status status = ch_video_writer_open(
        context, &writer, support_path("%s", (const char *)with),
        &(ch_video_format){.width = WIDTH, .height = HEIGHT, .pixels = CH_PIXELS_RGB24, .rate = 25},
        NULL);
    if (status != CH_OK) {
        assert_null(writer);
        return status;
    }
    for (int f = 0; f < 3 && status == CH_OK; f++) status = ch_video_writer_add(writer, pixels, f);
    void *place;
    if (status == CH_OK) status = ch_video_writer_place(writer, &place);
    if (status == CH_OK) memset(place, 0, sizeof pixels);
    if (status == CH_OK) status = ch_video_writer_add(writer, place, 3);
    if (status == CH_OK) return ch_video_writer_commit(writer);
    ch_video_writer_discard(writer);
    return status;
}

static ch_status call_picture(ch_context *context, void *output, const void *with) {
    return ch_picture_read(context, output, support_path("%s", (const char *)with));
}

static uint8_t black[WIDTH * HEIGHT];
static const ch_picture black_picture = {WIDTH, HEIGHT, 1, black};

static ch_status call_write_png(ch_context *context, void *output, const void *with) {
    (void)output;
    return ch_picture_write(context, support_path("%s", (const char *)with), &black_picture);
}

static ch_status call_write_shaped(ch_context *context, void *output, const void *with) {
    (void)output;
    return ch_picture_write_shaped(context, support_path("%s", (const char *)with), &black_picture,
                                   (const int64_t[]){4, 3});
}

/* A copy of the middle of the clip, in the container that fits it. */
static ch_status call_cut(ch_context *context, void *output, const void *with) {
    char path[512], input[512];
    const char *suffix;
    (void)output;
    snprintf(path, sizeof path, "%s", support_path("%s", (const char *)with));
    snprintf(input, sizeof input, "%s", support_path("clip.mkv"));
    ch_video_piece piece = {.size = sizeof piece, .path = path, .start = 0.2, .end = 0.8};
    ch_status status = ch_video_cut_suffix(context, &suffix, input);
    return status == CH_OK ? ch_video_cut(context, &piece, 1, input) : status;
}

static ch_status call_encode_jpeg(ch_context *context, void *output, const void *with) {
    size_t count;
    return ch_picture_encode_jpeg(context, output, &count, with, 80);
}

static void release_bytes(ch_context *context, void *output) {
    ch_picture_bytes_free(context, *(uint8_t **)output);
}

/* A part of the pictures, reduced. */
static const ch_clip part = {.size = sizeof part,
                             .width = 5,
                             .height = 3,
                             .source_width = WIDTH,
                             .source_height = HEIGHT,
                             .roi_x = 4,
                             .roi_y = 3,
                             .roi_width = 10,
                             .roi_height = 6};

static ch_status call_masks(ch_context *context, void *output, const void *with) {
    return ch_masks_read(context, output, support_path("%s", (const char *)with));
}

/* What does not fit stays as it was. */
static ch_status call_fit_masks(ch_context *context, void *output, const void *with) {
    ch_masks masks = {.size = sizeof masks};
    (void)output;
    ch_status status = call_masks(context, &masks, with);
    if (status != CH_OK) return status;
    status = ch_clip_fit_masks(context, &masks, &part);
    assert_int_equal(masks.width, status == CH_OK ? 5 : WIDTH);
    ch_masks_free(context, &masks);
    return status;
}

static ch_status call_fit_picture(ch_context *context, void *output, const void *with) {
    ch_picture picture;
    (void)output;
    ch_status status = call_picture(context, &picture, with);
    if (status != CH_OK) return status;
    status = ch_clip_fit_picture(context, &picture, &part);
    assert_int_equal(picture.width, status == CH_OK ? 5 : WIDTH);
    ch_picture_free(context, &picture);
    return status;
}

static const clip_part file = {"clip.mkv", 7, "1,1,18,12"}, folder = {"folder", 0, NULL},
                       pattern = {"folder/%d.png", 5, NULL};
static const ch_feed_pace every = CH_FEED_EVERY, newest = CH_FEED_NEWEST;

static const support_fault faults[] = {
    {"clip from a file", call_clip, &file, OUT_SIZED(ch_clip), .possible = has_video},
    {"feed from a file", call_feed, &every, .possible = has_video},
    {"feed by a thread", call_feed, &newest, .possible = has_video},
    {"clip from a folder", call_clip, &folder, OUT_SIZED(ch_clip), .possible = has_video},
    {"clip by pattern", call_clip, &pattern, OUT_SIZED(ch_clip), .possible = has_video},
    {"video", call_write_video, "out.mkv", .makes = "out.mkv", .possible = has_video},
    {"PNG", call_picture, "folder/1.png", OUT(ch_picture)},
    {"PGM", call_picture, "picture.pgm", OUT(ch_picture)},
    {"PNG written", call_write_png, "out.png", .makes = "out.png"},
    {"PNG with a shape", call_write_shaped, "shaped.png", .makes = "shaped.png"},
    {"piece of a video", call_cut, "piece.mkv", .makes = "piece.mkv", .possible = has_video},
    {"JPEG", call_encode_jpeg, &black_picture, .size = sizeof(uint8_t *), .release = release_bytes,
     .possible = has_video},
    {"masks", call_masks, "folder", OUT_SIZED(ch_masks)},
    {"masks that fit", call_fit_masks, "folder", .size = 0},
    {"picture that fits", call_fit_picture, "folder/1.png", .size = 0},
};

int main(void) {
    return support_faults_run(faults, sizeof faults / sizeof *faults, make_samples);
}
