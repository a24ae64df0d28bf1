/* PNG through libpng. Values are used as stored: no gamma, no colour management, since a mask's 128
 * must stay 128. */
#include "io/clip/frames.h"
#include <png.h>
#include <setjmp.h>
#include <string.h>
#include <zlib.h>

typedef struct reading {
    chi_picture_bytes *from;
    char reason[120];
    int no_memory;
} reading;

static void keep_reason(png_structp png, png_const_charp reason) {
    reading *r = png_get_error_ptr(png);
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp reason) {
    (void)png, (void)reason;
}

static void take_bytes(png_structp png, png_bytep to, size_t count) {
    chi_picture_bytes *from = png_get_io_ptr(png);
    if ((int64_t)count > from->count - from->place) png_error(png, "the file is truncated");
    memcpy(to, from->bytes + from->place, count);
    from->place += (int64_t)count;
}

static png_voidp hook_alloc(png_structp png, png_alloc_size_t bytes) {
    reading *r = png_get_mem_ptr(png);
    int small = bytes < (png_alloc_size_t)1 << 40;
    void *block = small ? chi_alloc(r->from->context, (int64_t)bytes, 1) : NULL;
    if (!block) r->no_memory = 1;
    return block;
}

static void hook_free(png_structp png, png_voidp block) {
    chi_free(((reading *)png_get_mem_ptr(png))->from->context, block);
}

/* Requests 8-bit gray or RGB, whatever the file holds. */
static int ask_for_bytes(png_structp png, png_infop info) {
    int colour = png_get_color_type(png, info) & (PNG_COLOR_MASK_COLOR | PNG_COLOR_MASK_PALETTE);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return colour ? 3 : 1;
}

/* Reads all rows into picture, which the caller frees after a jump. The memory of a row is first
 * touched when its bytes arrive; the first of several passes does not fill it. */
static void read_rows(png_structp png, png_infop info, const ch_picture *picture, int passes) {
    size_t pitch = (size_t)(picture->width * picture->channels);
    if (png_get_rowbytes(png, info) != pitch) png_error(png, "its rows have an unexpected length");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < picture->height; y++) {
            uint8_t *row = picture->pixels + (size_t)y * pitch;
            if (pass == 0) memset(row, 0, pitch);
            png_read_row(png, row, NULL);
        }
    png_read_end(png, NULL);
}

/* Everything that may jump is between setjmp and the end; data that must survive are in
 * *picture. */
static ch_status decode(png_structp png, png_infop info, ch_picture *picture, reading *r) {
    chi_picture_bytes *from = r->from;
    if (setjmp(png_jmpbuf(png))) {
        if (r->no_memory) return chi_no_memory(from->context, "decoding a PNG", 1, 1);
        return chi_fail(from->context, CH_ERR_FORMAT, "%s: the PNG file is damaged: %s", from->path,
                        r->reason);
    }
    png_set_user_limits(png, CHI_PIXELS_MAX, CHI_PIXELS_MAX);
    png_set_read_fn(png, from, take_bytes);
    png_read_info(png, info);
    int64_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    int64_t bits = (int64_t)png_get_bit_depth(png, info) * png_get_channels(png, info);
    TRY(chi_picture_check(from->context, from->path, width, height));
    /* Checks the stored size; deflate packs at most 1032 to one. */
    TRY(chi_plausible(from->context, from->path, width * height * bits / 8, 1, from->count,
                      CHI_DEFLATE_PACKING));
    int channels = ask_for_bytes(png, info); /* allocates memory for a row */
    TRY(chi_picture_create(from->context, picture, from->path, width, height, channels));
    read_rows(png, info, picture, passes);
    return CH_OK;
}

ch_status chi_png_read(ch_picture *picture, chi_picture_bytes *from) {
    reading r = {.from = from};
    png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, keep_reason,
                                               ignore_warning, &r, hook_alloc, hook_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    ch_status status = info ? decode(png, info, picture, &r)
                            : chi_no_memory(from->context, "decoding a PNG", 1, 1);
    png_destroy_read_struct(&png, &info, NULL);
    return status;
}

/* ---- writing ---- */

/* The zlib level. A background of 1920 x 1080 in colour took 0.38 s and 1.23 MB at level 6, 0.16 s
 * and 1.41 MB at level 3, 0.10 s and 1.59 MB at level 1. */
enum { LEVEL = 3 };

typedef struct writing {
    ch_context *context;
    uint8_t *bytes;
    size_t count, room;
    char reason[120];
} writing;

static void keep_writing_reason(png_structp png, png_const_charp reason) {
    writing *w = png_get_error_ptr(png);
    snprintf(w->reason, sizeof w->reason, "%s", reason);
    png_longjmp(png, 1);
}

static png_voidp writing_alloc(png_structp png, png_alloc_size_t bytes) {
    writing *w = png_get_mem_ptr(png);
    return chi_alloc(w->context, (int64_t)bytes, 1);
}

static void writing_free(png_structp png, png_voidp block) {
    chi_free(((writing *)png_get_mem_ptr(png))->context, block);
}

static void give_bytes(png_structp png, png_bytep from, size_t count) {
    writing *w = png_get_io_ptr(png);
    if (count > w->room - w->count) png_error(png, "the picture is larger than expected");
    memcpy(w->bytes + w->count, from, count);
    w->count += count;
}

static void flush_nothing(png_structp png) {
    (void)png;
}

/* Returns whether everything was written. */
static int encode(png_structp png, png_infop info, const ch_picture *picture, writing *w) {
    size_t pitch = (size_t)(picture->width * picture->channels);
    if (setjmp(png_jmpbuf(png))) return 0;
    png_set_write_fn(png, w, give_bytes, flush_nothing);
    png_set_compression_level(png, LEVEL);
    png_set_user_limits(png, CHI_PIXELS_MAX, CHI_PIXELS_MAX);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                 picture->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int64_t y = 0; y < picture->height; y++)
        png_write_row(png, picture->pixels + (size_t)y * pitch);
    png_write_end(png, NULL);
    return 1;
}

ch_status ch_picture_encode_png(ch_context *context, uint8_t **bytes, size_t *count,
                                const ch_picture *picture) {
    if (!context || !bytes || !count) return CH_ERR_ARGUMENT;
    TRY(chi_picture_given(context, picture));
    png_image size = {.version = PNG_IMAGE_VERSION,
                      .width = (png_uint_32)picture->width,
                      .height = (png_uint_32)picture->height,
                      .format = picture->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY};
    writing w = {.context = context, .room = PNG_IMAGE_PNG_SIZE_MAX(size)};
    w.bytes = chi_alloc(context, (int64_t)w.room, 1);
    if (!w.bytes) return chi_no_memory(context, "a PNG", (int64_t)w.room, 1);
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w, keep_writing_reason,
                                                ignore_warning, &w, writing_alloc, writing_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int done = info && encode(png, info, picture, &w);
    png_destroy_write_struct(&png, &info);
    if (!done) {
        chi_free(context, w.bytes);
        return chi_fail(
            context, CH_ERR_MEMORY,
            "the picture could not be encoded as PNG, probably because memory ran out: %s",
            w.reason);
    }
    *bytes = w.bytes;
    *count = w.count;
    return CH_OK;
}

static void put_number(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Pixels per unit across and down: fewer wide pixels fit in a unit of width. */
int chi_png_shape(uint8_t chunk[CHI_PNG_SHAPE], const int64_t aspect[2]) {
    enum { LENGTH = 9 };
    if (aspect[0] < 1 || aspect[1] < 1 || aspect[0] == aspect[1] || aspect[0] > INT32_MAX ||
        aspect[1] > INT32_MAX)
        return 0;
    put_number(chunk, LENGTH);
    memcpy(chunk + 4, "pHYs", 4);
    put_number(chunk + 8, (uint32_t)aspect[1]);
    put_number(chunk + 12, (uint32_t)aspect[0]);
    chunk[16] = 0; /* the unit is unspecified */
    put_number(chunk + 17, (uint32_t)crc32(0, chunk + 4, 4 + LENGTH));
    return 1;
}
