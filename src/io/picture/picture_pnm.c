/* PBM, PGM and PPM, as texts (P1 P2 P3) and binary (P4 P5 P6). Values above 255 are scaled by
 * 255 / maximum; ink of a PBM is black. */
#include "io/clip/frames.h"
#include <ctype.h>

static ch_status fail_short(const chi_picture_bytes *from) {
    return chi_fail(from->context, CH_ERR_FORMAT,
                    "%s: the PBM, PGM or PPM file is truncated after %lld bytes", from->path,
                    (long long)from->count);
}

static void skip_space(chi_picture_bytes *from) {
    int comment = 0;
    for (; from->place < from->count; from->place++) {
        int c = from->bytes[from->place];
        if (c == '#') comment = 1;
        if (c == '\n' || c == '\r') comment = 0;
        if (!comment && !isspace(c)) break;
    }
}

/* A number of at most 9 digits after white space and comments. */
static ch_status read_number(chi_picture_bytes *from, int64_t *number, int single) {
    skip_space(from);
    if (from->place >= from->count) return fail_short(from);
    int64_t value = 0, digits = 0, most = single ? 1 : 9;
    for (; from->place < from->count && digits < most && isdigit(from->bytes[from->place]);
         digits++)
        value = 10 * value + (from->bytes[from->place++] - '0');
    if (!digits)
        return chi_fail(from->context, CH_ERR_FORMAT,
                        "%s: the PBM, PGM or PPM file is damaged: byte %lld must be a digit",
                        from->path, (long long)from->place);
    *number = value;
    return CH_OK;
}

typedef struct pnm_head {
    int kind; /* 1..6 */
    int64_t width, height, maximum;
    int channels;
} pnm_head;

static ch_status read_head(chi_picture_bytes *from, pnm_head *head) {
    head->kind = from->bytes[1] - '0';
    head->channels = head->kind % 3 ? 1 : 3;
    head->maximum = 1;
    from->place = 2;
    TRY(read_number(from, &head->width, 0));
    TRY(read_number(from, &head->height, 0));
    if (head->kind % 3 != 1) TRY(read_number(from, &head->maximum, 0));
    if (head->maximum < 1 || head->maximum > 65535)
        return chi_fail(from->context, CH_ERR_FORMAT,
                        "%s: the header states %lld as the largest value of a pixel, but it must "
                        "be from 1 to 65535",
                        from->path, (long long)head->maximum);
    if (head->kind > 3) from->place++; /* one white space, then the values */
    return chi_picture_check(from->context, from->path, head->width, head->height);
}

static uint8_t shade(const pnm_head *head, int64_t value) {
    if (head->kind % 3 == 1) return value ? 0 : 255; /* ink */
    if (head->maximum == 255) return (uint8_t)value;
    if (value > head->maximum) value = head->maximum;
    return (uint8_t)((2 * 255 * value + head->maximum) / (2 * head->maximum));
}

static ch_status read_text(chi_picture_bytes *from, const pnm_head *head, ch_picture *picture) {
    int64_t total = head->width * head->height * head->channels, value = 0;
    for (int64_t k = 0; k < total; k++) {
        TRY(read_number(from, &value, head->kind == 1));
        if (value > head->maximum)
            return chi_fail(
                from->context, CH_ERR_FORMAT,
                "%s: a pixel has the value %lld, but the header states %lld as the largest value",
                from->path, (long long)value, (long long)head->maximum);
        picture->pixels[k] = shade(head, value);
    }
    return CH_OK;
}

/* Rows of a PBM begin at whole bytes. */
static int bit_at(const unsigned char *values, int64_t width, int64_t k) {
    int64_t x = k % width, pitch = (width + 7) / 8;
    return values[k / width * pitch + x / 8] >> (7 - x % 8) & 1;
}

static void read_binary(const chi_picture_bytes *from, const pnm_head *head, ch_picture *picture) {
    int64_t total = head->width * head->height * head->channels;
    const unsigned char *values = from->bytes + from->place;
    int wide = head->maximum > 255, bits = head->kind == 4;
    for (int64_t k = 0; k < total; k++)
        picture->pixels[k] = shade(head, bits   ? bit_at(values, head->width, k)
                                         : wide ? values[2 * k] << 8 | values[2 * k + 1]
                                                : values[k]);
}

/* The minimum number of bytes that the values take. */
static int64_t least_bytes(const pnm_head *head) {
    int64_t total = head->width * head->height * head->channels;
    if (head->kind == 4) return (head->width + 7) / 8 * head->height;
    if (head->kind == 1) return total;
    if (head->kind < 4) return 2 * total - 1;
    return head->maximum > 255 ? 2 * total : total;
}

ch_status chi_pnm_read(ch_picture *picture, chi_picture_bytes *from) {
    pnm_head head;
    TRY(read_head(from, &head));
    if (from->count - from->place < least_bytes(&head)) return fail_short(from);
    TRY(chi_picture_create(from->context, picture, from->path, head.width, head.height,
                           head.channels));
    if (head.kind < 4) return read_text(from, &head, picture);
    read_binary(from, &head, picture);
    return CH_OK;
}
