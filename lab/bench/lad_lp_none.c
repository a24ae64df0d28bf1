/* No linear programming solver in this build. */
#include "bench/lad_lp.h"

#include <stddef.h>

const char *lad_lp_name(void) {
    return NULL;
}

double lad_lp_solve(const double *A, const double *x, int64_t rows, int64_t k, int primal) {
    (void)A, (void)x, (void)rows, (void)k, (void)primal;
    return 0;
}
