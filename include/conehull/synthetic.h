/* Generated matrices whose anchors are known, as in Section 5.1 of the paper (Kumar and Sindhwani,
 * arXiv 1312.7167). conehull/scene.h generates a film. */
#ifndef CONEHULL_SYNTHETIC_H
#define CONEHULL_SYNTHETIC_H

#include <conehull/matrix.h>

CH_BEGIN_DECLS

/** How a generated matrix X differs from the noise-free product W H. `level` is
 *  ch_synthetic_settings.level. Only the first four kinds of noise are in the paper. */
typedef enum ch_synthetic_noise {
    CH_NOISE_NONE = 0, /**< X = W H */
    /** X = W H + max(N, 0), where each N_ij is Laplace distributed with mean 0 and standard
     *  deviation level. */
    CH_NOISE_SPARSE = 1,
    /** Each X_ij is exponentially distributed with mean level * (W H)_ij. */
    CH_NOISE_EXPONENTIAL = 2,
    CH_NOISE_POISSON = 3, /**< each X_ij is Poisson distributed with mean level * (W H)_ij */
    /** X = max(W H + N, 0), where each N_ij is 0 with probability 1/2, and otherwise Laplace
     *  distributed with mean 0 and standard deviation level. */
    CH_NOISE_TWO_SIDED = 4,
    /** Each X_ij is replaced, with probability level, by a number uniformly distributed in (0, 10);
     *  otherwise it is (W H)_ij. */
    CH_NOISE_OUTLIERS = 5,
    /** X = max(W H + N, 0), where each N_ij is normally distributed with mean 0 and standard
     *  deviation level. */
    CH_NOISE_GAUSSIAN = 6
} ch_synthetic_noise;

/** Settings of ch_synthetic_make(). There are no defaults; the caller sets every member. */
typedef struct ch_synthetic_settings {
    size_t size;              /**< sizeof(ch_synthetic_settings); the caller sets it */
    int64_t rows, cols;       /**< shape of X; in the paper 200 x 210 */
    int64_t rank;             /**< number of anchors, 1 to cols; in the paper 20 */
    ch_synthetic_noise noise; /**< kind of noise */
    double level; /**< strength of the noise, 0 to 1e12, as ch_synthetic_noise defines it */
    /** 1: the columns of X are permuted at random; 0: the first `rank` columns are the anchors. */
    int shuffle;
    ch_value_type type; /**< type of X: CH_F64 or CH_F32 */
    int64_t seed;       /**< seed of all random numbers; the same seed gives the same X */
} ch_synthetic_settings;

/** Generates a matrix X = W H plus noise. W is rows x rank and uniform in (0, 1). H = [I H'], where
 *  I is the identity matrix of size rank and H' holds the other columns. Without noise, each column
 *  of W is therefore a column of X. The columns of H' are random vectors of one Dirichlet
 *  distribution, whose parameters are uniform in (0, 1). anchors receives the indices, from 0, of
 *  the `rank` columns of X that belong to I; the caller owns the array, and NULL is allowed. Free X
 *  with ch_matrix_free(). Returns CH_ERR_SETTING if a setting is out of its range. */
CH_API ch_status ch_synthetic_make(ch_context *context, ch_matrix *X, int64_t *anchors,
                                   const ch_synthetic_settings *settings);

CH_END_DECLS
#endif
