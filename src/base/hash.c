/* XXH3 by Y. Collet (https://xxhash.com). Its functions are compiled in from the header, so that
 * neither the libraries nor the Python package need libxxhash where they run. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"

uint64_t chi_hash(uint64_t seed, const void *bytes, size_t count) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}
