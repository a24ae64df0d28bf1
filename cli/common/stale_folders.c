/* Hidden folders left by killed runs. A folder in use is locked by its run; the system releases the
 * lock of a run that has ended in any way. A name alone does not prove who made a folder, so files
 * are removed only if their folder also has the mark. */
#include "common/output_folder.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int cli_folder_lock(const char *staging, int *locked) {
    int fd = open(staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    *locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    return fd;
}

void cli_folder_mark(int staging_at) {
    int fd = staging_at < 0 ? -1
                            : openat(staging_at, CLI_FOLDER_MARK,
                                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
}

/* Removes the files, the mark last, then the folder, which holds no folders. A folder without the
 * mark is removed if it is empty: its run was killed before it wrote the mark. */
static void remove_left(const char *path) {
    int locked, fd = cli_folder_lock(path, &locked);
    int marked = locked && faccessat(fd, CLI_FOLDER_MARK, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    DIR *entries = marked ? opendir(path) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, CLI_FOLDER_MARK) != 0)
            unlinkat(fd, entry->d_name, 0); /* "." and ".." are refused */
    if (entries) closedir(entries);
    if (marked) unlinkat(fd, CLI_FOLDER_MARK, 0);
    if (locked) rmdir(path);
    if (fd >= 0) close(fd);
}

void cli_folder_sweep(const char *path) {
    static const size_t length = sizeof CLI_FOLDER_STAGING - 1;
    static const size_t fixed = sizeof CLI_FOLDER_STAGING - sizeof "XXXXXX";
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, CLI_FOLDER_STAGING, fixed) != 0) continue;
        if (strlen(entry->d_name) != length) continue;
        char *left = cli_path_join(path, entry->d_name);
        if (left) remove_left(left);
        free(left);
    }
    if (entries) closedir(entries);
}
