/* Code points: from bytes, to bytes, what they are, and how they are lowered and composed. */
#pragma once

#include <stdint.h>

/* Unicode categories L, N and M; everything else, and what is not assigned, separates words. */
typedef enum chi_letter_kind { CHI_OTHER, CHI_LETTER, CHI_NUMBER, CHI_MARK } chi_letter_kind;

chi_letter_kind chi_letter(uint32_t code);

/* Lower case where it is one code point. */
uint32_t chi_lower(uint32_t code);

/* The one code point for a letter and the mark after it, 0 when there is none. */
uint32_t chi_compose(uint32_t letter, uint32_t mark);

/* Returns the bytes written to text, 1 to 4. */
int chi_utf8_encode(char text[4], uint32_t code);

/* Returns the bytes of the character that text[0..count) begins with; 0 when it needs more than
 * there are; -1 for what RFC 3629 does not allow: stray and missing bytes, overlong forms,
 * surrogates, beyond U+10FFFF. count is at least 1. */
int chi_utf8_decode(uint32_t *code, const char *text, int64_t count);

/* Where the first character of text[0..count) that is not UTF-8 begins, or -1. */
int64_t chi_utf8_check(const char *text, int64_t count);
