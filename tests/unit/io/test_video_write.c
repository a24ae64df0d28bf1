/* Videos written and read back: without loss by FFV1, close by the others; files that appear whole
 * or not at all. */
#include "support_clip.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(ch_context *context, ch_status status) {
    support_check(status == CH_OK, "%s", ch_context_message(context));
}

static ch_video_writer *open_writer(ch_context *context, const char *path, int64_t width,
                                    int64_t height, ch_pixel_format pixels, ch_video_codec codec,
                                    int64_t quality) {
    ch_video_writer_settings set = {sizeof set, (int)codec, quality};
    ch_video_writer *writer = NULL;
    check(context,
          ch_video_writer_open(
              context, &writer, path,
              &(ch_video_format){.width = width, .height = height, .pixels = pixels, .rate = 25},
              &set));
    return writer;
}

/* Sizes at the limits of what encoders treat differently. */
static void test_sizes(void **state) {
    static const int64_t sizes[][2] = {{1, 1},   {1, 7},    {7, 1},   {2, 2},   {3, 2},   {63, 65},
                                       {64, 64}, {130, 67}, {641, 3}, {3, 500}, {500, 4}, {4, 5}};
    (void)state;
    support_need_video();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int channels = 1; channels <= 3; channels += 2) {
            support_memory memory;
            ch_clip clip = {.size = sizeof clip};
            int64_t width = sizes[s][0], height = sizes[s][1];
            ch_context *context = support_context(&memory, 2);
            const char *path =
                support_clip_write(context, "sizes.mkv", 15, width, height, channels, NULL);
            check(context, ch_clip_read(context, &clip, path, NULL));
            assert_int_equal(clip.frames, 15);
            for (int64_t f = 0; f < clip.frames; f++)
                for (int64_t j = 0; j < width * height; j++)
                    for (int c = 0; c < channels; c++) {
                        const ch_matrix *X = channels == 3 ? &clip.channel[c] : &clip.luma;
                        int expected = support_clip_value(f, j % width, j / width, c);
                        support_check((int)ch_matrix_at(X, f, j) == expected,
                                      "%lld x %lld, frame %lld, pixel %lld, channel %d",
                                      (long long)width, (long long)height, (long long)f,
                                      (long long)j, c);
                    }
            ch_clip_free(context, &clip);
            support_finish(context, &memory);
        }
}

/* A mask of any size comes back to the bit, empty ones too. */
static void test_masks(void **state) {
    static const int64_t sizes[][2] = {{1, 1}, {7, 3}, {8, 2}, {9, 5}, {64, 48}, {131, 67}};
    (void)state;
    support_need_video();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        support_memory memory;
        ch_clip clip = {.size = sizeof clip};
        int64_t width = sizes[s][0], height = sizes[s][1];
        uint8_t mask[131 * 67];
        ch_context *context = support_context(&memory, 2);
        const char *path = support_path("masks.mkv");
        ch_video_writer *writer =
            open_writer(context, path, width, height, CH_PIXELS_GRAY8, CH_CODEC_FLAT, 85);
        for (int f = 0; f < 4; f++) {
            for (int64_t j = 0; j < width * height; j++)
                mask[j] = f && support_clip_value(f, j % width, j / width, 0) % (f + 1) ? 255 : 0;
            check(context, ch_video_writer_add(writer, mask, f / 25.0));
        }
        check(context, ch_video_writer_commit(writer));
        check(context, ch_clip_read(context, &clip, path, NULL));
        assert_int_equal(clip.frames, 4);
        for (int f = 0; f < 4; f++)
            for (int64_t j = 0; j < width * height; j++) {
                int on = f && support_clip_value(f, j % width, j / width, 0) % (f + 1);
                support_check((int)ch_matrix_at(&clip.luma, f, j) == (on ? 255 : 0),
                              "%lld x %lld, frame %d, pixel %lld", (long long)width,
                              (long long)height, f, (long long)j);
            }
        ch_clip_free(context, &clip);
        support_finish(context, &memory);
    }
}

/* 16 bits: our reader rounds them to 8; the ffmpeg program gives all of them. */
static void test_deep(void **state) {
    enum { WIDTH = 300, HEIGHT = 219, FRAMES = 2 };
    static uint16_t pixels[FRAMES][WIDTH * HEIGHT];
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 2);
    const char *path = support_path("deep.mkv");
    ch_video_writer *writer =
        open_writer(context, path, WIDTH, HEIGHT, CH_PIXELS_GRAY16, CH_CODEC_FFV1, 85);
    for (int f = 0; f < FRAMES; f++) {
        for (int j = 0; j < WIDTH * HEIGHT; j++)
            pixels[f][j] = (uint16_t)(f ? 65535 - j % 65536 : j % 65536);
        check(context, ch_video_writer_add(writer, pixels[f], f / 25.0));
    }
    check(context, ch_video_writer_commit(writer));
    check(context, ch_clip_read(context, &clip, path, NULL));
    for (int f = 0; f < FRAMES; f++)
        for (int j = 0; j < WIDTH * HEIGHT; j++)
            support_close(ch_matrix_at(&clip.luma, f, j), pixels[f][j] / 257.0, 0.5);
    ch_clip_free(context, &clip);
    if (support_run("ffmpeg -v error -y -i deep.mkv -f rawvideo -pix_fmt gray16le deep.raw "
                    "2>/dev/null") == 0) {
        size_t count;
        unsigned char *bytes = support_file_read(support_path("deep.raw"), &count);
        assert_int_equal(count, sizeof pixels);
        for (size_t k = 0; k < count / 2; k++)
            assert_int_equal(bytes[2 * k] | bytes[2 * k + 1] << 8, ((uint16_t *)pixels)[k]);
        free(bytes);
    }
    support_finish(context, &memory);
}

/* A smooth picture that moves, as cameras see. */
static void paint_smooth(uint8_t *pixels, int width, int height, int channels, int f) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++)
                *pixels++ = (uint8_t)(128 + 100 * sin(0.05 * (x + f) + c) * cos(0.04 * y - c));
}

static double root_mean_square(ch_context *context, const char *path, int width, int height,
                               int channels) {
    ch_clip clip = {.size = sizeof clip};
    double sum = 0;
    uint8_t *pixels = malloc((size_t)(width * height * channels));
    check(context, ch_clip_read(context, &clip, path, NULL));
    assert_int_equal(clip.frames, 6);
    for (int f = 0; f < 6; f++) {
        paint_smooth(pixels, width, height, channels, f);
        for (int64_t k = 0; k < width * height * channels; k++) {
            const ch_matrix *X = channels == 3 ? &clip.channel[k % 3] : &clip.luma;
            double error = ch_matrix_at(X, f, k / channels) - pixels[k];
            sum += error * error;
        }
    }
    ch_clip_free(context, &clip);
    free(pixels);
    return sqrt(sum / (6.0 * width * height * channels));
}

static void test_lossy(void **state) {
    static const int sizes[][2] = {{160, 120}, {81, 61}};
    (void)state;
    support_need_video();
    for (int codec = CH_CODEC_MJPEG; codec <= CH_CODEC_H264; codec++)
        for (int s = 0; s < 2; s++)
            for (int channels = 1; channels <= 3; channels += 2) {
                support_memory memory;
                ch_context *context = support_context(&memory, 2);
                int width = sizes[s][0], height = sizes[s][1];
                uint8_t *pixels = malloc((size_t)(width * height * channels));
                size_t bytes[2];
                double error[2];
                for (int fine = 0; fine < 2; fine++) {
                    const char *path = support_path("lossy.mkv");
                    ch_video_writer *writer =
                        open_writer(context, path, width, height,
                                    channels == 3 ? CH_PIXELS_RGB24 : CH_PIXELS_GRAY8,
                                    (ch_video_codec)codec, fine ? 95 : 20);
                    for (int f = 0; f < 6; f++) {
                        paint_smooth(pixels, width, height, channels, f);
                        check(context, ch_video_writer_add(writer, pixels, f / 25.0));
                    }
                    check(context, ch_video_writer_commit(writer));
                    free(support_file_read(path, &bytes[fine]));
                    error[fine] = root_mean_square(context, path, width, height, channels);
                }
                support_check(error[1] < 4 && error[1] < error[0] && bytes[0] < bytes[1],
                              "codec %d, %d channels: error %g and %g, %zu and %zu bytes", codec,
                              channels, error[0], error[1], bytes[0], bytes[1]);
                free(pixels);
                support_finish(context, &memory);
            }
}

static void test_same_bytes(void **state) {
    support_memory memory;
    size_t count[2];
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    unsigned char *first =
        support_file_read(support_clip_write(context, "a.mkv", 9, 70, 66, 3, NULL), &count[0]);
    assert_int_equal(ch_context_set_threads(context, 4), CH_OK);
    unsigned char *second =
        support_file_read(support_clip_write(context, "b.mkv", 9, 70, 66, 3, NULL), &count[1]);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(first, second, count[0]);
    free(first), free(second);
    support_finish(context, &memory);
}

/* A file that is there stays as it is until the new one is complete; discarding leaves nothing. */
static void test_whole_or_not(void **state) {
    support_memory memory;
    uint8_t pixels[64] = {0};
    size_t count;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("there.mkv");
    support_file_write(path, "before", 6);
    int files = support_folder_count();
    for (int commit = 0; commit < 2; commit++) {
        ch_video_writer *writer =
            open_writer(context, path, 8, 8, CH_PIXELS_GRAY8, CH_CODEC_FFV1, 85);
        for (int f = 0; f < 3; f++) check(context, ch_video_writer_add(writer, pixels, f));
        assert_int_equal(ch_video_writer_add(writer, pixels, 2.0), CH_ERR_ARGUMENT);
        support_message(context, "times must increase");
        assert_int_equal(ch_video_writer_add(writer, pixels, NAN), CH_ERR_ARGUMENT);
        unsigned char *bytes = support_file_read(path, &count);
        assert_int_equal(count, 6);
        free(bytes);
        if (commit)
            check(context, ch_video_writer_commit(writer));
        else
            ch_video_writer_discard(writer);
        assert_int_equal(support_folder_count(), files);
    }
    free(support_file_read(path, &count));
    assert_true(count > 100);
    ch_video_writer_discard(NULL);
    support_finish(context, &memory);
}

static void test_refused(void **state) {
    support_memory memory;
    ch_video_writer *writer = NULL;
    ch_video_writer_settings set = {sizeof set, CH_CODEC_MJPEG, 85};
    uint8_t pixels[70 * 70] = {0};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    int files = support_folder_count();
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("no/such.mkv"),
            &(ch_video_format){.width = 8, .height = 8, .pixels = CH_PIXELS_GRAY8, .rate = 25},
            NULL),
        CH_ERR_IO);
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("deep.avi"),
            &(ch_video_format){.width = 8, .height = 8, .pixels = CH_PIXELS_GRAY16, .rate = 25},
            &set),
        CH_ERR_UNSUPPORTED);
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("x.mkv"),
            &(ch_video_format){.width = 0, .height = 8, .pixels = CH_PIXELS_GRAY8, .rate = 25},
            NULL),
        CH_ERR_ARGUMENT);
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("x.mkv"),
            &(ch_video_format){.width = 8, .height = 8, .pixels = CH_PIXELS_GRAY8, .rate = NAN},
            NULL),
        CH_ERR_ARGUMENT);
    set.quality = 0;
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("x.mkv"),
            &(ch_video_format){.width = 8, .height = 8, .pixels = CH_PIXELS_GRAY8, .rate = 25},
            &set),
        CH_ERR_SETTING);
    assert_null(writer);
    assert_int_equal(support_folder_count(), files);
    if (access("/dev/full", W_OK) == 0) { /* a disk without room */
        ch_status status = ch_video_writer_open(
            context, &writer, "/dev/full",
            &(ch_video_format){.width = 70, .height = 70, .pixels = CH_PIXELS_GRAY8, .rate = 25},
            NULL);
        for (int f = 0; f < 2000 && status == CH_OK; f++) {
            support_clip_paint(pixels, f, 70, 70, 1);
            status = ch_video_writer_add(writer, pixels, f);
        }
        assert_int_equal(status, CH_ERR_IO);
        support_message(context, "No space left");
        assert_int_equal(ch_video_writer_commit(writer), CH_ERR_IO);
    }
    support_finish(context, &memory);
}

/* The other build: videos are refused with what is missing, pictures are read. */
static void test_without_video(void **state) {
    support_memory memory;
    ch_video_writer *writer = NULL;
    ch_clip clip = {.size = sizeof clip, .frames = -7};
    uint8_t pixels[4] = {0};
    ch_picture picture = {2, 2, 1, pixels};
    (void)state;
    if (ch_video_library()) skip();
    ch_context *context = support_context(&memory, 1);
    support_file_write(support_path("a.mkv"), "words", 5);
    assert_int_equal(ch_clip_read(context, &clip, support_path("a.mkv"), NULL), CH_ERR_UNSUPPORTED);
    support_message(context, "CONEHULL_VIDEO=ON");
    assert_int_equal(clip.frames, -7);
    assert_int_equal(
        ch_video_writer_open(
            context, &writer, support_path("b.mkv"),
            &(ch_video_format){.width = 8, .height = 8, .pixels = CH_PIXELS_GRAY8, .rate = 25},
            NULL),
        CH_ERR_UNSUPPORTED);
    assert_null(writer);
    for (int k = 0; k < 3; k++) { /* pictures are clips in this build too */
        check(context, ch_picture_write(context, support_path("%d.png", k + 8), &picture));
        pixels[0]++;
    }
    check(context, ch_clip_read(context, &clip, support_path("%%d.png"), NULL));
    assert_int_equal(clip.frames, 3);
    assert_int_equal(ch_matrix_at(&clip.luma, 2, 0), 2);
    support_close(clip.time[2], 2 / 25., 1e-9);
    ch_clip_free(context, &clip);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_deep),
        cmocka_unit_test(test_masks),      cmocka_unit_test(test_lossy),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_whole_or_not),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_without_video),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
