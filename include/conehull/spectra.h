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

/** Returns the angle between the spectra a and b of `bands` values each, in radians from 0 to pi.
 *  Returns NaN if one of them is zero or not finite. Small angles are accurate too. */
CH_API double ch_spectral_angle(const double *a, const double *b, int64_t bands);

/** Finds the one-to-one matching of rows and columns with the least total cost. cost is rows x
 *  cols, column-major, finite. match (`rows` entries, the caller's) receives the column of each
 *  row, or -1 for rows left over. *total receives the sum over the matched pairs; total may be
 *  NULL. The result is exact (shortest augmenting paths); O(rows cols min(rows, cols)). */
CH_API ch_status ch_spectra_match(ch_context *context, int64_t *match, double *total,
                                  const double *cost, int64_t rows, int64_t cols);

/** Endmembers and abundances, as far as they are known. The caller owns the arrays. */
typedef struct ch_spectra_set {
    int64_t bands, pixels;    /**< numbers of bands and of pixels of the scene */
    int64_t count;            /**< number of endmembers */
    const double *endmembers; /**< bands x count, column-major; NULL: not known */
    const double *abundances; /**< count x pixels, column-major; NULL: not known */
} ch_spectra_set;

/** Distances of endmembers and abundances from a reference. Each endmember of the reference is
 *  matched with at most one endmember that was found, its partner. Arrays have one entry per
 *  endmember of the reference; it is NaN (in match -1) if there is no partner. An array is NULL if
 *  its quantity is not known on both sides. ch_spectra_score_free() frees the arrays. */
typedef struct ch_spectra_score {
    size_t size;   /**< sizeof(ch_spectra_score); the caller sets it */
    int64_t count; /**< number of endmembers of the reference */
    /** Index, from 0, of the partner of each endmember of the reference; -1: no partner. */
    int64_t *match;
    double *angle; /**< angle in radians between each endmember of the reference and its partner */
    double mean_angle; /**< mean of `angle` over all pairs, in radians */
    double *rmse; /**< root mean square error, over the pixels, of the abundances of each pair */
    double mean_rmse; /**< mean of `rmse` over all pairs */
} ch_spectra_score;

/** Compares endmembers with a reference. They are matched one to one so that the sum of angles is
 *  smallest or, if one side has no endmembers, the sum of the root mean square errors. Both sides
 *  must have the same number of bands if both have endmembers, and of pixels if both have
 *  abundances. Pixels whose abundance is not finite on either side are left out. A zero spectrum
 *  counts as orthogonal to all others. The caller sets score->size. */
CH_API ch_status ch_spectra_compare(ch_context *context, ch_spectra_score *score,
                                    const ch_spectra_set *found, const ch_spectra_set *truth);
/** Frees the arrays of a score. NULL is allowed. */
CH_API void ch_spectra_score_free(ch_context *context, ch_spectra_score *score);

/** The noise of a scene, estimated by regression between bands, and the dimension of its signal
 *  subspace (HySime: J. Bioucas-Dias and J. Nascimento, "Hyperspectral subspace identification",
 *  IEEE TGRS 46, 2008). ch_spectra_noise_free() frees it. */
typedef struct ch_spectra_noise {
    size_t size;       /**< sizeof(ch_spectra_noise); the caller sets it */
    int64_t bands;     /**< number of bands */
    int64_t rank;      /**< number of directions with more signal than noise */
    double *deviation; /**< standard deviation of the noise of each band, in the unit of X */
    double snr;        /**< signal-to-noise ratio in decibels */
} ch_spectra_noise;

/** Estimates the noise of X and the rank. Each band is predicted from the others, and what cannot
 *  be predicted is noise. For the rank, a band is predicted without its two neighbours on either
 *  side (one below 24 bands, none below 12), because noise that neighbours share, as in resampled
 *  data, is not signal. One pass over X, O(bands^2 pixels). Negative values are allowed; values
 *  that are not finite are refused. X needs more pixels than bands. The result has the same bits
 *  for any number of threads. */
CH_API ch_status ch_spectra_estimate_noise(ch_context *context, ch_spectra_noise *noise,
                                           const ch_matrix *X);
/** Frees the arrays of a noise estimate. NULL is allowed. */
CH_API void ch_spectra_noise_free(ch_context *context, ch_spectra_noise *noise);

/** Counts the missing values of a scene, bands x pixels, in one pass. A value is missing if it is
 *  NaN or equal to *mark, rounded to the type of X; mark may be NULL. holes[j] receives the number
 *  of missing values of pixel j; if the pixel has an infinite value, it receives -1 - i, where i is
 *  the first band with one. unknown[i] receives the number of missing values of band i, counted
 *  over the pixels that have at least one known value. nonzero[i] receives 1 if band i has a known
 *  value that is not zero, else 0. The caller owns the arrays. Returns CH_STOP_CANCELLED if the
 *  progress callback cancels. */
CH_API ch_status ch_spectra_gaps(ch_context *context, int64_t *holes, int64_t *unknown,
                                 uint8_t *nonzero, const ch_matrix *X, const double *mark);

/** How spectra are averaged, band by band. */
typedef enum ch_spectra_average { CH_AVERAGE_MEDIAN = 0, CH_AVERAGE_MEAN = 1 } ch_spectra_average;

/** How ch_spectra_smooth() averages. */
typedef struct ch_spectra_smoothing {
    /** Number of columns of X, those nearest to a spectrum, that are averaged. */
    int64_t neighbours;
    /** Whether the median or the mean of the columns is taken in each band. */
    ch_spectra_average average;
} ch_spectra_smoothing;

/** Replaces each spectrum by an average of the columns of X that are nearest to its direction
 *  (after smoothed separable NMF: N. Nadisic, N. Gillis and C. Kervazo, 2021). For a = spectra[:,
 *  k], the distance of a column x is min_t |x - t a|_1 / |x|_1, which a few bad entries hardly
 *  change; ties go to the lowest column. The nearest columns are divided by their t and averaged
 *  band by band into endmembers[:, k]; negative averages become 0. spectra and endmembers are bands
 *  x count, column-major. members (neighbours x count, may be NULL) receives the indices of these
 *  columns, in increasing order. NaN marks a missing entry, which is ignored; a band that is
 *  missing in all members is copied from the spectrum. Reads X once per spectrum, and the members
 *  again. Returns CH_ERR_DATA if too few columns have a positive t. */
CH_API ch_status ch_spectra_smooth(ch_context *context, double *endmembers, int64_t *members,
                                   const ch_matrix *X, const double *spectra, int64_t count,
                                   const ch_spectra_smoothing *how);

/** Computes a size of each column of X, for instance to divide residuals by it. sizes[j] receives
 *  the sum of the values of column j, or with loss l2 their Euclidean norm. NaN values are ignored.
 *  The caller owns sizes, which has X->cols entries. The call reads X once. */
CH_API ch_status ch_spectra_sizes(ch_context *context, double *sizes, const ch_matrix *X,
                                  ch_loss loss);

/** Settings for unmixing spectra, with defaults that suit them. ch_unmix_defaults() fills them;
 *  ch_unmix_table() lists their bounds. hull, faint, negative, tol, missing and seed have the
 *  meaning of ch_anchors_settings. */
typedef struct ch_unmix_settings {
    size_t size;  /**< sizeof(ch_unmix_settings); ch_unmix_defaults() sets it */
    int64_t rank; /**< number of endmembers; 0: the number is chosen by ch_unmix_choose_rank() */
    ch_loss loss; /**< CH_LOSS_L1, CH_LOSS_L2 or CH_LOSS_KL */
    ch_hull hull; /**< constraint on the abundances of a pixel besides being non-negative */
    /** Pixels whose sum is below this share of the 99th percentile of all pixel sums never become
     *  endmembers. 0: every pixel may. */
    double faint;
    ch_negative_values negative; /**< whether negative values are clipped to 0 or refused */
    /** Number of nearest pixels whose average replaces an endmember; 0: no averaging. */
    int64_t smooth;
    ch_spectra_average average; /**< how the pixels are averaged if smooth is positive */
    double tol;   /**< maximum relative gap at which the abundances of a pixel count as proven */
    int64_t seed; /**< seed of all random choices */
    ch_missing_values missing; /**< whether NaN marks a missing value or is refused */
} ch_unmix_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_unmix_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_unmix_defaults(ch_unmix_settings *settings) {
    ch_settings_defaults(ch_unmix_table(), settings, sizeof *settings);
}
/** Translates unmixing settings: fills `anchors` with the settings of the ch_anchors() call that
 *  finds the endmembers. keep_duals is set in them, so that ch_verify() can check the result. */
CH_API ch_status ch_unmix_prepare(ch_context *context, ch_anchors_settings *anchors,
                                  const ch_unmix_settings *settings);

/** An estimate of the number of endmembers. Two rules give a number each, and the smaller one is
 *  used. The noise rule (ch_spectra_estimate_noise()) gives too many if pure spectra vary by more
 *  than the noise. The residual rule (ch_anchors() with rank 0) gives too many if single pixels are
 *  outliers. Both rules count every direction that varies by more than the noise, including
 *  variants of one material. */
typedef struct ch_unmix_rank {
    size_t size;  /**< sizeof(ch_unmix_rank); the caller sets it */
    int64_t rank; /**< the number that is used: the smaller one of both rules, at least 1 */
    /** Number of endmembers by the noise rule, which uses the pixels without missing values. -1:
     *  there are too few such pixels. */
    int64_t by_noise;
    int64_t by_residual; /**< number of endmembers by the residual rule */
    double snr; /**< signal-to-noise ratio in decibels; NaN if the noise could not be estimated */
} ch_unmix_rank;
/** Estimates the number of endmembers of X by two rules (ch_unmix_rank). The caller sets
 *  chosen->size. */
CH_API ch_status ch_unmix_choose_rank(ch_context *context, ch_unmix_rank *chosen,
                                      const ch_matrix *X, const ch_unmix_settings *settings);

/** Computes how uncertain the abundances of a result are (loss l1 only): the interval within which
 *  an abundance h_k can move, while the others are fitted again, before the loss of its pixel rises
 *  by more than the share `rise`. low and high are count x pixels like result->H, which lies
 *  between them, and belong to the caller. The smallest loss with h_k = t is a convex function of
 *  t, each of its values is one projection, and the bounds are found by bisection to 1e-4, relative
 *  to 1 or to the largest abundance. The constraint of settings->hull holds throughout. The call
 *  takes about 28 * count projections of all pixels and a copy of X. */
CH_API ch_status ch_unmix_intervals(ch_context *context, double *low, double *high,
                                    const ch_matrix *X, const ch_anchors_result *result,
                                    const ch_anchors_settings *settings, double rise);

/** How ch_unmix_stability() repeats the selection. */
typedef struct ch_unmix_halves {
    /** Number of random halves of the pixels in which endmembers are chosen again. */
    int64_t halves;
    double angle; /**< maximum angle, in radians, at which two endmembers count as the same */
} ch_unmix_halves;
/** Computes how stable the endmembers of a result are: stability[k] is the share of random halves
 *  of the pixels in which an endmember within how->angle of endmember k is chosen again. Only
 *  selections are run, no projections. */
CH_API ch_status ch_unmix_stability(ch_context *context, double *stability, const ch_matrix *X,
                                    const ch_anchors_result *result,
                                    const ch_anchors_settings *settings,
                                    const ch_unmix_halves *how);

/** A generated scene with a known answer, for tests and demonstrations: water, plants, soil, tiles
 *  and concrete in patches with soft borders, at least one pure and fully lit pixel of each,
 *  shadows, noise and spikes. The caller sets the members from size to seed. The others are
 *  outputs; ch_spectra_scene_free() frees them. Arrays are column-major. */
typedef struct ch_spectra_scene {
    size_t size;            /**< sizeof(ch_spectra_scene); the caller sets it */
    int64_t lines, samples; /**< height and width of the picture in pixels, at least 8 each */
    int64_t bands;          /**< number of bands between 400 and 1000 nm, at least 8 */
    double noise;  /**< standard deviation of the noise; reflectances are between 0 and 1 */
    double spikes; /**< share of the values, 0 to 1, to which a spike of 0.2 to 0.6 is added */
    int64_t seed;  /**< seed of all random choices; the same seed gives the same scene */
    int64_t count; /**< number of materials */
    const char *const *names; /**< name of each material */
    double *wavelengths;      /**< wavelength of each band in nm */
    double *endmembers;       /**< spectrum of each material: bands x count */
    /** Share of each material in each pixel: count x pixels. The shares of a pixel sum to at most
     *  1; the rest is shade. */
    double *abundances;
    /** The scene: bands x pixels; the pixel in a given line and sample is column line * samples +
     *  sample. */
    float *values;
} ch_spectra_scene;
/** Generates a scene from the members size to seed, which the caller sets. ch_spectra_scene_free()
 *  frees the arrays. */
CH_API ch_status ch_spectra_scene_make(ch_context *context, ch_spectra_scene *scene);
/** Frees the outputs of a scene. NULL is allowed. */
CH_API void ch_spectra_scene_free(ch_context *context, ch_spectra_scene *scene);

CH_END_DECLS
#endif
