/* Background and moving objects of videos (library conehull_video).
 *
 * Experimental: what these headers declare may change in any version, and conehull.h does not
 * include them. Videos are read by conehull/clip.h and cameras by conehull/feed.h, of library
 * conehull_io. */
#ifndef CONEHULL_VIDEO_H
#define CONEHULL_VIDEO_H

#include <conehull/live.h>
#include <conehull/mask.h>
#include <conehull/metrics.h>
#include <conehull/scene.h>
#include <conehull/separate.h>

#endif
