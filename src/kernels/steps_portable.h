/* The steps of vectors.h for any processor and any LANES, in the compiler's vector types. With two
 * lanes, compilers translate them to SSE2 or NEON. */
#pragma once

typedef float half_f32 __attribute__((vector_size(4 * LANES)));
typedef uint8_t half_u8 __attribute__((vector_size(4 * LANES)));
typedef int32_t wide_i32 __attribute__((vector_size(16 * LANES)));
typedef uint64_t wide_u64 __attribute__((vector_size(16 * LANES)));

INLINE vec load_f32(const float *x) {
    half_f32 v;
    memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, vec);
}

INLINE vec load_u8(const uint8_t *x) {
    double value[LANES];
    for (int lane = 0; lane < LANES; lane++) value[lane] = x[lane];
    return vec_load(value);
}

INLINE vec load_u16(const uint16_t *x) {
    double value[LANES];
    for (int lane = 0; lane < LANES; lane++) value[lane] = x[lane];
    return vec_load(value);
}

INLINE vec from_i32(half_i32 x) {
    return __builtin_convertvector(x, vec);
}

INLINE half_i32 to_i32(vec x) {
    return __builtin_convertvector(x, half_i32);
}

INLINE vec_i16 load_bytes(const uint8_t *x) {
    half_u8 v;
    memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, vec_i16);
}

INLINE vec_i16 load_byte_pairs(const uint8_t *a, const uint8_t *b) {
    uint8_t pairs[4 * LANES];
    for (int i = 0; i < 2 * LANES; i++) {
        pairs[2 * i] = a[i];
        pairs[2 * i + 1] = b[i];
    }
    return load_bytes(pairs);
}

/* Two products fill 64 bits; in either byte order, the low half of p + (p >> 32) is their sum. */
INLINE vec_i32 multiply_pairs(vec_i16 a, vec_i16 b) {
    wide_u64 p =
        (wide_u64)(__builtin_convertvector(a, wide_i32) * __builtin_convertvector(b, wide_i32));
    return __builtin_convertvector(p + (p >> 32), vec_i32);
}

INLINE unsigned vec_bits(vec_i64 mask) {
    unsigned bits = 0;
    for (int lane = 0; lane < LANES; lane++) bits |= (unsigned)mask[lane] & 1U << lane;
    return bits;
}

INLINE unsigned f32_bits(vec_i32 mask) {
    unsigned bits = 0;
    for (int lane = 0; lane < F32_LANES; lane++) bits |= (unsigned)mask[lane] & 1U << lane;
    return bits;
}

INLINE double vec_total(vec v) {
    return vec_fold(v);
}

INLINE vec_f32 f32_larger(vec_f32 a, vec_f32 b) {
    vec_i32 mask = a > b;
    return (vec_f32)(((vec_i32)a & mask) | ((vec_i32)b & ~mask));
}

INLINE vec_f32 f32_smaller(vec_f32 a, vec_f32 b) {
    vec_i32 mask = a < b;
    return (vec_f32)(((vec_i32)a & mask) | ((vec_i32)b & ~mask));
}

INLINE float f32_sum(vec_f32 v) {
    float sum[F32_LANES];
    f32_store(sum, v);
    for (int width = F32_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) sum[l] += sum[l + width];
    return sum[0];
}

INLINE void four_sums(double sums[4], const vec v[4]) {
    for (int k = 0; k < 4; k++) sums[k] = vec_fold(v[k]);
}

INLINE float f32_least(vec_f32 v) {
    float least = v[0];
    for (int l = 1; l < F32_LANES; l++) least = v[l] < least ? v[l] : least;
    return least;
}

INLINE void f32_four_sums(double sums[4], const vec_f32 v[4]) {
    for (int k = 0; k < 4; k++) sums[k] = f32_sum(v[k]);
}

INLINE vec vec_smaller(vec a, vec b) {
    vec_i64 mask = a < b;
    return (vec)(((vec_i64)a & mask) | ((vec_i64)b & ~mask));
}

#include "kernels/steps_plain.h"
