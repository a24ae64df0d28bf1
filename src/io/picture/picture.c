/* Pictures as bytes: created, checked, read by their first bytes, written as PNG. */
#include "io/clip/frames.h"
#include <string.h>

ch_status chi_picture_check(ch_context *context, const char *path, int64_t width, int64_t height) {
    if (width >= 1 && height >= 1 && width <= CHI_PIXELS_MAX && height <= CHI_PIXELS_MAX / width)
        return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: a picture of %lld x %lld pixels is not supported; width and height must "
                    "be at least 1, and their product at most %d",
                    path, (long long)width, (long long)height, CHI_PIXELS_MAX);
}

ch_status chi_picture_create(ch_context *context, ch_picture *picture, const char *path,
                             int64_t width, int64_t height, int channels) {
    TRY(chi_picture_check(context, path, width, height));
    uint8_t *pixels = chi_take(context, path, "pixels", width * height * channels, 1);
    if (!pixels) return CH_ERR_MEMORY;
    *picture = (ch_picture){width, height, channels, pixels};
    return CH_OK;
}

void ch_picture_free(ch_context *context, ch_picture *picture) {
    if (!context || !picture) return;
    chi_free(context, picture->pixels);
    memset(picture, 0, sizeof *picture);
}

void ch_picture_bytes_free(ch_context *context, uint8_t *bytes) {
    if (context) chi_free(context, bytes);
}

typedef struct picture_format {
    unsigned char first[8]; /* bytes that a file begins with */
    size_t length;
    ch_status (*read)(ch_picture *picture, chi_picture_bytes *from);
} picture_format;

static ch_status read_jpeg(ch_picture *picture, chi_picture_bytes *from) {
    return chi_jpeg_read(picture, from, 0);
}

static const picture_format formats[] = {
    {{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, 8, chi_png_read},
    {{0xff, 0xd8, 0xff}, 3, read_jpeg},
    {"BM", 2, chi_bmp_read},
    {"P1", 2, chi_pnm_read},
    {"P2", 2, chi_pnm_read},
    {"P3", 2, chi_pnm_read},
    {"P4", 2, chi_pnm_read},
    {"P5", 2, chi_pnm_read},
    {"P6", 2, chi_pnm_read},
};

/* A file truncated in its first bytes is identified by these bytes; a single byte can only be a PNG
 * or a JPEG. */
static const picture_format *find_format(const chi_picture_bytes *from) {
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const picture_format *format = &formats[k];
        size_t known = (size_t)from->count < format->length ? (size_t)from->count : format->length;
        if (memcmp(from->bytes, format->first, known) != 0) continue;
        if (known == format->length || format->first[0] > 127) return format;
    }
    return NULL;
}

int chi_picture_known(const chi_picture_bytes *from) {
    return find_format(from) != NULL;
}

int chi_is_jpeg(const chi_picture_bytes *from) {
    const picture_format *format = find_format(from);
    return format && format->read == read_jpeg;
}

ch_status chi_picture_decode(ch_picture *picture, chi_picture_bytes *from) {
    if (from->count == 0)
        return chi_fail(from->context, CH_ERR_FORMAT, "%s: the file is empty", from->path);
    const picture_format *format = find_format(from);
    if (format) return format->read(picture, from);
    return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                    "%s: the file is not a PNG, JPEG, BMP, PBM, PGM or PPM picture", from->path);
}

ch_status chi_picture_given(ch_context *context, const ch_picture *picture) {
    if (!picture || !picture->pixels || (picture->channels != 1 && picture->channels != 3))
        return chi_fail(
            context, CH_ERR_ARGUMENT,
            "a picture to be written must have 1 or 3 channels, and its pixels must not be NULL");
    return chi_picture_check(context, "a picture to be written", picture->width, picture->height);
}

ch_status ch_picture_read(ch_context *context, ch_picture *picture, const char *path) {
    chi_picture_bytes from = {.context = context, .path = path};
    ch_picture made = {0, 0, 0, NULL};
    if (!context || !picture) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a picture"));
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status = chi_load_source(context, store, &from.bytes, &from.count, path);
    if (status == CH_OK) status = chi_picture_decode(&made, &from);
    chi_store_release(context, store);
    if (status == CH_OK)
        *picture = made;
    else
        ch_picture_free(context, &made);
    return status;
}

ch_status ch_picture_write(ch_context *context, const char *path, const ch_picture *picture) {
    return ch_picture_write_shaped(context, path, picture, (const int64_t[2]){0, 0});
}

/* Writes the file's beginning up to its first chunk, then pHYs, then the rest. */
static ch_status put_png(ch_output_file *output, const uint8_t *bytes, size_t count,
                         const int64_t aspect[2]) {
    enum { BEGINNING = 8 + 25 }; /* the signature, and IHDR */
    uint8_t shape[CHI_PNG_SHAPE];
    size_t before = chi_png_shape(shape, aspect) ? BEGINNING : 0;
    if (before) {
        TRY(ch_output_file_write(output, bytes, before));
        TRY(ch_output_file_write(output, shape, sizeof shape));
    }
    return ch_output_file_write(output, bytes + before, count - before);
}

ch_status ch_picture_write_shaped(ch_context *context, const char *path, const ch_picture *picture,
                                  const int64_t aspect[2]) {
    uint8_t *bytes;
    size_t count;
    ch_output_file *output;
    if (!aspect) return CH_ERR_ARGUMENT;
    TRY(ch_picture_encode_png(context, &bytes, &count, picture));
    ch_status status = ch_output_file_open(context, &output, path);
    if (status == CH_OK) status = chi_output_close(output, put_png(output, bytes, count, aspect));
    ch_picture_bytes_free(context, bytes);
    return status;
}
