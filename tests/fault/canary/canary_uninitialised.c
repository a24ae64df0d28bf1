/* A branch on a value that nobody wrote: the memory sanitizer and valgrind must say so. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int *volatile values = malloc(4 * sizeof *values); /* compilers shall not see it */
    if (!values) return 0;
    if (values[2] > 7) puts("large");
    free(values);
    return 0;
}
