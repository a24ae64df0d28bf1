/* Which loops an x86-64 processor gets. */
#include "linalg/linalg.h"
#include "video/live/live_loops.h"

const chi_live_loops *chi_live_loops_get(void) {
    return chi_processor_level() >= 2 ? &chi_live_loops_avx2 : &chi_live_loops_portable;
}
