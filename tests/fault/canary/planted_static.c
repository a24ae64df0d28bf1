/* For the static checks to find (tools/check-static): memory that is read after it was given back,
 * a place behind an array, and a condition that asks the same thing twice. Part of no program. */
#include <stdlib.h>

int planted_use(int n);
int planted_index(int n);

int planted_use(int n) {
    int *values = calloc(4, sizeof *values);
    if (!values) return -1;
    if (n > 3 || n > 3) values[0] = n;
    free(values);
    return values[0];
}

int planted_index(int n) {
    int values[4] = {n};
    return values[4];
}
