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

typedef enum ch_separate_method {
    CH_SEPARATE_ROBUST_XRAY = 0,    /**< anchors in l1, refitted in l1                          */
    CH_SEPARATE_XRAY_L2 = 1,        /**< anchors in l2, refitted in l1                          */
    CH_SEPARATE_RPCA = 2,           /**< ch_robust_pca()                                        */
    CH_SEPARATE_ROBUST_NMF = 3,     /**< ch_robust_nmf()                                        */
    CH_SEPARATE_ROBUST_LOWRANK = 4, /**< ch_robust_lowrank()                                    */
    CH_SEPARATE_MEDIAN = 5          /**< ch_median_filter()                                     */
} ch_separate_method;

typedef enum ch_separate_choice { CH_CHOOSE_BROAD = 0, CH_CHOOSE_FARTHEST = 1 } ch_separate_choice;

/** Described, with defaults and bounds, by ch_separate_table(). */
typedef struct ch_separate_settings {
    size_t size; /**< sizeof(ch_separate_settings); ch_separate_defaults() sets it */
    ch_separate_method method;
    int64_t rank; /**< factors of the background; 0: chosen from the data                   */
    ch_separate_choice choose; /**< how robust-xray chooses anchors */
    int64_t learn;    /**< maximum number of pixels, evenly spread, from which W is learned; 0: all.
                           Ignored by farthest and xray-l2, which use all pixels                */
    int64_t refit;    /**< xray methods: rounds of "W, then H" after the first H                */
    double lambda;    /**< rpca: in units of 1 / sqrt(max(frames, pixels))                      */
    int64_t radius;   /**< median: frames to each side of the window; 0: all frames             */
    double tol;       /**< xray methods: gap of a projection relative to |x|_1                  */
    int64_t restarts; /**< robust-nmf, robust-lowrank: random starts                            */
    int64_t seed;

    /* Not in the table. */
    const unsigned char *ignore; /**< pixels: non-zero where nothing is learned; or NULL        */
    const int64_t *busy;         /**< frames known to hold foreground: not learned from         */
    int64_t busy_count;
    const ch_checkpoint *checkpoint; /**< xray methods: resumes from its records and adds to them,
                                          per fit and block of pixels; or NULL. The planes of a
                                          clip may share one, in the order of the calls           */
} ch_separate_settings;

CH_API const ch_settings_table *ch_separate_table(void);
static inline void ch_separate_defaults(ch_separate_settings *settings) {
    ch_settings_defaults(ch_separate_table(), settings, sizeof *settings);
}

/** A separation. It owns its arrays; those that a method does not provide are NULL.
 *
 *  Background of frame i at pixel j: sum_k W[i + k * frames] * H[k + j * rank]; for the median over
 *  a window, `filtered` instead, and rank is 0.
 *
 *  xray methods: W >= 0, H >= 0, the columns of W have mean 1 over the frames that were learned
 *  from, so rows of H are pictures in the units of X. H and W also cover the pixels and frames that
 *  were left out of learning: the last H is fitted to all pixels for the last W. */
typedef struct ch_separation {
    size_t size;      /**< sizeof(ch_separation); the caller sets it */
    ch_status status; /**< CH_OK or a positive status                                           */
    int64_t frames, pixels, rank;
    double *W;          /**< frames x rank, column-major                                        */
    double *H;          /**< rank x pixels, column-major: the numbers of a pixel side by side   */
    ch_matrix filtered; /**< frames x pixels; empty for all but the median over a window        */

    int64_t *anchors;      /**< rank pixels, in the order in which they were chosen; broad: the
                                first is the pixel nearest to a steady one                      */
    double *max_residual;  /**< rank: largest |r|_1 (xray-l2: |r|_2) of a pixel when so many
                                anchors stood; broad: of a sample of pixels and frames, in the
                                scale of all frames; farthest: the last one is NaN              */
    double *objective;     /**< refits + 1: |X - W H|_1 over what was learned from, with the W
                                that choosing ended with, then after each refit                 */
    int64_t refits;        /**< number of refits made                                           */
    double gap;            /**< largest gap of a pixel or frame in the last steps that computed W
                                and H, relative to |x|_1 */
    int64_t unproven;      /**< pixels and frames of all steps whose gap stayed above tol       */
    char reason[256];      /**< why this rank, in words                                         */
    double seconds_select; /**< other methods: all of it                                        */
    double seconds_project, seconds_refit;
    int64_t sampled; /**< pixels that max_residual is of                                        */
} ch_separation;

/** Separates X. Positive statuses leave a usable result, except that CH_STOP_CANCELLED before the
 *  first H was complete leaves rank 0 and no background. Memory besides X and the result: rpca,
 *  robust-nmf and robust-lowrank 8 bytes per value of X; the others a few numbers per pixel and
 *  frame, and a copy of X where pixels are ignored or frames left out. */
CH_API ch_status ch_separate(ch_context *context, ch_separation *parts, const ch_matrix *X,
                             const ch_separate_settings *settings);

/** Separates another plane (a colour) of the same clip. xray methods fit H of the plane to the W of
 *  luma, in l1; other methods separate the plane by itself. The settings are those of luma. */
CH_API ch_status ch_separate_plane(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const ch_separation *luma, const ch_separate_settings *settings);

/** Applies a background H (rank x X->cols, column-major, >= 0) that was learned before to the
 *  frames of X: W = argmin |X - W H|_1, W >= 0. Uses tol and ignore of the settings. */
CH_API ch_status ch_separate_apply(ch_context *context, ch_separation *parts, const ch_matrix *X,
                                   const double *H, int64_t rank,
                                   const ch_separate_settings *settings);

/** Frames [first, first + count) of the background, frame after frame, count * pixels numbers. */
CH_API ch_status ch_separation_background(ch_context *context, float *frames,
                                          const ch_separation *parts, int64_t first, int64_t count);
/** Rounded to the nearest byte, 0 to 255. */
CH_API ch_status ch_separation_background_bytes(ch_context *context, unsigned char *frames,
                                                const ch_separation *parts, int64_t first,
                                                int64_t count);
/** X minus the background, with its sign, in the same order. Many frames per call are cheaper. */
CH_API ch_status ch_separation_residual(ch_context *context, float *frames,
                                        const ch_separation *parts, const ch_matrix *X,
                                        int64_t first, int64_t count);

CH_API void ch_separation_free(ch_context *context, ch_separation *parts);

/* Ghosts: objects that stood still for most of a clip and therefore became background.
 *
 * Masks miss such an object while it is there, and report one when its place is empty. This finds
 * such places after a separation and puts the empty place into the background:
 *
 *     ch_separate(context, &parts, &X, &set);
 *     ch_separation *planes[] = {&parts};
 *     const ch_matrix *clips[] = {&X};
 *     ch_ghosts ghosts = {.size = sizeof ghosts};
 *     ch_frame_shape shape = {width, height, 1};
 *     ch_ghosts_remove(context, &ghosts, planes, clips, &shape);
 *
 * Works with every method that has factors. The median over a window has none and is unchanged. */

/** What was found and changed. */
typedef struct ch_ghosts {
    size_t size;       /**< sizeof(ch_ghosts); the caller sets it */
    int64_t looked_at; /**< places whose appearance changes                                     */
    int64_t removed;   /**< of these, places where the background was changed                   */
    int64_t pixels;    /**< in the places that were changed                                     */
    char reason[200];  /**< in words                                                            */
} ch_ghosts;

/** Removes ghosts from separations of a clip: H of the pixels concerned is multiplied by a number.
 *  The first plane decides where (luma), all planes are changed: 1 to 4 of them. ghosts may
 *  be NULL. Clips of fewer than 20 frames are left unchanged. Memory: 90 bytes a pixel.
 *  CH_STOP_CANCELLED leaves the first planes changed and the others not. */
CH_API ch_status ch_ghosts_remove(ch_context *context, ch_ghosts *ghosts,
                                  ch_separation *const *parts, const ch_matrix *const *X,
                                  const ch_frame_shape *shape);

CH_END_DECLS
#endif
