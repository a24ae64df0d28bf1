/* min_t |r - t v|_1 (chi_residual_share), approximated by least squares that are reweighted by
 * 1 / |residual|. */
#include "kernels/kernels.h"
#include "kernels/vectors.h"
#include <math.h>

/* Number of reweighted least squares problems; more of them change the result little. */
enum { REWEIGHTS = 3 };

chi_residual_share IN_SET(chi_residual_share);
float IN_SET(chi_residual_share)(const float *r, const float *v, int64_t count, float small) {
    float t = 0, sum = 0, top = 0, bottom = 0;
#pragma omp simd reduction(+ : top, bottom)
    for (int64_t i = 0; i < count; i++) {
        top += v[i] * r[i];
        bottom += v[i] * v[i];
    }
    for (int round = 0; round < REWEIGHTS && bottom > 0; round++) {
        t = top / bottom;
        top = bottom = 0;
#pragma omp simd reduction(+ : top, bottom)
        for (int64_t i = 0; i < count; i++) {
            float rest = fabsf(r[i] - t * v[i]), weighted = v[i] / (rest > small ? rest : small);
            top += weighted * r[i];
            bottom += weighted * v[i];
        }
    }
    if (bottom > 0) t = top / bottom;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) sum += fabsf(r[i] - t * v[i]);
    return sum;
}
