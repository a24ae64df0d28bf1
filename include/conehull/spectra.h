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

/** The angle between two spectra in radians, from 0 to pi; NaN when one of them is zero or not
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

/** How far endmembers are from a reference; arrays have one entry per reference endmember, NaN
 *  where there is none to compare with, and NULL where nothing of that kind is known. */
typedef struct ch_spectra_score {
    size_t size; /**< sizeof(ch_spectra_score); the caller sets it */
    int64_t count;
    int64_t *match;    /**< count: the endmember that was found for it, or -1                   */
    double *angle;     /**< count: between them, radians                                        */
    double mean_angle; /**< over the pairs                                                      */
    double *rmse;      /**< count: root mean square error of the abundances over the pixels     */
    double mean_rmse;  /**< over the pairs                                                      */
} ch_spectra_score;

/** Pairs by least sum of angles; where one side has no endmembers, of the root mean square errors.
 *  Bands (pixels) must be as many on both sides if both have endmembers (abundances). Pixels whose
 *  abundance is not finite on either side are left out. A spectrum that is zero stands at a right
 *  angle to all. */
CH_API ch_status ch_spectra_compare(ch_context *context, ch_spectra_score *score,
                                    const ch_spectra_set *found, const ch_spectra_set *truth);
CH_API void ch_spectra_score_free(ch_context *context, ch_spectra_score *score);

/** Noise by band regression, and the dimension of the signal subspace (HySime: J. Bioucas-Dias and
 *  J. Nascimento, "Hyperspectral subspace identification", IEEE TGRS 46, 2008). */
typedef struct ch_spectra_noise {
    size_t size; /**< sizeof(ch_spectra_noise); the caller sets it */
    int64_t bands;
    int64_t rank;      /**< directions that hold more signal than noise                          */
    double *deviation; /**< bands: standard deviation of what no other band predicts            */
    double snr;        /**< power of the signal over that of the noise, decibels                */
} ch_spectra_noise;

/** For the rank a band is predicted from those that are not its neighbours, two on either side (one
 *  below 24 bands, none below 12): noise that neighbours share, as in resampled data, is no signal.
 *  One pass over X, O(bands^2 pixels); negative values are fine, values that are not finite are
 *  refused. Needs more pixels than bands. The same bits for any number of threads. */
CH_API ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                           const ch_matrix *X);
CH_API void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise);

typedef enum ch_spectra_average { CH_AVERAGE_MEDIAN = 0, CH_AVERAGE_MEAN = 1 } ch_spectra_average;

/** How columns are averaged: the `neighbours` nearest ones. */
typedef struct ch_spectra_smoothing {
    int64_t neighbours;
    ch_spectra_average average;
} ch_spectra_smoothing;

/** endmembers[:, k] (bands x count) = the average, band by band, of the columns of X nearest to the
 *  ray of spectra[:, k]: by min_t |x - t a|_1 / |x|_1, which a few bad entries of either do not
 *  decide. Each is scaled by its 1 / t; negative averages become 0. Ties go to the lowest column.
 *  members, unless NULL: neighbours x count, those columns, rising. After smoothed separable NMF:
 *  N. Nadisic, N. Gillis and C. Kervazo, 2021. Reads X once per spectrum, and the members.
 *  NaN is an entry that is not known: it takes no part; a band that no member knows is that of the
 *  spectrum. CH_ERR_DATA: too few columns point that way. */
CH_API ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                                   const ch_matrix *X, const double *spectra, int64_t count,
                                   const ch_spectra_smoothing *how);

/** sizes[j] = what a residual of column j is compared with: the sum of its values, for loss l2
 * their Euclidean length; NaN counts as nothing. One pass over X. */
CH_API ch_status ch_spectra_sizes(ch_context *context, double *sizes, const ch_matrix *X,
                                  ch_loss loss);

/** Settings that suit spectra, for ch_anchors(); described, with defaults and bounds, by
 *  ch_unmix_table(). */
typedef struct ch_unmix_settings {
    size_t size;  /**< sizeof(ch_unmix_settings); ch_unmix_defaults() sets it */
    int64_t rank; /**< endmembers wanted; 0: ch_unmix_choose_rank()                              */
    ch_loss loss; /**< l1, l2 or kl                                                              */
    ch_hull hull;
    double faint;
    ch_negative_values negative;
    int64_t smooth; /**< columns of which an endmember is the average; 0: the column itself alone */
    ch_spectra_average average;
    double tol;
    int64_t seed;
    ch_missing_values missing; /**< NaN: an entry that is not known, or refused                   */
} ch_unmix_settings;

CH_API const ch_settings_table *ch_unmix_table(void);
static inline void ch_unmix_defaults(ch_unmix_settings *settings) {
    ch_settings_defaults(ch_unmix_table(), settings, sizeof *settings);
}
/** The settings of the run of ch_anchors() that finds the endmembers, duals included. */
CH_API ch_status ch_unmix_prepare(ch_context *context, ch_anchors_settings *anchors,
                                  const ch_unmix_settings *settings);

/** How many endmembers a scene has, by two rules that fail in different ways: the noise
 *  (ch_spectra_estimate_noise(), too many where pure spectra vary more than the noise) and the
 *  residuals (ch_anchors() with rank 0, too many where single pixels are odd). The smaller counts.
 *  Both count what varies by more than the noise, variants of one material among it. The noise is
 *  estimated from the pixels that are complete. */
typedef struct ch_unmix_rank {
    size_t size;  /**< sizeof(ch_unmix_rank); the caller sets it */
    int64_t rank; /**< the smaller of the two, 1 at least                                       */
    int64_t by_noise; /**< -1: noise cannot be estimated (fewer complete pixels than bands)   */
    int64_t by_residual;
    double snr; /**< decibels; NaN without an estimate                                          */
} ch_unmix_rank;
CH_API ch_status ch_unmix_choose_rank(ch_context *context, ch_unmix_rank *chosen,
                                      const ch_matrix *X, const ch_unmix_settings *settings);

/** How far each abundance can move, the others following, before the l1 loss of its pixel rises by
 *  more than the share `rise`: low and high are count x pixels like result->H, which lies between
 *  them. By the function f(t) = min over the other abundances with h_k = t, which is convex; each
 * of its values is a projection, and the bound is bisected to 1e-4 of 1, or of the largest
 * abundance. Hulls hold for all of it. Loss l1 only; takes about 28 count projections of all
 * pixels, and a copy of X. */
CH_API ch_status ch_unmix_intervals(ch_context *context, double *low, double *high,
                                    const ch_matrix *X, const ch_anchors_result *result,
                                    const ch_anchors_settings *settings, double rise);

/** stability[k] = the share of `halves` random halves of the pixels in which an endmember is chosen
 *  within `angle` radians of endmember k of the result. Selections only: no abundances. */
typedef struct ch_unmix_halves {
    int64_t halves;
    double angle; /**< radians */
} ch_unmix_halves;
CH_API ch_status ch_unmix_stability(ch_context *context, double *stability, const ch_matrix *X,
                                    const ch_anchors_result *result,
                                    const ch_anchors_settings *settings,
                                    const ch_unmix_halves *how);

/** A scene with a known answer, for tests and demonstrations: water, plants, soil, tiles and
 *  concrete in patches with soft borders, one pure and fully lit pixel of each at least, shadows,
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
    double *abundances;       /**< count x pixels: sums at most 1, the rest is shade              */
    float *values;            /**< bands x pixels; pixel line * samples + sample                  */
} ch_spectra_scene;
CH_API ch_status ch_spectra_scene_make(ch_context *context, ch_spectra_scene *scene);
CH_API void ch_spectra_scene_free(ch_context *context, ch_spectra_scene *scene);

CH_END_DECLS
#endif
