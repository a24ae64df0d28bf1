/* Returns the number of cores on systems that do not bind processes or do not report it. */
#include "base/context_internal.h"
#include <unistd.h>

int chi_usable_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}
