/* Files as bytes: opened with a clear message on failure, mapped if possible. */
#include "io/file/format.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

ch_status chi_fail_system(ch_context *context, const char *path, const char *verb) {
    /* strerror_r() differs between C libraries; texts of known errors are constant. */
    return chi_fail(context, CH_ERR_IO, "%s: %s: %s", path, verb, strerror(errno));
}

ch_status chi_check_name(ch_context *context, const char *path, const char *what) {
    if (path && *path) return CH_OK;
    return chi_fail(context, CH_ERR_ARGUMENT, "the name of %s is missing or empty", what);
}

ch_status chi_open_source(ch_context *context, int *fd, int64_t *size, const char *path) {
    struct stat facts;
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0) return chi_fail_system(context, path, "cannot open");
    int failed = fstat(opened, &facts);
    if (!failed && S_ISDIR(facts.st_mode)) failed = errno = EISDIR;
    if (failed) {
        ch_status status = chi_fail_system(context, path, "cannot read");
        close(opened);
        return status;
    }
    *fd = opened;
    *size = S_ISREG(facts.st_mode) ? (int64_t)facts.st_size : -1;
    return CH_OK;
}

ch_status chi_open_file(ch_context *context, int *fd, int64_t *size, const char *path) {
    TRY(chi_open_source(context, fd, size, path));
    if (*size >= 0) return CH_OK;
    close(*fd);
    return chi_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: this is a pipe or a device, but this format can be read from a regular file only",
        path);
}

ch_status chi_wait_readable(ch_context *context, int fd, int64_t done) {
    enum { WAIT_MILLISECONDS = 200 };
    struct pollfd waiting = {fd, POLLIN, 0};
    while (poll(&waiting, 1, WAIT_MILLISECONDS) <= 0)
        if (chi_notify(context, "read", done, 0, -1, 0)) return CH_STOP_CANCELLED;
    return CH_OK;
}

ch_status chi_get(ch_context *context, const char *path, int fd, void *bytes, int64_t count,
                  int64_t at) {
    for (int64_t done = 0; done < count;) {
        ssize_t got = pread(fd, (char *)bytes + done, (size_t)(count - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return chi_fail_system(context, path, "cannot read");
        if (got == 0)
            return chi_fail(context, CH_ERR_FORMAT,
                            "%s: the file became shorter while it was being read", path);
        done += got;
    }
    return CH_OK;
}

size_t chi_put(int fd, const void *bytes, size_t count, int64_t at) {
    const char *from = bytes;
    size_t put = 0;
    while (put < count) {
        errno = EIO; /* a write of 0 bytes would repeat for ever */
        ssize_t written = at < 0 ? write(fd, from + put, count - put)
                                 : pwrite(fd, from + put, count - put, (off_t)(at + (int64_t)put));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        put += (size_t)written;
    }
    return put;
}

static void unmap(chi_store *store) {
    munmap(store->map, store->map_bytes);
}

void chi_store_map(chi_store *store, void *map, size_t bytes) {
    store->map = map;
    store->map_bytes = bytes;
    store->close = unmap;
}

/* The pages are needed soon and more than once: requests them unless they would push everything
 * else out of memory. */
static ch_status map_file(ch_context *context, chi_store *store, int fd, int64_t size,
                          const char *path) {
    void *map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) return chi_fail_system(context, path, "cannot map");
    if ((double)size < chi_machine_bytes() / 2) madvise(map, (size_t)size, MADV_WILLNEED);
    chi_store_map(store, map, (size_t)size);
    return CH_OK;
}

static ch_status read_stream(ch_context *context, chi_store *store, int fd, int64_t *size,
                             const char *path) {
    int64_t capacity = 0;
    for (*size = 0;;) {
        if (*size == capacity)
            TRY(chi_array_double(context, &store->values, &capacity, *size, 1, path, "contents"));
        TRY_OK(chi_wait_readable(context, fd, *size));
        ssize_t got = read(fd, (char *)store->values + *size, (size_t)(capacity - *size));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return chi_fail_system(context, path, "cannot read");
        if (got == 0) return CH_OK;
        *size += got;
        if (chi_notify(context, "read", *size, 0, -1, 0)) return CH_STOP_CANCELLED;
    }
}

ch_status chi_load_source(ch_context *context, chi_store *store, const unsigned char **bytes,
                          int64_t *size, const char *path) {
    int fd;
    TRY(chi_open_source(context, &fd, size, path));
    ch_status status = *size > 0   ? map_file(context, store, fd, *size, path)
                       : *size < 0 ? read_stream(context, store, fd, size, path)
                                   : CH_OK;
    close(fd);
    *bytes = store->map ? store->map : store->values;
    return status;
}
