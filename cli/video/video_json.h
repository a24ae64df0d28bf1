/* The JSON of conehull video: scores.json, and what --json prints. */
#ifndef CONEHULL_VIDEO_JSON_H
#define CONEHULL_VIDEO_JSON_H

#include "video/video_command.h"
#include <jansson.h>

/* Everything about the clip and the run, without results; NULL without memory. */
json_t *video_json_run(const cli_session *session, const video_clip *video,
                       const video_arguments *given);
/* One method, long arrays included. */
json_t *video_json_result(const video_result *result, const video_clip *video);
/* Both together as the contract has it: the keys of a single result stand beside those of the run,
 * several are results[]. Takes both over. */
json_t *video_json_join(json_t *run, json_t *results);
/* Sets seconds.report and seconds.total of every result, and of the run. */
void video_json_seconds(json_t *scores, double report, double total);
/* A copy without the arrays that have a number per frame or threshold. */
json_t *video_json_short(const json_t *scores);

#endif
