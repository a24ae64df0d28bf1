/* Calls on matrices with their k-th allocation failing, for every k, and a context without memory
 * for itself or for its threads. */
#include "support_faults.h"
#include <conehull/conehull.h>

RELEASE(ch_matrix)

typedef struct made {
    ch_matrix X;
    int64_t anchors[4];
} made;

static void release_made(ch_context *context, void *output) {
    ch_matrix_free(context, &((made *)output)->X);
}

static ch_status call_synthetic(ch_context *context, void *output, const void *with) {
    const ch_synthetic_settings set = {.size = sizeof set,
                                       .rows = 20,
                                       .cols = 50,
                                       .rank = 4,
                                       .noise = CH_NOISE_SPARSE,
                                       .level = 0.1,
                                       .shuffle = 1,
                                       .type = CH_F32};
    made *to = output;
    (void)with;
    return ch_synthetic_make(context, &to->X, to->anchors, &set);
}

static ch_status call_copy(ch_context *context, void *output, const void *with) {
    const int64_t list[] = {3, 1, 7};
    return ch_matrix_copy(context, output, with, list, 3);
}

static ch_status call_transpose(ch_context *context, void *output, const void *with) {
    return ch_matrix_transpose(context, output, with);
}

static ch_status call_check(ch_context *context, void *output, const void *with) {
    (void)output;
    return ch_matrix_check(context, with);
}

static const support_fault faults[] = {
    {"ch_synthetic_make", call_synthetic, NULL, OUT(made)},
    {"ch_matrix_copy, by rows", call_copy, &given.rows, OUT(ch_matrix)},
    {"ch_matrix_copy, CSC", call_copy, &given.csc, OUT(ch_matrix)},
    {"ch_matrix_transpose, CSC", call_transpose, &given.csc, OUT(ch_matrix)},
    {.name = "ch_matrix_check", .call = call_check, .with = &given.dense},
    {.name = "ch_matrix_check, CSC", .call = call_check, .with = &given.csc},
};

/* ch_synthetic_make allocates five times, then asks for threads. */
static void without_memory_for_threads_the_caller_works_alone(void **state) {
    (void)state;
    for (int k = 6; k <= 7; k++) {
        support_memory memory;
        made output;
        ch_context *context = support_context(&memory, 2);
        int64_t held = memory.live;
        memory.fail_at = memory.requests + k;
        assert_int_equal(call_synthetic(context, &output, NULL), CH_OK);
        release_made(context, &output);
        assert_int_equal(memory.failed, 1);
        assert_int_equal(memory.live, held);
        support_finish(context, &memory);
    }
}

/* It has no status to say so, and needs none; the next call gets its threads. */
static void counting_goes_on_alone(void **state) {
    enum { SIDE = 200 }; /* enough values to be shared out */
    static uint8_t values[SIDE * SIDE];
    (void)state;
    values[7] = values[SIDE * SIDE - 1] = 1;
    for (int k = 1; k <= 2; k++) {
        support_memory memory;
        ch_matrix X;
        ch_context *context = support_context(&memory, 2);
        assert_int_equal(
            ch_matrix_borrow(
                context, &X,
                &(ch_matrix){.rows = SIDE, .cols = SIDE, .type = CH_U8, .values = values}),
            CH_OK);
        memory.fail_at = memory.requests + k;
        assert_int_equal(ch_matrix_nonzeros(context, &X), 2);
        assert_int_equal(memory.failed, 1);
        assert_int_equal(ch_matrix_nonzeros(context, &X), 2);
        support_finish(context, &memory);
    }
}

static void *no_memory(size_t bytes, void *user) {
    (void)bytes;
    (void)user;
    return NULL;
}

static void never_called(void *block, void *user) {
    (void)block;
    (void)user;
    fail();
}

static void creating_a_context_may_fail(void **state) {
    (void)state;
    ch_memory_hooks none = {no_memory, never_called, NULL};
    ch_context *context = (ch_context *)&none;
    assert_int_equal(ch_context_create(&context, &none), CH_ERR_MEMORY);
    assert_ptr_equal(context, &none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_for_threads_the_caller_works_alone),
        cmocka_unit_test(counting_goes_on_alone),
        cmocka_unit_test(creating_a_context_may_fail),
    };
    return support_faults_run(faults, sizeof faults / sizeof *faults, NULL) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
