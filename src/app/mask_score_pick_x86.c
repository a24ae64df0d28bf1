/* Which loops an x86-64 processor gets. */
#include "app/mask_score_loops.h"
#include "linalg/linalg.h"

const chi_mask_loops *chi_mask_loops_get(void) {
    return chi_processor_level() >= 2 ? &chi_mask_loops_avx2 : &chi_mask_loops_portable;
}
