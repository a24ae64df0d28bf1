/* Functions for spectra: angles, matching with a reference, noise and rank of a scene, averaged
 * endmembers, uncertainty of abundances (library conehull_spectra). A scene is a picture with a
 * spectrum in every pixel.
 *
 * X is bands x pixels: each column is the spectrum of one pixel. Endmembers are the columns of an
 * array bands x count; abundances are an array count x pixels that holds the share of each
 * endmember in each pixel. Both are column-major. Simple use, after ch_anchors() has filled
 * `result`, and with a known reference E of three endmembers:
 *
 *     ch_spectra_score score = {.size = sizeof score};
 *     const ch_spectra_set found = {X.rows, X.cols, 3, result.W, result.H};
 *     const ch_spectra_set truth = {X.rows, X.cols, 3, E, NULL};
 *     if (ch_spectra_compare(context, &score, &found, &truth) < 0)
 *         puts(ch_context_message(context));
 *     // endmember 0 of `truth` matches endmember score.match[0] of `found`;
 *     // the angle between them is score.angle[0] radians
 *     ch_spectra_score_free(context, &score);
 *
 * Experimental: what this header declares may change in any version, and conehull.h does not
 * include it. */
#ifndef CONEHULL_SPECTRA_H
#define CONEHULL_SPECTRA_H

#include <conehull/anchors.h>

CH_BEGIN_DECLS

/** Returns the angle between the spectra a and b, which have `bands` values each, in radians from 0
 *  to pi. Returns NaN if one of the spectra is zero or has a value that is not finite. Small angles
 *  are accurate too. */
CH_API double ch_spectral_angle(const double *a, const double *b, int64_t bands);

/** Finds the one-to-one matching of the rows and columns of a cost matrix with the smallest total
 *  cost. cost is rows x cols, column-major; its values must be finite. match, an array of the
 *  caller with `rows` entries, receives the column index, from 0, of each row, or -1 for rows
 *  without a partner. *total receives the sum of the costs of the matched pairs; total may be NULL.
 *  The result is exact (shortest augmenting paths) and takes O(rows cols min(rows, cols)) time. */
CH_API ch_status ch_spectra_match(ch_context *context, int64_t *match, double *total,
                                  const double *cost, int64_t rows, int64_t cols);

/** Endmembers and abundances of a scene, as far as they are known. The caller owns the arrays. */
typedef struct ch_spectra_set {
    int64_t bands, pixels; /**< numbers of bands and of pixels of the scene */
    int64_t count;         /**< number of endmembers */
    /** Spectrum of each endmember: bands x count, column-major; NULL: not known. */
    const double *endmembers;
    const double *abundances; /**< abundances: count x pixels, column-major; NULL: not known */
} ch_spectra_set;

/** Result of ch_spectra_compare(): how far endmembers and abundances that were found are from a
 *  reference. Each endmember of the reference is matched with at most one endmember that was found,
 *  its partner. Arrays have one entry per endmember of the reference; the entry is NaN (in match
 *  -1) if the endmember has no partner. angle is NULL unless both sides have endmembers, and rmse
 *  is NULL unless both sides have abundances. ch_spectra_score_free() frees the arrays. */
typedef struct ch_spectra_score {
    size_t size;   /**< sizeof(ch_spectra_score); the caller sets it */
    int64_t count; /**< number of endmembers of the reference */
    /** For each endmember of the reference, the index, from 0, of its partner among the endmembers
     *  found; -1: no partner. */
    int64_t *match;
    double *angle; /**< angle in radians between each endmember of the reference and its partner */
    double mean_angle; /**< mean of `angle` over all pairs, in radians */
    /** For each endmember of the reference, root mean square error of the abundances of its
     *  partner, over the pixels. */
    double *rmse;
    double mean_rmse; /**< mean of `rmse` over all pairs */
} ch_spectra_score;

/** Compares a result, `found`, to a reference, `truth`. The endmembers of both are matched one to
 *  one. If both have spectra of their endmembers, the matching has the smallest sum of angles
 *  between matched spectra; both must then have the same number of bands. Otherwise the matching
 *  has the smallest sum of root mean square errors between matched abundances. If both have
 *  abundances, they must have the same number of pixels. A pixel is left out if one of its
 *  abundances, in `found` or in `truth`, is not finite. A zero spectrum counts as orthogonal to all
 *  others. The caller sets score->size and later calls ch_spectra_score_free(). */
CH_API ch_status ch_spectra_compare(ch_context *context, ch_spectra_score *score,
                                    const ch_spectra_set *found, const ch_spectra_set *truth);
/** Frees the arrays of a score. NULL is allowed. */
CH_API void ch_spectra_score_free(ch_context *context, ch_spectra_score *score);

/** The noise of a scene, estimated by regression between bands, and the dimension of its signal
 *  subspace (HySime: J. Bioucas-Dias and J. Nascimento, "Hyperspectral subspace identification",
 *  IEEE TGRS 46, 2008). ch_spectra_noise_free() frees the array. */
typedef struct ch_spectra_noise {
    size_t size;   /**< sizeof(ch_spectra_noise); the caller sets it */
    int64_t bands; /**< number of bands */
    /** Dimension of the signal subspace: number of directions with more signal than noise. */
    int64_t rank;
    double *deviation; /**< standard deviation of the noise of each band, in the unit of X */
    double snr;        /**< signal-to-noise ratio in decibels */
} ch_spectra_noise;

/** Estimates the noise of X (bands x pixels) and the dimension of its signal subspace. Each band is
 *  predicted from the other bands, and what cannot be predicted is noise. To estimate the
 *  dimension, a band is predicted without its two nearest neighbours on either side; without one on
 *  either side if X has 12 to 23 bands; and from all other bands if X has fewer than 12. In this
 *  way noise that neighbouring bands share, as in resampled data, does not count as signal. The
 *  call reads X once and takes O(bands^2 pixels) time. Negative values are allowed; values that are
 *  not finite are refused. X must have more pixels than bands. The caller sets noise->size and
 *  later calls ch_spectra_noise_free(). The result has the same bits for any number of threads. */
CH_API ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                           const ch_matrix *X);
/** Frees the arrays of a noise estimate. NULL is allowed. */
CH_API void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise);

/** Counts the missing values of a scene X, bands x pixels, in one pass. A value is missing if it is
 *  NaN or equal to *mark, rounded to the type of X; mark NULL means that only NaN is missing.
 *  holes[j] receives the number of missing values of pixel j; if the pixel has an infinite value,
 *  holes[j] receives -1 - i instead, where i is the first band with an infinite value. unknown[i]
 *  receives the number of missing values of band i, counted over the pixels that have at least one
 *  known value. nonzero[i] receives 1 if band i has a known value that is not zero, else 0. The
 *  caller owns the arrays: holes has X->cols entries, unknown and nonzero have X->rows entries
 *  each. Returns CH_STOP_CANCELLED if the progress callback cancels. */
CH_API ch_status ch_spectra_gaps(ch_context *context, int64_t *holes, int64_t *unknown,
                                 uint8_t *nonzero, const ch_matrix *X, const double *mark);

/** How spectra are averaged: by the median or by the mean of each band. */
typedef enum ch_spectra_average { CH_AVERAGE_MEDIAN = 0, CH_AVERAGE_MEAN = 1 } ch_spectra_average;

/** Settings of ch_spectra_smooth(). */
typedef struct ch_spectra_smoothing {
    /** Number of columns of X that are averaged for each spectrum: the columns nearest to the
     *  spectrum. */
    int64_t neighbours;
    /** Whether the median or the mean of the columns is taken in each band. */
    ch_spectra_average average;
} ch_spectra_smoothing;

/** Computes a smoother version of each spectrum: an average of the columns of X that are nearest to
 *  its direction (after smoothed separable NMF: N. Nadisic, N. Gillis and C. Kervazo, 2021). For
 *  the spectrum a = spectra[:, k], the distance of a column x is |x - t a|_1 / |x|_1 with the
 *  factor t that minimises it; a few bad entries hardly change this distance. The how->neighbours
 *  nearest columns with t > 0 are the members of the spectrum; of equally distant columns, the
 *  column with the lowest index comes first. Each member is divided by its factor t, and the
 *  average of the members, band by band, becomes endmembers[:, k]; negative averages become 0.
 *  spectra and endmembers are bands x count, column-major. `members` (how->neighbours x count,
 *  column-major, may be NULL) receives the column indices, from 0, of the members of each spectrum,
 *  in increasing order. The caller owns all arrays. NaN in X marks a missing entry, which is
 *  ignored; a band that is missing in all members is copied from the spectrum. The call reads X
 *  once per spectrum, and then reads its members a second time. Returns CH_ERR_DATA if fewer than
 *  how->neighbours columns have t > 0. */
CH_API ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                                   const ch_matrix *X, const double *spectra, int64_t count,
                                   const ch_spectra_smoothing *how);

/** Computes the size of each column of X, for instance to divide residuals by it. sizes[j] receives
 *  the sum of the positive values of column j or, if loss is CH_LOSS_L2, the square root of the sum
 *  of their squares. Negative values count as 0, as with CH_NEGATIVE_CLIP. NaN values are ignored.
 *  sizes is an array of the caller with X->cols entries. The call reads X once. */
CH_API ch_status ch_spectra_sizes(ch_context *context, double *sizes, const ch_matrix *X,
                                  ch_loss loss);

/** Settings for unmixing, which finds the endmembers and abundances of a scene. Their defaults suit
 *  spectra. ch_unmix_defaults() fills them; ch_unmix_table() lists their bounds. hull, faint,
 *  negative, tol, missing and seed have the same meaning as in ch_anchors_settings. */
typedef struct ch_unmix_settings {
    size_t size; /**< sizeof(ch_unmix_settings); ch_unmix_defaults() sets it */
    /** number of endmembers; 0: not known, so that the caller must call ch_unmix_choose_rank() */
    int64_t rank;
    ch_loss loss; /**< loss that is minimised: CH_LOSS_L1, CH_LOSS_L2 or CH_LOSS_KL */
    /** Constraint on the sum of the abundances of a pixel; abundances are never negative. */
    ch_hull hull;
    /** A pixel whose values sum to less than this share, 0 to 0.999, of the 99th percentile of
     *  these sums over all pixels never becomes an endmember. 0: every pixel may become an
     *  endmember. */
    double faint;
    ch_negative_values negative; /**< whether negative values of X count as 0 or are refused */
    /** Number of pixels that ch_spectra_smooth() averages around each endmember
     *  (ch_spectra_smoothing.neighbours); 0: endmembers are not averaged. */
    int64_t smooth;
    /** Whether ch_spectra_smooth() takes the median or the mean, if `smooth` is positive. */
    ch_spectra_average average;
    double tol;   /**< the abundances of a pixel count as proven if their gap is at most tol */
    int64_t seed; /**< seed of all random choices */
    ch_missing_values missing; /**< whether a NaN in X marks a missing value or is refused */
} ch_unmix_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_unmix_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_unmix_defaults(ch_unmix_settings *settings) {
    ch_settings_defaults(ch_unmix_table(), settings, sizeof *settings);
}
/** Fills *anchors with the settings of the ch_anchors() call that finds the endmembers according to
 *  the unmixing settings. anchors->keep_duals is set to 1, so that ch_verify() can check the
 *  result. */
CH_API ch_status ch_unmix_prepare(ch_context *context, ch_anchors_settings *anchors,
                                  const ch_unmix_settings *settings);

/** An estimate of the number of endmembers. Two rules estimate it, and the smaller of the two
 *  numbers is used. The noise rule (ch_spectra_estimate_noise()) gives too large a number if pure
 *  spectra vary by more than the noise. The residual rule (ch_anchors() with rank 0) gives too
 *  large a number if single pixels are outliers. Both rules count every direction that varies by
 *  more than the noise, including variants of one material. */
typedef struct ch_unmix_rank {
    size_t size;  /**< sizeof(ch_unmix_rank); the caller sets it */
    int64_t rank; /**< the number that is used: the smaller number of the two rules, at least 1 */
    /** Number of endmembers by the noise rule, which uses only pixels without missing values. -1:
     *  there are too few such pixels. */
    int64_t by_noise;
    int64_t by_residual; /**< number of endmembers by the residual rule */
    double snr; /**< signal-to-noise ratio in decibels; NaN if the noise could not be estimated */
} ch_unmix_rank;
/** Estimates the number of endmembers of X by two rules (ch_unmix_rank). The caller sets
 *  chosen->size. */
CH_API ch_status ch_unmix_choose_rank(ch_context *context, ch_unmix_rank *chosen,
                                      const ch_matrix *X, const ch_unmix_settings *settings);

/** Computes how uncertain the abundances of a result are; works with the loss l1 only. For each
 *  abundance of each pixel it computes an interval: all values of this abundance with which the
 *  loss of the pixel is at most 1 + rise times its loss in the result, if the other abundances of
 *  the pixel are fitted again. low and high receive the lower and upper ends of the intervals. Both
 *  are arrays of the caller with the shape of result->H, whose values lie inside the intervals. The
 *  lower end is found by bisection between 0 and the abundance, the upper end between the abundance
 *  and a number M, with one projection per step. M depends on the largest abundance of the result,
 *  called a: with CH_HULL_CONE, M = 4 * max(1, a); with the other hulls, M = max(1, a). Ends are
 *  accurate to 1e-4 * M, and `high` never exceeds M. rise must be positive and at most 1. The
 *  constraint of settings->hull always holds. The call takes the time of about 28 * rank
 *  projections of all pixels and the memory of a copy of X. */
CH_API ch_status ch_unmix_intervals(ch_context *context, double *low, double *high,
                                    const ch_matrix *X, const ch_anchors_result *result,
                                    const ch_anchors_settings *settings, double rise);

/** Settings of ch_unmix_stability(). */
typedef struct ch_unmix_halves {
    /** Number of random halves of the pixels; endmembers are chosen again in each half. */
    int64_t halves;
    /** Two endmembers count as the same if the angle between them, in radians, is at most this
     *  number. */
    double angle;
} ch_unmix_halves;
/** Computes how stable the endmembers of a result are. Endmembers are chosen again in how->halves
 *  random halves of the pixels. stability[k] receives the share, 0 to 1, of the halves in which
 *  some endmember lies within how->angle of endmember k of the result. stability is an array of
 *  the caller with result->rank entries. No abundances are computed. */
CH_API ch_status ch_unmix_stability(ch_context *context, double *stability, const ch_matrix *X,
                                    const ch_anchors_result *result,
                                    const ch_anchors_settings *settings,
                                    const ch_unmix_halves *how);

/** A generated scene with a known answer, for tests and demonstrations. It shows water, plants,
 *  soil, tiles and concrete in patches with soft borders, with at least one pure and fully lit
 *  pixel of each material; it has shadows, noise and spikes. The caller sets the members from size
 *  to seed. The other members are outputs; ch_spectra_scene_free() frees them. Arrays are
 *  column-major. */
typedef struct ch_spectra_scene {
    size_t size;            /**< sizeof(ch_spectra_scene); the caller sets it */
    int64_t lines, samples; /**< height and width of the picture in pixels, at least 8 each */
    int64_t bands;          /**< number of bands between 400 and 1000 nm, at least 8 */
    double noise; /**< standard deviation of the noise, in the unit of reflectances (0 to 1) */
    /** Share of the values, 0 to 1, to which a spike of 0.2 to 0.6 (reflectance) is added. */
    double spikes;
    int64_t seed;             /**< seed of all random choices; the same seed gives the same scene */
    int64_t count;            /**< output: number of materials */
    const char *const *names; /**< output: name of each material */
    double *wavelengths;      /**< output: wavelength of each band in nm */
    double *endmembers;       /**< output: spectrum of each material, bands x count */
    /** Output: share of each material in each pixel, count x pixels. The shares of a pixel sum to
     *  at most 1; the rest is shade. */
    double *abundances;
    /** Output: the scene, bands x pixels; the pixel in a given line and sample, both from 0, is
     *  column line * samples + sample. */
    float *values;
} ch_spectra_scene;
/** Generates a scene from the members size to seed of *scene, which the caller sets, and fills the
 *  other members. ch_spectra_scene_free() frees the arrays. */
CH_API ch_status ch_spectra_scene_make(ch_context *context, ch_spectra_scene *scene);
/** Frees the outputs of a scene. NULL is allowed. */
CH_API void ch_spectra_scene_free(ch_context *context, ch_spectra_scene *scene);

CH_END_DECLS
#endif
