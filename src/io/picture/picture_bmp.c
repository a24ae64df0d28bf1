/* BMP as benchmarks use it for regions: uncompressed, 8 bits with a palette, or 24 or 32 bits per
 * pixel; rows are padded to 4 bytes and go upwards unless the height is negative. */
#include "io/clip/frames.h"

enum { HEAD = 54, PALETTE = 1024 };

typedef struct bmp_head {
    int64_t data, width, height, pitch, palette;
    int downwards, bits, colours;
} bmp_head;

static int64_t number_at(const chi_picture_bytes *from, int64_t at, int bytes) {
    uint32_t value = 0;
    for (int k = bytes - 1; k >= 0; k--) value = value << 8 | from->bytes[at + k];
    return bytes == 4 ? (int32_t)value : (int64_t)value;
}

static ch_status fail_short(const chi_picture_bytes *from) {
    return chi_fail(from->context, CH_ERR_FORMAT, "%s: the BMP file is truncated after %lld bytes",
                    from->path, (long long)from->count);
}

static ch_status read_head(const chi_picture_bytes *from, bmp_head *head) {
    if (from->count < HEAD) return fail_short(from);
    int64_t size = number_at(from, 14, 4), height = number_at(from, 22, 4);
    head->data = number_at(from, 10, 4);
    head->width = number_at(from, 18, 4);
    head->downwards = height < 0;
    head->height = height < 0 ? -height : height;
    head->bits = (int)number_at(from, 28, 2);
    head->colours = (int)number_at(from, 46, 4);
    head->palette = 14 + size;
    if (size < 40 || size > 124 || number_at(from, 30, 4) != 0 ||
        (head->bits != 8 && head->bits != 24 && head->bits != 32))
        return chi_fail(from->context, CH_ERR_UNSUPPORTED,
                        "%s: this kind of BMP picture is not supported; use an uncompressed BMP "
                        "picture with 8, 24 or 32 bits per pixel",
                        from->path);
    TRY(chi_picture_check(from->context, from->path, head->width, head->height));
    head->pitch = (head->width * head->bits / 8 + 3) / 4 * 4;
    if (head->colours <= 0 || head->colours > 256) head->colours = 256;
    int64_t before = head->bits == 8 ? head->palette + 4 * head->colours : HEAD;
    if (head->data < before)
        return chi_fail(from->context, CH_ERR_FORMAT,
                        "%s: the BMP file is damaged: its pixels begin inside its header",
                        from->path);
    return from->count - head->data < head->pitch * head->height ? fail_short(from) : CH_OK;
}

/* A palette in which red, green and blue are equal makes a gray picture. */
static int is_gray(const chi_picture_bytes *from, const bmp_head *head) {
    const unsigned char *entry = from->bytes + head->palette;
    for (int k = 0; k < head->colours && head->bits == 8; k++, entry += 4)
        if (entry[0] != entry[1] || entry[1] != entry[2]) return 0;
    return head->bits == 8;
}

ch_status chi_bmp_read(ch_picture *picture, chi_picture_bytes *from) {
    bmp_head head = {0};
    TRY(read_head(from, &head));
    int channels = is_gray(from, &head) ? 1 : 3;
    TRY(chi_picture_create(from->context, picture, from->path, head.width, head.height, channels));
    uint8_t *to = picture->pixels;
    for (int64_t y = 0; y < head.height; y++) {
        int64_t row = head.downwards ? y : head.height - 1 - y;
        const unsigned char *at = from->bytes + head.data + row * head.pitch;
        for (int64_t x = 0; x < head.width; x++, at += head.bits / 8) {
            int index = *at < head.colours ? *at : 0;
            const unsigned char *blue =
                head.bits == 8 ? from->bytes + head.palette + 4 * index : at;
            for (int c = 0; c < channels; c++) *to++ = blue[2 - c];
        }
    }
    return CH_OK;
}
