/* Vector types for the loops that are compiled once per instruction set. They need a compiler with
 * the vector extensions of gcc. CHI_LANES, here LANES, is the number of doubles in a vector, a
 * power of two; CHI_REGISTERS is the number of vector registers, CHI_SET the name of the set,
 * CHI_STEPS the header with the steps that need special instructions (cmake/kernels.cmake). Only
 * loop files may include this header, because its names have no prefix.
 *
 *     vec      LANES doubles       vec_i64, vec_u64: as many integers
 *     vec_f32  2 LANES floats      vec_i32
 *                                  vec_i16: 4 LANES of them
 *     half_... a part of a register: LANES values of a narrower type
 *
 * A comparison gives a vec_i64 or vec_i32 of 0 and -1. CHI_STEPS defines
 *
 *     vec load_f32(const float *x)              LANES values in double
 *     vec load_u8(const uint8_t *x)
 *     vec load_u16(const uint16_t *x)
 *     vec from_i32(half_i32 x)
 *     half_i32 to_i32(vec x)                    x holds integers
 *     vec_i16 load_bytes(const uint8_t *x)      4 LANES bytes as 16-bit numbers
 *     vec_i16 load_byte_pairs(const uint8_t *a, const uint8_t *b)   a_0, b_0, a_1, b_1, ...
 *     vec_i32 multiply_pairs(vec_i16 a, vec_i16 b)   a_0 b_0 + a_1 b_1, a_2 b_2 + a_3 b_3, ...
 *     unsigned vec_bits(vec_i64 mask)           bit l: lane l is set
 *     unsigned f32_bits(vec_i32 mask)
 *     vec_f32 f32_larger(vec_f32 a, vec_f32 b)  and f32_smaller
 *     double vec_total(vec v)                   vec_fold(v)
 *     float f32_sum(vec_f32 v)                  upper half to lower half, until one is left
 *     float f32_least(vec_f32 v)
 *     vec_f32 f32_inverse(vec_f32 v)            1 / v with a relative error below 2^-13
 *     int f32_store_chosen(int32_t *to, vec_i32 v, vec_i32 mask)   stores the lanes in which mask
 *                                               is set one after another and returns their number;
 *                                               may write F32_LANES values
 *     vec vec_inverse(vec v)                    1 / v, to rounding
 *     vec vec_smaller(vec a, vec b)
 *     void four_sums(double sums[4], const vec v[4])   the lanes of each vector added up
 *     void f32_four_sums(double sums[4], const vec_f32 v[4]) */
#pragma once

#include <stdint.h>
#include <string.h>

/* For functions of this header. "unused" prevents warnings, because a file need not use all of
 * them. */
#define INLINE static inline __attribute__((always_inline, unused))

/* Appends the name of the set to a name: with AVX2, IN_SET(chi_gram) is chi_gram_avx2. */
#define IN_SET(name) JOIN(name, CHI_SET)
#define JOIN(name, set) JOIN_ONCE_MORE(name, set)
#define JOIN_ONCE_MORE(name, set) name##_##set

#define LANES CHI_LANES
#define F32_LANES (2 * LANES)
#define SUM_LANES (LANES < 4 ? LANES : 4)

typedef double vec __attribute__((vector_size(8 * LANES)));
typedef int64_t vec_i64 __attribute__((vector_size(8 * LANES)));
typedef uint64_t vec_u64 __attribute__((vector_size(8 * LANES)));
typedef double sum_vec __attribute__((vector_size(8 * SUM_LANES)));
typedef float vec_f32 __attribute__((vector_size(8 * LANES)));
typedef int32_t vec_i32 __attribute__((vector_size(8 * LANES)));
typedef int16_t vec_i16 __attribute__((vector_size(8 * LANES)));
typedef int32_t half_i32 __attribute__((vector_size(4 * LANES)));
typedef int16_t half_i16 __attribute__((vector_size(2 * LANES)));

INLINE vec vec_load(const double *x) {
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE void vec_store(double *x, vec v) {
    memcpy(x, &v, sizeof v);
}

INLINE vec vec_all(double value) {
    return value - (vec){0};
}

/* Loads count < LANES values and sets the other lanes to `pad`. */
INLINE vec vec_load_part(const double *x, int64_t count, double pad) {
    double padded[LANES];
    for (int lane = 0; lane < LANES; lane++) padded[lane] = pad;
    memcpy(padded, x, (size_t)count * sizeof *x);
    return vec_load(padded);
}

INLINE void vec_store_part(double *x, vec v, int64_t count) {
    double padded[LANES];
    vec_store(padded, v);
    memcpy(x, padded, (size_t)count * sizeof *x);
}

/* Returns the sum of the lanes, added in their order. */
INLINE double vec_sum(vec v) {
    double sum = v[0];
    for (int lane = 1; lane < LANES; lane++) sum += v[lane];
    return sum;
}

/* Returns the sum of the lanes: adds the upper half to the lower half until one lane is left. */
INLINE double vec_fold(vec v) {
    double part[LANES];
    vec_store(part, v);
    for (int half = LANES / 2; half; half /= 2)
        for (int lane = 0; lane < half; lane++) part[lane] += part[lane + half];
    return part[0];
}

/* Sums that are added in the same order for every LANES >= 4: they have SUM_LANES lanes, to which a
 * longer vector is added part by part, the first values first. So a loop for AVX-512 gives the same
 * bits as the loop for AVX2. */
INLINE sum_vec part_of(vec v, int part) {
    sum_vec s;
    memcpy(&s, (const double *)&v + part * SUM_LANES, sizeof s);
    return s;
}

INLINE void sum_add(sum_vec *s, vec v) {
    for (int part = 0; part < LANES / SUM_LANES; part++) *s += part_of(v, part);
}

INLINE void sum_add_product(sum_vec *s, vec a, vec b) {
    for (int part = 0; part < LANES / SUM_LANES; part++) *s += part_of(a, part) * part_of(b, part);
}

INLINE double sum_total(sum_vec s) {
    double sum = s[0];
    for (int lane = 1; lane < SUM_LANES; lane++) sum += s[lane];
    return sum;
}

INLINE vec_f32 f32_load(const float *x) {
    vec_f32 v;
    memcpy(&v, x, sizeof v);
    return v;
}

INLINE void f32_store(float *x, vec_f32 v) {
    memcpy(x, &v, sizeof v);
}

INLINE vec_f32 f32_all(float x) {
    return x - (vec_f32){0};
}

#include CHI_STEPS
