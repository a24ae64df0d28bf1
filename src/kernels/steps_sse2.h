/* The steps of vectors.h for any x86-64, two doubles per register: the portable steps, except
 * multiply_pairs(), for which SSE2 has an instruction that compilers do not generate from the
 * portable step. */
#pragma once

#define multiply_pairs multiply_pairs_without_sse2
#include "kernels/steps_portable.h"
#undef multiply_pairs

#include <emmintrin.h>

INLINE vec_i32 multiply_pairs(vec_i16 a, vec_i16 b) {
    return (vec_i32)_mm_madd_epi16((__m128i)a, (__m128i)b);
}
