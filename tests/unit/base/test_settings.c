/* Settings through their table: defaults, every kind of refusal, and its words. */
#include "support.h"
#include <conehull/settings.h>
#include <locale.h>
#include <math.h>

typedef struct example {
    size_t size;
    int64_t rank, seed;
    double tol;
    int eager, exterior;
    const char *outside; /* not in the table */
} example;

static const char *const exteriors[] = {"max", "rand", "dist", "greedy", NULL};
static const ch_setting rows[] = {
    {"rank", CH_SETTING_INT, offsetof(example, rank), 5, 0, 1000000, NULL, "N", "Anchors."},
    {"seed", CH_SETTING_INT, offsetof(example, seed), 0, -1e300, 1e300, NULL, "N", "Seed."},
    {"tol", CH_SETTING_REAL, offsetof(example, tol), 1e-9, 0, 0.5, NULL, "T", "Accuracy."},
    {"eager", CH_SETTING_FLAG, offsetof(example, eager), 1, 0, 1, NULL, NULL, "All columns."},
    {"exterior", CH_SETTING_CHOICE, offsetof(example, exterior), 2, 0, 3, exteriors, "RULE",
     "Rule."},
};
static const ch_settings_table table = {"example", rows, 5, sizeof(example)};

static void defaults_come_from_the_table(void **state) {
    (void)state;
    example set = {.outside = "x"};
    ch_settings_defaults(&table, &set, sizeof set);
    assert_int_equal(set.rank, 5);
    assert_int_equal(set.seed, 0);
    assert_true(set.tol == 1e-9);
    assert_int_equal(set.eager, 1);
    assert_int_equal(set.exterior, 2);
    assert_null(set.outside);
    assert_ptr_equal(ch_settings_find(&table, "tol"), &rows[2]);
    assert_null(ch_settings_find(&table, "to"));
}

static void refuse_check(ch_context *context, const example *set, const char *message) {
    assert_int_equal(ch_settings_check(context, &table, set), CH_ERR_SETTING);
    assert_string_equal(ch_context_message(context), message);
}

static void checks_name_field_value_and_range(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    example set, good;
    ch_settings_defaults(&table, &good, sizeof good);
    assert_int_equal(ch_settings_check(context, &table, &good), CH_OK);
    set = good, set.rank = -3;
    refuse_check(context, &set, "the setting 'rank' must be between 0 and 1000000, got -3");
    set = good, set.rank = 1000001;
    refuse_check(context, &set, "the setting 'rank' must be between 0 and 1000000, got 1000001");
    set = good, set.tol = -NAN;
    refuse_check(context, &set, "the setting 'tol' must be between 0 and 0.5, got nan");
    set = good, set.tol = INFINITY;
    refuse_check(context, &set, "the setting 'tol' must be between 0 and 0.5, got inf");
    set = good, set.eager = 2;
    refuse_check(context, &set, "the setting 'eager' must be 0 or 1, got 2");
    set = good, set.exterior = 4;
    refuse_check(
        context, &set,
        "the setting 'exterior' must be one of max, rand, dist, greedy; got the undefined value 4");
    set = good, set.exterior = -1;
    refuse_check(context, &set,
                 "the setting 'exterior' must be one of max, rand, dist, greedy; got the undefined "
                 "value -1");
    set = good, set.seed = INT64_MIN, set.rank = 1000000, set.tol = 0.5;
    assert_int_equal(ch_settings_check(context, &table, &set), CH_OK);
    support_finish(context, &memory);
}

static void text_is_parsed_strictly(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } refused[] = {
        {"rank", "-3", "the setting 'rank' must be between 0 and 1000000, got -3"},
        {"rank", "99999999999999999999",
         "the setting 'rank' must be between 0 and 1000000, got 99999999999999999999"},
        {"rank", "20.0", "the setting 'rank' must be a whole number, got '20.0'"},
        {"rank", "0x10", "the setting 'rank' must be a whole number, got '0x10'"},
        {"rank", " 3", "the setting 'rank' must be a whole number, got ' 3'"},
        {"rank", "3 ", "the setting 'rank' must be a whole number, got '3 '"},
        {"rank", "", "the setting 'rank' must be a whole number, got ''"},
        {"rank", "-", "the setting 'rank' must be a whole number, got '-'"},
        {"rank", "nan", "the setting 'rank' must be a whole number, got 'nan'"},
        {"tol", "nan", "the setting 'tol' must be between 0 and 0.5, got nan"},
        {"tol", "-nan", "the setting 'tol' must be between 0 and 0.5, got nan"},
        {"tol", "inf", "the setting 'tol' must be between 0 and 0.5, got inf"},
        {"tol", "1e999", "the setting 'tol' must be between 0 and 0.5, got inf"},
        {"tol", "0.6", "the setting 'tol' must be between 0 and 0.5, got 0.6"},
        {"tol", "1e-9x", "the setting 'tol' must be a number, got '1e-9x'"},
        {"tol", "0,1", "the setting 'tol' must be a number, got '0,1'"},
        {"tol", "", "the setting 'tol' must be a number, got ''"},
        {"eager", "yes", "the setting 'eager' must be 0 or 1, got 'yes'"},
        {"eager", "2", "the setting 'eager' must be 0 or 1, got '2'"},
        {"exterior", "foo",
         "the setting 'exterior' must be one of max, rand, dist, greedy; got 'foo'"},
        {"exterior", "ma",
         "the setting 'exterior' must be one of max, rand, dist, greedy; got 'ma'"},
        {"exterior", "", "the setting 'exterior' must be one of max, rand, dist, greedy; got ''"},
        {"colour", "1", "example has no setting 'colour'"},
    };
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    example good, set;
    ch_settings_defaults(&table, &good, sizeof good);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        set = good;
        assert_int_equal(ch_settings_set(context, &table, &set, refused[i].name, refused[i].text),
                         CH_ERR_SETTING);
        assert_string_equal(ch_context_message(context), refused[i].message);
        assert_memory_equal(&set, &good, sizeof set);
    }
    assert_int_equal(ch_settings_set(context, &table, &set, "rank", NULL), CH_ERR_SETTING);
    support_finish(context, &memory);
}

static void text_sets_fields(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    example set;
    ch_settings_defaults(&table, &set, sizeof set);
    assert_int_equal(ch_settings_set(context, &table, &set, "rank", "1000000"), CH_OK);
    assert_int_equal(set.rank, 1000000);
    assert_int_equal(ch_settings_set(context, &table, &set, "seed", "-9223372036854775808"), CH_OK);
    assert_true(set.seed == INT64_MIN);
    assert_int_equal(ch_settings_set(context, &table, &set, "tol", "2.5e-3"), CH_OK);
    assert_true(set.tol == 2.5e-3);
    assert_int_equal(ch_settings_set(context, &table, &set, "tol", ".25"), CH_OK);
    assert_true(set.tol == 0.25);
    assert_int_equal(ch_settings_set(context, &table, &set, "eager", "0"), CH_OK);
    assert_int_equal(set.eager, 0);
    assert_int_equal(ch_settings_set(context, &table, &set, "exterior", "greedy"), CH_OK);
    assert_int_equal(set.exterior, 3);
    support_finish(context, &memory);
}

static void words_set_all_fields_or_none(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    example good, set;
    ch_settings_defaults(&table, &good, sizeof good);
    set = good;
    assert_int_equal(
        ch_settings_set_words(context, &table, &set, "  rank=7 exterior=dist  tol=0.25 "), CH_OK);
    assert_true(set.rank == 7 && set.exterior == 2 && set.tol == 0.25);
    assert_int_equal(set.seed, good.seed);
    assert_int_equal(ch_settings_set_words(context, &table, &set, ""), CH_OK);
    assert_int_equal(set.rank, 7);
    set = good;
    assert_int_equal(ch_settings_set_words(context, &table, &set, "rank=7 tol"), CH_ERR_SETTING);
    assert_string_equal(ch_context_message(context), "the setting 'tol' needs a value");
    assert_memory_equal(&set, &good, sizeof set);
    assert_int_equal(ch_settings_set_words(context, &table, &set, "rank=7 rank=x"), CH_ERR_SETTING);
    assert_string_equal(ch_context_message(context),
                        "the setting 'rank' must be a whole number, got 'x'");
    assert_memory_equal(&set, &good, sizeof set);
    memory.fail_at = memory.requests + 1;
    assert_int_equal(ch_settings_set_words(context, &table, &set, "rank=7"), CH_ERR_MEMORY);
    assert_memory_equal(&set, &good, sizeof set);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(checks_name_field_value_and_range),
        cmocka_unit_test(text_is_parsed_strictly),
        cmocka_unit_test(text_sets_fields),
        cmocka_unit_test(words_set_all_fields_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
