/* Writers on a disk that is full, which a limit on the length of files stands for: the first
 * failure names the file, what follows says that it failed before, nothing half-written stays, and
 * memory comes back. And checkpoints that change under the run's hands. */
#include "support_clip.h"
#include <conehull/io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct rlimit before;

static void limit_files(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit now = {bytes, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static void lift_limit(void) {
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void test_output(void **state) {
    enum { BYTES = 1 << 20 };
    support_memory memory;
    ch_output_file *output;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    char *bytes = calloc(BYTES, 1);
    int held = support_folder_count();
    assert_int_equal(ch_output_file_open(context, &output, support_path("out.bin")), CH_OK);
    limit_files(100000);
    ch_status first = ch_output_file_write(output, bytes, BYTES);
    ch_status again = ch_output_file_write(output, bytes, 1);
    lift_limit();
    assert_int_equal(first, CH_ERR_IO);
    assert_int_equal(again, CH_ERR_IO);
    support_message(
        context,
        "out.bin: nothing more can be written to this file, because an earlier write failed");
    assert_int_equal(ch_output_file_commit(output), CH_ERR_IO);
    support_message(context, "an earlier write failed");
    assert_int_equal(support_folder_count(), held);
    free(bytes);
    support_finish(context, &memory);
}

static void test_npz(void **state) {
    enum { COUNT = 1 << 17 };
    support_memory memory;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    double *values = calloc(COUNT, sizeof *values);
    ch_npz_array array = {"a", 'f', 1, {COUNT, 1}, values};
    int held = support_folder_count();
    limit_files(100000);
    ch_status status = ch_npz_write(context, support_path("a.npz"), &array, 1);
    lift_limit();
    assert_int_equal(status, CH_ERR_IO);
    support_message(context, "a.npz");
    assert_int_equal(support_folder_count(), held);
    assert_int_equal(ch_npz_write(context, support_path("a.npz"), &array, 1), CH_OK);
    free(values);
    support_finish(context, &memory);
}

static void test_video(void **state) {
    enum { WIDTH = 320, HEIGHT = 240, FRAMES = 40 };
    uint8_t *pixels = malloc(WIDTH * HEIGHT);
    support_memory memory;
    ch_video_writer *writer;
    ch_status status = CH_OK;
    int f = 0;
    (void)state;
    support_need_video();
    ch_context *context = support_context(&memory, 1);
    int held = support_folder_count();
    assert_int_equal(ch_video_writer_open(context, &writer, support_path("v.mkv"),
                                          &(ch_video_format){.width = WIDTH,
                                                             .height = HEIGHT,
                                                             .pixels = CH_PIXELS_GRAY8,
                                                             .rate = 10},
                                          NULL),
                     CH_OK);
    limit_files(200000);
    for (; f < FRAMES && status == CH_OK; f++) {
        support_clip_paint(pixels, f, WIDTH, HEIGHT, 1);
        status = ch_video_writer_add(writer, pixels, f / 10.0);
    }
    lift_limit();
    assert_int_equal(status, CH_ERR_IO);
    support_message(context, "v.mkv");
    assert_int_equal(ch_video_writer_add(writer, pixels, f / 10.0), CH_ERR_IO);
    support_message(
        context,
        "v.mkv: nothing more can be written to this file, because an earlier write failed");
    assert_true(ch_video_writer_commit(writer) < 0);
    assert_int_equal(support_folder_count(), held);
    free(pixels);
    support_finish(context, &memory);
}

static void test_checkpoint(void **state) {
    enum { BYTES = 50000 };
    static const char bytes[BYTES];
    const ch_record_piece piece = {bytes, BYTES};
    support_memory memory;
    ch_checkpoint_file *file;
    const void *got;
    int64_t count;
    (void)state;
    ch_context *context = support_context(&memory, 1);
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("run.chk"), 0), CH_OK);
    const ch_checkpoint *table = ch_checkpoint_file_interface(file);
    assert_int_equal(table->add(table->user, &piece, 1, 0), CH_ERR_ARGUMENT);
    support_message(context, "the kind of a checkpoint record must be from 1 to");
    for (int k = 0; k < 2; k++) assert_int_equal(table->add(table->user, &piece, 1, 1), CH_OK);
    assert_int_equal(table->take(table->user, &got, &count, 2), CH_ERR_ARGUMENT);
    support_message(context, "the checkpoint contains no record of the requested kind (2)");
    limit_files(2 * BYTES + 1000);
    ch_status first = table->add(table->user, &piece, 1, 1);
    ch_status again = table->add(table->user, &piece, 1, 1);
    lift_limit();
    assert_int_equal(first, CH_ERR_IO);
    assert_int_equal(again, CH_ERR_IO);
    support_message(
        context,
        "run.chk: nothing more can be written to this file, because an earlier write failed");
    ch_checkpoint_file_close(file, 0);
    /* What was whole before the disk was full is there; then another process cuts it short. */
    assert_int_equal(ch_checkpoint_file_open(context, &file, support_path("run.chk"), 1), CH_OK);
    table = ch_checkpoint_file_interface(file);
    assert_int_equal(ch_checkpoint_file_records(file), 2);
    assert_int_equal(truncate(support_path("run.chk"), BYTES / 2), 0);
    assert_int_equal(table->take(table->user, &got, &count, 1), CH_ERR_FORMAT);
    support_message(context, "the file became shorter while it was being read");
    ch_checkpoint_file_close(file, 0);
    support_finish(context, &memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_npz),
        cmocka_unit_test(test_video),
        cmocka_unit_test(test_checkpoint),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
