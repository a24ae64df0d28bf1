/* A system whose write() takes nothing and calls that no failure: outputs and checkpoints end with
 * a status instead of trying for ever. */
#include "io/file/format.h"
#include "support_files.h"
#include <conehull/checkpoint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused; /* writes that may still be answered by 0 */

/* These stand before those of the C library. */
ssize_t write(int fd, const void *bytes, size_t count) {
    return refused > 0 && fd > 2 ? (refused--, 0) : syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    return refused > 0 && fd > 2 ? (refused--, 0) : syscall(SYS_pwrite64, fd, bytes, count, at);
}

static ch_status write_output(ch_context *context) {
    double number = 1;
    ch_matrix X = {.rows = 1, .cols = 1, .values = &number, .stride = 1};
    return ch_matrix_write(context, support_path("one.npy"), &X);
}

static ch_status write_checkpoint(ch_context *context) {
    ch_checkpoint_file *file;
    ch_record_piece piece = {"abc", 3};
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("run"), 0), CH_OK);
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    ch_status status = table->add(table->user, &piece, 1, 1);
    ch_checkpoint_file_close(file, 1);
    return status;
}

static ch_status write_scratch(ch_context *context) {
    int fd;
    const char *folder = support_path(".");
    assert_int_equal(chi_scratch_open(context, &fd, folder), CH_OK);
    ch_status status = chi_scratch_write(context, fd, "abc", 3, 0, folder);
    close(fd);
    return status;
}

static void nothing_written_is_a_failure(void **state) {
    static ch_status (*const all[])(ch_context *) = {write_output, write_checkpoint, write_scratch};
    (void)state;
    for (int w = 0; w < 3; w++) {
        support_memory memory;
        ch_context *context = support_context(&memory, 1);
        refused = 0;
        assert_int_equal(all[w](context), CH_OK);
        remove(support_path("one.npy"));
        refused = 1000;
        assert_int_equal(all[w](context), CH_ERR_IO);
        support_message(context, " cannot be written");
        assert_int_equal(refused, 999);
        refused = 0;
        assert_int_equal(support_folder_count(), 0);
        support_finish(context, &memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
