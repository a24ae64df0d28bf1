/* Noise from distances: |log((x + c) / (b + c))| of many pixels are counted in levels, and the
 * median of |z|, z normal, tells their standard deviation, whatever less than half of the pixels
 * do. */
#pragma once

#include <stdint.h>

enum { CHI_NOISE_LEVELS = 4096 };               /* they reach to a ratio of e               */
static const double CHI_NOISE_STEPS = 4000;     /* levels per unit of a log ratio           */
static const double CHI_NORMAL_MEDIAN = 0.6745; /* of |z|, z standard normal                */
static const double CHI_DARK = 10; /* c: what darkness adds to a pixel, in gray levels      */

/* What a masker has settled. */
typedef struct chi_mask_noise {
    float *pixels; /* of each */
    double typical, camera;
    int warnings;
} chi_mask_noise;

static inline int chi_level_of(double value, double steps, int levels) {
    double level = value * steps + 0.5;
    return level < levels - 1 ? (int)level : levels - 1;
}

/* The level at or below which that share of all are, and half of them. */
static inline int chi_level_below(const int64_t *counts, int levels, double share) {
    int64_t total = 0, below = 0;
    for (int level = 0; level < levels; level++) total += counts[level];
    for (int level = 0; level < levels; level++)
        if ((double)(below += counts[level]) >= share * (double)total) return level;
    return 0;
}
static inline int chi_median_level(const int64_t *counts, int levels) {
    return chi_level_below(counts, levels, 0.5);
}

/* The level of a distance, and the noise of counted distances, as log ratios. */
static inline int chi_noise_level(double distance) {
    return chi_level_of(distance, CHI_NOISE_STEPS, CHI_NOISE_LEVELS);
}
static inline double chi_noise_of(const int64_t *counts) {
    return chi_median_level(counts, CHI_NOISE_LEVELS) / CHI_NOISE_STEPS / CHI_NORMAL_MEDIAN;
}
