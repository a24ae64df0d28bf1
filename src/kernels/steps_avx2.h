/* The steps of vectors.h for x86-64 with AVX2: four doubles per register. */
#pragma once

#include <immintrin.h>

INLINE vec load_f32(const float *x) {
    return (vec)_mm256_cvtps_pd(_mm_loadu_ps(x));
}

INLINE vec load_u8(const uint8_t *x) {
    int four;
    memcpy(&four, x, sizeof four);
    return (vec)_mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
}

INLINE vec load_u16(const uint16_t *x) {
    return (vec)_mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const void *)x)));
}

INLINE vec from_i32(half_i32 x) {
    return (vec)_mm256_cvtepi32_pd((__m128i)x);
}

INLINE half_i32 to_i32(vec x) {
    return (half_i32)_mm256_cvtpd_epi32((__m256d)x);
}

INLINE vec_i16 load_bytes(const uint8_t *x) {
    return (vec_i16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)x));
}

INLINE vec_i16 load_byte_pairs(const uint8_t *a, const uint8_t *b) {
    __m128i top = _mm_loadl_epi64((const void *)a), under = _mm_loadl_epi64((const void *)b);
    return (vec_i16)_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(top, under));
}

INLINE vec_i32 multiply_pairs(vec_i16 a, vec_i16 b) {
    return (vec_i32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

INLINE unsigned vec_bits(vec_i64 mask) {
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

INLINE unsigned f32_bits(vec_i32 mask) {
    return (unsigned)_mm256_movemask_ps((__m256)mask);
}

INLINE double vec_total(vec v) {
    __m128d half =
        _mm_add_pd(_mm256_castpd256_pd128((__m256d)v), _mm256_extractf128_pd((__m256d)v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

INLINE vec_f32 f32_larger(vec_f32 a, vec_f32 b) {
    return (vec_f32)_mm256_max_ps((__m256)a, (__m256)b);
}

INLINE vec_f32 f32_smaller(vec_f32 a, vec_f32 b) {
    return (vec_f32)_mm256_min_ps((__m256)a, (__m256)b);
}

INLINE float f32_sum(vec_f32 v) {
    __m128 half =
        _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

INLINE void four_sums(double sums[4], const vec v[4]) {
    __m256d low = _mm256_hadd_pd((__m256d)v[0], (__m256d)v[1]);
    __m256d high = _mm256_hadd_pd((__m256d)v[2], (__m256d)v[3]);
    __m256d even = _mm256_permute2f128_pd(low, high, 0x20);
    _mm256_storeu_pd(sums, even + _mm256_permute2f128_pd(low, high, 0x31));
}

INLINE float f32_least(vec_f32 v) {
    __m128 half =
        _mm_min_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

INLINE void f32_four_sums(double sums[4], const vec_f32 v[4]) {
    __m256 low = _mm256_hadd_ps((__m256)v[0], (__m256)v[1]);
    __m256 all = _mm256_hadd_ps(low, _mm256_hadd_ps((__m256)v[2], (__m256)v[3]));
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    _mm256_storeu_pd(sums, _mm256_cvtps_pd(four));
}

INLINE vec vec_smaller(vec a, vec b) {
    return (vec)_mm256_min_pd((__m256d)a, (__m256d)b);
}

#include "kernels/steps_plain.h"
