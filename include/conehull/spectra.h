/* Spectra: angles, matching with a reference, noise and rank of a scene, averaged endmembers
 * (library conehull_spectra).
 *
 * A column of X is the spectrum of one pixel, a row is a band. Endmembers are the columns of a
 * bands x count array, abundances a count x pixels array, both column-major. Simple use, after
 * ch_anchors() has filled `result` and a reference E has `count` columns:
 *
 *     ch_spectra_score score = {.size = sizeof score};
 *     const ch_spectra_set found = {X.rows, X.cols, 3, result.W, result.H};
 *     const ch_spectra_set truth = {X.rows, X.cols, 3, E, NULL};
 *     if (ch_spectra_compare(context, &score, &found, &truth) < 0)
 *         puts(ch_context_message(context));
 *     // reference 0 is endmember score.match[0], score.angle[0] radians away
 *     ch_spectra_score_free(context, &score);
 *
 * Experimental: what this header declares may change in any version, and conehull.h does not
 * include it. */
#ifndef CONEHULL_SPECTRA_H
#define CONEHULL_SPECTRA_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/** The angle between two spectra in radians, from 0 to pi; NaN if one of them is zero or not
 *  finite. Accurate for small angles too. */
CH_API double ch_spectral_angle(const double *a, const double *b, int64_t bands);

/** One-to-one matching of least total cost: row i gets column match[i], or -1 where there are more
 *  rows than columns. cost is rows x cols, column-major, finite. *total, unless NULL: the sum over
 *  the matched pairs. Exact (shortest augmenting paths), O(rows cols min(rows, cols)). */
CH_API ch_status ch_spectra_match(ch_context *context, int64_t *match, double *total,
                                  const double *cost, int64_t rows, int64_t cols);

/** Endmembers, and abundances where they are known. */
typedef struct ch_spectra_set {
    int64_t bands, pixels;
    int64_t count;            /**< endmembers                                                  */
    const double *endmembers; /**< bands x count; NULL: not known                              */
    const double *abundances; /**< count x pixels; NULL: not known                             */
} ch_spectra_set;

/** The distance of endmembers from a reference. Arrays have one entry per reference endmember, NaN
 *  where it has no partner; an array is NULL if its quantity is not known on both sides. */
typedef struct ch_spectra_score {
    size_t size; /**< sizeof(ch_spectra_score); the caller sets it */
    int64_t count;
    int64_t *match;    /**< count: the matching endmember, or -1                                */
    double *angle;     /**< count: angle between the two, radians                               */
    double mean_angle; /**< over the pairs                                                      */
    double *rmse;      /**< count: root mean square error of the abundances over the pixels     */
    double mean_rmse;  /**< over the pairs                                                      */
} ch_spectra_score;

/** Matches endmembers so that the sum of angles is least; if one side has no endmembers, the sum of
 *  the root mean square errors. Both sides must have the same number of bands if both have
 *  endmembers, and of pixels if both have abundances. Pixels whose abundance is not finite on
 *  either side are left out. A zero spectrum counts as orthogonal to all. */
CH_API ch_status ch_spectra_compare(ch_context *context, ch_spectra_score *score,
                                    const ch_spectra_set *found, const ch_spectra_set *truth);
CH_API void ch_spectra_score_free(ch_context *context, ch_spectra_score *score);

/** Noise by band regression, and the dimension of the signal subspace (HySime: J. Bioucas-Dias and
 *  J. Nascimento, "Hyperspectral subspace identification", IEEE TGRS 46, 2008). */
typedef struct ch_spectra_noise {
    size_t size; /**< sizeof(ch_spectra_noise); the caller sets it */
    int64_t bands;
    int64_t rank;      /**< number of directions with more signal than noise                      */
    double *deviation; /**< bands: standard deviation of the noise of each band                 */
    double snr;        /**< signal-to-noise ratio in decibels                                    */
} ch_spectra_noise;

/** Estimates the noise. For the rank, a band is predicted without its two neighbours on either side
 *  (one below 24 bands, none below 12), because noise that neighbours share, as in resampled data,
 *  is not signal. One pass over X, O(bands^2 pixels). Negative values are allowed; values that are
 *  not finite are refused. Needs more pixels than bands. Same bits for any number of threads. */
CH_API ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                           const ch_matrix *X);
CH_API void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise);

/** What a scene does not hold. A value is not known where it is NaN or, unless mark is NULL, *mark
 *  (as the type of X has it). holes[j]: such values of pixel j; unknown[i]: those of band i, over
 *  the pixels that hold a known value; nonzero[i]: 1 if a known value of band i is not zero. A
 *  pixel with an infinite value, first in band i, has holes[j] = -1 - i. One pass over X; the
 *  progress callback can cancel it: CH_STOP_CANCELLED. */
CH_API ch_status ch_spectra_gaps(ch_context *context, int64_t *holes, int64_t *unknown,
                                 uint8_t *nonzero, const ch_matrix *X, const double *mark);

typedef enum ch_spectra_average { CH_AVERAGE_MEDIAN = 0, CH_AVERAGE_MEAN = 1 } ch_spectra_average;

/** How the `neighbours` nearest columns are averaged. */
typedef struct ch_spectra_smoothing {
    int64_t neighbours;
    ch_spectra_average average;
} ch_spectra_smoothing;

/** Sets endmembers[:, k] (bands x count) to the average, band by band, of the columns x of X
 *  nearest to the ray of a = spectra[:, k]. The distance is min_t |x - t a|_1 / |x|_1, which a few
 *  bad entries hardly change. Each column is scaled by its 1 / t; negative averages become 0. Ties
 *  go to the lowest column. members (neighbours x count, or NULL) receives the columns, in
 *  increasing order. After smoothed separable NMF: N. Nadisic, N. Gillis and C. Kervazo, 2021.
 *  Reads X once per spectrum, and the members again. NaN marks a missing entry, which is ignored; a
 *  band that is missing in all members is taken from the spectrum. Returns CH_ERR_DATA if too few
 *  columns have a positive t. */
CH_API ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                                   const ch_matrix *X, const double *spectra, int64_t count,
                                   const ch_spectra_smoothing *how);

/** Sets sizes[j] to the size of column j, by which its residual is divided: the sum of its values,
 *  or for loss l2 their Euclidean norm. NaN is ignored. One pass over X. */
CH_API ch_status ch_spectra_sizes(ch_context *context, double *sizes, const ch_matrix *X,
                                  ch_loss loss);

/** Settings that suit spectra, for ch_anchors(); described, with defaults and bounds, by
 *  ch_unmix_table(). */
typedef struct ch_unmix_settings {
    size_t size;  /**< sizeof(ch_unmix_settings); ch_unmix_defaults() sets it */
    int64_t rank; /**< number of endmembers; 0: ch_unmix_choose_rank()                           */
    ch_loss loss; /**< l1, l2 or kl                                                              */
    ch_hull hull;
    double faint;
    ch_negative_values negative;
    int64_t smooth; /**< number of columns averaged for an endmember; 0: no averaging             */
    ch_spectra_average average;
    double tol;
    int64_t seed;
    ch_missing_values missing; /**< NaN marks a missing entry, or is refused                      */
} ch_unmix_settings;

CH_API const ch_settings_table *ch_unmix_table(void);
static inline void ch_unmix_defaults(ch_unmix_settings *settings) {
    ch_settings_defaults(ch_unmix_table(), settings, sizeof *settings);
}
/** The settings of the run of ch_anchors() that finds the endmembers, duals included. */
CH_API ch_status ch_unmix_prepare(ch_context *context, ch_anchors_settings *anchors,
                                  const ch_unmix_settings *settings);

/** The number of endmembers of a scene by two rules: noise (ch_spectra_estimate_noise(), too large
 *  if pure spectra vary more than the noise) and residuals (ch_anchors() with rank 0, too large if
 *  single pixels are odd). The smaller one is used. Both count every direction that varies by more
 *  than the noise, including variants of one material. The noise is estimated from complete pixels
 *  only. */
typedef struct ch_unmix_rank {
    size_t size;  /**< sizeof(ch_unmix_rank); the caller sets it */
    int64_t rank; /**< the smaller of the two, 1 at least                                       */
    int64_t by_noise; /**< -1: noise cannot be estimated (fewer complete pixels than bands)   */
    int64_t by_residual;
    double snr; /**< decibels; NaN without an estimate                                          */
} ch_unmix_rank;
CH_API ch_status ch_unmix_choose_rank(ch_context *context, ch_unmix_rank *chosen,
                                      const ch_matrix *X, const ch_unmix_settings *settings);

/** Intervals of the abundances: how far each can move, the others being refitted, before the l1
 *  loss of its pixel rises by more than the share `rise`. low and high are count x pixels like
 *  result->H, which lies between them. The function f(t) = min of the loss over the other
 *  abundances with h_k = t is convex, and each of its values is a projection; the bounds are found
 *  by bisection to 1e-4, relative to 1 or to the largest abundance. The constraint of
 *  settings->hull holds throughout. Loss l1 only. Takes about 28 * count projections of all pixels,
 *  and a copy of X. */
CH_API ch_status ch_unmix_intervals(ch_context *context, double *low, double *high,
                                    const ch_matrix *X, const ch_anchors_result *result,
                                    const ch_anchors_settings *settings, double rise);

/** The stability of endmember k is the share of `halves` random halves of the pixels in which an
 *  endmember within `angle` radians of it is chosen. Only selections are run, no projections. */
typedef struct ch_unmix_halves {
    int64_t halves;
    double angle; /**< radians */
} ch_unmix_halves;
CH_API ch_status ch_unmix_stability(ch_context *context, double *stability, const ch_matrix *X,
                                    const ch_anchors_result *result,
                                    const ch_anchors_settings *settings,
                                    const ch_unmix_halves *how);

/** A scene with a known answer, for tests and demonstrations: water, plants, soil, tiles and
 *  concrete in patches with soft borders, at least one pure and fully lit pixel of each, shadows,
 *  noise and spikes. */
typedef struct ch_spectra_scene {
    size_t size;            /**< sizeof(ch_spectra_scene); the caller sets it, and the next six: */
    int64_t lines, samples; /**< at least 8 each                                                */
    int64_t bands;          /**< from 400 to 1000 nm, at least 8                                */
    double noise;           /**< standard deviation, as a share of a reflectance of 1           */
    double spikes;          /**< share of the values to which 0.2 to 0.6 is added               */
    int64_t seed;           /**< the same seed gives the same scene                             */
    int64_t count;          /**< of materials                                                   */
    const char *const *names; /**< of materials                                                  */
    double *wavelengths;      /**< bands, nm                                                      */
    double *endmembers;       /**< bands x count                                                  */
    double *abundances;       /**< count x pixels: those of a pixel sum to at most 1, the rest is
                                   shade */
    float *values;            /**< bands x pixels; pixel line * samples + sample                  */
} ch_spectra_scene;
CH_API ch_status ch_spectra_scene_make(ch_context *context, ch_spectra_scene *scene);
CH_API void ch_spectra_scene_free(ch_context *context, ch_spectra_scene *scene);

CH_END_DECLS
#endif
