/* Data with a known answer: the paper's generators (Section 5.1), and a film. */
#ifndef CONEHULL_SYNTHETIC_H
#define CONEHULL_SYNTHETIC_H

#include <conehull/matrix.h>
#include <conehull/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ch_synthetic_noise {
    CH_NOISE_NONE = 0,
    CH_NOISE_SPARSE = 1,      /**< X = W H + max(N, 0), N Laplace with sd = level             */
    CH_NOISE_EXPONENTIAL = 2, /**< X_ij exponential with mean level * (W H)_ij                */
    CH_NOISE_POISSON = 3      /**< X_ij Poisson with mean level * (W H)_ij                    */
} ch_synthetic_noise;

typedef struct ch_synthetic_settings {
    size_t size;              /**< sizeof(ch_synthetic_settings); the caller sets it */
    int64_t rows, cols, rank; /**< paper: 200, 210, 20                                        */
    int noise; /**< ch_synthetic_noise                                                   */
    double level;
    int shuffle; /**< permute the columns (else anchors are 0..rank-1)                        */
    ch_value_type type;
    int64_t seed;
} ch_synthetic_settings;

/** X = W H + noise, W uniform in (0,1), H = [I H'], H' Dirichlet with U(0,1) parameters.
 *  anchors[0..rank) receives where the anchors are. */
CH_API ch_status ch_synthetic_make(ch_context *context, ch_matrix *X, int64_t *anchors,
                                   const ch_synthetic_settings *settings);

/** A film of a hall as a fixed camera sees it: people walk through (one is there from the first
 *  frame on, one stands still for a while) and throw shadows, a lamp is switched off and on again,
 *  daylight drifts, the camera is noisy. Without people, shadows and noise the film has rank 2:
 *  what daylight shows and what the lamp adds. Described by ch_scene_table(). */
typedef struct ch_scene_settings {
    size_t size; /**< sizeof(ch_scene_settings); ch_scene_defaults() sets it */
    int64_t frames, width, height;
    double noise; /**< standard deviation, in gray levels of 256                               */
    int64_t seed; /**< who walks, when, and the noise                                          */
} ch_scene_settings;

CH_API const ch_settings_table *ch_scene_table(void);
static inline void ch_scene_defaults(ch_scene_settings *settings) {
    ch_settings_defaults(ch_scene_table(), settings, sizeof *settings);
}

/** One frame: rgb, height x width x 3; truth, height x width: 1 where a person is, shadows being
 *  background. Either may be NULL. A function of the settings and the frame alone. */
CH_API ch_status ch_scene_make(ch_context *context, uint8_t *rgb, uint8_t *truth, int64_t frame,
                               const ch_scene_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
