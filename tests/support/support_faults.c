/* The k-th allocation fails, for k = 1, 2, ... until none does. */
#include "support_faults.h"
#include <conehull/conehull.h>

support_inputs given;

static const support_fault *faults;
static size_t fault_count;

void support_untouched(const void *output, size_t size) {
    for (size_t i = 0; i < size; i++)
        support_check(((const unsigned char *)output)[i] == PATTERN,
                      "byte %zu of an output was written by a call that failed", i);
}

ch_status finish_matrix(ch_context *context, ch_status status, ch_matrix *X) {
    finish(context, status, X, ch_matrix_free);
    return status;
}

static ch_status run(const support_fault *it, ch_context *context) {
    return it->run ? it->run(context) : it->run_with(context, it->with);
}

/* Fails the k-th allocation (with all: and those after it) for k = 1, 2, ... until none fails. */
static int64_t fail_each(const support_fault *it, int threads, int all) {
    for (int64_t k = 1;; k++) {
        support_memory memory;
        ch_context *context = support_context(&memory, threads);
        /* Threads are made by the first call and kept; test_fault_matrix.c has them refused. */
        if (threads > 1) assert_true(run(it, context) >= CH_OK);
        int64_t held = memory.live;
        memory.fail_at = memory.requests + k;
        memory.fail_on = all;
        ch_status status = run(it, context);
        support_check(memory.live == held, "%s, allocation %lld: %lld blocks leaked", it->name,
                      (long long)k, (long long)(memory.live - held));
        int right = memory.failed ? status == CH_ERR_MEMORY : status >= CH_OK;
        support_check(right, "%s, allocation %lld: %s (%s)", it->name, (long long)k,
                      ch_status_name(status), ch_context_message(context));
        int over = memory.failed == 0;
        if (!over) {
            support_message(context, "memory");
            memory.fail_at = 0;
            support_check(k % 8 != 1 || run(it, context) >= CH_OK,
                          "%s: the context is not usable after a failure", it->name);
        }
        support_finish(context, &memory);
        if (over) return k - 1;
        assert_true(k < 100000);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (const support_fault *it = faults; it < faults + fault_count; it++) {
        int64_t count = fail_each(it, 1, 0);
        assert_int_equal(fail_each(it, 1, 1), count);
        print_message("%s: %lld allocations\n", it->name, (long long)count);
    }
}

static void every_allocation_may_fail_on_two_threads(void **state) {
    (void)state;
    for (const support_fault *it = faults; it < faults + fault_count; it++) fail_each(it, 2, 0);
}

static int make_inputs(void **state) {
    if (support_folder_make(state)) return 1;
    ch_synthetic_settings set = {.rows = ROWS,
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
    return 0;
}

static int free_inputs(void **state) {
    ch_matrix_free(given.context, &given.dense);
    ch_matrix_free(given.context, &given.rows);
    ch_matrix_free(given.context, &given.csc);
    ch_matrix_free(given.context, &given.bytes);
    ch_context_destroy(given.context);
    return support_folder_remove(state);
}

int support_faults_run(const support_fault *list, size_t count) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_on_two_threads),
    };
    faults = list;
    fault_count = count;
    return cmocka_run_group_tests(tests, make_inputs, free_inputs);
}
