/* Code points: decode, encode, classify, lowercase and compose. */
#pragma once

#include <stdint.h>

/* Unicode categories L, N and M. All others, and unassigned code points, separate words. */
typedef enum chi_letter_kind { CHI_OTHER, CHI_LETTER, CHI_NUMBER, CHI_MARK } chi_letter_kind;

chi_letter_kind chi_letter(uint32_t code);

/* Returns the lower case of a code point if it is a single code point, else the code point
 * itself. */
uint32_t chi_lower(uint32_t code);

/* Returns the single code point for a letter and the mark after it, or 0 if there is none. */
uint32_t chi_compose(uint32_t letter, uint32_t mark);

/* Returns the number of bytes written to text, 1 to 4. */
int chi_utf8_encode(char text[4], uint32_t code);

/* Returns the length of the character at the start of text[0..count); 0 if it is incomplete; -1 for
 * what RFC 3629 forbids: stray and missing bytes, overlong forms, surrogates, beyond U+10FFFF.
 * count is at least 1. */
int chi_utf8_decode(uint32_t *code, const char *text, int64_t count);

/* Returns the position of the first invalid UTF-8 in text[0..count), or -1. */
int64_t chi_utf8_check(const char *text, int64_t count);
