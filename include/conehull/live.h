/* Separates background from moving objects while frames arrive, in bounded memory.
 *
 * The first frames are the warm-up. From these frames a background of few factors is learned, as
 * ch_separate() does; row k of H is the picture of factor k. Ghosts, which are objects that became
 * background because they stood still, are removed. After the warm-up, each frame x is processed
 * as it arrives:
 *
 *     w = argmin_{w >= 0} |x_S - (w'H)_S|_1     S: a sample of pixels; exact, warm start
 *     background w'H, mask and score as in <conehull/mask.h>
 *
 * The background follows slow changes, absorbs objects that have stopped moving, and is learned
 * again when a light is switched on or off. Simple use:
 *
 *     ch_live_settings set;
 *     ch_live_defaults(&set);
 *     ch_live *live;
 *     ch_frame_shape shape = {width, height, 1};
 *     if (ch_live_create(context, &live, &shape, &set) < 0) return;
 *     while (next_frame(gray)) {
 *         const uint8_t *planes[] = {gray};
 *         ch_live_result now = {.size = sizeof now};
 *         if (ch_live_process(live, &now, planes, 0) < 0) break;
 *         if (now.mask) use(now.mask); // [y * width + x] is 255 where something moves
 *     }
 *     ch_live_destroy(live);
 *
 * Guarantees:
 *
 *   - Memory: ch_live_create() allocates all memory (ch_live_bytes() says how much), except for
 *     what learning needs while it runs. The memory does not grow with the number of frames.
 *   - Same bits: with late = 0 the results depend only on settings and frames, not on the number of
 *     threads or their speed. The threads of the context update the background. A separate thread,
 *     the learning thread, learns new backgrounds. When it starts, the frame at which its result
 *     takes effect is fixed; if the new background is not ready at this frame, the caller waits.
 *     With late = 1 the caller never waits, and on a busy machine a new background may take effect
 *     a few frames later. The first background is then a median of frames of the warm-up, which is
 *     replaced when the learned background is ready. Until then the state is CH_LIVE_ADAPTING.
 *     learned_anew is 1 in the first frame that uses the median, and again in the first frame that
 *     uses the learned background.
 *   - Freezing: between ch_live_freeze(live, 1) and ch_live_freeze(live, 0) no bit of H changes.
 *     Weights are still fitted to every frame.
 *   - Switched light: a frame is unusual if the share of the sampled pixels that differ from the
 *     background by more than the threshold exceeds the usual share by more than 0.3. A switch of
 *     light is detected after 8 unusual frames in a row. A new background is in use 8 + adapt + 10
 *     frames after the switch (48 frames by default). It has one more factor, for the new light,
 *     which is learned from `adapt` frames. A light that was seen before is recognised at once. If
 *     the light is switched again before the new background is in use, only the last switch counts.
 *   - Stopped objects: an object that stands still is foreground for `absorb` frames and background
 *     after that. When it leaves, the background without it returns within 25 frames.
 *   - Corrupted frames (wrong bits that no decoder reports, a picture of another place) do little
 *     harm. Fewer than 8 unusual frames in a row count as corrupted: nothing is learned from
 *     these frames, and they are not a switch of light. A corrupted frame that is not unusual
 *     changes a pixel of the background by at most 4 * every / follow gray levels (0.08 by
 *     default). In the warm-up a corrupted frame counts as one frame of many. With adapt = 0,
 *     sudden changes of the lighting are not detected, and 8 unusual frames in a row count as a
 *     lasting change: the background is learned again from the 8th of them on.
 *
 * Not guaranteed: the result of ch_separate() on all frames, which also uses later frames.
 * docs/live.md compares both on real clips.
 *
 * Only one thread at a time may use a ch_live. The ch_live starts a thread that calls the memory
 * hooks of the context, so the hooks must allow calls from another thread (malloc() does).
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_LIVE_H
#define CONEHULL_LIVE_H

#include <conehull/mask.h>

CH_BEGIN_DECLS

enum {
    CH_LIVE_PLANES_MAX = 3, /**< maximum number of planes per frame */
    CH_LIVE_RANK_MAX = 8    /**< maximum number of factors of a background */
};

/** A background that was learned earlier, for instance by ch_separate(), and with which a ch_live
 *  can start. */
typedef struct ch_live_start {
    int64_t rank; /**< number of factors, 1 to CH_LIVE_RANK_MAX */
    /** The pictures of the factors of each plane: rank x (width * height), column-major. */
    const double *H[CH_LIVE_PLANES_MAX];
    /** Noise of each pixel: width * height numbers that ch_masker_noise() returned. */
    const float *noise;
} ch_live_start;

/** Settings of live separation. ch_live_defaults() fills them; ch_live_table() lists their bounds.
 *  In the comments, the background is the picture without moving objects, and the learning thread
 *  is a thread of the ch_live that learns new backgrounds. */
typedef struct ch_live_settings {
    size_t size;     /**< sizeof(ch_live_settings); ch_live_defaults() sets it */
    int64_t warm_up; /**< number of frames from which the first background is learned */
    int64_t rank;    /**< number of factors; 0: the number is chosen from the data, 1 to 4 */
    /** Number of pixels, spread over the picture, to which the weights of a frame are fitted. */
    int64_t sample;
    int64_t every; /**< number of frames between two updates of the background */
    /** How fast the background follows a small, lasting change: after this many frames it has
     *  adopted about two thirds of the change. */
    int64_t follow;
    /** Number of frames after which an object that stands still becomes background. 0: never. */
    int64_t absorb;
    /** Number of frames from which a new background is learned after a light was switched on or
     *  off. 0: sudden changes of the lighting are not detected. */
    int64_t adapt;
    /** 1: ch_live_process() never waits for the learning thread, so that two runs may give
     *  different results. 0: it waits if necessary. */
    int late;
    /** What happens to ghosts, which are objects that became background because they stood still
     *  for most of the warm-up. 0: the background is changed so that it shows the empty place. 1:
     *  they stay in the background. */
    int keep_ghosts;
    int64_t seed; /**< seed of the random choice of sampled pixels */

    /* The table of the settings does not list the following members. ch_live_create() copies what
     * they point to. */

    const ch_mask_settings *mask; /**< settings of the masks; NULL: their defaults */
    /** One byte per pixel, width * height bytes: a pixel whose byte is 0 is not watched, so it is
     *  never foreground. NULL: all pixels are watched. */
    const uint8_t *watch;
    /** 1: frames have three planes of different sizes, as in YUV 4:2:0: the first is brightness in
     *  full size, and the two colour planes have half the width and half the height (width and
     *  height must be even). 0: all planes have the full size. */
    int halves;
    /** A background with which the ch_live starts. There is then no warm-up: every frame gets a
     *  mask, and the background does not change until ch_live_freeze(live, 0) is called. NULL: the
     *  background is learned from the first warm_up frames. */
    const ch_live_start *start;
} ch_live_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_live_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_live_defaults(ch_live_settings *settings) {
    ch_settings_defaults(ch_live_table(), settings, sizeof *settings);
}

/** The state of a live separation; opaque, made by ch_live_create(). */
typedef struct ch_live ch_live;

/** The state of a ch_live, which says whether it has a background and whether this changes. */
typedef enum ch_live_state {
    CH_LIVE_WARM_UP = 0,  /**< there is no background yet */
    CH_LIVE_STEADY = 1,   /**< there is a background, and it follows slow changes */
    CH_LIVE_ADAPTING = 2, /**< the light was switched; a new background is being learned */
    CH_LIVE_FROZEN = 3    /**< there is a background, and it does not change */
} ch_live_state;

/** Returns the name of a state: "warm-up", "steady", "adapting" or "frozen". */
CH_API const char *ch_live_state_name(ch_live_state state);

/** The result of one frame. Its pointers belong to the ch_live and are valid until the next call
 *  with this ch_live; they are NULL during the warm-up. */
typedef struct ch_live_result {
    size_t size;         /**< sizeof(ch_live_result); the caller sets it */
    int64_t frame;       /**< index of the frame, from 0 */
    ch_live_state state; /**< state after this frame */
    /** The mask, width * height bytes, row by row: 255 foreground, 0 background. */
    const uint8_t *mask;
    /** With the flag CH_LIVE_SCORES: the score of each pixel, width * height numbers, as
     *  ch_mask_settings.score selects. Otherwise NULL. */
    const float *score;
    /** The background of each plane, row by row; NULL with CH_LIVE_MASK_ALONE. */
    const float *background[CH_LIVE_PLANES_MAX];
    int64_t rank; /**< number of factors of the background */
    /** Weights w of the `rank` factors in this frame: the background is the sum of the pictures of
     *  the factors, each multiplied by its weight. */
    double weights[CH_LIVE_RANK_MAX];
    /** Upper bound of the distance of the weights w from the optimum. With the frame x and the set
     *  S of sampled pixels, it is |x_S - (w'H)_S|_1 minus a proven lower bound of the minimum of
     *  this loss over w >= 0, divided by |x_S|_1. */
    double gap;
    /** Share, 0 to 1, of the sampled pixels that differ from the background by more than the
     *  threshold of the masks. */
    double off;
    /** 1: a newly learned background is in use from this frame on; 0: no change. */
    int learned_anew;
} ch_live_result;

/** Flags of ch_live_process() and ch_live_replay(). */
enum {
    CH_LIVE_SCORES = 1, /**< also compute ch_live_result.score */
    /** The frame is damaged, or replaces a lost frame. After the warm-up, such a frame gets a mask,
     *  but does not change the background. */
    CH_LIVE_DAMAGED = 2,
    /** Do not compute ch_live_result.background, which becomes NULL; this saves time. The flag has
     *  no effect together with CH_LIVE_SCORES. ch_live_background_bytes() still works. */
    CH_LIVE_MASK_ALONE = 4,
    /** Colour frames: planes[0] holds all three planes, as three adjacent bytes per pixel;
     *  planes[1] and planes[2] are not used. */
    CH_LIVE_PACKED = 8
};

/** Figures of a ch_live, counted since ch_live_create(). */
typedef struct ch_live_info {
    size_t size;         /**< sizeof(ch_live_info); the caller sets it */
    int64_t frames;      /**< number of frames processed */
    ch_live_state state; /**< state after the last frame */
    int64_t rank;        /**< number of factors of the background */
    /** For each factor, the index, from 0, of the pixel from which the factor was
     *  learned; -1: the factor was not learned from a single pixel. */
    int64_t anchors[CH_LIVE_RANK_MAX];
    char rank_reason[256]; /**< why this number of factors was chosen, in words */
    /** Whether ghosts were found and removed when the background was last learned, in words. A
     *  ghost is an empty place that was marked as an object, see ch_ghosts in separate.h. */
    char ghosts_reason[200];
    /** Noise and threshold of the masks, in gray levels, as in ch_mask_info. */
    double noise, threshold;
    char mask_reason[200]; /**< how the threshold of the masks was computed, in words */
    int64_t lessons;       /**< number of updates of the background since the warm-up */
    /** Number of pixels that became background because an object stood still there. */
    int64_t absorbed;
    int64_t switches; /**< detected sudden changes of the lighting */
    /** Number of these changes after which a new background was learned. */
    int64_t adaptations;
    /** Index, from 0, of the frame in which the last switch of light was detected; -1: no switch so
     *  far. */
    int64_t switch_frame;
    /** Index, from 0, of the first frame that used the background learned after the last switch of
     *  light; -1: no such background so far. */
    int64_t adapted_frame;
    double worst_gap; /**< largest ch_live_result.gap of all frames */
    /** Number of frames whose ch_live_result.gap is above 1e-6. */
    int64_t unproven;
    /** Always 0; the member exists only for compatibility with earlier versions. */
    int64_t skipped;
    /** Number of implausible frames, from which nothing was learned: too much of the picture
     *  suddenly differed from the background, and the following frames did not confirm a change of
     *  light. */
    int64_t implausible;
    /** Warnings about the masks: sum of the bits CH_MASK_WARN_... that apply; 0: none. */
    int warnings;
} ch_live_info;

/** Computes how much memory a ch_live needs for frames of the given shape: *held bytes from
 *  creation to the end, and *learning additional bytes while it learns a background. Either pointer
 *  may be NULL. */
CH_API ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                               const ch_frame_shape *shape, const ch_live_settings *settings);

/** Creates a ch_live for frames of 1 plane (gray) or 3 planes (colour); ch_live_destroy() frees it.
 *  The context must outlive the ch_live. */
CH_API ch_status ch_live_create(ch_context *context, ch_live **live, const ch_frame_shape *shape,
                                const ch_live_settings *settings);
/** Waits until the learning thread of a ch_live has ended and frees the ch_live. NULL is
 *  allowed. */
CH_API void ch_live_destroy(ch_live *live);

/** Processes the next frame. `planes` holds one array per plane of the frame, width * height bytes
 *  each, row by row; the arrays are not needed after the call. flags is 0 or a sum of
 *  CH_LIVE_SCORES, CH_LIVE_DAMAGED, CH_LIVE_MASK_ALONE and CH_LIVE_PACKED. The caller sets
 *  result->size. Returns CH_STOP_CANCELLED if the progress callback cancelled while the first
 *  background was learned; *result is then not set, and the only call allowed with this ch_live is
 *  ch_live_destroy(). */
CH_API ch_status ch_live_process(ch_live *live, ch_live_result *result,
                                 const uint8_t *const *planes, int flags);

/** Processes frame i of the warm-up, 0 <= i < warm_up, once more with the background that was
 *  learned from the warm-up, so that this frame gets a mask too. The call is allowed only after the
 *  ch_live_process() that ended the warm-up (its result has learned_anew 1 and frame warm_up - 1)
 *  and before the next ch_live_process(). planes_out receives one pointer per plane to the pixels
 *  of the frame, which belong to the ch_live; planes_out may be NULL. flags are those of
 *  ch_live_process(). */
CH_API ch_status ch_live_replay(ch_live *live, ch_live_result *result, const uint8_t **planes_out,
                                int64_t i, int flags);

/** Writes the background of the last processed frame to `pixels`, an array of the caller: 1 byte
 *  per pixel (gray), or 3 adjacent bytes per pixel, one of each plane. Returns CH_ERR_ARGUMENT
 *  during the warm-up, when there is no background. */
CH_API ch_status ch_live_background_bytes(ch_live *live, uint8_t *pixels);

/** Stops (frozen = 1) or resumes (frozen = 0) the learning of the background. If a background for a
 *  new light is being learned, it is dropped. */
CH_API ch_status ch_live_freeze(ch_live *live, int frozen);

/** Writes the sizes, counts and levels of a ch_live to *info. The caller sets info->size. */
CH_API ch_status ch_live_get_info(const ch_live *live, ch_live_info *info);

/** Returns the present H of the plane with index `plane`, from 0: the pictures of the factors, of
 *  width * height numbers each, one after the other. *rank becomes the number of pictures; rank may
 *  be NULL. The numbers belong to the ch_live and are valid until the next call with this ch_live.
 *  Returns NULL during the warm-up. */
CH_API const float *ch_live_model(const ch_live *live, int plane, int64_t *rank);

CH_END_DECLS
#endif
