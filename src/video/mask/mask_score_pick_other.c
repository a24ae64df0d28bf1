/* Other processors get the portable loops. */
#include "video/mask/mask_score_loops.h"

const chi_mask_loops *chi_mask_loops_get(void) {
    return &chi_mask_loops_portable;
}
