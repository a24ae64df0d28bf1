/* A generated film for tests: where people are in each frame is known.
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_SCENE_H
#define CONEHULL_SCENE_H

#include <conehull/settings.h>

CH_BEGIN_DECLS

/** A film of a hall as a fixed camera sees it: people walk through (one is there from the first
 *  frame on, one stands still for a while) and throw shadows, a lamp is switched off and on again,
 *  daylight drifts, the camera is noisy. Without people, shadows and noise the film has rank 2:
 *  what daylight shows and what the lamp adds. Described by ch_scene_table(). */
typedef struct ch_scene_settings {
    size_t size; /**< sizeof(ch_scene_settings); ch_scene_defaults() sets it */
    int64_t frames, width, height;
    double noise; /**< standard deviation, in gray levels of 256                               */
    int64_t seed; /**< of the walkers and the noise                                          */
} ch_scene_settings;

CH_API const ch_settings_table *ch_scene_table(void);
static inline void ch_scene_defaults(ch_scene_settings *settings) {
    ch_settings_defaults(ch_scene_table(), settings, sizeof *settings);
}

/** Makes one frame: rgb, height x width x 3; truth, height x width, 1 where a person is (shadows
 *  are background). Either may be NULL. The result depends only on the settings and the frame. */
CH_API ch_status ch_scene_make(ch_context *context, uint8_t *rgb, uint8_t *truth, int64_t frame,
                               const ch_scene_settings *settings);

CH_END_DECLS
#endif
