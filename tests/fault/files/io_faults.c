/* A library for LD_PRELOAD, or a part of a test program (io_faults.h): input and output that goes
 * wrong, for files whose path holds $FAULT_PATH. $FAULT says how, and counts from 0:
 *
 *     short         a read or write takes a third of what it is given, one byte at least
 *     interrupt     every second call fails with EINTR, having done nothing
 *     full N        writes fail with ENOSPC once N bytes were written; so do fsync and fdatasync
 *     broken N      reads fail with EIO after N calls
 *     signal N      the N-th read or write is done, and SIGINT comes with it
 *     open N        the N-th opening fails with EMFILE
 *     close N       the N-th closing of what was open for writing fails with EIO, and closes
 *     truncate N    the N-th ftruncate fails with EIO
 *     rename        rename fails with EIO
 *     place N       the N-th renameat fails with EIO
 *     folder        fsync of a folder fails with EIO
 *
 * A fault that was met leaves a byte in the file $FAULT_MET, which is mapped when the program
 * starts: also from a child process that may open no file. Streams are opened as cookies, so that
 * fread() and getline() come this way as well. */
#include "io_faults.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long written, calls, opened, closed, truncated, placed, met;

void io_faults_set(const char *fault, const char *path) {
    if (fault) setenv("FAULT", fault, 1);
    if (!fault) unsetenv("FAULT");
    setenv("FAULT_PATH", path, 1);
    written = calls = opened = closed = truncated = placed = met = 0;
}

long io_faults_met(void) {
    return met;
}

static void *next_of(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

/* The number behind the word, or -1 when $FAULT is another word. */
static long fault(const char *word) {
    const char *given = getenv("FAULT");
    size_t length = strlen(word);
    if (!given || strncmp(given, word, length) != 0) return -1;
    return given[length] == ' ' ? atol(given + length) : 0;
}

static volatile char *mark; /* or NULL */

__attribute__((constructor)) static void map_mark(void) {
    int (*next)(const char *, int, ...) = next_of("open");
    int (*shut)(int) = next_of("close");
    int (*cut)(int, off_t) = next_of("ftruncate");
    const char *name = getenv("FAULT_MET");
    int fd = name ? next(name, O_RDWR | O_CREAT, 0600) : -1;
    if (fd < 0) return;
    void *page = cut(fd, 1) == 0 ? mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (page != MAP_FAILED) mark = page;
    shut(fd);
}

/* Leaves the mark; returns -1, with the reason in errno. */
static int fail_with(int reason) {
    if (mark) *mark = 1;
    __sync_fetch_and_add(&met, 1);
    errno = reason;
    return -1;
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

/* The same of a name that is not open yet. */
static int watched_name(const char *name) {
    char path[4096], whole[8192];
    const char *wanted = getenv("FAULT_PATH");
    if (!wanted || !getcwd(path, sizeof path)) return 0;
    snprintf(whole, sizeof whole, "%s/%s", name[0] == '/' ? "" : path, name);
    return strstr(whole, wanted) != NULL;
}

/* Is this the turn of the fault of that name? */
static int is_turn(const char *word, long *count) {
    return fault(word) >= 0 && __sync_fetch_and_add(count, 1) == fault(word);
}

/* How many of the bytes a call may take; -1 with errno set: it fails. */
static ssize_t allowed(int fd, size_t count, int writes) {
    if (!watched(fd)) return (ssize_t)count;
    long turn = __sync_fetch_and_add(&calls, 1);
    if (fault("interrupt") >= 0 && turn % 2 == 0) return fail_with(EINTR);
    if (fault("signal") >= 0 && turn == fault("signal")) {
        fail_with(0);
        /* Of the process: threads that read ahead hold it back. A sandbox permits only the other.
         */
        if (kill(getpid(), SIGINT) != 0) raise(SIGINT);
    }
    if (writes && fault("full") >= 0) {
        if (__sync_fetch_and_add(&written, (long)count) + (long)count > fault("full"))
            return fail_with(ENOSPC);
    }
    if (!writes && fault("broken") >= 0 && turn >= fault("broken")) return fail_with(EIO);
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

static int is_folder(int fd) {
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int sync_by(const char *name, int fd) {
    int (*next)(int) = next_of(name);
    if (fault("folder") >= 0 && watched(fd) && is_folder(fd)) return fail_with(EIO);
    if (fault("full") < 0 || !watched(fd) || written <= fault("full")) return next(fd);
    return fail_with(ENOSPC);
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
    return fail_with(EIO);
}

int renameat(int from, const char *name, int to, const char *other) {
    int (*next)(int, const char *, int, const char *) = next_of("renameat");
    return watched(to) && is_turn("place", &placed) ? fail_with(EIO) : next(from, name, to, other);
}

int ftruncate(int fd, off_t length) {
    int (*next)(int, off_t) = next_of("ftruncate");
    return watched(fd) && is_turn("truncate", &truncated) ? fail_with(EIO) : next(fd, length);
}

/* ---- opening and closing ---- */

int open(const char *name, int flags, ...) {
    int (*next)(const char *, int, ...) = next_of("open");
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (watched_name(name) && is_turn("open", &opened)) return fail_with(EMFILE);
    return next(name, flags, mode);
}

DIR *opendir(const char *name) {
    DIR *(*next)(const char *) = next_of("opendir");
    if (!watched_name(name) || !is_turn("open", &opened)) return next(name);
    fail_with(EMFILE);
    return NULL;
}

int close(int fd) {
    int (*next)(int) = next_of("close");
    int flags = fault("close") >= 0 && watched(fd) ? fcntl(fd, F_GETFL) : O_RDONLY;
    int fails = (flags & O_ACCMODE) != O_RDONLY && is_turn("close", &closed);
    int status = next(fd);
    return fails ? fail_with(EIO) : status;
}

static ssize_t read_cookie(void *cookie, char *bytes, size_t count) {
    return read((int)(intptr_t)cookie, bytes, count);
}

static int seek_cookie(void *cookie, off64_t *offset, int whence) {
    off64_t place = lseek64((int)(intptr_t)cookie, *offset, whence);
    if (place >= 0) *offset = place;
    return place < 0 ? -1 : 0;
}

static int close_cookie(void *cookie) {
    return close((int)(intptr_t)cookie);
}

FILE *fopen(const char *name, const char *mode) {
    FILE *(*next)(const char *, const char *) = next_of("fopen");
    if (mode[0] != 'r' || strchr(mode, '+') || !watched_name(name)) return next(name, mode);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    cookie_io_functions_t calls_of = {read_cookie, NULL, seek_cookie, close_cookie};
    return fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "r", calls_of);
}

FILE *fopen64(const char *name, const char *mode) {
    return fopen(name, mode);
}
