/* A generated film for tests: the position of every person in every frame is known.
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_SCENE_H
#define CONEHULL_SCENE_H

#include <conehull/settings.h>

CH_BEGIN_DECLS

/** Settings of a generated film of a hall, seen by a fixed camera. People walk through the hall and
 *  cast shadows; one person is there from the first frame on, and one person stands still for a
 *  while. A lamp is switched off and on again, daylight changes slowly, and the camera is noisy.
 *  Without people, shadows and noise the film has rank 2: one factor is the hall in daylight, the
 *  other is the light of the lamp. ch_scene_defaults() fills the settings; ch_scene_table() lists
 *  their bounds. */
typedef struct ch_scene_settings {
    size_t size;           /**< sizeof(ch_scene_settings); ch_scene_defaults() sets it */
    int64_t frames;        /**< length of the film in frames */
    int64_t width, height; /**< size of a frame in pixels */
    double noise; /**< standard deviation of the noise of the camera, in gray levels (0 to 255) */
    int64_t seed; /**< seed of all random numbers; the same seed gives the same film */
} ch_scene_settings;

/** Returns the constant table of the settings: name, default, bounds and help text of each. */
CH_API const ch_settings_table *ch_scene_table(void);
/** Fills all settings with their defaults and sets `size`. */
static inline void ch_scene_defaults(ch_scene_settings *settings) {
    ch_settings_defaults(ch_scene_table(), settings, sizeof *settings);
}

/** Renders frame number `frame`, counted from 0, of the film. rgb receives height x width x 3
 *  bytes, row by row, with R, G and B of each pixel side by side. truth receives the known mask,
 *  height x width bytes: 1 where people cover at least half of the pixel, else 0; shadows count as
 *  background. The caller owns both arrays; rgb or truth may be NULL. The result depends only on
 *  the settings and on `frame`. Returns CH_ERR_ARGUMENT if the film has no such frame. */
CH_API ch_status ch_scene_make(ch_context *context, uint8_t *rgb, uint8_t *truth, int64_t frame,
                               const ch_scene_settings *settings);

CH_END_DECLS
#endif
