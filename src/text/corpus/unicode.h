/* Code points: from bytes, to bytes, what they are, and how they are lowered and composed. */
#ifndef CONEHULL_UNICODE_H
#define CONEHULL_UNICODE_H

#include <stdint.h>

/* Unicode categories L, N and M; everything else separates words. */
typedef enum chi_letter_kind { CHI_OTHER, CHI_LETTER, CHI_NUMBER, CHI_MARK } chi_letter_kind;

chi_letter_kind chi_letter(uint32_t code);

/* Simple lower case: one code point for one. */
uint32_t chi_lower(uint32_t code);

/* The one code point for a letter and the mark after it, 0 when there is none. */
uint32_t chi_compose(uint32_t letter, uint32_t mark);

/* Bytes written to text, 1 to 4. */
int chi_utf8_encode(char text[4], uint32_t code);

/* One byte at a time. A decoder of zeros is ready. */
typedef struct chi_utf8 {
    uint32_t code;     /* so far                             */
    int missing;       /* bytes that the code point still needs */
    int taken;         /* bytes of it so far                 */
    uint8_t lead;      /* the first of them                  */
    uint8_t low, high; /* what the next one may be, when missing */
} chi_utf8;

typedef enum chi_utf8_state { CHI_UTF8_MORE, CHI_UTF8_DONE, CHI_UTF8_BAD } chi_utf8_state;

/* CHI_UTF8_DONE: decoder->code is complete. CHI_UTF8_BAD for what RFC 3629 does not allow: stray
 * and missing bytes, overlong forms, surrogates, beyond U+10FFFF. */
chi_utf8_state chi_utf8_decode(chi_utf8 *decoder, uint8_t byte);

/* Where the first character of text[0..count) that is not UTF-8 begins, or -1. */
int64_t chi_utf8_check(const char *text, int64_t count);

/* unicode_table.c */
typedef struct chi_lowering {
    uint32_t first, last;
    int32_t step, distance;
} chi_lowering;
typedef struct chi_composition {
    uint32_t letter, mark, whole;
} chi_composition;
extern const uint32_t chi_letter_switches[]; /* code point << 2 | kind from there on, rising */
extern const int chi_letter_switch_count;
extern const chi_lowering chi_lowerings[];
extern const int chi_lowering_count;
extern const chi_composition chi_compositions[];
extern const int chi_composition_count;

#endif
