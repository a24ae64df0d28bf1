/* Files as bytes: opened with a clear refusal, mapped when they can be. */
#include "io/file/format.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ch_status chi_fail_system(ch_context *context, const char *path, const char *verb) {
    char reason[128];
    const char *words = strerror_r(errno, reason, sizeof reason);
    return chi_fail(context, CH_ERR_IO, "%s: %s: %s", path, verb, words);
}

ch_status chi_open_source(ch_context *context, int *fd, int64_t *size, const char *path) {
    struct stat facts;
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return chi_fail_system(context, path, "cannot open");
    int failed = fstat(opened, &facts);
    if (!failed && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        failed = 1;
    }
    if (failed) {
        ch_status status = chi_fail_system(context, path, "cannot read");
        close(opened);
        return status;
    }
    *fd = opened;
    *size = S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : -1;
    return CH_OK;
}

size_t chi_put(int fd, const void *bytes, size_t count, int64_t at) {
    const char *from = bytes;
    size_t put = 0;
    while (put < count) {
        errno = EIO; /* for a write of nothing, which would go on for ever */
        ssize_t written = at < 0 ? write(fd, from + put, count - put)
                                 : pwrite(fd, from + put, count - put, (off_t)(at + (int64_t)put));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        put += (size_t)written;
    }
    return put;
}

/* The pages are wanted soon and more than once: ask for them unless they would push everything
 * else out of memory. */
static ch_status map_file(ch_context *context, chi_store *store, int fd, int64_t size,
                          const char *path) {
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) return chi_fail_system(context, path, "cannot map");
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (size < memory / 2) madvise(map, (size_t)size, MADV_WILLNEED);
    store->map = map;
    store->map_bytes = (size_t)size;
    return CH_OK;
}

static ch_status grow(ch_context *context, void **block, int64_t *capacity, const char *path) {
    int64_t larger = *capacity ? 2 * *capacity : 1 << 16;
    void *moved = chi_take(context, path, "contents", larger, 1);
    if (!moved) return CH_ERR_MEMORY;
    if (*block) memcpy(moved, *block, (size_t)*capacity);
    chi_free(context, *block);
    *block = moved;
    *capacity = larger;
    return CH_OK;
}

static ch_status read_stream(ch_context *context, chi_store *store, int fd, int64_t *size,
                             const char *path) {
    int64_t capacity = 0, filled = 0;
    for (;;) {
        if (filled == capacity) TRY(grow(context, &store->block[0], &capacity, path));
        ssize_t got = read(fd, (char *)store->block[0] + filled, (size_t)(capacity - filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return chi_fail_system(context, path, "cannot read");
        if (got == 0) break;
        filled += got;
    }
    *size = filled;
    return CH_OK;
}

ch_status chi_load_source(ch_context *context, chi_store *store, const unsigned char **bytes,
                          int64_t *size, const char *path) {
    int fd;
    TRY(chi_open_source(context, &fd, size, path));
    ch_status status = *size > 0   ? map_file(context, store, fd, *size, path)
                       : *size < 0 ? read_stream(context, store, fd, size, path)
                                   : CH_OK;
    close(fd);
    *bytes = store->map ? store->map : store->block[0];
    return status;
}
