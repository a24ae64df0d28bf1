/* Clips read back from videos written here, whose every pixel is known: exact values, which frames,
 * which part, reduced by a naive mean, times, threads, standard input. */
#include "io/clip/frames.h"
#include "support_clip.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ch_clip read_clip(ch_context *context, const char *path, const ch_clip_settings *set) {
    ch_clip clip = {.size = sizeof clip};
    ch_status status = ch_clip_read(context, &clip, path, set);
    support_check(status == CH_OK, "%s: %s", path, ch_context_message(context));
    return clip;
}

static void check_value(const ch_matrix *X, int64_t f, int64_t j, int expected, const char *what) {
    int found = (int)ch_matrix_at(X, f, j);
    support_check(found == expected, "%s, frame %lld, pixel %lld: %d instead of %d", what,
                  (long long)f, (long long)j, found, expected);
}

/* Every value of a gray clip, given by the frames' positions and the part's corner. */
static void check_gray(const ch_clip *clip) {
    for (int64_t f = 0; f < clip->frames; f++)
        for (int64_t y = 0; y < clip->height; y++)
            for (int64_t x = 0; x < clip->width; x++)
                check_value(&clip->luma, f, y * clip->width + x,
                            support_clip_value(clip->index[f], clip->roi_x + x, clip->roi_y + y, 0),
                            "luma");
}

static void test_gray(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {17, 1, 3}, {40, 31, 17}, {100, 70, 66}};
    (void)state;
    support_need_video();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 0);
        const char *path =
            support_clip_write(context, "gray.mkv", sizes[s][0], sizes[s][1], sizes[s][2], 1, NULL);
        ch_clip clip = read_clip(context, path, NULL);
        assert_int_equal(clip.frames, sizes[s][0]);
        assert_int_equal(clip.width, sizes[s][1]);
        assert_int_equal(clip.height, sizes[s][2]);
        assert_int_equal(clip.colour, 0);
        assert_int_equal(clip.luma.layout, CH_COLUMN_MAJOR);
        assert_int_equal(clip.luma.type, CH_U8);
        assert_true(clip.luma.stride >= clip.frames);
        assert_string_equal(clip.codec, "ffv1");
        assert_string_equal(clip.container, "matroska");
        assert_string_equal(clip.pixel_format, "gray");
        if (clip.frames > 2) support_close(clip.rate, 10, 1e-6);
        for (int64_t f = 0; f < clip.frames; f++) {
            assert_int_equal(clip.index[f], f);
            support_close(clip.time[f], (double)f / 10, 1e-9);
        }
        check_gray(&clip);
        ch_clip_free(context, &clip);
        support_finish(context, &memory);
    }
}

static void test_colour(void **state) {
    enum { FRAMES = 21, WIDTH = 37, HEIGHT = 22 };
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, "rgb.mkv", FRAMES, WIDTH, HEIGHT, 3, NULL);
    ch_clip_settings set;
    ch_clip_defaults(&set);
    for (set.gray = 0; set.gray < 2; set.gray++) {
        ch_clip clip = read_clip(context, path, &set);
        assert_int_equal(clip.colour, !set.gray);
        for (int64_t f = 0; f < FRAMES; f++)
            for (int64_t j = 0; j < WIDTH * HEIGHT; j++) {
                double luma = 0;
                static const double share[3] = {0.299, 0.587, 0.114};
                for (int c = 0; c < 3; c++) {
                    int value = support_clip_value(f, j % WIDTH, j / WIDTH, c);
                    luma += share[c] * value;
                    if (clip.colour) check_value(&clip.channel[c], f, j, value, "channel");
                }
                support_close(ch_matrix_at(&clip.luma, f, j), luma, 0.505);
            }
        ch_clip_free(context, &clip);
    }
    support_finish(context, &memory);
}

/* All ways to choose against the rule written out. */
static void test_which_frames(void **state) {
    enum { FRAMES = 23 };
    static const int64_t keep[] = {0, 4, 5, 11, 22, 40};
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, "which.mkv", FRAMES, 5, 4, 1, NULL);
    ch_clip_settings set;
    ch_clip_defaults(&set);
    set.keep = keep;
    for (set.from = 0; set.from < FRAMES; set.from += 4)
        for (set.frames = 0; set.frames < 30; set.frames += 5)
            for (set.step = 1; set.step < 9; set.step += 2)
                for (set.keep_count = 0; set.keep_count <= 6; set.keep_count += 6) {
                    ch_clip clip = read_clip(context, path, &set);
                    int64_t next = 0;
                    for (int64_t i = set.from; i < FRAMES; i++) {
                        int wanted = (i - set.from) % set.step == 0;
                        for (int64_t k = 0; k < set.keep_count; k++) wanted |= keep[k] == i;
                        if (set.frames && i >= set.from + set.frames) wanted = 0;
                        if (!wanted) continue;
                        assert_true(next < clip.frames);
                        assert_int_equal(clip.index[next], i);
                        support_close(clip.time[next++], (double)i / 10, 1e-9);
                    }
                    assert_int_equal(clip.frames, next);
                    assert_int_equal(clip.luma.stride, next); /* nothing taken in vain */
                    check_gray(&clip);
                    ch_clip_free(context, &clip);
                }
    support_finish(context, &memory);
}

static void test_region(void **state) {
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, "region.mkv", 9, 23, 19, 1, NULL);
    ch_clip_settings set;
    ch_clip_defaults(&set);
    assert_int_equal(ch_clip_set_roi(context, &set, "5,3,11,16"), CH_OK);
    ch_clip clip = read_clip(context, path, &set);
    assert_int_equal(clip.width, 11);
    assert_int_equal(clip.height, 16);
    assert_int_equal(clip.source_width, 23);
    check_gray(&clip);
    ch_clip_free(context, &clip);
    static const char *const wrong[] = {"",        "1,2,3",   "1,2,3,4,", "-1,0,4,4",
                                        "0,0,0,4", "a,b,c,d", "1,2,3,4x"};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        assert_int_equal(ch_clip_set_roi(context, &set, wrong[w]), CH_ERR_SETTING);
    static const char *const outside[] = {"13,3,11,16", "5,4,11,16", "23,0,1,1", "0,0,24,1"};
    for (size_t w = 0; w < sizeof outside / sizeof *outside; w++) {
        assert_int_equal(ch_clip_set_roi(context, &set, outside[w]), CH_OK);
        assert_int_equal(ch_clip_read(context, &clip, path, &set), CH_ERR_ARGUMENT);
        support_message(context, "23 x 19");
    }
    support_finish(context, &memory);
}

/* The mean over the area of a pixel, in doubles. */
static double naive_mean(const uint8_t *pixels, int64_t W, int64_t H, int64_t w, int64_t h,
                         int64_t x, int64_t y) {
    double sum = 0, sx = (double)W / (double)w, sy = (double)H / (double)h;
    for (int64_t Y = 0; Y < H; Y++)
        for (int64_t X = 0; X < W; X++) {
            double across =
                fmin((double)X + 1, (double)(x + 1) * sx) - fmax((double)X, (double)x * sx);
            double down =
                fmin((double)Y + 1, (double)(y + 1) * sy) - fmax((double)Y, (double)y * sy);
            if (across > 0 && down > 0) sum += across * down * pixels[Y * W + X];
        }
    return sum / (sx * sy);
}

static void test_reduced(void **state) {
    enum { WIDTH = 29, HEIGHT = 18 };
    uint8_t pixels[WIDTH * HEIGHT];
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, "reduced.mkv", 3, WIDTH, HEIGHT, 1, NULL);
    ch_clip_settings set;
    ch_clip_defaults(&set);
    for (set.width = 1; set.width <= WIDTH + 3; set.width++) {
        ch_clip clip = read_clip(context, path, &set);
        assert_int_equal(clip.width, set.width < WIDTH ? set.width : WIDTH);
        support_check(fabs((double)clip.height - (double)HEIGHT * (double)clip.width / WIDTH) <=
                              0.5 ||
                          clip.height == 1,
                      "%lld x %lld", (long long)clip.width, (long long)clip.height);
        for (int64_t f = 0; f < clip.frames; f++) {
            support_clip_paint(pixels, f, WIDTH, HEIGHT, 1);
            for (int64_t j = 0; j < clip.width * clip.height; j++)
                support_close(ch_matrix_at(&clip.luma, f, j),
                              naive_mean(pixels, WIDTH, HEIGHT, clip.width, clip.height,
                                         j % clip.width, j / clip.width),
                              0.5 + 1e-9);
        }
        ch_clip_free(context, &clip);
    }
    support_finish(context, &memory);
}

/* Times as they are written, and as they come back. */
static void check_times(const char *name, const double *times, const double *stored,
                        int64_t frames) {
    support_memory memory;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, name, frames, 8, 8, 1, times);
    ch_clip clip = read_clip(context, path, NULL);
    assert_int_equal(clip.frames, frames);
    for (int64_t f = 0; f < frames; f++) support_close(clip.time[f], stored[f], 1e-9);
    check_gray(&clip);
    ch_clip_free(context, &clip);
    support_finish(context, &memory);
}

/* Times that do not follow any rate, to the millisecond. */
static void test_variable_rate(void **state) {
    static const double times[] = {0, 0.04, 0.043, 0.2, 1.001, 7.5, 7.533, 100.25, 3600.001};
    (void)state;
    check_times("variable.mkv", times, times, sizeof times / sizeof *times);
}

/* Stamps are milliseconds: frames that share one get the next, and none is refused or lost. */
static void test_within_a_millisecond(void **state) {
    static const double times[] = {0, 0.0002, 0.0004, 0.0011, 0.0012, 0.02, 0.0204};
    static const double stored[] = {0, 0.001, 0.002, 0.003, 0.004, 0.02, 0.021};
    (void)state;
    check_times("quick.mkv", times, stored, sizeof times / sizeof *times);
}

static void test_threads(void **state) {
    ch_clip clip[3];
    ch_context *contexts[3];
    support_memory memory[3];
    (void)state;
    support_need_video();
    for (int t = 0; t < 3; t++) {
        contexts[t] = support_context(&memory[t], 1 << t);
        const char *path = t ? support_path("threads.mkv")
                             : support_clip_write(contexts[0], "threads.mkv", 131, 90, 64, 3, NULL);
        clip[t] = read_clip(contexts[t], path, NULL);
    }
    for (int t = 2; t >= 0; t--) {
        for (int c = 0; c < 3; c++) {
            support_same_matrix(&clip[t].channel[c], &clip[0].channel[c]);
            support_same_matrix(&clip[t].luma, &clip[0].luma);
        }
        ch_clip_free(contexts[t], &clip[t]);
        support_finish(contexts[t], &memory[t]);
    }
}

/* Puts the file behind standard input, as a pipe fed by a child or as the file itself. */
static ch_status read_standard_input(ch_context *context, ch_clip *clip, const char *path,
                                     int pipes, const ch_clip_settings *set) {
    int before = dup(STDIN_FILENO), ends[2] = {-1, -1};
    pid_t child = 0;
    size_t count;
    unsigned char *bytes = support_file_read(path, &count);
    if (pipes) {
        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            close(ends[0]);
            for (size_t at = 0; at < count;) {
                ssize_t written = write(ends[1], bytes + at, count - at < 5000 ? count - at : 5000);
                if (written < 0) _exit(1);
                at += (size_t)written;
            }
            _exit(0);
        }
        close(ends[1]);
    } else {
        ends[0] = open(path, O_RDONLY);
    }
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    ch_status status = ch_clip_read(context, clip, "-", set);
    dup2(before, STDIN_FILENO);
    close(before);
    if (child) waitpid(child, NULL, 0);
    free(bytes);
    return status;
}

static void test_standard_input(void **state) {
    enum { FRAMES = 700 }; /* more than the first guess for a pipe, twice over */
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 0);
    const char *path = support_clip_write(context, "long.mkv", FRAMES, 12, 9, 3, NULL);
    ch_clip file = read_clip(context, path, NULL);
    for (int pipes = 0; pipes < 2; pipes++) {
        ch_clip clip = {.size = sizeof clip};
        ch_status status = read_standard_input(context, &clip, path, pipes, NULL);
        support_check(status == CH_OK, "%s", ch_context_message(context));
        assert_int_equal(clip.frames, FRAMES);
        support_same_matrix(&clip.luma, &file.luma);
        for (int c = 0; c < 3; c++) support_same_matrix(&clip.channel[c], &file.channel[c]);
        assert_int_equal(memcmp(clip.time, file.time, FRAMES * sizeof *clip.time), 0);
        ch_clip_free(context, &clip);
    }
    ch_clip_settings set;
    ch_clip_defaults(&set);
    set.memory = 300000; /* room for the guess, not for what comes */
    ch_clip clip = {.size = sizeof clip, .frames = -7};
    assert_int_equal(read_standard_input(context, &clip, path, 1, &set), CH_ERR_MEMORY);
    support_message(context, "at least 512 frames");
    assert_int_equal(clip.frames, -7);
    ch_clip_free(context, &file);
    support_finish(context, &memory);
}

static int same_bytes(const void *a, const void *b, size_t count) {
    return memcmp(a, b, count) == 0;
}

/* Pictures out of matrices, against element by element, at sizes beside the tiles of 16. */
static void test_frames(void **state) {
    static const int64_t shapes[][2] = {{1, 1},   {15, 33},   {16, 16},
                                        {31, 17}, {64, 5000}, {130, 257}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int wide = 0; wide < 2; wide++)
            for (int layout = 0; layout < 2; layout++) {
                int64_t rows = shapes[s][0], cols = shapes[s][1], lo = rows / 3, hi = rows;
                support_memory memory;
                ch_context *context = support_context(&memory, 2);
                uint8_t *values = malloc((size_t)(rows * cols)),
                        *all = malloc((size_t)(rows * cols));
                uint16_t *two = malloc((size_t)(rows * cols) * 2);
                for (int64_t k = 0; k < rows * cols; k++)
                    values[k] = support_clip_value(k, rows, cols, wide);
                ch_matrix bytes = {.rows = rows,
                                   .cols = cols,
                                   .layout = CH_ROW_MAJOR,
                                   .type = CH_U8,
                                   .values = values,
                                   .stride = cols};
                ch_matrix X =
                    support_reshape(context, &bytes, layout ? CH_ROW_MAJOR : CH_COLUMN_MAJOR,
                                    wide ? CH_U16 : CH_U8);
                assert_int_equal(ch_clip_frames(context, wide ? (void *)two : all, &X, lo, hi),
                                 CH_OK);
                for (int64_t k = 0; wide && k < (hi - lo) * cols; k++) all[k] = (uint8_t)two[k];
                assert_true(same_bytes(all, values + lo * cols, (size_t)((hi - lo) * cols)));
                assert_int_equal(ch_clip_frames(context, all, &X, 0, rows + 1), CH_ERR_ARGUMENT);
                ch_matrix_free(context, &X);
                free(values), free(all), free(two);
                support_finish(context, &memory);
            }
}

static void test_split(void **state) {
    uint8_t rgb[3 * 200], R[200], G[200], B[200];
    (void)state;
    support_clip_paint(rgb, 3, 200, 1, 3);
    for (int64_t count = 0; count <= 200; count++) {
        memset(R, 0, sizeof R);
        chi_split_rgb(R, G, B, rgb, count);
        for (int64_t j = 0; j < count; j++) {
            assert_int_equal(R[j], rgb[3 * j]);
            assert_int_equal(G[j], rgb[3 * j + 1]);
            assert_int_equal(B[j], rgb[3 * j + 2]);
        }
        if (count < 200) assert_int_equal(R[count], 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gray),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_region),
        cmocka_unit_test(test_which_frames),
        cmocka_unit_test(test_reduced),
        cmocka_unit_test(test_variable_rate),
        cmocka_unit_test(test_within_a_millisecond),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
