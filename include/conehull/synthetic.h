/* Data with a known answer: the paper's generators (Section 5.1). conehull/scene.h makes a film. */
#ifndef CONEHULL_SYNTHETIC_H
#define CONEHULL_SYNTHETIC_H

#include <conehull/matrix.h>

CH_BEGIN_DECLS

typedef enum ch_synthetic_noise {
    CH_NOISE_NONE = 0,
    CH_NOISE_SPARSE = 1,      /**< X = W H + max(N, 0), N Laplace with sd = level             */
    CH_NOISE_EXPONENTIAL = 2, /**< X_ij exponential with mean level * (W H)_ij                */
    CH_NOISE_POISSON = 3,     /**< X_ij Poisson with mean level * (W H)_ij                    */
    /* Not in the paper; negative values become 0. */
    CH_NOISE_TWO_SIDED = 4, /**< X = W H + N, N Laplace with sd = level in half of the entries */
    CH_NOISE_OUTLIERS = 5,  /**< X_ij uniform in (0, 10) with probability level, else (W H)_ij */
    CH_NOISE_GAUSSIAN = 6   /**< X = W H + N, N normal with sd = level                         */
} ch_synthetic_noise;

typedef struct ch_synthetic_settings {
    size_t size;              /**< sizeof(ch_synthetic_settings); the caller sets it */
    int64_t rows, cols, rank; /**< paper: 200, 210, 20                                        */
    ch_synthetic_noise noise;
    double level;
    int shuffle; /**< permute the columns (else anchors are 0..rank-1)                        */
    ch_value_type type;
    int64_t seed;
} ch_synthetic_settings;

/** X = W H + noise, W uniform in (0,1), H = [I H'], H' Dirichlet with U(0,1) parameters.
 *  anchors[0..rank) receives the columns of the anchors. */
CH_API ch_status ch_synthetic_make(ch_context *context, ch_matrix *X, int64_t *anchors,
                                   const ch_synthetic_settings *settings);

CH_END_DECLS
#endif
