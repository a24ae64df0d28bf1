/* Regions of a picture as the command line gives them: corners, or a picture that is white there.
 */
#ifndef CONEHULL_REGION_OPTION_H
#define CONEHULL_REGION_OPTION_H

#include "common/command.h"
#include <conehull/clip.h>

/* The options --ignore and --watch. */
void cli_region_describe(cli_options *options, const char *group, const char **ignore,
                         const char **watch);
/* watched (clip->width * clip->height) becomes 255 within the region, 0 elsewhere, or the other way
 * round (--ignore); count: pixels that are watched. The clip says how its pictures were cut and
 * reduced. Complains itself, for `command`, and returns the exit code; a region that leaves nothing
 * to watch is an error. */
int cli_region_read(const cli_session *session, const char *command, uint8_t *watched,
                    int64_t *count, const ch_clip *clip, const char *text, int ignore);

#endif
