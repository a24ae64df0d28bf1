/* A library for LD_PRELOAD: input and output that goes wrong, for files whose path holds
 * $FAULT_PATH. $FAULT says how:
 *
 *     short         a read or write takes a third of what it is given, one byte at least
 *     interrupt     every second call fails with EINTR, having done nothing
 *     full N        writes fail with ENOSPC once N bytes were written; so do fsync and fdatasync
 *     broken N      reads fail with EIO after N calls
 *     rename        rename fails with EIO
 *
 * Calls of the C library's own streams (fread, fwrite) do not come this way: they are served by
 * descriptors such as /dev/full in the tests. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long written, calls;

/* The number behind the word, or -1 when $FAULT is another word. */
static long fault(const char *word) {
    const char *given = getenv("FAULT");
    size_t length = strlen(word);
    if (!given || strncmp(given, word, length) != 0) return -1;
    return given[length] == ' ' ? atol(given + length) : 0;
}

static int watched(int fd) {
    char link[64], path[4096];
    const char *wanted = getenv("FAULT_PATH");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = wanted && fd > 2 ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0) return 0;
    path[length] = '\0';
    return strstr(path, wanted) != NULL;
}

static void *next_of(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

/* How many of the bytes a call may take; -1 with errno set: it fails. */
static ssize_t allowed(int fd, size_t count, int writes) {
    if (!watched(fd)) return (ssize_t)count;
    long turn = __sync_fetch_and_add(&calls, 1);
    if (fault("interrupt") >= 0 && turn % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    if (writes && fault("full") >= 0) {
        if (__sync_fetch_and_add(&written, (long)count) + (long)count > fault("full")) {
            errno = ENOSPC;
            return -1;
        }
    }
    if (!writes && fault("broken") >= 0 && turn >= fault("broken")) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)(fault("short") >= 0 && count ? 1 + (count - 1) / 3 : count);
}

ssize_t read(int fd, void *bytes, size_t count) {
    ssize_t (*next)(int, void *, size_t) = next_of("read");
    ssize_t most = allowed(fd, count, 0);
    return most < 0 ? most : next(fd, bytes, (size_t)most);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
    ssize_t (*next)(int, void *, size_t, off_t) = next_of("pread");
    ssize_t most = allowed(fd, count, 0);
    return most < 0 ? most : next(fd, bytes, (size_t)most, offset);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
    return pread(fd, bytes, count, (off_t)offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t (*next)(int, const void *, size_t) = next_of("write");
    ssize_t most = allowed(fd, count, 1);
    return most < 0 ? most : next(fd, bytes, (size_t)most);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    ssize_t (*next)(int, const void *, size_t, off_t) = next_of("pwrite");
    ssize_t most = allowed(fd, count, 1);
    return most < 0 ? most : next(fd, bytes, (size_t)most, offset);
}

static int sync_by(const char *name, int fd) {
    int (*next)(int) = next_of(name);
    if (fault("full") < 0 || !watched(fd) || written <= fault("full")) return next(fd);
    errno = ENOSPC;
    return -1;
}

int fsync(int fd) {
    return sync_by("fsync", fd);
}

int fdatasync(int fd) {
    return sync_by("fdatasync", fd);
}

int rename(const char *from, const char *to) {
    int (*next)(const char *, const char *) = next_of("rename");
    const char *wanted = getenv("FAULT_PATH");
    if (fault("rename") < 0 || !wanted || !strstr(to, wanted)) return next(from, to);
    errno = EIO;
    return -1;
}
