/* Pictures: PNG of every kind made by libpng here, PNM as texts and binary, written ones read back;
 * folders of masks; pictures brought to a clip's size. */
#include "support_clip.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(ch_context *context, ch_status status) {
    support_check(status == CH_OK, "%s", ch_context_message(context));
}

static void test_written(void **state) {
    static const int64_t sizes[][2] = {{1, 1}, {17, 3}, {200, 151}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int channels = 1; channels <= 3; channels += 2) {
            support_memory memory;
            int64_t width = sizes[s][0], height = sizes[s][1];
            ch_context *context = support_context(&memory, 1);
            uint8_t *pixels = malloc((size_t)(width * height * channels)), *bytes;
            support_clip_paint(pixels, 5, width, height, channels);
            ch_picture picture = {width, height, channels, pixels}, back;
            size_t count, length;
            check(context, ch_picture_write(context, support_path("p.png"), &picture));
            check(context, ch_picture_read(context, &back, support_path("p.png")));
            assert_int_equal(back.width, width);
            assert_int_equal(back.height, height);
            assert_int_equal(back.channels, channels);
            assert_memory_equal(back.pixels, pixels, (size_t)(width * height * channels));
            check(context, ch_picture_encode_png(context, &bytes, &count, &picture));
            unsigned char *file = support_file_read(support_path("p.png"), &length);
            assert_int_equal(length, count);
            assert_memory_equal(file, bytes, count);
            free(file), free(pixels);
            ch_picture_bytes_free(context, bytes);
            ch_picture_free(context, &back);
            support_finish(context, &memory);
        }
}

static void paint_gently(uint8_t *pixels, int64_t width, int64_t height, int channels) {
    for (int64_t k = 0; k < width * height * channels; k++)
        pixels[k] = (uint8_t)(60 + k / channels % width * 3 + 20 * (k % channels));
}

/* Such a picture as the bytes of a JPEG file; skips the test in a build that makes none. */
static uint8_t *make_jpeg(ch_context *context, size_t *count, uint8_t *pixels, int64_t width,
                          int64_t height, int channels) {
    uint8_t *bytes = NULL;
    paint_gently(pixels, width, height, channels);
    ch_picture picture = {width, height, channels, pixels};
    ch_status status = ch_picture_encode_jpeg(context, &bytes, count, &picture, 95);
    if (status == CH_ERR_UNSUPPORTED) skip();
    check(context, status);
    return bytes;
}

/* JPEG: as a file, it is a clip of one frame. */
static void test_jpeg(void **state) {
    enum { WIDTH = 45, HEIGHT = 31 };
    uint8_t pixels[WIDTH * HEIGHT * 3], *bytes;
    size_t count[2];
    support_memory memory;
    ch_clip clip = {.size = sizeof clip};
    (void)state;
    ch_context *context = support_context(&memory, 1);
    ch_picture_bytes_free(context, make_jpeg(context, &count[0], pixels, 8, 8, 1));
    for (int channels = 1; channels <= 3; channels += 2)
        for (int fine = 0; fine < 2; fine++) {
            paint_gently(pixels, WIDTH, HEIGHT, channels);
            ch_picture picture = {WIDTH, HEIGHT, channels, pixels};
            check(context,
                  ch_picture_encode_jpeg(context, &bytes, &count[fine], &picture, fine ? 95 : 5));
            support_file_write(support_path("p.jpg"), bytes, count[fine]);
            ch_picture_bytes_free(context, bytes);
            check(context, ch_clip_read(context, &clip, support_path("p.jpg"), NULL));
            assert_int_equal(clip.frames, 1);
            for (int64_t j = 0; fine && j < WIDTH * HEIGHT; j++)
                for (int c = 0; c < channels; c++)
                    support_close(ch_matrix_at(channels == 3 ? &clip.channel[c] : &clip.luma, 0, j),
                                  pixels[j * channels + c], 8);
            ch_clip_free(context, &clip);
            if (fine) assert_true(count[0] < count[1]);
            assert_int_equal(ch_picture_encode_jpeg(context, &bytes, &count[0], &picture, 101),
                             CH_ERR_SETTING);
        }
    support_finish(context, &memory);
}

/* JPEG read as a picture, whole and damaged. */
static void test_jpeg_read(void **state) {
    enum { WIDTH = 45, HEIGHT = 31 };
    uint8_t pixels[WIDTH * HEIGHT * 3];
    (void)state;
    for (int channels = 1; channels <= 3; channels += 2) {
        support_memory memory;
        support_log log = {""};
        size_t count;
        ch_picture back = {-7, 0, 0, NULL};
        ch_context *context = support_context(&memory, 1);
        ch_context_set_log(context, support_log_keep, &log);
        uint8_t *bytes = make_jpeg(context, &count, pixels, WIDTH, HEIGHT, channels);
        support_file_write(support_path("whole.jpg"), bytes, count);
        support_file_write(support_path("cut.jpg"), bytes, count - 12);
        support_file_write(support_path("head.jpg"), bytes, 30);
        ch_status status = ch_picture_read(context, &back, support_path("whole.jpg"));
        if (status == CH_ERR_UNSUPPORTED) { /* libav writes it, nothing reads it */
            support_message(context, "TurboJPEG");
            skip();
        }
        check(context, status);
        assert_int_equal(back.width, WIDTH);
        assert_int_equal(back.height, HEIGHT);
        assert_true(back.channels >= channels); /* libav writes gray as a colour, too */
        for (int64_t k = 0; k < WIDTH * HEIGHT * back.channels; k++)
            support_close(back.pixels[k], pixels[channels == 1 ? k / back.channels : k], 8);
        ch_picture_free(context, &back);
        assert_string_equal(log.text, "");
        check(context, ch_picture_read(context, &back, support_path("cut.jpg")));
        assert_non_null(strstr(log.text, "cut.jpg: the JPEG file is damaged"));
        support_close(back.pixels[0], pixels[0], 8);
        ch_picture_free(context, &back);
        assert_int_equal(ch_picture_read(context, &back, support_path("head.jpg")), CH_ERR_FORMAT);
        support_message(context, "head.jpg: the JPEG file is damaged");
        ch_picture_bytes_free(context, bytes);
        support_finish(context, &memory);
    }
}

/* A file of some hundred bytes that claims to have 65,500 x 4,000 pixels. */
static void test_jpeg_of_nothing(void **state) {
    uint8_t pixels[64];
    support_memory memory;
    size_t count, at = 2;
    ch_picture back = {-7, 0, 0, NULL};
    (void)state;
    ch_context *context = support_context(&memory, 1);
    uint8_t *bytes = make_jpeg(context, &count, pixels, 8, 8, 1);
    while (at + 9 < count && bytes[at + 1] != 0xc0) /* the header of the frame */
        at += 2 + (size_t)(bytes[at + 2] << 8 | bytes[at + 3]);
    assert_int_equal(bytes[at + 1], 0xc0);
    memcpy(bytes + at + 5, (const uint8_t[]){4000 >> 8, 4000 & 255, 65500 >> 8, 65500 & 255}, 4);
    support_file_write(support_path("nothing.jpg"), bytes, count);
    ch_picture_bytes_free(context, bytes);
    ch_status status = ch_picture_read(context, &back, support_path("nothing.jpg"));
    if (status == CH_ERR_UNSUPPORTED) skip();
    assert_int_equal(status, CH_ERR_FORMAT);
    assert_int_equal(back.width, -7);
    support_finish(context, &memory);
}

/* Pixels that end where the process may read no further: the scaler's vectors once went past them.
 */
static void test_jpeg_reads_no_further(void **state) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    support_memory memory;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    uint8_t *pages =
        mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + 2 * page, page, PROT_NONE), 0);
    for (int width = 33; width <= 48; width++)
        for (int channels = 1; channels <= 3; channels += 2) {
            uint8_t *bytes, *pixels = pages + 2 * page - width * 31 * channels;
            size_t count;
            support_clip_paint(pixels, 5, width, 31, channels);
            ch_picture picture = {width, 31, channels, pixels};
            check(context, ch_picture_encode_jpeg(context, &bytes, &count, &picture, 90));
            ch_picture_bytes_free(context, bytes);
        }
    munmap(pages, 3 * page);
    support_finish(context, &memory);
}

/* A PNG by libpng's own hand: rows as given. */
static void write_png(const char *path, int width, int height, int depth, int colour, int interlace,
                      const unsigned char *rows, int pitch) {
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(file);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, colour,
                 interlace ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_gAMA(png, info, 1.0); /* must not change the values */
    if (colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[2] = {{10, 10, 10}, {200, 200, 200}};
        png_set_PLTE(png, info, palette, 2);
    }
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (int y = 0; y < height; y++) png_write_row(png, rows + y * pitch);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

/* The same 2 x 2 picture, 0 128 / 127 255, in each kind that can hold it. */
static void test_png_kinds(void **state) {
    static const struct {
        int depth, colour, channels, pitch;
        unsigned char rows[16];
        unsigned char expected[12];
    } kinds[] = {
        {8, PNG_COLOR_TYPE_GRAY, 1, 2, {0, 128, 127, 255}, {0, 128, 127, 255}},
        {16, PNG_COLOR_TYPE_GRAY, 1, 4, {0, 255, 128, 0, 127, 255, 255, 255}, {0, 128, 127, 255}},
        {1, PNG_COLOR_TYPE_GRAY, 1, 1, {0x40, 0x80}, {0, 255, 255, 0}},
        {8, PNG_COLOR_TYPE_GRAY_ALPHA, 1, 4, {0, 9, 128, 0, 127, 255, 255, 1}, {0, 128, 127, 255}},
        {8,
         PNG_COLOR_TYPE_PALETTE,
         3,
         2,
         {0, 1, 1, 0},
         {10, 10, 10, 200, 200, 200, 200, 200, 200, 10, 10, 10}},
        {8,
         PNG_COLOR_TYPE_RGB,
         3,
         6,
         {0, 1, 2, 128, 3, 4, 127, 5, 6, 255, 7, 8},
         {0, 1, 2, 128, 3, 4, 127, 5, 6, 255, 7, 8}},
        {8,
         PNG_COLOR_TYPE_RGBA,
         3,
         8,
         {0, 1, 2, 0, 128, 3, 4, 9, 127, 5, 6, 99, 255, 7, 8, 255},
         {0, 1, 2, 128, 3, 4, 127, 5, 6, 255, 7, 8}}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int interlace = 0; interlace < 2; interlace++) {
            support_memory memory;
            ch_picture picture;
            ch_context *context = support_context(&memory, 1);
            const char *path = support_path("kind.png");
            write_png(path, 2, 2, kinds[k].depth, kinds[k].colour, interlace, kinds[k].rows,
                      kinds[k].pitch);
            check(context, ch_picture_read(context, &picture, path));
            assert_int_equal(picture.channels, kinds[k].channels);
            assert_memory_equal(picture.pixels, kinds[k].expected, 4 * (size_t)picture.channels);
            ch_picture_free(context, &picture);
            support_finish(context, &memory);
        }
}

static void test_pnm(void **state) {
    static const struct {
        const char *bytes;
        size_t count;
        int channels;
        unsigned char expected[6];
        int status;
    } files[] = {
        {"P1\n# ink is black\n2 1 01", 0, 1, {255, 0}, CH_OK},
        {"P2 2 1 255 0 255", 0, 1, {0, 255}, CH_OK},
        {"P2\n2 1\n65535\n32768 32767\n", 0, 1, {128, 127}, CH_OK},
        {"P3 2 1 15 0 15 1 2 3 4", 0, 3, {0, 255, 17, 34, 51, 68}, CH_OK},
        {"P4 2 1\n\x40", 8, 1, {255, 0}, CH_OK},
        {"P5 2 1 255\n\x80\x7f", 13, 1, {128, 127}, CH_OK},
        {"P5 2 1 65535\n\x80\x00\x7f\xff", 17, 1, {128, 127}, CH_OK},
        {"P6 2 1 255\n\1\2\3\4\5\6", 17, 3, {1, 2, 3, 4, 5, 6}, CH_OK},
        {"P5 2 1 255\n\x80", 12, 1, {0}, CH_ERR_FORMAT},
        {"P5 2 1 0\n\x80\x80", 0, 1, {0}, CH_ERR_FORMAT},
        {"P5 2 1 70000\n\x80\x80", 0, 1, {0}, CH_ERR_FORMAT},
        {"P5 0 1 255\n", 0, 1, {0}, CH_ERR_FORMAT},
        {"P5 999999999 999999999 255\n1", 0, 1, {0}, CH_ERR_FORMAT},
        {"P2 2 1 255 0 256", 0, 1, {0}, CH_ERR_FORMAT},
        {"P2 2 1 255 0 x5", 0, 1, {0}, CH_ERR_FORMAT},
        {"P2 2 1 255 0", 0, 1, {0}, CH_ERR_FORMAT},
        {"P5", 0, 1, {0}, CH_ERR_FORMAT},
        {"P7 what", 0, 1, {0}, CH_ERR_UNSUPPORTED},
        {"GIF89a", 0, 1, {0}, CH_ERR_UNSUPPORTED},
        {"", 0, 1, {0}, CH_ERR_FORMAT},
        {"\x89PNG", 0, 1, {0}, CH_ERR_FORMAT},
    };
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        support_memory memory;
        ch_picture picture = {-7, 0, 0, NULL};
        ch_context *context = support_context(&memory, 1);
        const char *path = support_path("kind.pnm");
        support_file_write(path, files[k].bytes,
                           files[k].count ? files[k].count : strlen(files[k].bytes));
        ch_status status = ch_picture_read(context, &picture, path);
        support_check((int)status == files[k].status, "file %zu: %d, %s", k, status,
                      ch_context_message(context));
        if (status == CH_OK) {
            assert_int_equal(picture.channels, files[k].channels);
            assert_memory_equal(picture.pixels, files[k].expected, 2 * (size_t)picture.channels);
            ch_picture_free(context, &picture);
        } else {
            assert_int_equal(picture.width, -7);
            support_message(context, "kind.pnm");
        }
        support_finish(context, &memory);
    }
}

static void write_mask(ch_context *context, const char *name, int64_t width, int64_t height,
                       int v) {
    uint8_t pixels[64 * 3];
    memset(pixels, v, sizeof pixels);
    ch_picture picture = {width, height, 1, pixels};
    check(context, ch_picture_write(context, support_path("%s", name), &picture));
}

static void test_masks(void **state) {
    support_memory memory;
    support_log log = {""};
    ch_masks masks = {sizeof masks, -7, 0, 0, NULL, NULL, NULL};
    (void)state;
    ch_context *context = support_context(&memory, 1);
    ch_context_set_log(context, support_log_keep, &log);
    char folder[1024];
    strcpy(folder, support_path("masks"));
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_IO);
    mkdir(folder, 0777);
    support_file_write(support_path("masks/README.txt"), "words", 5);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "no masks");
    write_mask(context, "masks/000349.png", 4, 3, 128);
    write_mask(context, "masks/20.png", 4, 3, 127);
    support_file_write(support_path("masks/0003.pgm"), "P2 4 3 255 0 0 0 0 1 1 1 1 255 255 255 255",
                       43);
    write_mask(context, "masks/gt7.png", 4, 3, 127);
    check(context, ch_masks_read(context, &masks, folder));
    assert_int_equal(masks.count, 3);
    assert_int_equal(masks.width, 4);
    assert_int_equal(masks.height, 3);
    assert_int_equal(masks.frame[0], 3);
    assert_int_equal(masks.frame[1], 20);
    assert_int_equal(masks.frame[2], 349);
    for (int j = 0; j < 12; j++) {
        assert_int_equal(masks.foreground[j], j >= 8);
        assert_int_equal(masks.foreground[12 + j], 0);
        assert_int_equal(masks.foreground[24 + j], 1);
    }
    ch_masks_free(context, &masks);
    assert_non_null(strstr(log.text, "gt7.png"));
    assert_null(strstr(log.text, "README"));
    write_mask(context, "masks/00020.png", 4, 3, 0);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "same frame");
    remove(support_path("masks/00020.png"));
    write_mask(context, "masks/21.png", 3, 4, 0);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "21.png: this mask is 3 x 4, but the masks before it are 4 x 3; all "
                             "masks must have the same size");
    support_file_write(support_path("masks/21.png"), "\x89PNG\r\n\x1a\nrubbish", 15);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "21.png");
    support_finish(context, &memory);
}

/* 4 x 3 pixels, 8 bits, from below: white but for the first column of the lowest row. */
static void write_region(const char *name) {
    uint8_t file[54 + 8 + 12] = {
        'B',      'M',      74,       [10] = 62,  [14] = 40, [18] = 4, [22] = 3,
        [26] = 1, [28] = 8, [46] = 2, [58] = 255, 255,       255};
    for (int k = 63; k < 74; k++) file[k] = 1;
    support_file_write(support_path("%s", name), file, sizeof file);
}

/* The gray codes of the benchmark in the first five pixels. */
static void write_codes(ch_context *context, const char *name) {
    uint8_t pixels[12] = {0, 50, 85, 170, 255, 255};
    pixels[8] = 255; /* where the region is black */
    ch_picture picture = {4, 3, 1, pixels};
    check(context, ch_picture_write(context, support_path("%s", name), &picture));
}

static void test_benchmark(void **state) {
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    char folder[1024];
    strcpy(folder, support_path("sequence"));
    mkdir(folder, 0777);
    mkdir(support_path("sequence/groundtruth"), 0777);
    mkdir(support_path("sequence/input"), 0777);
    for (int k = 1; k <= 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "sequence/groundtruth/gt%06d.png", k);
        write_codes(context, name);
    }
    ch_masks masks = {.size = sizeof masks};
    check(context, ch_masks_read(context, &masks, folder));
    assert_int_equal(masks.count, 4);
    assert_int_equal(masks.frame[0], 0); /* counted from 1 */
    static const uint8_t foreground[12] = {0, 0, 0, 0, 1, 1, 0, 0, 1};
    static const uint8_t counted[12] = {1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_memory_equal(masks.foreground, foreground, 12);
    assert_memory_equal(masks.counted, counted, 12);
    ch_masks_free(context, &masks);
    write_codes(context, "sequence/input/in000000.png"); /* frames counted from 0 */
    write_region("sequence/ROI.bmp");
    support_file_write(support_path("sequence/temporalROI.txt"), "2 3\n", 4);
    check(context, ch_masks_read(context, &masks, support_path("sequence/groundtruth")));
    assert_int_equal(masks.count, 2);
    assert_int_equal(masks.frame[0], 2);
    assert_int_equal(masks.frame[1], 3);
    for (int j = 0; j < 12; j++) assert_int_equal(masks.counted[12 + j], counted[j] && j != 8);
    ch_masks_free(context, &masks);
    support_file_write(support_path("sequence/temporalROI.txt"), "5 9\n", 4);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context,
                    "frames 5 to 9 are evaluated, but the folder has no mask of any of them");
    support_file_write(support_path("sequence/temporalROI.txt"), "all", 3);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "temporalROI.txt");
    remove(support_path("sequence/temporalROI.txt"));
    support_file_write(support_path("sequence/ROI.bmp"), "BM", 2);
    assert_int_equal(ch_masks_read(context, &masks, folder), CH_ERR_FORMAT);
    support_message(context, "ROI.bmp: the BMP file is truncated");
    support_finish(context, &memory);
}

static void test_fit(void **state) {
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    /* Pictures of 8 x 6; the part 2,1,4,4 reduced to 2 x 2. */
    ch_clip clip = {.size = sizeof clip,
                    .width = 2,
                    .height = 2,
                    .source_width = 8,
                    .source_height = 6,
                    .roi_x = 2,
                    .roi_y = 1,
                    .roi_width = 4,
                    .roi_height = 4};
    char folder[1024];
    strcpy(folder, support_path("fit"));
    mkdir(folder, 0777);
    support_file_write(support_path("fit/1.pgm"),
                       "P2 8 6 9 "
                       "9 9 9 9 9 9 9 9 "
                       "9 9 9 0 0 9 9 9 "
                       "9 9 0 0 9 9 9 9 "
                       "9 9 9 9 0 0 9 9 "
                       "9 9 0 0 0 0 9 9 "
                       "9 9 9 9 9 9 9 9 ",
                       9 + 96);
    ch_masks masks = {.size = sizeof masks};
    ch_picture picture;
    check(context, ch_masks_read(context, &masks, folder));
    check(context, ch_picture_read(context, &picture, support_path("fit/1.pgm")));
    check(context, ch_clip_fit_masks(context, &masks, &clip));
    check(context, ch_clip_fit_picture(context, &picture, &clip));
    assert_int_equal(masks.width, 2);
    static const uint8_t mask[] = {0, 1, 1, 0}, mean[] = {64, 191, 128, 0};
    assert_memory_equal(masks.foreground, mask, 4);
    assert_memory_equal(picture.pixels, mean, 4);
    check(context, ch_clip_fit_masks(context, &masks, &clip)); /* it fits already */
    assert_memory_equal(masks.foreground, mask, 4);
    clip.width = 3;
    assert_int_equal(ch_clip_fit_masks(context, &masks, &clip), CH_ERR_DATA);
    support_message(context,
                    "the masks are 2 x 2 pixels, but the pictures of the clip are 8 x 6 pixels");
    assert_int_equal(ch_clip_fit_picture(context, &picture, &clip), CH_ERR_DATA);
    ch_masks_free(context, &masks);
    ch_picture_free(context, &picture);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_jpeg),
        cmocka_unit_test(test_jpeg_reads_no_further),
        cmocka_unit_test(test_jpeg_read),
        cmocka_unit_test(test_jpeg_of_nothing),
        cmocka_unit_test(test_png_kinds),
        cmocka_unit_test(test_pnm),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_benchmark),
        cmocka_unit_test(test_fit),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
