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
    return (unsigned)_mm512_movepi64_mask((__m512i)mask);
}

INLINE unsigned f32_bits(vec_i32 mask) {
    return (unsigned)_mm512_movepi32_mask((__m512i)mask);
}

INLINE double vec_total(vec v) {
    __m256d part =
        _mm256_add_pd(_mm512_castpd512_pd256((__m512d)v), _mm512_extractf64x4_pd((__m512d)v, 1));
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(part), _mm256_extractf128_pd(part, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

INLINE vec_f32 f32_larger(vec_f32 a, vec_f32 b) {
    return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b);
}

INLINE vec_f32 f32_smaller(vec_f32 a, vec_f32 b) {
    return (vec_f32)_mm512_min_ps((__m512)a, (__m512)b);
}

INLINE __m256 fold_f32(vec_f32 v) {
    return _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1));
}

INLINE float f32_sum(vec_f32 v) {
    __m256 part = fold_f32(v);
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(part), _mm256_extractf128_ps(part, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

INLINE float f32_least(vec_f32 v) {
    __m256 part =
        _mm256_min_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1));
    __m128 half = _mm_min_ps(_mm256_castps256_ps128(part), _mm256_extractf128_ps(part, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

INLINE void f32_four_sums(double sums[4], const vec_f32 v[4]) {
    __m256 low = _mm256_hadd_ps(fold_f32(v[0]), fold_f32(v[1]));
    __m256 all = _mm256_hadd_ps(low, _mm256_hadd_ps(fold_f32(v[2]), fold_f32(v[3])));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    _mm256_storeu_pd(sums, _mm256_cvtps_pd(four));
}

INLINE vec_f32 f32_inverse(vec_f32 v) {
    return (vec_f32)_mm512_rcp14_ps((__m512)v);
}

INLINE int f32_store_chosen(int32_t *to, vec_i32 v, vec_i32 mask) {
    __mmask16 bits = _mm512_movepi32_mask((__m512i)mask);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(bits, (__m512i)v));
    return __builtin_popcount(bits);
}

/* Two steps of Newton's method double the 14 bits of the first guess twice. */
INLINE vec vec_inverse(vec v) {
    vec guess = (vec)_mm512_rcp14_pd((__m512d)v);
    guess += guess * (1 - v * guess);
    return guess + guess * (1 - v * guess);
}

INLINE vec vec_smaller(vec a, vec b) {
    return (vec)_mm512_min_pd((__m512d)a, (__m512d)b);
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
