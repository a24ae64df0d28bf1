/* Large blocks of memory, in pages of 2 MB where the system offers them. */
#define _DEFAULT_SOURCE /* madvise() */
#include "base/context_internal.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

void *chi_large_alloc(size_t bytes) {
    void *block;
    if (posix_memalign(&block, PAGE, bytes) != 0) return NULL;
    madvise(block, bytes / PAGE * PAGE, MADV_HUGEPAGE); /* only a hint: small pages work too */
    return block;
}
