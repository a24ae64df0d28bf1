/* Masks of moving objects, computed from a clip and its background: scores of pixels, threshold,
 * clean-up of masks, outlines of objects, activity and events.
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
 * Each byte of a mask is 255 (foreground) or 0 (background). The same input gives the same bits for
 * any number of threads and any size of the blocks.
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
    /** Number of planes: 1 for gray and 3 for colour; a masker accepts 1 to 4. Functions that work
     *  on a single mask or region ignore this member. */
    int planes;
} ch_frame_shape;

/** Which score of each pixel ch_masker_apply() returns, for instance for ROC curves. The choice
 *  does not change the masks. */
typedef enum ch_mask_score {
    /** |pixel - background|; for colour frames the largest value of the three planes. */
    CH_MASK_SCORE_RESIDUAL = 0,
    /** The decision score, which is compared with the threshold to make the mask: |log(pixel /
     *  background)|, averaged over neighbouring pixels and reduced where the pixel looks like a
     *  shadow. It is scaled so that on a mid-gray background its unit is one gray level. */
    CH_MASK_SCORE_DECISION = 1
} ch_mask_score;

/** Settings of a masker, which say how masks are computed. ch_mask_defaults() fills them;
 *  ch_mask_table() lists their bounds. */
typedef struct ch_mask_settings {
    size_t size; /**< sizeof(ch_mask_settings); ch_mask_defaults() sets it */
    /** A pixel is foreground if its decision score (CH_MASK_SCORE_DECISION) is at least this
     *  threshold. 0: the threshold is `noises` times the standard deviation of the noise. */
    double threshold;
    /** With threshold 0: the threshold is this number times the standard deviation of the noise. */
    double noises;
    /** Decision scores are averaged over a square of 2 * smooth + 1 pixels on each side; 0: no
     *  averaging. */
    int64_t smooth;
    /** Factor, 0 to 1, by which the decision score of pixels that look like a shadow is multiplied;
     *  1: shadows count as foreground. */
    double shadow;
    /** Hysteresis: a pixel that is connected to foreground is foreground too if its decision score
     *  is at least this share, 0 to 1, of the threshold. 1: no hysteresis. */
    double low;
    /** Radius, in pixels, of a median filter that is applied to the mask; 0: no filter. */
    int64_t median;
    /** Radius, in pixels, of a morphological closing that is applied to the mask; 0: no closing. */
    int64_t close;
    /** Minimum size of an object in the mask, in thousandths of the pixels of a frame. Smaller
     *  objects are removed. */
    double least;
    /** Holes in objects are filled if they have at most this size, in thousandths of the pixels of
     *  a frame. */
    double holes;
    ch_mask_score score; /**< which score ch_masker_apply() returns */

    /* The table of the settings does not list the following member. */

    /** 1: frames have three planes of different sizes, as in YUV 4:2:0: the first is brightness in
     *  full size, and the two colour planes have half the width and half the height (width and
     *  height must be even). 0: all planes have the full size. */
    int halves;
} ch_mask_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_mask_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_mask_defaults(ch_mask_settings *settings) {
    ch_settings_defaults(ch_mask_table(), settings, sizeof *settings);
}

/** One plane of a block of consecutive frames, and the background of each frame. The caller owns
 *  the arrays. */
typedef struct ch_mask_plane {
    /** The pixels of the plane. Frame i of the block begins at pixels + i * stride and has width *
     *  height bytes, row by row. */
    const uint8_t *pixels;
    int64_t stride; /**< distance in bytes from one frame to the next, at least width * height */
    /** The background of the plane. The background of frame i begins at background + i * width *
     *  height. */
    const float *background;
} ch_mask_plane;

/** A masker, which computes masks; opaque, made by ch_masker_create(). */
typedef struct ch_masker ch_masker;

/** Bits of ch_mask_info.warnings: signs that the masks may be wrong. */
enum {
    CH_MASK_WARNINGS = 7, /**< number of different warnings; their bits are 1 << 0 to 1 << 6 */
    /** Pixels differ from the background by more than noise can explain. The threshold was computed
     *  mainly from the noise of the camera (ch_mask_info.camera_noise), not from these
     *  differences. */
    CH_MASK_WARN_NOISE = 1,
    /** The picture is so noisy that the threshold is at or near its upper limit. Masks may contain
     *  noise. */
    CH_MASK_WARN_BOUND = 2,
    CH_MASK_WARN_COVERED = 4, /**< most of the picture differs from the background in most frames */
    CH_MASK_WARN_MOVING = 8,  /**< most of the picture changes all the time */
    CH_MASK_WARN_SHORT = 16,  /**< the noise was learned from fewer than 20 frames */
    /** The background changes in a way that light does not: it hides the texture of the scene, or
     *  the frames do not change when and where the background does. An object may have become part
     *  of the background. */
    CH_MASK_WARN_PATTERN = 32,
    /** The camera moves or was moved: many frames are shifted by about a pixel or more. */
    CH_MASK_WARN_SHIFT = 64
};
/** Returns a constant sentence that explains one bit of ch_mask_info.warnings, such as
 *  CH_MASK_WARN_NOISE; NULL for any other number. */
CH_API const char *ch_mask_warning(int warning);

/** Noise and threshold of a masker, in the unit of the decision score (CH_MASK_SCORE_DECISION),
 *  which is one gray level on a mid-gray background. */
typedef struct ch_mask_info {
    size_t size;      /**< sizeof(ch_mask_info); the caller sets it */
    double noise;     /**< standard deviation of the noise of a typical background pixel */
    double threshold; /**< a pixel is foreground if its decision score is at least this number */
    /** How the threshold was computed, in words, for people. */
    char reason[200];
    /** Standard deviation of the noise of the camera, estimated from differences of consecutive
     *  frames and neighbouring pixels, without the background. 0: unknown. */
    double camera_noise;
    /** Sum of the bits CH_MASK_WARN_... that apply; 0: no warning. */
    int warnings;
} ch_mask_info;

/** Creates a masker for frames of 1 to 4 planes; ch_masker_destroy() frees it. The masker takes
 *  about 150 bytes of memory per pixel, plus a few frames per thread, however many frames it
 *  processes. */
CH_API ch_status ch_masker_create(ch_context *context, ch_masker **masker,
                                  const ch_frame_shape *shape, const ch_mask_settings *settings);
/** Frees a masker. NULL is allowed. */
CH_API void ch_masker_destroy(ch_masker *masker);

/** Sets which pixels are watched. region has width * height bytes, row by row. A pixel whose byte
 *  is 0 is not watched: it is 0 in all masks and does not influence the threshold. The region is
 *  copied; NULL means that all pixels are watched. */
CH_API ch_status ch_masker_set_region(ch_masker *masker, const uint8_t *region);

/** Passes the next `count` frames of the clip, from which the noise is learned. The masker stores
 *  only some of all frames passed so far, evenly spaced in time. `planes` has one entry per plane
 *  of the masker. */
CH_API ch_status ch_masker_learn(ch_masker *masker, const ch_mask_plane *planes, int64_t count);
/** Call this before ch_masker_learn() if the frames that ch_masker_learn() will receive are only a
 *  sample of a clip. The frames must form pairs of neighbours in time: counted from 0 in the order
 *  in which they are passed, frames 1 and 2, frames 3 and 4, and so on. The noise of the camera is
 *  then measured on these pairs only. */
CH_API void ch_masker_learn_pairs(ch_masker *masker);
/** Computes the noise of every pixel and the threshold from all frames that were passed to
 *  ch_masker_learn(). After this call ch_masker_apply() can compute masks. *info receives noise and
 *  threshold; the caller sets info->size, and info may be NULL. */
CH_API ch_status ch_masker_settle(ch_masker *masker, ch_mask_info *info);

/** Returns the noise of every pixel: width * height numbers, row by row, which belong to the
 *  masker. The smallest number is the noise of a typical pixel, because lower values are raised to
 *  it. A program can save these numbers and later pass them to ch_masker_settle_with(). */
CH_API const float *ch_masker_noise(const ch_masker *masker);
/** Computes the threshold like ch_masker_settle(), but from a known noise instead of frames:
 *  `noise` has width * height numbers that ch_masker_noise() returned earlier. */
CH_API ch_status ch_masker_settle_with(ch_masker *masker, ch_mask_info *info, const float *noise);

/** Computes the masks and the scores of `count` frames. masks receives one byte per pixel, 255
 *  (foreground) or 0; scores receives one number per pixel, as ch_mask_settings.score selects. Both
 *  arrays have width * height values per frame, frame after frame, and belong to the caller; masks
 *  or scores may be NULL. `planes` has one entry per plane of the masker. */
CH_API ch_status ch_masker_apply(ch_masker *masker, uint8_t *masks, float *scores,
                                 const ch_mask_plane *planes, int64_t count);

/** A corner of a polygon: x from the left and y from the top of the picture, in pixels. The top
 *  left pixel covers the square from (0, 0) to (1, 1). */
typedef struct ch_polygon_corner {
    double x, y;
} ch_polygon_corner;

/** Adds a polygon to a region, which has one byte per pixel (width * height bytes). A byte becomes
 *  255 if the centre of its pixel lies inside the polygon with corners[0 .. count) by the even-odd
 *  rule; other bytes do not change. Set all bytes to 0 before the first polygon. */
CH_API ch_status ch_region_add_polygon(ch_context *context, uint8_t *region,
                                       const ch_frame_shape *shape,
                                       const ch_polygon_corner *corners, int64_t count);

/** How the outline of a mask is drawn. */
typedef struct ch_mask_outline {
    int64_t thickness; /**< width of the line in pixels */
    uint8_t colour[3]; /**< colour of the line: R, G, B; for ch_mask_overlay_yuv() Y, U, V */
} ch_mask_outline;

/** Copies a picture to rgb and draws outlines around the objects of a mask on the copy. rgb has 3
 *  bytes per pixel and belongs to the caller. `planes` holds the shape->planes planes of the
 *  picture: 1 (gray) or 3 (R, G, B). */
CH_API ch_status ch_mask_overlay(ch_context *context, uint8_t *rgb, const uint8_t *const *planes,
                                 const uint8_t *mask, const ch_frame_shape *shape,
                                 const ch_mask_outline *outline);

/** Draws outlines around the objects of a mask on a YUV 4:2:0 picture, in place. yuv holds the
 *  planes Y, U and V one after the other; width and height must be even. */
CH_API ch_status ch_mask_overlay_yuv(ch_context *context, uint8_t *yuv, const uint8_t *mask,
                                     const ch_frame_shape *shape, const ch_mask_outline *outline);

/** One object in a mask: a connected group of foreground pixels. Pixels that touch only at a corner
 *  count as connected. */
typedef struct ch_mask_object {
    /** Bounding box in pixels, left <= x < right and top <= y < bottom, and number of pixels of the
     *  object (area). */
    int64_t left, top, right, bottom, area;
    double x, y; /**< centre of gravity, in pixels from the left and from the top */
} ch_mask_object;

/** The activity in one mask: how much foreground it has, and where. */
typedef struct ch_activity {
    int64_t foreground; /**< number of foreground pixels */
    double share;       /**< number of foreground pixels / number of watched pixels, 0 to 1 */
    int64_t objects;    /**< number of objects (ch_mask_object) */
    /** Bounding box of all foreground in pixels, left <= x < right and top <= y < bottom; all 0 if
     *  there is no foreground. */
    int64_t left, top, right, bottom;
} ch_activity;

/** Computes the activity of one mask. `objects`, an array of `most` entries of the caller, receives
 *  the largest objects, largest first; of two objects of equal size, the upper object comes first
 *  and, at equal height, the left object. activity->objects says how many objects the mask has.
 *  objects may be NULL if most is 0. region has one byte per pixel, which is 0 if the pixel is not
 *  watched; NULL means that all pixels are watched. */
CH_API ch_status ch_mask_activity(ch_context *context, ch_activity *activity,
                                  ch_mask_object *objects, int64_t most, const uint8_t *mask,
                                  const uint8_t *region, const ch_frame_shape *shape);

/** A run: consecutive frames with foreground. Frames are given by their index, from 0. */
typedef struct ch_activity_run {
    int64_t first, last; /**< indices of the first and the last frame of the run, both included */
    /** Index of the frame with the most foreground; if several frames tie, the first of them. */
    int64_t peak;
    double share; /**< share of foreground pixels in frame `peak`, 0 to 1 */
} ch_activity_run;

/** Finds runs among frames[0 .. count), which are the activities of consecutive frames: a run
 *  consists of frames whose share of foreground is positive and at least `least`. Two runs with at
 *  most `gap` frames between them are joined. Returns the number of runs found and writes the first
 *  `most` of them to `runs`, an array of the caller. */
CH_API int64_t ch_activity_runs(ch_activity_run *runs, int64_t most, const ch_activity *frames,
                                int64_t count, double least, int64_t gap);

/* ---- events: stretches of time with movement ---- */

/** Settings that define what counts as an event, which is a stretch of time with movement.
 *  ch_event_defaults() fills them; ch_event_table() lists their bounds. */
typedef struct ch_event_settings {
    size_t size; /**< sizeof(ch_event_settings); ch_event_defaults() sets it */
    /** Minimum time with movement in an event, in seconds; shorter events are dropped. */
    double length;
    /** Maximum pause without movement inside an event, in seconds; a longer pause ends the
     *  event. */
    double gap;
    /** Time that is added before and after the movement of an event, in seconds. Events that then
     *  touch or overlap are merged. */
    double margin;
    /** A frame has movement if its share of foreground pixels, 0 to 1, is at least this number. 0:
     *  any foreground counts as movement. */
    double share;
} ch_event_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_event_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_event_defaults(ch_event_settings *settings) {
    ch_settings_defaults(ch_event_table(), settings, sizeof *settings);
}

/** An event: a stretch of a recording with movement. Times are in seconds; frames are given by
 *  their index, from 0, in the recording. A frame lasts until the next frame begins. */
typedef struct ch_event {
    size_t size;       /**< sizeof(ch_event); the caller sets it */
    double start, end; /**< begin and end of the event with its margins, limited to the recording */
    /** Begin and end of the movement: beginning of the first and end of the last frame with
     *  movement. */
    double from, to;
    double moving;       /**< seconds with movement between `from` and `to`; pauses do not count */
    int64_t first, last; /**< indices of the first and the last frame with movement */
    int64_t frames;      /**< number of frames with movement */
    /** Index of the frame with the most foreground; if several frames tie, the first of them. */
    int64_t peak;
    double peak_time; /**< time of frame `peak`, in seconds */
    double share;     /**< share of foreground pixels in frame `peak`, 0 to 1 */
    int64_t objects;  /**< largest number of objects in one frame */
} ch_event;

/** An event finder: finds events in a sequence of frames, in a fixed amount of memory; opaque, made
 *  by ch_event_finder_create(). */
typedef struct ch_event_finder ch_event_finder;
/** Creates an event finder; ch_event_finder_destroy() frees it. The settings are copied. */
CH_API ch_status ch_event_finder_create(ch_context *context, ch_event_finder **finder,
                                        const ch_event_settings *settings);
/** Adds one frame to an event finder: its activity, its index in the recording and the time, in
 *  seconds, at which it begins. If this frame shows that an event has ended, *found becomes 1 and
 *  *event receives this event; otherwise *found becomes 0. At most one event ends per frame. The
 *  caller sets event->size. Returns CH_ERR_ARGUMENT if the time does not increase from frame to
 *  frame. */
CH_API ch_status ch_event_finder_add(ch_event_finder *finder, ch_event *event, int *found,
                                     const ch_activity *activity, int64_t index, double time);
/** Ends the sequence of frames; `end` is the time, in seconds, at which the last frame ends. If an
 *  event has not ended yet, it ends now: *found becomes 1 and *event receives this event; otherwise
 *  *found becomes 0. */
CH_API ch_status ch_event_finder_finish(ch_event_finder *finder, ch_event *event, int *found,
                                        double end);
/** Frees an event finder. NULL is allowed. */
CH_API void ch_event_finder_destroy(ch_event_finder *finder);

CH_END_DECLS
#endif
