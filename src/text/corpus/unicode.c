/* Code points by tables of our own: the C library's know only what the locale of the process says,
 * and a library must not depend on it. Binary searches, O(log table); ASCII without any.
 *
 * UTF-8 as in RFC 3629, section 4: the second byte's range depends on the first, which is how
 * overlong forms, surrogates and code points beyond U+10FFFF are excluded. */
#include "text/corpus/unicode.h"

static chi_letter_kind ascii_kind(uint32_t code) {
    if (code - '0' < 10) return CHI_NUMBER;
    return (code | 0x20) - 'a' < 26 ? CHI_LETTER : CHI_OTHER;
}

chi_letter_kind chi_letter(uint32_t code) {
    if (code < 0x80) return ascii_kind(code);
    int low = 0, high = chi_letter_switch_count;
    while (high - low > 1) { /* the switch at low is at or before code, the one at high after it */
        int middle = (low + high) / 2;
        if (chi_letter_switches[middle] >> 2 <= code)
            low = middle;
        else
            high = middle;
    }
    return (chi_letter_kind)(chi_letter_switches[low] & 3);
}

uint32_t chi_lower(uint32_t code) {
    if (code < 0x80) return code - 'A' < 26 ? code | 0x20 : code;
    int low = 0, high = chi_lowering_count;
    while (low < high) {
        int middle = (low + high) / 2;
        const chi_lowering *row = &chi_lowerings[middle];
        if (row->last < code)
            low = middle + 1;
        else if (row->first > code)
            high = middle;
        else
            return (code - row->first) % (uint32_t)row->step == 0
                       ? (uint32_t)((int32_t)code + row->distance)
                       : code;
    }
    return code;
}

uint32_t chi_compose(uint32_t letter, uint32_t mark) {
    int low = 0, high = chi_composition_count;
    while (low < high) {
        int middle = (low + high) / 2;
        const chi_composition *row = &chi_compositions[middle];
        if (row->letter == letter && row->mark == mark) return row->whole;
        if (row->letter < letter || (row->letter == letter && row->mark < mark))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

int chi_utf8_encode(char text[4], uint32_t code) {
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    int count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = count - 1; i > 0; i--, code >>= 6) text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)((count == 2 ? 0xc0 : count == 3 ? 0xe0 : 0xf0) | code);
    return count;
}

static chi_utf8_state begin(chi_utf8 *decoder, uint8_t byte) {
    decoder->low = 0x80;
    decoder->high = 0xbf;
    decoder->lead = byte;
    decoder->taken = 0;
    if (byte < 0x80) {
        decoder->code = byte;
        return CHI_UTF8_DONE;
    }
    if (byte < 0xc2 || byte > 0xf4) return CHI_UTF8_BAD;
    decoder->taken = 1;
    decoder->missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    decoder->code = byte & (0x3fu >> decoder->missing);
    if (byte == 0xe0) decoder->low = 0xa0;
    if (byte == 0xed) decoder->high = 0x9f;
    if (byte == 0xf0) decoder->low = 0x90;
    if (byte == 0xf4) decoder->high = 0x8f;
    return CHI_UTF8_MORE;
}

chi_utf8_state chi_utf8_decode(chi_utf8 *decoder, uint8_t byte) {
    if (decoder->missing == 0) return begin(decoder, byte);
    if (byte < decoder->low || byte > decoder->high) return CHI_UTF8_BAD;
    decoder->taken++;
    decoder->code = decoder->code << 6 | (byte & 0x3f);
    decoder->low = 0x80;
    decoder->high = 0xbf;
    return --decoder->missing == 0 ? CHI_UTF8_DONE : CHI_UTF8_MORE;
}

int64_t chi_utf8_check(const char *text, int64_t count) {
    chi_utf8 decoder = {0};
    for (int64_t i = 0; i < count; i++)
        if (chi_utf8_decode(&decoder, (uint8_t)text[i]) == CHI_UTF8_BAD) return i - decoder.taken;
    return decoder.missing ? count - decoder.taken : -1;
}
