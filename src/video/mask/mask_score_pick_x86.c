/* Which loops an x86-64 processor gets. */
#include "linalg/linalg.h"
#include "video/mask/mask_score_loops.h"

const chi_mask_loops *chi_mask_loops_get(void) {
    return chi_processor_level() >= 2 ? &chi_mask_loops_avx2 : &chi_mask_loops_portable;
}
