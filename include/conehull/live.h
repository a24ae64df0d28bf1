/* Separates background from moving objects while frames arrive, in bounded memory.
 *
 * A background of few factors is learned from the first frames (warm_up) as ch_separate() does, and
 * ghosts are removed. From then on every frame x is processed at once:
 *
 *     w = argmin_{w >= 0} |x_S - (w'H)_S|_1     S: a sample of pixels; exact, warm start
 *     background w'H, mask and score as in <conehull/mask.h>
 *
 * The background follows slow changes, absorbs objects that have stopped, and is learned again when
 * a light is switched:
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
 * Promises:
 *   - Memory: ch_live_create() allocates all of it, about ch_live_bytes(), except for what learning
 *     needs while it runs. It does not grow with the number of frames.
 *   - Same bits: with late = 0 the results depend only on settings and frames, not on the number of
 *     threads or their speed. The work of the background thread on frame t takes effect at a frame
 *     number that is fixed when it starts, and the caller waits for it if necessary. With late = 1
 *     the caller never waits, and on a busy machine changes may take effect a few frames later; the
 *     first background is then a median until the learned one is ready (state CH_LIVE_ADAPTING,
 *     learned_anew is set twice).
 *   - Frozen means frozen: between ch_live_freeze(live, 1) and ch_live_freeze(live, 0) not a bit of
 *     H changes. Weights are still fitted to every frame.
 *   - Switched light: if at least 30 % of the sampled pixels differ from the background by more
 *     than the threshold, after a time when they did not, a light was switched. A new background
 *     is in use 8 + adapt + 10 frames later, 48 by default. It has one more factor, for the new
 *     light, which is learned from `adapt` frames. A light that was seen before is recognised at
 *     once. Several switches within these frames count as one, the last.
 *   - An object that stands still is foreground for `absorb` frames and background after that. When
 *     it leaves, the background before it returns within 25 frames.
 *   - A corrupted frame (flipped bits that no decoder reports, a picture of another place) does
 *     little harm. If 30 % more of its sampled pixels than usual differ from the background,
 *     nothing is learned from it (it is counted as implausible), and fewer than 8 such frames in a
 *     row are not taken for a switched light. Otherwise it moves a background pixel by at most 4
 *     every / follow gray levels, 0.08 by default. In the warm-up it counts as one frame of many.
 *     With adapt = 0 the same holds, but 8 such frames in a row are taken for a lasting change of
 *     light: they are not counted as implausible, and learning resumes from the 8th on.
 * Not promised: the answer of ch_separate() on all frames, which also uses later frames.
 * docs/live.md compares the two on real clips.
 *
 * A ch_live belongs to one thread at a time. It starts a thread that calls the memory hooks of
 * the context, which must allow that (malloc does).
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_LIVE_H
#define CONEHULL_LIVE_H

#include <conehull/mask.h>

CH_BEGIN_DECLS

enum {
    CH_LIVE_PLANES_MAX = 3, /**< maximum number of planes per frame */
    CH_LIVE_RANK_MAX = 8    /**< maximum number of background factors */
};

/** A background to start with, which was learned before, for instance by ch_separate(). */
typedef struct ch_live_start {
    int64_t rank; /**< number of factors, 1 to CH_LIVE_RANK_MAX */
    /** The factors of each plane: rank x (width * height), column-major. */
    const double *H[CH_LIVE_PLANES_MAX];
    const float *noise; /**< noise of each pixel: width * height numbers from ch_masker_noise() */
} ch_live_start;

/** Settings of live separation. ch_live_defaults() fills them; ch_live_table() lists their bounds.
 *  The background thread is a thread of the ch_live that updates the background. */
typedef struct ch_live_settings {
    size_t size;     /**< sizeof(ch_live_settings); ch_live_defaults() sets it */
    int64_t warm_up; /**< number of frames from which the first background is learned */
    int64_t rank;    /**< number of background factors; 0: chosen from the data, at most 4 */
    int64_t sample;  /**< number of sampled pixels, to which the weights of a frame are fitted */
    int64_t every;   /**< number of frames per update of the background */
    /** Number of frames after which the background has followed 2/3 of a small, lasting change. */
    int64_t follow;
    /** Number of frames after which an object that stands still becomes background. 0: never. */
    int64_t absorb;
    /** Number of frames from which the background for a new light is learned. 0: switches of light
     *  are not detected. */
    int64_t adapt;
    /** 1: a frame never waits for the background thread, so that two runs may differ; 0: it waits
     *  if necessary. */
    int late;
    /** 1: ghosts, which are objects that became background because they stood still for most of the
     *  warm-up, are not removed. */
    int keep_ghosts;
    int64_t seed; /**< seed of the choice of sampled pixels */

    /* The table of the settings does not list the following members. ch_live_create() copies what
     * they point to. */

    const ch_mask_settings *mask; /**< settings of the masks; NULL: their defaults */
    /** One byte per pixel, width * height bytes: a pixel whose byte is 0 is ignored. NULL: no pixel
     *  is ignored. */
    const uint8_t *watch;
    /** 1: the three planes are those of YUV 4:2:0: the first is brightness at full size, and the
     *  two colour planes have half the width and half the height (both even). 0: all planes have
     *  the full size. */
    int halves;
    /** A background to start with. There is then no warm-up, every frame has a mask, and the
     *  background is frozen until ch_live_freeze(live, 0). NULL: the background is learned from the
     *  first frames. */
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

/** What a ch_live is doing. */
typedef enum ch_live_state {
    CH_LIVE_WARM_UP = 0,  /**< there is no background yet */
    CH_LIVE_STEADY = 1,   /**< there is a background, and it follows slow changes */
    CH_LIVE_ADAPTING = 2, /**< the light was switched; a new background is being learned */
    CH_LIVE_FROZEN = 3    /**< there is a background, and it does not change */
} ch_live_state;

/** Returns the name of a state: "warm-up", "steady", "adapting" or "frozen". */
CH_API const char *ch_live_state_name(ch_live_state state);

/** The result of one frame. Its pointers belong to the ch_live and are valid until the next call
 *  with it; they are NULL during the warm-up. */
typedef struct ch_live_result {
    size_t size;         /**< sizeof(ch_live_result); the caller sets it */
    int64_t frame;       /**< index of the frame, from 0 */
    ch_live_state state; /**< state after this frame */
    const uint8_t *mask; /**< width * height bytes: 255 foreground, 0 background */
    /** With the flag CH_LIVE_SCORES: width * height scores, as ch_mask_settings.score selects; else
     *  NULL. */
    const float *score;
    /** The background of each plane; NULL with CH_LIVE_MASK_ALONE. */
    const float *background[CH_LIVE_PLANES_MAX];
    int64_t rank; /**< number of background factors */
    /** Weights w of the `rank` background factors in this frame. */
    double weights[CH_LIVE_RANK_MAX];
    /** Upper bound of the distance of the weights w from the optimum: |x_S - (w'H)_S|_1 minus a
     *  proven lower bound of its minimum over w >= 0, divided by |x_S|_1. x is the frame, and S are
     *  the sampled pixels. */
    double gap;
    /** Share (0 to 1) of the sampled pixels that differ from the background by more than the
     *  threshold. */
    double off;
    int learned_anew; /**< 1: a newly learned background is in use from this frame on; else 0 */
} ch_live_result;

/** Flags of ch_live_process() and ch_live_replay(). */
enum {
    CH_LIVE_SCORES = 1, /**< ch_live_result.score is computed too */
    /** The frame is damaged or a substitute: after the warm-up nothing is learned from it. */
    CH_LIVE_DAMAGED = 2,
    /** Saves time: ch_live_result.background is not computed and becomes NULL. The flag has no
     *  effect together with CH_LIVE_SCORES. ch_live_background_bytes() still works. */
    CH_LIVE_MASK_ALONE = 4,
    /** Colour frames: planes[0] holds three adjacent bytes per pixel instead of one plane. */
    CH_LIVE_PACKED = 8
};

/** Figures of a ch_live, counted since ch_live_create(). */
typedef struct ch_live_info {
    size_t size;         /**< sizeof(ch_live_info); the caller sets it */
    int64_t frames;      /**< number of frames processed */
    ch_live_state state; /**< state after the last frame */
    int64_t rank;        /**< number of background factors */
    /** For each background factor, the index of the pixel from which the factor was learned; -1:
     *  the factor was not learned from a single pixel. */
    int64_t anchors[CH_LIVE_RANK_MAX];
    char rank_reason[256]; /**< why this rank was chosen, in words */
    /** Whether ghosts were found and removed when the background was last learned, in words. */
    char ghosts_reason[200];
    double noise, threshold; /**< noise and threshold of the masks, as in ch_mask_info */
    char mask_reason[200];   /**< how the threshold of the masks was found, in words */
    int64_t lessons;         /**< number of updates of the background since the warm-up */
    /** Number of pixels that became background because an object stood still on them. */
    int64_t absorbed;
    int64_t switches;    /**< number of switches of light that were detected */
    int64_t adaptations; /**< number of switches that led to a new background */
    /** Index of the frame in which the last switch of light was detected; -1: no switch. */
    int64_t switch_frame;
    /** Index of the first frame that used the last background learned for a new light; -1: none. */
    int64_t adapted_frame;
    double worst_gap; /**< largest gap of the weights of a frame (ch_live_result.gap) */
    /** Number of frames whose weights have a gap (ch_live_result.gap) above 1e-6. */
    int64_t unproven;
    /** With late = 1: number of frames that were not learned from because the background thread was
     *  busy. */
    int64_t skipped;
    /** Number of frames from which nothing was learned because too much of the picture differed
     *  from the background at once, without a switch of light after that. */
    int64_t implausible;
    int warnings; /**< warnings of the masks: sum of CH_MASK_WARN_NOISE, ...; 0: none */
} ch_live_info;

/** Computes how much memory a ch_live takes for frames of the given shape: *held bytes all the
 *  time, and *learning more bytes while it learns a background. Either pointer may be NULL. */
CH_API ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                               const ch_frame_shape *shape, const ch_live_settings *settings);

/** Creates a ch_live for frames of 1 plane (gray) or 3 planes (colour); ch_live_destroy() frees it.
 *  The context must outlive the ch_live. */
CH_API ch_status ch_live_create(ch_context *context, ch_live **live, const ch_frame_shape *shape,
                                const ch_live_settings *settings);
/** Waits for the background thread of a ch_live and frees the ch_live. NULL is allowed. */
CH_API void ch_live_destroy(ch_live *live);

/** Processes the next frame: shape->planes arrays of width * height bytes, row by row, which are
 *  not needed after the call. flags is a sum of CH_LIVE_SCORES, ..., or 0. Returns
 *  CH_STOP_CANCELLED if the progress callback cancelled while the first background was learned;
 *  there is then no result, and the ch_live can only be destroyed. */
CH_API ch_status ch_live_process(ch_live *live, ch_live_result *result,
                                 const uint8_t *const *planes, int flags);

/** Processes frame i of the warm-up, 0 <= i < warm_up, again with the learned background, so that
 *  it gets a mask. Allowed only between the call that ended the warm-up (its result has
 *  learned_anew set and frame == warm_up - 1) and the next ch_live_process(). planes_out receives
 *  one pointer per plane of the frame; NULL is allowed. */
CH_API ch_status ch_live_replay(ch_live *live, ch_live_result *result, const uint8_t **planes_out,
                                int64_t i, int flags);

/** Writes the background of the last result as bytes to pixels: 1 byte per pixel (gray), or 3
 *  adjacent bytes, one of each plane. */
CH_API ch_status ch_live_background_bytes(ch_live *live, uint8_t *pixels);

/** Stops (frozen = 1) or resumes (frozen = 0) learning of the background. A background for a new
 *  light that is not complete yet is dropped. */
CH_API ch_status ch_live_freeze(ch_live *live, int frozen);

/** Reports the figures of a ch_live. The caller sets info->size. */
CH_API ch_status ch_live_get_info(const ch_live *live, ch_live_info *info);

/** Returns the present background factors H of a plane: *rank pictures of width * height numbers,
 *  one after the other. NULL during the warm-up. The numbers belong to the ch_live and are valid
 *  until the next call with it. */
CH_API const float *ch_live_model(const ch_live *live, int plane, int64_t *rank);

CH_END_DECLS
#endif
