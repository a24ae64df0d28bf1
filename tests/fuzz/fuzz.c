/* Counted memory, files in memory, bytes as choices; see fuzz.h. */
#include "fuzz.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *counted_alloc(size_t bytes, void *user) {
    fuzz_run *run = user;
    fuzz_require(bytes <= run->most, "%zu bytes at once, where %zu are in proportion", bytes,
                 run->most);
    if (bytes > FUZZ_BLOCK) return NULL;
    run->live++;
    return malloc(bytes);
}

static void counted_release(void *block, void *user) {
    ((fuzz_run *)user)->live--;
    free(block);
}

void fuzz_begin(fuzz_run *run, size_t count) {
    run->live = 0;
    run->most = FUZZ_BLOCK + FUZZ_PER_BYTE * count;
    ch_memory_hooks memory = {counted_alloc, counted_release, run};
    fuzz_require(ch_context_create(&run->context, &memory) == CH_OK, "no context");
    fuzz_require(ch_context_set_threads(run->context, 1) == CH_OK, "one thread");
}

void fuzz_end(fuzz_run *run, ch_status status) {
    const char *message = ch_context_message(run->context);
    fuzz_require(status != CH_ERR_INTERNAL, "an internal error: %s", message);
    fuzz_require(status >= 0 || *message, "status %d without a word", (int)status);
    ch_context_destroy(run->context);
    fuzz_require(run->live == 0, "%lld blocks were not given back", (long long)run->live);
}

const char *fuzz_folder(void) {
    return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

const char *fuzz_path(const char *ending) {
    static char paths[8][128];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/conehull-fuzz-%ld%s", fuzz_folder(), (long)getpid(),
             ending);
    return path;
}

void fuzz_write(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    fuzz_require(file && (!count || fwrite(bytes, 1, count, file) == count) && fclose(file) == 0,
                 "%s cannot be written", path);
}

unsigned fuzz_byte(fuzz_bytes *bytes) {
    if (!bytes->left) return 0;
    bytes->left--;
    return *bytes->next++;
}

int64_t fuzz_below(fuzz_bytes *bytes, int64_t count) {
    return (int64_t)fuzz_byte(bytes) % count;
}

int64_t fuzz_limit(fuzz_bytes *bytes) {
    return 16 * (1 + (int64_t)fuzz_byte(bytes));
}

const uint8_t *fuzz_stretch(fuzz_bytes *bytes, size_t *count) {
    size_t wanted = fuzz_byte(bytes);
    wanted |= (size_t)fuzz_byte(bytes) << 8;
    *count = wanted < bytes->left ? wanted : bytes->left;
    const uint8_t *start = bytes->next;
    bytes->next += *count;
    bytes->left -= *count;
    return start;
}

void fuzz_fail(const char *file, int line, const char *condition, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s:%d: %s does not hold: ", file, line, condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
