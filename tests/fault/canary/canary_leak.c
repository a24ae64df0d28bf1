/* Loses an allocation. */
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

int main(void) {
    for (int i = 0; i < 64; i++) {
        kept = malloc(1000);
        if (kept) memset(kept, 1, 1000);
    }
    kept = NULL;
    return 0;
}
