/* The ffmpeg program as the second opinion: files from real encoders, decoded by it and by us. Luma
 * must agree to the bit for 8-bit gray and YUV, times with what ffprobe lists. Skipped without it.
 */
#include "support_clip.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need_ffmpeg(void) {
    support_need_video();
    if (support_run("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1")) skip();
}

static ch_clip read_clip(ch_context *context, const char *path, const ch_clip_settings *set) {
    ch_clip clip = {.size = sizeof clip};
    ch_status status = ch_clip_read(context, &clip, path, set);
    support_check(status == CH_OK, "%s", ch_context_message(context));
    return clip;
}

/* What ffmpeg makes of the file's frames, as raw pixels. */
static unsigned char *decode(const char *path, const char *format, int64_t frames, size_t *count) {
    int failed =
        support_run("ffmpeg -v error -nostdin -y -vsync passthrough -i '%s' -frames:v %lld "
                    "-f rawvideo -pix_fmt %s raw",
                    path, (long long)frames, format);
    support_check(!failed, "ffmpeg did not decode %s", path);
    return support_file_read(support_path("raw"), count);
}

static void compare_luma(const ch_clip *clip, const char *path, int most) {
    size_t count;
    unsigned char *raw = decode(path, "gray", clip->frames, &count);
    int64_t pixels = clip->width * clip->height;
    assert_int_equal(count, clip->frames * pixels);
    for (int64_t f = 0; f < clip->frames; f++)
        for (int64_t j = 0; j < pixels; j++) {
            const uint8_t *values = clip->luma.values;
            int error = abs(values[f + j * clip->luma.stride] - raw[f * pixels + j]);
            support_check(error <= most, "%s, frame %lld, pixel %lld: off by %d", path,
                          (long long)f, (long long)j, error);
        }
    free(raw);
}

/* Chroma is interpolated differently: close on the whole. */
static void compare_colour(const ch_clip *clip, const char *path) {
    size_t count;
    unsigned char *raw = decode(path, "rgb24", clip->frames, &count);
    int64_t pixels = clip->width * clip->height;
    double sum = 0;
    assert_int_equal(count, 3 * clip->frames * pixels);
    for (int64_t f = 0; f < clip->frames; f++)
        for (int64_t j = 0; j < pixels; j++)
            for (int c = 0; c < 3; c++)
                sum += fabs(ch_matrix_at(&clip->channel[c], f, j) - raw[3 * (f * pixels + j) + c]);
    sum /= 3.0 * (double)clip->frames * (double)pixels;
    support_check(sum < 2, "%s: colours are off by %g on average", path, sum);
    free(raw);
}

static void compare_times(const ch_clip *clip, const char *path) {
    assert_int_equal(
        support_run("ffprobe -v error -select_streams v:0 -show_entries "
                    "frame=best_effort_timestamp_time -of default=nk=1:nw=1 '%s' >times",
                    path),
        0);
    FILE *file = fopen(support_path("times"), "r");
    double time, first = 0;
    int64_t f = 0;
    assert_non_null(file);
    for (char line[256]; fgets(line, sizeof line, file); f++) {
        assert_int_equal(sscanf(line, "%lf", &time), 1);
        if (f == 0) first = time;
        support_check(f < clip->frames && fabs(clip->time[f] - (time - first)) < 2e-6,
                      "%s, frame %lld: %g instead of %g", path, (long long)f, clip->time[f],
                      time - first);
    }
    fclose(file);
    assert_int_equal(f, clip->frames);
}

/* Encoders and the pixels they leave; one that is missing in this ffmpeg is passed over. */
static void test_encoders(void **state) {
    static const struct {
        const char *name, *options;
        int off; /* luma may differ from ffmpeg's by so much                             */
        int colour;
    } files[] = {
        {"h264.mp4", "-c:v libx264 -preset veryfast -pix_fmt yuv420p", 0, 1},
        {"fast.mp4", "-c:v libx264 -preset veryfast -pix_fmt yuv444p -movflags +faststart", 0, 1},
        {"mpeg4.avi", "-c:v mpeg4 -q:v 3", 0, 1},
        {"mpeg2.ts", "-c:v mpeg2video -q:v 3", 0, 1},
        {"vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8", 0, 1},
        {"mjpeg.mov", "-c:v mjpeg -q:v 3 -pix_fmt yuvj422p", 0, 1},
        {"raw.y4m", "-pix_fmt yuv420p", 0, 1},
        {"gray.mkv", "-c:v ffv1 -pix_fmt gray", 0, 0},
        {"gray16.mkv", "-c:v ffv1 -pix_fmt gray16le", 1, 0},
        {"ten.mkv", "-c:v ffv1 -pix_fmt yuv420p10le", 1, 1},
        {"packed.avi", "-c:v rawvideo -pix_fmt yuyv422", 0, 1},
        {"rgb.mkv", "-c:v ffv1 -pix_fmt bgr0", 2, 1},
        {"palette.gif", "", 2, 1},
    };
    (void)state;
    need_ffmpeg();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        support_memory memory;
        const char *path = support_path("%s", files[k].name);
        if (support_run(
                "ffmpeg -v quiet -nostdin -y -f lavfi -i testsrc2=s=98x72:r=25 -frames:v 11 "
                "%s '%s' 2>/dev/null",
                files[k].options, path))
            continue;
        ch_context *context = support_context(&memory, 2);
        ch_clip clip = read_clip(context, path, NULL);
        support_check(clip.frames == 11 && clip.width == 98 && clip.height == 72, "%s: %lld frames",
                      path, (long long)clip.frames);
        assert_int_equal(clip.colour, files[k].colour);
        support_close(clip.rate, 25, 1e-6);
        compare_luma(&clip, path, files[k].off);
        if (clip.colour) compare_colour(&clip, path);
        compare_times(&clip, path);
        ch_clip_free(context, &clip);
        support_finish(context, &memory);
    }
}

/* Frames dropped at random and B-frames: times come from the file, in order of display. */
static void test_variable_rate(void **state) {
    support_memory memory;
    (void)state;
    need_ffmpeg();
    const char *path = support_path("variable.mp4");
    if (support_run(
            "ffmpeg -v quiet -nostdin -y -f lavfi -i testsrc2=s=64x48:r=30 -frames:v 60 "
            "-vf \"select='not(mod(n\\,7))+not(mod(n\\,5))'\" -vsync vfr -c:v libx264 -bf 3 "
            "-pix_fmt yuv420p '%s' 2>/dev/null",
            path))
        skip();
    ch_context *context = support_context(&memory, 2);
    ch_clip clip = read_clip(context, path, NULL);
    assert_true(clip.frames > 10);
    compare_times(&clip, path);
    compare_luma(&clip, path, 0);
    ch_clip_free(context, &clip);
    support_finish(context, &memory);
}

/* An mp4 without its index, and one that is cut in the middle, of which half can be had. */
static void test_cut_mp4(void **state) {
    support_memory memory;
    support_log log = {""};
    ch_clip clip = {.size = sizeof clip, .frames = -7};
    size_t count;
    (void)state;
    need_ffmpeg();
    if (support_run("ffmpeg -v quiet -nostdin -y -f lavfi -i testsrc2=s=98x72:r=25 -frames:v 100 "
                    "-c:v libx264 -preset veryfast -pix_fmt yuv420p a.mp4 2>/dev/null && "
                    "ffmpeg -v quiet -nostdin -y -i a.mp4 -c copy -movflags +faststart b.mp4"))
        skip();
    ch_context *context = support_context(&memory, 2);
    ch_context_set_log(context, support_log_keep, &log);
    ch_clip_settings partial;
    ch_clip_defaults(&partial);
    partial.partial = 1;
    for (int index_first = 0; index_first < 2; index_first++) {
        unsigned char *bytes =
            support_file_read(support_path(index_first ? "b.mp4" : "a.mp4"), &count);
        support_file_write(support_path("cut.mp4"), bytes, count / 2);
        free(bytes);
        assert_int_equal(ch_clip_read(context, &clip, support_path("cut.mp4"), NULL),
                         CH_ERR_FORMAT);
        support_message(context, "truncated");
        assert_int_equal(clip.frames, -7);
        ch_status status = ch_clip_read(context, &clip, support_path("cut.mp4"), &partial);
        assert_int_equal(status, index_first ? CH_OK : CH_ERR_FORMAT);
        if (!index_first) continue;
        assert_true(clip.frames > 10 && clip.frames < 90);
        assert_non_null(strstr(log.text, "truncated after"));
        ch_clip_free(context, &clip);
    }
    support_finish(context, &memory);
}

/* The paper's videos, beside the project, byte for byte. */
static void test_data(void **state) {
    static const char *const names[] = {"video/restaurant/frames.mkv",
                                        "video/airport_hall/frames.mkv", "video/lobby/frames.mkv"};
    int found = 0;
    (void)state;
    need_ffmpeg();
    for (int k = 0; k < 3; k++) {
        support_memory memory;
        ch_clip_settings set;
        const char *path = support_data(names[k]);
        if (!path) continue;
        found++;
        ch_context *context = support_context(&memory, 2);
        ch_clip_defaults(&set);
        set.frames = 60;
        ch_clip clip = read_clip(context, path, &set);
        assert_int_equal(clip.frames, 60);
        compare_luma(&clip, path, 0);
        ch_clip_free(context, &clip);
        support_finish(context, &memory);
    }
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encoders),
        cmocka_unit_test(test_variable_rate),
        cmocka_unit_test(test_cut_mp4),
        cmocka_unit_test(test_data),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
