/* A whole run of conehull video: clip, methods, files, page. */
#ifndef CONEHULL_VIDEO_RUN_H
#define CONEHULL_VIDEO_RUN_H

#include "video/video_command.h"
#include <jansson.h>

/* Options must have been taken. *scores is the object of scores.json, to be released; NULL unless
 * files were written. Complains itself and returns the exit code, EXIT_EARLY with files when a
 * method stopped early. */
int video_run(const cli_session *session, video_arguments *given, json_t **scores);

/* What people read on stdout. */
void video_print(const json_t *scores, const video_arguments *given);

#endif
