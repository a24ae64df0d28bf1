/* Loops over the rows of the support. */
#include "project/lad.h"

void chi_lad_combine(double *t, int64_t m, const double *const *column, const double *factor,
                     int64_t count) {
    for (int64_t i = 0; i < m; i++) t[i] = 0;
    int64_t f = 0;
    for (; f + 4 <= count; f += 4) {
        const double *a = column[f], *b = column[f + 1], *c = column[f + 2], *d = column[f + 3];
        double fa = factor[f], fb = factor[f + 1], fc = factor[f + 2], fd = factor[f + 3];
#pragma omp simd
        for (int64_t i = 0; i < m; i++) t[i] += fa * a[i] + fb * b[i] + (fc * c[i] + fd * d[i]);
    }
    for (; f < count; f++) {
        const double *a = column[f];
        double fa = factor[f];
#pragma omp simd
        for (int64_t i = 0; i < m; i++) t[i] += fa * a[i];
    }
}

double chi_lad_square(const double *t, int64_t m) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < m; i++) sum += t[i] * t[i];
    return sum;
}

void chi_lad_product(const chi_lad *w, double *y, const double *s) {
    for (int64_t j = 0; j < w->k_pad; j += 8) {
        double sum[8] = {0};
        for (int64_t i = 0; i < w->m; i++) {
            const double *row = chi_lad_row(w, i) + j;
#pragma omp simd
            for (int64_t l = 0; l < 8; l++) sum[l] += s[i] * row[l];
        }
        for (int64_t l = 0; l < 8; l++) y[j + l] = sum[l];
    }
}
