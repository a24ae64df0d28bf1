/* libFuzzer target for the readers that are our own: npy, npz, Matrix Market, CSV, plain and
 * compressed. The first byte of an input chooses the format, the rest is the file. Whatever it
 * holds, reading ends with a status and a message and gives back all memory.
 *
 *     cmake -B build-fuzz -DCMAKE_C_COMPILER=clang-14 -DCONEHULL_FUZZ=ON \
 *           -DCONEHULL_SANITIZERS=address,undefined,fuzzer-no-link
 *     build-fuzz/tests/fuzz_read -max_total_time=60 */
#include <conehull/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char *const suffixes[] = {"npy", "npz", "mtx", "mtx.gz", "csv", "tsv", "csv.gz"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

static void *counted_alloc(size_t bytes, void *live) {
    if (bytes > (size_t)1 << 28) return NULL; /* many empty columns are valid; here, too many */
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
    char path[64];
    int64_t live = 0;
    ch_memory memory = {counted_alloc, counted_release, &live};
    ch_context *context;
    ch_matrix X;
    if (count < 1) return 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-%ld.%s", (long)getpid(),
             suffixes[bytes[0] % SUFFIXES]);
    write_input(path, bytes + 1, count - 1);
    if (ch_context_create(&context, &memory)) abort();
    ch_read_settings settings = {NULL, bytes[0] / SUFFIXES % 2};
    ch_status status = ch_read_matrix(context, &X, path, &settings);
    if (status > 0 || status == CH_ERR_INTERNAL) abort();
    if (status == CH_OK) {
        if (ch_matrix_check(context, &X) == CH_ERR_INTERNAL) abort();
        ch_matrix_free(context, &X);
    } else if (!*ch_context_message(context)) {
        abort();
    }
    ch_context_destroy(context);
    if (live) abort();
    unlink(path);
    return 0;
}
