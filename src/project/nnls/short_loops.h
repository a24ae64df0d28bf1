/* Inline loops over the anchors of a problem. Often there are so few anchors that a call of a
 * kernel does not pay: least squares with five anchors would spend a third of the time on calls and
 * on the ends of vectors. The order of additions depends on the length alone. */
#pragma once

#include "kernels/kernels.h"

enum { CHI_SHORT = 12 }; /* up to this length the loop is inline */

static inline double chi_short_dot(const chi_kernels *kernels, const double *x, const double *y,
                                   int64_t count) {
    double even = 0, odd = 0;
    int64_t i = 0;
    if (count > CHI_SHORT) return chi_dot(kernels, x, y, count);
    for (; i + 2 <= count; i += 2) {
        even += x[i] * y[i];
        odd += x[i + 1] * y[i + 1];
    }
    return i < count ? even + x[i] * y[i] + odd : even + odd;
}

/* y += a x */
static inline void chi_short_axpy(const chi_kernels *kernels, double *y, double a, const double *x,
                                  int64_t count) {
    if (count > CHI_SHORT) {
        chi_axpy(kernels, y, a, x, count);
        return;
    }
#pragma omp simd
    for (int64_t i = 0; i < count; i++) y[i] += a * x[i];
}
