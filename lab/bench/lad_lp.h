/* Least absolute deviations with b >= 0 by a linear programming solver, if the build found one
 * (lad_lp_clp.c, else lad_lp_none.c), for comparison in bench_nnlad.c. */
#pragma once

#include <stdint.h>

/* Returns the name of the solver, or NULL if there is none. */
const char *lad_lp_name(void);

/* Returns the optimal value of min_{b>=0} |x - A b|_1, where A is rows x k, column-major. The
 * linear program has one row per anchor and one bounded variable per row of A, and is solved by the
 * dual simplex method; if `primal` is non-zero, it has one row per row of A, which is the most
 * direct form. */
double lad_lp_solve(const double *A, const double *x, int64_t rows, int64_t k, int primal);
