/* Files that appear complete or not at all: written next to their target under a temporary name,
 * synced, then renamed over it. Devices and pipes, which cannot be renamed over, are written
 * directly. */
#include "io/file/format.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, TEMPORARY_MAX = 48 };

struct ch_output_file {
    ch_context *context;
    int fd;
    int failed;      /* a write failed: commit must not rename */
    char *path;      /* the target, with links resolved        */
    char *temporary; /* NULL: written directly                 */
    size_t filled;
    char buffer[BLOCK];
};

static void release(ch_output_file *output) {
    chi_free(output->context, output->path);
    chi_free(output->context, output->temporary);
    chi_free(output->context, output);
}

static ch_status fail(const ch_output_file *output, const char *verb) {
    return chi_fail_system(output->context, output->path, verb);
}

static ch_status failed_before(const ch_output_file *output) {
    return chi_fail(output->context, CH_ERR_IO,
                    "%s: nothing more can be written to this file, because an earlier write failed",
                    output->path);
}

/* A link keeps pointing to its file, and that file is replaced. */
static ch_status copy_target(ch_output_file *output, const char *path) {
    char *resolved = realpath(path, NULL);
    const char *target = resolved ? resolved : path;
    int64_t length = (int64_t)strlen(target) + TEMPORARY_MAX;
    output->path = chi_text_copy(output->context, target);
    output->temporary = chi_alloc(output->context, length, 1);
    free(resolved);
    if (output->path && output->temporary) return CH_OK;
    return chi_no_memory(output->context, "a file name", length, 1);
}

static ch_status create_temporary(ch_output_file *output, mode_t mode, int replaces) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        sprintf(output->temporary, "%s.part-%ld-%u", output->path, (long)getpid(), attempt);
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->fd >= 0 || errno != EEXIST) break;
    }
    if (output->fd < 0) return fail(output, "the file cannot be created");
    if (replaces && fchmod(output->fd, mode & 0777)) errno = 0; /* the default mode is acceptable */
    return CH_OK;
}

static ch_status open_target(ch_output_file *output) {
    struct stat facts;
    int exists = stat(output->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return fail(output, "the file cannot be written");
    }
    if (!exists || S_ISREG(facts.st_mode))
        return create_temporary(output, exists ? facts.st_mode : 0, exists);
    chi_free(output->context, output->temporary);
    output->temporary = NULL;
    output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? fail(output, "cannot open") : CH_OK;
}

ch_status ch_output_file_open(ch_context *context, ch_output_file **output, const char *path) {
    if (!context || !output) return CH_ERR_ARGUMENT;
    TRY(chi_check_name(context, path, "a file"));
    ch_output_file *made = chi_alloc_zero(context, 1, sizeof *made);
    if (!made) return chi_no_memory(context, "an output file", 1, sizeof *made);
    made->context = context;
    made->fd = -1;
    ch_status status = copy_target(made, path);
    if (status == CH_OK) status = open_target(made);
    if (status == CH_OK)
        *output = made;
    else
        release(made);
    return status;
}

static ch_status write_all(ch_output_file *output, const char *bytes, size_t count) {
    if (chi_put(output->fd, bytes, count, -1) == count) return CH_OK;
    output->failed = 1;
    return fail(output, "the file cannot be written");
}

static ch_status flush(ch_output_file *output) {
    size_t count = output->filled;
    output->filled = 0;
    return write_all(output, output->buffer, count);
}

ch_status ch_output_file_write(ch_output_file *output, const void *bytes, size_t count) {
    if (!output || (!bytes && count)) return CH_ERR_ARGUMENT;
    if (output->failed) return failed_before(output);
    if (count > BLOCK - output->filled) TRY(flush(output));
    if (count >= BLOCK) return write_all(output, bytes, count);
    if (count) memcpy(output->buffer + output->filled, bytes, count);
    output->filled += count;
    return CH_OK;
}

int chi_output_seekable(const ch_output_file *output) {
    return output->temporary != NULL;
}

const char *chi_output_path(const ch_output_file *output) {
    return output->path;
}

const char *chi_output_temporary(ch_output_file *output) {
    return flush(output) == CH_OK ? output->temporary : NULL;
}

ch_status chi_output_seek(ch_output_file *output, int64_t position) {
    TRY(flush(output));
    if (lseek(output->fd, (off_t)position, SEEK_SET) >= 0) return CH_OK;
    output->failed = 1;
    return fail(output, "the file cannot be written");
}

/* The new name survives a crash of the machine only when its folder is on disk too. */
static void sync_folder(const char *path) {
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder) return;
    if (length) snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

ch_status ch_output_file_commit(ch_output_file *output) {
    if (!output) return CH_ERR_ARGUMENT;
    ch_status status = output->failed ? failed_before(output) : flush(output);
    if (status == CH_OK && output->temporary && fsync(output->fd))
        status = fail(output, "the file cannot be written");
    if (close(output->fd) && status == CH_OK) status = fail(output, "the file cannot be written");
    if (output->temporary) {
        if (status == CH_OK && rename(output->temporary, output->path))
            status = fail(output, "the file cannot be replaced");
        if (status != CH_OK) unlink(output->temporary);
        if (status == CH_OK) sync_folder(output->path);
    }
    release(output);
    return status;
}

void ch_output_file_discard(ch_output_file *output) {
    if (!output) return;
    close(output->fd);
    if (output->temporary) unlink(output->temporary);
    release(output);
}

ch_status chi_output_close(ch_output_file *output, ch_status status) {
    if (status == CH_OK) return ch_output_file_commit(output);
    ch_output_file_discard(output);
    return status;
}
