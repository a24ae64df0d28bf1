/* Makes text from files safe for messages: it must not control the terminal on which it is shown,
 * nor break a reader that requires UTF-8. */
#include "base/context_internal.h"

/* Returns the number of bytes of the character at text, or 0 for a control character (C0, DEL, C1)
 * or invalid UTF-8. */
static int letter_length(const unsigned char *text) {
    /* Smallest code point by length. Smaller ones are C1 controls or overlong encodings. */
    static const uint32_t smallest[] = {0, 0, 0xa0, 0x800, 0x10000};
    if (*text < 0x80) return *text >= ' ' && *text != 0x7f;
    int length = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
    if (*text < 0xc0 || *text > 0xf4) return 0;
    uint32_t code = *text & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0; /* also stops at the terminating zero */
        code = code << 6 | (text[i] & 0x3f);
    }
    int fine = code >= smallest[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return fine ? length : 0;
}

void ch_text_make_printable(char *text) {
    unsigned char *at = (unsigned char *)text;
    while (*at) {
        int length = letter_length(at);
        if (!length) *at = '?';
        at += length ? length : 1;
    }
}
