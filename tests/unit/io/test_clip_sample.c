/* Samples of long files: the frames that are jumped to are those that decoding everything finds;
 * and colour at the resolution at which a file has it is what its planes say. */
#include "support_clip.h"
#include <conehull/feed.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 330, WIDTH = 64, HEIGHT = 48, PIXELS = WIDTH * HEIGHT };

static void check(ch_context *context, ch_status status) {
    support_check(status == CH_OK, "%s", ch_context_message(context));
}

/* A block that moves over a slope; every picture is another one. */
static void paint(uint8_t *yuv, int f) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int moving = (x + 3 * f) % WIDTH < 12 && y > 8 && y < 30;
            yuv[y * WIDTH + x] = (uint8_t)(moving ? 200 - f % 100 : 40 + 2 * x + f % 7);
        }
    for (int i = 0; i < PIXELS / 4; i++) {
        yuv[PIXELS + i] = (uint8_t)(100 + (i + f) % 60);
        yuv[PIXELS + PIXELS / 4 + i] = (uint8_t)(160 - (i + f) % 50);
    }
}

/* Key frames every 50 frames, as the writer makes them. */
static const char *write_film(ch_context *context, const char *name) {
    uint8_t yuv[PIXELS * 3 / 2];
    ch_video_writer *writer;
    ch_video_writer_settings set;
    ch_video_writer_defaults(&set);
    set.codec = CH_CODEC_PLAY;
    const char *path = support_path("%s", name);
    check(context, ch_video_writer_open(context, &writer, path,
                                        &(ch_video_format){.width = WIDTH,
                                                           .height = HEIGHT,
                                                           .pixels = CH_PIXELS_YUV420,
                                                           .rate = 25},
                                        &set));
    for (int f = 0; f < FRAMES; f++) {
        paint(yuv, f);
        check(context, ch_video_writer_add(writer, yuv, f / 25.0));
    }
    check(context, ch_video_writer_commit(writer));
    return path;
}

static void compare(const ch_clip *part, const ch_clip *whole) {
    for (int64_t k = 0; k < part->frames; k++) {
        int64_t f = part->index[k];
        support_close(part->time[k], whole->time[f], 1e-9);
        for (int64_t j = 0; j < PIXELS; j++)
            assert_int_equal((int)ch_matrix_at(&part->luma, k, j),
                             (int)ch_matrix_at(&whole->luma, f, j));
    }
}

/* Far pairs are at key frames, near ones where they should be; pixels, numbers and times are right.
 */
static void jumps_find_the_right_frames(void **state) {
    static const int64_t spreads[] = {8, 12, 40, 100};
    (void)state;
    support_need_video();
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    const char *const names[] = {"film.mp4", "film.mkv"};
    for (int n = 0; n < 2; n++) {
        const char *path = write_film(context, names[n]);
        ch_clip whole = {.size = sizeof whole}, part = {.size = sizeof part};
        check(context, ch_clip_read(context, &whole, path, NULL));
        assert_int_equal(whole.frames, FRAMES);
        for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++) {
            ch_clip_settings set;
            ch_clip_defaults(&set);
            set.spread = spreads[k];
            set.from = 20 * (int64_t)(k % 2);
            check(context, ch_clip_read(context, &part, path, &set));
            assert_int_equal(part.frames, spreads[k]);
            assert_int_equal(part.spread_over, FRAMES - set.from);
            for (int64_t i = 0; i < part.frames; i += 2) {
                assert_int_equal(part.index[i + 1], part.index[i] + 1);
                assert_true(part.index[i] >= set.from &&
                            (i == 0 || part.index[i] > part.index[i - 1]));
                int64_t pairs = spreads[k] / 2,
                        even = (i + 1) * part.spread_over / (2 * pairs) + set.from;
                assert_true(llabs(part.index[i] - even) <= part.spread_over / pairs / 2);
                if (spreads[k] == 8) assert_int_equal(part.index[i] % 50, 0);
            }
            compare(&part, &whole);
            ch_clip_free(context, &part);
        }
        ch_clip_free(context, &whole);
    }
    support_finish(context, &memory);
}

/* Red and blue of a square by the formula of BT.601 from the decoder's planes, within the rounding
 * of small whole numbers; the sample and the feed agree to the bit. */
static void halves_are_what_the_planes_say(void **state) {
    (void)state;
    support_need_video();
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    const char *path = write_film(context, "film.mp4");
    ch_clip sample = {.size = sizeof sample};
    ch_clip_settings set;
    ch_clip_defaults(&set);
    set.spread = 12;
    set.halves = 1;
    check(context, ch_clip_read(context, &sample, path, &set));
    assert_true(sample.halves && sample.colour);
    assert_int_equal(sample.channel[1].cols, PIXELS / 4);
    ch_feed *feed;
    ch_feed_settings feeding;
    ch_feed_defaults(&feeding);
    feeding.yuv = feeding.halves = 1;
    check(context, ch_feed_open(context, &feed, path, &feeding));
    ch_feed_frame frame = {.size = sizeof frame};
    int64_t seen = 0;
    for (;;) {
        check(context, ch_feed_next(feed, &frame));
        if (!frame.planes[0]) break;
        for (int64_t i = 0; i < PIXELS / 4; i++) {
            int64_t at = i / (WIDTH / 2) * 2 * WIDTH + i % (WIDTH / 2) * 2;
            double y = 0, u = frame.yuv[PIXELS + i] - 128.0,
                   v = frame.yuv[PIXELS * 5 / 4 + i] - 128.0;
            const int64_t four[] = {at, at + 1, at + WIDTH, at + WIDTH + 1};
            for (int k = 0; k < 4; k++) {
                double own = 255.0 / 219 * (frame.yuv[four[k]] - 16);
                support_close(frame.planes[0][four[k]], fmin(fmax(own, 0), 255), 1.01);
                y += own / 4;
            }
            double red = y + 255.0 / 224 * 1.402 * v, blue = y + 255.0 / 224 * 1.772 * u;
            support_close(frame.planes[1][i], fmin(fmax(red, 0), 255), 2.1);
            support_close(frame.planes[2][i], fmin(fmax(blue, 0), 255), 2.1);
        }
        if (seen < sample.frames && sample.index[seen] == frame.index) {
            for (int64_t j = 0; j < PIXELS; j++)
                assert_int_equal((int)ch_matrix_at(&sample.luma, seen, j), frame.planes[0][j]);
            for (int64_t j = 0; j < PIXELS / 4; j++) {
                assert_int_equal((int)ch_matrix_at(&sample.channel[0], seen, j),
                                 frame.planes[1][j]);
                assert_int_equal((int)ch_matrix_at(&sample.channel[1], seen, j),
                                 frame.planes[2][j]);
            }
            seen++;
        }
    }
    assert_int_equal(seen, sample.frames);
    ch_feed_close(feed);
    ch_clip_free(context, &sample);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_find_the_right_frames),
        cmocka_unit_test(halves_are_what_the_planes_say),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
