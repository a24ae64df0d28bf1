/* Adds one to the largest int. */
#include <limits.h>

int main(int argc, char **argv) {
    (void)argv;
    volatile int value = INT_MAX;
    value = value + argc;
    return 0;
}
