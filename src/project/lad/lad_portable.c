/* The exact l1 projection for any processor. */
#define CHI_LANES 2
#include "project/lad/lad_vector.h"

static inline unsigned chi_mask_bits(chi_mask mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2));
}

static inline unsigned chi_narrow_bits(chi_narrow_mask mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

static inline chi_narrow chi_narrow_larger(chi_narrow a, chi_narrow b) {
    chi_narrow_mask mask = a > b;
    return (chi_narrow)(((chi_narrow_mask)a & mask) | ((chi_narrow_mask)b & ~mask));
}

static inline chi_narrow chi_narrow_smaller(chi_narrow a, chi_narrow b) {
    chi_narrow_mask mask = a < b;
    return (chi_narrow)(((chi_narrow_mask)a & mask) | ((chi_narrow_mask)b & ~mask));
}

static inline float chi_narrow_sum(chi_narrow v) {
    float sum[CHI_NARROW_LANES];
    memcpy(sum, &v, sizeof v);
    for (int width = CHI_NARROW_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) sum[l] += sum[l + width];
    return sum[0];
}

static inline float chi_narrow_least(chi_narrow v) {
    float least = v[0];
    for (int l = 1; l < CHI_NARROW_LANES; l++) least = v[l] < least ? v[l] : least;
    return least;
}

#include "project/lad/lad_solve.h"

void chi_lad_solve_portable(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x,
                            int warm) {
    solve(w, fit, b, d, x, warm);
}
