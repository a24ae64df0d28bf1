/* The kernels for x86-64 processors with AVX2 and FMA: four doubles a register. */
#define LANES 4
#define LEVEL 2
#define NAME "avx2"
#define TABLE chi_kernels_avx2
#include "kernels/kernels_lanes.h"
#include <immintrin.h>

INLINE vec load_f32(const float *x) {
    return (vec)_mm256_cvtps_pd(_mm_loadu_ps(x));
}

INLINE vec from_i32(vec_i32 x) {
    return (vec)_mm256_cvtepi32_pd((__m128i)x);
}

INLINE vec_i32 to_i32(vec x) {
    return (vec_i32)_mm256_cvtpd_epi32((__m256d)x);
}

INLINE vec load_u8(const uint8_t *x) {
    int four;
    memcpy(&four, x, sizeof four);
    return (vec)_mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
}

INLINE vec load_u16(const uint16_t *x) {
    return (vec)_mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const void *)x)));
}

INLINE words load_bytes(const uint8_t *x) {
    return (words)_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)x));
}

INLINE words load_byte_pairs(const uint8_t *a, const uint8_t *b) {
    __m128i top = _mm_loadl_epi64((const void *)a), under = _mm_loadl_epi64((const void *)b);
    return (words)_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(top, under));
}

INLINE counts multiply_pairs(words a, words b) {
    return (counts)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

#include "kernels/kernels_vector.h"
