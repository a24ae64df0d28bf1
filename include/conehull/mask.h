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

/** The shape of a frame: width * height pixels, row by row from the top left. The planes (channels)
 *  of a colour frame are separate arrays. */
typedef struct ch_frame_shape {
    int64_t width, height; /**< size of the frame in pixels */
    /** Number of planes, 1 (gray) or 3 (colour); functions for a single plane ignore it. */
    int planes;
} ch_frame_shape;

/** Which score of each pixel is returned, for ROC curves and soft masks. The choice does not change
 *  the masks. */
typedef enum ch_mask_score {
    CH_MASK_SCORE_RESIDUAL = 0, /**< |pixel - background|, the largest of the planes */
    /** The quantity that is compared with the threshold: |log of pixel / background|, averaged over
     *  neighbours, smaller where the pixel looks like a shadow. It is scaled so that near mid gray
     *  its unit is one gray level. */
    CH_MASK_SCORE_DECISION = 1
} ch_mask_score;

/** Settings of masks. ch_mask_defaults() fills them; ch_mask_table() lists their bounds. */
typedef struct ch_mask_settings {
    size_t size; /**< sizeof(ch_mask_settings); ch_mask_defaults() sets it */
    /** Pixels whose decision score (CH_MASK_SCORE_DECISION) is at least this are foreground. 0: the
     *  threshold is found automatically. */
    double threshold;
    /** The automatic threshold is this number times the standard deviation of the noise. */
    double noises;
    /** Radius in pixels of the square over which scores are averaged; 0: no averaging. */
    int64_t smooth;
    /** Factor, 0 to 1, by which the score of pixels that look like a shadow is multiplied. */
    double shadow;
    /** Hysteresis: a pixel that is connected to foreground needs only this share of the threshold;
     *  1: no hysteresis. */
    double low;
    /** Radius in pixels of the median filter that is applied to the mask; 0: no filter. */
    int64_t median;
    /** Radius in pixels of the morphological closing that is applied to the mask; 0: none. */
    int64_t close;
    /** Minimum size of an object in the mask, in 1/1000 of the pixels of a frame. Smaller objects
     *  are removed. */
    double least;
    /** Maximum size of a hole in an object that is filled, in 1/1000 of the pixels of a frame. */
    double holes;
    ch_mask_score score; /**< which score ch_masker_apply() returns */

    /* The table of the settings does not list the following member. */

    /** 1: the three planes are those of YUV 4:2:0: the first is brightness at full size, and the
     *  two colour planes have half the width and half the height (both even). 0: all planes have
     *  the full size. */
    int halves;
} ch_mask_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_mask_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_mask_defaults(ch_mask_settings *settings) {
    ch_settings_defaults(ch_mask_table(), settings, sizeof *settings);
}

/** One plane of a block of frames, and the background of each frame. */
typedef struct ch_mask_plane {
    /** The pixels; those of frame i of the block begin at pixels + i * stride. */
    const uint8_t *pixels;
    int64_t stride; /**< bytes from one frame to the next, at least width * height */
    /** The background; that of frame i begins at background + i * width * height. */
    const float *background;
} ch_mask_plane;

/** Computes masks; opaque, made by ch_masker_create(). */
typedef struct ch_masker ch_masker;

/** Bits of ch_mask_info.warnings: signs that the masks may be wrong. */
enum {
    CH_MASK_WARNINGS = 6, /**< number of warnings; their bits are 1 << 0 to 1 << 5 */
    /** The distance of pixels from the background is too large to be noise. The threshold was
     *  computed from the camera's own noise instead. */
    CH_MASK_WARN_NOISE = 1,
    /** The picture is so noisy that the threshold is at or near its upper limit; masks may contain
     *  noise. */
    CH_MASK_WARN_BOUND = 2,
    CH_MASK_WARN_COVERED = 4, /**< most of the picture differs from the background in most frames */
    CH_MASK_WARN_MOVING = 8,  /**< most of the picture changes all the time */
    CH_MASK_WARN_SHORT = 16,  /**< fewer than 20 frames were learned from */
    /** The background of some pixels changes over time in a way that hides the texture of the
     *  scene. A change of light does not do that, so an object may have become part of the
     *  background. */
    CH_MASK_WARN_PATTERN = 32
};
/** Returns the sentence that explains one bit of ch_mask_info.warnings, such as CH_MASK_WARN_NOISE;
 *  NULL for any other number. */
CH_API const char *ch_mask_warning(int warning);

/** Noise and threshold of a masker, in gray levels near mid gray (the unit of
 *  CH_MASK_SCORE_DECISION). */
typedef struct ch_mask_info {
    size_t size;      /**< sizeof(ch_mask_info); the caller sets it */
    double noise;     /**< standard deviation of the noise of a typical background pixel */
    double threshold; /**< pixels whose decision score is at least this are foreground */
    /** How the threshold was found, in words, such as "noise 2.1 gray levels, threshold 6 x =
     *  12.6". */
    char reason[200];
    /** Noise of the camera, estimated from differences of consecutive frames and neighbouring
     *  pixels, without the background. 0: unknown. */
    double camera_noise;
    int warnings; /**< sum of CH_MASK_WARN_NOISE, ...; 0: no warning */
} ch_mask_info;

/** Creates a masker for frames of 1 to 4 planes; ch_masker_destroy() frees it. Memory: about 150
 *  bytes per pixel, plus some frames per thread, for any number of frames. */
CH_API ch_status ch_masker_create(ch_context *context, ch_masker **masker,
                                  const ch_frame_shape *shape, const ch_mask_settings *settings);
/** Frees a masker. NULL is allowed. */
CH_API void ch_masker_destroy(ch_masker *masker);

/** Sets which pixels are watched. Where region (width * height bytes) is 0, masks are 0 and pixels
 *  do not influence the threshold. The region is copied; NULL means that all pixels are watched. */
CH_API ch_status ch_masker_set_region(ch_masker *masker, const uint8_t *region);

/** Learns the noise from the next `count` frames of the clip. A number of evenly spaced frames is
 *  stored. `planes` has one entry per plane of the masker. */
CH_API ch_status ch_masker_learn(ch_masker *masker, const ch_mask_plane *planes, int64_t count);
/** Must be called before ch_masker_learn() if the frames are a sample of a clip in which only
 *  frames 2 and 3, 4 and 5, and so on (counted from 1) are neighbours in time. The camera's noise
 *  is then measured on these pairs only. */
CH_API void ch_masker_learn_pairs(ch_masker *masker);
/** Computes the noise of every pixel and the threshold from all frames that were learned. After
 *  that ch_masker_apply() can compute masks. info may be NULL. */
CH_API ch_status ch_masker_settle(ch_masker *masker, ch_mask_info *info);

/** Returns the noise of every pixel, width * height numbers that belong to the masker. No number is
 *  below the noise of a typical pixel. A program can save these numbers and later pass them to
 *  ch_masker_settle_with(). */
CH_API const float *ch_masker_noise(const ch_masker *masker);
/** Computes the threshold like ch_masker_settle(), but from a given noise of every pixel (width *
 *  height numbers that ch_masker_noise() returned) instead of learned frames. */
CH_API ch_status ch_masker_settle_with(ch_masker *masker, ch_mask_info *info, const float *noise);

/** Computes masks (255 or 0) and scores of `count` frames, width * height values per frame. masks
 *  and scores belong to the caller; either may be NULL. */
CH_API ch_status ch_masker_apply(ch_masker *masker, uint8_t *masks, float *scores,
                                 const ch_mask_plane *planes, int64_t count);

/** A corner of a polygon. x and y are in pixels; pixel (i, j) covers the square from (i, j) to
 *  (i + 1, j + 1). */
typedef struct ch_polygon_corner {
    double x, y;
} ch_polygon_corner;

/** Sets region (width * height bytes) to 255 where the centre of a pixel lies inside the polygon of
 *  `count` corners (even-odd rule) and leaves other bytes unchanged. Set region to 0 before the
 *  first polygon. */
CH_API ch_status ch_region_add_polygon(ch_context *context, uint8_t *region,
                                       const ch_frame_shape *shape,
                                       const ch_polygon_corner *corners, int64_t count);

/** How the outline of a mask is drawn. */
typedef struct ch_mask_outline {
    int64_t thickness; /**< width of the line in pixels */
    uint8_t colour[3]; /**< R, G, B; for ch_mask_overlay_yuv() Y, U, V */
} ch_mask_outline;

/** Draws the outline of a mask around its objects on a copy of a picture. rgb receives 3 bytes per
 *  pixel and belongs to the caller. The picture has shape->planes planes: 1 (gray) or 3 (R, G,
 *  B). */
CH_API ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                                 const uint8_t *mask, const ch_frame_shape *shape,
                                 const ch_mask_outline *outline);

/** Draws the outline of a mask on a YUV 4:2:0 picture, in place. yuv holds the planes Y, U and V
 *  one after the other; width and height are even. */
CH_API ch_status ch_mask_overlay_yuv(ch_context *context, uint8_t *yuv, const uint8_t *mask,
                                     const ch_frame_shape *shape, const ch_mask_outline *outline);

/** One object: a connected part of a mask. Pixels that touch at a corner are connected. */
typedef struct ch_mask_object {
    /** Bounding box, left <= x < right and top <= y < bottom, and number of pixels. */
    int64_t left, top, right, bottom, area;
    double x, y; /**< centre of gravity, in pixels */
} ch_mask_object;

/** The activity in one mask: how much foreground it has, and where. */
typedef struct ch_activity {
    int64_t foreground; /**< number of foreground pixels */
    double share;       /**< foreground pixels / watched pixels, 0 to 1 */
    int64_t objects;    /**< number of connected objects */
    /** Bounding box of all foreground, right and bottom excluded; all 0 if there is none. */
    int64_t left, top, right, bottom;
} ch_activity;

/** Computes the activity of one mask. The largest objects, at most `most`, are written to objects,
 *  largest first; of equal ones the upper, then the left one comes first. objects may be NULL if
 *  most is 0. region (0 where a pixel is not watched) may be NULL. */
CH_API ch_status ch_mask_activity(ch_context *context, ch_activity *activity,
                                  ch_mask_object *objects, int64_t most, const uint8_t *mask,
                                  const uint8_t *region, const ch_frame_shape *shape);

/** A run: consecutive frames with foreground. */
typedef struct ch_activity_run {
    int64_t first, last; /**< indices of the first and the last frame of the run, both included */
    /** Index of the frame with the most foreground; the first such frame if there are several. */
    int64_t peak;
    double share; /**< share of foreground pixels in frame `peak`, 0 to 1 */
} ch_activity_run;

/** Finds runs among `count` frames: consecutive frames whose share of foreground is positive and at
 *  least `least`. Runs with at most `gap` frames between them are joined. Returns the number of
 *  runs and writes the first `most` of them to runs. */
CH_API int64_t ch_activity_runs(ch_activity_run *runs, int64_t most, const ch_activity *frames,
                                int64_t count, double least, int64_t gap);

/* ---- events: stretches of time with movement ---- */

/** What counts as an event: a stretch of time with movement. ch_event_defaults() fills the
 *  settings; ch_event_table() lists their bounds. */
typedef struct ch_event_settings {
    size_t size;   /**< sizeof(ch_event_settings); ch_event_defaults() sets it */
    double length; /**< minimum time with movement in an event, in seconds */
    double gap;    /**< maximum pause without movement inside an event, in seconds */
    /** Seconds that are added before and after an event. Events whose margins meet are merged. */
    double margin;
    /** A frame counts as movement if its share of foreground pixels, 0 to 1, is at least this. 0:
     *  any foreground counts. */
    double share;
} ch_event_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_event_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_event_defaults(ch_event_settings *settings) {
    ch_settings_defaults(ch_event_table(), settings, sizeof *settings);
}

/** An event: a stretch of a recording with movement. Times are in seconds, and frames are given by
 *  their index in the recording. A frame lasts until the next one begins. */
typedef struct ch_event {
    size_t size;       /**< sizeof(ch_event); the caller sets it */
    double start, end; /**< time of the event with its margins, as far as there are frames */
    /** Time of the movement, from the beginning of its first frame to the end of its last frame. */
    double from, to;
    double moving;       /**< seconds with movement between `from` and `to`, without pauses */
    int64_t first, last; /**< indices of the first and the last frame with movement */
    int64_t frames;      /**< number of frames with movement */
    /** Index of the frame with the most foreground; the first such frame if there are several. */
    int64_t peak;
    double peak_time; /**< time of frame `peak`, in seconds */
    double share;     /**< share of foreground pixels in frame `peak`, 0 to 1 */
    int64_t objects;  /**< maximum number of objects per frame */
} ch_event;

/** Finds events in a sequence of frames, in fixed memory; opaque. */
typedef struct ch_event_finder ch_event_finder;
/** Creates a finder; ch_event_finder_destroy() frees it. The settings are copied. */
CH_API ch_status ch_event_finder_create(ch_context *context, ch_event_finder **finder,
                                        const ch_event_settings *settings);
/** Adds the frame with index `index` in the recording: its activity and its time in seconds. If
 *  this shows that an event has ended, *found becomes 1 and *event is written; otherwise *found
 *  becomes 0. At most one event ends per frame. Returns CH_ERR_ARGUMENT unless times increase. */
CH_API ch_status ch_event_finder_add(ch_event_finder *finder, ch_event *event, int *found,
                                     const ch_activity *activity, int64_t index, double time);
/** Ends the sequence; `end` is the time at which the last frame ended. If an event was under way,
 *  *found becomes 1 and *event is written. */
CH_API ch_status ch_event_finder_finish(ch_event_finder *finder, ch_event *event, int *found,
                                        double end);
/** Frees a finder. NULL is allowed. */
CH_API void ch_event_finder_destroy(ch_event_finder *finder);

CH_END_DECLS
#endif
