/* Readers when things go wrong: files cut short at every length, bytes changed, sizes that promise
 * too much, a caller that cancels. A reader ends with a status and a message, leaves its output
 * alone and holds nothing. Allocations that fail: tests/fault/memory/test_fault_files.c. */
#include "support_samples.h"
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sample's bytes, or NULL when it could not be made. */
static unsigned char *load(const support_sample *sample, size_t *count) {
    return support_sample_exists(sample->name)
               ? support_file_read(support_path("%s", sample->name), count)
               : NULL;
}

/* Reads; whatever the status, nothing may be held and an output is complete or untouched. */
static ch_status read_once(const char *path, char message[600]) {
    support_memory memory;
    ch_context *context = support_context(&memory, 1);
    ch_matrix X = {.rows = -7};
    ch_status status = ch_matrix_read(context, &X, path, NULL);
    snprintf(message, 600, "%s", ch_context_message(context));
    if (status == CH_OK)
        ch_matrix_free(context, &X);
    else {
        support_check(X.rows == -7, "%s: the output was changed", path);
        support_check(strstr(message, path) != NULL, "\"%s\" does not name %s", message, path);
    }
    support_finish(context, &memory);
    return status;
}

static void test_cut_short(void **state) {
    char message[600];
    (void)state;
    for (int s = 0; s < SUPPORT_SAMPLES; s++) {
        size_t count;
        unsigned char *bytes = load(&support_samples[s], &count);
        if (!bytes) continue;
        const char *path = support_path("cut-%s", support_samples[s].name);
        support_file_write(path, bytes, count);
        assert_int_equal(read_once(path, message), CH_OK);
        for (size_t length = 0; length < count; length++) {
            assert_int_equal(truncate(path, (off_t)(count - 1 - length)), 0);
            ch_status status = read_once(path, message);
            int fine =
                status == CH_ERR_FORMAT || (support_samples[s].cut_may_pass && status == CH_OK);
            support_check(fine, "%s cut to %zu of %zu bytes: %d, %s", support_samples[s].name,
                          count - 1 - length, count, status, message);
        }
        remove(path);
        free(bytes);
    }
}

/* Our own readers take any bytes; what other libraries make of damaged files is theirs. */
static void test_changed_bytes(void **state) {
    ch_random random;
    char message[600];
    (void)state;
    support_seed(&random, "changed_bytes", 31);
    for (int s = 0; s < SUPPORT_SAMPLES; s++) {
        size_t count;
        unsigned char *bytes =
            support_samples[s].fragile ? NULL : load(&support_samples[s], &count);
        if (!bytes) continue;
        const char *path = support_path("changed-%s", support_samples[s].name);
        for (int round = 0; round < 400; round++) {
            size_t place = (size_t)ch_random_below(&random, (int64_t)count);
            unsigned char before = bytes[place];
            bytes[place] =
                round % 3 ? (unsigned char)ch_random_bits(&random) : "0919- ,'\n"[round / 3 % 9];
            support_file_write(path, bytes, count);
            ch_status status = read_once(path, message);
            support_check(status <= 0, "%s: %d", path, status);
            bytes[place] = before;
        }
        remove(path);
        free(bytes);
    }
}

/* Refuses at once what does not fit the machine, and takes little from a small file. */
static void test_modest(void **state) {
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\n1000 1000 900000000\n1 1 1\n",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n",
        "%%MatrixMarket matrix coordinate real general\n2147483647 3 2\n2 2 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n1 2500000000 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n1 100000000 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real symmetric\n100000000 100000000 1\n1 1 1\n"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        support_memory memory;
        ch_matrix X;
        support_file_write(support_path("modest.mtx"), texts[t], strlen(texts[t]));
        ch_context *context = support_context(&memory, 1);
        ch_status status = ch_matrix_read(context, &X, support_path("modest.mtx"), NULL);
        support_check(memory.peak < 4 << 20, "%lld bytes for a file of %zu", (long long)memory.peak,
                      strlen(texts[t]));
        if (status == CH_OK) ch_matrix_free(context, &X);
        support_finish(context, &memory);
    }
}

static int stop_at_once(const ch_progress_event *event, void *user) {
    ++*(int *)user;
    return event->done >= 0;
}

/* A long text of such lines below a head; the reader is stopped at its first event. */
static void cancel_reading(const char *name, const char *head, const char *line) {
    enum { LINES = 1 << 20 };
    support_memory memory;
    ch_matrix X = {.rows = -7};
    int events = 0;
    const char *path = support_path(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(head, file);
    for (int k = 0; k < LINES; k++) fputs(line, file);
    fclose(file);
    ch_context *context = support_context(&memory, 1);
    ch_context_set_progress(context, stop_at_once, &events);
    assert_int_equal(ch_matrix_read(context, &X, path, NULL), CH_STOP_CANCELLED);
    assert_int_equal(events, 1);
    assert_int_equal(X.rows, 0); /* an empty matrix: there is no use in half of one */
    ch_matrix_free(context, &X);
    support_finish(context, &memory);
    remove(path);
}

static void test_cancel(void **state) {
    (void)state;
    cancel_reading("long.csv", "", "1,2,3,4,5,6\n");
    cancel_reading("array.mtx", "%%MatrixMarket matrix array real general\n1024 4096\n",
                   "1.5 2.5\n3.5\n4.5\n");
    cancel_reading("sparse.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 1048576\n",
                   "1 2 1.2345678\n");
}

static int make_samples(void **state) {
    return support_folder_make(state) || support_samples_make();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_modest),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, make_samples, support_folder_remove);
}
