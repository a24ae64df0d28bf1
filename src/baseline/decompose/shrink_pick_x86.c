/* Which loops an x86-64 processor gets. */
#include "baseline/decompose/shrink.h"
#include "linalg/linalg.h"

const chi_shrink *chi_shrink_get(void) {
    return chi_processor_level() >= 2 ? &chi_shrink_avx2 : &chi_shrink_portable;
}
