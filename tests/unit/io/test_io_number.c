/* Text to numbers and back: against strtod for correct rounding, whatever the locale. */
#include "io/file/format.h"
#include "support.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const char *text) {
    double value;
    char *end;
    double expected = strtod(text, &end);
    const char *after = chi_number_parse(&value, text);
    support_check(after == end && memcmp(&value, &expected, sizeof value) == 0,
                  "\"%s\" gives %.17g, not %.17g", text, value, expected);
}

static void test_fixed_texts(void **state) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        "00012",
                                        "1.",
                                        ".5",
                                        "-.5e1",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "1e",
                                        "1e+",
                                        "12abc",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "18446744073709551615",
                                        "99999999999999999999",
                                        "0.1",
                                        "0.30000000000000004",
                                        "1.7976931348623157e308",
                                        "1.8e308",
                                        "4.9e-324",
                                        "2e-324",
                                        "2.2250738585072011e-308",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "1e19",
                                        "1e-19",
                                        "9999999999999999999e19",
                                        "9999999999999999999e-19",
                                        "0.0000000000000000000000001",
                                        "1e99999999",
                                        "1e-99999999",
                                        "inf",
                                        "-inf",
                                        "infinity",
                                        "9223372036854775807",
                                        "4503599627370496.5",
                                        "4503599627370497.5",
                                        "0.000000000000000000",
                                        "0e500"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_text(texts[i]);
    double value;
    assert_non_null(chi_number_parse(&value, "NaN"));
    assert_true(isnan(value));
    static const char *const none[] = {"", "-", ".", "e5", "abc", "--1", " 1", "+-1", "-.", "na"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        support_check(!chi_number_parse(&value, none[i]), "\"%s\" was taken", none[i]);
    assert_string_equal(chi_number_parse(&value, "0x10"), "x10"); /* no hexadecimal */
}

static double random_double(ch_random *random) {
    uint64_t bits = ch_random_bits(random);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_random_texts(void **state) {
    ch_random random;
    char text[64];
    (void)state;
    support_seed(&random, "random_texts", 11);
    for (int k = 0; k < 200000; k++) {
        double value =
            k % 2 ? random_double(&random)
                  : ch_random_normal(&random) * pow(10, (double)ch_random_below(&random, 30) - 12);
        if (isnan(value)) continue;
        snprintf(text, sizeof text, "%.*g", 1 + (int)ch_random_below(&random, 20), value);
        check_text(text);
        snprintf(text, sizeof text, "%llue%d",
                 (unsigned long long)ch_random_bits(&random) >> ch_random_below(&random, 60),
                 (int)ch_random_below(&random, 45) - 22);
        check_text(text);
    }
}

/* Decimals that lie exactly half way between two doubles, and a little to either side. */
static void test_ties(void **state) {
    ch_random random;
    char text[64];
    (void)state;
    support_seed(&random, "ties", 12);
    for (int k = 0; k < 20000; k++) {
        uint64_t odd = ((uint64_t)1 << 53) + (ch_random_bits(&random) >> 12) + 1;
        snprintf(text, sizeof text, "%llu", (unsigned long long)(odd | 1));
        check_text(text);
        uint64_t whole = ((uint64_t)1 << 52) + (ch_random_bits(&random) >> 12);
        static const char *const tails[] = {".5", ".499", ".501", ".50"};
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)whole, tails[k % 4]);
        check_text(text);
    }
}

static void check_round_trip(double value) {
    char text[CHI_NUMBER_MAX];
    double back;
    int length = chi_number_format(text, value);
    assert_int_equal(length, (int)strlen(text));
    const char *after = chi_number_parse(&back, text);
    int same = back == value;
    support_check(after && !*after && (same || isnan(value)) && !signbit(back) == !signbit(value),
                  "%.17g is written as \"%s\"", value, text);
}

static void test_round_trip(void **state) {
    ch_random random;
    char text[CHI_NUMBER_MAX];
    (void)state;
    support_seed(&random, "round_trip", 13);
    static const double fixed[] = {0.0,      -0.0,     1,   255,     65535,  1e14,
                                   1e15,     1e16,     0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308,
                                   INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) check_round_trip(fixed[i]);
    for (int k = 0; k < 50000; k++) {
        double value = random_double(&random);
        if (isnan(value)) continue;
        check_round_trip(value);
        check_round_trip(ch_random_uniform(&random));
        check_round_trip((float)ch_random_normal(&random));
    }
    assert_int_equal(chi_number_format(text, 0.1), 3);
    assert_int_equal(chi_number_format(text, 1.0 / 3), 18); /* 0. and 16 digits */
}

/* A German locale writes 0,5: neither parser nor writer may care. */
static void test_locale(void **state) {
    char text[CHI_NUMBER_MAX];
    double value;
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) skip();
    assert_non_null(chi_number_parse(&value, "0.12345678901234567890123"));
    chi_number_format(text, 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.5");
    support_close(value, 0.12345678901234568, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_texts), cmocka_unit_test(test_random_texts),
        cmocka_unit_test(test_ties),        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
