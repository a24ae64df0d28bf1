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

INLINE unsigned f32_bits(vec_i32 mask) {
    return _mm512_movepi32_mask((__m512i)mask);
}

INLINE vec_f32 f32_larger(vec_f32 a, vec_f32 b) {
    return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b);
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
