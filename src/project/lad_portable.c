/* The exact l1 projection for any processor. */
#define CHI_LANES 2
#include "project/lad_vector.h"

static inline unsigned chi_mask_bits(chi_mask mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2));
}

static inline unsigned chi_narrow_bits(chi_narrow_mask mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

#include "project/lad_solve.h"

void chi_lad_solve_portable(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x,
                            int warm) {
    solve(w, fit, b, d, x, warm);
}
