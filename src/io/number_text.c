/* Numbers and their text, independent of the locale and correctly rounded.
 *
 * A decimal number is w * 10^e with an integer w. Up to 19 digits w fits 64 bits, and for
 * |e| <= 19 so does 10^|e|: then w * 10^e, or w / 10^|e| with a sticky remainder, is exact in 128
 * bits and is rounded once. Everything printed with 17 digits between 1e-3 and 1e19 goes this way,
 * without tables. The rest goes to strtod in the C locale.
 *
 * Written numbers are the shortest of 15, 16 or 17 digits that read back as the same double, f32
 * ones too: a reader that takes them for doubles must find the same numbers. */
#include "io/format.h"
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { EXACT_DIGITS = 19 };

static const uint64_t power_of_ten[EXACT_DIGITS + 1] = {1u,
                                                        10u,
                                                        100u,
                                                        1000u,
                                                        10000u,
                                                        100000u,
                                                        1000000u,
                                                        10000000u,
                                                        100000000u,
                                                        1000000000u,
                                                        10000000000u,
                                                        100000000000u,
                                                        1000000000000u,
                                                        10000000000000u,
                                                        100000000000000u,
                                                        1000000000000000u,
                                                        10000000000000000u,
                                                        100000000000000000u,
                                                        1000000000000000000u,
                                                        10000000000000000000u};

/* mantissa * 2^exponent, plus something smaller than one unit when sticky, to nearest even. */
static double round_once(wide mantissa, int exponent, int sticky) {
    uint64_t high = (uint64_t)(mantissa >> 64);
    int bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)mantissa);
    int drop = bits - 53;
    if (drop <= 0) return ldexp((double)(uint64_t)mantissa, exponent); /* then never sticky */
    wide half = (wide)1 << (drop - 1);
    wide rest = mantissa & ((half << 1) - 1);
    uint64_t kept = (uint64_t)(mantissa >> drop);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    return ldexp((double)kept, exponent + drop);
}

static double scale_exactly(uint64_t digits, int exponent) {
    if (digits == 0) return 0;
    if (exponent >= 0) return round_once((wide)digits * power_of_ten[exponent], 0, 0);
    int shift = __builtin_clzll(digits);
    wide dividend = (wide)(digits << shift) << 64; /* so that the quotient has over 62 bits */
    uint64_t divisor = power_of_ten[-exponent];
    wide quotient = dividend / divisor;
    return round_once(quotient, -64 - shift, quotient * divisor != dividend);
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

const char *chi_number_parse(double *value, const char *text) {
    const char *at = text;
    int negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *first = at;
    uint64_t digits = 0;
    int64_t exponent = 0, seen = 0, significant = 0;
    for (; is_digit(*at); at++, seen++) {
        significant += significant || *at != '0';
        if (significant <= EXACT_DIGITS) digits = 10 * digits + (uint64_t)(*at - '0');
    }
    if (*at == '.')
        for (at++; is_digit(*at); at++, seen++, exponent--) {
            significant += significant || *at != '0';
            if (significant <= EXACT_DIGITS) digits = 10 * digits + (uint64_t)(*at - '0');
        }
    if (!seen) return parse_word(value, first, negative);
    if (*at == 'e' || *at == 'E') {
        const char *power = at + 1;
        int down = *power == '-';
        power += *power == '-' || *power == '+';
        if (is_digit(*power)) {
            int64_t sum = 0;
            for (; is_digit(*power); power++)
                if (sum < 100000) sum = 10 * sum + (*power - '0');
            exponent += down ? -sum : sum;
            at = power;
        }
    }
    if (significant > EXACT_DIGITS || exponent > EXACT_DIGITS || exponent < -EXACT_DIGITS)
        return parse_by_library(value, text);
    double size = exponent == 0 && digits < (uint64_t)1 << 53
                      ? (double)digits
                      : scale_exactly(digits, (int)exponent);
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
