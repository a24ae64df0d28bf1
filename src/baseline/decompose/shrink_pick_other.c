/* Which loops a processor without special code gets. */
#include "baseline/decompose/shrink.h"

const chi_shrink *chi_shrink_get(void) {
    return &chi_shrink_portable;
}
