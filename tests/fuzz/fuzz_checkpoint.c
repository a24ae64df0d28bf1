/* libFuzzer target for the file of a checkpoint: whatever follows its mark, opening it and going on
 * from it ends with a status and a message or with an answer, and gives back all memory. See
 * fuzz_read.c for how to build and run it. Checksums keep nearly all inputs from the run itself;
 * tests/props/test_resume.c goes on from there. */
#include <conehull/anchors.h>
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void *counted_alloc(size_t bytes, void *live) {
    ++*(int64_t *)live;
    return malloc(bytes);
}

static void counted_release(void *block, void *live) {
    --*(int64_t *)live;
    free(block);
}

/* An even first byte: the mark, then the input; odd: the input alone. */
static void write_input(const char *path, const uint8_t *bytes, size_t count) {
    static const char mark[24] = "conehull checkpoint 1\n";
    FILE *file = fopen(path, "wb");
    if (!file) abort();
    if (bytes[0] % 2 == 0 && fwrite(mark, 1, sizeof mark, file) != sizeof mark) abort();
    if (fwrite(bytes + 1, 1, count - 1, file) != count - 1 || fclose(file)) abort();
}

static ch_status go_on(ch_context *context, ch_checkpoint_file *file) {
    static const double values[] = {1, 0, 2, 0, 3, 1, 1, 1, 2, 5, 0, 1};
    ch_matrix X;
    ch_anchors_settings set;
    ch_result result;
    ch_settings_defaults(&ch_anchors_table, &set);
    set.rank = 2;
    set.checkpoint = ch_checkpoint_table(file);
    if (ch_matrix_borrow_dense(context, &X, values, 3, 4, 3, CH_COLUMN_MAJOR, CH_F64)) abort();
    ch_status status = ch_anchors(context, &result, &X, &set);
    if (status >= 0) ch_result_free(context, &result);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char path[64];
    int64_t live = 0;
    ch_memory memory = {counted_alloc, counted_release, &live};
    ch_context *context;
    ch_checkpoint_file *file;
    if (count < 1) return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-checkpoint-%ld", (long)getpid());
    write_input(path, bytes, count);
    if (ch_context_create(&context, &memory) || ch_context_set_threads(context, 1)) abort();
    ch_status status = ch_checkpoint_open(context, &file, path, 1);
    if (status == CH_OK) {
        status = go_on(context, file);
        ch_checkpoint_close(file, 0);
    }
    if (status == CH_ERR_INTERNAL || (status < 0 && !*ch_context_message(context))) abort();
    ch_context_destroy(context);
    if (live) abort();
    unlink(path);
    return 0;
}
