/* Does a MATLAB file hold all it announces? matio fills what is missing with whatever it finds, so
 * the lengths are followed here, from element to element, to the end of the file:
 *
 *     version 5, 7:  128 bytes; then type (4 bytes), length (4 bytes), contents
 *     version 4:     type "MOPT", rows, columns, imaginary part, length of the name (4 bytes each),
 *                    name, values
 *
 * Version 7.3 is HDF5, which looks at its own length. Reference: MathWorks, "MAT-File Format". */
#include "io/format.h"
#include <string.h>
#include <unistd.h>

enum { HEADER = 128, TAG = 8, OLD_HEADER = 20, COMPRESSED = 15 };

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

static int elements_complete(const reader *r) {
    int64_t at = HEADER;
    uint32_t tag[2];
    while (at < r->size) {
        if (!read_words(r, tag, 2, at)) return 0;
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
