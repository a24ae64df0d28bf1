/* Contexts: memory through the hooks, messages, log, progress. */
#include "base/arena.h"
#include "support.h"
#include <string.h>

static void memory_is_aligned_counted_and_given_back(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t held = memory.live;
    char *blocks[40];
    for (int i = 0; i < 40; i++) {
        blocks[i] = chi_alloc(context, i * 7, 3);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], i, (size_t)(i * 21));
    }
    for (int i = 0; i < 40; i++)
        for (int b = 0; b < i * 21; b++) assert_int_equal(blocks[i][b], i);
    assert_int_equal(memory.live, held + 40);
    for (int i = 0; i < 40; i++) chi_free(context, blocks[i]);
    assert_int_equal(memory.live, held);
    chi_free(context, NULL);
    double *zero = chi_alloc_zero(context, 100, sizeof *zero);
    for (int i = 0; i < 100; i++) assert_true(zero[i] == 0.0);
    chi_free(context, zero);
    support_finish(context, &memory);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t requests = memory.requests;
    assert_null(chi_alloc(context, -1, 8));
    assert_null(chi_alloc(context, INT64_MAX, 8));
    assert_null(chi_alloc(context, INT64_MAX, 2));
    assert_null(chi_alloc_zero(context, INT64_C(1) << 61, 8));
    assert_int_equal(memory.requests, requests); /* never asked for */
    assert_int_equal(chi_no_memory(context, "a test", 5000000, 8), CH_ERR_MEMORY);
    assert_string_equal(ch_context_message(context),
                        "not enough memory for a test: 40 MB could not be allocated");
    support_finish(context, &memory);
}

static void an_arena_frees_all_its_blocks(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    int64_t held = memory.live;
    chi_arena arena = {.context = context};
    for (int i = 0; i < 20; i++) {
        double *block = chi_arena_alloc_zero(&arena, i, sizeof *block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (int b = 0; b < i; b++) assert_true(block[b] == 0);
        memset(block, i, (size_t)i * sizeof *block);
    }
    assert_int_equal(memory.live, held + 20);
    assert_int_equal(chi_arena_status(&arena, "a test"), CH_OK);
    assert_null(chi_arena_alloc(&arena, -1, 1));
    chi_arena_free(&arena);
    assert_int_equal(memory.live, held);
    assert_null(chi_arena_alloc(&arena, INT64_MAX, 2));
    assert_null(chi_arena_doubles(&arena, 1)); /* one failure is enough */
    assert_int_equal(memory.live, held);
    assert_int_equal(chi_arena_status(&arena, "a test"), CH_ERR_MEMORY);
    chi_arena_free(&arena);
    chi_arena_free(&(chi_arena){0});
    support_finish(context, &memory);
}

static void creation_can_fail(void **state) {
    (void)state;
    ch_memory_hooks half = {NULL, NULL, NULL};
    ch_context *context = (ch_context *)&half;
    assert_int_equal(ch_context_create(&context, &half), CH_ERR_ARGUMENT);
    assert_ptr_equal(context, &half);
    assert_int_equal(ch_context_create(NULL, NULL), CH_ERR_ARGUMENT);
    assert_string_equal(ch_context_message(NULL), "");
    ch_context_destroy(NULL);
}

static void long_messages_are_cut_not_overrun(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(chi_fail(context, CH_ERR_DATA, "%s", text), CH_ERR_DATA);
    assert_in_range(strlen(ch_context_message(context)), 100, sizeof text);
    assert_int_equal(ch_context_set_threads(context, -1), CH_ERR_ARGUMENT);
    assert_string_equal(ch_context_message(context),
                        "the number of threads must be from 1 to 4096, or 0 for all cores, got -1");
    chi_fail(context, CH_ERR_IO, "so it ends: %s", ch_context_message(context));
    assert_string_equal(
        ch_context_message(context),
        "so it ends: the number of threads must be from 1 to 4096, or 0 for all cores, got -1");
    assert_int_equal(ch_context_set_threads(context, 3), CH_OK);
    assert_int_equal(ch_context_threads(context), 3);
    assert_int_equal(ch_context_set_threads(context, 0), CH_OK);
    assert_true(ch_context_threads(context) >= 1);
    ch_context_destroy(context);
}

static void keep_line(ch_log_level level, const char *message, void *user) {
    assert_int_equal(level, CH_LOG_INFO);
    strcpy(user, message);
}

static int keep_event(const ch_progress_event *event, void *user) {
    *(ch_progress_event *)user = *event;
    return event->done == event->total;
}

static void log_and_progress_reach_the_caller(void **state) {
    (void)state;
    ch_context *context = support_context(NULL, 1);
    char line[512] = "";
    ch_progress_event event;
    chi_log(context, CH_LOG_INFO, "nobody listens");
    assert_int_equal(chi_notify(context, "select", 1, 1, 0, 0.0), 0);
    ch_context_set_log(context, keep_line, line);
    ch_context_set_progress(context, keep_event, &event);
    chi_log(context, CH_LOG_INFO, "%d of %d", 3, 4);
    assert_string_equal(line, "3 of 4");
    assert_int_equal(chi_notify(context, "select", 2, 3, 17, 0.5), 0);
    assert_string_equal(event.phase, "select");
    assert_int_equal(event.column, 17);
    assert_true(event.value == 0.5);
    assert_int_equal(chi_notify(context, "select", 3, 3, 17, 0.5), 1);
    ch_context_destroy(context);
}

/* A name out of a file: what a terminal would obey is shown as "?", letters of any script stay. */
static void messages_cannot_steer_a_terminal(void **state) {
    static const struct {
        const char *said, *shown;
    } rows[] = {
        {"a\x1b]0;title\x07\x1b[2J b", "a?]0;title??[2J b"},
        {"two\nlines\r\tand\x7f", "two?lines??and?"},
        {"\xc2\x9b[2J \xc2\x85", "??[2J ??"},                      /* C1 */
        {"\x9b[2J \xff \xe4 \x80", "?[2J ? ? ?"},                  /* no UTF-8 */
        {"\xc1\x9b \xe0\x80\x9b \xf0\x80\x80\x9b", "?? ??? ????"}, /* ESC, too long */
        {"\xed\xa0\x80 \xf4\x90\x80\x80 \xf8", "??? ???? ?"},      /* no letters */
        {"\xe4\xb8", "??"},                                        /* cut */
        {"\xc2\xa0\xc3\xa4 \xce\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf ~",
         "\xc2\xa0\xc3\xa4 \xce\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf ~"},
    };
    (void)state;
    ch_context *context = support_context(NULL, 1);
    char line[512] = "";
    ch_context_set_log(context, keep_line, line);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        chi_fail(context, CH_ERR_DATA, "%s", rows[r].said);
        assert_string_equal(ch_context_message(context), rows[r].shown);
        chi_log(context, CH_LOG_INFO, "%s", rows[r].said);
        assert_string_equal(line, rows[r].shown);
    }
    ch_context_destroy(context);
}

static void no_more_than_the_limit(void **state) {
    (void)state;
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_context_set_memory_limit(context, 10000);
    void *first = chi_alloc(context, 6000, 1), *second = chi_alloc(context, 6000, 1);
    assert_non_null(first);
    assert_null(second);
    assert_int_equal(chi_no_memory(context, "a block", 6000, 1), CH_ERR_MEMORY);
    support_message(context, "limit");
    chi_free(context, first);
    second = chi_alloc(context, 6000, 1); /* what was given back counts no more */
    assert_non_null(second);
    ch_context_set_memory_limit(context, 0);
    first = chi_alloc(context, 60000, 1);
    assert_non_null(first);
    chi_free(context, first);
    chi_free(context, second);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_counted_and_given_back),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(an_arena_frees_all_its_blocks),
        cmocka_unit_test(creation_can_fail),
        cmocka_unit_test(no_more_than_the_limit),
        cmocka_unit_test(long_messages_are_cut_not_overrun),
        cmocka_unit_test(log_and_progress_reach_the_caller),
        cmocka_unit_test(messages_cannot_steer_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
