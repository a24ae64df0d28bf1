/* The steps of vectors.h for x86-64 with AVX-512: eight doubles per register. */
#pragma once

#include <immintrin.h>

INLINE vec load_f32(const float *x) {
    return (vec)_mm512_cvtps_pd(_mm256_loadu_ps(x));
}

INLINE vec load_u8(const uint8_t *x) {
    return (vec)_mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)x)));
}

INLINE vec load_u16(const uint16_t *x) {
    return (vec)_mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)x)));
}

INLINE vec from_i32(half_i32 x) {
    return (vec)_mm512_cvtepi32_pd((__m256i)x);
}

INLINE half_i32 to_i32(vec x) {
    return (half_i32)_mm512_cvtpd_epi32((__m512d)x);
}

INLINE vec_i16 load_bytes(const uint8_t *x) {
    return (vec_i16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)x));
}

INLINE vec_i16 load_byte_pairs(const uint8_t *a, const uint8_t *b) {
    __m128i top = _mm_loadu_si128((const void *)a), under = _mm_loadu_si128((const void *)b);
    return (vec_i16)_mm512_cvtepu8_epi16(
        _mm256_set_m128i(_mm_unpackhi_epi8(top, under), _mm_unpacklo_epi8(top, under)));
}

INLINE vec_i32 multiply_pairs(vec_i16 a, vec_i16 b) {
    return (vec_i32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}

INLINE unsigned vec_bits(vec_i64 mask) {
    return _mm512_movepi64_mask((__m512i)mask);
}

/* The upper half of each vector is added to the lower half first. */
INLINE void four_sums(double sums[4], const vec v[4]) {
    __m256d half[4];
    for (int k = 0; k < 4; k++)
        half[k] = _mm512_castpd512_pd256((__m512d)v[k]) + _mm512_extractf64x4_pd((__m512d)v[k], 1);
    __m256d low = _mm256_hadd_pd(half[0], half[1]), high = _mm256_hadd_pd(half[2], half[3]);
    __m256d even = _mm256_permute2f128_pd(low, high, 0x20);
    _mm256_storeu_pd(sums, even + _mm256_permute2f128_pd(low, high, 0x31));
}
