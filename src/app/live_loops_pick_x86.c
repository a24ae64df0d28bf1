/* Which loops an x86-64 processor gets. */
#include "app/live_loops.h"
#include "linalg/linalg.h"

const chi_live_loops *chi_live_loops_get(void) {
    return chi_processor_level() >= 2 ? &chi_live_loops_avx2 : &chi_live_loops_portable;
}
