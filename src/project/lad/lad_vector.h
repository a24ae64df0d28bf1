/* CHI_LANES doubles at a time (set by the including file: as many as the processor has registers
 * for), in any compiler that knows vector types. */
#ifndef CONEHULL_LAD_VECTOR_H
#define CONEHULL_LAD_VECTOR_H

#include <stdint.h>
#include <string.h>

typedef double chi_vec __attribute__((vector_size(8 * CHI_LANES)));
typedef int64_t chi_mask __attribute__((vector_size(8 * CHI_LANES)));

static inline chi_vec chi_vec_load(const double *x) {
    chi_vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void chi_vec_store(double *x, chi_vec v) {
    memcpy(x, &v, sizeof v);
}

static inline chi_vec chi_vec_all(double x) {
    return x - (chi_vec){0};
}

static inline double chi_vec_sum(chi_vec v) {
    double sum = v[0];
    for (int l = 1; l < CHI_LANES; l++) sum += v[l];
    return sum;
}

typedef float chi_narrow __attribute__((vector_size(8 * CHI_LANES)));
typedef int32_t chi_narrow_mask __attribute__((vector_size(8 * CHI_LANES)));
enum { CHI_NARROW_LANES = 2 * CHI_LANES };

static inline chi_narrow chi_narrow_load(const float *x) {
    chi_narrow v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void chi_narrow_store(float *x, chi_narrow v) {
    memcpy(x, &v, sizeof v);
}

static inline chi_narrow chi_narrow_all(float x) {
    return x - (chi_narrow){0};
}

#endif
