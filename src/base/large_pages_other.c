/* Large blocks of memory on systems without a known call for large pages. */
#include "base/context_internal.h"
#include <stdlib.h>

void *chi_large_alloc(size_t bytes) {
    return malloc(bytes);
}
