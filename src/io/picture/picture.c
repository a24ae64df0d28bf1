/* Pictures as bytes: made, checked, read by what the file begins with, written as PNG. */
#include "io/clip/frames.h"
#include <string.h>

ch_status chi_picture_check(ch_context *context, const char *path, int64_t width, int64_t height) {
    if (width >= 1 && height >= 1 && width <= CHI_PIXELS_MAX && height <= CHI_PIXELS_MAX / width)
        return CH_OK;
    return chi_fail(context, CH_ERR_FORMAT,
                    "%s: a picture of %lld x %lld; from 1 to %d pixels are taken", path,
                    (long long)width, (long long)height, CHI_PIXELS_MAX);
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

static ch_status read_bytes(ch_picture *picture, chi_picture_bytes *from) {
    static const unsigned char png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const unsigned char *bytes = from->bytes;
    if (from->count == 0)
        return chi_fail(from->context, CH_ERR_FORMAT, "%s: the file is empty", from->path);
    size_t known = (size_t)from->count < sizeof png ? (size_t)from->count : sizeof png;
    if (memcmp(bytes, png, known) == 0) return chi_png_read(picture, from);
    if (from->count >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6')
        return chi_pnm_read(picture, from);
    if (from->count >= 2 && bytes[0] == 'B' && bytes[1] == 'M') return chi_bmp_read(picture, from);
    return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                    "%s: not a PNG, BMP, PBM, PGM or PPM picture", from->path);
}

ch_status ch_picture_read(ch_context *context, ch_picture *picture, const char *path) {
    chi_picture_bytes from = {.context = context, .path = path};
    ch_picture made = {0, 0, 0, NULL};
    if (!context || !picture) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a picture"));
    chi_store *store = chi_store_create(context);
    if (!store) return CH_ERR_MEMORY;
    ch_status status = chi_load_source(context, store, &from.bytes, &from.count, path);
    if (status == CH_OK) status = read_bytes(&made, &from);
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

/* The file's beginning up to its first chunk, pHYs, and the rest. */
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
