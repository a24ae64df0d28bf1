/* Code points by utf8proc, whose tables, unlike the C library's, do not depend on the locale of the
 * process. */
#include "text/corpus/unicode.h"
#include <string.h>
#include <utf8proc.h>

chi_letter_kind chi_letter(uint32_t code) {
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_NO) return CHI_OTHER;
    if (category <= UTF8PROC_CATEGORY_LO) return CHI_LETTER;
    return category <= UTF8PROC_CATEGORY_ME ? CHI_MARK : CHI_NUMBER;
}

uint32_t chi_lower(uint32_t code) {
    enum { I_WITH_DOT = 0x130 }; /* lower case: two code points, i and the dot */
    return code == I_WITH_DOT ? code : (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
}

uint32_t chi_compose(uint32_t letter, uint32_t mark) {
    utf8proc_int32_t pair[3] = {(utf8proc_int32_t)letter, (utf8proc_int32_t)mark};
    utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    return utf8proc_normalize_utf32(pair, 2, how) == 1 ? (uint32_t)pair[0] : 0;
}

int chi_utf8_encode(char text[4], uint32_t code) {
    return (int)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)text);
}

int chi_utf8_decode(uint32_t *code, const char *text, int64_t count) {
    utf8proc_int32_t found;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text, count, &found);
    if (length > 0) *code = (uint32_t)found;
    if (length > 0 || count > 3) return length > 0 ? (int)length : -1;
    /* Some character begins with these bytes if the lowest or the highest bytes complete it. */
    utf8proc_uint8_t low[4] = {0x80, 0x80, 0x80, 0x80}, high[4] = {0xbf, 0xbf, 0xbf, 0xbf};
    memcpy(low, text, (size_t)count);
    memcpy(high, text, (size_t)count);
    return utf8proc_iterate(low, 4, &found) > 0 || utf8proc_iterate(high, 4, &found) > 0 ? 0 : -1;
}

int64_t chi_utf8_check(const char *text, int64_t count) {
    uint32_t code;
    for (int64_t at = 0; at < count;) {
        int length = chi_utf8_decode(&code, text + at, count - at);
        if (length <= 0) return at;
        at += length;
    }
    return -1;
}
