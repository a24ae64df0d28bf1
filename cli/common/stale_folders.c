/* Hidden folders that killed runs have left. One that is in use is locked by its run; the system
 * gives up the lock of a run that is gone, however it ended. */
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

/* The files in it, then the folder; it holds no folders. */
static void remove_left(const char *path) {
    int locked, fd = cli_folder_lock(path, &locked);
    DIR *entries = locked ? opendir(path) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        unlinkat(fd, entry->d_name, 0); /* "." and ".." are refused */
    if (entries) closedir(entries);
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
