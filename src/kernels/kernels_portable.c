/* The reference kernels: plain loops in C, for every processor. Rounding errors grow with the
 * count at worst, as the tests assume of every table. */
#include "kernels/kernels.h"
#include <math.h>
#include <stddef.h>

enum { CHUNK = 512, GROUP = 4 };

/* The loops for one storage type T, written once. */
#define TYPED(T, name)                                                                           \
    static void dots_##name(double *sums, const double *d, const void *x, int64_t stride,        \
                            int64_t columns, int64_t count) {                                    \
        for (int64_t j = 0; j < columns; j++) {                                                  \
            const T *v = (const T *)x + j * stride;                                              \
            double sum = 0;                                                                      \
            for (int64_t i = 0; i < count; i++) sum += d[i] * (double)v[i];                      \
            sums[j] += sum;                                                                      \
        }                                                                                        \
    }                                                                                            \
    static void row_dots_##name(double *sums, const double *d, const void *x, int64_t stride,    \
                                int64_t columns, int64_t count) {                                \
        for (int64_t i = 0; i < count; i++) {                                                    \
            const T *v = (const T *)x + i * stride;                                              \
            for (int64_t j = 0; j < columns; j++) sums[j] += d[i] * (double)v[j];                \
        }                                                                                        \
    }                                                                                            \
    static double gather_##name(const double *d, const int32_t *index, const void *x,            \
                                int64_t count) {                                                 \
        const T *v = x;                                                                          \
        double sum = 0;                                                                          \
        for (int64_t e = 0; e < count; e++) sum += d[index[e]] * (double)v[e];                   \
        return sum;                                                                              \
    }                                                                                            \
    static void moments_##name(double *sum, double *square, const void *x, int64_t count) {      \
        const T *v = x;                                                                          \
        double s = 0, q = 0;                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                    \
            s += (double)v[i];                                                                   \
            q += (double)v[i] * (double)v[i];                                                    \
        }                                                                                        \
        *sum += s;                                                                               \
        *square += q;                                                                            \
    }                                                                                            \
    static void row_moments_##name(double *sums, double *squares, const void *x, int64_t stride, \
                                   int64_t columns, int64_t count) {                             \
        for (int64_t i = 0; i < count; i++) {                                                    \
            const T *v = (const T *)x + i * stride;                                              \
            for (int64_t j = 0; j < columns; j++) {                                              \
                sums[j] += (double)v[j];                                                         \
                squares[j] += (double)v[j] * (double)v[j];                                       \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    static void widen_##name(double *y, const void *x, int64_t count) {                          \
        const T *v = x;                                                                          \
        for (int64_t i = 0; i < count; i++) y[i] = (double)v[i];                                 \
    }                                                                                            \
    static int64_t nonzeros_##name(const void *x, int64_t count) {                               \
        const T *v = x;                                                                          \
        int64_t found = 0;                                                                       \
        for (int64_t i = 0; i < count; i++) found += v[i] != 0;                                  \
        return found;                                                                            \
    }

/* NaN fails the first comparison, infinity the second. */
#define FIRST_BAD(T, name, largest)                                 \
    static int64_t first_bad_##name(const void *x, int64_t count) { \
        const T *v = x;                                             \
        int64_t i = 0;                                              \
        while (i < count && v[i] >= 0 && v[i] <= largest) i++;      \
        return i;                                                   \
    }

TYPED(double, f64)
TYPED(float, f32)
TYPED(uint8_t, u8)
TYPED(uint16_t, u16)
FIRST_BAD(double, f64, __DBL_MAX__)
FIRST_BAD(float, f32, __FLT_MAX__)

static int64_t first_bad_none(const void *x, int64_t count) {
    (void)x;
    return count;
}

static double dot(const double *x, const double *y, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

static double sum_abs(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += fabs(x[i]);
    return sum;
}

static void axpy(double *y, double a, const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) y[i] += a * x[i];
}

static int usable(void) {
    return 1;
}

#define ROW(name, bad)                                                                   \
    {                                                                                    \
        dots_##name, NULL, CHUNK, GROUP, row_dots_##name, gather_##name, moments_##name, \
            row_moments_##name, widen_##name, first_bad_##bad, nonzeros_##name           \
    }

extern const chi_kernels chi_kernels_portable;
const chi_kernels chi_kernels_portable = {
    .name = "portable",
    .usable = usable,
    .dot = dot,
    .sum_abs = sum_abs,
    .axpy = axpy,
    .typed = {ROW(f64, f64), ROW(f32, f32), ROW(u8, none), ROW(u16, none)},
};
