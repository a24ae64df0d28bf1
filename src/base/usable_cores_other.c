/* Cores of a system that binds no processes, or says nothing of it. */
#include "base/context_internal.h"
#include <unistd.h>

int chi_usable_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}
