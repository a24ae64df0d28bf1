/* The film of conehull demo: made, written with its truth, and given to conehull video. */
#ifndef CONEHULL_DEMO_CLIP_H
#define CONEHULL_DEMO_CLIP_H

#include "common/output_folder.h"
#include <conehull/synthetic.h>
#include <jansson.h>

enum { DEMO_TRUTH_EVERY = 10 }; /* frames from one known mask to the next */

/* Adds clip.mkv to the folder. Complains itself and returns the exit code, as the next. */
int demo_clip_write(cli_folder *folder, const ch_scene_settings *scene);

/* Masks of some frames in path/truth, then what 'conehull video' makes of path/clip.mkv in
 * path/video; *scores is its scores.json, to be released. */
int demo_clip_run(const cli_session *session, const char *path, const ch_scene_settings *scene,
                  json_t **scores);

#endif
