/* Restarting the program for the sake of OpenBLAS. The variable is set before the restart, so
 * there is at most one. */
#include "main/blas_kernel.h"
#include <conehull/matrix.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

void cli_choose_blas_kernel(char **words) {
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *wanted = getenv(variable) ? NULL : ch_blas_core_wanted();
    if (!wanted || setenv(variable, wanted, 0) != 0) return;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return;
    program[length] = 0;
    execv(program, words); /* returns only when it failed: then we go on, more slowly */
}
