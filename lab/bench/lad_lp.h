/* Least absolute deviations with b >= 0 by a linear programming solver, when the build found one
 * (lad_lp_clp.c, else lad_lp_none.c): the yardstick of bench_nnlad.c. */
#pragma once

#include <stdint.h>

/* NULL without a solver. */
const char *lad_lp_name(void);

/* min_{b>=0} |x - A b|_1 for A rows x k, column-major: the optimal value. In the form with one row
 * per anchor and one bounded variable per row of A, solved by the dual simplex method; or, primal
 * != 0, with one row per row of A, as one would write it down first. */
double lad_lp_solve(const double *A, const double *x, int64_t rows, int64_t k, int primal);
