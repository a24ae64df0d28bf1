/* Tests whether memory that another library will allocate is available, because some libraries do
 * not survive a failed allocation. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/base.h"
#include <sys/mman.h>

enum { MOST = 64 };

int chi_address_space_left(int count, size_t bytes) {
    void *blocks[MOST];
    int held = 0, fits = 1;
    while (fits && held < count && held < MOST) {
        blocks[held] =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fits = blocks[held] != MAP_FAILED;
        held += fits;
    }
    while (held > 0) munmap(blocks[--held], bytes);
    return fits;
}
