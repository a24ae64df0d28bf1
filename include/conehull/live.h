/* Background and moving objects apart while the frames come in, in bounded memory.
 *
 * The first frames (warm_up) are only looked at; then a background of few factors is learned from
 * them as ch_separate() does, ghosts removed. From then on, for every frame x at once:
 *
 *     w = argmin_{w >= 0} |x_S - (w'H)_S|_1     S: a sample of pixels; exact, from the last w on
 *     background w'H, mask and score as in <conehull/mask.h>
 *
 * and the background follows slow change, takes in what has stopped, and is learned anew when the
 * light is switched:
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
 *   - Memory: all of it is taken by ch_live_create(), about ch_live_bytes(), but for what learning
 *     needs while it runs; it does not grow with the number of frames.
 *   - Same bits: with late = 0 the results are a function of settings and frames alone, whatever
 *     the number of threads and their speed: what the background thread makes of frame t takes
 *     effect at a frame number that is fixed when it starts, and the caller waits if it must. With
 *     late = 1 nobody waits, and a busy machine may follow a few frames later; a median is the
 *     first background until the learned one is ready (state CH_LIVE_ADAPTING, learned_anew twice).
 *   - Frozen means frozen: between ch_live_freeze(live, 1) and ch_live_freeze(live, 0) not a bit of
 *     H changes. Weights are still fitted to every frame.
 *   - A light that is switched (at least 30 % of the sampled pixels off by more than the threshold,
 *     which was not so before): 8 + adapt + 10 frames later, 48 by default, a new background is in
 *     use: a factor of the new light, learned from `adapt` frames of it, joins those of the lights
 *     before. A light that comes back needs no time. Lights that follow each other within these
 *     frames count as one switch, the last.
 *   - What stands still is foreground for `absorb` frames, then background; never sooner. Where
 *     it leaves, what was there before returns as background within 25 frames.
 *   - A frame that is not what the camera saw (flipped bits that no decoder reports, a picture of
 *     another place) does no harm: when it is off in 30 % more of the sampled pixels than usual,
 *     nothing is learned from it, and fewer than 8 such frames in a row are no switch of light
 *     (counted as implausible); when less of it is off, it moves a background pixel by at most
 *     4 every / follow gray levels, 0.08 by default. One in the warm-up counts as one of many. With
 *     adapt = 0 the same, but 8 in a row are a light that stays: not counted, and learned from
 *     again from the 8th on.
 * Not promised: the answer of ch_separate() on all frames, which knows the future. What it comes to
 * on real clips stands in docs/live.md.
 *
 * A ch_live belongs to one thread at a time. It has a thread of its own, which calls the memory
 * hooks of the context: they must bear that (malloc does).
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
    int64_t warm_up; /**< frames that the first background is learned from                     */
    int64_t rank;    /**< factors of the background; 0: chosen from the data, 4 at most        */
    int64_t sample;  /**< pixels that the weights of a frame are fitted on                     */
    int64_t every;   /**< every so many frames the background learns                           */
    int64_t follow;  /**< frames in which it takes over 2/3 of a small, lasting change         */
    int64_t absorb;  /**< frames for which what stands still is foreground; 0: for ever        */
    int64_t adapt;   /**< frames of a new light that the new background is learned from; 0: no
                          switch is looked for                                                 */
    int late;        /**< never wait for the background thread                                 */
    int keep_ghosts; /**< leave in the background what stood still in the warm-up              */
    int64_t seed;

    /* Not in the table. */
    const ch_mask_settings *mask; /**< NULL: their defaults; copied by ch_live_create()        */
    const uint8_t *watch; /**< width * height: 0 where nothing is learned nor found; or NULL;
                               copied by ch_live_create()                                     */
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

/** What there is to say about a frame. Pointers are the ch_live's own, valid until its next call;
 *  NULL in the warm-up. */
typedef struct ch_live_result {
    size_t size;   /**< sizeof(ch_live_result); the caller sets it */
    int64_t frame; /**< its number, from 0                                                     */
    ch_live_state state;
    const uint8_t *mask;                         /**< width * height: 255 or 0                */
    const float *score;                          /**< as mask.score says; with CH_LIVE_SCORES */
    const float *background[CH_LIVE_PLANES_MAX]; /**< per plane; not with CH_LIVE_MASK_ALONE   */
    int64_t rank;                                /**< factors of the background               */
    double weights[CH_LIVE_RANK_MAX];            /**< w                                       */
    double gap;       /**< of the weights on the sample: how far |x_S - (w'H)_S|_1 is above its
                           minimum at most, relative to |x_S|_1                                */
    double off;       /**< share of the sampled pixels that are off the background             */
    int learned_anew; /**< a new background is in use from this frame on                       */
} ch_live_result;

enum {
    CH_LIVE_SCORES = 1,  /**< the scores are wanted too                                         */
    CH_LIVE_DAMAGED = 2, /**< the frame is damaged or a stand-in: after the warm-up nothing is
                              learned from it                                              */
    CH_LIVE_MASK_ALONE = 4, /**< unless the scores are wanted: result.background is NULL, which
                                saves time; ch_live_background_bytes() still has it         */
    CH_LIVE_PACKED = 8      /**< colour: planes[0] has the three values of a pixel side by side   */
};

/** What has happened so far. */
typedef struct ch_live_info {
    size_t size;    /**< sizeof(ch_live_info); the caller sets it */
    int64_t frames; /**< processed                                                             */
    ch_live_state state;
    int64_t rank;
    int64_t anchors[CH_LIVE_RANK_MAX]; /**< pixels whose courses the factors came from; -1: none */
    char rank_reason[256];             /**< why this rank, in words                            */
    char ghosts_reason[200];           /**< what was done about ghosts in the last learning    */
    double noise, threshold;           /**< of the masks, as in ch_mask_info                   */
    char mask_reason[200];
    int64_t lessons;                     /**< frames that were learned from since the warm-up    */
    int64_t absorbed;                    /**< pixels that became background by standing still    */
    int64_t switches;                    /**< changes of light that were noticed                 */
    int64_t adaptations;                 /**< ... and led to a new background                    */
    int64_t switch_frame, adapted_frame; /**< of the last one; -1: none                        */
    double worst_gap;    /**< of the weights of all frames                                      */
    int64_t unproven;    /**< frames whose gap stayed above 1e-6                                */
    int64_t skipped;     /**< lessons left out because the thread was late (late = 1)           */
    int64_t implausible; /**< frames after which nothing was learned because too much of the
                              picture was off at once, and which no switch of light followed */
    int warnings;        /**< of the masks: CH_MASK_WARN_NOISE, ...; 0: nothing                 */
} ch_live_info;

/** Bytes that a ch_live of that shape holds, and what learning takes besides while it runs. Either
 *  may be NULL. */
CH_API ch_status ch_live_bytes(ch_context *context, int64_t *held, int64_t *learning,
                               const ch_frame_shape *shape, const ch_live_settings *settings);

/** Frames of 1 plane (gray) or 3 (colour, each plane of its own). */
CH_API ch_status ch_live_create(ch_context *context, ch_live **live, const ch_frame_shape *shape,
                                const ch_live_settings *settings);
CH_API void ch_live_destroy(ch_live *live);

/** The next frame: planes of width * height bytes, row by row. flags: CH_LIVE_SCORES, ... or 0.
 *  CH_STOP_CANCELLED: the progress callback said so while the first background was learned; there
 *  is no result then, and no way on. */
CH_API ch_status ch_live_process(ch_live *live, ch_live_result *result,
                                 const uint8_t *const *planes, int flags);

/** Frame 0 <= i < warm_up again, by the background of now; for the call that ended the warm-up (its
 *  result has learned_anew set and frame == warm_up - 1) and before the next ch_live_process().
 *  planes_out (or NULL) receives the frame itself. */
CH_API ch_status ch_live_replay(ch_live *live, ch_live_result *result, const uint8_t **planes_out,
                                int64_t i, int flags);

/** The background of the last result as bytes, planes side by side (gray, or R G B). */
CH_API ch_status ch_live_background_bytes(ch_live *live, uint8_t *pixels);

/** Stops learning, or goes on with it. A switch that was being adapted to is forgotten. */
CH_API ch_status ch_live_freeze(ch_live *live, int frozen);

CH_API ch_status ch_live_get_info(const ch_live *live, ch_live_info *info);

/** H as it is used for the next frame if nothing is learned before it: rank pictures of a plane one
 *  after the other, width * height numbers each, ->rank of them; NULL in the warm-up. Valid until
 *  the next call. */
CH_API const float *ch_live_model(const ch_live *live, int plane, int64_t *rank);

CH_END_DECLS
#endif
