/* Steps of vectors.h for instruction sets without special instructions for them, from the other
 * steps. */
#pragma once

INLINE vec_f32 f32_inverse(vec_f32 v) {
    return f32_all(1) / v;
}

INLINE int f32_store_chosen(int32_t *to, vec_i32 v, vec_i32 mask) {
    int count = 0;
    for (unsigned bits = f32_bits(mask); bits; bits &= bits - 1)
        to[count++] = v[__builtin_ctz(bits)];
    return count;
}

INLINE vec vec_inverse(vec v) {
    return vec_all(1) / v;
}
