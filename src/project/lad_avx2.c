/* The exact l1 projection for x86-64 with AVX2 and FMA; compiled with those switched on. */
#define CHI_LANES 4
#include "project/lad_vector.h"

#include <immintrin.h>

static inline unsigned chi_mask_bits(chi_mask mask) {
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

static inline unsigned chi_narrow_bits(chi_narrow_mask mask) {
    return (unsigned)_mm256_movemask_ps((__m256)mask);
}

#include "project/lad_solve.h"

void chi_lad_solve_avx2(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x,
                        int warm) {
    solve(w, fit, b, d, x, warm);
}
