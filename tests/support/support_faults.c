/* The k-th allocation fails, for k = 1, 2, ... until none does. */
#include "support_faults.h"
#include <conehull/conehull.h>
#include <stdio.h>
#include <stdlib.h>

support_inputs given;

static const support_fault *faults;
static size_t fault_count;
static int (*prepare_files)(void);

enum { PATTERN = 0x5A };

int support_untouched(const void *output, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)output)[i] != PATTERN) return 0;
    return 1;
}

/* Calls, looks at the output and at the files, and frees what was made. */
static ch_status run(const support_fault *it, ch_context *context) {
    void *output = malloc(it->size + 1);
    assert_non_null(output);
    memset(output, PATTERN, it->size);
    if (it->sized) memcpy(output, &it->sized, sizeof it->sized);
    size_t filled = it->sized ? sizeof it->sized : 0;
    if (it->makes) remove(support_path("%s", it->makes));
    int files = support_folder_count();
    ch_status status = it->call(context, output, it->with);
    if (status < 0) {
        support_check(support_untouched((char *)output + filled, it->size - filled),
                      "%s wrote its output, and failed", it->name);
    } else if (it->release) {
        it->release(context, output);
    }
    if (context != given.context) {
        int more = support_folder_count() - files;
        support_check(more == (status >= 0 && it->makes), "%s, %s: %d files more", it->name,
                      ch_status_name(status), more);
    }
    free(output);
    return status;
}

/* Runs with the k-th allocation failing (with all: and those after it). Returns whether there was
 * one. */
static int fail_one(const support_fault *it, ch_context *context, support_memory *memory, int64_t k,
                    int all) {
    int64_t held = memory->live;
    memory->failed = 0;
    memory->fail_at = memory->requests + k;
    memory->fail_on = all;
    ch_status status = run(it, context);
    support_check(memory->live == held, "%s, allocation %lld: %lld blocks leaked", it->name,
                  (long long)k, (long long)(memory->live - held));
    int right = memory->failed ? status == CH_ERR_MEMORY
                : it->early    ? status >= CH_OK
                               : status == CH_OK;
    support_check(right, "%s, allocation %lld: %s (%s)", it->name, (long long)k,
                  ch_status_name(status), ch_context_message(context));
    memory->fail_at = 0;
    if (!memory->failed) return 0;
    support_message(context, "memory");
    support_check(k % 8 != 1 || run(it, context) >= CH_OK,
                  "%s: the context is not usable after a failure", it->name);
    return 1;
}

/* For k = 1, 2, ... until none fails, each in a context of its own. Returns their number. */
static int64_t fail_each(const support_fault *it, int all) {
    for (int64_t k = 1;; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        int failed = fail_one(it, context, &memory, k, all);
        support_finish(context, &memory);
        if (!failed) return k - 1;
        assert_true(k < 100000);
    }
}

/* The same with two threads, in one context: its first call makes the threads, which are kept
 * (test_fault_matrix.c has them refused), and each call must leave it as the next one needs it. */
static void fail_each_on_two_threads(const support_fault *it) {
    support_memory memory;
    ch_context *context = support_context(&memory, 2);
    assert_true(run(it, context) >= CH_OK);
    for (int64_t k = 1; fail_one(it, context, &memory, k, 0); k++) assert_true(k < 100000);
    support_finish(context, &memory);
}

static int is_possible(const support_fault *it) {
    return !it->possible || it->possible(it->with);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (const support_fault *it = faults; it < faults + fault_count; it++) {
        if (!is_possible(it)) {
            print_message("%s: skipped\n", it->name);
            continue;
        }
        ch_status status = run(it, given.context);
        support_check(status >= CH_OK, "%s: %s", it->name, ch_context_message(given.context));
        int64_t count = fail_each(it, 0);
        assert_int_equal(fail_each(it, 1), count);
        print_message("%s: %lld allocations\n", it->name, (long long)count);
    }
}

static void every_allocation_may_fail_on_two_threads(void **state) {
    (void)state;
    for (const support_fault *it = faults; it < faults + fault_count; it++)
        if (is_possible(it)) fail_each_on_two_threads(it);
}

static int make_inputs(void **state) {
    if (support_folder_make(state)) return 1;
    ch_synthetic_settings set = {.size = sizeof set,
                                 .rows = ROWS,
                                 .cols = COLS,
                                 .rank = 6,
                                 .noise = CH_NOISE_SPARSE,
                                 .level = 0.3,
                                 .shuffle = 1};
    given.context = support_context(NULL, 1);
    if (ch_synthetic_make(given.context, &given.dense, NULL, &set) != CH_OK) return 1;
    double *values = (double *)given.dense.values;
    for (int64_t i = 0; i < set.rows * set.cols; i++)
        values[i] = i % 3 ? 0.0 : (double)(int64_t)(values[i] * 100.0) / 64.0;
    given.rows = support_reshape(given.context, &given.dense, CH_ROW_MAJOR, CH_F32);
    given.csc = support_reshape(given.context, &given.dense, CH_CSC, CH_F64);
    given.bytes = support_reshape(given.context, &given.dense, CH_COLUMN_MAJOR, CH_U8);
    return prepare_files ? prepare_files() : 0;
}

static int free_inputs(void **state) {
    ch_matrix_free(given.context, &given.dense);
    ch_matrix_free(given.context, &given.rows);
    ch_matrix_free(given.context, &given.csc);
    ch_matrix_free(given.context, &given.bytes);
    ch_context_destroy(given.context);
    return support_folder_remove(state);
}

int support_faults_run(const support_fault *list, size_t count, int (*prepare)(void)) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_on_two_threads),
    };
    faults = list;
    fault_count = count;
    prepare_files = prepare;
    return cmocka_run_group_tests(tests, make_inputs, free_inputs);
}
