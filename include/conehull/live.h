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
 *   - A light that is switched (at least 30 % of the sampled pixels off by more than the threshold,
 *     after a time when they were not): 8 + adapt + 10 frames later, 48 by default, a new
 *     background is in use. It has a further factor for the new light, learned from `adapt` frames.
 *     A light that was seen before needs no time. Several switches within these frames count as
 *     one, the last.
 *   - An object that stands still is foreground for `absorb` frames, and background only after
 *     that. When it leaves, the background before it returns within 25 frames.
 *   - A corrupted frame (flipped bits that no decoder reports, a picture of another place) does no
 *     harm. If it is off in 30 % more of the sampled pixels than usual, nothing is learned from it,
 *     and fewer than 8 such frames in a row are not taken for a switch of light (they are counted
 *     as implausible). If less of it is off, it moves a background pixel by at most 4 every /
 *     follow gray levels, 0.08 by default. In the warm-up it counts as one frame of many. With
 *     adapt = 0 the same holds, but 8 in a row are taken for a lasting change of light: they are
 *     not counted, and learning resumes from the 8th on.
 * Not promised: the answer of ch_separate() on all frames, which knows the future. docs/live.md
 * compares the two on real clips.
 *
 * A ch_live belongs to one thread at a time. It starts a thread that calls the memory hooks of
 * the context, which must allow that (malloc does).
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_LIVE_H
#define CONEHULL_LIVE_H

#include <conehull/mask.h>

CH_BEGIN_DECLS

enum { CH_LIVE_PLANES_MAX = 3, CH_LIVE_RANK_MAX = 8 };

/** A background learned before, by ch_separate() for instance. */
typedef struct ch_live_start {
    int64_t rank; /**< 1 to CH_LIVE_RANK_MAX                            */
    const double
        *H[CH_LIVE_PLANES_MAX]; /**< of each plane: rank x (width * height), column-major */
    const float *noise; /**< width * height: of each pixel, as ch_masker_noise() gives it      */
} ch_live_start;

/** Described, with defaults and bounds, by ch_live_table(). */
typedef struct ch_live_settings {
    size_t size;     /**< sizeof(ch_live_settings); ch_live_defaults() sets it */
    int64_t warm_up; /**< number of frames from which the first background is learned          */
    int64_t rank;    /**< factors of the background; 0: chosen from the data, 4 at most        */
    int64_t sample;  /**< number of pixels on which the weights of a frame are fitted          */
    int64_t every;   /**< frames between two updates of the background                         */
    int64_t follow;  /**< frames after which it has followed 2/3 of a small, lasting change     */
    int64_t absorb;  /**< frames after which a still object becomes background; 0: never       */
    int64_t adapt;   /**< frames from which a background for a new light is learned; 0:
                          switches are not detected                                            */
    int late;        /**< never wait for the background thread                                 */
    int keep_ghosts; /**< do not remove ghosts after the warm-up                               */
    int64_t seed;

    /* Not in the table. */
    const ch_mask_settings *mask; /**< NULL: their defaults; copied by ch_live_create()        */
    const uint8_t *watch; /**< width * height: 0 where pixels are ignored; or NULL; copied by
                               ch_live_create()                                               */
    int halves; /**< of 3 planes, brightness is the first, and red and blue follow at half the width
                     and half the height (both even), as a file of YUV 4:2:0 has colour        */
    const ch_live_start *start; /**< a background to begin with, copied: there is no warm-up, and
                                     every frame has a mask. It is frozen until
                                     ch_live_freeze(live, 0); or NULL                          */
} ch_live_settings;

CH_API const ch_settings_table *ch_live_table(void);
static inline void ch_live_defaults(ch_live_settings *settings) {
    ch_settings_defaults(ch_live_table(), settings, sizeof *settings);
}

typedef struct ch_live ch_live;

typedef enum ch_live_state {
    CH_LIVE_WARM_UP = 0,  /**< no background yet                                               */
    CH_LIVE_STEADY = 1,   /**< a background, which follows                                     */
    CH_LIVE_ADAPTING = 2, /**< the light has changed; a new background is on its way           */
    CH_LIVE_FROZEN = 3    /**< a background, which stays as it is                              */
} ch_live_state;

/** "warm-up", "steady", "adapting", "frozen" */
CH_API const char *ch_live_state_name(ch_live_state state);

/** The result of a frame. Pointers belong to the ch_live and are valid until its next call; they
 *  are NULL during the warm-up. */
typedef struct ch_live_result {
    size_t size;   /**< sizeof(ch_live_result); the caller sets it */
    int64_t frame; /**< its number, from 0                                                     */
    ch_live_state state;
    const uint8_t *mask;                         /**< width * height: 255 or 0                */
    const float *score;                          /**< as mask.score says; with CH_LIVE_SCORES */
    const float *background[CH_LIVE_PLANES_MAX]; /**< per plane; not with CH_LIVE_MASK_ALONE   */
    int64_t rank;                                /**< factors of the background               */
    double weights[CH_LIVE_RANK_MAX];            /**< w                                       */
    double gap;       /**< of the weights on the sample: bound of |x_S - (w'H)_S|_1 minus its
                           minimum, relative to |x_S|_1                                        */
    double off;       /**< share of the sampled pixels that are off the background             */
    int learned_anew; /**< a new background is in use from this frame on                       */
} ch_live_result;

enum {
    CH_LIVE_SCORES = 1,  /**< also compute the scores                                           */
    CH_LIVE_DAMAGED = 2, /**< the frame is damaged or a substitute: after the warm-up nothing is
                              learned from it                                              */
    CH_LIVE_MASK_ALONE = 4, /**< unless scores are requested: result.background is NULL, which
                                saves time; ch_live_background_bytes() still works          */
    CH_LIVE_PACKED = 8      /**< colour: planes[0] has the three values of a pixel side by side   */
};

/** Figures since the start. */
typedef struct ch_live_info {
    size_t size;    /**< sizeof(ch_live_info); the caller sets it */
    int64_t frames; /**< processed                                                             */
    ch_live_state state;
    int64_t rank;
    int64_t anchors[CH_LIVE_RANK_MAX]; /**< pixels that started the factors; -1: none          */
    char rank_reason[256];             /**< why this rank, in words                            */
    char ghosts_reason[200];           /**< what the last learning did about ghosts            */
    double noise, threshold;           /**< of the masks, as in ch_mask_info                   */
    char mask_reason[200];
    int64_t lessons;                     /**< frames learned from since the warm-up              */
    int64_t absorbed;                    /**< pixels that became background by standing still    */
    int64_t switches;                    /**< changes of light that were noticed                 */
    int64_t adaptations;                 /**< ... and led to a new background                    */
    int64_t switch_frame, adapted_frame; /**< of the last one; -1: none                        */
    double worst_gap;    /**< of the weights of all frames                                      */
    int64_t unproven;    /**< frames whose gap stayed above 1e-6                                */
    int64_t skipped;     /**< frames not learned from because the thread was late (late = 1)    */
    int64_t implausible; /**< frames not learned from because too much of the picture was off
                              at once, not followed by a switch of light                     */
    int warnings;        /**< of the masks: CH_MASK_WARN_NOISE, ...; 0: nothing                 */
} ch_live_info;

/** The bytes that a ch_live of that shape holds, and those that learning needs in addition while it
 *  runs. Either may be NULL. */
CH_API ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                               const ch_frame_shape *shape, const ch_live_settings *settings);

/** Creates a ch_live for frames of 1 plane (gray) or 3 separate planes (colour). */
CH_API ch_status ch_live_create(ch_context *context, ch_live **live, const ch_frame_shape *shape,
                                const ch_live_settings *settings);
CH_API void ch_live_destroy(ch_live *live);

/** The next frame: planes of width * height bytes, row by row. flags: CH_LIVE_SCORES, ... or 0.
 *  CH_STOP_CANCELLED: the progress callback cancelled while the first background was learned. There
 *  is no result then, and the ch_live can only be destroyed. */
CH_API ch_status ch_live_process(ch_live *live, ch_live_result *result,
                                 const uint8_t *const *planes, int flags);

/** Processes frame 0 <= i < warm_up again with the learned background. Only valid between the call
 *  that ended the warm-up (its result has learned_anew set and frame == warm_up - 1) and the next
 *  ch_live_process(). planes_out (or NULL) receives the frame itself. */
CH_API ch_status ch_live_replay(ch_live *live, ch_live_result *result, const uint8_t **planes_out,
                                int64_t i, int flags);

/** The background of the last result as bytes, planes side by side (gray, or R G B). */
CH_API ch_status ch_live_background_bytes(ch_live *live, uint8_t *pixels);

/** Stops or resumes learning. An adaptation to a switch of light that is under way is dropped. */
CH_API ch_status ch_live_freeze(ch_live *live, int frozen);

CH_API ch_status ch_live_get_info(const ch_live *live, ch_live_info *info);

/** The current H of a plane: *rank pictures one after the other, width * height numbers each; NULL
 *  during the warm-up. Valid until the next call. */
CH_API const float *ch_live_model(const ch_live *live, int plane, int64_t *rank);

CH_END_DECLS
#endif
