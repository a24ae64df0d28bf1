/* libFuzzer target for folders of masks: PNG and PNM files of any contents. The first byte of an
 * input says where it is cut in two; the parts are the masks of two frames. Whatever they hold,
 * reading ends with a status and a message, takes memory in proportion and gives all of it back.
 *
 *     build-fuzz/tests/fuzz_masks -max_total_time=60        (built as fuzz_read.c says) */
#include <conehull/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void *counted_alloc(size_t bytes, void *live) {
    if (bytes > (size_t)1 << 28) return NULL;
    ++*(int64_t *)live;
    return malloc(bytes);
}

static void counted_release(void *block, void *live) {
    --*(int64_t *)live;
    free(block);
}

static void write_input(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char folder[64], path[2][80];
    int64_t live = 0;
    ch_memory memory = {counted_alloc, counted_release, &live};
    ch_context *context;
    ch_masks masks;
    if (count < 1) return 0;
    size_t first = (count - 1) * bytes[0] / 255;
    snprintf(folder, sizeof folder, "/dev/shm/fuzz-masks-%ld", (long)getpid());
    mkdir(folder, 0777);
    for (int k = 0; k < 2; k++) {
        snprintf(path[k], sizeof path[k], "%s/%d.png", folder, k);
        write_input(path[k], k ? bytes + 1 + first : bytes + 1, k ? count - 1 - first : first);
    }
    if (bytes[0] == 255) unlink(path[1]);
    if (ch_context_create(&context, &memory)) abort();
    ch_status status = ch_read_masks(context, &masks, folder);
    if (status > 0 || status == CH_ERR_INTERNAL) abort();
    if (status == CH_OK) {
        for (int64_t j = 0; j < masks.count * masks.width * masks.height; j++)
            if (masks.foreground[j] > 1) abort();
        ch_masks_free(context, &masks);
    } else if (!*ch_context_message(context)) {
        abort();
    }
    ch_context_destroy(context);
    if (live) abort();
    for (int k = 0; k < 2; k++) unlink(path[k]);
    rmdir(folder);
    return 0;
}
