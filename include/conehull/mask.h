/* Masks of moving objects from a clip and its background: score, threshold, clean-up, overlay,
 * activity.
 *
 * Frames are width * height pixels, row by row; the planes of a colour clip are separate arrays.
 * Simple use, in two passes over the clip, any number of frames at a time:
 *
 *     ch_mask_settings set;
 *     ch_mask_defaults(&set);
 *     ch_frame_shape shape = {width, height, planes};
 *     ch_masker *masker;
 *     ch_masker_create(context, &masker, &shape, &set);
 *     while (next_block(clip, &count)) ch_masker_learn(masker, clip, count); // noise of each pixel
 *     ch_mask_info info;
 *     ch_masker_settle(masker, &info);                               // the threshold, and why
 *     while (next_block(clip, &count)) ch_masker_apply(masker, masks, scores, clip, count);
 *     ch_masker_destroy(masker);
 *
 * A mask byte is 255 (foreground) or 0. The same input gives the same bits for any number of
 * threads and any size of the blocks. Memory: see ch_masker_create().
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_MASK_H
#define CONEHULL_MASK_H

#include <conehull/settings.h>

CH_BEGIN_DECLS

/** Frames are width * height pixels, row by row from the top left; the planes of a colour frame are
 *  separate arrays. */
typedef struct ch_frame_shape {
    int64_t width, height;
    int planes; /**< 1: gray, 3: colours; functions that look at one plane ignore it           */
} ch_frame_shape;

/** The score of a pixel, for ROC curves and the soft residual. */
typedef enum ch_mask_score {
    CH_MASK_SCORE_RESIDUAL = 0, /**< |pixel - background|, largest of the planes                */
    /** The quantity compared with the threshold: the log of the ratio of pixel and background,
     *  averaged over neighbours, reduced for shadows; in units of a gray level on mid gray. */
    CH_MASK_SCORE_DECISION = 1
} ch_mask_score;

/** Described, with defaults and bounds, by ch_mask_table(). */
typedef struct ch_mask_settings {
    size_t size;      /**< sizeof(ch_mask_settings); ch_mask_defaults() sets it */
    double threshold; /**< a decision score >= it is foreground; 0: from the noise              */
    double noises;    /**< the automatic threshold in units of the noise                        */
    int64_t smooth;   /**< radius of the averaging of the score, pixels; 0: none                */
    double shadow;    /**< factor of the score of pixels that look like a shadow                */
    double low;       /**< hysteresis: share of the threshold that suffices where a pixel is
                           connected to foreground; 1: none                                     */
    int64_t median;   /**< radius of the median filter of the mask, pixels; 0: none             */
    int64_t close;    /**< radius of the closing of the mask, pixels; 0: none                   */
    double least;     /**< objects of fewer pixels are dropped, in 1/1000 of the frame          */
    double holes;     /**< holes of no more pixels are filled, in 1/1000 of the frame           */
    ch_mask_score score;

    /* Not in the table. */
    int halves; /**< of 3 planes, brightness is the first, and red and blue follow at half the width
                     and half the height (both even), as a file of YUV 4:2:0 has colour        */
} ch_mask_settings;

CH_API const ch_settings_table *ch_mask_table(void);
static inline void ch_mask_defaults(ch_mask_settings *settings) {
    ch_settings_defaults(ch_mask_table(), settings, sizeof *settings);
}

/** One plane of some frames: frame i of the block at pixels + i * stride and background + i *
 *  width * height. */
typedef struct ch_mask_plane {
    const uint8_t *pixels;
    int64_t stride; /**< from one frame to the next: the stride of a frames x pixels matrix       */
    const float *background;
} ch_mask_plane;

typedef struct ch_masker ch_masker;

/** Bits of ch_mask_info.warnings. */
enum {
    CH_MASK_WARNINGS = 6,     /**< number of bits: 1 << 0 to 1 << 5                               */
    CH_MASK_WARN_NOISE = 1,   /**< the distance from the background is too large to be noise; the
                                   camera's own noise was used instead                          */
    CH_MASK_WARN_BOUND = 2,   /**< ... and it is so large that the threshold is at its bound    */
    CH_MASK_WARN_COVERED = 4, /**< in most frames most of the picture is off the background     */
    CH_MASK_WARN_MOVING = 8,  /**< most of the picture changes all the time                     */
    CH_MASK_WARN_SHORT = 16,  /**< learned from fewer than 20 frames                            */
    CH_MASK_WARN_PATTERN = 32 /**< changes of the background hide its pattern: they are not light */
};
/** The sentence of one of these bits; NULL for any other number. */
CH_API const char *ch_mask_warning(int warning);

/** Noise and threshold of a masker. */
typedef struct ch_mask_info {
    size_t size;      /**< sizeof(ch_mask_info); the caller sets it */
    double noise;     /**< of a typical background pixel, in the unit of the scores             */
    double threshold; /**< for the scores of CH_MASK_SCORE_DECISION                             */
    char reason[200]; /**< "noise 2.1 gray levels, threshold 6 x = 12.6"                       */
    double camera_noise; /**< from differences of frames and neighbours only; 0: unknown        */
    int warnings;        /**< CH_MASK_WARN_NOISE, ...; 0: nothing                               */
} ch_mask_info;

/** A masker for frames of 1 to 4 planes. Memory: about 150 bytes a pixel, plus some frames per
 * thread, whatever the number of frames. */
CH_API ch_status ch_masker_create(ch_context *context, ch_masker **masker,
                                  const ch_frame_shape *shape, const ch_mask_settings *settings);
CH_API void ch_masker_destroy(ch_masker *masker);

/** Sets the pixels to watch. Where region is 0, masks are 0 and pixels do not influence the
 *  threshold. The region is copied; NULL means all pixels. */
CH_API ch_status ch_masker_set_region(ch_masker *masker, const uint8_t *region);

/** Learns from the next count frames of the clip; evenly spaced ones are stored. planes has as many
 *  entries as the masker has planes. */
CH_API ch_status ch_masker_learn(ch_masker *masker, const ch_mask_plane *planes, int64_t count);
/** Call this before learning from a sample of a clip in which only the second and third frame, the
 *  fourth and fifth, and so on are neighbours in time. */
CH_API void ch_masker_learn_pairs(ch_masker *masker);
/** Computes the noise of every pixel and the threshold. info may be NULL. */
CH_API ch_status ch_masker_settle(ch_masker *masker, ch_mask_info *info);

/** For saved models: ch_masker_noise() returns the noise of every pixel, at least the typical one
 *  (width * height numbers that belong to the masker); ch_masker_settle_with() sets it in a new
 *  masker instead of learning. */
CH_API const float *ch_masker_noise(const ch_masker *masker);
CH_API ch_status ch_masker_settle_with(ch_masker *masker, ch_mask_info *info, const float *noise);

/** Computes masks and scores of count frames, width * height each; either may be NULL. */
CH_API ch_status ch_masker_apply(ch_masker *masker, uint8_t *masks, float *scores,
                                 const ch_mask_plane *planes, int64_t count);

/** A corner of a polygon, in pixels: pixel (x, y) covers [x, x + 1) x [y, y + 1). */
typedef struct ch_polygon_corner {
    double x, y;
} ch_polygon_corner;

/** Sets region[] to 255 where the centre of a pixel lies inside the polygon (even-odd rule) and
 *  leaves it unchanged elsewhere, so that polygons can be combined. Start from zeros. */
CH_API ch_status ch_region_add_polygon(ch_context *context, uint8_t *region,
                                       const ch_frame_shape *shape,
                                       const ch_polygon_corner *corners, int64_t count);

/** The outline of a mask: `thickness` pixels wide, in a colour R G B. */
typedef struct ch_mask_outline {
    int64_t thickness;
    uint8_t colour[3];
} ch_mask_outline;

/** Outlines the mask on a picture: rgb, 3 bytes a pixel, gets the pixels of the picture (1 plane:
 *  gray, 3: colours) with the outer rim of the mask. */
CH_API ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                                 const uint8_t *mask, const ch_frame_shape *shape,
                                 const ch_mask_outline *outline);

/** The same in place, on planes Y, U and V of 4:2:0, one after the other (even sides); the colour
 * is one of Y, U and V. */
CH_API ch_status ch_mask_overlay_yuv(ch_context *context, uint8_t *yuv, const uint8_t *mask,
                                     const ch_frame_shape *shape, const ch_mask_outline *outline);

/** An object: a connected part of a mask (corners count as neighbours), in its box [left, right) x
 *  [top, bottom). */
typedef struct ch_mask_object {
    int64_t left, top, right, bottom, area;
    double x, y; /**< centre of gravity                                                        */
} ch_mask_object;

/** The activity in one mask. */
typedef struct ch_activity {
    int64_t foreground; /**< pixels                                                   */
    double share;       /**< of the watched pixels                                    */
    int64_t objects;    /**< number of connected objects                              */
    int64_t left, top, right, bottom; /**< box of all foreground; zeros if there is none         */
} ch_activity;

/** Counts and boxes of one mask. objects[0 .. min(count, most)) are the largest, largest first
 *  (ties: the upper, then the left one); objects may be NULL with most 0. region may be NULL. */
CH_API ch_status ch_mask_activity(ch_context *context, ch_activity *activity,
                                  ch_mask_object *objects, int64_t most, const uint8_t *mask,
                                  const uint8_t *region, const ch_frame_shape *shape);

/** A run of frames with foreground. */
typedef struct ch_activity_run {
    int64_t first, last; /**< frames, both included                                            */
    int64_t peak;        /**< the frame with the most foreground (the first of them)           */
    double share;        /**< of that frame                                                    */
} ch_activity_run;

/** Finds runs of frames whose share is > 0 and >= least, closing gaps of up to `gap` frames.
 *  Returns their number and writes the first `most` of them. */
CH_API int64_t ch_activity_runs(ch_activity_run *runs, int64_t most, const ch_activity *frames,
                                int64_t count, double least, int64_t gap);

/* ---- events: stretches of time with movement ---- */

/** What counts as an event. Described, with defaults and bounds, by ch_event_table(). */
typedef struct ch_event_settings {
    size_t size;   /**< sizeof(ch_event_settings); ch_event_defaults() sets it                   */
    double length; /**< minimum seconds with movement                                            */
    double gap;    /**< maximum seconds without movement inside an event                         */
    double margin; /**< seconds added before and after the movement; events whose margins meet
                        are merged                                                               */
    double share;  /**< minimum share of moving pixels in a frame; 0: any                        */
} ch_event_settings;

CH_API const ch_settings_table *ch_event_table(void);
static inline void ch_event_defaults(ch_event_settings *settings) {
    ch_settings_defaults(ch_event_table(), settings, sizeof *settings);
}

/** An event. Times are seconds of the recording; frames are numbered in it. A frame lasts until the
 *  next one. */
typedef struct ch_event {
    size_t size;         /**< sizeof(ch_event); the caller sets it                             */
    double start, end;   /**< margins included, as far as frames were seen                     */
    double from, to;     /**< of the movement itself: [from, to)                               */
    double moving;       /**< of these, seconds in which something moves                       */
    int64_t first, last; /**< the first and the last frame that moves                          */
    int64_t frames;      /**< frames that move                                                 */
    int64_t peak;        /**< the frame with the most movement (the first of them) ...         */
    double peak_time, share; /**< ... its time, and the share of its pixels                    */
    int64_t objects;         /**< the most in one frame                                        */
} ch_event;

/** Finds events in a sequence of frames, in fixed memory. */
typedef struct ch_event_finder ch_event_finder;
CH_API ch_status ch_event_finder_create(ch_context *context, ch_event_finder **finder,
                                        const ch_event_settings *settings);
/** Adds a frame. If an event has ended, sets *found to 1 and writes it; at most one ends per frame.
 *  Returns CH_ERR_ARGUMENT unless times increase. */
CH_API ch_status ch_event_finder_add(ch_event_finder *finder, ch_event *event, int *found,
                                     const ch_activity *activity, int64_t index, double time);
/** Ends the sequence; the last frame lasted until `end`. Writes the event under way, if any. */
CH_API ch_status ch_event_finder_finish(ch_event_finder *finder, ch_event *event, int *found,
                                        double end);
CH_API void ch_event_finder_destroy(ch_event_finder *finder);

CH_END_DECLS
#endif
