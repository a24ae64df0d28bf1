/* Separates background from moving objects in a video (paper, Section 5.3).
 *
 * X is frames x pixels, non-negative: row i is frame i, column j the time series of pixel j. All
 * methods give a background W H of few factors. It takes rank * (frames + pixels) numbers, and its
 * frames are computed on request:
 *
 *     ch_separate_settings set;
 *     ch_separate_defaults(&set);
 *     ch_separation parts = {.size = sizeof parts};
 *     if (ch_separate(context, &parts, &X, &set) < 0) puts(ch_context_message(context));
 *     for (int64_t i = 0; i < parts.frames; i += 64)
 *         ch_separation_residual(context, block, &parts, &X, i, MIN(64, parts.frames - i));
 *     ch_separation_free(context, &parts);
 *
 * The same input gives the same bits for any number of threads.
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_SEPARATE_H
#define CONEHULL_SEPARATE_H

#include <conehull/checkpoint.h>
#include <conehull/mask.h>
#include <conehull/matrix.h>
#include <conehull/settings.h>

CH_BEGIN_DECLS

/** How the background is found. */
typedef enum ch_separate_method {
    CH_SEPARATE_ROBUST_XRAY = 0,    /**< anchor pixels chosen in l1, then W and H fitted in l1 */
    CH_SEPARATE_XRAY_L2 = 1,        /**< anchor pixels chosen in l2, then W and H fitted in l1 */
    CH_SEPARATE_RPCA = 2,           /**< robust PCA, ch_robust_pca() */
    CH_SEPARATE_ROBUST_NMF = 3,     /**< local search over W, H >= 0, ch_robust_nmf() */
    CH_SEPARATE_ROBUST_LOWRANK = 4, /**< local search over W, H of any sign, ch_robust_lowrank() */
    CH_SEPARATE_MEDIAN = 5          /**< median of each pixel over time, ch_median_filter() */
} ch_separate_method;

/** robust-xray: which pixels become anchors. BROAD: the pixels whose changes over time are shared
 *  by the most other pixels. FARTHEST: in each step the pixel that the background so far explains
 *  worst, as in the paper. */
typedef enum ch_separate_choice { CH_CHOOSE_BROAD = 0, CH_CHOOSE_FARTHEST = 1 } ch_separate_choice;

/** Settings of a separation. ch_separate_defaults() fills them; ch_separate_table() lists their
 *  bounds. The xray methods are robust-xray and xray-l2. */
typedef struct ch_separate_settings {
    size_t size;               /**< sizeof(ch_separate_settings); ch_separate_defaults() sets it */
    ch_separate_method method; /**< how the background is found */
    int64_t rank;              /**< number of background factors; 0: chosen from the data */
    ch_separate_choice choose; /**< robust-xray: which pixels become anchors */
    /** robust-xray with CH_CHOOSE_BROAD: maximum number of pixels, spread evenly, from which W is
     *  learned; 0: all pixels. Other methods ignore it and use all pixels. */
    int64_t learn;
    /** xray methods: number of rounds that fit W and then H again, after the first H. */
    int64_t refit;
    /** rpca: weight of the moving objects |S|_1, in units of 1 / sqrt(max(frames, pixels)). */
    double lambda;
    /** median: the window has this many frames on each side; 0: the window is all frames. */
    int64_t radius;
    /** xray methods: maximum gap of the fit of a pixel or frame x, relative to |x|_1. */
    double tol;
    /** robust-nmf, robust-lowrank: number of random starts (ch_factor_settings). */
    int64_t restarts;
    int64_t seed; /**< seed of all random choices */

    /* The table of the settings does not list the following members. The caller owns the arrays. */

    /** One byte per pixel: nothing is learned from a pixel whose byte is non-zero. NULL: all pixels
     *  are used. */
    const unsigned char *ignore;
    /** Indices, from 0, of frames that are known to show objects. Nothing is learned from these
     *  frames. NULL: none. */
    const int64_t *busy;
    int64_t busy_count; /**< length of busy */
    /** xray methods: store of records (checkpoint.h). The call resumes from the records in the
     *  store and adds one per fit and block of pixels. Planes of a clip may share one store if the
     *  calls always come in the same order. NULL: the call cannot be resumed. */
    const ch_checkpoint *checkpoint;
} ch_separate_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_separate_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_separate_defaults(ch_separate_settings *settings) {
    ch_settings_defaults(ch_separate_table(), settings, sizeof *settings);
}

/** The result of a separation. It owns its arrays; those that a method does not provide are NULL.
 *
 *  The background of frame i at pixel j is sum_k W[i + k * frames] * H[k + j * rank]. The median
 *  over a window has no factors: rank is 0, and the background is `filtered`.
 *
 *  xray methods: W >= 0, H >= 0. The columns of W have mean 1 over the frames that were learned
 *  from, so each row of H is a picture in the units of X. W and H cover all frames and pixels, also
 *  those that were left out of learning: the last H is fitted to all pixels for the last W. */
typedef struct ch_separation {
    size_t size;            /**< sizeof(ch_separation); the caller sets it */
    ch_status status;       /**< what ch_separate() returned: CH_OK or a positive status */
    int64_t frames, pixels; /**< numbers of rows (frames) and columns (pixels) of X */
    int64_t rank;           /**< number of background factors */
    double *W; /**< weights of the factors in each frame: frames x rank, column-major */
    double *H; /**< the background factors: rank x pixels, column-major */
    /** Method median with a window: the background, frames x pixels; otherwise empty. */
    ch_matrix filtered;

    /** xray methods: indices, from 0, of the `rank` pixels that became anchors, in the order in
     *  which they were chosen. With CH_CHOOSE_BROAD the first factor starts as a constant, and the
     *  first anchor is the pixel whose values over time are nearest to the first factor. */
    int64_t *anchors;
    /** xray methods: `rank` numbers. Entry k is the largest residual of a pixel, |r|_1 (xray-l2:
     *  |r|_2), when k + 1 anchors were known. With CH_CHOOSE_BROAD it is measured on a sample of
     *  pixels and frames and scaled to all frames. With CH_CHOOSE_FARTHEST the last entry is
     *  NaN. */
    double *max_residual;
    /** xray methods: refits + 1 values of |X - W H|_1 over the pixels and frames that were learned
     *  from. The first value belongs to the first W; one more follows after each refit. */
    double *objective;
    int64_t refits; /**< number of refits made: rounds that fit W and then H again */
    double gap; /**< largest gap of a pixel or frame x in the final W and H, relative to |x|_1 */
    int64_t unproven; /**< number of pixels and frames, in all fits, whose gap stayed above tol */
    char reason[256]; /**< why this rank was chosen, in words */
    /** xray methods: wall-clock seconds of choosing anchors. Other methods: wall-clock seconds of
     *  the whole call. */
    double seconds_select;
    double seconds_project; /**< xray methods: wall-clock seconds of fitting the first H */
    double seconds_refit;   /**< xray methods: wall-clock seconds of all refits */
    int64_t sampled;        /**< number of pixels on which max_residual was measured */
} ch_separation;

/** Separates X into background and moving objects. The caller sets parts->size and later calls
 *  ch_separation_free(). A positive status leaves a usable result, with one exception: if the
 *  progress callback cancels before the first H is complete (CH_STOP_CANCELLED), rank is 0 and
 *  there is no background. Besides X and the result, rpca, robust-nmf and robust-lowrank need 8
 *  bytes of memory per value of X. The other methods need a few numbers per pixel and frame, and a
 *  copy of X if pixels are ignored or frames are busy. */
CH_API ch_status ch_separate(ch_context *context, ch_separation *parts, const ch_matrix *X,
                             const ch_separate_settings *settings);

/** Separates another plane (colour channel) of a clip whose brightness, luma, has been separated
 *  already, with the same settings. The xray methods fit an H of this plane to the W of luma, in
 *  l1; the other methods separate the plane by itself. */
CH_API ch_status ch_separate_plane(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const ch_separation *luma, const ch_separate_settings *settings);

/** Applies a background that was learned before, H (rank x X->cols, column-major, >= 0), to the
 *  frames of X: computes W = argmin |X - W H|_1 over W >= 0. Only tol and ignore of the settings
 *  are used. */
CH_API ch_status ch_separate_apply(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const double *H, int64_t rank,
                                   const ch_separate_settings *settings);

/** Writes frames first .. first + count - 1 of the background to `frames`: count * pixels numbers,
 *  frame after frame. The caller owns the array. */
CH_API ch_status ch_separation_background(ch_context *context, float *frames,
                                          const ch_separation *parts, int64_t first, int64_t count);
/** Writes frames first .. first + count - 1 of the background to `frames` like
 *  ch_separation_background(), but rounded to the nearest byte, 0 to 255. The caller owns the
 *  array. */
CH_API ch_status ch_separation_background_bytes(ch_context *context, unsigned char *frames,
                                                const ch_separation *parts, int64_t first,
                                                int64_t count);
/** Writes X minus the background, which may be negative, for frames first .. first + count - 1 to
 *  `frames`: count * pixels numbers, frame after frame. The caller owns the array. One call for
 *  many frames is faster than many calls for one. */
CH_API ch_status ch_separation_residual(ch_context *context, float *frames,
                                        const ch_separation *parts, const ch_matrix *X,
                                        int64_t first, int64_t count);

/** Frees the arrays of a separation. NULL is allowed. */
CH_API void ch_separation_free(ch_context *context, ch_separation *parts);

/* Ghosts: objects that stood still for most of a clip and therefore became background.
 *
 * Masks miss such an object while it is there, and show one when its place is empty.
 * ch_ghosts_remove() finds such places after a separation and puts the empty place into the
 * background (docs/masks.md):
 *
 *     ch_separate(context, &parts, &X, &set);
 *     ch_separation *planes[] = {&parts};
 *     const ch_matrix *clips[] = {&X};
 *     ch_ghosts ghosts = {.size = sizeof ghosts};
 *     ch_frame_shape shape = {width, height, 1};
 *     ch_ghosts_remove(context, &ghosts, planes, clips, &shape);
 *
 * This works with every method that has factors. The median over a window has none and is not
 * changed. */

/** What ch_ghosts_remove() found and changed. A place is a connected group of pixels. */
typedef struct ch_ghosts {
    size_t size; /**< sizeof(ch_ghosts); the caller sets it */
    /** Number of places that were examined, because their appearance changes during the clip. */
    int64_t looked_at;
    int64_t removed;  /**< number of places in which the background was changed */
    int64_t pixels;   /**< number of pixels in which the background was changed */
    char reason[200]; /**< the outcome in words */
} ch_ghosts;

/** Removes ghosts (objects that became background because they stood still) from the separations of
 *  1 to 4 planes of a clip; shape->planes is their number. In each pixel concerned, H is multiplied
 *  by a number. The first plane (luma) decides which pixels are changed; H of all planes changes.
 *  ghosts may be NULL. Clips of fewer than 20 frames are not changed. The call takes 90 bytes of
 *  memory per pixel. If it returns CH_STOP_CANCELLED, only the first planes may have been
 *  changed. */
CH_API ch_status ch_ghosts_remove(ch_context *context, ch_ghosts *ghosts,
                                  ch_separation *const *parts, const ch_matrix *const *X,
                                  const ch_frame_shape *shape);

CH_END_DECLS
#endif
