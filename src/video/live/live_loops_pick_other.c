/* Other processors get the portable loops. */
#include "video/live/live_loops.h"

const chi_live_loops *chi_live_loops_get(void) {
    return &chi_live_loops_portable;
}
