/* Numbers and their text, independent of the locale and correctly rounded.
 *
 * A decimal number is w * 10^e with an integer w. Up to 19 digits w fits 64 bits, and for |e| <= 19
 * so does 10^|e|: then w * 10^e, or w / 10^|e| with a sticky remainder, is exact in 128 bits and is
 * rounded once. Everything printed with 17 digits between 1e-3 and 1e19 goes this way, without
 * tables. The rest goes to strtod in the C locale.
 *
 * Written numbers are the shortest of 15, 16 or 17 digits that read back as the same double. This
 * holds for f32 too, because a reader that uses doubles must find the same numbers. */
#include "io/file/format.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { EXACT_DIGITS = 19 };

/* Five powers, the first of which is p. */
#define FIVE(p) p, p * 10, p * 100, p * 1000, p * 10000
static const uint64_t power_of_ten[EXACT_DIGITS + 1] = {FIVE(UINT64_C(1)), FIVE(UINT64_C(100000)),
                                                        FIVE(UINT64_C(10000000000)),
                                                        FIVE(UINT64_C(1000000000000000))};

static inline double power_of_two(int exponent) { /* far from the ends of the range here */
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Returns mantissa * 2^exponent, plus a little if sticky. The mantissa has 62 bits or more, so
 * setting its last bit for the rest makes the conversion round correctly. */
static inline double round_once(uint64_t mantissa, int exponent, int sticky) {
    return (double)(mantissa | (uint64_t)sticky) * power_of_two(exponent);
}

static double scale_up(uint64_t digits, int exponent) {
    wide product = (wide)digits * power_of_ten[exponent];
    uint64_t high = (uint64_t)(product >> 64);
    if (!high) return (double)(uint64_t)product;
    int room = __builtin_clzll(high);
    product <<= room;
    return round_once((uint64_t)(product >> 64), 64 - room, (uint64_t)product != 0);
}

/* Both operands are shifted to have their top bit set, the dividend one place lower. The quotient
 * then has 63 or 64 bits, and one machine division computes it, since the upper half is below the
 * divisor. */
static double scale_down(uint64_t digits, int exponent) {
    uint64_t divisor = power_of_ten[exponent];
    int up = __builtin_clzll(digits), down = __builtin_clzll(divisor);
    wide dividend = (wide)(digits << up) << 63;
    divisor <<= down;
    uint64_t quotient = (uint64_t)(dividend / divisor);
    return round_once(quotient, down - up - 63, (wide)quotient * divisor != dividend);
}

static const char *parse_by_library(double *value, const char *text) {
    char *end;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *value = strtod_l(text, &end, plain);
    freelocale(plain);
    return end == text ? NULL : end;
}

/* "inf", "infinity", "nan", as every printf writes them. */
static const char *parse_word(double *value, const char *text, int negative) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strncasecmp(text, words[i].word, length)) continue;
        *value = negative ? -words[i].value : words[i].value;
        return text + length;
    }
    return NULL;
}

static inline int is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Adds the digits at text to *digits (which wraps, harmlessly, beyond 19 of them). */
static inline const char *take_digits(uint64_t *digits, const char *text) {
    uint64_t sum = *digits;
    for (; is_digit(*text); text++) sum = 10 * sum + (uint64_t)(*text - '0');
    *digits = sum;
    return text;
}

static inline const char *skip_zeros(const char *text) {
    while (*text == '0') text++;
    return text;
}

/* Reads the exponent of a number: "e-5". Without digits it is not part of the number. */
static const char *take_power(int64_t *exponent, const char *text) {
    const char *at = text + 1;
    int down = *at == '-';
    at += *at == '-' || *at == '+';
    if (!is_digit(*at)) return text;
    int64_t sum = 0;
    for (; is_digit(*at); at++)
        if (sum < 100000) sum = 10 * sum + (*at - '0');
    *exponent += down ? -sum : sum;
    return at;
}

const char *chi_number_parse(double *value, const char *text) {
    const char *at = text;
    int negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *first = at;
    uint64_t digits = 0;
    int64_t exponent = 0;
    const char *leading = skip_zeros(first), *whole_end = take_digits(&digits, leading);
    int64_t significant = whole_end - leading, seen = whole_end - first;
    at = whole_end;
    if (*at == '.') {
        leading = significant ? at + 1 : skip_zeros(at + 1);
        const char *end = take_digits(&digits, leading);
        significant += end - leading;
        seen += end - at - 1;
        exponent = -(end - at - 1);
        at = end;
    }
    if (!seen) return parse_word(value, first, negative);
    if (*at == 'e' || *at == 'E') at = take_power(&exponent, at);
    if (significant > EXACT_DIGITS || exponent > EXACT_DIGITS || exponent < -EXACT_DIGITS)
        return parse_by_library(value, text);
    double size = digits == 0     ? 0
                  : exponent >= 0 ? scale_up(digits, (int)exponent)
                                  : scale_down(digits, (int)-exponent);
    *value = negative ? -size : size;
    return at;
}

static int format_integer(char *text, double value) {
    char reversed[20];
    int count = 0, length = 0;
    uint64_t rest = (uint64_t)fabs(value);
    do reversed[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) text[length++] = '-';
    while (count) text[length++] = reversed[--count];
    text[length] = '\0';
    return length;
}

int chi_number_format(char text[CHI_NUMBER_MAX], double value) {
    if (value == floor(value) && fabs(value) < 1e15 && !(value == 0 && signbit(value)))
        return format_integer(text, value);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    int length;
    for (int digits = 15;; digits++) {
        length = snprintf(text, CHI_NUMBER_MAX, "%.*g", digits, value);
        if (digits == 17 || isnan(value) || strtod(text, NULL) == value) break;
    }
    uselocale(before);
    freelocale(plain);
    return length;
}
