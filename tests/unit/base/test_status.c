/* Every status has its own name and a sentence. */
#include <conehull/status.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_status_has_a_name_and_a_sentence(void **state) {
    (void)state;
    for (int value = CH_ERR_INTERNAL; value <= CH_STOP_INACCURATE; value++) {
        assert_memory_equal(ch_status_name((ch_status)value), "CH_", 3);
        assert_string_not_equal(ch_status_name((ch_status)value), "CH_UNKNOWN");
        const char *sentence = ch_status_sentence((ch_status)value);
        assert_int_equal(sentence[strlen(sentence) - 1], '.');
    }
    assert_string_equal(ch_status_name((ch_status)99), "CH_UNKNOWN");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_status_has_a_name_and_a_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
