/* Returns the number of cores to which this process is bound, or of all if it is not bound. */
#include "base/context_internal.h"
#include <sched.h>
#include <unistd.h>

int chi_usable_cores(void) {
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}
