/* What a clip can come from, and what is refused: folders and patterns of pictures, files that are
 * no video, cut short, playlists, pictures of changing size, too little memory, a cancelled read.
 */
#include "support_clip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(ch_context *context, ch_status status) {
    support_check(status == CH_OK, "%s", ch_context_message(context));
}

static void write_picture(ch_context *context, const char *path, int64_t f, int64_t width,
                          int64_t height, int channels) {
    uint8_t pixels[3 * 400];
    support_clip_paint(pixels, f, width, height, channels);
    ch_picture picture = {width, height, channels, pixels};
    check(context, ch_picture_write(context, path, &picture));
}

static void check_clip(const ch_clip *clip, int64_t frames) {
    assert_int_equal(clip->frames, frames);
    assert_string_equal(clip->container, "pictures");
    for (int64_t f = 0; f < frames; f++) {
        support_close(clip->time[f], (double)clip->index[f] / 25, 1e-12);
        for (int64_t j = 0; j < clip->width * clip->height; j++)
            assert_int_equal(
                (int)ch_matrix_at(&clip->luma, f, j),
                support_clip_value(clip->index[f], j % clip->width, j / clip->width, 0));
    }
}

/* Names whose order as texts is another one, with gaps, beside other files. */
static void test_pictures(void **state) {
    enum { FRAMES = 12 };
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    char folder[1024];
    strcpy(folder, support_path("pictures"));
    mkdir(folder, 0777);
    for (int f = 0; f < FRAMES; f++)
        write_picture(context, support_path("pictures/img%d.png", f < 6 ? f : 3 * f), f, 19, 13, 1);
    support_file_write(support_path("pictures/notes.txt"), "words", 5);
    support_file_write(support_path("pictures/.hidden.png"), "words", 5);
    check(context, ch_clip_read(context, &clip, folder, NULL));
    check_clip(&clip, FRAMES);
    ch_clip_free(context, &clip);
    ch_clip_settings set;
    ch_clip_defaults(&set);
    int64_t keep = 6;
    set.from = 1;
    set.frames = 8;
    set.step = 3;
    set.keep = &keep;
    set.keep_count = 1;
    check(context, ch_clip_read(context, &clip, support_path("pictures/img%%d.png"), &set));
    check_clip(&clip, 4);
    assert_int_equal(clip.index[2], 6);
    ch_clip_free(context, &clip);
    assert_int_equal(ch_clip_read(context, &clip, support_path("pictures/img%%03d.png"), NULL),
                     CH_ERR_IO);
    assert_int_equal(ch_clip_read(context, &clip, support_path("pictures/x%%d.png"), NULL),
                     CH_ERR_IO);
    write_picture(context, support_path("pictures/img1000.png"), 0, 20, 13, 1);
    assert_int_equal(ch_clip_read(context, &clip, folder, NULL), CH_ERR_FORMAT);
    support_message(context,
                    "img1000.png: frame 12 is 20 x 13, but the frames before it are 19 x 13");
    support_file_write(support_path("pictures/img1000.png"), "words", 5);
    assert_int_equal(ch_clip_read(context, &clip, folder, NULL), CH_ERR_FORMAT);
    support_message(context, "img1000.png");
    support_finish(context, &memory);
}

/* Colour and gray pictures in one folder: the first one decides. */
static void test_mixed_pictures(void **state) {
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    mkdir(support_path("mixed"), 0777);
    for (int f = 0; f < 4; f++)
        write_picture(context, support_path("mixed/%d.png", f), f, 9, 7, f % 2 ? 1 : 3);
    check(context, ch_clip_read(context, &clip, support_path("mixed"), NULL));
    assert_int_equal(clip.colour, 1);
    for (int c = 0; c < 3; c++)
        for (int64_t j = 0; j < 63; j++) {
            assert_int_equal((int)ch_matrix_at(&clip.channel[c], 0, j),
                             support_clip_value(0, j % 9, j / 9, c));
            assert_int_equal((int)ch_matrix_at(&clip.channel[c], 1, j),
                             support_clip_value(1, j % 9, j / 9, 0));
        }
    ch_clip_free(context, &clip);
    remove(support_path("mixed/0.png"));
    check(context, ch_clip_read(context, &clip, support_path("mixed"), NULL));
    assert_int_equal(clip.colour, 0);
    ch_clip_free(context, &clip);
    support_finish(context, &memory);
}

static void write_wav(const char *path) {
    unsigned char bytes[44 + 8000] =
        "RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f"
        "\0\0\1\0\x08\0data\x40\x1f\0\0";
    memset(bytes + 44, 128, 8000);
    support_file_write(path, bytes, sizeof bytes);
}

static void test_no_video(void **state) {
    static const struct {
        const char *name, *text, *message;
        ch_status status;
    } files[] = {
        {"missing.mp4", NULL, "No such file", CH_ERR_IO},
        {"http://localhost/x.mp4", NULL, "No such file", CH_ERR_IO},
        {"concat:a.mkv|b.mkv", NULL, "No such file", CH_ERR_IO},
        {"empty.mp4", "", "empty", CH_ERR_FORMAT},
        {"words.mp4", "a text that somebody called a video\n", "the file cannot be read as a video",
         CH_ERR_FORMAT},
        {"words.txt", "a text\n", "the file cannot be read as a video", CH_ERR_FORMAT},
        {"list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\ngood.mkv\n", "not a video",
         CH_ERR_FORMAT},
        {"list.ffconcat", "ffconcat version 1.0\nfile good.mkv\n", "not a video", CH_ERR_FORMAT},
        {"sound.wav", NULL, "contains no video", CH_ERR_FORMAT},
        {"", NULL, "the folder contains no pictures", CH_ERR_FORMAT}, /* the test's folder itself */
    };
    (void)state;
    support_need_video();
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        support_memory memory;
        ch_clip clip = {.size = sizeof clip, .frames = -7};
        ch_context *context = support_context(&memory, 1);
        support_clip_write(context, "good.mkv", 3, 8, 8, 1, NULL);
        const char *path =
            strchr(files[k].name, ':') ? files[k].name : support_path("%s", files[k].name);
        if (files[k].text) support_file_write(path, files[k].text, strlen(files[k].text));
        if (strstr(path, ".wav")) write_wav(path);
        ch_status status = ch_clip_read(context, &clip, path, NULL);
        support_check(status == files[k].status, "%s: %d, %s", path, status,
                      ch_context_message(context));
        support_message(context, files[k].message);
        assert_int_equal(clip.frames, -7);
        support_finish(context, &memory);
    }
}

/* Cut anywhere: refused when many frames are missing; where what is left is asked for, the frames
 * before the cut, with a word about it. */
static void test_cut_short(void **state) {
    enum { FRAMES = 60 };
    support_memory memory;
    size_t count;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    const char *path = support_clip_write(context, "whole.mkv", FRAMES, 16, 12, 1, NULL);
    unsigned char *bytes = support_file_read(path, &count);
    int64_t most = 0;
    ch_clip_settings set;
    ch_clip_defaults(&set);
    for (size_t length = 40; length < count; length += 97) {
        support_log log = {""};
        ch_clip clip = {.size = sizeof clip, .frames = -7};
        support_file_write(support_path("cut.mkv"), bytes, length);
        ch_context_set_log(context, support_log_keep, &log);
        set.partial = 1;
        ch_status status = ch_clip_read(context, &clip, support_path("cut.mkv"), &set);
        support_check(status == CH_OK || status == CH_ERR_FORMAT, "%zu bytes: %d, %s", length,
                      status, ch_context_message(context));
        if (status != CH_OK) continue;
        assert_true(clip.frames >= most);
        most = clip.frames;
        for (int64_t f = 0; f + 1 < clip.frames; f++) /* the last one may be half a frame */
            for (int64_t j = 0; j < 16 * 12; j++)
                assert_int_equal((int)ch_matrix_at(&clip.luma, f, j),
                                 support_clip_value(f, j % 16, j / 16, 0));
        int64_t frames = clip.frames;
        ch_clip_free(context, &clip);
        if (frames >= FRAMES - 15) continue;
        support_check(strstr(log.text, "cut.mkv: the file is truncated after") != NULL,
                      "%zu bytes, %lld frames, no warning: %s", length, (long long)frames,
                      log.text);
        set.partial = 0;
        assert_int_equal(ch_clip_read(context, &clip, support_path("cut.mkv"), &set),
                         CH_ERR_FORMAT);
        support_message(context, "use --partial to process these frames");
    }
    assert_true(most >= FRAMES - 2);
    free(bytes);
    support_finish(context, &memory);
}

/* JPEG after JPEG is a video; one of them is of another size. */
static void test_changing_size(void **state) {
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    const char *path = support_path("changing.mjpeg");
    FILE *file = fopen(path, "wb");
    static uint8_t pixels[48 * 32];
    assert_non_null(file);
    for (int f = 0; f < 8; f++) {
        uint8_t *bytes;
        size_t count;
        ch_picture picture = {f == 5 ? 32 : 48, f == 5 ? 48 : 32, 1, pixels};
        check(context, ch_picture_encode_jpeg(context, &bytes, &count, &picture, 80));
        assert_int_equal(fwrite(bytes, 1, count, file), count);
        ch_picture_bytes_free(context, bytes);
    }
    fclose(file);
    assert_int_equal(ch_clip_read(context, &clip, path, NULL), CH_ERR_FORMAT);
    support_message(context, "frame 5 is 32 x 48, but the frames before it are 48 x 32");
    ch_clip_settings set;
    ch_clip_defaults(&set);
    set.frames = 5;
    check(context, ch_clip_read(context, &clip, path, &set));
    assert_int_equal(clip.frames, 5);
    ch_clip_free(context, &clip);
    set.from = 8;
    assert_int_equal(ch_clip_read(context, &clip, path, &set), CH_ERR_ARGUMENT);
    support_message(context, "frame 8 was requested, but the input ends before it");
    support_finish(context, &memory);
}

/* The number after a word of the message. */
static int64_t number_after(const ch_context *context, const char *word) {
    const char *place = strstr(ch_context_message(context), word);
    return place ? atoll(place + strlen(word)) : -1;
}

/* Refused before anything is taken; each advice by itself makes it fit. */
static void test_memory(void **state) {
    support_memory memory;
    support_log log = {""};
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    ch_context_set_log(context, support_log_keep, &log);
    const char *path = support_clip_write(context, "memory.mkv", 90, 40, 30, 3, NULL);
    ch_clip_settings set, tried;
    ch_clip_defaults(&set);
    set.step = 2;
    set.memory = 150000;
    memory.peak = memory.bytes;
    int64_t before = memory.bytes;
    assert_int_equal(ch_clip_read(context, &clip, path, &set), CH_ERR_MEMORY);
    support_check(memory.peak - before < 120000, "%lld bytes were taken",
                  (long long)(memory.peak - before));
    assert_null(strstr(log.text, "memory for"));
    support_message(context, "45 frames of 40 x 30 pixels in colour");
    int64_t width = number_after(context, "--width "), step = number_after(context, "--step "),
            frames = number_after(context, "--frames ");
    assert_true(width > 0 && step > 2 && frames > 0);
    support_message(context, "--gray");
    for (int way = 0; way < 4; way++) {
        tried = set;
        if (way == 0) tried.gray = 1;
        if (way == 1) tried.width = width;
        if (way == 2) tried.step = step;
        if (way == 3) tried.frames = frames;
        before = memory.peak = memory.bytes;
        check(context, ch_clip_read(context, &clip, path, &tried));
        ch_clip_free(context, &clip);
        if (way) continue;
        assert_non_null(strstr(log.text, "memory for 45 frames of 40 x 30 pixels, gray:"));
    }
    tried = set; /* one column more would not */
    tried.width = width + 1;
    assert_int_equal(ch_clip_read(context, &clip, path, &tried), CH_ERR_MEMORY);
    support_finish(context, &memory);
}

typedef struct countdown {
    int64_t left, last;
} countdown;

static int stop_later(const ch_progress_event *event, void *user) {
    countdown *count = user;
    assert_string_equal(event->phase, "read");
    support_check(event->done >= count->last && (!event->total || event->done <= event->total),
                  "%lld of %lld", (long long)event->done, (long long)event->total);
    count->last = event->done;
    return count->left-- == 0;
}

static void test_cancel(void **state) {
    (void)state;
    support_need_video();
    for (int64_t k = 0;; k++) {
        support_memory memory;
        countdown count = {k, 0};
        ch_clip clip = {.size = sizeof clip, .frames = -7};
        ch_context *context = support_context(&memory, 1);
        const char *path = k ? support_path("cancel.mkv")
                             : support_clip_write(context, "cancel.mkv", 10, 8, 8, 1, NULL);
        ch_context_set_progress(context, stop_later, &count);
        ch_status status = ch_clip_read(context, &clip, path, NULL);
        if (status == CH_OK) {
            assert_true(k >= 10);
            ch_clip_free(context, &clip);
            support_finish(context, &memory);
            break;
        }
        assert_int_equal(status, CH_STOP_CANCELLED);
        assert_int_equal(clip.frames, 0);
        ch_clip_free(context, &clip);
        support_finish(context, &memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_video),       cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_mixed_pictures), cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_changing_size),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
