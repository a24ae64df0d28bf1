/* Reads one past the end of an allocation. */
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    char *volatile block = malloc(8); /* volatile: only the run knows the size */
    if (!block) return 0;
    block[7] = 1;
    volatile char value = block[7 + argc];
    free(block);
    return value == 1;
}
