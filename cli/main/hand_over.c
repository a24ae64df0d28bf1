/* Finds a program next to this one, and replaces this process by it. */
#include "common/exit_codes.h"
#include "common/message.h"
#include "main/program.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cli_program_beside(char path[PATH_MAX], const char *name) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    char *file = strrchr(path, '/') + 1;
    size_t left = (size_t)(PATH_MAX - (file - path));
    return snprintf(file, left, "%s", name) < (int)left && access(path, X_OK) == 0;
}

int cli_hand_over(const char *name, const char *command, char **words) {
    char path[PATH_MAX];
    if (!cli_program_beside(path, name))
        return cli_error(
            EXIT_FILES,
            "%s is a command of the program %s, which is not installed beside this program; "
            "install the Debian package %s, or build conehull with CONEHULL_LAB=ON",
            command, name, name);
    execv(path, words);
    return cli_error(EXIT_FILES, "%s: the program cannot be started: %s", path, strerror(errno));
}
