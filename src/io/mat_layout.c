/* Does a MATLAB file hold all it announces? matio fills what is missing with whatever it finds, and
 * takes as much memory as a length in a head asks for, so the lengths are followed here, from
 * element to element, to the end of the file, and looked at where a variable begins:
 *
 *     version 5, 7:  128 bytes; then type (4 bytes), length (4 bytes), contents. Those of a
 *                    variable are such elements again: flags, sizes, name, values; all of them may
 *                    be compressed
 *     version 4:     type "MOPT", rows, columns, imaginary part, length of the name (4 bytes each),
 *                    name, values
 *
 * Version 7.3 is HDF5, which looks at its own length. Reference: MathWorks, "MAT-File Format". */
#include "io/format.h"
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = 128, TAG = 8, OLD_HEADER = 20 };
enum { UINT32 = 6, INT32 = 5, MATRIX = 14, COMPRESSED = 15, OPAQUE_CLASS = 17 };
enum { BEGIN = 256, PACKED = 4096, DIMS_MAX = 32, NAME_MAX_BYTES = 4096 };

typedef struct reader {
    int fd;
    int64_t size;
    int swap;
} reader;

static int read_words(const reader *r, uint32_t *words, int count, int64_t offset) {
    size_t bytes = 4 * (size_t)count;
    if (offset > r->size - (int64_t)bytes || pread(r->fd, words, bytes, offset) != (ssize_t)bytes)
        return 0;
    for (int w = 0; w < count; w++)
        if (r->swap) words[w] = __builtin_bswap32(words[w]);
    return 1;
}

static uint32_t word_at(const reader *r, const unsigned char *bytes, int64_t at) {
    uint32_t word;
    memcpy(&word, bytes + at, 4);
    return r->swap ? __builtin_bswap32(word) : word;
}

/* The beginning of a variable: flags, sizes and name, of lengths that such things have. */
static int variable_plausible(const reader *r, const unsigned char *bytes, int64_t count) {
    if (count < 24 || word_at(r, bytes, 0) != UINT32 || word_at(r, bytes, 4) != 8) return 0;
    if ((word_at(r, bytes, 8) & 255) == OPAQUE_CLASS) return 1; /* has a name, and no sizes */
    int64_t sizes = word_at(r, bytes, 20), name = 24 + (sizes + 7) / 8 * 8;
    if (word_at(r, bytes, 16) != INT32 || sizes % 4 || sizes > 4 * DIMS_MAX || name + TAG > count)
        return 0;
    if (word_at(r, bytes, name) >> 16) return 1; /* short: up to 4 letters, in the tag itself */
    return word_at(r, bytes, name + 4) <= NAME_MAX_BYTES;
}

/* Up to BEGIN bytes of what the element at offset unpacks to. */
static int64_t unpack(const reader *r, unsigned char *bytes, int64_t offset, int64_t length) {
    unsigned char packed[PACKED];
    z_stream stream = {0};
    size_t count = length < PACKED ? (size_t)length : PACKED;
    ssize_t got = pread(r->fd, packed, count, offset);
    if (got <= 0 || inflateInit(&stream) != Z_OK) return 0;
    stream.next_in = packed;
    stream.avail_in = (uInt)got;
    stream.next_out = bytes;
    stream.avail_out = BEGIN;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return BEGIN - (int64_t)stream.avail_out;
}

static int element_plausible(const reader *r, const uint32_t tag[2], int64_t at) {
    unsigned char bytes[BEGIN];
    int64_t length = tag[1];
    if (tag[0] == COMPRESSED) {
        int64_t count = unpack(r, bytes, at, length);
        return count > TAG && word_at(r, bytes, 0) == MATRIX &&
               variable_plausible(r, bytes + TAG, count - TAG);
    }
    if (tag[0] != MATRIX) return 1; /* matio passes over it */
    ssize_t got = pread(r->fd, bytes, length < BEGIN ? (size_t)length : BEGIN, at);
    return variable_plausible(r, bytes, got);
}

static int elements_complete(const reader *r) {
    int64_t at = HEADER;
    uint32_t tag[2];
    while (at < r->size) {
        if (!read_words(r, tag, 2, at) || !element_plausible(r, tag, at + TAG)) return 0;
        at += TAG + (int64_t)tag[1];
        if (at == r->size) break; /* the last one needs no padding */
        if (tag[0] != COMPRESSED) at = (at + 7) / 8 * 8;
    }
    return at == r->size;
}

/* Bytes of one value, from the decimal digit P of the type. */
static int64_t old_value_size(uint32_t type) {
    static const int sizes[] = {8, 4, 4, 2, 2, 1};
    uint32_t digit = type / 10 % 10;
    return digit < 6 ? sizes[digit] : -1;
}

static int old_complete(const reader *r) {
    int64_t at = 0, count, bytes;
    uint32_t head[5];
    while (at < r->size) {
        if (!read_words(r, head, 5, at)) return 0;
        int64_t size = old_value_size(head[0]) * (head[3] ? 2 : 1);
        if (size < 0 || __builtin_mul_overflow((int64_t)head[1], (int64_t)head[2], &count) ||
            __builtin_mul_overflow(count, size, &bytes) || bytes > r->size)
            return 0;
        at += OLD_HEADER + (int64_t)head[4] + bytes;
    }
    return at == r->size;
}

int chi_mat_complete(int fd, int64_t size) {
    unsigned char head[HEADER];
    reader r = {fd, size, 0};
    ssize_t got = pread(fd, head, sizeof head, 0);
    if (got == HEADER && !memcmp(head, "MATLAB 7.3", 10)) return 1;
    int little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (got == HEADER && (!memcmp(head + 126, "IM", 2) || !memcmp(head + 126, "MI", 2))) {
        r.swap = (head[126] == 'M') == little;
        return elements_complete(&r);
    }
    if (got < OLD_HEADER || (head[0] != 0 && head[3] != 0)) return 0;
    uint32_t type; /* at most 4052 on either side, so the other order is far larger */
    memcpy(&type, head, 4);
    r.swap = type > 9999;
    return old_complete(&r);
}
