/* Start of OpenBLAS with the program: on one thread, and with the kernel of this processor. */
#include "main/program.h"
#include <conehull/matrix.h>
#include <stdlib.h>
#include <unistd.h>

/* OpenBLAS starts a thread per core while the program is loaded, before main(). We call it from our
 * own threads and need none of them. Under a limit of address space or of processes they do harm: a
 * thread that finds no memory for its buffer retries for ever, and the program never ends; one that
 * cannot be started ends the program by SIGINT. OpenBLAS calls this function to read
 * OPENBLAS_NUM_THREADS, and a definition in the program overrides the one in the library. It is
 * weak, so that a static OpenBLAS uses its own; tests/e2e/safety/address_space.py checks it. */
__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void);
int openblas_num_threads_env(void) {
    return 1;
}

/* OpenBLAS chooses its kernel while the program is loaded, and some versions take newer processors
 * for very old ones (2 to 5 times slower). */
void cli_blas_start(char **words) {
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *wanted = getenv(variable) ? NULL : ch_blas_core_wanted();
    char path[PATH_MAX];
    if (!wanted || setenv(variable, wanted, 0) != 0) return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    execv(path, words); /* returns only on failure: then continue, more slowly */
}
