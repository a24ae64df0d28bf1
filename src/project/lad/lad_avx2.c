/* The exact l1 projection for x86-64 with AVX2 and FMA; compiled with those switched on. */
#define CHI_LANES 4
#include "project/lad/lad_vector.h"

#include <immintrin.h>

static inline unsigned chi_mask_bits(chi_mask mask) {
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

static inline unsigned chi_narrow_bits(chi_narrow_mask mask) {
    return (unsigned)_mm256_movemask_ps((__m256)mask);
}

static inline chi_narrow chi_narrow_larger(chi_narrow a, chi_narrow b) {
    return (chi_narrow)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline chi_narrow chi_narrow_smaller(chi_narrow a, chi_narrow b) {
    return (chi_narrow)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline float chi_narrow_sum(chi_narrow v) {
    __m128 half =
        _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

static inline float chi_narrow_least(chi_narrow v) {
    __m128 half =
        _mm_min_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

#include "project/lad/lad_solve.h"

void chi_lad_solve_avx2(chi_lad *w, chi_fit *fit, double *b, double *d, const chi_column *x,
                        int warm) {
    solve(w, fit, b, d, x, warm);
}
