/* A logarithm in single precision that compilers can vectorise. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Returns log(q), for finite q > 0, with an error of at most 2e-7: log(2^e f) = e log 2 + 2
 * artanh((f - 1) / (f + 1)) with 2/3 <= f < 4/3. It consists of additions, products and one
 * quotient, so it gives the same bits on every machine, and compilers can vectorise it. */
static inline float chi_quick_log(float q) {
    uint32_t bits, third = 0x3f2aaaab; /* the bits of 2/3 */
    memcpy(&bits, &q, sizeof bits);
    int32_t above = (int32_t)(bits - third) >> 23;
    bits -= (uint32_t)above << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    float s = (f - 1) / (f + 1), t = s * s;
    float series = 2 * s * (1 + t * (1.0f / 3 + t * (1.0f / 5 + t * (1.0f / 7 + t * (1.0f / 9)))));
    return (float)above * 0.693147181f + series;
}
