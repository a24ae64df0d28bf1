/* The shape of a frame: what the functions that work on frames of a video have in common.
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_FRAME_H
#define CONEHULL_FRAME_H

#include <stdint.h>

/** Frames are width * height pixels, row by row from the top left; planes of a colour frame lie
 *  apart. */
typedef struct ch_frame_shape {
    int64_t width, height;
    int planes; /**< 1: gray, 3: colours; functions that look at one plane ignore it           */
} ch_frame_shape;

#endif
