/* Noise from distances. |log((x + c) / (b + c))| of many pixels is counted in levels. The median
 * gives the standard deviation of normal noise, even if up to half of the pixels show moving
 * objects. */
#pragma once

#include <stdint.h>

enum { CHI_NOISE_LEVELS = 4096 };               /* covers ratios up to e                 */
static const double CHI_NOISE_STEPS = 4000;     /* levels per unit of a log ratio        */
static const double CHI_NORMAL_MEDIAN = 0.6745; /* median of |z| for a standard normal z */
/* The constant c in gray levels, which is added to pixels so that ratios of dark pixels differ
 * less. */
static const double CHI_DARK = 10;

/* The noise that a masker has determined. */
typedef struct chi_mask_noise {
    float *pixels; /* noise of each pixel */
    double typical, camera;
    int warnings;
} chi_mask_noise;

static inline int chi_level_of(double value, double steps, int levels) {
    double level = value * steps + 0.5;
    return level < levels - 1 ? (int)level : levels - 1;
}

/* chi_level_below() returns the lowest level at or below which at least that share of the counts
 * lies. chi_median_level() uses a share of one half. */
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

/* chi_noise_level() returns the level of a distance (a log ratio). chi_noise_of() returns the noise
 * of counted distances. */
static inline int chi_noise_level(double distance) {
    return chi_level_of(distance, CHI_NOISE_STEPS, CHI_NOISE_LEVELS);
}
static inline double chi_noise_of(const int64_t *counts) {
    return chi_median_level(counts, CHI_NOISE_LEVELS) / CHI_NOISE_STEPS / CHI_NORMAL_MEDIAN;
}
