/* Separates background from moving objects in a video, as in Section 5.3 of the paper (Kumar and
 * Sindhwani, arXiv 1312.7167).
 *
 * X is a non-negative matrix frames x pixels: row i is frame i, column j holds the values of pixel
 * j over time. All methods except the median over a window give a background W H of few factors:
 * factor k is a picture, row k of H, together with its strength in every frame, column k of W. The
 * factors take rank * (frames + pixels) numbers; frames of the background are computed from the
 * factors on request:
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

/** The method that computes the background W H. An anchor pixel is a column of X that becomes an
 *  anchor. */
typedef enum ch_separate_method {
    CH_SEPARATE_ROBUST_XRAY = 0,    /**< anchor pixels chosen in l1, then W and H fitted in l1 */
    CH_SEPARATE_XRAY_L2 = 1,        /**< anchor pixels chosen in l2, then W and H fitted in l1 */
    CH_SEPARATE_RPCA = 2,           /**< robust PCA, ch_robust_pca() */
    CH_SEPARATE_ROBUST_NMF = 3,     /**< local search over W, H >= 0, ch_robust_nmf() */
    CH_SEPARATE_ROBUST_LOWRANK = 4, /**< local search over W, H of any sign, ch_robust_lowrank() */
    CH_SEPARATE_MEDIAN = 5          /**< median of each pixel over time, ch_median_filter() */
} ch_separate_method;

/** robust-xray: which pixels become anchors. CH_CHOOSE_BROAD: the pixels whose changes over time
 *  the largest number of other pixels share. CH_CHOOSE_FARTHEST: in each step, the pixel that the
 *  factors so far explain worst, as in the paper. */
typedef enum ch_separate_choice { CH_CHOOSE_BROAD = 0, CH_CHOOSE_FARTHEST = 1 } ch_separate_choice;

/** Settings of ch_separate(). ch_separate_defaults() fills them; ch_separate_table() lists their
 *  bounds. In the comments, the xray methods are robust-xray and xray-l2. */
typedef struct ch_separate_settings {
    size_t size;               /**< sizeof(ch_separate_settings); ch_separate_defaults() sets it */
    ch_separate_method method; /**< the method that computes the background */
    int64_t rank; /**< number of factors of the background; 0: the method chooses the number */
    ch_separate_choice choose; /**< robust-xray: which pixels become anchors */
    /** robust-xray with CH_CHOOSE_BROAD: maximum number of pixels from which W is learned, spread
     *  evenly over the picture; 0: all pixels. In all other cases W is learned from all pixels. */
    int64_t learn;
    /** xray methods: number of rounds of fitting after the first H is computed. A round fits W with
     *  H fixed, and then H with W fixed, in l1. */
    int64_t refit;
    /** rpca: weight of |S|_1, where S are the moving objects, as a multiple of 1 / sqrt(max(frames,
     *  pixels)). */
    double lambda;
    /** median: the background of a frame is the median over this frame, the `radius` frames before
     *  it and the `radius` frames after it. 0: the median over all frames. */
    int64_t radius;
    /** xray methods: the fit of a pixel or frame x is accepted as optimal if its gap
     *  (docs/notation.md), relative to |x|_1, is at most tol. */
    double tol;
    /** robust-nmf, robust-lowrank: number of random starts; the best result is used. */
    int64_t restarts;
    int64_t seed; /**< seed of all random numbers; the same seed gives the same result */

    /* The table of the settings does not list the following members. The caller owns the arrays. */

    /** One byte per pixel: if it is non-zero, nothing is learned from this pixel. NULL: all pixels
     *  are used. */
    const unsigned char *ignore;
    /** Indices, from 0, of frames that are known to show moving objects. Nothing is learned from
     *  these frames. NULL: no such frames. */
    const int64_t *busy;
    int64_t busy_count; /**< number of entries of `busy` */
    /** xray methods: store for records of the progress (checkpoint.h). The call continues from the
     *  records that the store holds and adds one record per fit and block of pixels. The calls for
     *  the planes of one clip may share a store if they always come in the same order. NULL: no
     *  records are stored, and an interrupted call must start again. */
    const ch_checkpoint *checkpoint;
} ch_separate_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_separate_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_separate_defaults(ch_separate_settings *settings) {
    ch_settings_defaults(ch_separate_table(), settings, sizeof *settings);
}

/** The result of a separation. It owns its arrays; arrays that the method does not provide are
 *  NULL. ch_separation_free() frees them. In the comments, the xray methods are robust-xray and
 *  xray-l2.
 *
 *  The background of frame i at pixel j is sum_k W[i + k * frames] * H[k + j * rank]. The median
 *  over a window has no factors: rank is 0, and the background is `filtered`.
 *
 *  xray methods: W >= 0 and H >= 0. Each column of W has mean 1 over the frames from which W was
 *  learned, so each row of H is a picture in the units of X. W and H cover all frames and pixels,
 *  also those from which nothing was learned: at the end, H is fitted to all pixels. */
typedef struct ch_separation {
    size_t size;            /**< sizeof(ch_separation); the caller sets it */
    ch_status status;       /**< status that ch_separate() returned: CH_OK or a positive status */
    int64_t frames, pixels; /**< numbers of rows (frames) and columns (pixels) of X */
    int64_t rank;           /**< number of factors of the background */
    double *W; /**< how strong each factor is in each frame: frames x rank, column-major */
    double *H; /**< the pictures of the factors: rank x pixels, column-major */
    /** Method median with radius > 0: the background, frames x pixels; otherwise empty. */
    ch_matrix filtered;

    /** xray methods: indices, from 0, of the `rank` pixels that became anchors, in the order in
     *  which they were chosen. With CH_CHOOSE_BROAD the first factor is not taken from a pixel, and
     *  the first index is the pixel whose values over time are nearest to this factor. */
    int64_t *anchors;
    /** xray methods: `rank` numbers. Entry k is the largest residual of a pixel after k + 1 anchors
     *  were selected, measured as |r|_1 for robust-xray and |r|_2 for xray-l2. With CH_CHOOSE_BROAD
     *  it is measured on a sample of pixels and frames and scaled to all frames. With
     *  CH_CHOOSE_FARTHEST the last entry is NaN. */
    double *max_residual;
    /** xray methods: refits + 1 values of |X - W H|_1 over the pixels and frames from which the
     *  background was learned: the value before the first refit, then the value after each
     *  refit. */
    double *objective;
    int64_t refits; /**< xray methods: number of refits made; a refit fits W to H and then H to W */
    /** xray methods: largest gap of a pixel or frame x in the final fit, relative to |x|_1. */
    double gap;
    /** xray methods: number of projections of pixels and of frames whose gap stayed above
     *  ch_separate_settings.tol, summed over all fits. 0: all are proven. */
    int64_t unproven;
    char reason[256]; /**< why this number of factors was chosen, in words */
    /** xray methods: wall-clock seconds for choosing the anchors. Other methods: wall-clock seconds
     *  of the whole call. */
    double seconds_select;
    double seconds_project; /**< xray methods: wall-clock seconds for fitting the first H */
    double seconds_refit;   /**< xray methods: wall-clock seconds for all refits */
    int64_t sampled; /**< xray methods: number of pixels on which max_residual was measured */
} ch_separation;

/** Separates X (frames x pixels) into background and moving objects. The caller sets parts->size
 *  and later calls ch_separation_free(). A positive status leaves a usable result, with one
 *  exception: if the progress callback cancels before the first H is complete (CH_STOP_CANCELLED),
 *  rank is 0 and there is no background. Besides X and the result, rpca, robust-nmf and
 *  robust-lowrank need 8 bytes of memory per value of X. The other methods need a few numbers per
 *  pixel and per frame, and a copy of X if settings->ignore or settings->busy is set. */
CH_API ch_status ch_separate(ch_context *context, ch_separation *parts, const ch_matrix *X,
                             const ch_separate_settings *settings);

/** Separates another plane (colour channel) X of a clip after ch_separate() has separated its
 *  brightness. `luma` is the result of ch_separate(); pass the settings of that call. The xray
 *  methods use W of `luma` and fit only an H for this plane, in l1. The other methods separate the
 *  plane without using `luma`. The caller sets parts->size and later calls ch_separation_free(). */
CH_API ch_status ch_separate_plane(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const ch_separation *luma, const ch_separate_settings *settings);

/** Applies a background that was learned before to the frames of X. H, rank x X->cols,
 *  column-major and non-negative, holds the pictures of the factors. The call computes W = argmin
 *  |X - W H|_1 over W >= 0. Of the settings, tol and ignore are used, the others are not. The
 *  caller sets parts->size and later calls ch_separation_free(). */
CH_API ch_status ch_separate_apply(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const double *H, int64_t rank,
                                   const ch_separate_settings *settings);

/** Computes frames first .. first + count - 1 (from 0) of the background and writes them to
 *  `frames`, an array of the caller with count * pixels numbers, frame after frame. */
CH_API ch_status ch_separation_background(ch_context *context, float *frames,
                                          const ch_separation *parts, int64_t first, int64_t count);
/** Computes frames of the background like ch_separation_background(), but writes them as bytes:
 *  values are rounded to the nearest integer from 0 to 255. */
CH_API ch_status ch_separation_background_bytes(ch_context *context, unsigned char *frames,
                                                const ch_separation *parts, int64_t first,
                                                int64_t count);
/** Computes X minus the background for frames first .. first + count - 1 (from 0) and writes it to
 *  `frames`, an array of the caller with count * pixels numbers, frame after frame. The values may
 *  be negative. One call for many frames is faster than many calls for one frame. */
CH_API ch_status ch_separation_residual(ch_context *context, float *frames,
                                        const ch_separation *parts, const ch_matrix *X,
                                        int64_t first, int64_t count);

/** Frees the arrays of a separation. NULL is allowed. */
CH_API void ch_separation_free(ch_context *context, ch_separation *parts);

/* Ghosts: objects that stood still for most of a clip and therefore became background.
 *
 * Masks do not show such an object while it is there; when it has left, they wrongly show an object
 * in its place. ch_ghosts_remove() finds these places after a separation and changes the background
 * so that it shows the empty place (docs/masks.md):
 *
 *     ch_separate(context, &parts, &X, &set);
 *     ch_separation *planes[] = {&parts};
 *     const ch_matrix *clips[] = {&X};
 *     ch_ghosts ghosts = {.size = sizeof ghosts};
 *     ch_frame_shape shape = {width, height, 1};
 *     ch_ghosts_remove(context, &ghosts, planes, clips, &shape);
 *
 * This works with every method that has factors. The median over a window has no factors and is not
 * changed. */

/** What ch_ghosts_remove() found and changed. A place is a connected group of pixels. A ghost is an
 *  empty place that a mask marks as an object: an object stood there so long that it was learned as
 *  background, and then left. */
typedef struct ch_ghosts {
    size_t size; /**< sizeof(ch_ghosts); the caller sets it */
    /** Number of places that were examined because their appearance changes during the clip. */
    int64_t looked_at;
    int64_t removed;  /**< number of places in which the background was changed */
    int64_t pixels;   /**< number of pixels in which the background was changed */
    char reason[200]; /**< the outcome in words, for people */
} ch_ghosts;

/** Removes ghosts from the separations of the planes of one clip: where an object was learned as
 *  background, the background becomes that of the empty place. parts[p] is the separation of plane
 *  p, and X[p] its matrix of frames x pixels; shape->planes, 1 to 4, is the number of planes. The
 *  first plane (luma) decides which pixels change; in these pixels, H of every plane is multiplied
 *  by a number. The caller sets ghosts->size; ghosts may be NULL. Clips of fewer than 20 frames are
 *  not changed. The call needs 90 bytes of memory per pixel. If it returns CH_STOP_CANCELLED, some
 *  planes may have been changed and others not. */
CH_API ch_status ch_ghosts_remove(ch_context *context, ch_ghosts *ghosts,
                                  ch_separation *const *parts, const ch_matrix *const *X,
                                  const ch_frame_shape *shape);

CH_END_DECLS
#endif
