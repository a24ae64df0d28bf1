/* Large blocks of memory where nothing is known of pages. */
#include "base/context_internal.h"
#include <stdlib.h>

void *chi_large_alloc(size_t bytes) {
    return malloc(bytes);
}
