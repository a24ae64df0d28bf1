/* Regions of a picture from the command line, given by corners or by a picture that is white in the
 * region. */
#pragma once

#include "common/command.h"
#include <conehull/clip.h>

/* The options --ignore and --watch, of which at most one may be given. */
typedef struct cli_region {
    const char *ignore, *watch;
} cli_region;

#define CLI_IGNORE_HELP                                                                         \
    "ignore this part of the picture. REGION is a polygon, given by its corners "               \
    "'X,Y X,Y X,Y' in pixels of the input (';' between several polygons), or a picture of the " \
    "input's size that is white there"
#define CLI_WATCH_HELP "use only this part of the picture; REGION as for --ignore"

/* Refuses the command line if both options are given. Prints an error and returns the exit code. */
int cli_region_check(const cli_session *session, const cli_region *region);
/* Sets *watched (clip->width * clip->height bytes, which the caller frees) to 255 where the picture
 * is watched and to 0 elsewhere; *watched is NULL if no region was given. *count = number of
 * watched pixels. The clip states how its pictures were cropped and reduced. Prints errors and
 * returns the exit code; a region without pixels is an error. */
int cli_region_read(const cli_session *session, uint8_t **watched, int64_t *count,
                    const cli_region *region, const ch_clip *clip);
