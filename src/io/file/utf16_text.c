/* Converts UTF-16 to UTF-8 (Unicode Standard, section 3.9): Excel and Windows save "Unicode text"
 * in UTF-16 with a byte order mark. A unit of 2 bytes becomes 1 to 3 bytes; two surrogates become
 * 4. */
#include "io/file/format.h"

enum { REPLACEMENT = 0xfffd };

int chi_utf16_big(const char *bytes, int64_t count) {
    const unsigned char *at = (const unsigned char *)bytes;
    if (count < 2) return -1;
    if (at[0] == 0xff && at[1] == 0xfe) return 0;
    return at[0] == 0xfe && at[1] == 0xff ? 1 : -1;
}

static char *put(char *to, unsigned code) {
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int k = length - 1; k > 0; k--, code >>= 6) to[k] = (char)(0x80 | (code & 0x3f));
    *to = (char)(length > 1 ? first[length] | code : code);
    return to + length;
}

static unsigned unit(const unsigned char *at, int big) {
    return (unsigned)at[!big] << 8 | at[big];
}

int64_t chi_utf16_convert(char *to, const char *from, int64_t *count, int big, int last) {
    const unsigned char *at = (const unsigned char *)from, *end = at + *count;
    char *begin = to;
    while (end - at >= 2) {
        unsigned code = unit(at, big);
        int high = code >= 0xd800 && code < 0xdc00;
        if (high && end - at < 4 && !last) break;
        unsigned low = high && end - at >= 4 ? unit(at + 2, big) : 0;
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            at += 2;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = REPLACEMENT; /* half of a pair */
        }
        at += 2;
        to = put(to, code);
    }
    if (last && at < end) {
        to = put(to, REPLACEMENT); /* half of a unit */
        at = end;
    }
    *count = at - (const unsigned char *)from;
    return to - begin;
}
